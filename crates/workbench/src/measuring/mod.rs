//! Figures and spectra of what is shown and selected: levels, peaks, the cell under the pointer. Found in jobs.

mod figures;
mod following;
mod readout;
mod spectrum;

pub use figures::Figures;
pub use following::Measuring;
pub use readout::{Lobes, Reader, Readout, ReadoutQuery};
pub use spectrum::Spectrum;

use crate::beat::BeatFinder;
use crate::view::Plans;

/// What is measured of what is shown and selected.
pub struct Measurements {
    /// Figures of the selection.
    pub figures: Measuring,
    /// Spectra at the pointer and over the selection.
    pub spectrum: Spectrum,
    /// The beat, where somebody has asked for it.
    pub beat: BeatFinder,
}

impl Measurements {
    /// Nothing yet, with the plans of an engine.
    pub fn with(plans: &Plans) -> Measurements {
        Measurements { figures: Measuring::with(plans), spectrum: Spectrum::with(plans), beat: BeatFinder::default() }
    }
}
