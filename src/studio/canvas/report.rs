//! What the canvas reports of a frame.

use crate::document::Edit;
use crate::dsp::Selection;
use crate::workbench::{Readout, SelectWish};

/// What the canvas reports of one frame; the studio acts on it.
#[derive(Debug, Default)]
pub struct Gestures {
    /// A stroke was released: apply it.
    pub finished: Option<Edit>,
    /// A stroke is being drawn.
    pub painting: bool,
    /// The user clicked a place in time (with a selection tool, or on the time ruler): the cursor goes there.
    pub cursor_secs: Option<f64>,
    /// A hand is dragging on the time ruler, and is there now.
    pub scrub_secs: Option<f64>,
    /// A new selection, or with `Some(None)` none any more.
    pub selection: Option<Option<Selection>>,
    /// A selection that depends on the sound: find it.
    pub wish: Option<SelectWish>,
    /// What floats is put down.
    pub lands: bool,
    /// What is under the pointer.
    pub readout: Option<Readout>,
    /// What the user should be told.
    pub notice: Option<crate::base::Error>,
}
