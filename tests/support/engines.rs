//! The engines that this machine has.

use sonobrush::base::EngineChoice;
use sonobrush::engine::Engine;
use std::sync::OnceLock;

/// The CPU engine, and the GPU engine where there is an adapter, a software one too. A missing adapter is a skip that
/// can be seen, and a failure when `REQUIRE_GPU=1`.
pub fn engines() -> &'static [Engine] {
    static ENGINES: OnceLock<Vec<Engine>> = OnceLock::new();
    ENGINES.get_or_init(|| {
        let mut engines = vec![Engine::Cpu];
        match Engine::choose(EngineChoice::Gpu, None) {
            Ok(chosen) if matches!(chosen.engine, Engine::Gpu(_)) => engines.push(chosen.engine),
            other => {
                let why = other.map_or_else(|error| error.to_string(), |chosen| chosen.why);
                assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "no GPU engine: {why}");
                eprintln!("SKIPPED on the GPU engine: {why}");
            }
        }
        engines
    })
}
