//! Dragging sounds out of the window to other programs, as files.

mod draggable;
mod dragged_files;

pub use draggable::Draggable;
pub(super) use dragged_files::DragOut;
