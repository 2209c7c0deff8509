//! Which engine is taken, and the sentence that says why.

use super::Engine;
use crate::base::{EngineChoice, Error, ErrorKind, Result};
use crate::gpu::{AdapterSummary, Candidate, Gpu};
use std::sync::Arc;

/// An engine and why it was taken, in words for the user.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The engine.
    pub engine: Engine,
    /// One sentence.
    pub why: String,
}

impl Chosen {
    fn cpu(why: impl Into<String>) -> Chosen {
        Chosen { engine: Engine::cpu(), why: why.into() }
    }
}

/// What a choice means on an adapter, before any device is opened.
#[derive(Debug, PartialEq)]
enum Verdict {
    Gpu(String),
    Cpu(String),
    Refused(String),
}

fn judge(choice: EngineChoice, adapter: &AdapterSummary) -> Verdict {
    let name = &adapter.name;
    match choice {
        EngineChoice::Cpu => Verdict::Cpu("The CPU engine was asked for.".into()),
        EngineChoice::Gpu if !adapter.computes => {
            Verdict::Refused(format!("the graphics adapter \"{name}\" has no compute shaders of the kind needed"))
        }
        EngineChoice::Gpu => Verdict::Gpu(format!("The GPU engine was asked for; it runs on {name}.")),
        EngineChoice::Auto if adapter.is_real() => {
            Verdict::Gpu(format!("{name} is a graphics processor ({}).", adapter.device_type))
        }
        EngineChoice::Auto if !adapter.computes => {
            Verdict::Cpu(format!("{name} has no compute shaders of the kind needed, so the CPU engine computes."))
        }
        EngineChoice::Auto => Verdict::Cpu(format!(
            "{name} is not a graphics processor ({}); the CPU engine is faster than software that imitates one.",
            adapter.device_type
        )),
    }
}

impl Engine {
    /// The engine for a choice, with a device of its own: automatically the GPU where the adapter is a real one. What
    /// was asked for and cannot be had is an error; what was not falls back to the CPU and says so.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] when the GPU was asked for and there is no adapter that can, or an adapter was named that
    /// does not exist.
    pub fn choose(choice: EngineChoice, adapter: Option<&str>) -> Result<Chosen> {
        if choice == EngineChoice::Cpu {
            return Ok(Chosen::cpu("The CPU engine was asked for."));
        }
        let may_fall_back = choice == EngineChoice::Auto;
        let candidate = match Candidate::choose(adapter) {
            Ok(candidate) => candidate,
            Err(error) if may_fall_back && adapter.is_none() => {
                return Ok(Chosen::cpu(format!("The CPU engine computes: {error}.")));
            }
            Err(error) => return Err(error),
        };
        match judge(choice, &candidate.summary) {
            Verdict::Cpu(why) => Ok(Chosen::cpu(why)),
            Verdict::Refused(why) => Err(Error::new(ErrorKind::Gpu, why)),
            Verdict::Gpu(why) => match Gpu::open(candidate) {
                Ok(gpu) => Ok(Chosen { engine: Engine::on(gpu), why }),
                Err(error) if may_fall_back => Ok(Chosen::cpu(format!("The CPU engine computes: {error}."))),
                Err(error) => Err(error),
            },
        }
    }

    /// The engine for a choice, on the device that a window already has.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] when the GPU was asked for and the window's cannot.
    pub fn for_shared(choice: EngineChoice, gpu: Arc<Gpu>) -> Result<Chosen> {
        match judge(choice, gpu.summary()) {
            Verdict::Cpu(why) => Ok(Chosen::cpu(why)),
            Verdict::Refused(why) => Err(Error::new(ErrorKind::Gpu, why)),
            Verdict::Gpu(why) => Ok(Chosen { engine: Engine::on(gpu), why }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(device_type: &str, computes: bool) -> AdapterSummary {
        AdapterSummary {
            name: "A".into(),
            backend: "Vulkan".into(),
            driver: String::new(),
            device_type: device_type.into(),
            max_texture: 16384,
            max_storage_buffer: 1 << 27,
            computes,
        }
    }

    #[test]
    fn only_real_adapters_are_taken_unasked() {
        let is_gpu = |choice, kind, computes| matches!(judge(choice, &adapter(kind, computes)), Verdict::Gpu(_));
        for (kind, expected) in
            [("DiscreteGpu", true), ("IntegratedGpu", true), ("VirtualGpu", true), ("Cpu", false), ("Other", false)]
        {
            assert_eq!(is_gpu(EngineChoice::Auto, kind, true), expected, "{kind}");
            assert!(is_gpu(EngineChoice::Gpu, kind, true), "{kind}");
            assert!(!is_gpu(EngineChoice::Cpu, kind, true) && !is_gpu(EngineChoice::Auto, kind, false), "{kind}");
            assert!(matches!(judge(EngineChoice::Gpu, &adapter(kind, false)), Verdict::Refused(_)), "{kind}");
        }
    }
}
