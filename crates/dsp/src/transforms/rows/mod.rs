//! Transforms on rows at the frequencies of a scale: constant-Q, variable-Q, mel, bark, or a custom list. Each can be
//! inverted, so that its cells can be painted.
//!
//! The rows are time-invariant filters whose windows over frequency are strictly limited and tight: the sum of their
//! squares is 1. Groups of rows share a hop and are computed on slices of their own length, so that cost and reach
//! depend on the rows touched; a cell depends only on its own slice. `docs/transforms.md` has the definitions.
//!
//! Sources: Balazs, Doerfler, Jaillet, Holighaus, Velasco, "Theory, implementation and applications of nonstationary
//! Gabor frames", J. Comp. Appl. Math. 236, 2011; Schoerkhuber, Klapuri, Holighaus, Doerfler, "A Matlab toolbox for
//! efficient perfect reconstruction time-frequency transforms with log-frequency resolution", AES 53, 2014 (gamma).

mod analysis;
mod bank;
mod blur;
mod cells;
mod dragging;
mod drawn;
mod group;
mod json;
mod moving;
mod params;
mod partials;
mod plans;
mod reading;
mod scale;
mod sketch;
mod synthesis;
mod table;
mod windows;

pub use analysis::Excerpt;
pub use bank::RowBank;
pub use blur::RowBlur;
pub use dragging::RowDrag;
pub use drawn::DrawnRows;
pub use group::RowGroup;
pub(crate) use group::{fixed_from_turns, turns_from_fixed};
pub use moving::{RowMove, RowShift};
pub use params::{C1_HZ, ExactNumber, RowScale, RowsGamma, RowsParams};
pub use partials::RowSource;
pub use reading::{ReadingPart, RowReading};
pub use sketch::RowSketch;
pub use synthesis::{RowChange, RowsDifference};
pub use table::RowTable;
pub use windows::RowSpec;
