//! What a command computes with: an engine, and memory.

use crate::base::{EngineChoice, LoadedSettings, Origin, Result, Settings};
use crate::engine::{Chosen, Engine};
use crate::library::batches::BatchOrder;
use crate::library::features::FeatureEngine;

/// The engine that the settings ask for.
pub(super) fn engine_for(settings: &Settings) -> Result<Chosen> {
    let chosen = Engine::choose(settings.engine, settings.adapter.as_deref())?;
    // The user named this device, so no other replaces it.
    chosen.engine.set_may_fall_back(settings.fallback_to_cpu && settings.engine != EngineChoice::Gpu);
    tracing::info!(engine = chosen.engine.name(), why = chosen.why, "engine");
    Ok(chosen)
}

/// The engine of features: the GPU where it is typed, or the settings ask for it. `auto` is the CPU, as the last bits
/// of the two differ.
pub(super) fn feature_engine(settings: &Settings) -> FeatureEngine {
    if settings.engine == EngineChoice::Gpu { FeatureEngine::Gpu } else { FeatureEngine::Cpu }
}

/// The same where it was typed: what a run was begun on, or listed for, goes before the settings.
pub(super) fn typed_feature_engine(loaded: &LoadedSettings) -> Option<FeatureEngine> {
    match loaded.settings.engine {
        _ if loaded.origin("engine") != Origin::CommandLine => None,
        EngineChoice::Gpu => Some(FeatureEngine::Gpu),
        EngineChoice::Cpu => Some(FeatureEngine::Cpu),
        EngineChoice::Auto => None,
    }
}

/// What the library's batches run on.
pub(super) fn batches_for(settings: &Settings) -> BatchOrder {
    BatchOrder {
        choice: settings.engine,
        adapter: settings.adapter.clone(),
        may_fall_back: settings.fallback_to_cpu,
        batch_size: settings.gpu_batch_size.map(|n| n as usize),
        memory_bytes: settings.gpu_batch_mb.map(|megabytes| u64::from(megabytes) << 20),
    }
}

/// Memory that analysing many sounds may take; none: half of what is available.
pub(super) fn analysis_bytes(typed_mb: Option<u32>, settings: &Settings) -> Option<u64> {
    typed_mb.map(|megabytes| u64::from(megabytes) << 20).or_else(|| settings.library_memory_bytes())
}

/// The adapter of an engine that has one.
pub(super) fn adapter_of(engine: &Engine) -> Option<String> {
    engine.adapter().map(str::to_owned)
}
