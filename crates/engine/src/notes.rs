//! The passes that an engine and its clones record.

use crate::gpu::PassNotes;
use std::sync::Arc;

/// The notes of an engine and its clones.
#[derive(Debug, Clone)]
pub(super) struct EngineNotes {
    pub passes: Arc<PassNotes>,
    /// Whether the work began on a GPU engine, so that work on the CPU needs a reason.
    pub is_of_gpu: bool,
    /// Why this engine is the CPU although the work began on the GPU.
    pub why: Option<&'static str>,
}
