//! Engines and memory limits of commands.

use crate::base::{EngineChoice, LoadedSettings, Origin, Result, Settings};
use crate::engine::{Chosen, Engine};
use crate::library::batches::BatchOrder;
use crate::library::features::FeatureEngine;

/// The engine chosen in the settings.
pub(in crate::cli) fn engine_for(settings: &Settings) -> Result<Chosen> {
    let chosen = Engine::choose(settings.engine, settings.adapter.as_deref())?;
    // With an explicitly requested GPU, errors do not fall back to the CPU.
    chosen.engine.set_may_fall_back(settings.fallback_to_cpu && settings.engine != EngineChoice::Gpu);
    tracing::info!(engine = chosen.engine.name(), why = chosen.why, "engine");
    Ok(chosen)
}

/// The engine for features: the GPU only if options or settings request it. `auto` means the CPU, so that results do
/// not depend on the machine: the last bits of the engines differ.
pub(in crate::cli) fn feature_engine(settings: &Settings) -> FeatureEngine {
    if settings.engine == EngineChoice::Gpu { FeatureEngine::Gpu } else { FeatureEngine::Cpu }
}

/// The engine for features if an option requests one; `None` otherwise. The engine of a resumed or listed run takes
/// precedence over the settings, but not over an option.
pub(in crate::cli) fn typed_feature_engine(loaded: &LoadedSettings) -> Option<FeatureEngine> {
    match loaded.settings.engine {
        _ if loaded.origin("engine") != Origin::CommandLine => None,
        EngineChoice::Gpu => Some(FeatureEngine::Gpu),
        EngineChoice::Cpu => Some(FeatureEngine::Cpu),
        EngineChoice::Auto => None,
    }
}

/// Parameters of the engine for the library's batches.
pub(in crate::cli) fn batches_for(settings: &Settings) -> BatchOrder {
    BatchOrder {
        choice: settings.engine,
        adapter: settings.adapter.clone(),
        may_fall_back: settings.fallback_to_cpu,
        batch_size: settings.gpu_batch.gpu_batch_size.map(|n| n as usize),
        memory_bytes: settings.gpu_batch.gpu_batch_mb.map(|megabytes| u64::from(megabytes) << 20),
    }
}

/// Memory limit for analysing many sounds, in bytes; `None` means half of the available memory.
pub(in crate::cli) fn analysis_bytes(typed_mb: Option<u32>, settings: &Settings) -> Option<u64> {
    typed_mb.map(|megabytes| u64::from(megabytes) << 20).or_else(|| settings.library_memory_bytes())
}

/// Name of the engine's adapter, if it has one.
pub(in crate::cli) fn adapter_of(engine: &Engine) -> Option<String> {
    engine.adapter().map(str::to_owned)
}
