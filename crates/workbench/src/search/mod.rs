//! Searches in the sound: selections that depend on it, noise profiles, clicks, hum, similar places. They run in jobs.
//! A result that comes too late is not applied, and a notice says why.

mod acting;
mod damage;
mod find_jobs;
mod jobs;
mod note_labels;
mod pattern;
mod places;
mod request;
mod selection_finder;
mod tone_tracking;

pub(super) use acting::{perform_find, perform_select};
pub(super) use damage::act_on_damage;
pub use jobs::Searches;
pub use places::{found_places, places, places_found, step_to_places};
pub use request::{SelectRequest, ShapeSearch};
pub use selection_finder::{Reshape, new_feather};
