//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

mod added;
mod apply;
pub mod brushes;
pub mod cells_file;
mod edit;
mod export;
mod find;
mod history;
mod learn;
mod paste;
mod plan;
mod script;
pub mod session;
mod signal;
mod snapshot;
mod store;
mod stroke;
mod timbre;
mod wand;
mod warm;

pub use apply::{Applied, EditReport, apply, apply_live, painted_cells, with_step};
pub use brushes::{Brush, modulation_kernel};
pub use edit::{Edit, secs_past_end};
pub use export::{ExportReport, export, export_part};
pub use history::{Entry, History};
pub use learn::learn_noise;
pub use paste::{erasing, lifted};
pub use plan::grid_of;
pub use script::Script;
pub use signal::{Channels, Signal};
pub use snapshot::{Snapshot, SnapshotEdit};
pub use store::{BLOCK_SAMPLES, Block, BlockStore};
pub use stroke::{MARKED_DB, PenDown, StrokeCells, StrokeSession};
pub use timbre::{ToneAt, take_timbre};
pub use wand::resolve;
pub use warm::warm_up;
