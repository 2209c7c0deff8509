//! Damage and measures that the tests without a window have, too.
#![allow(dead_code, reason = "the other test binary needs the rest")]

#[path = "../harness/drivers.rs"]
pub mod drivers;

pub use test_document::*;
