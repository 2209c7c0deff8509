//! Cells as pictures and back: one pixel per cell in an OpenEXR file, or in a pair of 16-bit PNG files, with a JSON
//! sidecar that identifies the cells. Changes made in another program become an edit; unchanged cells are never
//! touched.

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
