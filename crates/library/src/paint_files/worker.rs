//! Paints one file of a run, on one thread.

use super::line::{LineError, PaintLine, PaintStatus};
use super::needs::bytes_for;
use super::order::PaintFilesOrder;
use super::plan::{OUTPUT_EXISTS, PaintPlan, PlannedPaint};
use super::score;
use crate::base::{Error, ErrorKind, Progress, Result, TEMPORARY_PREFIX, contained, few_notices, keep_beside, lock};
use crate::document::labels::formats::LabelsBeside;
use crate::document::session::{OpenedSound, SampleStorage, SourceError, open_sound};
use crate::document::{AnchorFound, NamedScript, PaintOrder, PaintStep, PaintWatch, PaintedFile, paint_file};
use crate::engine::Engine;
use crate::library::features::StoredPath;
use crate::library::file_work::MemoryBudget;
use crate::library::identity::recordings::file_key;
use crate::media::FileStamp;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// State shared by all threads of a run.
pub(super) struct PaintShared<'a> {
    pub plan: &'a PaintPlan,
    pub order: &'a PaintFilesOrder,
    pub engine: &'a Engine,
    /// How to open each file within its share of the memory.
    pub room: SampleStorage,
    pub memory: Arc<MemoryBudget>,
    /// Locked by the file that uses a device, whose memory the budget does not include.
    pub device: Mutex<()>,
}

/// Collects the notices of a file, and makes its edits wait for the device.
struct FileNoticeCollector<'a> {
    shared: &'a PaintShared<'a>,
    progress: &'a Progress,
    input: &'a Path,
    /// Stamp of the input when it was found.
    stamp: FileStamp,
    notices: Vec<String>,
    anchors: Vec<AnchorFound>,
}

impl PaintWatch for FileNoticeCollector<'_> {
    fn step<T>(&mut self, step: PaintStep, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
        let is_on_device = matches!(step, PaintStep::Edit(..)) && self.shared.engine.gpu().is_some();
        let _alone = is_on_device.then(|| lock(&self.shared.device));
        self.progress.check()?;
        if step == PaintStep::Writing && FileStamp::at(self.input) != Some(self.stamp) {
            // The result would mix two states of the file.
            let what = "changed while it was read; run it again";
            return Err(Error::new(ErrorKind::SourceChanged, what).at(self.input));
        }
        work(&self.progress.quiet())
    }

    fn add_notices(&mut self, notices: Vec<String>) {
        self.notices.extend(notices);
    }

    fn anchored(&mut self, anchor: AnchorFound) {
        self.anchors.push(anchor);
    }
}

impl PaintShared<'_> {
    /// Paints a file, unless an earlier run already did.
    ///
    /// # Errors
    /// Errors that end the run: cancelled, a full disk, or a lost device. Problems with the file are reported in its
    /// line.
    pub fn file(&self, planned: &PlannedPaint, progress: &Progress) -> Result<PaintLine> {
        progress.check()?;
        let began = Instant::now();
        let input = self.plan.root.join(&planned.file);
        let output = self.plan.folder.join(&planned.output);
        if let Some(line) = self.done_before(planned, &output, progress)? {
            return Ok(line);
        }
        let _memory = self.memory.reserve(bytes_for(planned.stamp.n_bytes, &self.room, self.engine), progress)?;
        let mut line = PaintLine {
            file: StoredPath(planned.file.clone()),
            output: StoredPath(planned.output.clone()),
            status: PaintStatus::Failed,
            secs: 0.0,
            edits: Vec::new(),
            anchors: Vec::new(),
            notices: Vec::new(),
            in_bytes: planned.stamp.n_bytes,
            in_modified_ns: planned.stamp.modified_ns,
            in_hash: None,
            labels_hashes: self.labels_hashes(&input, progress),
            out_hash: None,
            error: None,
            before_db: None,
            change_db: None,
            difference_db: None,
            changed: None,
            score: 1.0,
        };
        let mut watch = FileNoticeCollector {
            shared: self,
            progress,
            input: &input,
            stamp: planned.stamp,
            notices: Vec::new(),
            anchors: Vec::new(),
        };
        let is_new = !self.order.outputs.overwrites && !self.plan.there.contains(&planned.output);
        let painted = match is_new {
            true => self.paint_new((&input, &output), &mut line, &mut watch),
            false => self.paint((&input, &output), &mut line, &mut watch),
        };
        line.notices = few_notices(&watch.notices);
        line.anchors = watch.anchors;
        line.secs = began.elapsed().as_secs_f64();
        match painted {
            Ok(()) => line.status = PaintStatus::Done,
            Err(error) if ends_run(&error) => return Err(error),
            Err(error) => line.error = Some(LineError::of(&error, &input, &self.order.script.path)),
        }
        Ok(line)
    }

    /// Paints to a file that must not exist; if another run or program wrote it in the meantime, that file is kept.
    fn paint_new(
        &self,
        (input, output): (&Path, &Path),
        line: &mut PaintLine,
        watch: &mut FileNoticeCollector<'_>,
    ) -> Result<()> {
        let refused = || Error::new(ErrorKind::Io, OUTPUT_EXISTS).at(output);
        if output.symlink_metadata().is_ok() {
            return Err(refused());
        }
        let hidden = hidden_beside(output);
        let painted = self.paint((input, &hidden), line, watch).and_then(|()| match keep_beside(&hidden, output)? {
            true => Ok(()),
            false => Err(refused()),
        });
        std::fs::remove_file(&hidden).ok();
        painted.map_err(|error| match error.path() {
            Some(path) if path == hidden => error.at(output),
            _ => error,
        })
    }

    fn paint(
        &self,
        (input, output): (&Path, &Path),
        line: &mut PaintLine,
        watch: &mut FileNoticeCollector<'_>,
    ) -> Result<()> {
        line.in_hash = Some(file_key(input, watch.progress)?);
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
        }
        let open = |progress: &Progress| self.open(input, progress);
        let engine = || Ok(self.engine.clone());
        let order = PaintOrder {
            open: &open,
            input: Some(input),
            labels: self.order.labels.as_deref(),
            script: NamedScript { script: &self.order.script.script, path: &self.order.script.path },
            engine: &engine,
            output,
            delivery: &self.order.outputs.delivery,
            measures_level: true,
        };
        let painted = contained(std::panic::AssertUnwindSafe(|| paint_file(&order, watch)))
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "crashed Sonobrush; the log has details")))?;
        line.out_hash = Some(file_key(output, watch.progress)?);
        let PaintedFile { edits, level, .. } = painted;
        line.score = score::of_edits(&edits, &watch.anchors);
        line.edits = edits;
        line.before_db = level.map(|level| level.before_db);
        line.change_db = level.map(|level| level.change_db());
        line.difference_db = level.and_then(|level| level.difference_db);
        line.changed = level.and_then(|level| level.secs);
        Ok(())
    }

    /// The line of an output that an earlier run wrote from this same input, if it exists unchanged.
    fn done_before(&self, planned: &PlannedPaint, output: &Path, progress: &Progress) -> Result<Option<PaintLine>> {
        let started = self.plan.started.as_ref().and_then(|started| started.lines.get(&planned.file));
        let Some(line) = started.filter(|line| line.is_of(planned.stamp, &planned.output)) else { return Ok(None) };
        if line.labels_hashes != self.labels_hashes(&self.plan.root.join(&planned.file), progress) {
            return Ok(None);
        }
        match file_key(output, progress) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Ok(hash) if line.out_hash.as_ref() == Some(&hash) => {
                Ok(Some(PaintLine { status: PaintStatus::Skipped, ..line.clone() }))
            }
            _ => Ok(None),
        }
    }

    /// Hashes of the label files beside an input, if the script uses them.
    fn labels_hashes(&self, input: &Path, progress: &Progress) -> Vec<String> {
        if !self.order.script.script.is_at_labels() {
            return Vec::new();
        }
        LabelsBeside::places(input).filter_map(|path| file_key(&path, progress).ok()).collect()
    }

    fn open(&self, input: &Path, progress: &Progress) -> Result<OpenedSound> {
        let mut opened =
            open_sound(input, &self.order.work.finding, &self.room, progress).map_err(|lost| match lost {
                SourceError::Moved(path) => {
                    let what = "is the project's source file and was not found; open the project, and say where it is";
                    Error::new(ErrorKind::Io, what).at(&path)
                }
                SourceError::Changed(path) => {
                    let what = "has changed since the project was made; open the project, and save it again";
                    Error::new(ErrorKind::Io, what).at(&path)
                }
                SourceError::Failed(error) => error,
            })?;
        match opened.project.as_mut().and_then(|project| project.damage.take()) {
            Some(damage) if self.order.work.uses_damaged => {
                opened.notices.push(damage.message().to_owned());
                Ok(opened)
            }
            Some(damage) => Err(damage),
            None => Ok(opened),
        }
    }
}

/// Temporary path for an output, in its folder and with its extension. A later run removes files left by a killed run.
fn hidden_beside(output: &Path) -> PathBuf {
    static N_HIDDEN: AtomicU64 = AtomicU64::new(0);
    let n = N_HIDDEN.fetch_add(1, Ordering::Relaxed);
    let ending = output.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
    output.with_file_name(format!("{TEMPORARY_PREFIX}{}-{n}{ending}", std::process::id()))
}

/// Whether an error would affect every other file, too.
fn ends_run(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::DiskFull) || error.is_of_gpu()
}
