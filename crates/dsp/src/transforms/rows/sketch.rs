//! A rough picture of rows: the STFT around each row's frequency, for long sounds before their rows are computed.

use super::bank::RowBank;
use crate::dsp::{Stft, StftParams};
use std::ops::Range;
use std::sync::Arc;

/// Approximates a frame of rows by a frame of an STFT: one short FFT, instead of FFTs of whole slices, which may be
/// seconds long.
pub struct RowSketch {
    stft: Arc<Stft>,
    /// For each row, the bins nearest to its frequency.
    bins_of_rows: Vec<Range<usize>>,
}

impl RowSketch {
    pub(super) fn new(bank: &RowBank) -> RowSketch {
        let params = StftParams::for_rate(bank.sample_rate_hz());
        let bin_hz = bank.sample_rate_hz() / params.window_len() as f64;
        let hz: Vec<f64> = bank.rows().iter().map(|row| row.hz).collect();
        let last = hz.len() - 1;
        let bins = |k: usize| {
            let ends = [(hz[k.max(1) - 1] + hz[k]) / 2.0, (hz[k] + hz[(k + 1).min(last)]) / 2.0];
            let [start, end] = ends.map(|hz| (hz / bin_hz).round() as usize);
            start..(end + 1).min(params.n_bins())
        };
        RowSketch { bins_of_rows: (0..=last).map(bins).collect(), stft: Arc::new(Stft::with_ffts(params, bank.ffts())) }
    }

    /// The STFT.
    pub fn stft(&self) -> &Arc<Stft> {
        &self.stft
    }

    /// The samples read around a frame's centre.
    pub fn samples_read(&self, centre: i64) -> Range<i64> {
        let half = self.stft.params().window_len() as i64 / 2;
        centre - half..centre + half
    }

    /// The amplitude of every row around the middle of some [samples](RowSketch::samples_read).
    pub fn magnitudes(&self, samples: &[f32]) -> Vec<f32> {
        let mut bins = self.stft.magnitudes(samples, 1);
        self.stft.amplitude_scale().level_ends(&mut bins);
        self.rows_of(&bins)
    }

    /// The amplitude of every row in a frame of the STFT: its magnitudes, with the first and the last
    /// [scaled](crate::dsp::AmplitudeScale::level_ends) like the others.
    pub fn rows_of(&self, bins: &[f32]) -> Vec<f32> {
        let scale = self.stft.amplitude_scale().sine;
        let loudest = |of: &Range<usize>| bins[of.clone()].iter().fold(0.0f32, |max, m| max.max(*m)) * scale;
        self.bins_of_rows.iter().map(loudest).collect()
    }
}
