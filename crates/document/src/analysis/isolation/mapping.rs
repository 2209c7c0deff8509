//! Maps the fraction of speech in each cell of a sound.

use super::frame_source::{FrameSource, feed};
use super::{BLOCK_FRAMES, speech_network};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::edits::selected_sound::SelectedSound;
use crate::document::{Signal, Snapshot};
use crate::dsp::Shape;
use crate::dsp::repair::isolation::{IsolatedSide, IsolationSettings, SpeechIsolator, SpeechMap};
use crate::engine::Plans;

/// The fraction of speech in each cell of some signals together, 0 to 1; `None` if there is no speech.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a sample rate that is too low or a sound that is too long,
/// [`Cancelled`](ErrorKind::Cancelled), and read errors of the source.
pub fn speech_cells(
    snapshot: &Snapshot,
    signals: &[Signal],
    plans: &Plans,
    progress: &Progress,
) -> Result<Option<Shape>> {
    let sound = SelectedSound::all_of(snapshot, signals.to_vec(), 0..snapshot.n_samples(), plans, progress);
    let mut source = FrameSource::new(&sound)?;
    let n_frames = source.frame_at(snapshot.n_samples()) + 1;
    if n_frames > SpeechMap::MAX_FRAMES {
        let what = "speech is selected in sounds of up to 28 minutes; split this one first";
        return Err(Error::new(ErrorKind::Script, what));
    }
    let settings = IsolationSettings { limit_db: 100.0, side: IsolatedSide::Speech, noise: None };
    let mut isolator = SpeechIsolator::new(speech_network()?, settings);
    let mut map = SpeechMap::new(0);
    let (mut n_mapped, mut is_done) = (0, false);
    while !is_done {
        is_done = feed(&mut source, BLOCK_FRAMES, &mut isolator, SpeechIsolator::push, SpeechIsolator::n_ready)?;
        if is_done {
            isolator.end();
        }
        let n_most = if is_done { usize::MAX } else { BLOCK_FRAMES };
        for frame in isolator.next_frames(n_most) {
            map.push(&frame.shares);
            n_mapped += 1;
        }
        progress.step(n_mapped.min(n_frames) as u64, n_frames as u64)?;
    }
    Ok(map.shape(snapshot.sample_rate_hz() / 2.0))
}
