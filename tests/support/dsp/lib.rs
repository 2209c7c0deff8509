//! What tests share that names nothing above `dsp`: seeded signals, reference arrays, slow and clear mathematics,
//! measures.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "names say what plain helpers do")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "helpers of tests are no interface")]

pub mod attacks;
pub mod damage;
pub mod flac;
pub mod formulas;
pub mod fourier;
pub mod heap;
pub mod heard;
pub mod load;
pub mod made_audio;
pub mod measure;
pub mod naive;
pub mod npy;
pub mod parse;
pub mod program;
pub mod random;
pub mod rows;
pub mod rust_tokens;
pub mod signals;
pub mod sources;
pub mod traces;
pub mod voices;
pub mod wav;

use std::path::{Path, PathBuf};

/// The folder of the whole project: inputs of tests lie in its `tests`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap().to_owned()
}

/// Whether the long forms of tests are enabled.
pub fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}
