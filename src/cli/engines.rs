//! The engine that a command uses.

use crate::base::{EngineChoice, Result, Settings};
use crate::engine::{Chosen, Engine};

/// The engine that the settings ask for.
pub(super) fn engine_for(settings: &Settings) -> Result<Chosen> {
    let chosen = Engine::choose(settings.engine, settings.adapter.as_deref())?;
    // What was asked for by name is not replaced by something else.
    chosen.engine.set_may_fall_back(settings.fallback_to_cpu && settings.engine != EngineChoice::Gpu);
    tracing::info!(engine = chosen.engine.name(), why = chosen.why, "engine");
    Ok(chosen)
}

/// The adapter of an engine that has one.
pub(super) fn adapter_of(engine: &Engine) -> Option<String> {
    engine.adapter().map(str::to_owned)
}
