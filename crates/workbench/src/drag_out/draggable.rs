//! Sounds that can be dragged out of the window.

/// A sound that can be dragged out of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draggable {
    /// The selection of the document in front.
    Selection,
    /// A whole document, by its id.
    Document(u64),
    /// A sound of the library, by its id.
    Sound(i64),
}
