//! Messages to the user: what happened, to which file, and what to do. Errors and reports stay until they are closed;
//! other messages expire.

use crate::base::{Error, ErrorKind, ErrorWording};
use crate::commands::Command;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// A success.
    Info,
    /// A warning.
    Warning,
    /// A failure.
    Error,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Its severity.
    pub severity: Severity,
    /// What happened, to which file: `Cannot open tabla.flac: it ends in the middle of a frame`.
    pub what: String,
    /// What to do about it, if anything.
    pub advice: Option<String>,
    /// A command offered as a button.
    pub action: Option<Command>,
    /// A report that can be copied, and its folder opened.
    pub report: Option<PathBuf>,
    /// A folder that can be opened.
    pub folder: Option<PathBuf>,
    /// The operation that failed.
    undone: Option<FailedOperation>,
    /// Number of merged notices.
    pub n_times: usize,
    /// Unique id.
    pub id: u64,
    until_secs: Option<f64>,
}

/// A failed operation, and its file.
#[derive(Debug, Clone, PartialEq)]
struct FailedOperation {
    /// Verb phrase such as `open`. The notice is removed once the operation succeeds.
    operation: String,
    file: Option<String>,
}

impl Notice {
    /// Whether both have the same severity, failed operation and file, and texts that differ only in digits and
    /// punctuation.
    fn is_of_a_kind(&self, other: &Notice) -> bool {
        let kind = |notice: &Notice| -> String {
            notice.what.chars().filter(|letter| letter.is_alphabetic() || letter.is_whitespace()).collect()
        };
        self.severity == other.severity && self.undone == other.undone && kind(self) == kind(other)
    }

    /// The message, with the number of times if it was merged.
    pub fn words(&self) -> String {
        match self.n_times {
            ..=1 => self.what.clone(),
            n => format!("{} ({n} times)", self.what),
        }
    }
}

/// Messages shown, the newest last.
#[derive(Debug, Default)]
pub struct Notices {
    shown: Vec<Notice>,
    n_given: u64,
    /// The latest messages, including closed ones, newest first.
    log: VecDeque<Logged>,
}

/// An entry of the message log.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Logged {
    /// Time in seconds of the window's clock.
    pub at_secs: f64,
    /// What happened.
    pub what: String,
}

/// Number of logged messages.
const MAX_LOGGED_MESSAGES: usize = 20;

/// Number of notices of one kind from which they are merged into one.
const MERGED_NOTICES: usize = 3;
/// Display time of warnings and of successes.
const DISPLAY_SECS: [f64; 2] = [10.0, 6.0];

impl Notices {
    /// Shows a message; warnings expire after 10 s, successes after 6 s.
    pub fn notify(&mut self, now_secs: f64, severity: Severity, what: impl Into<String>, advice: Option<&str>) {
        self.add(now_secs, severity, what.into(), advice.map(str::to_string), None, None);
    }

    /// Shows a message, replacing one that differs only in numbers.
    pub fn replace_notice(&mut self, now_secs: f64, what: String) {
        self.add(now_secs, Severity::Info, what, None, None, None);
        if let Some(mut notice) = self.shown.pop() {
            notice.n_times = 1;
            self.shown.retain(|shown| !shown.is_of_a_kind(&notice));
            self.shown.push(notice);
        }
    }

    /// Reports a failure. `operation` completes "Cannot ...": `open`, `export`, `apply the edit`.
    pub fn fail(&mut self, now_secs: f64, operation: &str, error: &Error) {
        if error.kind() == ErrorKind::Cancelled {
            return;
        }
        tracing::warn!(%error, operation, "told");
        // All reads of a changed file give the same notice.
        let operation = if error.kind() == ErrorKind::SourceChanged { "read" } else { operation };
        let name = error.path().and_then(|path| path.file_name());
        let file = name.map(|name| crate::base::shown_path(std::path::Path::new(name)));
        let general = advice(operation, error).map(str::to_owned);
        let (severity, (what, advice)) = match (error.wording(), &file) {
            (ErrorWording::Outcome, _) => (Severity::Info, in_two(error.message())),
            (ErrorWording::Missing, _) => {
                let advice = "Check the name, or open it where it is now.";
                (Severity::Error, (sentence(&error.to_string()), Some(advice.into())))
            }
            (ErrorWording::Whole, _) => {
                let (what, advice) = in_two(error.message());
                (Severity::Error, (what, advice.or(general)))
            }
            // Messages about a file may begin with a verb, whose subject is the file named before.
            (ErrorWording::Cause, Some(name)) => {
                let what = format!("Cannot {operation} {name}: {}{}.", subject(error.message()), error.message());
                (Severity::Error, (what, general))
            }
            (ErrorWording::Cause, None) => {
                (Severity::Error, (format!("Cannot {operation}: {}.", error.message()), general))
            }
        };
        self.add(now_secs, severity, what, advice, None, Some(FailedOperation { operation: operation.into(), file }));
    }

    /// Removes the notice of an earlier [`fail`](Notices::fail) after a success.
    pub fn succeed(&mut self, operation: &str) {
        self.shown.retain(|notice| notice.undone.as_ref().is_none_or(|undone| undone.operation != operation));
    }

    /// Removes notices that offer this command, after it was performed or has become pointless.
    pub fn withdraw(&mut self, action: impl Into<Command>) {
        let action = action.into();
        self.shown.retain(|notice| notice.action != Some(action));
    }

    /// Shows a message with a command button.
    pub fn offer(
        &mut self,
        now_secs: f64,
        severity: Severity,
        what: String,
        advice: Option<&str>,
        action: impl Into<Command>,
    ) {
        self.add(now_secs, severity, what, advice.map(str::to_string), Some(action.into()), None);
    }

    /// Shows a message about a written report, which stays until it is closed.
    pub fn notify_report(&mut self, now_secs: f64, what: String, advice: Option<&str>, report: PathBuf) {
        self.add(now_secs, Severity::Warning, what, advice.map(str::to_string), None, None);
        if let Some(notice) = self.shown.last_mut() {
            (notice.report, notice.until_secs) = (Some(report), None);
        }
    }

    /// Shows a message about files written to a folder, which can be opened.
    pub fn notify_folder(
        &mut self,
        now_secs: f64,
        severity: Severity,
        what: String,
        advice: Option<&str>,
        folder: PathBuf,
    ) {
        self.add(now_secs, severity, what, advice.map(str::to_string), None, None);
        if let Some(notice) = self.shown.last_mut() {
            // Shown longer than other successes, as the user may want to open the folder.
            (notice.folder, notice.until_secs) = (Some(folder), Some(now_secs + DISPLAY_SECS[0]));
        }
    }

    fn add(
        &mut self,
        now_secs: f64,
        severity: Severity,
        what: String,
        advice: Option<String>,
        action: Option<Command>,
        undone: Option<FailedOperation>,
    ) {
        self.log.truncate(MAX_LOGGED_MESSAGES - 1);
        self.log.push_front(Logged { at_secs: now_secs, what: what.clone() });
        // A repeated message replaces the earlier one.
        self.shown.retain(|notice| notice.what != what);
        self.n_given += 1;
        let until_secs = match severity {
            Severity::Error => None,
            // A notice with a button needs time to decide, so it stays as long as a warning.
            Severity::Info if action.is_none() => Some(now_secs + DISPLAY_SECS[1]),
            Severity::Info | Severity::Warning => Some(now_secs + DISPLAY_SECS[0]),
        };
        let (id, report, folder) = (self.n_given, None, None);
        let mut notice = Notice { severity, what, advice, action, report, folder, undone, n_times: 1, id, until_secs };
        let n_before =
            self.shown.iter().filter(|shown| shown.is_of_a_kind(&notice)).map(|shown| shown.n_times).sum::<usize>();
        if n_before + 1 >= MERGED_NOTICES {
            notice.n_times += n_before;
            self.shown.retain(|shown| !shown.is_of_a_kind(&notice));
        }
        self.shown.push(notice);
    }

    /// Current messages, the newest last. If not all fit, the last ones are visible.
    pub fn all(&self) -> &[Notice] {
        &self.shown
    }

    /// The last twenty messages, the newest first.
    pub fn log(&self) -> impl Iterator<Item = &Logged> {
        self.log.iter()
    }

    /// Number of hidden messages if `n_rows` fit.
    pub fn n_hidden(&self, n_rows: usize) -> usize {
        self.shown.len().saturating_sub(n_rows)
    }

    /// Removes expired messages; returns the time in seconds at which the next one expires.
    pub fn expire(&mut self, now_secs: f64) -> Option<f64> {
        self.shown.retain(|notice| notice.until_secs.is_none_or(|until| until > now_secs));
        self.shown.iter().filter_map(|notice| notice.until_secs).reduce(f64::min)
    }

    /// Closes one message.
    pub fn close(&mut self, id: u64) {
        self.shown.retain(|notice| notice.id != id);
    }

    /// Closes all messages.
    pub fn close_all(&mut self) {
        self.shown.clear();
    }

    /// Extends the display of a message that is being read.
    pub fn keep_for_reading(&mut self, id: u64, now_secs: f64) {
        if let Some(notice) = self.shown.iter_mut().find(|notice| notice.id == id && notice.until_secs.is_some()) {
            notice.until_secs = Some(now_secs + DISPLAY_SECS[1]);
        }
    }
}

/// Advice for an error whose message has none after a semicolon.
fn advice(operation: &str, error: &Error) -> Option<&'static str> {
    if error.message().contains("; ") {
        return None;
    }
    Some(match (error.kind(), operation) {
        (ErrorKind::Io, "open") => {
            "Check that the file exists and that you have permission to read it, then open it again."
        }
        (ErrorKind::Io, "export") => "Choose another folder or name, or free some space, and export again.",
        (ErrorKind::Io, _) => "Check the disk and the folder, then try again.",
        (ErrorKind::DiskFull, _) => "Free some disk space or choose another disk, and try again.",
        (ErrorKind::SourceChanged, _) => "Open the file again.",
        (ErrorKind::Malformed, _) => "Try another copy of the file, or convert it to WAV or FLAC first.",
        (ErrorKind::Unsupported, "open") => "Convert the file to WAV or FLAC first.",
        (ErrorKind::Unsupported, _) => "Choose another setting and try again.",
        (ErrorKind::Limit, "open") => "Split the file into parts and open those, or convert it.",
        (ErrorKind::Limit, _) => "Work in smaller parts, or use a smaller FFT size.",
        (ErrorKind::Script, _) => "Change the settings of the brush or the selection and try again.",
        (ErrorKind::GpuMemory, _) => "Work in smaller parts, or start with --engine cpu.",
        (ErrorKind::Gpu, _) => "Update the graphics driver, or start with --engine cpu.",
        (ErrorKind::Audio, "record") => "Connect it, or choose another input, then record again.",
        (ErrorKind::Audio, _) => "Choose another output with F8, then play again.",
        (ErrorKind::Cancelled, _) => return None,
        (ErrorKind::Usage, _) => "Change what was typed and try again.",
        (ErrorKind::Internal, _) => "Nothing was changed; try again. Details are in the log.",
    })
}

/// Capitalises the first letter and adds a full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// Splits a message at its first semicolon into two sentences: what happened, and advice.
fn in_two(message: &str) -> (String, Option<String>) {
    match message.split_once("; ") {
        Some((what, advice)) => (sentence(what), Some(sentence(advice))),
        None => (sentence(message), None),
    }
}

/// A decoder's notices as sentences that begin with the file's name: `cut.wav is cut off: 10.3 s are missing. The rest
/// was read.`
pub fn about_file(name: &str, notice: &str) -> String {
    let (first, rest) = notice.split_once("; ").unwrap_or((notice, ""));
    let joint = if begins_with_verb(first) { "" } else { ":" };
    let rest: String =
        rest.split("; ").filter(|text| !text.is_empty()).map(|text| format!(" {}", sentence(text))).collect();
    format!("{name}{joint} {first}.{rest}")
}

/// The subject to put before a message: `it ` if the message begins with a verb, else empty.
fn subject(message: &str) -> &'static str {
    if begins_with_verb(message) { "it " } else { "" }
}

fn begins_with_verb(message: &str) -> bool {
    const VERBS: [&str; 12] =
        ["is", "has", "became", "ends", "could", "cannot", "holds", "needs", "was", "claims", "says", "states"];
    message.split(' ').next().is_some_and(|first| VERBS.contains(&first))
}
