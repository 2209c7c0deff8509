//! Streaming sample rate conversion. The filter's length grows with the ratio of the rates. A much higher rate is
//! therefore first halved repeatedly with short filters, and the last stage converts to the target rate.

mod filter;
mod halving;
mod placing;
mod stage;

use crate::base::{Error, ErrorKind, Result, khz_from_hz};
use filter::Band;
use halving::Halving;
use placing::Placing;
pub use placing::whole_ratio;
use stage::Stage;

/// Number of frames per output block: some 5 ms at 48 kHz.
const BLOCK_FRAMES: usize = 256;
/// Minimum ratio to the target rate at which a rate is halved first. This keeps every filter's table below 4 MB and
/// minimises the work.
const MIN_HALVING_RATIO: f64 = 2.5;
/// Minimum and maximum ratio of two rates.
const RATIOS: [f64; 2] = [1.0 / 65_536.0, 65_536.0];

/// For playback. Edges are fractions of half the lower rate. Frequencies between the edges are attenuated, and those
/// above half the rate alias to below it.
const PLAYBACK_BAND: Band = Band { pass: 0.9, stop: 1.1, stop_db: 98.0 };
const MEASUREMENT_BAND: Band = Band { pass: 0.9, stop: 1.1, stop_db: 120.0 };
/// For stored sound. The stopband begins at half the rate, so nothing aliases: the result may be resampled again.
const STORAGE_BAND: Band = Band { pass: 0.92, stop: 1.0, stop_db: 140.0 };
/// For changes computed at another rate. The change has no effect on frequencies between the edges, so the transition
/// band is narrow.
const SHARP: Band = Band { pass: 0.98, stop: 1.0, stop_db: 100.0 };

/// Resamples interleaved frames in blocks. The output has no delay: its first frame is at the position of the first
/// input frame.
pub struct Resampler {
    stages: Vec<Box<dyn Stage>>,
    n_channels: usize,
    /// The frames returned last.
    block: Vec<f32>,
}

impl Resampler {
    /// A resampler for playback, with aliases 95 dB down.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) if it cannot convert between the rates.
    pub fn new(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampler> {
        Resampler::with(PLAYBACK_BAND, [from_hz, to_hz], n_channels)
    }

    /// A resampler for measurements, with aliases 115 dB down.
    ///
    /// # Errors
    /// As [`new`](Resampler::new).
    pub fn measured(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampler> {
        Resampler::with(MEASUREMENT_BAND, [from_hz, to_hz], n_channels)
    }

    /// A resampler for stored sound, with aliases 130 dB down.
    ///
    /// # Errors
    /// As [`new`](Resampler::new).
    pub fn kept(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampler> {
        Resampler::with(STORAGE_BAND, [from_hz, to_hz], n_channels)
    }

    /// A resampler for changes of a sound computed at another rate, with aliases 95 dB down; only the highest 2 % of
    /// the frequencies are attenuated.
    ///
    /// # Errors
    /// As [`new`](Resampler::new).
    pub fn sharp(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampler> {
        Resampler::with(SHARP, [from_hz, to_hz], n_channels)
    }

    fn with(band: Band, [from_hz, to_hz]: [f64; 2], n_channels: usize) -> Result<Resampler> {
        // This also refuses NaN.
        if !(RATIOS[0]..=RATIOS[1]).contains(&(from_hz / to_hz)) {
            let [from, to] = [from_hz, to_hz].map(khz_from_hz);
            let what = format!("{from} cannot be resampled to {to}; choose a closer rate");
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let mut stages: Vec<Box<dyn Stage>> = Vec::new();
        let mut rate_hz = from_hz;
        while rate_hz >= MIN_HALVING_RATIO * to_hz {
            // The aliases of this stage are in the stopband of the following stages.
            stages.push(Box::new(Halving::new(band.stop * to_hz / rate_hz, band.stop_db, n_channels)));
            rate_hz /= 2.0;
        }
        if rate_hz == 2.0 * to_hz && band.pass + band.stop == 2.0 {
            stages.push(Box::new(Halving::new(band.pass / 2.0, band.stop_db, n_channels)));
        } else {
            let [pass, stop] = [band.pass, band.stop].map(|edge| edge * to_hz.min(from_hz) / rate_hz);
            stages.push(Box::new(Placing::new(Band { pass, stop, ..band }, rate_hz, to_hz, n_channels)));
        }
        Ok(Resampler { stages, n_channels, block: vec![0.0; BLOCK_FRAMES * n_channels] })
    }

    /// Size of the largest of its filters' tables, in bytes.
    pub fn largest_table_bytes(&self) -> usize {
        self.stages.iter().map(|stage| stage.table_bytes()).max().unwrap_or(0)
    }

    /// Number of input frames for the next [`process`](Resampler::process).
    pub fn frames_wanted(&self) -> usize {
        self.stages.iter().rfold(BLOCK_FRAMES, |n, stage| stage.n_wanted(n))
    }

    /// Number of frames that each [`process`](Resampler::process) returns.
    pub fn block_frames(&self) -> usize {
        BLOCK_FRAMES
    }

    /// Takes exactly [`frames_wanted`](Resampler::frames_wanted) interleaved frames (zeros after the end), and returns
    /// the next [block](Resampler::block_frames) of frames.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) if `input` has another length.
    pub fn process(&mut self, input: &[f32]) -> Result<&[f32]> {
        let n_channels = self.n_channels;
        // The number of output frames of each stage, from the last to the first, and finally the number of input
        // frames.
        let mut n_given = vec![BLOCK_FRAMES];
        self.stages.iter().rev().for_each(|stage| n_given.push(stage.n_wanted(n_given[n_given.len() - 1])));
        let n_wanted = n_given.pop().unwrap_or(0);
        if input.len() != n_wanted * n_channels {
            let what = format!("resampling failed: {} samples instead of {n_wanted} frames", input.len());
            return Err(Error::new(ErrorKind::Internal, what));
        }
        let Some(first) = self.stages.first_mut() else { return Ok(&[]) };
        for channel in 0..n_channels {
            match n_channels {
                1 => first.input(channel).extend_from_slice(input),
                _ => first.input(channel).extend(input.iter().skip(channel).step_by(n_channels)),
            }
        }
        for index in 0..self.stages.len() {
            let (done, next) = self.stages.split_at_mut(index + 1);
            let n = n_given.pop().unwrap_or(0);
            let stage = &mut done[index];
            match next.first_mut() {
                Some(next) => stage.run(n, &mut |channel, made| next.input(channel).extend_from_slice(made)),
                None => stage.run(n, &mut |channel, made| {
                    let into = self.block.iter_mut().skip(channel).step_by(n_channels);
                    into.zip(made).for_each(|(into, sample)| *into = *sample);
                }),
            }
        }
        Ok(&self.block)
    }
}
