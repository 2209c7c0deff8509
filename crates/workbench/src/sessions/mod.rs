//! Sessions: folders, one per open document, from which the documents are restored after a crash. Their format is that
//! of `document::session`.

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
