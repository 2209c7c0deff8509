//! The ghost of a voice: where the partials of the note under the pen will be.

use super::marks::{self, MarkContext};
use crate::canvas::Canvas;
use crate::canvas::hand::brush;
use crate::canvas::layout::PaneAt;
use crate::document::brushes::{Brush, DrawnVoice, Phrase, VoicesBrush};
use crate::dsp::voices::ScoreNote;
use crate::view::Viewport;
use egui::{Painter, Pos2};

/// Partials shown per note.
const MAX_PARTIALS: usize = 16;

/// Level below the loudest partial, in dB, at which a partial is drawn at minimum opacity.
const FADE_RANGE_DB: f64 = 48.0;

impl Canvas {
    /// The first partials of every note that a press at a position would begin, or that the current stroke continues.
    pub(in crate::canvas) fn draw_ghost(&self, clipped: &Painter, pane: &PaneAt, over: &MarkContext<'_>, at: Pos2) {
        let Some(Brush::Voices(VoicesBrush::Drawn(voice))) = over.tools.brush() else { return };
        let viewport = &pane.viewport;
        let brush = Brush::from(VoicesBrush::Drawn(voice.clone()));
        let point = brush::drawn_point(&brush, viewport, over.grid, &self.input.pen(at));
        let width = voice.length_secs / viewport.secs_per_pixel();
        let lines: Vec<(f32, f32)> = partials(&voice, point.hz)
            .into_iter()
            .map(|(hz, part)| (viewport.y_from_hz(hz) as f32, part as f32))
            .filter(|(y, _)| pane.rect.y_range().contains(*y))
            .collect();
        let root_y = viewport.y_from_hz(point.hz) as f32;
        let x = viewport.x_from_secs(point.secs) as f32;
        marks::partials(clipped, [x, x + width.clamp(24.0, 4096.0) as f32], &lines, root_y);
    }
}

/// Maximum number of notes drawn; more could not be told apart.
const MAX_NOTES: usize = 4096;

/// The visible notes of a phrase, each as a line at its pitch.
pub fn draw_notes(clipped: &Painter, viewport: &Viewport, phrase: &Phrase) {
    let score = phrase.score();
    let hz = |pitch: f64| score.tuning_hz * ((pitch - 69.0) / 12.0).exp2();
    let is_seen = |note: &&ScoreNote| {
        let start_secs = phrase.at_secs + note.start_secs;
        start_secs < viewport.secs[1] && start_secs + note.duration_secs > viewport.secs[0]
    };
    for note in score.notes.iter().filter(is_seen).take(MAX_NOTES) {
        let start_secs = phrase.at_secs + note.start_secs;
        let x = [start_secs, start_secs + note.duration_secs].map(|secs| viewport.x_from_secs(secs) as f32);
        marks::partials(clipped, x, &[], viewport.y_from_hz(hz(note.pitch_at(0.0))) as f32);
    }
}

/// Frequencies of the first partials of all notes on a root, and the opacity of each, 0 to 1.
fn partials(voice: &DrawnVoice, root_hz: f64) -> Vec<(f64, f64)> {
    let partials = voice.partials(MAX_PARTIALS);
    let loudest = partials.iter().map(|(_, level)| *level).fold(0.0, f64::max);
    let strength = |level: f64| {
        let below_db = -20.0 * (level / loudest).log10();
        if below_db.is_finite() { (1.0 - below_db / FADE_RANGE_DB).max(0.0) } else { 0.0 }
    };
    partials.into_iter().map(|(ratio, level)| (ratio * root_hz, strength(level))).collect()
}
