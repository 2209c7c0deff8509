//! A sound taken apart into files: which files, what keeps them from being written, the writing, and the table of them.

mod plan;
mod tables;
mod writer;

pub use plan::{PartsHindrance, PartsOrder, PartsPlan, PartsSound, PartsTable};
pub use writer::PartsWriter;
