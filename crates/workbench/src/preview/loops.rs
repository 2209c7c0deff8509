//! The range that a preview loops.

use super::edit_preview::EditPreview;
use crate::dsp::Selection;

/// Seconds played before and after the edited range.
const CONTEXT_SECS: f64 = 0.5;

/// Start and end of a preview's loop in seconds: the edited range with a margin, limited to the sound's duration.
/// `None` if the edit is not limited in time.
pub fn loop_secs(preview: &EditPreview, duration_secs: f64) -> Option<[f64; 2]> {
    let [start, end] = preview.edit().select.as_ref().map(Selection::extent)?[0]?;
    Some([(start - CONTEXT_SECS).max(0.0), (end + CONTEXT_SECS).min(duration_secs)])
}
