//! What a selection can be made of, as data.

use crate::dsp::Combine;

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
