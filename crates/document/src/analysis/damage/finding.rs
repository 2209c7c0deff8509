//! Searches for all kinds of damage in order.

use super::examined::Examined;
use super::found::Damage;
use super::samples::{clicks, clipping, dropouts, held_runs, hum, offset};
use super::voice::{noise, reverberation, sibilants, speech_of};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::document::analysis::declip::find_clipping;

/// Detects damage of a kind.
type Detector = fn(&Examined<'_>, &Progress) -> Result<Vec<Damage>>;

/// Detectors in the order of reporting, which is also the best order of repair: once hum or an offset is removed,
/// clipped samples are no longer at one level.
const DETECTORS: [Detector; 6] = [clipping, clicks, hum, offset, dropouts, noise];
/// Detectors that run only if the others found nothing: any other damage changes the decay of words, and the level of
/// sibilants relative to them.
const UNDAMAGED_DETECTORS: [Detector; 2] = [reverberation, sibilants];
/// Steps of the progress for preliminary results: clipping, held samples, and speech, which takes longest.
const CLIPPING: [u64; 2] = [0, 1];
const HELD: [u64; 2] = [1, 2];
const SPEECH: [u64; 2] = [2, 6];

/// All damage in a sound, in the best order of repair.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn find_damage(snapshot: &Snapshot, progress: &Progress) -> Result<Vec<Damage>> {
    let n_parts = SPEECH[1] + (DETECTORS.len() + UNDAMAGED_DETECTORS.len()) as u64;
    let part = |ends: [u64; 2]| progress.within(ends.map(|at| at as f64 / n_parts as f64));
    let clippings = find_clipping(snapshot, &part(CLIPPING))?;
    let mut examined = Examined { snapshot, clippings, dropouts: Vec::new(), speech: None };
    examined.dropouts = held_runs(&examined, &part(HELD))?;
    examined.speech = speech_of(&examined, &part(SPEECH))?;
    let detect = |at: u64, detectors: &[Detector]| -> Result<Vec<Damage>> {
        let mut found = Vec::new();
        for (at, detector) in (at..).zip(detectors) {
            progress.step(at, n_parts)?;
            found.extend(detector(&examined, &part([at, at + 1]))?);
        }
        Ok(found)
    };
    let found = detect(SPEECH[1], &DETECTORS)?;
    if found.is_empty() { detect(SPEECH[1] + DETECTORS.len() as u64, &UNDAMAGED_DETECTORS) } else { Ok(found) }
}
