#![no_main]
//! `cargo fuzz run script`

#[path = "../targets.rs"]
#[allow(dead_code, reason = "each target needs its own of them")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::script(bytes);
});
