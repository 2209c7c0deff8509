//! Layout of the canvas.

use super::axes::lanes::LANE;
use super::hand::ruler_drag::Ruler;
use crate::dsp::Axis;
use crate::view::{ChannelView, Plane, Viewport};
use crate::workbench::bench::limits::{PHASE_PARTS, held_single};
use crate::workbench::{Panes, View};
use egui::{Pos2, Rect, pos2, vec2};

/// Initial fraction of the height for the phase pane.
const PHASE_PART: f32 = 0.2;

/// Height of the time ruler.
const TIME_RULER: f32 = 24.0;
/// Height of the strip of bar numbers below it.
const BEAT_RULER: f32 = 16.0;
/// Width of the frequency ruler.
const HZ_RULER: f32 = 45.0;
/// Width of the piano beside it, on a log axis.
const PIANO: f32 = 31.0;
/// Width of the colour bar: a handle of 14, and the longest number with a gap.
const COLOUR_BAR: f32 = 46.0;
/// Height of the splitter between the panes; its sensitive area is larger.
pub const SPLITTER: f32 = 4.0;
/// Minimum height of the phase pane.
const MIN_PHASE_HEIGHT: f32 = 64.0;

/// A picture on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaneAt {
    /// The displayed plane.
    pub plane: Plane,
    /// Its channels, which are also those that strokes in it edit.
    pub channels: ChannelView,
    /// Its area, in points of the window.
    pub rect: Rect,
    /// Its viewport.
    pub viewport: Viewport,
}

/// Splits a rectangle into `n` rows with gaps of a point; edges are aligned to pixels.
fn stacked(rect: Rect, n: usize, pixels_per_point: f32) -> Vec<Rect> {
    let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
    let edge = |i: usize| snap(rect.top() + rect.height() * i as f32 / n as f32);
    let bottom = |i: usize| if i + 1 == n { rect.bottom() } else { (edge(i + 1) - snap(1.0)).max(edge(i) + snap(1.0)) };
    let part = |i: usize| Rect::from_min_max(pos2(rect.left(), edge(i)), pos2(rect.right(), bottom(i)));
    (0..n).map(part).collect()
}

/// Strips between the time ruler and the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strips {
    /// Whether there are bar numbers.
    pub has_beats: bool,
    /// Number of label lanes.
    pub n_lanes: usize,
}

/// The parts of the canvas, in points of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CanvasRects {
    /// The upper picture: the magnitude, or the phase if shown alone.
    pub picture: Rect,
    /// The phase below the magnitude, if both are shown.
    pub phase: Option<Rect>,
    /// The ruler above the pictures.
    pub time_ruler: Rect,
    /// The bar numbers below it, if shown.
    pub beats: Option<Rect>,
    /// The label lanes above the pictures, if any.
    pub lanes: Option<Rect>,
    /// The ruler at the left of both pictures.
    pub hz_ruler: Rect,
    /// The piano between that ruler and the pictures, on a log axis.
    pub piano: Option<Rect>,
    /// The colour bar, at the right of the upper picture.
    pub colour_bar: Rect,
}

impl CanvasRects {
    /// Lays out `all`; edges of pictures are aligned to pixels. `phase_part` is the phase pane's fraction of the
    /// height.
    pub fn new(
        all: Rect,
        panes: Panes,
        (has_piano, strips): (bool, Strips),
        phase_part: f32,
        pixels_per_point: f32,
    ) -> CanvasRects {
        let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
        let ruler = if has_piano { HZ_RULER + PIANO } else { HZ_RULER };
        let left = snap(all.left() + ruler.min(all.width() / 4.0));
        let ruler_right = if has_piano { left - PIANO } else { left };
        let right = snap(all.right() - COLOUR_BAR.min(all.width() / 4.0)).max(left + 1.0);
        let ruler_bottom = snap(all.top() + TIME_RULER.min(all.height() / 4.0));
        let below = |is_there: bool, top: f32, height: f32| {
            if is_there { snap(top + height.min(all.height() / 4.0)) } else { top }
        };
        let beats_bottom = below(strips.has_beats, ruler_bottom, BEAT_RULER);
        let lanes = strips.n_lanes as f32 * LANE;
        let top = below(strips.n_lanes > 0, beats_bottom, lanes);
        let strip = |top: f32, bottom: f32| Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        let bottom = snap(all.bottom()).max(top + 1.0);
        let height = bottom - top;
        let (upper_bottom, phase) = if panes == Panes::Both && height > 2.0 * MIN_PHASE_HEIGHT + SPLITTER {
            let phase_height = (height * phase_part).clamp(MIN_PHASE_HEIGHT, height - MIN_PHASE_HEIGHT - SPLITTER);
            let phase_top = snap(bottom - phase_height);
            (snap(phase_top - SPLITTER), Some(Rect::from_min_max(pos2(left, phase_top), pos2(right, bottom))))
        } else {
            (bottom, None)
        };
        let picture = Rect::from_min_max(pos2(left, top), pos2(right, upper_bottom));
        CanvasRects {
            picture,
            phase,
            time_ruler: Rect::from_min_max(pos2(left, all.top()), pos2(right, ruler_bottom)),
            beats: strips.has_beats.then(|| strip(ruler_bottom, beats_bottom)),
            lanes: (strips.n_lanes > 0).then(|| strip(beats_bottom, top)),
            hz_ruler: Rect::from_min_max(pos2(all.left(), top), pos2(ruler_right, bottom)),
            piano: has_piano.then(|| Rect::from_min_max(pos2(ruler_right, top), pos2(left, bottom))),
            colour_bar: Rect::from_min_max(pos2(right, top), pos2(all.right(), upper_bottom)),
        }
    }

    /// The sensitive area of the border between the panes: 12 points high, 4 of them drawn.
    pub fn splitter(&self) -> Option<Rect> {
        let phase = self.phase?;
        let middle = (self.picture.bottom() + phase.top()) / 2.0;
        Some(Rect::from_center_size(pos2(self.picture.center().x, middle), vec2(self.picture.width(), 12.0)))
    }

    /// Area of the button that locks the colour range, above the colour bar.
    pub fn lock(&self) -> Rect {
        Rect::from_x_y_ranges(self.colour_bar.x_range(), self.time_ruler.y_range())
    }

    /// All pictures.
    pub fn pictures(&self) -> Rect {
        self.phase.map_or(self.picture, |phase| self.picture.union(phase))
    }

    /// Frequency ruler and piano.
    pub fn hz_axis(&self) -> Rect {
        self.piano.map_or(self.hz_ruler, |piano| self.hz_ruler.union(piano))
    }
}

/// Layout of the canvas and its pictures.
pub struct PaneLayout {
    rects: Option<CanvasRects>,
    panes: Vec<PaneAt>,
    phase_part: f32,
}

impl Default for PaneLayout {
    fn default() -> PaneLayout {
        PaneLayout { rects: None, panes: Vec::new(), phase_part: PHASE_PART }
    }
}

impl PaneLayout {
    /// The parts; `None` before the first frame.
    pub fn rects(&self) -> Option<CanvasRects> {
        self.rects
    }

    /// Every picture, from top to bottom.
    pub fn panes(&self) -> &[PaneAt] {
        &self.panes
    }

    /// Viewport of the upper picture; `None` before the first frame.
    pub fn viewport(&self) -> Option<Viewport> {
        self.panes.first().map(|pane| pane.viewport)
    }

    /// Fraction of the height for the phase pane.
    pub fn phase_part(&self) -> f32 {
        self.phase_part
    }

    /// Sets the fraction of the height for the phase pane.
    pub fn set_phase_part(&mut self, part: f32) {
        self.phase_part = part;
    }

    /// Moves the border between the panes to a height.
    pub fn split_at(&mut self, y: f32) {
        let Some(rects) = self.rects else { return };
        let part = (rects.hz_ruler.bottom() - y) / rects.hz_ruler.height();
        self.phase_part = held_single(part, PHASE_PARTS, self.phase_part);
    }

    /// Lays out a view of a sound of `n_channels` in `all`, with `strips` above the pictures.
    pub fn lay_out(
        &mut self,
        all: Rect,
        view: &View,
        (n_channels, strips): (usize, Strips),
        pixels_per_point: f32,
    ) -> CanvasRects {
        let has = (view.axis == Axis::Log, strips);
        let rects = CanvasRects::new(all, view.panes, has, self.phase_part, pixels_per_point);
        let first = if view.panes == Panes::Phase { Plane::Phase } else { Plane::Magnitude };
        let viewport = |rect: Rect| Viewport {
            secs: view.secs,
            hz: view.hz,
            axis: view.axis,
            origin: [f64::from(rect.left()), f64::from(rect.top())],
            size: [f64::from(rect.width()), f64::from(rect.height())],
        };
        self.panes.clear();
        let lanes = view.lanes(n_channels);
        for (plane, rect) in [(first, Some(rects.picture)), (Plane::Phase, rects.phase)] {
            let Some(rect) = rect else { continue };
            for (channels, rect) in lanes.iter().zip(stacked(rect, lanes.len(), pixels_per_point)) {
                self.panes.push(PaneAt { plane, channels: *channels, rect, viewport: viewport(rect) });
            }
        }
        self.rects = Some(rects);
        rects
    }

    /// Viewport of the picture at a position.
    pub fn viewport_at(&self, at: Pos2) -> Option<Viewport> {
        self.pane_at(at).map(|pane| pane.viewport)
    }

    /// The picture at a position.
    pub fn pane_at(&self, at: Pos2) -> Option<&PaneAt> {
        self.panes.iter().find(|pane| pane.rect.contains(at))
    }

    /// The viewport of the pane below the label lanes, if a position is within the lanes.
    pub fn lanes_at(&self, at: Pos2) -> Option<Viewport> {
        let lanes = self.rects?.lanes?;
        self.viewport().filter(|_| lanes.contains(at))
    }

    /// The ruler at a position, and the viewport of the pane beside it. The strip of bar numbers and the label lanes
    /// are part of the time ruler.
    pub fn ruler_at(&self, at: Pos2) -> Option<(Ruler, Viewport)> {
        let rects = self.rects?;
        let strips = [Some(rects.time_ruler), rects.beats, rects.lanes];
        if strips.into_iter().flatten().any(|strip| strip.contains(at)) {
            return self.viewport().map(|viewport| (Ruler::Time, viewport));
        }
        let beside = self.panes.iter().find(|pane| pane.rect.y_range().contains(at.y));
        beside.filter(|_| rects.hz_axis().contains(at)).map(|pane| (Ruler::Hz, pane.viewport))
    }
}
