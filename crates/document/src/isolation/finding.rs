//! Where speech is in a sound.

use super::frame_source::{FrameSource, feed};
use super::{BLOCK_FRAMES, FRAMES_PER_SEC, speech_network};
use crate::base::{Progress, Result};
use crate::document::selected_sound::SelectedSound;
use crate::document::{Signal, Snapshot};
use crate::dsp::isolation::{SpeechMeter, speech_runs};
use crate::engine::Plans;

/// From when to when there is speech in some signals together, ascending and disjoint.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for a rate that is too low,
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and the source's.
pub fn speech_secs(
    snapshot: &Snapshot,
    signals: &[Signal],
    plans: &Plans,
    progress: &Progress,
) -> Result<Vec<[f64; 2]>> {
    let sound = SelectedSound::all_of(snapshot, signals.to_vec(), 0..snapshot.n_samples(), plans, progress);
    let mut source = FrameSource::new(&sound)?;
    let n_frames = source.frame_at(snapshot.n_samples()) + 1;
    let mut meter = SpeechMeter::new(speech_network()?);
    let mut n_measured = 0;
    while !feed(&mut source, BLOCK_FRAMES, &mut meter, SpeechMeter::push, SpeechMeter::n_ready)? {
        meter.measure(BLOCK_FRAMES);
        n_measured += BLOCK_FRAMES;
        progress.step(n_measured.min(n_frames) as u64, n_frames as u64)?;
    }
    let end_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    // A frame stands for the time around its centre.
    let secs = |frame: usize| ((frame as f64 - 0.5) / FRAMES_PER_SEC as f64).clamp(0.0, end_secs);
    let runs = speech_runs(&meter.finish());
    Ok(runs.into_iter().map(|run| [secs(run.start), secs(run.end)]).filter(|[start, end]| start < end).collect())
}
