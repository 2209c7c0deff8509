//! Constant-Q magnitudes: each bin with a window whose length depends on its frequency.
//!
//! Source: Brown and Puckette, JASA 92(5), 1992. The spectra of the atoms are multiplied by that of the frame; only the
//! bins around each atom's peak are kept.

use super::fft_plans::RealFfts;
use crate::FftPlans;
use rustfft::FftPlanner;
use rustfft::num_complex::{Complex32, Complex64};
use std::sync::Arc;

/// Bins at equal steps of pitch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchBins {
    /// The frequency of the first bin, in hertz.
    pub lowest_hz: f64,
    /// Bins per octave.
    pub per_octave: usize,
    /// Number of bins.
    pub n_bins: usize,
}

/// Fraction of an atom's peak below which parts of its spectrum are omitted.
const MIN_SHARE: f64 = 1e-3;

/// The conjugate spectrum of an atom, starting at its first bin.
struct Atom {
    first_bin: usize,
    spectrum: Vec<Complex32>,
}

/// Atoms of one signal rate; clones share them.
#[derive(Clone)]
pub struct ConstantQ {
    n_fft: usize,
    ffts: RealFfts,
    atoms: Arc<[Atom]>,
    input: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl ConstantQ {
    /// A transform that computes several rows of bins from one frame. An atom is a complex tone of `ceil(Q rate / hz)`
    /// samples under a periodic Hann window, divided by its length, with `Q = 1 / (2^(1/per_octave) - 1)`.
    pub fn new(rate_hz: f64, rows: &[PitchBins], ffts: &FftPlans) -> ConstantQ {
        let length_of = |row: &PitchBins, hz: f64| {
            let q = 1.0 / ((1.0 / row.per_octave as f64).exp2() - 1.0);
            (q * rate_hz / hz).ceil() as usize
        };
        let longest = rows.iter().map(|row| length_of(row, row.lowest_hz)).max().unwrap_or(1);
        let n_fft = longest.next_power_of_two();
        let fft = FftPlanner::<f64>::new().plan_fft_forward(n_fft);
        let atom = |row: &PitchBins, bin: usize| {
            let hz = row.lowest_hz * (bin as f64 / row.per_octave as f64).exp2();
            let length = length_of(row, hz);
            let mut atom = vec![Complex64::default(); n_fft];
            let start = n_fft / 2 - length / 2;
            for (at, value) in atom[start..start + length].iter_mut().enumerate() {
                let window = 0.5 - 0.5 * (std::f64::consts::TAU * at as f64 / length as f64).cos();
                let turns = hz / rate_hz * (start + at) as f64 - hz / rate_hz * (n_fft / 2) as f64;
                // Also divided by the FFT length, since the product of spectra replaces an inverse FFT.
                let scale = window / (length as f64 * n_fft as f64);
                *value = Complex64::from_polar(scale, std::f64::consts::TAU * turns);
            }
            fft.process(&mut atom);
            let peak = atom.iter().map(|value| value.norm()).fold(0.0, f64::max);
            let is_kept = |value: &Complex64| value.norm() >= MIN_SHARE * peak;
            let positive = &atom[..=n_fft / 2];
            let first_bin = positive.iter().position(is_kept).unwrap_or(0);
            let end = positive.iter().rposition(is_kept).map_or(first_bin, |last| last + 1);
            let spectrum = positive[first_bin..end].iter().map(|value| value.conj());
            Atom {
                first_bin,
                spectrum: spectrum.map(|value| Complex32::new(value.re as f32, value.im as f32)).collect(),
            }
        };
        let atom = &atom;
        let atoms = rows.iter().flat_map(|row| (0..row.n_bins).map(move |bin| atom(row, bin))).collect();
        let ffts = ffts.get(n_fft);
        ConstantQ {
            n_fft,
            atoms,
            input: vec![0.0; n_fft],
            spectrum: ffts.forward.make_output_vec(),
            scratch: ffts.forward.make_scratch_vec(),
            ffts,
        }
    }

    /// The conjugate spectra of all atoms concatenated, real and imaginary part, and for each atom its first bin,
    /// number of bins and first value.
    pub fn flat(&self) -> (Vec<[u32; 3]>, Vec<[f32; 2]>) {
        let mut values = Vec::new();
        let entry = |atom: &Atom| {
            let entry = [atom.first_bin, atom.spectrum.len(), values.len()].map(|n| n as u32);
            values.extend(atom.spectrum.iter().map(|value| [value.re, value.im]));
            entry
        };
        (self.atoms.iter().map(entry).collect(), values)
    }

    /// Number of samples per frame.
    pub fn frame_samples(&self) -> usize {
        self.n_fft
    }

    /// The magnitude of each bin of each row at the middle of a frame.
    pub fn magnitudes(&mut self, frame: &[f32], magnitudes: &mut [f32]) {
        // Fast path for long silence.
        if frame.iter().all(|sample| *sample == 0.0) {
            magnitudes.fill(0.0);
            return;
        }
        self.input.copy_from_slice(frame);
        // Cannot fail: the buffers have the plan's lengths.
        self.ffts.forward.process_with_scratch(&mut self.input, &mut self.spectrum, &mut self.scratch).ok();
        for (atom, magnitude) in self.atoms.iter().zip(magnitudes) {
            let bins = &self.spectrum[atom.first_bin..atom.first_bin + atom.spectrum.len()];
            let sum = bins.iter().zip(&atom.spectrum).fold(Complex32::default(), |sum, (bin, atom)| sum + bin * atom);
            *magnitude = sum.norm();
        }
    }
}
