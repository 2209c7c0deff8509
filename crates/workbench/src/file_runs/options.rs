//! Settings and results of a run over files, as data.

use crate::library::paint_files::{PaintLine, PaintRun, PaintStatus};
use crate::media::Container;
use std::path::{Path, PathBuf};

/// The settings on the card of a run; typed fields are kept as text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFilesOptions {
    /// Folders and files, one per line.
    pub inputs: String,
    /// Id of the document whose edits can serve as the script; `None` if it has no edits.
    pub document: Option<u64>,
    /// Whether to use the edits of that document rather than a script file.
    pub uses_history: bool,
    /// The path of the script.
    pub script: String,
    /// The output folder; empty: beside the first input.
    pub output: String,
    /// Pattern of the output names.
    pub name: String,
    /// Output format; `None`: that of each input.
    pub container: Option<Container>,
    /// Whether existing files are replaced.
    pub overwrites: bool,
    /// The reason why the last attempt was refused, as a sentence.
    pub problem: Option<String>,
}

impl RunFilesOptions {
    /// The settings with one more line of inputs.
    #[must_use]
    pub fn with_input(mut self, path: &Path) -> RunFilesOptions {
        if !self.inputs.trim().is_empty() && !self.inputs.ends_with('\n') {
            self.inputs.push('\n');
        }
        self.inputs.push_str(&path.to_string_lossy());
        self
    }

    /// The default output folder, beside the first input.
    pub fn suggested_output(first: &Path) -> PathBuf {
        match (first.parent(), first.file_name()) {
            (Some(folder), Some(name)) if first.extension().is_none() => {
                let mut name = name.to_owned();
                name.push("-painted");
                folder.join(name)
            }
            (Some(folder), _) => folder.join("painted"),
            _ => PathBuf::from("painted"),
        }
    }
}

/// The field of the card that a file dialog fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// One more folder of inputs.
    Input,
    /// The script.
    Script,
    /// The output folder.
    Output,
}

/// A run requested on its card.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFilesOrder {
    /// The card, shown again if the run is refused.
    pub options: RunFilesOptions,
    /// Folders and files.
    pub inputs: Vec<PathBuf>,
    /// The script; `None`: the edits of the document.
    pub script: Option<PathBuf>,
    /// The output folder.
    pub output: PathBuf,
}

/// A file in the report of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its path relative to the root of the run.
    pub file: String,
    /// `done`, `failed` or `skipped`.
    pub status: &'static str,
    /// Whether the file failed and so has no output.
    pub has_failed: bool,
    /// Review priority, 0 to 1.
    pub score: f64,
    /// The error, else the first notice, else the change of level.
    pub sentence: String,
}

/// Results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct FilesRun {
    /// The output folder.
    pub folder: PathBuf,
    /// All files, worst first.
    pub rows: Vec<RunRow>,
    /// Number of failed files.
    pub n_failed: usize,
}

impl FilesRun {
    pub(super) fn of(folder: PathBuf, run: &PaintRun) -> FilesRun {
        let rows = run.lines.iter().map(|(line, score)| row(line, *score)).collect();
        FilesRun { folder, rows, n_failed: run.totals.failed }
    }

    /// Title such as `37 of 40 files painted`.
    pub fn title(&self) -> String {
        let (n, n_done) = (self.rows.len(), self.rows.len() - self.n_failed);
        let files = if n == 1 { "file" } else { "files" };
        if self.n_failed == 0 { format!("{n} {files} painted") } else { format!("{n_done} of {n} {files} painted") }
    }
}

fn row(line: &PaintLine, score: f64) -> RunRow {
    let level = line.change_db.map(|db| format!("level {db:+.1} dB"));
    let error = line.error.as_ref().map(|error| error.sentence.clone());
    let sentence = error.or_else(|| line.notices.first().cloned()).or(level).unwrap_or_default();
    RunRow {
        file: line.file.to_string(),
        status: line.status.name(),
        has_failed: line.status == PaintStatus::Failed,
        score,
        sentence,
    }
}
