//! What a selection can be made of, as data.

use crate::dsp::Combine;
use crate::limits::{HARMONIC_HZ, HARMONICS, TOLERANCE_DB, are_finite, held};
use crate::view::Limits;

/// A request for a selection that depends on the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectWish {
    /// How it combines with the current selection; `None` replaces that.
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
        /// Start and end; `None` is as long as the tone lasts.
        secs: Option<[f64; 2]>,
        /// How many.
        count: usize,
        /// Width of each band.
        width_hz: f64,
    },
}

impl SelectWish {
    /// The same, with each place within the sound and each number within what the option bar takes; none if a place is
    /// no number, or a range no range.
    pub(crate) fn within_limits(self, limits: &Limits) -> Option<SelectWish> {
        let in_time = |secs: f64| secs.clamp(0.0, limits.duration_secs);
        let in_band = |hz: f64| hz.clamp(0.0, limits.nyquist_hz);
        let place = |[secs, hz]: [f64; 2]| [in_time(secs), in_band(hz)];
        let what = match self.what {
            Wanted::Wand { at, tolerance_db } => {
                let is_place = are_finite(&at) && tolerance_db.is_finite();
                let tolerance_db = held(tolerance_db, TOLERANCE_DB, tolerance_db);
                is_place.then(|| Wanted::Wand { at: place(at), tolerance_db })
            }
            Wanted::Harmonics { at, near_hz, secs, count, width_hz } => {
                let is_range = secs.is_none_or(|secs| are_finite(&secs) && secs[0] <= secs[1]);
                let is_place = are_finite(&at) && are_finite(&near_hz) && near_hz[0] <= near_hz[1];
                let count = count.clamp(HARMONICS[0], HARMONICS[1]);
                let width_hz = held(width_hz, HARMONIC_HZ, HARMONIC_HZ[0]);
                (is_range && is_place).then(|| {
                    let (near_hz, secs) = (near_hz.map(in_band), secs.map(|secs| secs.map(in_time)));
                    Wanted::Harmonics { at: place(at), near_hz, secs, count, width_hz }
                })
            }
        };
        Some(SelectWish { what: what?, ..self })
    }
}
