//! Searches in the sound: selections that depend on it, noise profiles, clicks, hum, similar places. They run in jobs;
//! a result is applied, or a notice says why not.

mod acting;
mod course;
mod damage;
mod finding;
mod note_labels;
mod places;
mod searches;
mod seek;
mod selecting;
mod similar;

pub(super) use acting::{perform_find, perform_select};
pub(super) use damage::act_on_damage;
pub use places::{found_places, places, places_found, step_to_places};
pub use searches::Searches;
pub use seek::{SelectRequest, ShapeSearch};
pub use selecting::{Reshape, new_feather};
