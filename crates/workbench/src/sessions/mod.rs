//! Sessions: what keeps the open documents against a crash, and gives them back after one. One folder per document; the
//! format is that of `document::session`.

mod desk;
mod keep;
mod left;
mod recovery;
mod slot;
mod tabs;

pub use desk::document_of;
pub use left::{Left, LeftAnswer};
pub use recovery::Sessions;
pub use slot::SessionSlot;
