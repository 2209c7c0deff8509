//! A passage of another sound that the clone brush paints with.

use crate::dsp::strokes::brush::Paste;
use crate::dsp::{Axis, Clip};

/// A passage of another sound, fitted into this one.
#[derive(Debug, Clone, PartialEq)]
pub struct Donor {
    /// Name of the other sound.
    pub name: String,
    /// The passage, moved to the time of the hole and matched in level to its surroundings.
    pub clip: Clip,
}

impl Donor {
    /// The brush that paints with it.
    pub fn brush(&self) -> Paste {
        Paste { clip: self.clip.clone(), offset: [0.0; 2], axis: Axis::Linear, replaces: true, stretch: None }
    }
}
