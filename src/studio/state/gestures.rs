//! What the canvas reports of a frame.

use crate::document::Edit;
use crate::dsp::{Combine, Selection};

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
    /// What is under the pointer.
    pub readout: Option<Readout>,
    /// What the user should be told.
    pub notice: Option<crate::base::Error>,
}

/// A shape that only the sound can tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectWish {
    /// How it joins the selection there is; none replaces it.
    pub combine: Option<Combine>,
    /// Which shape.
    pub what: Wanted,
}

/// What is to be found in the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// Cells that hang together and are about as loud.
    Wand {
        /// Seconds and hertz.
        at: [f64; 2],
        /// How far levels may differ.
        tolerance_db: f64,
    },
    /// A tone and its harmonics.
    Harmonics {
        /// Seconds and hertz.
        at: [f64; 2],
        /// How far around the place the tone may be, low and high.
        near_hz: [f64; 2],
        /// From when to when; none is as long as the tone lasts.
        secs: Option<[f64; 2]>,
        /// How many.
        count: usize,
        /// Of each.
        width_hz: f64,
    },
}

/// What is under the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readout {
    /// Time at the pointer.
    pub secs: f64,
    /// Frequency at the pointer.
    pub hz: f64,
    /// Frequency of the peak whose main lobe the pointer is in, interpolated to 0.1 bin; none elsewhere.
    pub peak_hz: Option<f64>,
    /// Level of that peak, to 0.1 dB, or else of the cell under the pointer; 0 dB is a full-scale sine. None in silence.
    pub level_db: Option<f32>,
    /// Phase of the cell under the pointer as it is drawn, in turns.
    pub phase_turns: Option<f32>,
}
