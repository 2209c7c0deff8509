//! An edit: one change to sound, as data.

use crate::document::brushes::Brush;
use crate::document::edits::placing::EditPlacing;
use crate::dsp::{Selection, Stroke, Transform};
use crate::{Channels, Snapshot};

impl Edit {
    /// Maximum number of consistency steps.
    pub const MAX_STEPS: u32 = 16;
    /// Consistency steps for small holes.
    pub const DEFAULT_STEPS: u32 = 8;

    /// The brush applied to the whole file: all channels, full strength.
    pub fn of(brush: impl Into<Brush>, transform: impl Into<Transform>) -> Edit {
        Edit {
            brush: brush.into(),
            stroke: None,
            select: None,
            channels: Channels::All,
            transform: transform.into(),
            strength: 1.0,
            consistency_steps: None,
        }
    }

    /// The edit mapped to a place in a sound.
    #[must_use]
    pub fn placed(&self, placing: &EditPlacing) -> Edit {
        let mut placed = self.clone();
        placed.brush.place(placing);
        if let Some(stroke) = &mut placed.stroke {
            placing.stroke(stroke);
        }
        placed.select = self.select.as_ref().map(|select| placing.selection(select));
        placed
    }
}

/// A brush with its place and transform, as data that is stored, replayed and applied in batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The brush.
    pub brush: Brush,
    /// The stroke; with a selection the two masks are multiplied.
    pub stroke: Option<Stroke>,
    /// The selection. Without stroke and selection the edit covers the whole file.
    pub select: Option<Selection>,
    /// The affected channels.
    pub channels: Channels,
    /// The transform of its grid; brushes that move sound through time use the [finer one](Transform::for_moves).
    pub transform: Transform,
    /// Strength without a stroke, 0 to 1.
    pub strength: f64,
    /// Consistency steps at commit, 0 to 16; `None` chooses automatically: [`DEFAULT_STEPS`](Edit::DEFAULT_STEPS) for
    /// erase and negative gain in holes smaller than `n_fft` samples or 4 bins, which their surroundings would refill,
    /// else 0.
    pub consistency_steps: Option<u32>,
}

/// How far past the end of the sound an edit extends, in seconds; `None` if it does not.
pub fn secs_past_end(snapshot: &Snapshot, edit: &Edit) -> Option<f64> {
    let brush = edit.brush.operation().cells().filter(|brush| brush.makes_sound())?;
    let duration_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let (end_secs, min_secs) = match (brush.end_secs(edit.stroke.as_ref()), &edit.stroke) {
        // Do not lengthen the file for less than a window.
        (Some(end_secs), _) => (end_secs, edit.transform.window_secs(snapshot.sample_rate_hz())),
        // Counts only the brush's centre: a soft edge past the end does not lengthen the file.
        (None, Some(stroke)) => (stroke.points.iter().map(|point| point.secs).fold(0.0, f64::max), 0.0),
        (None, None) => return None,
    };
    let limit = edit.select.as_ref().and_then(|select| select.extent()[0]).map_or(f64::INFINITY, |[_, end]| end);
    let past_secs = end_secs.min(limit) - duration_secs;
    (past_secs > min_secs).then_some(past_secs)
}
