//! Mels of segments as products with two matrices, the windowed DFT and the filter bank: for the GPU, where a matrix
//! product is at least as fast as an FFT of this size. On the CPU, [`SegmentSpectra`] is faster.
//!
//! [`SegmentSpectra`]: super::segments::SegmentSpectra

use super::mel::MelBank;
use super::segments::SegmentParams;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Segments, and the matrices that compute their mels.
#[derive(Debug, Clone)]
pub struct SegmentMels {
    /// Analysis parameters of a segment.
    pub params: SegmentParams,
    /// First sample of each segment in a block.
    pub starts: Vec<u32>,
    /// Number of mels.
    pub n_mels: usize,
    /// Whether the result contains all frames of a segment, or only their mean power.
    pub by_frame: bool,
    /// The DFT under a periodic Hann window, real and imaginary part: `[bins, n_fft]`, computed in f64.
    pub matrix: Vec<[f32; 2]>,
    /// The filter bank: `[mels, bins]`.
    pub weights: Vec<f32>,
}

impl SegmentMels {
    /// FFT sizes at which a matrix product outperforms an FFT.
    pub const SIZES: RangeInclusive<usize> = 32..=256;

    /// Computes the matrices.
    pub fn new(params: SegmentParams, starts: &[usize], bank: &MelBank, by_frame: bool) -> SegmentMels {
        let n_fft = params.n_fft;
        let entry = |at: usize| {
            let (bin, sample) = (at / n_fft, at % n_fft);
            let window = 0.5 - 0.5 * (TAU * sample as f64 / n_fft as f64).cos();
            // The product of bin and sample is first reduced modulo `n_fft`, one turn, which keeps the angle exact.
            let (sin, cos) = (TAU * (bin * sample % n_fft) as f64 / n_fft as f64).sin_cos();
            [(window * cos) as f32, (-window * sin) as f32]
        };
        SegmentMels {
            starts: starts.iter().map(|&start| start as u32).collect(),
            n_mels: bank.n_mels(),
            by_frame,
            matrix: (0..params.n_bins() * n_fft).map(entry).collect(),
            weights: bank.dense(params.n_bins()),
            params,
        }
    }

    /// Number of output frames per segment.
    pub fn n_written(&self) -> usize {
        if self.by_frame { self.params.n_frames() } else { 1 }
    }

    /// The power in each mel: `[segments, frames, mels]`, with a single mean frame unless `by_frame` is set. `samples`
    /// contains every segment completely.
    pub fn mels(&self, samples: &[f32]) -> Vec<f32> {
        let SegmentParams { n_samples, n_fft, hop } = self.params;
        let (n_bins, n_frames) = (self.params.n_bins(), self.params.n_frames());
        let mut mels = Vec::with_capacity(self.starts.len() * self.n_written() * self.n_mels);
        let mut frame = vec![0.0; n_fft];
        let mut sums = vec![0.0; n_bins];
        for &start in &self.starts {
            let segment = &samples[start as usize..start as usize + n_samples];
            for of in 0..n_frames {
                let place = |k: usize| reflected((of * hop + k) as i64 - (n_fft / 2) as i64, n_samples as i64);
                frame.iter_mut().enumerate().for_each(|(k, sample)| *sample = segment[place(k) as usize]);
                for (sum, row) in sums.iter_mut().zip(self.matrix.chunks_exact(n_fft)) {
                    let [mut re, mut im] = [0.0f32; 2];
                    for (sample, factor) in frame.iter().zip(row) {
                        re += sample * factor[0];
                        im += sample * factor[1];
                    }
                    *sum += re * re + im * im;
                }
                if self.by_frame || of + 1 == n_frames {
                    let scale = if self.by_frame { 1.0 } else { 1.0 / n_frames as f32 };
                    mels.extend(self.weights.chunks_exact(n_bins).map(|row| {
                        row.iter().zip(&sums).fold(0.0, |sum, (weight, power)| sum + weight * (power * scale))
                    }));
                    sums.fill(0.0);
                }
            }
        }
        mels
    }
}

/// Reflects an index beyond the ends of a segment, without repeating the edge.
fn reflected(at: i64, n: i64) -> i64 {
    let at = at.abs();
    if at < n { at } else { 2 * (n - 1) - at }
}
