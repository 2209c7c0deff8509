#![no_main]
//! `cargo fuzz run container corpus/container ../coded`

#[path = "../targets.rs"]
#[allow(dead_code, reason = "each target needs its own of them")]
mod targets;

use std::sync::OnceLock;

static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    targets::container(bytes, &folder.path().join("input"));
});
