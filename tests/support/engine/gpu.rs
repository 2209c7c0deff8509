//! One device for a whole test binary.

use super::program::skipped;
use dsp::{CellRect, Region};
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

/// Leaves what is no number in the buffers that are lent next, four pairs of each size up to `max_bytes`, so that a
/// kernel that reads what nobody wrote shows it.
pub fn poison(gpu: &Gpu, max_bytes: usize) {
    const MIN_BYTES: usize = 4_096;
    let mut n_bytes = MIN_BYTES;
    while n_bytes <= max_bytes {
        let mut region = Region::zeros(CellRect::new(0..1, 0..n_bytes / 4));
        for plane in [&mut region.magnitude, &mut region.phase] {
            plane.fill(f32::from_bits(0x7fc0_beef));
        }
        let held = [(); 4].map(|()| gpu.upload(&region).unwrap());
        drop(held);
        n_bytes += ((n_bytes + 1).next_power_of_two() / 8).max(MIN_BYTES);
    }
    gpu.finish();
}
