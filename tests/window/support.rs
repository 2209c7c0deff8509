//! Damage and measures that the tests without a window have, too.
#![allow(dead_code, reason = "the other test binary needs the rest")]

#[path = "../support/attacks.rs"]
pub mod attacks;
#[path = "../support/clips.rs"]
pub mod clips;
#[path = "../support/damage.rs"]
pub mod damage;
#[path = "../support/drivers.rs"]
pub mod drivers;
#[path = "../support/fourier.rs"]
pub mod fourier;
#[path = "../support/measure.rs"]
pub mod measure;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/signals.rs"]
pub mod signals;
