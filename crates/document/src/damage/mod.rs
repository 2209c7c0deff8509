//! Damage in a sound: what of it there is, where, and the edit that repairs it. Nothing is changed.

mod examined;
mod finding;
mod found;
mod samples;
mod voice;

pub use finding::find_damage;
pub use found::{Damage, DamageKind};
