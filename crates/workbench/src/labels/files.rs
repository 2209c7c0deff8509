//! Imports and exports labels in jobs: label files of other programs, tables of measurements, and label files next to a
//! sound file.

use super::change::change;
use super::list::LabelList;
use crate::base::{Error, Progress, Result, write_atomic};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::bench::work::JobStatus;
use crate::commands::LabelCommand;
use crate::document::Snapshot;
use crate::document::brushes::LabelsEdit;
use crate::document::labels::formats::{
    ImportedLabels, LabelReading, LabelWriting, LabelsBeside, format_named, format_of_name, read_label_file,
};
use crate::document::labels::{LabelMeasureParams, LabelSet, MeasuredTable, measure_labels};
use crate::documents::OpenDocument;
use crate::files::{name_of, with_path};
use crate::library::export::write_parquet;
use crate::services::JobQueue;
use crate::settings::preferences::Panel;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Imports and exports ordered by the user, and label files found next to opened sound files.
#[derive(Default)]
pub struct LabelFiles {
    /// The user's imports and exports, each started at once.
    orders: JobQueue<FileOrder, FileResult>,
    /// Searches for label files next to sound files, by document id.
    looking: JobQueue<u64, Option<LabelsBeside>>,
    /// Label files found, by document id.
    beside: BTreeMap<u64, PathBuf>,
    /// Highest id among the documents whose label files were already searched for.
    looked_up_to: u64,
}

struct FileOrder {
    document: u64,
    path: PathBuf,
    kind: FileOperation,
}

#[derive(Clone, Copy, PartialEq)]
enum FileOperation {
    Import,
    Export,
    Measure,
}

impl FileOperation {
    /// Text of the status line.
    fn name(self) -> &'static str {
        match self {
            FileOperation::Import => "Importing labels",
            FileOperation::Export => "Exporting labels",
            FileOperation::Measure => "Measuring labels",
        }
    }

    /// Completes "Cannot ...".
    fn operation(self) -> &'static str {
        match self {
            FileOperation::Import => "import the labels",
            FileOperation::Export => "export the labels",
            FileOperation::Measure => "measure the labels",
        }
    }
}

enum FileResult {
    Read(ImportedLabels),
    /// Number of labels, and a sentence about data that the format cannot store.
    Written(usize, Option<String>),
}

impl Concern for LabelFiles {
    fn advance(&mut self, context: &mut Context) {
        while let Some((order, answer)) = self.orders.take_answer() {
            self.finish(&order, answer, context);
        }
        self.find_labels_beside(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.orders, |order| order.kind.name())
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.orders.is_busy() || self.looking.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.orders.cancel_last().is_some()
    }
}

impl LabelFiles {
    /// The label file found next to a document's sound file, until it is imported.
    pub fn beside(&self, document: u64) -> Option<&Path> {
        self.beside.get(&document).map(PathBuf::as_path)
    }

    /// Imports the labels of a file into a document.
    pub fn import(&mut self, document: u64, path: PathBuf, context: &Context) {
        let Some(of) = context.documents.get(document) else { return };
        let (reading, theirs) = (reading_of(of), path.clone());
        let job =
            context.jobs.spawn("labels", move |_| Ok(FileResult::Read(read_label_file(&theirs, None, &reading)?)));
        self.orders.run(FileOrder { document, path, kind: FileOperation::Import }, job, context.now_secs());
    }

    /// Exports all labels of a document in the format of the file's extension; CSV if the extension is unknown.
    pub fn export(&mut self, document: u64, path: PathBuf, context: &Context) {
        let Some(of) = context.documents.get(document) else { return };
        let (labels, snapshot) = (of.history().labels().clone(), of.history().current());
        let rate_hz = snapshot.sample_rate_hz();
        let writing = LabelWriting {
            sound_name: Some(of.sound_name()),
            own_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
            rate_hz: Some(rate_hz),
            sound_secs: Some(snapshot.n_samples() as f64 / rate_hz),
            ..LabelWriting::default()
        };
        let theirs = path.clone();
        let job = context.jobs.spawn("labels", move |progress| written(&labels, &writing, &theirs, progress));
        self.orders.run(FileOrder { document, path, kind: FileOperation::Export }, job, context.now_secs());
    }

    /// Measures a document's sound at its listed labels and writes the measurements as a table.
    pub fn measure(&mut self, document: u64, list: &LabelList, path: PathBuf, context: &Context) {
        let Some(of) = context.documents.get(document) else { return };
        let shown = list.shown(of);
        let labels = of.history().labels().clone();
        let listed = (shown.len() < labels.len()).then(|| shown.iter().map(|label| label.id).collect());
        let (snapshot, name, theirs) = (of.history().current().clone(), of.sound_name(), path.clone());
        let job = context
            .jobs
            .spawn("measure", move |progress| measured(&snapshot, (labels, listed), &name, &theirs, progress));
        self.orders.run(FileOrder { document, path, kind: FileOperation::Measure }, job, context.now_secs());
    }

    fn finish(&mut self, order: &FileOrder, answer: Result<FileResult>, context: &mut Context) {
        let operation = order.kind.operation();
        let done = match answer {
            Ok(FileResult::Read(read)) => take(order, read, context).map(|what| (what, None)),
            Ok(FileResult::Written(n, losses)) => {
                let labels = if n == 1 { "1 label".into() } else { format!("{n} labels") };
                let what = if order.kind == FileOperation::Measure { "measurements of " } else { "" };
                Ok((format!("Saved {what}{labels} as {}.", name_of(&order.path)), losses))
            }
            Err(error) => Err(error),
        };
        match done {
            Ok((what, losses)) => {
                context.notices.succeed(operation);
                if order.kind == FileOperation::Import && self.beside.get(&order.document) == Some(&order.path) {
                    self.beside.remove(&order.document);
                    context.notices.withdraw(LabelCommand::ImportBeside);
                }
                let severity = if losses.is_some() { Severity::Warning } else { Severity::Info };
                context.notify(severity, what, losses.as_deref());
            }
            Err(error) => context.fail(operation, &with_path(error, &order.path)),
        }
    }

    /// Searches once for label files next to each opened sound file, and offers to import those found.
    fn find_labels_beside(&mut self, context: &mut Context) {
        let newest = context.documents.iter().map(OpenDocument::id).max().unwrap_or(0);
        for document in context.documents.iter().filter(|document| document.id() > self.looked_up_to) {
            let ours = context.folders.state();
            let sound = document.path().filter(|path| document.project().is_none() && !path.starts_with(ours));
            if let Some(sound) = sound.map(Path::to_path_buf) {
                let (reading, known) = (reading_of(document), document.history().labels().clone());
                let job = context.jobs.spawn("labels", move |_| Ok(LabelsBeside::of(&sound, &reading, &known)));
                self.looking.run(document.id(), job, context.now_secs());
            }
        }
        self.looked_up_to = self.looked_up_to.max(newest);
        let documents = &context.documents;
        self.beside.retain(|id, _| documents.get(*id).is_some());
        while let Some((id, answer)) = self.looking.take_answer() {
            let found = answer.ok().flatten().filter(|_| context.documents.get(id).is_some());
            let Some(LabelsBeside { path, labels }) = found else { continue };
            let n_labels = labels.len();
            let labels = if n_labels == 1 { "a label".into() } else { format!("{n_labels} labels") };
            let what = format!("{} has {labels} for this sound.", name_of(&path));
            context.notices.offer(context.clock.now_secs(), Severity::Info, what, None, LabelCommand::ImportBeside);
            self.beside.insert(id, path);
        }
    }
}

/// Adds imported labels to their document; returns the message for the user.
fn take(order: &FileOrder, read: ImportedLabels, context: &mut Context) -> Result<String> {
    let Some(document) = context.documents.get_mut(order.document) else {
        return Ok("No labels were imported because the file was closed.".into());
    };
    let known = document.history().labels();
    let mut labels = read.labels;
    for label in labels.iter_mut().filter(|label| known.get(label.id).is_some()) {
        label.id = 0;
    }
    let n = labels.len();
    if n > 0 {
        change(document, LabelsEdit { set: labels, remove: Vec::new() })?;
        context.remembered.layout.show(Panel::Labels);
    }
    for notice in &read.notices {
        context.warn(&format!("{}: {notice}", name_of(&order.path)));
    }
    let name = name_of(&order.path);
    Ok(match n {
        0 => format!("{name} has no labels."),
        1 => format!("Imported 1 label from {name}."),
        n => format!("Imported {n} labels from {name}."),
    })
}

fn written(labels: &LabelSet, writing: &LabelWriting, path: &Path, progress: &Progress) -> Result<FileResult> {
    progress.check()?;
    let format = format_of_name(path).or_else(|| format_named("csv"));
    let Some(format) = format else { return Ok(FileResult::Written(0, None)) };
    let (text, losses) = format.written(labels, writing)?;
    write_atomic(path, |out| {
        out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path))?;
        progress.check()
    })?;
    Ok(FileResult::Written(labels.len(), losses.sentence()))
}

/// Writes a table of the listed labels. Measures all labels first, as the noise around a label excludes its neighbours.
fn measured(
    snapshot: &Snapshot,
    (labels, listed): (LabelSet, Option<BTreeSet<u64>>),
    sound_name: &str,
    path: &Path,
    progress: &Progress,
) -> Result<FileResult> {
    MeasuredTable::check_place(path)?;
    let measuring = LabelMeasureParams::default();
    let mut measured = measure_labels(snapshot, &labels, measuring, progress)?;
    let labels = match listed {
        None => labels,
        Some(listed) => {
            let mut ids = labels.iter().map(|label| label.id);
            measured.retain(|_| ids.next().is_some_and(|id| listed.contains(&id)));
            LabelSet::of(labels.iter().filter(|label| listed.contains(&label.id)).cloned().collect())?
        }
    };
    let table = MeasuredTable {
        labels: &labels,
        measured: &measured,
        measuring,
        rate_hz: snapshot.sample_rate_hz(),
        sound_name,
        has_raven_names: false,
    };
    table.write(path, write_parquet)?;
    Ok(FileResult::Written(labels.len(), None))
}

/// Options for reading label files into a document.
fn reading_of(document: &OpenDocument) -> LabelReading {
    let rate_hz = Some(document.history().original().sample_rate_hz());
    LabelReading { sound_name: Some(document.sound_name()), rate_hz, ..LabelReading::default() }
}
