//! Mel filter banks: triangles over the bins of a real FFT.

use serde::{Deserialize, Serialize};

/// Scale for converting hertz to mels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MelScale {
    /// `2595 log10(1 + f / 700)`, the default of torchaudio.
    Htk,
    /// Linear up to 1 kHz and logarithmic above, as in Slaney's Auditory Toolbox, the default of librosa.
    Slaney,
}

impl MelScale {
    /// Converts a frequency to mels.
    pub fn mel_from_hz(self, hz: f64) -> f64 {
        match self {
            MelScale::Htk => 2595.0 * (1.0 + hz / 700.0).log10(),
            MelScale::Slaney if hz < SLANEY_BREAK_HZ => hz / SLANEY_HZ_PER_MEL,
            MelScale::Slaney => SLANEY_BREAK_HZ / SLANEY_HZ_PER_MEL + SLANEY_MELS_PER_E * (hz / SLANEY_BREAK_HZ).ln(),
        }
    }

    /// Converts mels to a frequency.
    pub fn hz_from_mel(self, mel: f64) -> f64 {
        let slaney_break = SLANEY_BREAK_HZ / SLANEY_HZ_PER_MEL;
        match self {
            MelScale::Htk => 700.0 * (10f64.powf(mel / 2595.0) - 1.0),
            MelScale::Slaney if mel < slaney_break => mel * SLANEY_HZ_PER_MEL,
            MelScale::Slaney => SLANEY_BREAK_HZ * ((mel - slaney_break) / SLANEY_MELS_PER_E).exp(),
        }
    }
}

const SLANEY_BREAK_HZ: f64 = 1_000.0;
const SLANEY_HZ_PER_MEL: f64 = 200.0 / 3.0;
/// Slaney's mels per factor of e above 1 kHz: `27 / ln(6.4)`.
const SLANEY_MELS_PER_E: f64 = 14.545_078_505_785_56;

/// Normalisation of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MelNorm {
    /// Each triangle peaks at 1.
    None,
    /// Each triangle has an area of 1 over a frequency axis in hertz.
    Slaney,
}

/// Parameters of a filter bank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MelParams {
    /// Number of triangles, at least 1.
    pub n_mels: usize,
    /// Spacing of the triangles.
    pub scale: MelScale,
    /// Normalisation of the triangles.
    pub norm: MelNorm,
    /// Lower corner of the first triangle.
    pub min_hz: f64,
    /// Upper corner of the last triangle.
    pub max_hz: f64,
}

/// Triangles over the bins of a real FFT, stored without their zeros.
#[derive(Debug, Clone)]
pub struct MelBank {
    rows: Vec<MelRow>,
}

#[derive(Debug, Clone)]
struct MelRow {
    first_bin: usize,
    weights: Vec<f32>,
}

impl MelBank {
    /// The bank for an FFT of `n_fft` samples at a sample rate: `n_mels + 2` corners, evenly spaced in mels from
    /// `min_hz` to `max_hz`. Weights are computed in f64.
    pub fn new(params: &MelParams, n_fft: usize, sample_rate_hz: f64) -> MelBank {
        let [low, high] = [params.min_hz, params.max_hz].map(|hz| params.scale.mel_from_hz(hz));
        let step = (high - low) / (params.n_mels + 1) as f64;
        let corner = |index: usize| params.scale.hz_from_mel(low + step * index as f64);
        let bin_hz = sample_rate_hz / n_fft as f64;
        let row = |mel: usize| {
            let [left, peak, right] = [mel, mel + 1, mel + 2].map(corner);
            let height = match params.norm {
                MelNorm::None => 1.0,
                MelNorm::Slaney => 2.0 / (right - left),
            };
            let weight = |bin: usize| {
                let hz = bin as f64 * bin_hz;
                height * ((hz - left) / (peak - left)).min((right - hz) / (right - peak)).max(0.0)
            };
            let mut bins = (0..=n_fft / 2).filter(|&bin| weight(bin) > 0.0);
            let first_bin = bins.next().unwrap_or(0);
            let end = bins.next_back().unwrap_or(first_bin) + 1;
            let weights: Vec<f32> = (first_bin..end).map(|bin| weight(bin) as f32).collect();
            let is_empty = weights.iter().all(|&weight| weight == 0.0);
            MelRow { first_bin, weights: if is_empty { Vec::new() } else { weights } }
        };
        MelBank { rows: (0..params.n_mels).map(row).collect() }
    }

    /// Number of mels.
    pub fn n_mels(&self) -> usize {
        self.rows.len()
    }

    /// All weights, including zeros: `[mels, n_bins]`, with the number of bins for which the bank was created.
    pub fn dense(&self, n_bins: usize) -> Vec<f32> {
        let mut dense = vec![0.0; self.rows.len() * n_bins];
        for (row, dense) in self.rows.iter().zip(dense.chunks_exact_mut(n_bins)) {
            dense[row.first_bin..][..row.weights.len()].copy_from_slice(&row.weights);
        }
        dense
    }

    /// The weights of all triangles concatenated, and for each triangle its first bin, number of bins and first weight.
    pub fn flat(&self) -> (Vec<[u32; 3]>, Vec<f32>) {
        let mut weights = Vec::new();
        let triangle = |row: &MelRow| {
            let triangle = [row.first_bin, row.weights.len(), weights.len()].map(|n| n as u32);
            weights.extend_from_slice(&row.weights);
            triangle
        };
        (self.rows.iter().map(triangle).collect(), weights)
    }

    /// Rows whose triangle contains no bin, and which are therefore always silent. Fewer mels or a larger FFT avoid
    /// them.
    pub fn empty_rows(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&row| self.rows[row].weights.is_empty()).collect()
    }

    /// The power in each mel of a spectrum of `n_fft / 2 + 1` bins, accumulated in f32 from low bins to high.
    pub fn apply(&self, power: &[f32], out: &mut [f32]) {
        for (row, out) in self.rows.iter().zip(out) {
            let bins = &power[row.first_bin..row.first_bin + row.weights.len()];
            *out = bins.iter().zip(&row.weights).fold(0.0, |sum, (power, weight)| sum + weight * power);
        }
    }
}
