//! A shard of a manifest: computed by one of many machines, in a folder of its own.

use super::build::{Build, FeatureWork};
use super::files::claim::{Claim, forget, remove_abandoned};
use super::files::manifest::Manifest;
use super::files::report::{FeatureReport, ShardNote};
use super::files::verify::check_lengths;
use super::options::FeatureEngine;
use super::status::RunStatus;
use super::tasks::ManifestPart;
use crate::base::{Error, ErrorKind, Progress, Result};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A shard to write.
#[derive(Debug, Clone)]
pub struct ShardOrder {
    /// Path of the manifest.
    pub manifest: PathBuf,
    /// Replaces the manifest's root.
    pub root: Option<PathBuf>,
    /// Number of the shard, counted from 0.
    pub index: usize,
    /// Number of shards.
    pub of: usize,
    /// The folder that will contain the shard's own folder.
    pub folder: PathBuf,
    /// The engine that the user chose, which must match the manifest.
    pub engine: Option<FeatureEngine>,
    /// How to run.
    pub work: FeatureWork,
}

/// Writes one shard of a manifest to `FOLDER/shard-00007-of-00064`. Skips a complete shard, and resumes one of a killed
/// process; two processes may write the same one concurrently.
///
/// # Errors
/// As [`write_features`](super::run::write_features), and if a file differs from the manifest.
pub fn write_shard(
    order: &ShardOrder,
    progress: &Progress,
    status: &mut dyn FnMut(&RunStatus),
) -> Result<FeatureReport> {
    let manifest = Manifest::read(&order.manifest)?;
    let listed = manifest.options.engine;
    if order.engine.is_some_and(|requested| requested != listed) {
        let sentence =
            format!("was listed for the {}; list the files again for another engine", listed.name().to_uppercase());
        return Err(Error::new(ErrorKind::Script, sentence).at(&order.manifest));
    }
    let hash = blake3::hash(manifest.text()?.as_bytes()).to_hex().to_string();
    let files = files_of_shard(manifest.files.len(), order.index, order.of);
    let root = order.root.as_deref().unwrap_or(&manifest.root.0);
    let part = ManifestPart { manifest: &manifest, root, files: files.clone() };
    let rows = part.rows();
    let note = ShardNote {
        index: order.index,
        of: order.of,
        manifest: hash,
        files: [files.start, files.end],
        rows: [rows.start, rows.end],
    };
    let output = order.folder.join(shard_name(order.index, order.of));
    if let Some(report) = finished_shard(&output, &note, order.work.replaces)? {
        remove_abandoned(&output);
        return Ok(report);
    }
    refuse_changed(&part, &order.manifest)?;
    let engine = order.work.engine_for(&manifest.options)?;
    let mut claim = Claim::first_free(&output)?;
    let begins = manifest.part(files);
    // Work begun for another part is dropped, since it can be computed again.
    let is_resumed = claim.started().is_ok_and(|started| started.is_some_and(|started| started == begins));
    if !is_resumed {
        claim.start_over(Some(&begins))?;
    }
    tracing::debug!(index = order.index, of = order.of, is_resumed, "shard begins");
    let build = Build { part, is_resumed, work: &order.work, engine, shard: Some(note) };
    let report = build.carry_out(&mut claim, progress, status).map_err(|error| match error.kind() {
        ErrorKind::Cancelled => {
            let sentence = "was interrupted; run the same command to go on";
            Error::new(ErrorKind::Cancelled, sentence).at(&output)
        }
        _ => error,
    })?;
    if order.work.replaces {
        claim.put_in_place(&output, true)?;
    } else if !claim.put_in_place_if_first(&output)? {
        let first = FeatureReport::read(&output)?;
        if first.is_of_like_machine(&report) && first.timeless() != report.timeless() {
            let sentence = "was written by another process meanwhile, with other results; check both machines' memory";
            return Err(Error::new(ErrorKind::Io, sentence).at(&output));
        }
    }
    remove_abandoned(&output);
    Ok(report)
}

/// The folder of a shard.
fn shard_name(index: usize, of: usize) -> String {
    format!("shard-{index:05}-of-{of:05}")
}

/// Files with `index * of / n_files == shard`.
pub fn files_of_shard(n_files: usize, shard: usize, of: usize) -> Range<usize> {
    let first = |shard: usize| (shard as u128 * n_files as u128).div_ceil(of as u128) as usize;
    first(shard)..first(shard + 1)
}

/// The report of a shard that exists and is complete.
fn finished_shard(output: &Path, note: &ShardNote, replaces: bool) -> Result<Option<FeatureReport>> {
    if replaces || !output.exists() {
        return Ok(None);
    }
    let refuse = |why: &str| Err(Error::new(ErrorKind::Io, why).at(output));
    let Ok(report) = FeatureReport::read(output) else {
        return refuse("is there and is no shard; choose another folder, or add --replace");
    };
    if report.shard.as_ref() != Some(note) {
        return refuse("is a shard of another manifest; choose another folder, or add --replace");
    }
    check_lengths(output, &report)?;
    forget(output)?;
    Ok(Some(report))
}

/// Refuses a manifest whose files have changed since it was written.
fn refuse_changed(part: &ManifestPart, manifest: &Path) -> Result<()> {
    let mut changed = part.manifest.files[part.files.clone()].iter().filter(|file| !file.is_unchanged(part.root));
    let Some(first) = changed.next() else { return Ok(()) };
    let more = changed.count();
    let others = if more == 0 { String::new() } else { format!(" and {more} more") };
    let sentence = format!("does not describe {}{others}, which changed or is gone; list the files again", first.path);
    Err(Error::new(ErrorKind::SourceChanged, sentence).at(manifest))
}
