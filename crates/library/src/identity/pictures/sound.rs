//! The picture of a sound: a mel spectrogram of at most 256 columns in 256 levels, without silence at its ends.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::comparison::hashes::GreyPicture;
use crate::dsp::mels::mel::{MelBank, MelNorm, MelParams, MelScale};
use crate::dsp::transforms::frame_stream::{FrameCutter, FrameSpectra};
use crate::library::mono::MonoSound;
use crate::media::Source;

const RATE_HZ: u32 = 22_050;
const FRAME_SAMPLES: usize = 1_024;
const STEP_SAMPLES: usize = 256;
const MEL: MelParams =
    MelParams { n_mels: 64, scale: MelScale::Slaney, norm: MelNorm::Slaney, min_hz: 50.0, max_hz: 10_000.0 };
const MAX_COLUMNS: u64 = 256;
/// Fraction of the peak, -60 dB, below which samples at either end count as silence and are trimmed.
const SILENT_SHARE: f32 = 1e-3;
/// Range below the loudest cell, in decibels; lower levels are black.
const RANGE_DB: f64 = 80.0;

/// A sound's picture, with low frequencies at the bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundPicture {
    /// 64 rows; a column per frame, at most 256.
    pub picture: GreyPicture,
    /// Length of the sound without its silent ends, in seconds.
    pub secs: f64,
}

impl SoundPicture {
    /// The picture of a sound; a single black column for silence.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn of(source: &Source, progress: &Progress) -> Result<SoundPicture> {
        let sound = MonoSound::new(source, RATE_HZ, progress)?;
        let [first, end] = sounding(&sound, progress)?;
        let mut columns = Columns::new(end - first);
        let mut frames = FrameCutter::new(FRAME_SAMPLES, STEP_SAMPLES);
        let mut at = 0;
        let mut add = |block: &[f32]| {
            let block_end = at + block.len() as u64;
            let inside = first.clamp(at, block_end) - at..end.clamp(at, block_end) - at;
            frames.push(&block[inside.start as usize..inside.end as usize], &mut |frame| columns.add(frame));
            at = block_end;
        };
        if first < end {
            sound.each_block(progress, &mut add)?;
        }
        frames.finish(&mut |frame| columns.add(frame));
        Ok(SoundPicture { picture: columns.picture()?, secs: (end - first) as f64 / f64::from(RATE_HZ) })
    }
}

/// The first sample that is not silent and the end of the last one; 0 and 0 for silence.
fn sounding(sound: &MonoSound<'_>, progress: &Progress) -> Result<[u64; 2]> {
    if sound.is_silent() {
        return Ok([0, 0]);
    }
    let mut peak = 0.0f32;
    sound.each_block(progress, &mut |block| peak = block.iter().fold(peak, |peak, sample| peak.max(sample.abs())))?;
    let mut ends: Option<[u64; 2]> = None;
    let mut at = 0;
    sound.each_block(progress, &mut |block| {
        let is_audible = |sample: &f32| *sample != 0.0 && sample.abs() >= SILENT_SHARE * peak;
        if let (Some(first), Some(last)) = (block.iter().position(is_audible), block.iter().rposition(is_audible)) {
            let begins = ends.map_or(at + first as u64, |[first, _]| first);
            ends = Some([begins, at + last as u64 + 1]);
        }
        at += block.len() as u64;
    })?;
    Ok(ends.unwrap_or([0, 0]))
}

/// Mean mel spectrum of each column, computed as frames are added.
struct Columns {
    spectra: FrameSpectra,
    bank: MelBank,
    n_frames: u64,
    n_columns: u64,
    frame: u64,
    of_frame: Vec<f64>,
    /// Sum of the power spectra of the column in progress.
    power: Vec<f64>,
    n_summed: u32,
    mean: Vec<f32>,
    /// Mel band powers, column by column, lowest band first.
    mels: Vec<f32>,
}

impl Columns {
    fn new(n_samples: u64) -> Columns {
        let n_frames = FrameCutter::n_frames(STEP_SAMPLES, n_samples);
        let n_bins = FRAME_SAMPLES / 2 + 1;
        Columns {
            spectra: FrameSpectra::new(FRAME_SAMPLES),
            bank: MelBank::new(&MEL, FRAME_SAMPLES, f64::from(RATE_HZ)),
            n_frames,
            n_columns: n_frames.min(MAX_COLUMNS),
            frame: 0,
            of_frame: vec![0.0; n_bins],
            power: vec![0.0; n_bins],
            n_summed: 0,
            mean: vec![0.0; n_bins],
            mels: Vec::new(),
        }
    }

    fn add(&mut self, frame: &[f32]) {
        self.spectra.power(frame, &mut self.of_frame);
        self.power.iter_mut().zip(&self.of_frame).for_each(|(sum, power)| *sum += power);
        self.n_summed += 1;
        self.frame += 1;
        // Of F frames and n columns, column c is the mean of frames c F / n up to, but excluding, (c + 1) F / n.
        let column = self.mels.len() as u64 / MEL.n_mels as u64;
        let end = (u128::from(column + 1) * u128::from(self.n_frames) / u128::from(self.n_columns)) as u64;
        if self.frame == end {
            let scale = 1.0 / f64::from(self.n_summed);
            self.mean.iter_mut().zip(&mut self.power).for_each(|(mean, sum)| {
                *mean = (*sum * scale) as f32;
                *sum = 0.0;
            });
            self.n_summed = 0;
            let start = self.mels.len();
            self.mels.resize(start + MEL.n_mels, 0.0);
            self.bank.apply(&self.mean, &mut self.mels[start..]);
        }
    }

    fn picture(&self) -> Result<GreyPicture> {
        let loudest = f64::from(self.mels.iter().copied().fold(0.0, f32::max));
        let level = |power: f32| {
            let share = (10.0 * (f64::from(power) / loudest).log10() + RANGE_DB) / RANGE_DB;
            if loudest > 0.0 { (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8 } else { 0 }
        };
        let n_columns = self.mels.len() / MEL.n_mels;
        let row = |mel: usize| self.mels.iter().skip(mel).step_by(MEL.n_mels).map(|&power| level(power));
        let pixels = (0..MEL.n_mels).rev().flat_map(row).collect();
        GreyPicture::new(n_columns, MEL.n_mels, pixels)
            .ok_or_else(|| Error::new(ErrorKind::Internal, "the picture of the sound has no columns"))
    }
}
