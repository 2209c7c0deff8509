//! The sound that the clone brush paints with where it is not this document's own.

use crate::dsp::brush::Paste;
use crate::dsp::{Axis, Clip};

/// A stretch of another sound, fitted to a place of this one.
#[derive(Debug, Clone, PartialEq)]
pub struct Donor {
    /// What the other sound is called.
    pub name: String,
    /// The stretch, where it fits and as loud as what surrounds it.
    pub clip: Clip,
}

impl Donor {
    /// The brush that paints with it.
    pub fn brush(&self) -> Paste {
        Paste { clip: self.clip.clone(), offset: [0.0; 2], axis: Axis::Linear, replaces: true, stretch: None }
    }
}
