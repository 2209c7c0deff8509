//! The frames of a signal passed in pieces, and their spectra, so that a signal of any length is analysed in bounded
//! memory.
//!
//! Frame `m` is centred on sample `m hop`, outside the signal is silence, and there are `1 + floor(n_samples / hop)`
//! frames, as in `librosa.stft` with `pad_mode="constant"`. The window is a periodic Hann. Transforms use f64, since
//! the rounding noise of an f32 transform would dominate bins far below the loudest.

use realfft::{RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64;
use std::sync::Arc;

/// Cuts a signal into overlapping frames.
#[derive(Debug, Clone)]
pub struct FrameCutter {
    n_fft: usize,
    hop: usize,
    /// Samples starting half a frame before the centre of the next frame.
    pending: Vec<f32>,
    n_pushed: u64,
    n_frames: u64,
}

impl FrameCutter {
    /// A cutter for frames of `n_fft` samples, an even number, every `hop` samples.
    pub fn new(n_fft: usize, hop: usize) -> FrameCutter {
        FrameCutter { n_fft, hop, pending: vec![0.0; n_fft / 2], n_pushed: 0, n_frames: 0 }
    }

    /// Number of frames of a signal.
    pub fn n_frames(hop: usize, n_samples: u64) -> u64 {
        1 + n_samples / hop as u64
    }

    /// Takes the next samples, and emits the frames they complete.
    pub fn push(&mut self, samples: &[f32], take: &mut dyn FnMut(&[f32])) {
        self.n_pushed += samples.len() as u64;
        self.pending.extend_from_slice(samples);
        self.give(u64::MAX, take);
    }

    /// Emits the last frames, and resets for another signal.
    pub fn finish(&mut self, take: &mut dyn FnMut(&[f32])) {
        let n_frames = FrameCutter::n_frames(self.hop, self.n_pushed);
        let n_missing = n_frames.saturating_sub(self.n_frames) as usize;
        if n_missing > 0 {
            self.pending.resize((n_missing - 1) * self.hop + self.n_fft, 0.0);
            self.give(n_frames, take);
        }
        *self = FrameCutter::new(self.n_fft, self.hop);
    }

    /// Emits complete frames until `max` frames of the signal have been emitted.
    fn give(&mut self, max: u64, take: &mut dyn FnMut(&[f32])) {
        let mut start = 0;
        while start + self.n_fft <= self.pending.len() && self.n_frames < max {
            take(&self.pending[start..start + self.n_fft]);
            self.n_frames += 1;
            start += self.hop;
        }
        let n_done = start.min(self.pending.len());
        self.pending.drain(..n_done);
    }
}

/// Computes the power spectra of frames.
pub struct FrameSpectra {
    window: Vec<f64>,
    fft: Arc<dyn RealToComplex<f64>>,
    windowed: Vec<f64>,
    spectrum: Vec<Complex64>,
    scratch: Vec<Complex64>,
}

impl FrameSpectra {
    /// Transforms for frames of `n_fft` samples, an even number.
    pub fn new(n_fft: usize) -> FrameSpectra {
        let fft = RealFftPlanner::new().plan_fft_forward(n_fft);
        let hann = |at: usize| 0.5 - 0.5 * (std::f64::consts::TAU * at as f64 / n_fft as f64).cos();
        FrameSpectra {
            window: (0..n_fft).map(hann).collect(),
            windowed: vec![0.0; n_fft],
            spectrum: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            fft,
        }
    }

    /// `|rfft|^2` of a frame under the window: `n_fft / 2 + 1` bins.
    pub fn power(&mut self, frame: &[f32], power: &mut [f64]) {
        // Fast path for long silence.
        if frame.iter().all(|sample| *sample == 0.0) {
            power.fill(0.0);
            return;
        }
        for ((out, &sample), window) in self.windowed.iter_mut().zip(frame).zip(&self.window) {
            *out = f64::from(sample) * window;
        }
        // Cannot fail: the buffers have the plan's lengths.
        self.fft.process_with_scratch(&mut self.windowed, &mut self.spectrum, &mut self.scratch).ok();
        power.iter_mut().zip(&self.spectrum).for_each(|(power, bin)| *power = bin.norm_sqr());
    }
}
