//! The loupe: the area around the pointer, where and as large as it is, with another FFT size. It is there while its key
//! is held; a tap keeps it. The wheel chooses the size.

use super::super::theme::{self, CANVAS_DARK, CANVAS_LIGHT, CAPTION};
use super::layout::PaneAt;
use crate::dsp::{StftParams, Transform};
use crate::workbench::View;
use egui::{Align2, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, vec2};

/// Width and height in points, where the pane has room.
const SIZE: Vec2 = vec2(320.0, 240.0);
/// A key that is down longer than this is held, not tapped.
const TAP_SECS: f64 = 0.35;
/// From the view's FFT size to the loupe's at first.
const FIRST_STEPS: i32 = 2;
/// Hops of one frame: close enough that short frames show what happens between them.
const HOPS: usize = 8;

/// Whether there is one, and how it looks.
#[derive(Debug, Default)]
pub struct Loupe {
    is_on: bool,
    /// Since when the key is down.
    held_since: Option<f64>,
    /// Powers of two from the view's size to its own; none until it is chosen.
    steps: Option<i32>,
    /// Parts of a notch that a touchpad has given.
    turned: f32,
}

impl Loupe {
    /// Its key was pressed, or its command given.
    pub fn toggle(&mut self) {
        self.is_on = !self.is_on;
        self.held_since = None;
    }

    /// Once a frame: a key that was held and is up again takes the loupe away.
    pub fn follow(&mut self, is_key_down: bool, time_secs: f64) {
        if is_key_down {
            self.held_since.get_or_insert(time_secs);
        } else if let Some(since) = self.held_since.take() {
            self.is_on &= time_secs - since < TAP_SECS;
        }
    }

    /// Whether it is there.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The wheel turned: each notch upwards is a frame twice as long.
    pub fn turn(&mut self, notches: f32, view: StftParams) {
        self.turned += notches;
        while self.turned.abs() >= 1.0 {
            let step = self.turned.signum();
            self.turned -= step;
            let steps = self.steps.unwrap_or(FIRST_STEPS) + step as i32;
            if sized(view, steps).is_some() {
                self.steps = Some(steps);
            }
        }
    }

    /// The transform that it shows, given the view's: four times as long at first, or a quarter where that is too long.
    pub fn stft(&self, view: StftParams) -> StftParams {
        let wanted = [self.steps.unwrap_or(FIRST_STEPS), -FIRST_STEPS];
        wanted.into_iter().find_map(|steps| sized(view, steps)).unwrap_or(view)
    }

    /// Where it lies in a pane, its edges between pixels.
    pub fn rect(&self, pane: Rect, at: Pos2, pixels_per_point: f32) -> Rect {
        let size = SIZE.min(pane.size());
        let left = (at.x - size.x / 2.0).clamp(pane.left(), pane.right() - size.x);
        let top = (at.y - size.y / 2.0).clamp(pane.top(), pane.bottom() - size.y);
        let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
        Rect::from_min_size(egui::pos2(snap(left), snap(top)), vec2(snap(size.x), snap(size.y)))
    }

    /// The part of a pane's view that lies under it, with its own transform.
    pub fn view(&self, view: &View, pane: &PaneAt, rect: Rect) -> View {
        let viewport = &pane.viewport;
        let stft = view.transform.stft_or_default();
        View {
            secs: [rect.left(), rect.right()].map(|x| viewport.secs_from_x(f64::from(x))),
            hz: [rect.bottom(), rect.top()].map(|y| viewport.hz_from_y(f64::from(y))),
            transform: self.stft(stft).into(),
            channels: pane.channels,
            ..view.clone()
        }
    }
}

/// The size so many powers of two away, if there is one.
fn sized(view: StftParams, steps: i32) -> Option<StftParams> {
    let n_fft = if steps < 0 { view.n_fft >> -steps } else { view.n_fft << steps };
    if !(64..=32_768).contains(&n_fft) {
        return None;
    }
    StftParams { n_fft, hop: n_fft / HOPS, ..view }.validated().ok()
}

/// Its edge, and what it shows: points and milliseconds.
pub fn frame(painter: &Painter, rect: Rect, transform: &Transform, sample_rate_hz: f64) {
    let stft = transform.stft_or_default();
    for (width, colour) in [(3.0, CANVAS_DARK.gamma_multiply(0.65)), (1.25, CANVAS_LIGHT)] {
        painter.rect_stroke(rect, 0.0, Stroke::new(width, colour), StrokeKind::Middle);
    }
    let text = format!("FFT {}, {:.1} ms", stft.n_fft, 1e3 * stft.n_fft as f64 / sample_rate_hz);
    let galley = painter.layout_no_wrap(text, theme::regular(CAPTION), CANVAS_LIGHT);
    let face = Align2::LEFT_TOP.anchor_size(rect.left_top() + vec2(6.0, 6.0), galley.size() + vec2(8.0, 4.0));
    painter.rect_filled(face, theme::RADIUS_SEGMENT, CANVAS_DARK.gamma_multiply(0.8));
    painter.galley(face.min + vec2(4.0, 2.0), galley, CANVAS_LIGHT);
}
