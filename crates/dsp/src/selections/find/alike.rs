//! More like this: finds where the spectrogram of a band resembles a patch.

use rayon::prelude::*;

/// Maximum number of bands into which frequencies are pooled: enough to distinguish sounds, few enough to be quick.
const MAX_BANDS: usize = 48;
/// Range below the loudest level; lower levels count as silent.
const RANGE_DB: f32 = 70.0;

/// Levels of a band, pooled: rows of `n_bands` values in decibels, one row per frame.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    levels_db: Vec<f32>,
    n_bands: usize,
}

impl Patch {
    /// Adds frames of magnitudes, `n_bins` each, of which those in `bins` are used.
    pub fn push(&mut self, magnitudes: &[f32], n_bins: usize, bins: std::ops::Range<usize>) {
        self.n_bands = bins.len().clamp(1, MAX_BANDS);
        let n_bands = self.n_bands;
        for row in magnitudes.chunks_exact(n_bins.max(1)) {
            let row = &row[bins.clone()];
            self.levels_db.extend((0..n_bands).map(|band| {
                let (low, high) = (band * row.len() / n_bands, (band + 1) * row.len() / n_bands);
                let power: f32 = row[low..high.max(low + 1).min(row.len())].iter().map(|m| m * m).sum();
                10.0 * (power / (high - low).max(1) as f32).max(1e-20).log10()
            }));
        }
    }

    /// Number of frames.
    pub fn n_frames(&self) -> usize {
        self.levels_db.len() / self.n_bands.max(1)
    }
}

/// The start frames, ascending, of the passages of `n` frames in `sound` that resemble its frames `first .. first + n`:
/// the correlation of their levels is at least `similarity`. Of overlapping passages, only the one with the highest
/// correlation is returned. `first` itself is always included.
pub fn matches(sound: &Patch, first: usize, n: usize, similarity: f64) -> Vec<usize> {
    let (n_frames, n_bands) = (sound.n_frames(), sound.n_bands);
    if n == 0 || first + n > n_frames {
        return Vec::new();
    }
    let loudest = sound.levels_db.iter().copied().fold(f32::MIN, f32::max);
    let levels: Vec<f32> = sound.levels_db.iter().map(|&db| db.max(loudest - RANGE_DB)).collect();
    let cells = n * n_bands;
    // Subtracting the mean level and dividing by the norm makes the correlation independent of loudness.
    let normed = |patch: &[f32]| -> (f64, f64) {
        let mean = patch.iter().map(|&x| f64::from(x)).sum::<f64>() / cells as f64;
        let power = patch.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        (mean, power.sqrt())
    };
    let patch = &levels[first * n_bands..][..cells];
    let (mean, norm) = normed(patch);
    if norm <= 0.0 {
        return vec![first];
    }
    let model: Vec<f32> = patch.iter().map(|&x| (f64::from(x) - mean) as f32).collect();
    let correlation: Vec<f64> = (0..=n_frames - n)
        .into_par_iter()
        .map(|start| {
            let other = &levels[start * n_bands..][..cells];
            let (_, other_norm) = normed(other);
            // The model's mean is 0, so the mean of the other patch cancels.
            let product: f64 = model
                .chunks(n_bands)
                .zip(other.chunks(n_bands))
                .map(|(a, b)| f64::from(a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>()))
                .sum();
            if other_norm > 0.0 { product / (norm * other_norm) } else { 0.0 }
        })
        .collect();
    // Best first; a passage that overlaps a better one is dropped.
    let mut order: Vec<usize> =
        (0..correlation.len()).filter(|&i| i == first || correlation[i] >= similarity).collect();
    order.sort_by(|&a, &b| correlation[b].total_cmp(&correlation[a]));
    let mut found: Vec<usize> = vec![first];
    for start in order {
        if found.iter().all(|&other| other.abs_diff(start) >= n) {
            found.push(start);
        }
    }
    found.sort_unstable();
    found
}
