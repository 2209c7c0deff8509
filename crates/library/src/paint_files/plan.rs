//! Maps inputs to outputs, and refuses conflicts before anything is written.

use super::order::{PaintFilesOrder, PaintOutputs};
use super::report::{PaintHead, PaintReport, VERSION};
use crate::base::{Error, ErrorKind, FileId, Progress, Result, file_id, path_bytes, shown_path};
use crate::document::labels::formats::{LabelReading, read_label_file};
use crate::library::features::StoredPath;
use crate::library::file_work::{FoundFile, FoundFiles, find_files};
use crate::library::identity::recordings::file_key;
use crate::media::{Container, FileStamp, MAX_RATE_HZ};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Error message for an output that exists and must not be replaced.
pub(super) const OUTPUT_EXISTS: &str = "is already there; choose another folder, or add --overwrite";

/// An input and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPaint {
    /// Path of the input, relative to the root.
    pub file: PathBuf,
    /// Size and time of the input when it was found.
    pub stamp: FileStamp,
    /// Path of the output, relative to the output folder.
    pub output: PathBuf,
}

/// The plan of a run, made before anything is written.
#[derive(Debug, Clone)]
pub struct PaintPlan {
    /// The nearest folder that contains every input, absolute.
    pub root: PathBuf,
    /// The output folder, as given.
    pub folder: PathBuf,
    /// Inputs in order.
    pub files: Vec<PlannedPaint>,
    /// Notices from finding the inputs, one sentence each.
    pub notices: Vec<String>,
    /// Existing outputs that may be replaced, relative to the output folder.
    pub(super) there: HashSet<PathBuf>,
    /// The report to resume.
    pub(super) started: Option<PaintReport>,
    pub(super) head: PaintHead,
}

impl PaintPlan {
    /// Plans a run.
    ///
    /// # Errors
    /// One sentence: if an input does not exist, two inputs have the same output, an output is an input or exists,
    /// outputs would be inside a folder of inputs, the report is not a report, or the labels cannot be read; cancelled.
    pub fn of(order: &PaintFilesOrder, progress: &Progress) -> Result<PaintPlan> {
        let FoundFiles { root, folders, files, notices } = find_files(&order.inputs, progress)?;
        let place = place_of(&order.outputs.folder)?;
        if place.is_file() {
            let what = "is a file, and several outputs need a folder; choose another name";
            return Err(usage(what).at(&order.outputs.folder));
        }
        if let Some(around) = folders.iter().find(|input| place.starts_with(input)) {
            let what = format!("lies within the input {}; choose a folder outside it", shown_path(around));
            return Err(usage(what).at(&order.outputs.folder));
        }
        let files: Vec<PlannedPaint> = files
            .into_iter()
            .enumerate()
            .map(|(index, file)| planned(order, file, index + 1))
            .collect::<Result<_>>()?;
        order.labels.as_deref().map_or(Ok(()), check_labels)?;
        let folder = order.outputs.folder.clone();
        refuse_shared(&files, &folder)?;
        let head = PaintHead {
            version: VERSION,
            script: order.script.hash.clone(),
            labels: order.labels.as_deref().map(|labels| file_key(labels, progress)).transpose()?,
            n: files.len(),
            root: StoredPath(root.clone()),
            output: StoredPath(place.clone()),
            plan: hash_of(&files),
        };
        let started = match &order.report {
            Some(report) => {
                refuse_report(report, &files, &place)?;
                started(report, order, &head)?
            }
            None => None,
        };
        let mut plan = PaintPlan { root, folder, files, notices, there: HashSet::new(), started, head };
        plan.refuse_existing(order, progress)?;
        let is_there = |output: &PathBuf| plan.folder.join(output).symlink_metadata().is_ok();
        plan.there = plan.files.iter().map(|planned| planned.output.clone()).filter(is_there).collect();
        Ok(plan)
    }

    /// Refuses outputs that would replace an input, the script or the labels, and existing ones unless they may be
    /// replaced.
    fn refuse_existing(&self, order: &PaintFilesOrder, progress: &Progress) -> Result<()> {
        let id = |path: &Path| std::fs::metadata(path).ok().and_then(|found| file_id(&found));
        let inputs: Vec<PathBuf> = self.files.iter().map(|planned| self.root.join(&planned.file)).collect();
        let kept: HashSet<FileId> =
            inputs.iter().chain([&order.script.path]).chain(&order.labels).filter_map(|path| id(path)).collect();
        let named: HashSet<&PathBuf> = inputs.iter().collect();
        // When a run with the same plan is resumed, existing outputs are its own.
        let is_own = self.started.as_ref().is_some_and(|started| started.head.plan == self.head.plan);
        let outputs = self.files.iter().map(|planned| self.head.output.0.join(&planned.output));
        for output in outputs.chain(order.report.iter().map(|report| place_of(report)).collect::<Result<Vec<_>>>()?) {
            progress.check()?;
            if id(&output).is_some_and(|id| kept.contains(&id)) || named.contains(&output) {
                let what = "is an input, which is never overwritten; choose another folder or --name";
                return Err(usage(what).at(&output));
            }
        }
        if order.outputs.overwrites || is_own {
            return Ok(());
        }
        let known = |planned: &PlannedPaint| {
            let lines = self.started.as_ref().and_then(|started| started.lines.get(&planned.file));
            lines.is_some_and(|line| line.is_of(planned.stamp, &planned.output))
        };
        for planned in self.files.iter().filter(|planned| !known(planned)) {
            progress.check()?;
            let output = self.folder.join(&planned.output);
            if output.symlink_metadata().is_ok() {
                return Err(usage(OUTPUT_EXISTS).at(&output));
            }
        }
        Ok(())
    }
}

/// Reads a label file once, since an error in it would affect every input.
fn check_labels(labels: &Path) -> Result<()> {
    // Any sample rate will do to check positions in samples.
    let reading = LabelReading { rate_hz: Some(f64::from(MAX_RATE_HZ)), is_of_many: true, ..LabelReading::default() };
    read_label_file(labels, None, &reading).map(drop)
}

fn usage(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, what)
}

fn planned(order: &PaintFilesOrder, file: FoundFile, n: usize) -> Result<PlannedPaint> {
    let FoundFile { path, n_bytes, modified_ns } = file;
    let mut output = order.outputs.name.path(&path.with_extension(""), n)?.into_os_string();
    let own = || Some(Container::of(&path)).filter(|kind| kind.is_in_build()).unwrap_or_default();
    let PaintOutputs { container, delivery, .. } = &order.outputs;
    let container = container.or(delivery.container).unwrap_or_else(own);
    delivery.check_in(container).map_err(|error| error.at(&path))?;
    output.push(".");
    output.push(container.ending());
    Ok(PlannedPaint { file: path, stamp: FileStamp { n_bytes, modified_ns }, output: output.into() })
}

/// Refuses two inputs with the same output, ignoring case.
fn refuse_shared(files: &[PlannedPaint], folder: &Path) -> Result<()> {
    let mut taken: HashMap<String, &PlannedPaint> = HashMap::new();
    for planned in files {
        // The conversion is lossy: names that differ only in invalid UTF-8 are refused, too.
        let name = planned.output.to_string_lossy().to_lowercase();
        if let Some(other) = taken.insert(name, planned) {
            let [a, b] = [other, planned].map(|planned| shown_path(&planned.file));
            let what = format!("would be the output of {a} and of {b}; choose --name with {{n}}, or run them apart");
            return Err(usage(what).at(&folder.join(&planned.output)));
        }
    }
    Ok(())
}

/// Refuses a report that cannot be written, or whose path is also an output.
fn refuse_report(report: &Path, files: &[PlannedPaint], folder: &Path) -> Result<()> {
    let place = place_of(report)?;
    if files.iter().any(|planned| folder.join(&planned.output) == place) {
        return Err(usage("is an output file; choose another name for the report").at(report));
    }
    // The output folder will be created.
    let is_in_folder = place.parent().is_some_and(|parent| parent.is_dir() || parent == folder);
    if place.is_dir() || !is_in_folder {
        let what = "cannot be written: its folder must exist, and it must not be a folder itself";
        return Err(usage(what).at(report));
    }
    Ok(())
}

/// The absolute path. Links are resolved in the part of it that exists.
fn place_of(path: &Path) -> Result<PathBuf> {
    let whole = std::path::absolute(path).map_err(|error| Error::io(&error, "written", path))?;
    for (n_missing, there) in whole.ancestors().enumerate() {
        let Ok(found) = std::fs::canonicalize(there) else { continue };
        if n_missing > 0 && !found.is_dir() {
            return Err(usage("is a file, and no folder can be made of it; choose another").at(there));
        }
        return Ok(whole.strip_prefix(there).map_or_else(
            |_| found.clone(),
            |rest| if rest.as_os_str().is_empty() { found.clone() } else { found.join(rest) },
        ));
    }
    Ok(whole)
}

/// The report to resume, which must be of the same script; `None` if there is none or it will be overwritten.
fn started(path: &Path, order: &PaintFilesOrder, head: &PaintHead) -> Result<Option<PaintReport>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let report = PaintReport::read(path)?;
    if !order.is_resumed {
        if order.outputs.overwrites {
            return Ok(None);
        }
        return Err(usage("is already there; add --resume to go on, or choose another report").at(path));
    }
    let Some(report) = report else { return Ok(None) };
    let is_same = |of: fn(&PaintHead) -> (&String, &Option<String>, &StoredPath)| of(&report.head) == of(head);
    if !is_same(|head| (&head.script, &head.labels, &head.output)) {
        let what =
            "is the report of another script, of other labels or of another folder; choose another report or folder";
        return Err(usage(what).at(path));
    }
    Ok(Some(report))
}

/// Hash of the mapping from inputs to outputs.
fn hash_of(files: &[PlannedPaint]) -> String {
    let mut hasher = blake3::Hasher::new();
    for planned in files {
        for path in [&planned.file, &planned.output] {
            hasher.update(&path_bytes(path));
            hasher.update(&[0]);
        }
    }
    hasher.finalize().to_hex().to_string()
}
