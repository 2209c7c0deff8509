//! The result of one file.

use crate::base::{Error, ErrorKind};
use crate::document::{AnchorFound, EditLine};
use crate::library::features::StoredPath;
use crate::media::FileStamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Status of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaintStatus {
    /// Its output is on disk.
    Done,
    /// There is no output; the error states the reason.
    Failed,
    /// Finished by an earlier run, and unchanged since.
    Skipped,
}

impl PaintStatus {
    /// Its name in reports and lists.
    pub fn name(self) -> &'static str {
        match self {
            PaintStatus::Done => "done",
            PaintStatus::Failed => "failed",
            PaintStatus::Skipped => "skipped",
        }
    }
}

/// Why a file failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineError {
    /// Kind of the error, such as `script` or `disk_full`.
    pub kind: String,
    /// The message, one sentence.
    pub sentence: String,
    /// Position in the script, such as `edits[2]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl LineError {
    /// Converts an error for the report. The sentence omits the path of `file` or `script`, which the report names
    /// elsewhere.
    pub(super) fn of(error: &Error, file: &Path, script: &Path) -> LineError {
        let is_named = error.path().is_none_or(|path| path == file || path == script);
        let sentence = if is_named { error.message().to_owned() } else { error.to_string() };
        let is_placed = matches!(error.kind(), ErrorKind::Script | ErrorKind::Limit | ErrorKind::Unsupported);
        let of_script = is_placed && error.path() == Some(script);
        let place = error.message().split_once(": ").filter(|_| of_script).map(|(place, _)| place.to_owned());
        LineError { kind: name_of(error.kind()), sentence, place }
    }
}

/// The name of a kind in reports.
fn name_of(kind: ErrorKind) -> String {
    let mut name = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Result of one file: a line of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaintLine {
    /// The input, relative to the root of the run.
    pub file: StoredPath,
    /// The output, relative to the folder of outputs.
    pub output: StoredPath,
    /// Whether the file was painted, failed or was skipped.
    pub status: PaintStatus,
    /// Duration in seconds.
    pub secs: f64,
    /// Result of each edit.
    pub edits: Vec<EditLine>,
    /// Anchors that were found for edits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<AnchorFound>,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// Size of the input in bytes.
    pub in_bytes: u64,
    /// Last modification of the input, in nanoseconds since 1970.
    pub in_modified_ns: i64,
    /// BLAKE3 hash of the input, in hexadecimal; `None` if it is unreadable.
    pub in_hash: Option<String>,
    /// BLAKE3 of each possible label file beside the input, if the script uses labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_hashes: Vec<String>,
    /// BLAKE3 of the output.
    pub out_hash: Option<String>,
    /// The reason for a failure.
    pub error: Option<LineError>,
    /// Mean level of the changed part before the edits.
    pub before_db: Option<f64>,
    /// The change of that level by the edits.
    pub change_db: Option<f64>,
    /// Level of the difference between output and input; `None` if time was cut or added.
    pub difference_db: Option<f64>,
    /// Changed range in seconds; `None` if time was cut or added.
    #[serde(default)]
    pub changed: Option<[f64; 2]>,
    /// Review priority before comparison with other files, 0 to 1.
    pub score: f64,
}

impl PaintLine {
    /// Whether the file was painted from an input with this stamp to this output.
    pub(super) fn is_of(&self, stamp: FileStamp, output: &Path) -> bool {
        self.status != PaintStatus::Failed
            && FileStamp { n_bytes: self.in_bytes, modified_ns: self.in_modified_ns } == stamp
            && self.output.0 == output
    }
}
