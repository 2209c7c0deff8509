//! What is dragged out of the window to other programs, as a file.

mod draggable;
mod dragging;

pub use draggable::Draggable;
pub(super) use dragging::Dragging;
