//! Sessions, which protect the open documents against a crash and restore them afterwards. One folder per document, in
//! the format of `document::session`.

mod desk;
mod keep;
mod left;
mod recovery;
mod slot;
mod tabs;

pub use desk::document_of;
pub use left::{RecoverableWork, RecoveryAnswer};
pub use recovery::Sessions;
pub use slot::SessionSlot;
