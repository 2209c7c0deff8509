//! Searches in the sound of the document in front.

use super::finding::Finding;
use super::selecting::Selecting;
use super::similar::Similar;
use crate::view::Plans;

/// All searches, each a concern of its own.
pub struct Searches {
    /// Search for sounds similar to the selection.
    pub similar: Similar,
    /// Selections that depend on the sound.
    pub selecting: Selecting,
    /// Searches for noise profiles, clicks and hum.
    pub finding: Finding,
}

impl Searches {
    /// Searches without results, using the plans of an engine.
    pub fn with(plans: &Plans) -> Searches {
        Searches { similar: Similar::with(plans), selecting: Selecting::with(plans), finding: Finding::with(plans) }
    }
}
