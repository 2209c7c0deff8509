//! One device for a whole test binary.

use super::program::skipped;
use engine::gpu::Gpu;
use std::sync::{Arc, OnceLock};

/// The best adapter there is, a software one too. Without one the test is skipped, visibly; with `REQUIRE_GPU=1` it
/// fails.
pub fn gpu() -> Option<Arc<Gpu>> {
    static GPU: OnceLock<Option<Arc<Gpu>>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| match Gpu::headless(std::env::var("SONOBRUSH_ADAPTER").ok().as_deref()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var("REQUIRE_GPU").as_deref() != Ok("1"), "REQUIRE_GPU=1, but {error}");
            None
        }
    });
    if gpu.is_none() {
        skipped("no graphics adapter for a test of the GPU engine");
    }
    gpu.clone()
}

/// A device of one test, since what fails, fails for all that use it.
pub fn own_gpu() -> Option<Arc<Gpu>> {
    gpu().map(|_| Gpu::headless(std::env::var("SONOBRUSH_ADAPTER").ok().as_deref()).unwrap())
}
