//! The loupe: the area around the pointer at the same zoom, with another FFT size or number of rows. It is shown while
//! its key is held; a tap keeps it. The wheel chooses the size.

use crate::canvas::layout::PaneAt;
use crate::dsp::transforms::rows::{RowScale, RowsParams};
use crate::dsp::{StftParams, Transform};
use crate::widgets::theme;
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT, CAPTION};
use crate::workbench::View;
use egui::{Align2, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, vec2};

/// Width and height in points, if the pane has room.
const SIZE: Vec2 = vec2(320.0, 240.0);
/// A key pressed for longer is held, not tapped.
const TAP_SECS: f64 = 0.35;
/// Initial ratio of the loupe's FFT size or number of rows to the view's, in powers of two.
const FIRST_STEPS: i32 = 2;
/// Hops per frame: enough to show what happens between short frames.
const HOPS: usize = 8;

/// State of the loupe.
#[derive(Debug, Default)]
pub struct Loupe {
    is_on: bool,
    /// Time at which the key was pressed.
    held_since: Option<f64>,
    /// Log2 of the ratio of the loupe's size to the view's; `None` until chosen.
    steps: Option<i32>,
    /// Accumulated fraction of a wheel notch.
    turned: f32,
}

impl Loupe {
    /// Toggles the loupe, by its key or command.
    pub fn toggle(&mut self) {
        self.is_on = !self.is_on;
        self.held_since = None;
    }

    /// Once a frame: hides the loupe when its held key is released.
    pub fn follow(&mut self, is_key_down: bool, time_secs: f64) {
        if is_key_down {
            self.held_since.get_or_insert(time_secs);
        } else if let Some(since) = self.held_since.take() {
            self.is_on &= time_secs - since < TAP_SECS;
        }
    }

    /// Whether the loupe is shown.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Turns the wheel: each notch up doubles the frame length, or the number of rows.
    pub fn turn(&mut self, notches: f32, view: &Transform, sample_rate_hz: f64) {
        self.turned += notches;
        while self.turned.abs() >= 1.0 {
            let step = self.turned.signum();
            self.turned -= step;
            let steps = self.steps.unwrap_or(FIRST_STEPS) + step as i32;
            if sized(view, steps, sample_rate_hz).is_some() {
                self.steps = Some(steps);
            }
        }
    }

    /// Its transform, given the view's: initially frames four times as long, or four times as many rows. Where that is
    /// invalid, the size is a quarter, twice or half the view's, or else the same.
    pub fn transform(&self, view: &Transform, sample_rate_hz: f64) -> Transform {
        let wanted = [self.steps.unwrap_or(FIRST_STEPS), -FIRST_STEPS, 1, -1];
        wanted.into_iter().find_map(|steps| sized(view, steps, sample_rate_hz)).unwrap_or_else(|| view.clone())
    }

    /// Its area in a pane, with edges aligned to pixels.
    pub fn rect(&self, pane: Rect, at: Pos2, pixels_per_point: f32) -> Rect {
        let size = SIZE.min(pane.size());
        let left = (at.x - size.x / 2.0).clamp(pane.left(), pane.right() - size.x);
        let top = (at.y - size.y / 2.0).clamp(pane.top(), pane.bottom() - size.y);
        let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
        Rect::from_min_size(egui::pos2(snap(left), snap(top)), vec2(snap(size.x), snap(size.y)))
    }

    /// The part of a pane's view under it, with its own transform.
    pub fn view(&self, view: &View, pane: &PaneAt, rect: Rect, sample_rate_hz: f64) -> View {
        let viewport = &pane.viewport;
        View {
            secs: [rect.left(), rect.right()].map(|x| viewport.secs_from_x(f64::from(x))),
            hz: [rect.bottom(), rect.top()].map(|y| viewport.hz_from_y(f64::from(y))),
            transform: self.transform(&view.transform, sample_rate_hz),
            channels: pane.channels,
            ..view.clone()
        }
    }
}

/// The transform whose size is `steps` powers of two larger, if it is valid at this rate.
fn sized(view: &Transform, steps: i32, sample_rate_hz: f64) -> Option<Transform> {
    match view {
        Transform::Stft(stft) => {
            let n_fft = if steps < 0 { stft.n_fft >> -steps } else { stft.n_fft << steps };
            if !StftParams::SIZES.contains(&n_fft) {
                return None;
            }
            StftParams { n_fft, hop: n_fft / HOPS, ..*stft }.validated().ok().map(Transform::Stft)
        }
        Transform::Rows(rows) => {
            let [times, over] = if steps < 0 { [1, 1 << -steps] } else { [1 << steps, 1] };
            rows.with_rows(times, over)?.validated_at(sample_rate_hz).ok().map(Transform::Rows)
        }
    }
}

/// Caption of the loupe: the FFT size and its length in milliseconds, or the number of rows.
fn caption(transform: &Transform, sample_rate_hz: f64) -> String {
    match transform {
        Transform::Stft(stft) => {
            format!("FFT size {}, {:.1} ms", stft.n_fft, 1e3 * stft.n_fft as f64 / sample_rate_hz)
        }
        Transform::Rows(rows) => rows_caption(rows),
    }
}

fn rows_caption(rows: &RowsParams) -> String {
    match &rows.scale {
        RowScale::Log { bins } => format!("{bins} rows per octave"),
        RowScale::Mel { bands } => format!("{bands} mel rows"),
        RowScale::Bark { bands } => format!("{bands} bark rows"),
        RowScale::List(frequencies) => format!("{} rows", frequencies.len()),
    }
}

/// Draws its border and its caption: the FFT size and its length in milliseconds, or the number of rows.
pub fn frame(painter: &Painter, rect: Rect, transform: &Transform, sample_rate_hz: f64) {
    for (width, colour) in [(3.0, CANVAS_DARK.gamma_multiply(0.65)), (1.25, CANVAS_LIGHT)] {
        painter.rect_stroke(rect, 0.0, Stroke::new(width, colour), StrokeKind::Middle);
    }
    let galley = painter.layout_no_wrap(caption(transform, sample_rate_hz), theme::regular(CAPTION), CANVAS_LIGHT);
    let face = Align2::LEFT_TOP.anchor_size(rect.left_top() + vec2(6.0, 6.0), galley.size() + vec2(8.0, 4.0));
    painter.rect_filled(face, theme::RADIUS_SEGMENT, CANVAS_DARK.gamma_multiply(0.8));
    painter.galley(face.min + vec2(4.0, 2.0), galley, CANVAS_LIGHT);
}
