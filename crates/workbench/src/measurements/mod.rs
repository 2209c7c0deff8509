//! Measurements and spectra of the displayed sound and the selection, computed in jobs: levels, peaks, the cell under
//! the pointer.

mod figures;
mod pitch_updater;
mod readout;
mod selection_meter;
mod spectrum;

pub use figures::Figures;
pub use pitch_updater::PitchUpdater;
pub use readout::{Lobes, Reader, Readout, ReadoutQuery};
pub use selection_meter::SelectionMeter;
pub use spectrum::Spectrum;

use crate::beat::BeatFinder;
use crate::view::Plans;

/// Measurements of the displayed sound and the selection.
pub struct Measurements {
    /// Measurements of the selection.
    pub figures: SelectionMeter,
    /// Spectra at the pointer and over the selection.
    pub spectrum: Spectrum,
    /// The beat, once the user has requested it.
    pub beat: BeatFinder,
    /// The pitch line, while it is shown.
    pub pitch: PitchUpdater,
}

impl Measurements {
    /// Measurements without results, which use the transform plans of an engine.
    pub fn with(plans: &Plans) -> Measurements {
        let (figures, spectrum) = (SelectionMeter::with(plans), Spectrum::with(plans));
        Measurements { figures, spectrum, beat: BeatFinder::default(), pitch: PitchUpdater::default() }
    }
}
