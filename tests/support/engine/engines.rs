//! The engines that this machine has.

use super::gpu::gpu;
use engine::Engine;
use std::sync::OnceLock;

/// The CPU engine of a whole test binary: the plans that one test makes are there for the next.
pub fn cpu() -> Engine {
    static CPU: OnceLock<Engine> = OnceLock::new();
    CPU.get_or_init(Engine::cpu).clone()
}

/// The CPU engine, and the GPU engine where there is an adapter, a software one too (a notice or a failure reports its
/// absence).
pub fn engines() -> &'static [Engine] {
    static ENGINES: OnceLock<Vec<Engine>> = OnceLock::new();
    ENGINES.get_or_init(|| std::iter::once(cpu()).chain(gpu().map(Engine::on)).collect())
}
