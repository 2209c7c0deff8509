//! Figures and spectra of what is shown and selected: levels, peaks, the cell under the pointer. Found in jobs.

mod figures;
mod following;
mod readout;
mod spectrum;

pub use figures::Figures;
pub use following::Measuring;
pub use readout::{Lobes, Reader, Readout, ReadoutQuery};
pub use spectrum::Spectrum;
