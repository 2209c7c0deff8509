//! Searches in the sound of the document in front.

use super::finding::FindJobs;
use super::selecting::SelectionFinder;
use super::similar::Similar;
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
