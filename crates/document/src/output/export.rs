//! Exports a snapshot to a file.

use crate::Snapshot;
use crate::base::{Progress, Result, trace};
use crate::media::{Dither, Encoded, Encoding, ExportFormat, FindOrigins, SoundToWrite, encode_as};
use std::ops::Range;
use std::path::Path;

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportReport {
    /// Number of samples beyond full scale.
    pub clipped: u64,
    /// Format for display: `WAV, 24 bit`.
    pub description: String,
    /// Notices, one sentence each; the one about clipped samples comes first.
    pub notices: Vec<String>,
}

/// Writes a file atomically, in the container of its extension; unchanged samples keep the source's exact values. If
/// `dither` is `None`, formats of up to 16 bits get [`Dither::Tpdf`], others none.
///
/// # Errors
/// As [`encode_as`].
pub fn export(
    snapshot: &Snapshot,
    path: &Path,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<ExportReport> {
    export_part(snapshot, 0..snapshot.n_samples(), path, format, dither, progress)
}

/// As [`export`], for a range of samples.
///
/// # Errors
/// As [`export`], and [`Script`](crate::base::ErrorKind::Script) for a range without a sample.
pub fn export_part(
    snapshot: &Snapshot,
    samples: Range<u64>,
    path: &Path,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<ExportReport> {
    export_as(snapshot, samples, path, &Encoding { format, dither, ..Encoding::default() }, progress)
}

/// As [`export_part`], with all settings of an [`Encoding`].
///
/// # Errors
/// As [`export_part`].
pub fn export_as(
    snapshot: &Snapshot,
    samples: Range<u64>,
    path: &Path,
    encoding: &Encoding<'_>,
    progress: &Progress,
) -> Result<ExportReport> {
    let _span = trace::span("export");
    let Encoded { clipped, description, notices } =
        with_changed(snapshot, &|_, _, _| Ok(()), |sound| encode_as(path, sound, samples, encoding, progress))?;
    Ok(ExportReport { clipped, description, notices })
}

/// Changes samples while they are written, given their channel and the position of the first of them.
pub type ChangeSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// Calls `take` with a sound whose samples are changed as they are read.
pub(crate) fn with_changed<R>(
    snapshot: &Snapshot,
    change: &ChangeSamples<'_>,
    take: impl FnOnce(&SoundToWrite<'_>) -> R,
) -> R {
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        snapshot.read(channel, first as i64, out)?;
        change(channel, first, out)
    };
    let origins = |samples: Range<u64>| snapshot.origins(samples);
    let origins: Option<&FindOrigins<'_>> = if snapshot.is_in_place() { None } else { Some(&origins) };
    take(&SoundToWrite::of(snapshot.source(), snapshot.n_samples(), &read, origins))
}
