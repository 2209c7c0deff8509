//! The three searches in the sound of the document in front.

use super::finding::Finding;
use super::selecting::Selecting;
use super::similar::Similar;
use crate::view::Plans;

/// All searches, each a concern of its own.
pub struct Searches {
    /// What sounds like the selection.
    pub similar: Similar,
    /// Selections that depend on the sound.
    pub selecting: Selecting,
    /// Noises, clicks, hum.
    pub finding: Finding,
}

impl Searches {
    /// No results yet; uses the plans of an engine.
    pub fn with(plans: &Plans) -> Searches {
        Searches { similar: Similar::with(plans), selecting: Selecting::with(plans), finding: Finding::with(plans) }
    }
}
