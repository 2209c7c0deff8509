//! Report of an edit, in figures and sentences.

use crate::dsp::repair::isolation::SpeechMap;
use crate::engine::EnginePass;
use std::sync::Arc;

/// Report of an edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditReport {
    /// The passes that ran, in the order of their first runs: analysis, kernels, phases, synthesis, edits of samples.
    /// Masks, plans and copies are not passes.
    pub passes: Vec<EnginePass>,
    /// Number of frames with at least one changed coefficient, summed over channels.
    pub touched_frames: u64,
    /// Number of samples written, summed over channels.
    pub touched_samples: u64,
    /// Distance of the sound's own cells from the painted ones, relative to the change of the edit:
    /// `20 log10(||STFT(y) - C'|| / ||C' - C||)` over the cells under the brush. `None` if nothing changed, and while a
    /// stroke is in progress.
    pub consistency_db: Option<f64>,
    /// How far the edit extends past the end of the sound, in seconds; `None` if it fits.
    pub past_end_secs: Option<f64>,
    /// Short summary of what the edit detected: "50.03 Hz, 11 harmonics, -34 dB".
    pub found: Option<String>,
    /// The fraction of speech in each cell, from edits that estimate it.
    pub speech: Option<Arc<SpeechMap>>,
    /// Notices for the user, such as an edit that covers no cell.
    pub notices: Vec<String>,
}

impl EditReport {
    /// Engine of the edit: `gpu`, `cpu`, or `mixed` if both were used. An edit without passes counts as `cpu`.
    pub fn engine(&self) -> &'static str {
        let has = |is_on_gpu: bool| self.passes.iter().any(|pass| pass.is_on_gpu == is_on_gpu);
        match (has(true), has(false)) {
            (false, _) => "cpu",
            (true, false) => "gpu",
            (true, true) => "mixed",
        }
    }
}
