//! Sessions, which protect the open documents against a crash and restore them afterwards. One folder per document, in
//! the format of `document::session`.

mod recoverable;
mod recovery;
mod save;
mod saved_view;
mod slot;
mod tabs;

pub use recoverable::{RecoverableWork, RecoveryAnswer};
pub use recovery::Sessions;
pub use saved_view::document_of;
pub use slot::SessionSlot;
