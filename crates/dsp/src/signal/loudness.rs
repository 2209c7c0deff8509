//! Loudness and true peak by ITU-R BS.1770 and EBU Tech 3342.

use super::true_peak::TruePeak;
use crate::base::{Error, ErrorKind, Result};
use ebur128::{Channel, EbuR128, Mode};

/// Minimum length of a sound in tenths of a second, each rounded to samples: one block of BS.1770. Shorter sounds are
/// zero-padded.
const BLOCK_TENTHS: u64 = 4;
/// Minimum length of a sound with a loudness range: one block of EBU Tech 3342.
const RANGE_BLOCK_SECS: f64 = 3.0;

/// Loudness descriptors by ITU-R BS.1770-4 and EBU Tech 3342.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoudnessDescriptors {
    /// Integrated loudness; `None` if everything is below the gate of -70 LUFS.
    pub lufs: Option<f64>,
    /// True peak of the loudest channel, in dBTP; `None` for silence.
    pub true_peak_dbtp: Option<f64>,
    /// Loudness range in LU; `None` for sounds shorter than 3 s, and for silence.
    pub loudness_range: Option<f64>,
}

/// Bits of a channel mask, as in extensible WAV headers.
const LFE_CHANNELS: u32 = 1 << 3;
const BACK_CHANNELS: u32 = 3 << 4;
const SIDE_CHANNELS: u32 = 3 << 9;

/// Weights of a file's channels, from its channel mask, or else from the usual speakers for that number of channels.
///
/// ITU-R BS.1770-4, table 4: weight 1.41 for speakers 60 to 120 degrees to the side, 0 for the subwoofer (LFE), 1 for
/// all others. Without side speakers, as in quad, 5.0 and 5.1, the back speakers count as being at 110 degrees.
fn weights(n_channels: usize, mask: Option<u32>) -> Vec<Channel> {
    let usual = match n_channels {
        4 => 0x33,
        5 => 0x37,
        6 => 0x3f,
        7 => 0x70f,
        8 => 0x63f,
        _ => 0,
    };
    let is_whole = |mask: &u32| mask.count_ones() as usize == n_channels;
    let mask = mask.filter(is_whole).unwrap_or(usual);
    let at_sides = if mask & SIDE_CHANNELS == 0 { BACK_CHANNELS } else { SIDE_CHANNELS };
    let of_speaker = |speaker: u32| match speaker {
        LFE_CHANNELS => Channel::Unused,
        _ if speaker & at_sides != 0 => Channel::LeftSurround,
        _ => Channel::Center,
    };
    // Channels without a bit in the mask have unknown speakers, and weight 1.
    let mut weights: Vec<Channel> =
        (0..u32::BITS).map(|bit| 1 << bit).filter(|speaker| mask & speaker != 0).map(of_speaker).collect();
    weights.resize(n_channels, Channel::Center);
    weights
}

/// Measures the loudness and loudness range of a sound from its weighted channels, and the true peak of all channels.
pub struct LoudnessMeter {
    meter: EbuR128,
    /// True peak by channel; empty if only the loudness is measured.
    peaks: Vec<TruePeak>,
    n_channels: usize,
    rate_hz: u32,
    n_frames: u64,
}

impl LoudnessMeter {
    /// A meter for channels at a sample rate, with their speakers, if known, coded as in extensible WAV headers.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for rates that cannot be measured.
    pub fn new(rate_hz: u32, n_channels: usize, mask: Option<u32>) -> Result<LoudnessMeter> {
        let meter = LoudnessMeter::of(rate_hz, n_channels, mask, Mode::I | Mode::LRA)?;
        Ok(LoudnessMeter { peaks: vec![TruePeak::new(rate_hz); n_channels], ..meter })
    }

    /// A meter only for the [integrated loudness](LoudnessMeter::integrated_lufs), which takes a fraction of the time.
    ///
    /// # Errors
    /// As [`new`](LoudnessMeter::new).
    pub fn integrated(rate_hz: u32, n_channels: usize, mask: Option<u32>) -> Result<LoudnessMeter> {
        LoudnessMeter::of(rate_hz, n_channels, mask, Mode::I)
    }

    fn of(rate_hz: u32, n_channels: usize, mask: Option<u32>, mode: Mode) -> Result<LoudnessMeter> {
        let mut meter = EbuR128::new(n_channels as u32, rate_hz, mode).map_err(failed)?;
        meter.set_channel_map(&weights(n_channels, mask)).map_err(failed)?;
        Ok(LoudnessMeter { meter, peaks: Vec::new(), n_channels, rate_hz, n_frames: 0 })
    }

    /// Processes the next samples, one slice per channel.
    ///
    /// # Errors
    /// None in practice, if `channels` has as many slices as the meter has channels.
    pub fn push(&mut self, channels: &[&[f32]]) -> Result<()> {
        self.n_frames += channels.first().map_or(0, |channel| channel.len()) as u64;
        self.peaks.iter_mut().zip(channels).for_each(|(peak, samples)| peak.push(samples));
        self.meter.add_frames_planar_f32(channels).map_err(failed)
    }

    /// Processes `n` samples of silence on all channels, in constant time: after five seconds of silence the meter's
    /// state is periodic, and blocks below its gate don't count.
    ///
    /// # Errors
    /// As [`push`](LoudnessMeter::push).
    pub fn push_silence(&mut self, n: u64) -> Result<()> {
        // Blocks of the loudness range begin every second, which is ten tenths, each rounded to samples.
        let second = 10 * ((u64::from(self.rate_hz) + 5) / 10);
        let n_skipped = n.saturating_sub(5 * second) / second * second;
        let silence = vec![0.0; second as usize];
        let mut left = n - n_skipped;
        while left > 0 {
            let part = &silence[..silence.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            self.push(&vec![part; self.n_channels])?;
            left -= part.len() as u64;
        }
        self.n_frames += n_skipped;
        Ok(())
    }

    /// The integrated loudness, gated; `None` if everything is below the gate of -70 LUFS.
    ///
    /// # Errors
    /// As [`push`](LoudnessMeter::push).
    pub fn integrated_lufs(mut self) -> Result<Option<f64>> {
        self.fill_block()?;
        self.gated_lufs()
    }

    /// Ends the measurement, and returns the result.
    ///
    /// # Errors
    /// As [`push`](LoudnessMeter::push).
    pub fn finish(mut self) -> Result<LoudnessDescriptors> {
        let has_range = self.n_frames as f64 >= RANGE_BLOCK_SECS * f64::from(self.rate_hz);
        self.fill_block()?;
        let peak = self.peaks.iter().map(TruePeak::peak).fold(0.0, f64::max);
        let lufs = self.gated_lufs()?;
        let range = self.meter.loudness_range().map_err(failed)?;
        Ok(LoudnessDescriptors {
            lufs,
            true_peak_dbtp: (peak > 0.0).then(|| 20.0 * peak.log10()),
            loudness_range: (has_range && lufs.is_some()).then_some(range),
        })
    }

    /// Appends zeros to a sound shorter than a block.
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
