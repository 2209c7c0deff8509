//! Converts a stroke to notes: its curves of pitch and pressure, sampled at the edges of blocks.

use super::{BLOCK, Score, ScoreNote};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::Stroke;

/// The notes of a stroke.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnNotes {
    /// One note for each tone of the chord, starting at 0 s.
    pub notes: Vec<ScoreNote>,
    /// Start of the notes in the document.
    pub start_secs: f64,
}

impl DrawnNotes {
    /// Velocity of drawn notes; their level follows the pressure along the stroke.
    pub const VELOCITY: f64 = 0.8;

    /// The notes of a stroke: at each block edge the pitch and the pressure of the last segment passing there. The
    /// duration is that of the stroke, or `click_secs` if its first and last time are the same. `chord` is in semitones
    /// above the stroke. Radius and hardness are not used. `None` for a stroke without points.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for more than [`MAX_POINTS`](Score::MAX_POINTS).
    pub fn of(
        stroke: &Stroke,
        chord: &[f64],
        click_secs: f64,
        tuning_hz: f64,
        rate_hz: f64,
    ) -> Result<Option<DrawnNotes>> {
        let times = stroke.points.iter().map(|point| point.secs);
        let ends =
            times.fold(None, |ends: Option<[f64; 2]>, at| Some(ends.map_or([at; 2], |[a, b]| [a.min(at), b.max(at)])));
        let Some([start_secs, end_secs]) = ends else { return Ok(None) };
        let length_secs = end_secs - start_secs;
        let duration_secs = if length_secs > 0.0 { length_secs } else { click_secs };
        let course = StrokePath::of(stroke, start_secs, length_secs.min(Score::MAX_NOTE_SECS), rate_hz);
        let pitch = |units: f64| 69.0 + 12.0 * (stroke.axis.hz_from_units(units) / tuning_hz).log2();
        let pressure = course.points(|place| (place[1] * stroke.strength).clamp(0.0, 1.0));
        let note = |above: &f64| ScoreNote {
            pitch: held(pitch(course.last[0]) + above),
            start_secs: 0.0,
            duration_secs,
            velocity: DrawnNotes::VELOCITY,
            pan: 0.0,
            timbre: 0,
            glide: course.points(|place| held(pitch(place[0]) + above)),
            pressure: pressure.clone(),
            sides: Vec::new(),
        };
        let (mut notes, mut n_points) = (Vec::with_capacity(chord.len()), 0);
        for note in chord.iter().map(note) {
            n_points += note.glide.len() + note.pressure.len();
            if n_points > Score::MAX_POINTS {
                let what = "this stroke is too long for its chord; draw a shorter stroke or choose fewer tones";
                return Err(Error::new(ErrorKind::Script, what));
            }
            notes.push(note);
        }
        Ok(Some(DrawnNotes { notes, start_secs }))
    }
}

/// A pitch, limited to the range of notes.
pub(super) fn held(pitch: f64) -> f64 {
    // The pitch of a negative frequency is NaN.
    if pitch.is_nan() { 0.0 } else { pitch.clamp(0.0, Score::MAX_PITCH) }
}

/// Axis units and pressure.
type Place = [f64; 2];

/// A stroke at the edges of blocks, and at its end.
struct StrokePath {
    block_secs: f64,
    length_secs: f64,
    /// Values at each edge, from the start on.
    edges: Vec<Place>,
    /// Values at the latest time; of several points at that time, those of the one drawn last.
    last: Place,
}

impl StrokePath {
    fn of(stroke: &Stroke, start_secs: f64, length_secs: f64, rate_hz: f64) -> StrokePath {
        let block_secs = BLOCK as f64 / rate_hz;
        let n_edges = (length_secs / block_secs).floor() as usize + 1;
        let mut edges = vec![[0.0; 2]; n_edges];
        let mut before: Option<(f64, Place)> = None;
        let mut last = (f64::MIN, [0.0; 2]);
        for point in &stroke.points {
            let at = point.secs - start_secs;
            let place = [stroke.axis.units_from_hz(point.hz), point.pressure];
            if at >= last.0 {
                last = (at, place);
            }
            let (from_at, from) = before.replace((at, place)).unwrap_or((at, place));
            let (low, high) = (from_at.min(at), from_at.max(at));
            let first_edge = (low / block_secs).ceil() as usize;
            for (edge, held) in edges.iter_mut().enumerate().skip(first_edge) {
                let edge_secs = edge as f64 * block_secs;
                if edge_secs > high {
                    break;
                }
                let part = if at == from_at { 1.0 } else { (edge_secs - from_at) / (at - from_at) };
                *held = [0, 1].map(|i| from[i] + (place[i] - from[i]) * part);
            }
        }
        StrokePath { block_secs, length_secs, edges, last: last.1 }
    }

    /// `[seconds, value]` at each edge and at the end; points between others of equal value are left out.
    fn points(&self, value: impl Fn(Place) -> f64) -> Vec<[f64; 2]> {
        let of_edges =
            self.edges.iter().enumerate().map(|(edge, place)| [edge as f64 * self.block_secs, value(*place)]);
        let end = std::iter::once([self.length_secs, value(self.last)]);
        let mut points: Vec<[f64; 2]> = Vec::new();
        for point in of_edges.chain(end) {
            if let [.., before, last] = points[..]
                && before[1] == point[1]
                && last[1] == point[1]
            {
                points.pop();
            }
            points.push(point);
        }
        points
    }
}
