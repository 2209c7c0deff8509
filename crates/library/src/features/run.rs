//! A run over many files: from the inputs to a complete folder.

use super::build::{Build, FeatureWork};
use super::files::claim::{Claim, partial_folder, refuse_in_progress};
use super::files::guard::{refuse_foreign, refuse_foreign_partial};
use super::files::manifest::{FILES_PER_TASK, Manifest};
use super::files::report::FeatureReport;
use super::options::FeatureOptions;
use super::status::RunStatus;
use super::tasks::ManifestPart;
use crate::base::{Error, ErrorKind, Progress, Result};
use std::path::{Path, PathBuf};

/// Inputs, output and options of a run.
#[derive(Debug, Clone)]
pub struct FeatureOrder {
    /// Files and folders.
    pub inputs: Vec<PathBuf>,
    /// The output folder.
    pub output: PathBuf,
    /// Options of the features.
    pub options: FeatureOptions,
    /// Whether to resume an earlier run of the same order.
    pub is_resumed: bool,
    /// Whether to continue on the engine of the earlier run, even if the options name the other one.
    pub keeps_engine: bool,
    /// Number of files whose rows are written, synced and logged together, 1 to 1,024; `None` means 64. A resumed run
    /// keeps its number.
    pub files_per_task: Option<usize>,
    /// How to run.
    pub work: FeatureWork,
}

/// Writes the features of many files to a folder: `features.npy`, `mapping.npy`, `files.parquet` and `features.json`.
/// The folder is either complete or absent; `status` is called on this thread during the run.
///
/// # Errors
/// One sentence, with advice. A file that cannot be read is not an error: its rows hold silence, and the report says
/// why. An interrupted run stays in `OUT.partial`, to be continued with `is_resumed`.
pub fn write_features(
    order: &FeatureOrder,
    progress: &Progress,
    status: &mut dyn FnMut(&RunStatus),
) -> Result<FeatureReport> {
    refuse_existing(order)?;
    let mut manifest = Manifest::of(&order.inputs, &order.options, order.work.jobs, progress)?;
    manifest.files_per_task = Some(order.files_per_task.unwrap_or(FILES_PER_TASK));
    // Chosen before anything is written, so that a missing GPU is reported first.
    let mut engine = order.work.engine_for(&manifest.options)?;
    let mut claim = Claim::of(&order.output)?;
    let started = if order.is_resumed { claim.started()? } else { None };
    if let Some(started) = started.as_ref().filter(|_| order.keeps_engine) {
        manifest.options.engine = started.options.engine;
        engine = order.work.engine_for(&manifest.options)?;
    }
    let is_resumed = started.is_some();
    match started {
        Some(started) => {
            refuse_another(&started, &manifest, &claim.folder)?;
            let kept = claim.log.files_per_task()?.unwrap_or(started.files_per_task());
            if let Some(typed) = order.files_per_task.filter(|typed| *typed != kept) {
                let what =
                    format!("the run was begun with {kept} files a task and goes on with them, not with {typed}");
                manifest.notices.push(what);
            }
            manifest.files_per_task = Some(kept);
        }
        None => claim.start_over(Some(&manifest))?,
    }
    let part = ManifestPart { root: &manifest.root.0, files: 0..manifest.files.len(), manifest: &manifest };
    let build = Build { part, is_resumed, work: &order.work, engine, shard: None };
    let report = build.carry_out(&mut claim, progress, status).map_err(|error| match error.kind() {
        ErrorKind::Cancelled => {
            let sentence = "was interrupted; run the same command with --resume to go on";
            Error::new(ErrorKind::Cancelled, sentence).at(&order.output)
        }
        _ => error,
    })?;
    claim.put_in_place(&order.output, order.work.replaces)?;
    tracing::debug!(output = %order.output.display(), "in place");
    Ok(report)
}

fn refuse_existing(order: &FeatureOrder) -> Result<()> {
    let refuse = |why: &str, at: &Path| Err(Error::new(ErrorKind::Io, why).at(at));
    if order.work.replaces {
        return refuse_foreign(&order.output);
    }
    if order.output.exists() {
        return refuse("is already there; choose another name, or add --replace", &order.output);
    }
    let partial = partial_folder(&order.output);
    if partial.exists() && !order.is_resumed {
        refuse_foreign_partial(&partial)?;
        refuse_in_progress(&partial)?;
        return refuse("was left by a run that stopped; add --resume to go on, or --replace to start over", &partial);
    }
    Ok(())
}

/// Refuses to resume a run that began with other options or files.
fn refuse_another(started: &Manifest, now: &Manifest, partial: &Path) -> Result<()> {
    let refuse = |why: String| Err(Error::new(ErrorKind::Io, why).at(partial));
    if started.options != now.options {
        return refuse("was begun with other options; use the same ones, or start over with --replace".into());
    }
    if started.root != now.root || started.files != now.files {
        let changed = started.files.iter().zip(&now.files).find(|(started, now)| started != now);
        let what = changed
            .map_or_else(|| "files were added or removed".to_owned(), |(_, now)| format!("{} has changed", now.path));
        return refuse(format!("cannot be resumed: {what}; start over with --replace"));
    }
    Ok(())
}
