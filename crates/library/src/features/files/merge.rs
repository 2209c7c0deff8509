//! Merges shards: joins arrays in order, and writes index and report as one process would have.

use super::claim::{Claim, remove_abandoned};
use super::disk::{FileSeal, full_or_io, remove};
use super::index::{IndexRow, read_index, write_index};
use super::output::ArrayLayout;
use super::report::{EngineStats, FeatureReport, INDEX_NAME, MergedShard, REPORT_NAME, ShardNote, write_json};
use super::stored_path::StoredPath;
use super::verify::check_whole;
use crate::base::{Error, ErrorKind, Progress, Result, check_room, open_regular};
use crate::features::build::seals;
use crate::library::identity::recordings::FileHasher;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Number of bytes copied between checks for cancellation.
const COPY_BYTES: u64 = 64 << 20;

/// Inputs and options of a merge.
#[derive(Debug, Clone)]
pub struct MergeOrder {
    /// Folders of shards, and folders that contain some.
    pub shards: Vec<PathBuf>,
    /// The output folder.
    pub output: PathBuf,
    /// Whether an existing output is replaced.
    pub replaces: bool,
    /// Writes only the index and the report; the arrays stay in the shards.
    pub keeps_shards: bool,
}

/// A shard and its report.
struct Shard {
    folder: PathBuf,
    report: FeatureReport,
    note: ShardNote,
}

/// Merges all shards of a manifest. Arrays and index are byte-identical to those of a single process; the report
/// differs only in seconds and shard entries.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed) if shards are missing, damaged or from different manifests;
/// [`Io`](ErrorKind::Io); [`DiskFull`](ErrorKind::DiskFull); [`Cancelled`](ErrorKind::Cancelled).
pub fn merge_features(order: &MergeOrder, progress: &Progress) -> Result<FeatureReport> {
    let output = &order.output;
    if output.exists() && !order.replaces {
        let sentence = "is already there; choose another name, or add --replace";
        return Err(Error::new(ErrorKind::Io, sentence).at(output));
    }
    let shards = find_shards(&order.shards)?;
    check_all_there(&shards)?;
    let found = |folder: &Path| std::fs::canonicalize(folder).ok();
    if output.exists() && shards.iter().any(|shard| found(&shard.folder) == found(output)) {
        return Err(Error::new(ErrorKind::Io, "is one of the shards; choose another name for the output").at(output));
    }
    for shard in &shards {
        tracing::debug!(folder = %shard.folder.display(), "checks a shard");
        check_whole(&shard.folder, &shard.report, progress)?;
    }
    let mut claim = Claim::of(output)?;
    if claim.started()?.is_some() && !order.replaces {
        let sentence = "was left by a run that stopped; finish it with --resume, or add --replace to remove it";
        return Err(Error::new(ErrorKind::Io, sentence).at(&claim.folder));
    }
    // A merge that was killed starts over.
    claim.start_over(None)?;
    let filled = fill(&claim.folder, &shards, order.keeps_shards, progress);
    let report = match filled {
        Ok(report) => report,
        Err(error) => {
            remove(&claim.folder)?;
            return Err(match error.kind() {
                ErrorKind::DiskFull => {
                    let sentence = "does not fit on its disk; free some space, or leave the arrays with --keep-shards";
                    Error::new(ErrorKind::DiskFull, sentence).at(output)
                }
                _ => error,
            });
        }
    };
    claim.put_in_place(output, order.replaces)?;
    shards.iter().for_each(|shard| remove_abandoned(&shard.folder));
    Ok(report)
}

/// Writes everything; the folder gets its final name later.
fn fill(folder: &Path, shards: &[Shard], keeps_shards: bool, progress: &Progress) -> Result<FeatureReport> {
    let options = &shards[0].report.options;
    let n_rows = shards.iter().map(|shard| shard.report.shape[0]).sum();
    if !keeps_shards {
        let layouts = ArrayLayout::all(options, n_rows);
        check_room(folder, layouts.iter().map(|layout| layout.n_bytes(n_rows)).fold(0, u64::saturating_add))?;
        for (index, layout) in layouts.iter().enumerate() {
            tracing::debug!(name = layout.name, rows = n_rows, "joins");
            join_arrays(shards, index, layout, &folder.join(layout.name), progress)?;
        }
    }
    if options.has_index {
        join_indices(shards, &folder.join(INDEX_NAME))?;
    }
    let written = match keeps_shards {
        true => index_seal(folder, options.has_index, progress)?,
        false => seals(folder, options, progress)?,
    };
    let report = merged(shards, n_rows, written, keeps_shards)?;
    write_json(&folder.join(REPORT_NAME), &report)?;
    Ok(report)
}

/// The shards, sorted by number.
fn find_shards(inputs: &[PathBuf]) -> Result<Vec<Shard>> {
    let mut shards = Vec::new();
    for input in inputs {
        let io = |error: std::io::Error| Error::io(&error, "read", input);
        if input.join(REPORT_NAME).exists() {
            shards.push(Shard::read(input.clone())?);
            continue;
        }
        for entry in std::fs::read_dir(input).map_err(io)? {
            let folder = entry.map_err(io)?.path();
            // Shards still being built have a suffix after a dot.
            let is_shard = |name: &str| name.starts_with("shard-") && !name.contains('.');
            if folder.file_name().and_then(|name| name.to_str()).is_some_and(is_shard) {
                shards.push(Shard::read(folder)?);
            }
        }
    }
    shards.sort_by_key(|shard| shard.note.index);
    Ok(shards)
}

impl Shard {
    fn read(folder: PathBuf) -> Result<Shard> {
        let report = FeatureReport::read(&folder)?;
        let Some(note) = report.shard.clone() else {
            let sentence = "holds features that are no shard; name folders of features --shard";
            return Err(Error::new(ErrorKind::Malformed, sentence).at(&folder));
        };
        Ok(Shard { folder, report, note })
    }
}

/// Checks that every shard of one manifest is present exactly once.
fn check_all_there(shards: &[Shard]) -> Result<()> {
    let refuse = |why: String, at: &Path| Err(Error::new(ErrorKind::Malformed, why).at(at));
    let Some(first) = shards.first() else {
        return Err(Error::new(ErrorKind::Malformed, "no shards were found; name the folder that contains them"));
    };
    for shard in shards {
        let is_same = shard.note.manifest == first.note.manifest && shard.note.of == first.note.of;
        if !is_same || shard.report.options != first.report.options {
            return refuse("is a shard of another manifest; merge the shards of one".into(), &shard.folder);
        }
    }
    let of = first.note.of;
    let missing: Vec<usize> =
        (0..of).filter(|index| shards.binary_search_by_key(index, |shard| shard.note.index).is_err()).collect();
    if let Some(index) = missing.first() {
        let n = missing.len();
        let which = if n == 1 { format!("shard {index}") } else { format!("{n} shards, {index} the first") };
        let sentence = format!("{which} of {of} missing; compute every shard from 0/{of} on, then merge");
        return Err(Error::new(ErrorKind::Malformed, sentence));
    }
    for pair in shards.windows(2) {
        if pair[0].note.index == pair[1].note.index {
            return refuse("is a shard that was named twice".into(), &pair[1].folder);
        }
        if pair[0].note.rows[1] != pair[1].note.rows[0] || pair[0].note.files[1] != pair[1].note.files[0] {
            return refuse("does not follow the shard before it; its report is damaged".into(), &pair[1].folder);
        }
    }
    Ok(())
}

/// Concatenates the rows of one array from all shards.
fn join_arrays(shards: &[Shard], index: usize, layout: &ArrayLayout, path: &Path, progress: &Progress) -> Result<()> {
    let io = |error: std::io::Error| full_or_io(&error, path);
    let mut out = File::create(path).map_err(io)?;
    out.write_all(&layout.header).map_err(io)?;
    for Shard { folder, report, .. } in shards {
        let n_rows = report.shape[0];
        let of_shard = &ArrayLayout::all(&report.options, n_rows)[index];
        let from = folder.join(of_shard.name);
        let read = |error: std::io::Error| Error::io(&error, "read", &from);
        let (mut file, _) = open_regular(&from)?;
        file.seek(SeekFrom::Start(of_shard.header.len() as u64)).map_err(read)?;
        let mut left = of_shard.n_bytes(n_rows) - of_shard.header.len() as u64;
        while left > 0 {
            progress.check()?;
            // Copying between two files lets the system copy without moving the bytes through this process, if it can.
            let n = std::io::copy(&mut (&mut file).take(left.min(COPY_BYTES)), &mut out).map_err(io)?;
            if n == 0 {
                return Err(Error::new(ErrorKind::SourceChanged, "became shorter while it was merged").at(&from));
            }
            left -= n;
        }
    }
    out.sync_all().map_err(io)
}

/// Joins the indices, holding one shard's rows at a time.
fn join_indices(shards: &[Shard], path: &Path) -> Result<()> {
    let mut failed = None;
    let rows_of = |shard: &Shard| {
        let mut rows: Vec<IndexRow> = Vec::new();
        let read = read_index(&shard.folder.join(INDEX_NAME), &mut |more| {
            rows.extend(more);
            Ok(())
        });
        failed = read.err().or(failed.take());
        rows
    };
    write_index(path, shards.iter().flat_map(rows_of))?;
    failed.map_or(Ok(()), Err)
}

fn index_seal(folder: &Path, has_index: bool, progress: &Progress) -> Result<BTreeMap<String, FileSeal>> {
    let mut hasher = FileHasher::default();
    let seal = |name: &str| Ok((name.to_owned(), FileSeal::of(&folder.join(name), &mut hasher, progress)?));
    has_index.then_some(INDEX_NAME).into_iter().map(seal).collect()
}

fn merged(
    shards: &[Shard],
    n_rows: u64,
    written: BTreeMap<String, FileSeal>,
    keeps_shards: bool,
) -> Result<FeatureReport> {
    let first = &shards[0].report;
    // Notices with numbers of files are replaced by those for all shards.
    let counted = first.counted_notices();
    let mut notices: Vec<String> = first.notices.iter().filter(|notice| !counted.contains(notice)).cloned().collect();
    if let Some(other) = shards.iter().find(|shard| !shard.report.is_of_like_machine(first)) {
        notices.push(format!(
            "shard {} was computed by another version, engine or kind of processor than shard 0: values may differ in \
             their last bit from those of one machine",
            other.note.index
        ));
    }
    let note = |shard: &Shard| {
        let path = || std::path::absolute(&shard.folder).map_err(|error| Error::io(&error, "read", &shard.folder));
        Ok(MergedShard {
            index: shard.note.index,
            program: shard.report.program.clone(),
            engine: shard.report.engine.clone(),
            processor: shard.report.processor.clone(),
            seconds: shard.report.seconds,
            folder: if keeps_shards { Some(StoredPath(path()?)) } else { None },
        })
    };
    let report = FeatureReport {
        shape: [n_rows, first.shape[1], first.shape[2]],
        files: shards.iter().map(|shard| shard.report.files).sum(),
        padded: shards.iter().map(|shard| shard.report.padded).sum(),
        cut: shards.iter().map(|shard| shard.report.cut).sum(),
        failures: shards.iter().flat_map(|shard| shard.report.failures.clone()).collect(),
        noted: shards.iter().flat_map(|shard| shard.report.noted.clone()).collect(),
        notices,
        written,
        stats: EngineStats::summed(shards.iter().flat_map(|shard| &shard.report.stats)),
        seconds: shards.iter().map(|shard| shard.report.seconds).sum(),
        shard: None,
        shards: Some(shards.iter().map(note).collect::<Result<_>>()?),
        ..first.clone()
    };
    let counted = report.counted_notices();
    Ok(FeatureReport { notices: [report.notices.clone(), counted].concat(), ..report })
}
