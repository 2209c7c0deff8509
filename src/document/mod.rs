//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

mod apply;
mod edit;
mod export;
mod history;
mod script;
mod snapshot;

pub use apply::{Applied, EditReport, apply};
pub use edit::{Channels, Edit};
pub use export::{ExportReport, export};
pub use history::{Entry, History};
pub use script::Script;
pub use snapshot::{BLOCK_SAMPLES, Block, Snapshot};
