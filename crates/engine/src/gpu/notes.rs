//! Records which passes ran for a piece of work, and where, for the report of an edit.
//!
//! Passes on the device are recorded as they are submitted, if the submitting thread [takes notes](taking). Uploads,
//! copies and read-backs are not passes; neither is the computation of masks, windows, fields and plans.

use crate::base::lock;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Work done in one place, with all of its runs combined.
#[derive(Debug, Clone, PartialEq)]
pub struct EnginePass {
    /// Name of the shader or kernel.
    pub name: Cow<'static, str>,
    /// Whether it ran on the device.
    pub is_on_gpu: bool,
    /// Duration in milliseconds. On the device by its own timestamps; `None` if these were not taken.
    pub ms: Option<f64>,
    /// Why it ran on the CPU although the engine is the GPU.
    pub why: Option<&'static str>,
}

impl EnginePass {
    /// Name of the engine: `gpu` or `cpu`.
    pub fn engine(&self) -> &'static str {
        if self.is_on_gpu { "gpu" } else { "cpu" }
    }
}

/// The passes of one piece of work, in the order of their first runs.
#[derive(Debug, Default)]
pub struct PassNotes(Mutex<Vec<EnginePass>>);

thread_local! {
    static CURRENT_NOTES: RefCell<Option<Arc<PassNotes>>> = const { RefCell::new(None) };
}

/// Records what this thread submits until it is dropped.
#[must_use = "notes are taken until it is dropped"]
#[derive(Debug)]
pub struct NoteScope {
    before: Option<Arc<PassNotes>>,
}

/// Records what this thread submits from now on; nothing if `None`.
pub fn taking(notes: Option<&Arc<PassNotes>>) -> NoteScope {
    NoteScope { before: CURRENT_NOTES.replace(notes.cloned()) }
}

/// The notes that this thread currently takes.
pub(super) fn taken() -> Option<Arc<PassNotes>> {
    CURRENT_NOTES.with_borrow(Clone::clone)
}

impl Drop for NoteScope {
    fn drop(&mut self) {
        CURRENT_NOTES.set(self.before.take());
    }
}

impl PassNotes {
    /// The passes recorded so far.
    pub fn passes(&self) -> Vec<EnginePass> {
        lock(&self.0).clone()
    }

    /// Restores an earlier state of the notes.
    pub fn restore(&self, passes: Vec<EnginePass>) {
        *lock(&self.0) = passes;
    }

    /// Runs work on the CPU and records it.
    pub fn on_cpu<T>(&self, name: &'static str, why: Option<&'static str>, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.note_on_cpu(name, why, began.elapsed());
        done
    }

    /// Records work on the CPU that took this long.
    pub fn note_on_cpu(&self, name: &'static str, why: Option<&'static str>, took: Duration) {
        self.add(EnginePass { name: name.into(), is_on_gpu: false, ms: Some(1e3 * took.as_secs_f64()), why });
    }

    /// Records a pass submitted to the device.
    pub(super) fn note_submitted(&self, name: Cow<'static, str>) {
        self.add(EnginePass { name, is_on_gpu: true, ms: None, why: None });
    }

    /// Adds the duration of a pass on the device. Durations of work that was [discarded](PassNotes::restore) are
    /// dropped.
    pub(super) fn note_time(&self, name: &str, nanos: u64) {
        let mut passes = lock(&self.0);
        if let Some(pass) = passes.iter_mut().find(|pass| pass.is_on_gpu && pass.name == name) {
            pass.ms = Some(pass.ms.unwrap_or(0.0) + nanos as f64 / 1e6);
        }
    }

    fn add(&self, pass: EnginePass) {
        let mut passes = lock(&self.0);
        let is_same = |other: &&mut EnginePass| {
            other.is_on_gpu == pass.is_on_gpu && other.name == pass.name && other.why == pass.why
        };
        match passes.iter_mut().find(is_same) {
            Some(known) => {
                if let Some(ms) = pass.ms {
                    known.ms = Some(known.ms.unwrap_or(0.0) + ms);
                }
            }
            None => passes.push(pass),
        }
    }
}
