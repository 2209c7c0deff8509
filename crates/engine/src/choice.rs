//! Chooses the engine, and explains the choice in a sentence.

use super::Engine;
use crate::base::{EngineChoice, Error, ErrorKind, Result, crash};
use crate::gpu::{AdapterSummary, Candidate, Gpu};
use std::sync::Arc;

/// The chosen engine and the reason, for display.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The engine.
    pub engine: Engine,
    /// Reason for the choice, one sentence.
    pub why: String,
}

impl Chosen {
    fn cpu(why: impl Into<String>) -> Chosen {
        Chosen { engine: Engine::cpu(), why: why.into() }
    }

    /// Records the choice for crash reports and returns it.
    fn noted(self, adapter: Option<&AdapterSummary>) -> Chosen {
        let adapter = adapter.map(|found| format!("{}, {}, driver {}", found.name, found.backend, found.driver));
        crash::note_engine(&adapter.unwrap_or("none".into()), &self.engine.name().to_uppercase());
        self
    }
}

/// The engine that a choice selects on an adapter, with the reason for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The GPU.
    Gpu(String),
    /// The CPU.
    Cpu(String),
    /// Neither, since the adapter cannot do what was requested.
    Refused(String),
}

/// Resolves a choice for an adapter, before any device is opened.
pub fn judge(choice: EngineChoice, adapter: &AdapterSummary) -> Verdict {
    let name = &adapter.name;
    match choice {
        EngineChoice::Cpu => Verdict::Cpu("The CPU engine was requested.".into()),
        EngineChoice::Gpu if !adapter.computes => {
            Verdict::Refused(format!("the graphics adapter \"{name}\" does not support the compute shaders needed"))
        }
        EngineChoice::Gpu => Verdict::Gpu(format!("The GPU engine was requested; it runs on {name}.")),
        EngineChoice::Auto if adapter.is_real() => {
            Verdict::Gpu(format!("{name} is a hardware GPU ({}).", adapter.device_type))
        }
        EngineChoice::Auto if !adapter.computes => {
            Verdict::Cpu(format!("{name} does not support the compute shaders needed, so the CPU engine is used."))
        }
        EngineChoice::Auto if adapter.is_gl() => Verdict::Cpu(format!(
            "{name} is reached through OpenGL, which one thread at a time can use, so the CPU engine is used."
        )),
        EngineChoice::Auto => Verdict::Cpu(format!(
            "{name} is not a hardware GPU ({}); the CPU engine is faster than a software adapter.",
            adapter.device_type
        )),
    }
}

impl Engine {
    /// The engine for a choice, on its own device; the automatic choice is the GPU if the adapter is a hardware one. An
    /// explicit choice that is unavailable is an error; the automatic choice falls back to the CPU, with a notice.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if the GPU was requested and no adapter supports it, or if the named adapter does not exist.
    pub fn choose(choice: EngineChoice, adapter: Option<&str>) -> Result<Chosen> {
        if choice == EngineChoice::Cpu {
            return Ok(Chosen::cpu("The CPU engine was requested.").noted(None));
        }
        let may_fall_back = choice == EngineChoice::Auto;
        let candidate = match Candidate::choose(adapter) {
            Ok(candidate) => candidate,
            Err(error) if may_fall_back && adapter.is_none() => {
                return Ok(Chosen::cpu(format!("The CPU engine is used: {error}.")).noted(None));
            }
            Err(error) => return Err(error),
        };
        let adapter = candidate.summary.clone();
        let chosen = match judge(choice, &adapter) {
            Verdict::Cpu(why) => Ok(Chosen::cpu(why)),
            Verdict::Refused(why) => Err(Error::new(ErrorKind::Gpu, why)),
            Verdict::Gpu(why) => match Gpu::open(candidate) {
                Ok(gpu) => Ok(Chosen { engine: Engine::on(gpu), why }),
                Err(error) if may_fall_back => Ok(Chosen::cpu(format!("The CPU engine is used: {error}."))),
                Err(error) => Err(error),
            },
        };
        chosen.map(|chosen| chosen.noted(Some(&adapter)))
    }

    /// The engine for a choice, on the window's device.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if the GPU was requested and the window's device does not support it.
    pub fn for_shared(choice: EngineChoice, gpu: Arc<Gpu>) -> Result<Chosen> {
        let adapter = gpu.summary().clone();
        let chosen = match judge(choice, &adapter) {
            Verdict::Cpu(why) => Chosen::cpu(why),
            Verdict::Refused(why) => return Err(Error::new(ErrorKind::Gpu, why)),
            Verdict::Gpu(why) => Chosen { engine: Engine::on(gpu), why },
        };
        Ok(chosen.noted(Some(&adapter)))
    }
}
