//! Edges and corners that the pointer can drag: those of a floating picture, and of a selected box or range.

use egui::{CursorIcon, Pos2, Rect, vec2};

/// The dragged part of a box: its left (-1) or right (1) edge, and its lower (-1) or upper (1) one; 0 for neither.
pub type Grip = [i8; 2];

/// The edge or corner under a press, at most `reach` points away; `None` elsewhere. `has` says whether a box has left
/// and right edges, and lower and upper ones.
pub fn grip_at(rect: Rect, at: Pos2, reach: f32, has: [bool; 2]) -> Option<Grip> {
    if !rect.expand(reach).contains(at) {
        return None;
    }
    // The middle of a small box stays free to be dragged.
    let reach = vec2(reach.min(rect.width() / 4.0), reach.min(rect.height() / 4.0));
    let side = |has: bool, from_low: f32, from_high: f32, reach: f32| match (from_low <= reach, from_high <= reach) {
        _ if !has => 0,
        _ if from_low < 0.0 => -1,
        _ if from_high < 0.0 => 1,
        (true, _) => -1,
        (false, true) => 1,
        (false, false) => 0,
    };
    let grip = [
        side(has[0], at.x - rect.left(), rect.right() - at.x, reach.x),
        side(has[1], rect.bottom() - at.y, at.y - rect.top(), reach.y),
    ];
    (grip != [0, 0]).then_some(grip)
}

/// Edges of a box or range in a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeGrip {
    /// Index of the shape.
    pub shape: usize,
    /// The dragged part of it.
    pub grip: Grip,
}

/// Pointer icon over an edge or corner.
pub fn icon(grip: Grip) -> CursorIcon {
    match grip {
        [_, 0] => CursorIcon::ResizeHorizontal,
        [0, _] => CursorIcon::ResizeVertical,
        [x, y] if x == y => CursorIcon::ResizeNeSw,
        _ => CursorIcon::ResizeNwSe,
    }
}
