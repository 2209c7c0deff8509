//! Dragging edges of labels, and drawing labels.

use super::pointer::CLICK_POINTS;
use crate::document::labels::Label;
use crate::view::Viewport;
use egui::{CursorIcon, Pos2, Rect, pos2};

/// The dragged part of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelGrip {
    /// Its start.
    Start,
    /// Its end.
    End,
    /// The lower edge of its band.
    Low,
    /// The upper edge of its band.
    High,
    /// The whole label: it moves in time.
    Whole,
}

impl LabelGrip {
    /// Pointer icon over this part.
    pub fn icon(self) -> CursorIcon {
        match self {
            LabelGrip::Start | LabelGrip::End => CursorIcon::ResizeHorizontal,
            LabelGrip::Low | LabelGrip::High => CursorIcon::ResizeVertical,
            LabelGrip::Whole => CursorIcon::PointingHand,
        }
    }
}

/// A drag of a label, or of an edge of it.
#[derive(Debug, Clone)]
pub struct LabelDrag {
    /// The pane where it began.
    pub viewport: Viewport,
    /// Position of the press.
    pub start: Pos2,
    /// Position of the pointer.
    pub now: Pos2,
    /// The dragged part.
    pub grip: LabelGrip,
    /// The label before the drag.
    pub from: Label,
}

impl LabelDrag {
    /// Whether it is more than a click.
    pub fn has_moved(&self) -> bool {
        self.start.distance(self.now) >= CLICK_POINTS
    }

    /// The label as dragged; `snap` snaps a position in points.
    pub fn moved(&self, snap: impl Fn([f64; 2]) -> [f64; 2]) -> Label {
        let mut label = self.from.clone();
        if !self.has_moved() {
            return label;
        }
        let [x, y] = snap([f64::from(self.now.x), f64::from(self.now.y)]);
        let (secs, hz) = (self.viewport.secs_from_x(x), self.viewport.hz_from_y(y));
        match self.grip {
            LabelGrip::Start => label.secs[0] = secs,
            LabelGrip::End => label.secs[1] = secs,
            LabelGrip::Low => label.low_hz = Some(hz),
            LabelGrip::High => label.high_hz = Some(hz),
            LabelGrip::Whole => {
                // The grabbed point stays under the pointer; only the label's start snaps.
                let by_points = self.viewport.x_from_secs(label.secs[0]) - f64::from(self.start.x);
                let start = snap([f64::from(self.now.x) + by_points, f64::from(self.now.y)])[0];
                let by_secs = self.viewport.secs_from_x(start) - label.secs[0];
                label.secs = label.secs.map(|secs| secs + by_secs);
            }
        }
        if label.secs[0] > label.secs[1] {
            label.secs.swap(0, 1);
        }
        if let (Some(low), Some(high)) = (label.low_hz, label.high_hz)
            && low > high
        {
            (label.low_hz, label.high_hz) = (Some(high), Some(low));
        }
        label
    }
}

/// Edges of a label in seconds, and in hertz if it has a band; both ascending.
pub type LabelEdges = ([f64; 2], Option<[f64; 2]>);

/// A label being drawn.
#[derive(Debug, Clone, Copy)]
pub struct LabelDrawn {
    /// Viewport of the pane where it began, or below the lanes.
    pub viewport: Viewport,
    /// Position of the press.
    pub start: Pos2,
    /// Position of the pointer.
    pub now: Pos2,
    /// Whether it is drawn in the lanes, without a band.
    pub is_in_lanes: bool,
}

impl LabelDrawn {
    /// Whether it is more than a click.
    pub fn has_moved(&self) -> bool {
        self.start.distance(self.now) >= CLICK_POINTS
    }

    /// Its edges: seconds, and hertz if it has a band. A click in the lanes makes a marker.
    pub fn edges(&self, snap: impl Fn([f64; 2]) -> [f64; 2]) -> LabelEdges {
        let held = |value: f32, k: usize| {
            let [from, size] = [self.viewport.origin[k], self.viewport.size[k]];
            f64::from(value).clamp(from, from + size)
        };
        let now = if self.has_moved() { self.now } else { self.start };
        let places = [self.start, now].map(|at| snap([held(at.x, 0), held(at.y, 1)]));
        let secs = places.map(|[x, _]| self.viewport.secs_from_x(x));
        let hz = places.map(|[_, y]| self.viewport.hz_from_y(y));
        let ordered = |[a, b]: [f64; 2]| [a.min(b), a.max(b)];
        (ordered(secs), (!self.is_in_lanes).then(|| ordered(hz)))
    }
}

/// Area of a label in a pane; full height if it has no band.
pub fn rect_in(label: &Label, viewport: &Viewport, pane: Rect) -> Rect {
    let [left, right] = label.secs.map(|secs| (viewport.x_from_secs(secs) as f32).clamp(-1e6, 1e6));
    let band = label.band_hz(viewport.hz[1].max(viewport.hz[0]));
    let [top, bottom] = band.map_or([pane.top(), pane.bottom()], |[low, high]| {
        [high, low].map(|hz| viewport.y_from_hz(hz).clamp(-1e6, 1e6) as f32)
    });
    Rect::from_min_max(pos2(left, top), pos2(right, bottom))
}

/// The edge of a label nearest to a position in a pane, at most `reach` points away.
pub fn edge_at(label: &Label, at: Pos2, viewport: &Viewport, pane: Rect, reach: f32) -> Option<LabelGrip> {
    let rect = rect_in(label, viewport, pane);
    if !rect.expand(reach).contains(at) {
        return None;
    }
    let has_band = label.low_hz.is_some() || label.high_hz.is_some();
    let edges = [
        (LabelGrip::Start, (at.x - rect.left()).abs(), true),
        (LabelGrip::End, (at.x - rect.right()).abs(), true),
        (LabelGrip::High, (at.y - rect.top()).abs(), has_band),
        (LabelGrip::Low, (at.y - rect.bottom()).abs(), has_band),
    ];
    let near = edges.into_iter().filter(|(_, points, is_there)| *is_there && *points <= reach);
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(grip, ..)| grip)
}
