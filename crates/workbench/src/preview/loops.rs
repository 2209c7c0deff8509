//! The range that a preview plays.

use super::edit_preview::EditPreview;
use crate::dsp::Selection;

/// Seconds played before and after the affected range.
const CONTEXT_SECS: f64 = 0.5;

/// The range of time that a preview loops: what its edit affects with a margin, within a sound of this length; `None`
/// if it affects the whole sound.
pub fn loop_secs(preview: &EditPreview, duration_secs: f64) -> Option<[f64; 2]> {
    let [start, end] = preview.edit().select.as_ref().map(Selection::extent)?[0]?;
    Some([(start - CONTEXT_SECS).max(0.0), (end + CONTEXT_SECS).min(duration_secs)])
}
