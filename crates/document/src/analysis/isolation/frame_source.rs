//! The frames of a sound at the sample rate of the network.

use super::{FRAMES_PER_SEC, MIN_RATE_HZ};
use crate::base::{Error, ErrorKind, Result};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::isolation::{FRAME_SAMPLES, IsolationFrames, RATE_HZ, STEP_SAMPLES, SpeechCells};
use crate::media::Resampled;

/// Duration of the sound before a range that the network processes first, to estimate the noise.
const LEAD_SECS: f64 = 10.0;
/// Number of hops of [`STEP_SAMPLES`] read at a time: 1 s.
const READ_STEPS: usize = FRAMES_PER_SEC;

/// Produces the frames of all signals, from the whole second [`LEAD_SECS`] before the range to the end of the sound.
pub struct FrameSource<'a> {
    sound: &'a SelectedSound<'a>,
    frames: IsolationFrames,
    first_sec: u64,
    /// The next sample to read.
    next_sample: i64,
    /// `None` if the sound already has the sample rate of the network.
    resampled: Option<Resampled>,
    /// The samples of each signal, beginning at the start of the next frame.
    ready: Vec<Vec<f32>>,
    n_given: usize,
}

impl<'a> FrameSource<'a> {
    /// A source positioned at its first frame.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a sample rate that is too low.
    pub fn new(sound: &'a SelectedSound<'a>) -> Result<FrameSource<'a>> {
        let rate_hz = sound.sample_rate_hz();
        if rate_hz < MIN_RATE_HZ {
            return Err(Error::new(ErrorKind::Script, "speech isolation needs at least 8,000 samples a second"));
        }
        let first_sec = (sound.range().start as f64 / rate_hz - LEAD_SECS).floor().max(0.0);
        let resampled = match rate_hz == RATE_HZ {
            true => None,
            false => Some(Resampled::sharp(rate_hz, RATE_HZ, sound.n_signals())?),
        };
        Ok(FrameSource {
            sound,
            frames: IsolationFrames::new(sound.plans.ffts()),
            first_sec: first_sec as u64,
            next_sample: (first_sec * rate_hz).round() as i64,
            resampled,
            // The first half of the first frame is silence.
            ready: vec![vec![0.0; STEP_SAMPLES]; sound.n_signals()],
            n_given: 0,
        })
    }

    /// The transform between frames and their spectra.
    pub fn layout(&self) -> &IsolationFrames {
        &self.frames
    }

    /// Index of the first sample read.
    pub fn first_sample(&self) -> u64 {
        (self.first_sec as f64 * self.sound.sample_rate_hz()).round() as u64
    }

    /// Index of the first frame, counted from the start of the sound.
    pub fn first_frame(&self) -> usize {
        self.first_sec as usize * FRAMES_PER_SEC
    }

    /// Index of the first frame centred at or after a sample, counted from the first frame of the source.
    pub fn frame_at(&self, sample: u64) -> usize {
        let secs = sample.saturating_sub(self.first_sample()) as f64 / self.sound.sample_rate_hz();
        (secs * FRAMES_PER_SEC as f64).ceil() as usize
    }

    /// The next frame: the cells of each signal. `None` after the last frame of the sound.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](ErrorKind::Cancelled).
    pub fn next(&mut self) -> Result<Option<Vec<SpeechCells>>> {
        if self.n_given > self.frame_at(self.sound.n_samples()) {
            return Ok(None);
        }
        if self.ready.first().is_some_and(|ready| ready.len() < FRAME_SAMPLES) {
            self.sound.check()?;
            self.read_on()?;
        }
        self.n_given += 1;
        let cells = self.ready.iter_mut().map(|ready| {
            let cells = self.frames.spectrum(&ready[..FRAME_SAMPLES]);
            ready.drain(..STEP_SAMPLES);
            cells
        });
        Ok(Some(cells.collect()))
    }

    /// Reads the next samples, and resamples them if necessary.
    fn read_on(&mut self) -> Result<()> {
        let (sound, next_sample) = (self.sound, &mut self.next_sample);
        let mut read = |n: usize| {
            let first = *next_sample;
            *next_sample += n as i64;
            (0..sound.n_signals()).map(|signal| sound.read_from(signal, first, n)).collect::<Result<Vec<_>>>()
        };
        let n = READ_STEPS * STEP_SAMPLES;
        let channels = match &mut self.resampled {
            Some(resampled) => resampled.next(n, &mut read)?,
            None => read(n)?,
        };
        self.ready.iter_mut().zip(channels).for_each(|(ready, samples)| ready.extend(samples));
        Ok(())
    }
}

/// Feeds frames until `n_wanted` results are ready or the last frame has been fed; returns true in the latter case.
///
/// # Errors
/// Read errors of the source, and [`Cancelled`](ErrorKind::Cancelled).
pub fn feed<T>(
    source: &mut FrameSource<'_>,
    n_wanted: usize,
    taker: &mut T,
    push: impl Fn(&mut T, Vec<SpeechCells>),
    n_ready: impl Fn(&T) -> usize,
) -> Result<bool> {
    while n_ready(taker) < n_wanted {
        match source.next()? {
            Some(frame) => push(taker, frame),
            None => return Ok(true),
        }
    }
    Ok(false)
}
