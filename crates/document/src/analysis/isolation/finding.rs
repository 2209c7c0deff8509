//! Detects speech in a sound.

use super::frame_source::{FrameSource, feed};
use super::{BLOCK_FRAMES, FRAMES_PER_SEC, speech_network};
use crate::base::{Progress, Result};
use crate::document::edits::selected_sound::SelectedSound;
use crate::document::{Signal, Snapshot};
use crate::dsp::repair::isolation::{BEGINS_DB, ENDS_DB, SpeechCells, SpeechMeter, WeightedLevel, speech_runs};
use crate::engine::Plans;

/// Minimum length of a pause.
const MIN_PAUSE_SECS: f64 = 0.2;
/// Distance of the ratio of voice to noise from the threshold of speech, in dB, at which the confidence is 1.
const FULL_CONFIDENCE_DB: f32 = 4.0;

/// Ranges and levels of speech in a sound.
#[derive(Debug, Clone)]
pub struct SpeechSurvey {
    /// Ranges of speech in seconds, ascending and disjoint.
    pub speech_secs: Vec<[f64; 2]>,
    /// A-weighted level of each frame, in dB relative to an arbitrary reference.
    levels_db: Vec<f32>,
    /// The ratio of voice to noise of each frame in dB.
    snr_db: Vec<f32>,
    end_secs: f64,
}

impl SpeechSurvey {
    /// The ranges before, between and after speech that last at least 0.2 s, in seconds.
    pub fn pauses(&self) -> Vec<[f64; 2]> {
        let speech = &self.speech_secs;
        let starts = std::iter::once(0.0).chain(speech.iter().map(|run| run[1]));
        let ends = speech.iter().map(|run| run[0]).chain(std::iter::once(self.end_secs));
        let pauses = starts.zip(ends).map(|(start, end)| [start, end]);
        pauses.filter(|[start, end]| end - start >= MIN_PAUSE_SECS).collect()
    }

    /// The A-weighted levels, in dB, of the frames centred in a range of time.
    pub fn levels_db(&self, secs: [f64; 2]) -> &[f32] {
        within(&self.levels_db, secs)
    }

    /// Confidence of the decision whether a range of time is speech, 0 to 1.
    pub fn margin(&self, secs: [f64; 2]) -> f64 {
        let snr_db = within(&self.snr_db, secs);
        let mean_db = snr_db.iter().sum::<f32>() / snr_db.len().max(1) as f32;
        f64::from((mean_db - (BEGINS_DB + ENDS_DB) / 2.0).abs() / FULL_CONFIDENCE_DB).min(1.0)
    }

    /// Length of the sound, in seconds.
    pub fn end_secs(&self) -> f64 {
        self.end_secs
    }
}

/// The values of the frames centred in a range of time.
fn within(frames: &[f32], secs: [f64; 2]) -> &[f32] {
    let [first, last] = secs.map(|secs| (secs * FRAMES_PER_SEC as f64).ceil().max(0.0) as usize);
    let last = last.min(frames.len());
    &frames[first.min(last)..last]
}

/// Measures the speech and the level of consecutive frames.
struct Listening {
    meter: SpeechMeter<'static>,
    level: WeightedLevel,
    levels_db: Vec<f32>,
}

impl Listening {
    fn push(&mut self, channels: Vec<SpeechCells>) {
        self.levels_db.push(self.level.db(&channels));
        self.meter.push(channels);
    }
}

/// Detects speech in some signals together.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for a sample rate that is too low,
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn survey_speech(
    snapshot: &Snapshot,
    signals: &[Signal],
    plans: &Plans,
    progress: &Progress,
) -> Result<SpeechSurvey> {
    let sound = SelectedSound::all_of(snapshot, signals.to_vec(), 0..snapshot.n_samples(), plans, progress);
    let mut source = FrameSource::new(&sound)?;
    let n_frames = source.frame_at(snapshot.n_samples()) + 1;
    let meter = SpeechMeter::new(speech_network()?);
    let mut listening = Listening { meter, level: WeightedLevel::default(), levels_db: Vec::new() };
    let n_ready = |listening: &Listening| listening.meter.n_ready();
    let mut n_measured = 0;
    while !feed(&mut source, BLOCK_FRAMES, &mut listening, Listening::push, n_ready)? {
        listening.meter.measure(BLOCK_FRAMES);
        n_measured += BLOCK_FRAMES;
        progress.step(n_measured.min(n_frames) as u64, n_frames as u64)?;
    }
    let end_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    // A frame covers the time from half a hop before its centre to half a hop after it.
    let secs = |frame: usize| ((frame as f64 - 0.5) / FRAMES_PER_SEC as f64).clamp(0.0, end_secs);
    let snr_db = listening.meter.finish();
    let runs = speech_runs(&snr_db).into_iter().map(|run| [secs(run.start), secs(run.end)]);
    let speech_secs = runs.filter(|[start, end]| start < end).collect();
    Ok(SpeechSurvey { speech_secs, levels_db: listening.levels_db, snr_db, end_secs })
}
