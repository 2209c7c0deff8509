//! Loudness as broadcasters measure it.

use crate::base::{Error, ErrorKind, Result};
use ebur128::{EbuR128, Mode};
use serde::Serialize;

/// Zeros are appended to shorter sounds: a block of BS.1770, in tenths of a second, each rounded to samples.
const BLOCK_TENTHS: u64 = 4;
/// Shorter sounds have no range: a block of EBU 3342.
const RANGE_BLOCK_SECS: f64 = 3.0;

/// By ITU-R BS.1770-4 and EBU Tech 3342.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LoudnessDescriptors {
    /// Integrated loudness; `None` where all is below the gate of -70.
    pub lufs: Option<f64>,
    /// Peak between samples; `None` of silence.
    pub true_peak_dbtp: Option<f64>,
    /// In LU; `None` of sounds under 3 s, and of silence.
    pub loudness_range: Option<f64>,
}

/// Measures channels. One or two weigh alike; of four and more those at the sides and behind weigh more, the fourth of six
/// is the subwoofer, and none after the sixth counts.
pub struct LoudnessMeter {
    meter: EbuR128,
    n_channels: usize,
    rate_hz: u32,
    n_frames: u64,
}

impl LoudnessMeter {
    /// For channels at a rate.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for rates that cannot be measured.
    pub fn new(rate_hz: u32, n_channels: usize) -> Result<LoudnessMeter> {
        LoudnessMeter::of(rate_hz, n_channels, Mode::I | Mode::LRA | Mode::TRUE_PEAK)
    }

    /// For the [integrated loudness](LoudnessMeter::integrated_lufs) alone, which takes a fraction of the time.
    ///
    /// # Errors
    /// As [`new`](LoudnessMeter::new).
    pub fn integrated(rate_hz: u32, n_channels: usize) -> Result<LoudnessMeter> {
        LoudnessMeter::of(rate_hz, n_channels, Mode::I)
    }

    fn of(rate_hz: u32, n_channels: usize, mode: Mode) -> Result<LoudnessMeter> {
        let meter = EbuR128::new(n_channels as u32, rate_hz, mode).map_err(failed)?;
        Ok(LoudnessMeter { meter, n_channels, rate_hz, n_frames: 0 })
    }

    /// Takes the next samples, one slice for each channel.
    ///
    /// # Errors
    /// None in practice: the channels are as many as were stated.
    pub fn push(&mut self, channels: &[&[f32]]) -> Result<()> {
        self.n_frames += channels.first().map_or(0, |channel| channel.len()) as u64;
        self.meter.add_frames_planar_f32(channels).map_err(failed)
    }

    /// The integrated loudness, with its gates; `None` where all is below that of -70 LUFS.
    ///
    /// # Errors
    /// As [`push`](LoudnessMeter::push).
    pub fn integrated_lufs(mut self) -> Result<Option<f64>> {
        self.fill_block()?;
        self.gated_lufs()
    }

    /// The result.
    ///
    /// # Errors
    /// As [`push`](LoudnessMeter::push).
    pub fn finish(mut self) -> Result<LoudnessDescriptors> {
        let has_range = self.n_frames as f64 >= RANGE_BLOCK_SECS * f64::from(self.rate_hz);
        self.fill_block()?;
        let peaks = (0..self.n_channels as u32).map(|channel| self.meter.true_peak(channel).map_err(failed));
        let peak = peaks.collect::<Result<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
        let lufs = self.gated_lufs()?;
        let range = self.meter.loudness_range().map_err(failed)?;
        Ok(LoudnessDescriptors {
            lufs,
            true_peak_dbtp: (peak > 0.0).then(|| 20.0 * peak.log10()),
            loudness_range: (has_range && lufs.is_some()).then_some(range),
        })
    }

    /// Appends zeros to what is shorter than a block.
    fn fill_block(&mut self) -> Result<()> {
        let n_block = BLOCK_TENTHS * ((u64::from(self.rate_hz) + 5) / 10);
        let silence = vec![0.0; n_block.saturating_sub(self.n_frames) as usize];
        self.push(&vec![&silence[..]; self.n_channels])
    }

    fn gated_lufs(&self) -> Result<Option<f64>> {
        let lufs = self.meter.loudness_global().map_err(failed)?;
        Ok(lufs.is_finite().then_some(lufs))
    }
}

fn failed(error: ebur128::Error) -> Error {
    Error::new(ErrorKind::Unsupported, format!("the loudness could not be measured: {error}"))
}
