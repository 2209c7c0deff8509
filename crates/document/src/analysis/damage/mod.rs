//! Detects damage in a sound: its kind, its position, and the edit that repairs it. Changes nothing.

mod examined;
mod finding;
mod found;
mod samples;
mod voice;

pub use finding::find_damage;
pub use found::{Damage, DamageKind};
