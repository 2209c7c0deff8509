//! From a snapshot to a file.

use super::Snapshot;
use crate::base::{Progress, Result};
use std::path::Path;

/// What was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportReport {
    /// Samples whose value was beyond full scale.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`.
    pub description: String,
    /// One sentence each.
    pub notices: Vec<String>,
}

/// Writes a WAV file atomically; unchanged samples as the source's own values.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), and an output that is the source's own file.
pub fn export(
    snapshot: &Snapshot,
    path: &Path,
    format: crate::media::ExportFormat,
    dither: Option<crate::media::Dither>,
    progress: &Progress,
) -> Result<ExportReport> {
    let _ = (snapshot, path, format, dither, progress);
    unimplemented!()
}
