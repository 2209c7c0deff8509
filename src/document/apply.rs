//! The one function that changes sound.

use super::{Edit, Snapshot};
use crate::base::{Progress, Result};
use crate::engine::Engine;
use std::ops::Range;

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditReport {
    /// `gpu` or `cpu`.
    pub engine: &'static str,
    /// Frames with at least one changed coefficient, summed over channels.
    pub touched_frames: u64,
    /// Samples written, summed over channels.
    pub touched_samples: u64,
    /// Such as an edit that reaches no cell.
    pub notices: Vec<String>,
}

/// The new sound, and what was done.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The sound after the edit.
    pub snapshot: Snapshot,
    /// Figures.
    pub report: EditReport,
    /// Runs of samples that may have changed, any channel, ascending and disjoint.
    pub changed: Vec<Range<u64>>,
}

/// Applies an edit: `y = x + OLA(C' - C) / sum(w^2)` over the touched frames.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) where the edit does not fit the sound (a channel it lacks, too large a
/// patch), [`Cancelled`](crate::base::ErrorKind::Cancelled), and the engine's.
pub fn apply(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    let _ = (snapshot, edit, engine, progress);
    unimplemented!()
}
