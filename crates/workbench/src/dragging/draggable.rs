//! What can be dragged out of the window.

/// A sound that can be dragged out of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draggable {
    /// What is selected of the document in front.
    Selection,
    /// All of a document, by its id.
    Document(u64),
    /// A sound of the library, by its number.
    Sound(i64),
}
