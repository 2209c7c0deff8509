//! Floating pastes: sounds over the document that can be moved, and enter the history only when placed.

use super::donor::Donor;
use super::view::View;
use crate::base::length_from_secs;
use crate::document::brushes::{Brush, Phrase, PictureBrush, VoicesBrush};
use crate::document::{Applied, Edit, Snapshot};
use crate::dsp::strokes::brush::{Paste, StretchedFrom};
use crate::dsp::strokes::picture::{Bitmap, PictureArea};
use crate::dsp::{Axis, Clip, Selection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// State of pasting and cloning that is not in the history: the floating paste, the document's sound mixed with it
/// (`None` until computed), and the clone brush's source.
#[derive(Debug, Default)]
pub struct FloatingPaste {
    pub floating: Option<Floating>,
    pub sound: Option<Snapshot>,
    pub donor: Option<Donor>,
}

/// A floating sound over the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Floating {
    /// The floating sound.
    pub sound: FloatingSound,
    /// Its original area; for a clip, the area that it was copied from.
    pub from: Selection,
    /// Offset from the original area: seconds, in whole samples, and units of `axis`.
    pub offset: [f64; 2],
    /// Axis of the vertical offset. For clips, linear in a linear view: all frequencies move by the same hertz; else
    /// log: by the same interval. Log for notes; for pictures, the axis of their area.
    pub axis: Axis,
    /// Changes with each move and each change of a picture.
    pub version: u64,
    /// The edit that clears its original; `None` if the original stays.
    pub clearing: Option<PendingClearing>,
    /// For stretched sound: its length in percent of the original, and the original range in seconds.
    pub stretch: Option<(f64, [f64; 2])>,
    rate_hz: f64,
}

/// Clears the original of a floating paste: displayed and played at once, but in the history only once the paste is
/// placed.
#[derive(Debug, Clone)]
pub struct PendingClearing {
    /// The clearing edit.
    pub edit: Edit,
    /// The sound it applies to.
    pub base: Snapshot,
    /// The result.
    pub applied: Applied,
}

impl PartialEq for PendingClearing {
    fn eq(&self, other: &PendingClearing) -> bool {
        self.edit == other.edit && self.base.is_same(&other.base)
    }
}

/// The selection before and after a step of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionStep {
    /// Selection before the step.
    pub before: Option<Selection>,
    /// Selection after the step.
    pub after: Option<Selection>,
}

/// The sound of a floating paste.
#[derive(Debug, Clone, PartialEq)]
pub enum FloatingSound {
    /// A pasted clip.
    Clip(Clip),
    /// The notes of a file.
    Notes {
        /// The notes as read, starting at 0 s.
        read: Phrase,
        /// The notes at their current time and pitch.
        placed: Phrase,
    },
    /// A picture that becomes sound.
    Picture {
        /// The brush, with the picture's current area.
        brush: Box<PictureBrush>,
        /// Its pixels, kept to avoid decoding them again.
        bitmap: Arc<Bitmap>,
    },
}

impl Floating {
    /// A sound in its original area `from`, over a document with sample rate `rate_hz`.
    pub fn new(sound: FloatingSound, from: Selection, axis: Axis, rate_hz: f64) -> Floating {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // The lower 32 bits count changes.
        let version = NEXT.fetch_add(1, Relaxed) << 32;
        Floating { sound, from, offset: [0.0; 2], axis, version, clearing: None, stretch: None, rate_hz }
    }

    /// The notes of a score that begins at 0 s.
    pub fn of_notes(phrase: Phrase, rate_hz: f64) -> Floating {
        let (tuning_hz, [low, high]) = (phrase.score().tuning_hz, phrase.pitches());
        // A semitone above and below, so that the outline of a single note is visible.
        let hz = [low - 1.0, high + 1.0].map(|pitch| tuning_hz * ((pitch - 69.0) / 12.0).exp2());
        let from = Selection::rectangle(Some([0.0, phrase.length_secs()]), Some(hz), [0.0; 2], Axis::Linear);
        let sound = FloatingSound::Notes { read: phrase.clone(), placed: phrase };
        Floating::new(sound, from, Axis::Log, rate_hz)
    }

    /// A picture over an area.
    pub fn of_picture(brush: PictureBrush, bitmap: Arc<Bitmap>, rate_hz: f64) -> Floating {
        let (from, axis) = (outline_of(&brush.area), brush.area.axis);
        Floating::new(FloatingSound::Picture { brush: Box::new(brush), bitmap }, from, axis, rate_hz)
    }

    /// The selection after placing it.
    pub fn selection(&self) -> Selection {
        self.from.moved(self.offset[0], self.axis, self.offset[1])
    }

    /// The range of its sound before the offset, in seconds.
    pub fn secs(&self) -> [f64; 2] {
        match &self.sound {
            FloatingSound::Clip(clip) => clip.secs(),
            FloatingSound::Notes { read, .. } => [0.0, read.length_secs()],
            FloatingSound::Picture { .. } => self.from.extent()[0].unwrap_or([0.0; 2]),
        }
    }

    /// The pasted clip; `None` for notes and pictures.
    pub fn clip(&self) -> Option<&Clip> {
        match &self.sound {
            FloatingSound::Clip(clip) => Some(clip),
            FloatingSound::Notes { .. } | FloatingSound::Picture { .. } => None,
        }
    }

    /// The brush of the picture in its current area; `None` for clips and notes.
    pub fn picture(&self) -> Option<&PictureBrush> {
        match &self.sound {
            FloatingSound::Picture { brush, .. } => Some(brush),
            FloatingSound::Clip(_) | FloatingSound::Notes { .. } => None,
        }
    }

    /// Changes settings and area of the floating picture, keeping its pixels. Ignored unless a picture floats.
    pub fn set_picture(&mut self, changed: PictureBrush) {
        let FloatingSound::Picture { brush, .. } = &mut self.sound else { return };
        let changed = PictureBrush { image: brush.image.clone(), ..changed };
        if **brush == changed {
            return;
        }
        (self.from, self.axis, self.offset) = (outline_of(&changed.area), changed.area.axis, [0.0; 2]);
        **brush = changed;
        self.version += 1;
    }

    /// The notes at their current time and pitch; `None` for clips and pictures.
    pub fn notes(&self) -> Option<&Phrase> {
        match &self.sound {
            FloatingSound::Notes { placed, .. } => Some(placed),
            FloatingSound::Clip(_) | FloatingSound::Picture { .. } => None,
        }
    }

    /// Moves it to another offset, rounded to whole samples and, on a linear axis, to whole bins: such moves are exact.
    pub fn move_to(&mut self, offset: [f64; 2], bin_hz: f64) {
        let secs = (offset[0] * self.rate_hz).round() / self.rate_hz;
        let units = match self.axis {
            Axis::Linear => (offset[1] / bin_hz).round() * bin_hz,
            _ => offset[1],
        };
        if self.offset == [secs, units] {
            return;
        }
        match &mut self.sound {
            FloatingSound::Clip(_) => {}
            FloatingSound::Notes { read, placed } => {
                // Transposing recomputes all notes; a change of time only shifts the phrase.
                *placed =
                    if units == self.offset[1] { placed.at(secs) } else { read.transposed(12.0 * units).at(secs) };
            }
            FloatingSound::Picture { brush, .. } => {
                let Some(area) = moved_area(&self.from, [secs, units], self.axis) else { return };
                brush.area = area;
            }
        }
        self.offset = [secs, units];
        self.version += 1;
    }

    /// The offset in words: `0.250 s later, 12.00 semitones up`.
    pub fn words(&self) -> String {
        let [secs, units] = self.offset;
        let time = match secs {
            0.0 => "same time".into(),
            _ => format!("{} {}", length_from_secs(secs.abs(), 3), if secs > 0.0 { "later" } else { "earlier" }),
        };
        let way = if units > 0.0 { "up" } else { "down" };
        let pitch = match self.axis {
            _ if units == 0.0 => "same pitch".into(),
            Axis::Log => format!("{:.2} semitones {way}", 12.0 * units.abs()),
            Axis::Linear => format!("{:.1} Hz {way}", units.abs()),
            axis => format!("{:.2} {} {way}", units.abs(), axis.name()),
        };
        match self.overlap_secs() {
            Some(secs) => format!("{time}, {pitch}. Overlaps the next {}", length_from_secs(secs, 2)),
            None => format!("{time}, {pitch}"),
        }
    }

    /// Seconds by which stretched sound overlaps the sound after its original; `None` without overlap.
    pub fn overlap_secs(&self) -> Option<f64> {
        let (_, [start, end]) = self.stretch?;
        let [from, to] = self.selection().extent()[0]?;
        let secs = to - from.max(end);
        // A paste that ends before its original overlaps nothing after the original.
        (secs >= MIN_OVERLAP_SECS && to > start).then_some(secs)
    }

    /// The edit that places the paste and, if it has a clearing, clears the original.
    pub fn edit(&self, view: &View) -> Edit {
        let Some(PendingClearing { edit: clearing, applied, .. }) = &self.clearing else { return self.added(view) };
        let mut edit = self.added(view);
        if let Brush::Paste(Paste { stretch, .. }) = &mut edit.brush {
            // A paste that was only moved keeps its length.
            let percent = stretch.as_ref().map_or(100.0, |stretch| stretch.percent);
            let clears = applied.resolved.as_deref().unwrap_or(clearing).select.clone();
            *stretch = Some(StretchedFrom { percent, clears });
        }
        // Clears the channels and cells that were displayed as cleared.
        Edit { channels: clearing.channels.clone(), transform: clearing.transform.clone(), ..edit }
    }

    /// The edit that adds it to the sound.
    fn added(&self, view: &View) -> Edit {
        let brush: Brush = match &self.sound {
            FloatingSound::Clip(clip) => {
                let stretch = self.stretch.map(|(percent, _)| StretchedFrom { percent, clears: None });
                Paste { clip: clip.clone(), offset: self.offset, axis: self.axis, replaces: false, stretch }.into()
            }
            FloatingSound::Notes { placed, .. } => VoicesBrush::Phrase(placed.clone()).into(),
            FloatingSound::Picture { brush, .. } => (**brush).clone().into(),
        };
        edit_of(brush, view)
    }

    /// The edit that mixes the paste into the cleared sound while it floats, for playback and display. Skips the
    /// Griffin-Lim steps of a picture, since they are slow.
    pub fn heard(&self, view: &View) -> Edit {
        match &self.sound {
            FloatingSound::Picture { brush, .. } => {
                edit_of(PictureBrush { steps: 0, ..(**brush).clone() }.into(), view)
            }
            FloatingSound::Clip(_) | FloatingSound::Notes { .. } => self.added(view),
        }
    }
}

/// Minimum overlap that is reported.
const MIN_OVERLAP_SECS: f64 = 0.005;

/// The outline of a floating picture.
fn outline_of(area: &PictureArea) -> Selection {
    Selection::rectangle(Some(area.secs), Some(area.hz), [0.0; 2], Axis::Linear)
}

/// The area of an outline, moved; `None` if it would reach below 0 Hz.
fn moved_area(from: &Selection, [secs, units]: [f64; 2], axis: Axis) -> Option<PictureArea> {
    let [Some(own_secs), Some(own_hz)] = from.extent() else { return None };
    let up = |hz: f64| if units == 0.0 { hz } else { axis.hz_from_units(axis.units_from_hz(hz) + units) };
    let hz = own_hz.map(up);
    (hz[0] >= 0.0 && hz[0] < hz[1]).then_some(PictureArea { secs: own_secs.map(|at| at + secs), hz, axis })
}

fn edit_of(brush: Brush, view: &View) -> Edit {
    Edit {
        brush,
        stroke: None,
        select: None,
        channels: view.channels.edited(),
        transform: view.transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    }
}
