//! The engines that this machine has.

use sonobrush::engine::Engine;
use sonobrush::gpu::Gpu;
use std::sync::OnceLock;

/// The CPU engine, and the GPU engine where there is an adapter, a software one too. A missing adapter is a skip that
/// can be seen, and a failure when `REQUIRE_GPU=1`.
pub fn engines() -> &'static [Engine] {
    static ENGINES: OnceLock<Vec<Engine>> = OnceLock::new();
    ENGINES.get_or_init(|| {
        let mut engines = vec![Engine::Cpu];
        match Gpu::headless(None) {
            Ok(gpu) => engines.push(Engine::Gpu(gpu)),
            Err(why) => {
                assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "no GPU engine: {why}");
                eprintln!("SKIPPED on the GPU engine: {why}");
            }
        }
        engines
    })
}
