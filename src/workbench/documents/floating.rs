//! What was pasted and is still being moved: in no history until it is put down.

use super::view::View;
use crate::document::Edit;
use crate::document::brushes::Brush;
use crate::dsp::brush::Paste;
use crate::dsp::{Axis, Clip, Selection};

/// A clip over the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Floating {
    /// Its sound.
    pub clip: Clip,
    /// What it was taken from.
    pub from: Selection,
    /// From there to where it is now: seconds, in whole samples, and units of `axis`.
    pub offset: [f64; 2],
    /// Linear where the picture is linear: all of it moves by the same hertz; else log, by the same interval.
    pub axis: Axis,
    /// Another for each place.
    pub version: u64,
}

impl Floating {
    /// What will be selected once it is put down.
    pub fn selection(&self) -> Selection {
        self.from.moved(self.offset[0], self.axis, self.offset[1])
    }

    /// Moves it to another offset, rounded to whole samples and, on a linear axis, to whole bins: those are exact.
    pub fn move_to(&mut self, offset: [f64; 2], bin_hz: f64) {
        let rate_hz = self.clip.sample_rate_hz;
        let secs = (offset[0] * rate_hz).round() / rate_hz;
        let units = match self.axis {
            Axis::Linear => (offset[1] / bin_hz).round() * bin_hz,
            _ => offset[1],
        };
        if self.offset != [secs, units] {
            self.offset = [secs, units];
            self.version += 1;
        }
    }

    /// How far it was moved, for people: `0.250 s later, 12.00 semitones up`.
    pub fn words(&self) -> String {
        let [secs, units] = self.offset;
        let time = match secs {
            0.0 => "same time".into(),
            _ => format!("{:.3} s {}", secs.abs(), if secs > 0.0 { "later" } else { "earlier" }),
        };
        let way = if units > 0.0 { "up" } else { "down" };
        let pitch = match self.axis {
            _ if units == 0.0 => "same pitch".into(),
            Axis::Log => format!("{:.2} semitones {way}", 12.0 * units.abs()),
            Axis::Linear => format!("{:.1} Hz {way}", units.abs()),
            axis => format!("{:.2} {} {way}", units.abs(), axis.name()),
        };
        format!("{time}, {pitch}")
    }

    /// The edit that puts it down.
    pub fn edit(&self, view: &View) -> Edit {
        let paste = Paste { clip: self.clip.clone(), offset: self.offset, axis: self.axis };
        Edit {
            brush: Brush::Paste(paste),
            stroke: None,
            select: None,
            channels: view.channels.edited(),
            transform: view.transform.clone(),
            strength: 1.0,
            consistency_steps: None,
        }
    }
}
