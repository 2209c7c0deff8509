//! What is asked about a run over files, and what came of it, as data.

use crate::library::paint_files::{PaintLine, PaintRun, PaintStatus};
use crate::media::Container;
use std::path::{Path, PathBuf};

/// What is chosen on the card of a run so far, as text where it is typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFilesWish {
    /// Folders and files, one on each line.
    pub inputs: String,
    /// The document whose edits are the script, if it has any.
    pub document: Option<u64>,
    /// Whether they are; else the script is a file.
    pub uses_history: bool,
    /// The path of the script.
    pub script: String,
    /// The folder of outputs; empty: beside the first input.
    pub output: String,
    /// How outputs are called.
    pub name: String,
    /// Their kind; none: that of each input.
    pub container: Option<Container>,
    /// Whether files that are there are replaced.
    pub overwrites: bool,
    /// Why the last try was refused, a sentence.
    pub problem: Option<String>,
}

impl RunFilesWish {
    /// The same with one more input.
    #[must_use]
    pub fn with_input(mut self, path: &Path) -> RunFilesWish {
        if !self.inputs.trim().is_empty() && !self.inputs.ends_with('\n') {
            self.inputs.push('\n');
        }
        self.inputs.push_str(&path.to_string_lossy());
        self
    }

    /// The folder of outputs where none was typed: beside the first input.
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

/// Which field of the card a dialog of the system fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// One more folder of inputs.
    Input,
    /// The script.
    Script,
    /// The folder of outputs.
    Output,
}

/// A run as it was ordered on its card.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFilesOrder {
    /// The card, which is shown again where the run is refused.
    pub wish: RunFilesWish,
    /// Folders and files.
    pub inputs: Vec<PathBuf>,
    /// The script; none: the edits of the document.
    pub script: Option<PathBuf>,
    /// The folder of outputs.
    pub output: PathBuf,
}

/// A file in the list of what came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its path below the inputs.
    pub file: String,
    /// `done`, `failed` or `skipped`.
    pub status: &'static str,
    /// Whether there is no output.
    pub has_failed: bool,
    /// How much reason there is to look at it, 0 to 1.
    pub score: f64,
    /// Why it failed, or what is to be known of it.
    pub sentence: String,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct FilesRun {
    /// The folder of outputs.
    pub folder: PathBuf,
    /// Every file, the worst first.
    pub rows: Vec<RunRow>,
    /// How many failed.
    pub n_failed: usize,
}

impl FilesRun {
    pub(super) fn of(folder: PathBuf, run: &PaintRun) -> FilesRun {
        let rows = run.lines.iter().map(|(line, score)| row(line, *score)).collect();
        FilesRun { folder, rows, n_failed: run.totals.failed }
    }

    /// `37 of 40 files painted`.
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
