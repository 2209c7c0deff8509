//! Sound moved in time and pitch: displacement of cells, partials, locked and rebuilt phases, stretching.
//! May touch: `transforms`, `cells`, `selections`, `strokes`, `pitch`, `kernels` and `numeric`.

pub mod displacement;
pub mod partials;
pub mod peak_locking;
pub mod phase;
pub mod stretch;
