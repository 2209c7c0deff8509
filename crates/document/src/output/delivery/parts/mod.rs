//! Splitting a sound into files: planning, conflicts, writing, and the table of files.

mod plan;
mod tables;
mod writer;

pub use plan::{PartsConflict, PartsOrder, PartsPlan, PartsSound, PartsTable};
pub use writer::PartsWriter;
