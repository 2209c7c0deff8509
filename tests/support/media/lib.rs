//! What tests share that names nothing above `media`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "names say what plain helpers do")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "helpers of tests are no interface")]

pub mod bad_inputs;
pub mod clips;
pub mod exported;
pub mod odd_pictures;
pub mod opened;
pub mod pictures;

pub use test_dsp::*;
