//! Writes sounds to files with the settings of a delivery.

use super::choice::{Delivery, LevelTarget, Taken};
use super::converted::{Converted, MEASURED_PART};
use crate::base::{Error, ErrorKind, Progress, Result, temporary_folder, trace};
use crate::document::Snapshot;
use crate::document::analysis::levels::{gain_to_loudness, lufs_of, peak_of};
use crate::document::labels::formats::{LabelsInSound, labels_of_range};
use crate::document::labels::{Label, LabelSet};
use crate::document::output::export::{ChangeSamples, ExportReport};
use crate::media::{Clipping, Container, Encoded, Encoding, Source, clipping_of, encode_as, highest_unclipped};
use std::ops::Range;
use std::path::Path;

/// Fraction of the progress before the final encoding of a file that needs trial encodings.
const CODED_PART: f64 = 0.8;
/// Leaves samples unchanged.
const UNCHANGED_SAMPLES: &ChangeSamples<'static> = &|_, _, _| Ok(());
/// Maximum number of trial encodings.
const MAX_TRIALS: usize = 3;
/// Maximum error of the loudness of the decoded file; beyond it, the gain is corrected again.
const MAX_ERROR_LU: f64 = 0.05;

/// Writes a range of a sound with its labels, which become cues of a WAV file, and chapters of other files. `labels`
/// has times of the whole sound. Unless converted, the sound is written bit-exactly: unchanged samples keep the
/// source's exact values.
///
/// # Errors
/// [`Io`](ErrorKind::Io), also if the output is the source's own file; [`Script`](ErrorKind::Script) for a range
/// without a sample; [`Unsupported`](ErrorKind::Unsupported) for options that the file format does not support, and for
/// channels that do not exist; [`Cancelled`](ErrorKind::Cancelled). Then `path` is unchanged.
pub fn deliver(
    (snapshot, labels): (&Snapshot, &LabelSet),
    samples: Range<u64>,
    path: &Path,
    delivery: &Delivery,
    progress: &Progress,
) -> Result<ExportReport> {
    let samples = samples.start..samples.end.min(snapshot.n_samples());
    let is_part = samples != (0..snapshot.n_samples());
    // Labels outside the sound are kept if all of it is written, and dropped if a part is.
    let inner = if is_part { Some(labels_of_range(labels, &samples, snapshot.sample_rate_hz())?) } else { None };
    let part = DeliveredPart { snapshot, samples, labels: inner.as_ref().unwrap_or(labels), change: None };
    let (mut report, held) = deliver_part(&part, path, delivery, progress)?;
    report.notices.extend(held.notices());
    Ok(report)
}

/// The contents of a file.
pub struct DeliveredPart<'a> {
    /// The sound.
    pub snapshot: &'a Snapshot,
    /// Range of its samples.
    pub samples: Range<u64>,
    /// The labels of the file, with times from its start.
    pub labels: &'a LabelSet,
    /// Changes the samples before they are mixed, resampled or amplified.
    pub change: Option<&'a ChangeSamples<'a>>,
}

/// As [`deliver`], for a part whose labels are given. Also returns the labels as stored in the file, with their losses.
///
/// # Errors
/// As [`deliver`], and errors of `change`.
pub fn deliver_part(
    part: &DeliveredPart<'_>,
    path: &Path,
    delivery: &Delivery,
    progress: &Progress,
) -> Result<(ExportReport, LabelsInSound)> {
    let _span = trace::span("export");
    delivery.check_in(Container::of(path)).map_err(|error| error.at(path))?;
    if part.snapshot.source().is_file_at(path) {
        let what = "is the open file, which is never overwritten; choose another name";
        return Err(Error::new(ErrorKind::Io, what).at(path));
    }
    let converted = Converted::of(
        part.snapshot,
        part.samples.clone(),
        part.change.unwrap_or(UNCHANGED_SAMPLES),
        delivery,
        progress,
    )?;
    let (labels, of_labels) = labels_written(part.labels, &converted)?;
    let written = (Container::of(path), converted.written_hz());
    let held = LabelsInSound::of(part.snapshot, &labels, converted.samples(), written)?;
    let (gain, of_level) = gain_for(&converted, path, delivery)?;
    let is_whole = part.samples == (0..part.snapshot.n_samples()) && converted.taken() == Taken::All;
    let is_as_it_was = is_whole && part.change.is_none() && !part.snapshot.is_edited();
    let encode = |path: &Path, gain: f64, part: [f64; 2]| {
        let is_as_loud = is_as_it_was && gain == 1.0;
        let encoding = held.encoding(&Encoding { is_as_loud, ..encoding_of(delivery) });
        let writing = progress.within(part);
        converted.to_write(gain, |sound, samples| encode_as(path, sound, samples, &encoding, &writing))
    };
    let (gain, from) = match delivery.level {
        LevelTarget::AsIs => (gain, 0.0),
        LevelTarget::Loudness(lufs) if Container::of(path).is_lossy() && of_level.is_none() => {
            let trial = |path: &Path, gain: f64| encode(path, gain, [MEASURED_PART, CODED_PART]).map(drop);
            (gain_as_decoded(gain, lufs, path, &trial, progress)?, CODED_PART)
        }
        LevelTarget::Peak(_) | LevelTarget::Loudness(_) => (gain, MEASURED_PART),
    };
    let Encoded { clipped, description, mut notices } = encode(path, gain, [from, 1.0])?;
    notices.extend(of_labels.into_iter().chain(of_level));
    Ok((ExportReport { clipped, description, notices }, held))
}

/// Clipping that [`deliver`] would cause in a file at `path`, without writing it.
///
/// # Errors
/// As [`deliver`], except write errors.
pub fn forecast(
    snapshot: &Snapshot,
    samples: Range<u64>,
    path: &Path,
    delivery: &Delivery,
    progress: &Progress,
) -> Result<Clipping> {
    delivery.check_in(Container::of(path))?;
    let converted = Converted::of(snapshot, samples, UNCHANGED_SAMPLES, delivery, progress)?;
    let (gain, _) = gain_for(&converted, path, delivery)?;
    let encoding = encoding_of(delivery);
    converted.to_write(gain, |sound, samples| clipping_of(path, sound, samples, &encoding, progress))
}

/// Storage format of the samples.
fn encoding_of(delivery: &Delivery) -> Encoding<'static> {
    let Delivery { format, dither, bit_rate, .. } = *delivery;
    Encoding { format, dither, bit_rate, ..Encoding::default() }
}

/// The gain to the target level, and a notice if the level cannot be reached.
fn gain_for(converted: &Converted<'_>, path: &Path, delivery: &Delivery) -> Result<(f64, Option<String>)> {
    if delivery.level == LevelTarget::AsIs {
        return Ok((1.0, None));
    }
    let peak = peak_of(converted)?;
    let gain = match delivery.level {
        _ if peak == 0.0 || !peak.is_finite() => None,
        LevelTarget::AsIs => Some(1.0),
        LevelTarget::Peak(db) => {
            let highest = converted.to_write(1.0, |sound, _| highest_unclipped(path, sound, &encoding_of(delivery)))?;
            Some(10f64.powf(db / 20.0).min(highest) / peak)
        }
        // Starts at a gain of 1, so that a sound below the loudness gate keeps its level.
        LevelTarget::Loudness(lufs) => gain_to_loudness(lufs, converted, 1.0)?,
    };
    let notice = match (gain, peak == 0.0) {
        (Some(_), _) => None,
        (None, true) => Some("there is only silence, whose level stays".to_owned()),
        (None, false) => Some("the sound is too quiet to have a loudness; its level stays".to_owned()),
    };
    Ok((gain.unwrap_or(1.0), notice))
}

/// The gain at which an encoded file has the target loudness when decoded, starting from the gain for the samples
/// before encoding: a lossy codec drops content, which changes the loudness. `encode` writes a trial file with a gain
/// to a temporary folder.
fn gain_as_decoded(
    gain: f64,
    lufs: f64,
    path: &Path,
    encode: &dyn Fn(&Path, f64) -> Result<()>,
    progress: &Progress,
) -> Result<f64> {
    let folder = temporary_folder()?;
    let trial = folder.as_ref().join("trial").with_extension(Container::of(path).ending());
    let mut gain = gain;
    for _ in 0..MAX_TRIALS {
        encode(&trial, gain).map_err(|error| error.at(path))?;
        let decoded = Snapshot::new(Source::open(&trial, &Progress::new())?.source);
        let (whole, as_it_is, at_begin) = (0..decoded.n_samples(), Delivery::default(), progress.within([0.0; 2]));
        let decoded = Converted::of(&decoded, whole, UNCHANGED_SAMPLES, &as_it_is, &at_begin)?;
        let Some(found) = lufs_of(&decoded, 1.0)? else { break };
        gain *= 10f64.powf((lufs - found) / 20.0);
        if (lufs - found).abs() < MAX_ERROR_LU {
            break;
        }
    }
    Ok(gain)
}

/// The labels of the written range, with times and frequencies converted, and a notice if some are of missing channels.
fn labels_written(labels: &LabelSet, converted: &Converted<'_>) -> Result<(LabelSet, Option<String>)> {
    let (speed, taken) = (converted.speed(), converted.taken());
    if speed == 1.0 && taken == Taken::All {
        return Ok((labels.clone(), None));
    }
    let is_written = |label: &&Label| match (taken, label.channel) {
        (Taken::One(channel), Some(of)) => usize::from(of) == channel,
        _ => true,
    };
    let written = |label: &Label| Label {
        secs: label.secs.map(|secs| secs / speed),
        low_hz: label.low_hz.map(|hz| hz * speed),
        high_hz: label.high_hz.map(|hz| hz * speed),
        channel: label.channel.filter(|_| taken == Taken::All),
        ..label.clone()
    };
    let kept: Vec<Label> = labels.iter().filter(is_written).map(written).collect();
    let notice = match labels.len() - kept.len() {
        0 => None,
        1 => Some("1 label of another channel is left out".into()),
        n => Some(format!("{n} labels of other channels are left out")),
    };
    Ok((LabelSet::of(kept)?, notice))
}
