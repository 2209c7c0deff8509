//! The keyboard's cursor on the canvas: moves, selects and paints through the same code as the pointer.

use crate::app::Studio;
use crate::base::number;
use crate::base::{Note, clock_from_secs};
use crate::canvas::Canvas;
use crate::dsp::{Axis, Grid, Selection};
use crate::view::{Viewport, grid_of};
use crate::workbench::commands::{ClipboardCommand, CursorCommand, Way};
use crate::workbench::{DocumentAct, Floating, OpenDocument, Tool, new_feather};
use egui::Modifiers;

/// Number of steps of a leap (Ctrl with an arrow key).
const LEAP_STEPS: f64 = 16.0;

impl Studio {
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(crate) fn cursor_command(&mut self, ctx: &egui::Context, act: CursorCommand) {
        match act {
            CursorCommand::Begin => {
                if let Some(canvas) = &mut self.canvas {
                    canvas.take_keyboard(ctx);
                }
                if let Some(document) = self.bench.document() {
                    let place = [document.cursor_secs(), document.cursor_hz()];
                    self.bench.act(DocumentAct::KeyCursor(place));
                }
            }
            CursorCommand::Use | CursorCommand::UseCtrl | CursorCommand::Pen if self.facts().is_floating => {
                self.bench.act(ClipboardCommand::LandPaste);
            }
            CursorCommand::Use | CursorCommand::UseCtrl | CursorCommand::Pen => self.use_at_cursor(ctx, act),
            CursorCommand::Step(way) => self.move_cursor(way, 1.0, false),
            CursorCommand::Leap(way) => self.move_cursor(way, LEAP_STEPS, false),
            CursorCommand::Extend(way) => self.move_cursor(way, 1.0, true),
            CursorCommand::ExtendFar(way) => self.move_cursor(way, LEAP_STEPS, true),
        }
    }

    fn use_at_cursor(&mut self, ctx: &egui::Context, act: CursorCommand) {
        let Some(document) = self.bench.document() else { return };
        let cursor_secs = document.cursor_secs();
        let place = [cursor_secs, document.cursor_hz()];
        self.bench.act(DocumentAct::KeyCursor(place));
        let (Some(document), Some(canvas)) = (self.bench.document(), &mut self.canvas) else { return };
        let tools = self.bench.tools();
        // A range has two corners: Enter sets the first, and Enter again the second.
        let is_range = matches!(tools.active(), Tool::SelectTime | Tool::SelectBand | Tool::SelectBox);
        let modifiers = if act == CursorCommand::UseCtrl { Modifiers::COMMAND } else { Modifiers::NONE };
        let gestures = if act == CursorCommand::Pen || is_range || canvas.has_key_pen() {
            canvas.toggle_pen(document, tools, modifiers)
        } else {
            canvas.tap(document, tools, modifiers)
        };
        self.take_gestures(ctx, gestures);
        // Keeps the exact cursor position, which the gesture rounded to a point of the screen.
        self.bench.act(DocumentAct::Cursor(cursor_secs));
    }

    fn move_cursor(&mut self, way: Way, n_steps: f64, selects: bool) {
        let viewport = self.canvas.as_ref().and_then(Canvas::viewport);
        let active = self.bench.tools().active();
        let Some(document) = self.bench.document() else { return };
        let grid = grid_of(document.shown(), &document.view().transform);
        if let Some(floating) = document.floating() {
            let offset = nudged(floating, way, n_steps, selects, &grid);
            return self.bench.act(DocumentAct::Float(offset));
        }
        let from = [document.cursor_secs(), document.cursor_hz()];
        let viewport = viewport_of(document, viewport, self.hand.canvas_rect);
        let to = stepped(from, way, n_steps, &viewport, &grid);
        let selected = document.selection().cloned();
        self.bench.act(DocumentAct::KeyCursor(to));
        if selects {
            let anchor = self.hand.anchor.of(selected.as_ref(), from);
            let sorted = |k: usize| [anchor[k].min(to[k]), anchor[k].max(to[k])];
            let (secs, hz) = match active {
                Tool::SelectTime => (Some(sorted(0)), None),
                Tool::SelectBand => (None, Some(sorted(1))),
                _ => (Some(sorted(0)), Some(sorted(1))),
            };
            let selection = Selection::rectangle(secs, hz, new_feather(&grid), Axis::Linear);
            self.hand.anchor.keep(anchor, selection.clone());
            self.bench.act(DocumentAct::Select(Some(selection)));
        }
        if let (Some(canvas), Some(document)) = (&mut self.canvas, self.bench.document()) {
            let gestures = canvas.move_pen(document);
            gestures.acts(document).into_iter().for_each(|act| self.bench.act(act));
        }
    }
}

/// The cursor moved by steps; each is a cell, or a point of the screen if that is larger.
fn stepped([secs, hz]: [f64; 2], way: Way, n_steps: f64, viewport: &Viewport, grid: &Grid) -> [f64; 2] {
    let secs_by = n_steps * viewport.secs_per_pixel().max(grid.hop_secs());
    let min_hz = if viewport.axis == Axis::Log { 1.0 } else { 0.0 };
    let hz_by = |sign: f64| {
        let from = viewport.axis.units_from_hz(hz.max(min_hz));
        let (units, n_bins) = match viewport.axis {
            Axis::Linear => (n_steps * viewport.units_per_pixel(), n_steps),
            // A leap of sixteen bins would span octaves at the low end of a log axis.
            Axis::Log | Axis::Mel | Axis::Bark if n_steps > 1.0 => (n_steps * min_step_units(viewport, grid), 1.0),
            Axis::Log | Axis::Mel | Axis::Bark => (viewport.units_per_pixel(), 1.0),
        };
        let on_screen = viewport.axis.hz_from_units(from + sign * units);
        let by_bins = grid.hz_stepped(hz, sign * n_bins);
        let is_farther = (on_screen - hz).abs() > (by_bins - hz).abs();
        (if is_farther { on_screen } else { by_bins }).clamp(min_hz, grid.nyquist_hz())
    };
    let duration_secs = grid.n_samples as f64 / grid.sample_rate_hz;
    match way {
        Way::Earlier => [(secs - secs_by).max(0.0), hz],
        Way::Later => [(secs + secs_by).min(duration_secs), hz],
        Way::Higher => [secs, hz_by(1.0)],
        Way::Lower => [secs, hz_by(-1.0)],
    }
}

/// A sixteenth of a leap on a nonlinear axis, in axis units: the height of the smallest visible cell, but at least a
/// pixel. Equal at all frequencies.
fn min_step_units(viewport: &Viewport, grid: &Grid) -> f64 {
    let [low, high] = viewport.hz;
    let units = |hz: f64| viewport.axis.units_from_hz(hz.max(0.0));
    let cells = [units(grid.hz_stepped(low, 1.0)) - units(low), units(high) - units(grid.hz_stepped(high, -1.0))];
    // 0 Hz is infinitely far down on a log axis.
    let min = cells.into_iter().filter(|cell| cell.is_finite()).reduce(f64::min);
    min.unwrap_or(0.0).max(viewport.units_per_pixel())
}

/// The offset of the floating paste after `n_steps` steps. A step in time is a frame, or a millisecond with `is_fine`
/// (Shift). A step in frequency is the smallest distance between bins on a linear axis; on others it is a semitone, or
/// ten cents with `is_fine`, and a leap is an octave.
fn nudged(floating: &Floating, way: Way, n_steps: f64, is_fine: bool, grid: &Grid) -> [f64; 2] {
    let secs = if is_fine { 0.001 } else { grid.hop_secs() } * n_steps;
    let units = match floating.axis {
        Axis::Linear => grid.min_step_hz() * n_steps,
        _ if is_fine => 0.1 / 12.0 * n_steps,
        // A leap is an octave, a step a semitone.
        _ => {
            if n_steps > 1.0 {
                1.0
            } else {
                1.0 / 12.0
            }
        }
    };
    let [at_secs, at_units] = floating.offset;
    match way {
        Way::Earlier => [at_secs - secs, at_units],
        Way::Later => [at_secs + secs, at_units],
        Way::Higher => [at_secs, at_units + units],
        Way::Lower => [at_secs, at_units - units],
    }
}

/// The viewport of the current view, in the area where it was last drawn.
fn viewport_of(document: &OpenDocument, drawn: Option<Viewport>, canvas: egui::Rect) -> Viewport {
    let view = document.view();
    let (origin, size) = match drawn {
        Some(drawn) => (drawn.origin, drawn.size),
        None => ([0.0; 2], [f64::from(canvas.width()), f64::from(canvas.height())]),
    };
    Viewport { secs: view.secs, hz: view.hz, axis: view.axis, origin, size }
}

/// Text of the cursor for screen readers, such as `0:01.234, 440.0 Hz, A4 +0 ct`.
pub fn words(secs: f64, hz: f64, level_db: Option<f32>) -> String {
    let note = Note::from_hz(hz).map(|note| format!(", {note}")).unwrap_or_default();
    let level = level_db.map(|db| format!(", {} dB", number(db.into(), 1))).unwrap_or_default();
    format!("{}, {} Hz{note}{level}", clock_from_secs(secs), number(hz, 1))
}
