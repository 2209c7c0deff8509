//! Splitting a sound into files: planning, conflicts, writing, and the table of files.

mod plan;
mod tables;
mod writer;

pub use plan::{PartsHindrance, PartsOrder, PartsPlan, PartsSound, PartsTable};
pub use writer::PartsWriter;
