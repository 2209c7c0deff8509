//! Cells as pictures and back: one pixel for each cell in an OpenEXR file, or in a pair of 16-bit PNG files, with a
//! sidecar in JSON that says which cells they are. What was painted over in another program comes back as an edit; what
//! was not is never touched.

mod change;
mod codec;
mod origin;
mod read;
mod sidecar;
mod write;

pub use change::{CellColumn, CellsChange, changed_cells};
pub use codec::CellsFormat;
pub use origin::{CellsOrigin, cells_origin, is_cells, without_parts};
pub use read::name_of_pair;
pub use sidecar::refuse_other_sidecar;
pub use write::{CellsOutput, cells_files, cells_outputs, write_cells};
