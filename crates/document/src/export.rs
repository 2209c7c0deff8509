//! From a snapshot to a file.

use super::Snapshot;
use super::labels::LabelSet;
use super::labels::formats::{LabelsInSound, labels_of_range};
use crate::base::{Progress, Result, trace};
use crate::media::{Dither, Encoded, Encoding, ExportFormat, FindOrigins, SoundToWrite, encode_as};
use std::ops::Range;
use std::path::Path;

/// What was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportReport {
    /// Samples whose value was beyond full scale.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`.
    pub description: String,
    /// One sentence each; the one about clipped samples first.
    pub notices: Vec<String>,
}

/// Writes a file atomically, of the kind that its name says; unchanged samples keep the source's exact values. With `dither` `None`, formats of up
/// to 16 bits get [`Dither::Tpdf`], others none.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), and an output that is the source's own file.
pub fn export(
    snapshot: &Snapshot,
    path: &Path,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<ExportReport> {
    export_part(snapshot, 0..snapshot.n_samples(), path, format, dither, progress)
}

/// [`export`] of a range of samples.
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

/// [`export_as`] with labels, whose times are those of the whole sound: as cues of a WAV file, as chapters of others.
///
/// # Errors
/// As [`export_part`].
pub fn export_labelled(
    (snapshot, labels): (&Snapshot, &LabelSet),
    samples: Range<u64>,
    path: &Path,
    encoding: &Encoding<'_>,
    progress: &Progress,
) -> Result<ExportReport> {
    let samples = samples.start..samples.end.min(snapshot.n_samples());
    let is_part = samples != (0..snapshot.n_samples());
    // Labels outside the sound belong to all of it, and to no part.
    let inner = if is_part { Some(labels_of_range(labels, &samples, snapshot.sample_rate_hz())?) } else { None };
    let held = LabelsInSound::of(snapshot, inner.as_ref().unwrap_or(labels), &samples, path)?;
    let mut report = export_as(snapshot, samples, path, &held.encoding(encoding), progress)?;
    report.notices.extend(held.notices());
    Ok(report)
}

/// [`export_part`], and with other chunks.
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
    export_changed(snapshot, samples, path, encoding, &|_, _, _| Ok(()), progress)
}

/// Changes samples on their way into a file: channel, first sample, samples.
pub type ChangeSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// [`export_as`] of samples that are changed on their way.
///
/// # Errors
/// As [`export_part`], and what `change` returns.
pub fn export_changed(
    snapshot: &Snapshot,
    samples: Range<u64>,
    path: &Path,
    encoding: &Encoding<'_>,
    change: &ChangeSamples<'_>,
    progress: &Progress,
) -> Result<ExportReport> {
    let _span = trace::span("export");
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        snapshot.read(channel, first as i64, out)?;
        change(channel, first, out)
    };
    let origins = |samples: Range<u64>| snapshot.origins(samples);
    let origins: Option<&FindOrigins<'_>> = if snapshot.is_in_place() { None } else { Some(&origins) };
    let sound = SoundToWrite { source: snapshot.source(), n_samples: snapshot.n_samples(), read: &read, origins };
    let Encoded { clipped, description, notices } = encode_as(path, &sound, samples, encoding, progress)?;
    Ok(ExportReport { clipped, description, notices })
}
