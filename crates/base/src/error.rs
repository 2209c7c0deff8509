//! The error type of the whole program: one clear sentence that names the failure, the file, and the remedy.

use super::text::shown::shown_text;
use std::fmt;
use std::path::{Path, PathBuf};

/// Category of an error, for code; the message is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The operating system refused to read or write.
    Io,
    /// Not enough disk space.
    DiskFull,
    /// An open file was changed or truncated by another program.
    SourceChanged,
    /// The file has an unknown format or is too damaged to open.
    Malformed,
    /// The content is understood, but not supported.
    Unsupported,
    /// A limit on size, rate, channels or memory would be exceeded.
    Limit,
    /// A script, or a value in it, is invalid.
    Script,
    /// The GPU or its driver failed or was not found.
    Gpu,
    /// The GPU is out of memory.
    GpuMemory,
    /// The sound system failed or was not found.
    Audio,
    /// Cancelled by the user; nothing was changed.
    Cancelled,
    /// A worker died because of a bug.
    Internal,
    /// Conflicting arguments; nothing was started.
    Usage,
}

/// Kinds of error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorWording {
    /// A cause; the caller prepends the failed action: `Cannot export x.wav: the disk is full.`
    Cause,
    /// A full sentence, such as `No sound device found.` from the sound system.
    Whole,
    /// The file does not exist; shown as `no file x.wav in /home/me`.
    Missing,
    /// A full sentence that reports no failure: there was nothing to find or to change.
    Outcome,
}

/// An [`ErrorKind`], a sentence, and the file it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    wording: ErrorWording,
    message: String,
    path: Option<PathBuf>,
}

/// `Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without a file. `message` is a sentence without a full stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        // The sound system's messages name what failed.
        let wording = if kind == ErrorKind::Audio { ErrorWording::Whole } else { ErrorWording::Cause };
        Error { kind, wording, message: message.into(), path: None }
    }

    /// An outcome that is not a failure: there was nothing to find or to change. `message` is a sentence without a full
    /// stop.
    pub fn outcome(message: impl Into<String>) -> Error {
        Error { wording: ErrorWording::Outcome, ..Error::new(ErrorKind::Script, message) }
    }

    /// An error for a named file that could not be read, usually because it does not exist.
    pub fn unread(error: &std::io::Error, path: &Path) -> Error {
        match error.kind() {
            std::io::ErrorKind::NotFound => {
                Error { wording: ErrorWording::Missing, ..Error::new(ErrorKind::Io, "does not exist") }.at(path)
            }
            _ => Error::io(error, "read", path),
        }
    }

    /// The same error, about `path`.
    #[must_use]
    pub fn at(self, path: &Path) -> Error {
        Error { path: Some(path.to_path_buf()), ..self }
    }

    /// The same error with another kind.
    #[must_use]
    pub fn of_kind(self, kind: ErrorKind) -> Error {
        Error { kind, ..self }
    }

    /// The same error, continued by what was done about it: `the device is out of memory; the CPU took over`.
    #[must_use]
    pub fn continued(self, done: &str) -> Error {
        Error { message: format!("{}; {done}", self.message), ..self }
    }

    /// An operating system error on `path`; `verb` completes "could not be ...". A full disk gets a remedy.
    pub fn io(error: &std::io::Error, verb: &str, path: &Path) -> Error {
        let (kind, reason) = match full_reason(error.kind()) {
            Some(reason) => (ErrorKind::DiskFull, reason.to_owned()),
            None => (ErrorKind::Io, io_reason(error)),
        };
        Error::new(kind, format!("could not be {verb}: {reason}")).at(path)
    }

    /// An encoder's failure to write `path`. The underlying system error reads as in [`io`](Error::io).
    pub fn unwritten(error: &(dyn std::error::Error + 'static), path: &Path) -> Error {
        let causes = std::iter::successors(Some(error), |cause| cause.source());
        match causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>()).next() {
            Some(error) => Error::io(error, "written", path),
            None => Error::new(ErrorKind::Internal, format!("could not be written: {error}")).at(path),
        }
    }

    /// The error for work cancelled by the user.
    pub fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    /// The kind, for code.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The kind of message.
    pub fn wording(&self) -> ErrorWording {
        self.wording
    }

    /// Whether the GPU failed, so that the CPU engine could take over.
    pub fn is_of_gpu(&self) -> bool {
        matches!(self.kind, ErrorKind::Gpu | ErrorKind::GpuMemory)
    }

    /// The message without the file.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file that the error concerns.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Message for a full disk, with the remedy.
pub(crate) const DISK_IS_FULL: &str = "the disk is full; free some space or choose another disk";

/// Message for a write refused for lack of space, with the remedy.
fn full_reason(kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match kind {
        StorageFull => Some(DISK_IS_FULL),
        QuotaExceeded => Some("your share of the disk is used up; free some space or choose another disk"),
        FileTooLarge => {
            Some("a file may not be that large there; choose another disk or raise the file size limit (ulimit -f)")
        }
        _ => None,
    }
}

/// The system's message without the ` (os error 2)`, which means nothing to users.
fn io_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default();
    let mut letters = reason.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// A path as text on one line: control characters, line breaks and bidirectional marks are escaped.
pub fn shown_path(path: &Path) -> String {
    shown_text(&path.to_string_lossy()).into_owned()
}

/// `no file x.wav in /home/me`.
fn no_file(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    match (whole.file_name(), whole.parent()) {
        (Some(name), Some(folder)) => format!("no file {} in {}", shown_path(Path::new(name)), shown_path(folder)),
        _ => format!("no file {}", shown_path(path)),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => match self.wording {
                ErrorWording::Missing => f.write_str(&no_file(path)),
                _ => write!(f, "{}: {}", shown_path(path), self.message),
            },
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
