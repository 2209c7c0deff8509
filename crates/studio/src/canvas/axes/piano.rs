//! The piano beside the log axis, and lines at the notes on the pictures. Painting only.

use crate::base::Note;
use crate::dsp::NoteScale;
use crate::view::Viewport;
use crate::widgets::theme;
use crate::widgets::theme::{CAPTION, Palette};
use egui::{Painter, Rect, Stroke, pos2, vec2};

/// Length of black keys, as a fraction of white ones.
const BLACK_LENGTH: f32 = 0.6;
/// Minimum height of individually drawn keys.
const MIN_KEY: f32 = 1.5;
/// Minimum distance between lines, in points.
const MIN_LINE_GAP: f32 = 6.0;
/// Distance from the pointer within which all notes have lines, in points.
const NEAR_POINTER: f32 = 60.0;
/// Minimum height of a key with a name, in points.
const NAME_ROOM: f32 = 12.0;

fn is_black(midi: i32) -> bool {
    matches!(midi.rem_euclid(12), 1 | 3 | 6 | 8 | 10)
}

/// The frequency at a fractional MIDI number.
fn hz_from_midi(midi: f64) -> f64 {
    440.0 * ((midi - 69.0) / 12.0).exp2()
}

/// Vertical position of a fractional MIDI number.
fn y_of(viewport: &Viewport, midi: f64) -> f32 {
    viewport.y_from_hz(hz_from_midi(midi)).clamp(-1e6, 1e6) as f32
}

/// The notes of a viewport, lowest first.
fn notes(viewport: &Viewport) -> std::ops::RangeInclusive<i32> {
    let [low, high] = viewport.hz.map(|hz| 69.0 + 12.0 * (hz.max(1.0) / 440.0).log2());
    (low - 0.5).floor() as i32..=(high + 0.5).ceil() as i32
}

/// Lines at the notes that a stroke snaps to: at the key's tonic in each octave, and at other notes near the pointer,
/// fading with distance.
pub fn note_lines(
    painter: &Painter,
    rect: Rect,
    viewport: &Viewport,
    scale: NoteScale,
    pointer_y: Option<f32>,
    palette: &Palette,
) {
    let gap = |midi: i32, by: i32| y_of(viewport, f64::from(midi)) - y_of(viewport, f64::from(midi + by));
    for midi in notes(viewport).filter(|&midi| scale.has(midi)) {
        let is_key = midi.rem_euclid(12) == i32::from(scale.key);
        let y = y_of(viewport, f64::from(midi));
        let near = pointer_y.map_or(0.0, |at| 1.0 - (at - y).abs() / NEAR_POINTER);
        let (gap, part) = if is_key { (gap(midi, 12), 0.6) } else { (gap(midi, 1), 0.5 * near) };
        if gap >= MIN_LINE_GAP && part > 0.0 && rect.y_range().contains(y) {
            painter.hline(rect.x_range(), y, Stroke::new(1.0, palette.text.gamma_multiply(part)));
        }
    }
}

/// A piano along the right edge of the frequency ruler; the key under the pointer is highlighted and named.
pub fn piano(painter: &Painter, rect: Rect, viewport: &Viewport, pointer_y: Option<f32>, palette: &Palette) {
    let painter = painter.with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, palette.key_white);
    let middle = (*notes(viewport).start() + *notes(viewport).end()) / 2;
    let key = y_of(viewport, f64::from(middle) - 0.5) - y_of(viewport, f64::from(middle) + 0.5);
    let band = |midi: i32, left: f32| {
        let [top, bottom] = [0.5, -0.5].map(|half| y_of(viewport, f64::from(midi) + half));
        Rect::from_min_max(pos2(left, top), pos2(rect.right(), bottom))
    };
    let black_left = rect.right() - rect.width() * BLACK_LENGTH;
    let pointed = pointer_y.and_then(|y| Note::from_hz(viewport.hz_from_y(f64::from(y)))).map(|note| note.midi);
    if let Some(midi) = pointed.filter(|&midi| !is_black(midi)) {
        painter.rect_filled(band(midi, rect.left()), 0.0, palette.accent_soft);
    }
    let line = Stroke::new(1.0, palette.key_black);
    for midi in notes(viewport) {
        if key >= MIN_KEY && is_black(midi) {
            let face = if pointed == Some(midi) { palette.accent_soft } else { palette.key_black };
            painter.rect_filled(band(midi, black_left), 0.0, face);
            if key >= 5.0 {
                // The border between the adjacent white keys.
                painter.hline(rect.left()..=black_left, y_of(viewport, f64::from(midi)), line);
            }
        }
        let after_white = matches!(midi.rem_euclid(12), 0 | 5);
        if midi.rem_euclid(12) == 0 || after_white && key >= 3.0 {
            painter.hline(rect.x_range(), y_of(viewport, f64::from(midi) - 0.5), line);
        }
    }
    let font = theme::regular(CAPTION);
    let chip = pointed.zip(pointer_y).map(|(midi, y)| {
        let galley = painter.layout_no_wrap(Note { midi, cents: 0.0 }.name(), font.clone(), palette.text_strong);
        let y = y.clamp(rect.top() + 8.0, (rect.bottom() - 8.0).max(rect.top() + 8.0));
        (Rect::from_center_size(pos2(rect.center().x, y), galley.size() + vec2(6.0, 2.0)), galley)
    });
    let named = notes(viewport).filter(|&midi| {
        let is_c = midi.rem_euclid(12) == 0 && key * 12.0 >= NAME_ROOM;
        is_c || !is_black(midi) && key >= NAME_ROOM
    });
    for midi in named {
        let bottom = y_of(viewport, f64::from(midi) - 0.5);
        let name = Note { midi, cents: 0.0 }.name();
        // On a tall key, the name is centred; otherwise it stands on the key's lower edge.
        let at = if key >= NAME_ROOM { y_of(viewport, f64::from(midi)) } else { bottom - NAME_ROOM / 2.0 };
        let galley = painter.layout_no_wrap(name, font.clone(), palette.key_text);
        let place = Rect::from_min_size(pos2(rect.left() + 2.0, at - galley.size().y / 2.0), galley.size());
        // Skips names that are cut off at an end, or covered by the name under the pointer.
        let is_covered = chip.as_ref().is_some_and(|(chip, _)| chip.intersects(place.shrink2(vec2(0.0, 2.0))));
        if is_covered || !rect.expand2(vec2(0.0, 2.0)).contains_rect(place) {
            continue;
        }
        // Longer names extend over black keys, and need a white background.
        painter.rect_filled(place.expand2(vec2(1.0, -1.0)), theme::RADIUS_SEGMENT, palette.key_white);
        painter.galley(place.min, galley, palette.key_text);
    }
    if let Some((face, galley)) = chip {
        painter.rect_filled(face, theme::RADIUS_SEGMENT, palette.active);
        painter.galley(face.center() - galley.size() / 2.0, galley, palette.text_strong);
    }
}
