//! Searches in the sound of the document in front.

use super::find_jobs::FindJobs;
use super::pattern::Similar;
use super::selection_finder::SelectionFinder;
use crate::view::Plans;

/// All searches, each a concern of its own.
pub struct Searches {
    /// Search for sounds similar to the selection.
    pub similar: Similar,
    /// Selections that depend on the sound.
    pub selecting: SelectionFinder,
    /// Searches for noise profiles, clicks and hum.
    pub finding: FindJobs,
}

impl Searches {
    /// Searches without results, using the plans of an engine.
    pub fn with(plans: &Plans) -> Searches {
        Searches {
            similar: Similar::with(plans),
            selecting: SelectionFinder::with(plans),
            finding: FindJobs::with(plans),
        }
    }
}
