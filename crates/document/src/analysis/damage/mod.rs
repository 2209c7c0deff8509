//! Detects damage in a sound: its kinds, its places, and the edits that repair it. Changes nothing.

mod examined;
mod finding;
mod found;
mod samples;
mod voice;

pub use finding::find_damage;
pub use found::{Damage, DamageKind};
