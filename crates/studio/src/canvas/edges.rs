//! Edges and corners that the pointer takes hold of: those of a floating picture, and of a selected box or range.

use egui::{CursorIcon, Pos2, Rect, vec2};

/// What of a box is held: its left (-1) or right (1) edge, and its lower (-1) or upper (1) one; 0 for neither.
pub type Grip = [i8; 2];

/// What a press takes hold of, at most `reach` points from an edge; none inside and outside. `has` says whether a box
/// has a left and a right edge, and whether it has a lower and an upper one.
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

/// Edges of one of the boxes and ranges of a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeGrip {
    /// Index of the shape.
    pub shape: usize,
    /// What of it is held.
    pub grip: Grip,
}

/// How the pointer looks over it.
pub fn icon(grip: Grip) -> CursorIcon {
    match grip {
        [_, 0] => CursorIcon::ResizeHorizontal,
        [0, _] => CursorIcon::ResizeVertical,
        [x, y] if x == y => CursorIcon::ResizeNeSw,
        _ => CursorIcon::ResizeNwSe,
    }
}
