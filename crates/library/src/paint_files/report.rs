//! The report of a run: a head, a line per file once its output is on disk, and the totals. It is append-only; the last
//! line of each file counts.

use super::line::{PaintLine, PaintStatus};
use super::score;
use crate::base::{Error, ErrorKind, Result, append_lines, read_regular, shown_json};
use crate::library::features::StoredPath;
use crate::library::file_work::{FileLock, try_lock};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// Version of the report's format.
pub(super) const VERSION: u32 = 1;

/// The first line of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintHead {
    /// Version of the report's format.
    pub version: u32,
    /// BLAKE3 of the script's text, in hexadecimal.
    pub script: String,
    /// BLAKE3 of the label file, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// Number of files.
    pub n: usize,
    /// The folder to which inputs are relative.
    pub root: StoredPath,
    /// The folder to which outputs are relative.
    pub output: StoredPath,
    /// BLAKE3 of the plan: inputs and outputs.
    pub plan: String,
}

/// A file whose score was raised by comparison with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaisedScore {
    /// The input, relative to the root of the run.
    pub file: StoredPath,
    /// Raised score, 0 to 1.
    pub score: f64,
}

/// The last line of a report.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PaintTotals {
    /// Files whose output was written by this run.
    pub done: usize,
    /// Files without output.
    pub failed: usize,
    /// Files finished by an earlier run.
    pub skipped: usize,
    /// Duration of the run in seconds.
    pub secs: f64,
    /// Files whose change of level differs from the others.
    pub raised: Vec<RaisedScore>,
}

#[derive(Serialize, Deserialize)]
struct LastLine {
    totals: PaintTotals,
}

/// The contents of a report.
#[derive(Debug, Clone)]
pub struct PaintReport {
    /// The first line.
    pub head: PaintHead,
    /// The last line of each file, by its path.
    pub lines: BTreeMap<PathBuf, PaintLine>,
    /// The totals; `None` for a run that did not end.
    pub totals: Option<PaintTotals>,
}

impl PaintReport {
    /// Reads a report; `None` if it ends within its first line. Skips an incomplete last line, and lines that do not
    /// belong to a report.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); [`Usage`](ErrorKind::Usage) for a file of another kind.
    pub fn read(path: &Path) -> Result<Option<PaintReport>> {
        let text = read_regular(path)?;
        let mut lines = complete_lines(&text);
        let Some(first) = lines.next() else {
            return if text.is_empty() || text.starts_with(b"{\"version\"") { Ok(None) } else { Err(no_report(path)) };
        };
        let head: PaintHead = serde_json::from_slice(first).map_err(|_| no_report(path))?;
        if head.version != VERSION {
            let what =
                format!("is a report of version {}, which this program does not read; update Sonobrush", head.version);
            return Err(Error::new(ErrorKind::Usage, what).at(path));
        }
        let mut report = PaintReport { head, lines: BTreeMap::new(), totals: None };
        for line in lines {
            if let Ok(line) = serde_json::from_slice::<PaintLine>(line) {
                report.lines.insert(line.file.0.clone(), line);
                report.totals = None;
            } else if let Ok(head) = serde_json::from_slice::<PaintHead>(line) {
                // Appended by a run that was resumed with other files.
                report.head = head;
            } else if let Ok(last) = serde_json::from_slice::<LastLine>(line) {
                report.totals = Some(last.totals);
            }
        }
        Ok(Some(report))
    }

    /// All lines with their final scores, worst first: failures, then by score, then by name.
    pub fn worst_first(&self) -> Vec<(PaintLine, f64)> {
        let lines: Vec<&PaintLine> = self.lines.values().collect();
        worst_first(&lines)
    }
}

/// Lines with their final scores, worst first.
pub(super) fn worst_first(lines: &[&PaintLine]) -> Vec<(PaintLine, f64)> {
    let scores = score::of_run(lines);
    let mut scored: Vec<(PaintLine, f64)> = lines.iter().map(|line| (*line).clone()).zip(scores).collect();
    let has_failed = |line: &PaintLine| line.status == PaintStatus::Failed;
    scored.sort_by(|(a, a_score), (b, b_score)| {
        has_failed(b).cmp(&has_failed(a)).then(b_score.total_cmp(a_score)).then_with(|| a.file.0.cmp(&b.file.0))
    });
    scored
}

fn complete_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

fn no_report(path: &Path) -> Error {
    Error::new(ErrorKind::Usage, "already exists and is no report of a run over files; choose another report").at(path)
}

/// The locked report file that a run appends to.
pub(super) struct ReportFile {
    file: File,
    path: PathBuf,
}

impl ReportFile {
    /// Opens a report to resume, or creates one with its head. If the files differ from those of `started`, appends the
    /// new head.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if another process is writing it.
    pub fn open(path: &Path, head: &PaintHead, started: Option<&PaintHead>) -> Result<ReportFile> {
        let io = |error: std::io::Error| Error::io(&error, "written", path);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        if let FileLock::Held = try_lock(&file) {
            let what = "is being written by another run; wait for it, or choose another report";
            return Err(Error::new(ErrorKind::Io, what).at(path));
        }
        let mut report = ReportFile { file, path: path.to_path_buf() };
        match started {
            Some(_) => report.drop_torn_line()?,
            None => report.file.set_len(0).map_err(io)?,
        }
        if started != Some(head) {
            report.append(std::slice::from_ref(head))?;
        }
        Ok(report)
    }

    fn drop_torn_line(&self) -> Result<()> {
        let text = read_regular(&self.path)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let io = |error: std::io::Error| Error::io(&error, "written", &self.path);
        if whole < text.len() { self.file.set_len(whole as u64).map_err(io) } else { Ok(()) }
    }

    /// Appends lines, and returns once they are on disk.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); then none of them was added.
    pub fn append(&mut self, values: &[impl Serialize]) -> Result<()> {
        let mut text = String::new();
        for value in values {
            let line = serde_json::to_string(value)
                .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
            text.push_str(&shown_json(&line));
            text.push('\n');
        }
        let appended = append_lines(&mut self.file, text.as_bytes());
        appended.map(drop).map_err(|error| Error::io(&error, "written", &self.path))
    }

    /// Appends the totals.
    ///
    /// # Errors
    /// As [`append`](ReportFile::append).
    pub fn finish(&mut self, totals: &PaintTotals) -> Result<()> {
        self.append(&[LastLine { totals: totals.clone() }])
    }
}
