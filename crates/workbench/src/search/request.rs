//! Requests for selections that depend on the sound.

use crate::bench::limits::{HARMONIC_HZ, HARMONICS, TOLERANCE_DB, are_finite, held};
use crate::dsp::Combine;
use crate::view::Limits;

/// A request for a selection that depends on the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectRequest {
    /// How to combine the result with the current selection; `None` replaces the selection.
    pub combine: Option<Combine>,
    /// The shape to find.
    pub what: ShapeSearch,
}

/// A shape to find in the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeSearch {
    /// Connected cells of similar level.
    Wand {
        /// Clicked position, in seconds and hertz.
        at: [f64; 2],
        /// Level tolerance.
        tolerance_db: f64,
    },
    /// A tone and its harmonics.
    Harmonics {
        /// Clicked position, in seconds and hertz.
        at: [f64; 2],
        /// Range in which to search for the tone, low and high.
        near_hz: [f64; 2],
        /// Start and end in seconds; `None` selects the whole duration of the tone.
        secs: Option<[f64; 2]>,
        /// Number of harmonics.
        count: usize,
        /// Width of the band around each harmonic.
        width_hz: f64,
    },
}

impl SelectRequest {
    /// The request with positions clamped to the sound, and other numbers to the ranges of the option bar. `None` if a
    /// position is not finite or a range is descending.
    pub(crate) fn within_limits(self, limits: &Limits) -> Option<SelectRequest> {
        let in_time = |secs: f64| secs.clamp(0.0, limits.duration_secs);
        let in_band = |hz: f64| hz.clamp(0.0, limits.nyquist_hz);
        let place = |[secs, hz]: [f64; 2]| [in_time(secs), in_band(hz)];
        let what = match self.what {
            ShapeSearch::Wand { at, tolerance_db } => {
                let is_place = are_finite(&at) && tolerance_db.is_finite();
                let tolerance_db = held(tolerance_db, TOLERANCE_DB, tolerance_db);
                is_place.then(|| ShapeSearch::Wand { at: place(at), tolerance_db })
            }
            ShapeSearch::Harmonics { at, near_hz, secs, count, width_hz } => {
                let is_range = secs.is_none_or(|secs| are_finite(&secs) && secs[0] <= secs[1]);
                let is_place = are_finite(&at) && are_finite(&near_hz) && near_hz[0] <= near_hz[1];
                let count = count.clamp(HARMONICS[0], HARMONICS[1]);
                let width_hz = held(width_hz, HARMONIC_HZ, HARMONIC_HZ[0]);
                (is_range && is_place).then(|| {
                    let (near_hz, secs) = (near_hz.map(in_band), secs.map(|secs| secs.map(in_time)));
                    ShapeSearch::Harmonics { at: place(at), near_hz, secs, count, width_hz }
                })
            }
        };
        Some(SelectRequest { what: what?, ..self })
    }
}
