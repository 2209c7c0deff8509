//! The pointer and the keyboard on the canvas: strokes, selections, drags of edges, labels and rulers.
//! Changes only the canvas's own state; documents and tools are changed through `Gestures`.

pub(super) mod brush;
pub(super) mod drag;
pub(super) mod edges;
pub(super) mod float;
pub(super) mod focus;
pub(super) mod gestures;
pub(super) mod hand_stroke;
pub(super) mod input;
pub(super) mod keyboard;
pub(super) mod label_drag;
pub(super) mod outline_drag;
pub(super) mod outline_grip;
pub mod pointer;
pub(super) mod ruler_drag;
pub(super) mod select;
pub(super) mod strokes;
