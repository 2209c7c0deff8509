//! Collects the searches in the sound of the document in front.

use super::find_jobs::FindJobs;
use super::pattern::Similar;
use super::selection_finder::SelectionFinder;
use crate::view::Plans;

/// All searches; each implements `Concern`.
pub struct Searches {
    /// Search for sounds similar to the selection.
    pub similar: Similar,
    /// Selections that depend on the sound.
    pub selecting: SelectionFinder,
    /// Searches for clicks, hum, damage, notes and so on; learns noise and timbres.
    pub finding: FindJobs,
}

impl Searches {
    /// Searches without results, which use the transform plans of an engine.
    pub fn with(plans: &Plans) -> Searches {
        Searches {
            similar: Similar::with(plans),
            selecting: SelectionFinder::with(plans),
            finding: FindJobs::with(plans),
        }
    }
}
