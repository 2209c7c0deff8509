//! What tests share that names nothing above `document`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "names say what plain helpers do")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "helpers of tests are no interface")]

pub mod bad_rows;
pub mod phrases;
pub mod picture_edits;
pub mod sessions;
pub mod snapshots;
pub mod strokes;

pub use test_engine::*;
pub use test_media::*;
