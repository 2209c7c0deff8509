//! Engines that record their work: what ran, where, for how long, and why on the CPU.

use super::notes::EngineNotes;
use super::{ComputeDevice, Engine};
use crate::base::trace;
use crate::gpu::{EnginePass, NoteScope, taking};
use std::sync::Arc;
use std::time::Duration;

impl Engine {
    /// This engine with notes of its own, in which its methods, those of its clones, and those of engines to which it
    /// delegates work record what they run.
    #[must_use]
    pub fn noting(&self) -> Engine {
        let is_of_gpu = self.gpu().is_some();
        let notes = EngineNotes { passes: Arc::default(), is_of_gpu, why: None };
        Engine { notes: Some(notes), ..self.clone() }
    }

    /// The passes recorded so far; none without [`noting`](Engine::noting). Durations on the device are available once
    /// a call has waited for it.
    pub fn passes(&self) -> Vec<EnginePass> {
        self.notes.as_ref().map(|notes| notes.passes.passes()).unwrap_or_default()
    }

    /// The CPU engine that shares this one's plans, for work left to the CPU for the given reason.
    #[must_use]
    pub fn on_cpu_for(&self, why: &'static str) -> Engine {
        let notes =
            self.notes.clone().map(|notes| EngineNotes { why: notes.why.or(notes.is_of_gpu.then_some(why)), ..notes });
        Engine { device: ComputeDevice::Cpu, notes, ..self.clone() }
    }

    /// Runs work on the CPU that no method of an engine does, and records it with the reason why it runs there. No
    /// reason is needed on the CPU engine.
    pub fn here<T>(&self, pass: &'static str, why: &'static str, work: impl FnOnce() -> T) -> T {
        let _span = trace::span(pass);
        match &self.notes {
            Some(notes) => notes.passes.on_cpu(pass, notes.is_of_gpu.then_some(why), work),
            None => work(),
        }
    }

    /// As [`here`](Engine::here), for work that is already done.
    pub fn note_here(&self, pass: &'static str, why: &'static str, took: Duration) {
        if let Some(notes) = &self.notes {
            notes.passes.note_on_cpu(pass, notes.is_of_gpu.then_some(why), took);
        }
    }

    /// Sets whether the device times its passes for the notes, which costs some microseconds per submission. Otherwise
    /// they are timed only while a trace is recorded.
    pub fn set_times_passes(&self, are_timed: bool) {
        if let Some(gpu) = self.gpu() {
            gpu.set_times_passes(are_timed);
        }
    }

    /// Runs the CPU's part of a method of this engine and records it.
    pub(super) fn noted<T>(&self, pass: &'static str, work: impl FnOnce() -> T) -> T {
        match &self.notes {
            Some(notes) => notes.passes.on_cpu(pass, notes.why, work),
            None => work(),
        }
    }

    /// Records what this thread submits to the device until the result is dropped.
    pub(super) fn taking_notes(&self) -> NoteScope {
        taking(self.notes.as_ref().map(|notes| &notes.passes))
    }
}
