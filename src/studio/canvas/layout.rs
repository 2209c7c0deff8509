//! Where the parts of the canvas lie.

use crate::view::{ChannelView, Plane, Viewport};
use crate::workbench::Panes;
use egui::{Rect, pos2, vec2};

/// Height of the time ruler.
const TIME_RULER: f32 = 24.0;
/// Width of the frequency ruler.
const HZ_RULER: f32 = 45.0;
/// Width of the piano beside it, on a log axis.
const PIANO: f32 = 31.0;
/// Width of the colour bar: a handle of 14, and the longest number beside it with a gap.
const COLOUR_BAR: f32 = 46.0;
/// Height of the splitter between the panes; the pointer catches more.
pub const SPLITTER: f32 = 4.0;
/// Least height of the phase pane.
const LEAST_PHASE: f32 = 64.0;

/// A picture on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaneAt {
    /// What it shows.
    pub plane: Plane,
    /// Of which channels; strokes in it go to these.
    pub channels: ChannelView,
    /// Where it is drawn, in points of the window.
    pub rect: Rect,
    /// Places in it.
    pub viewport: Viewport,
}

/// A rectangle in so many parts, one above the other, with a gap of a point between them; edges lie between pixels.
pub fn stacked(rect: Rect, n: usize, pixels_per_point: f32) -> Vec<Rect> {
    let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
    let edge = |i: usize| snap(rect.top() + rect.height() * i as f32 / n as f32);
    let bottom = |i: usize| if i + 1 == n { rect.bottom() } else { (edge(i + 1) - snap(1.0)).max(edge(i) + snap(1.0)) };
    let part = |i: usize| Rect::from_min_max(pos2(rect.left(), edge(i)), pos2(rect.right(), bottom(i)));
    (0..n).map(part).collect()
}

/// The parts of the canvas, in points of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CanvasRects {
    /// The upper picture: the magnitude, or the phase where it is shown alone.
    pub picture: Rect,
    /// The phase below the magnitude, where both are shown.
    pub phase: Option<Rect>,
    /// The ruler above the pictures.
    pub time_ruler: Rect,
    /// The ruler at the left of both pictures.
    pub hz_ruler: Rect,
    /// The piano between that ruler and the pictures, on a log axis.
    pub piano: Option<Rect>,
    /// At the right of the upper picture.
    pub colour_bar: Rect,
}

impl CanvasRects {
    /// Lays out `all`; edges of pictures lie between pixels. `phase_part` is the phase pane's part of the height.
    pub fn new(all: Rect, panes: Panes, has_piano: bool, phase_part: f32, pixels_per_point: f32) -> CanvasRects {
        let snap = |points: f32| (points * pixels_per_point).round() / pixels_per_point;
        let ruler = if has_piano { HZ_RULER + PIANO } else { HZ_RULER };
        let left = snap(all.left() + ruler.min(all.width() / 4.0));
        let ruler_right = if has_piano { left - PIANO } else { left };
        let right = snap(all.right() - COLOUR_BAR.min(all.width() / 4.0)).max(left + 1.0);
        let top = snap(all.top() + TIME_RULER.min(all.height() / 4.0));
        let bottom = snap(all.bottom()).max(top + 1.0);
        let height = bottom - top;
        let (upper_bottom, phase) = if panes == Panes::Both && height > 2.0 * LEAST_PHASE + SPLITTER {
            let phase_height = (height * phase_part).clamp(LEAST_PHASE, height - LEAST_PHASE - SPLITTER);
            let phase_top = snap(bottom - phase_height);
            (snap(phase_top - SPLITTER), Some(Rect::from_min_max(pos2(left, phase_top), pos2(right, bottom))))
        } else {
            (bottom, None)
        };
        let picture = Rect::from_min_max(pos2(left, top), pos2(right, upper_bottom));
        CanvasRects {
            picture,
            phase,
            time_ruler: Rect::from_min_max(pos2(left, all.top()), pos2(right, top)),
            hz_ruler: Rect::from_min_max(pos2(all.left(), top), pos2(ruler_right, bottom)),
            piano: has_piano.then(|| Rect::from_min_max(pos2(ruler_right, top), pos2(left, bottom))),
            colour_bar: Rect::from_min_max(pos2(right, top), pos2(all.right(), upper_bottom)),
        }
    }

    /// What catches the pointer to move the border between the panes: 24 points, 4 of them drawn.
    pub fn splitter(&self) -> Option<Rect> {
        let phase = self.phase?;
        let middle = (self.picture.bottom() + phase.top()) / 2.0;
        Some(Rect::from_center_size(pos2(self.picture.center().x, middle), vec2(self.picture.width(), 12.0)))
    }

    /// Where the button stands that locks the range of levels: above the colour bar.
    pub fn lock(&self) -> Rect {
        Rect::from_x_y_ranges(self.colour_bar.x_range(), self.time_ruler.y_range())
    }

    /// Frequency ruler and piano.
    pub fn hz_axis(&self) -> Rect {
        self.piano.map_or(self.hz_ruler, |piano| self.hz_ruler.union(piano))
    }
}
