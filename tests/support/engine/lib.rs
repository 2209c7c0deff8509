//! What tests share that names nothing above `engine`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "names say what plain helpers do")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "helpers of tests are no interface")]

pub mod engines;
pub mod faults;
pub mod gpu;
pub mod regions;

pub use test_dsp::*;
