//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

mod apply;
pub mod brushes;
mod consistency;
mod edit;
mod export;
mod find;
mod heal;
mod history;
mod learn;
mod paste;
mod plan;
mod script;
pub mod session;
mod snapshot;
mod store;
mod stroke;
mod wand;
mod warm;

pub use apply::{Applied, EditReport, Signal, apply, apply_live, painted_cells, with_step};
pub use brushes::Brush;
pub use edit::{Channels, Edit};
pub use export::{ExportReport, export};
pub use heal::{Gap, attenuation};
pub use history::{Entry, History};
pub use learn::learn_noise;
pub use paste::{erasing, lifted, secs_past_end};
pub use plan::{axis_of, cell_kernel, dab_mask, grid_of, modulation_kernel};
pub use script::Script;
pub use snapshot::{Snapshot, SnapshotEdit};
pub use store::{BLOCK_SAMPLES, Block, BlockStore};
pub use stroke::{MARKED_DB, PenDown, StrokeCells, StrokeSession};
pub use wand::resolve;
pub use warm::warm_up;
