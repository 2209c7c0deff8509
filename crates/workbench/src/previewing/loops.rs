//! What a preview plays.

use super::preview::EditPreview;
use crate::dsp::Selection;

/// How much is heard before and after what is selected.
const AROUND_SECS: f64 = 0.5;

/// The range of time that a preview plays again and again: what its edit reaches and a little around it, within a sound
/// of this length; none where it reaches all of the sound.
pub fn loop_secs(preview: &EditPreview, duration_secs: f64) -> Option<[f64; 2]> {
    let [start, end] = preview.edit().select.as_ref().map(Selection::extent)?[0]?;
    Some([(start - AROUND_SECS).max(0.0), (end + AROUND_SECS).min(duration_secs)])
}
