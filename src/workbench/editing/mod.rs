//! Edits of the documents: applied one after another per document; cut, copy and paste; a longer sound.

mod applying;
mod clipboard;
mod edits;
mod lengthen;
mod names;

pub use applying::Applying;
pub use clipboard::{Clipboard, drop_floating, land};
pub use edits::Edits;
pub use lengthen::{lengthen, lengthen_by};
pub use names::{brush_name, describe};
