//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

mod apply;
mod consistency;
mod edit;
mod export;
mod history;
mod plan;
mod script;
mod snapshot;
mod store;
mod wand;

pub use apply::{Applied, EditReport, Signal, apply, apply_live, painted_cells};
pub use edit::{Channels, Edit};
pub use export::{ExportReport, export};
pub use history::{Entry, History};
pub use plan::{axis_of, cell_kernel, grid_of, modulation_kernel};
pub use script::Script;
pub use snapshot::{BLOCK_SAMPLES, Snapshot, SnapshotEdit};
pub use store::{Block, BlockStore};
pub use wand::resolve;
