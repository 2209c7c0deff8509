//! A window that ends by a defect, or by a graphics device that is lost, is opened again.
//!
//! A second window in one process opens nothing, so the program takes its own place (`exec`), on the session, with what
//! else it was started with. At most three times within a minute; the third time on a software adapter with the CPU
//! engine. Where nothing helps, the command line says what to do.

use crate::base::{Error, ErrorKind, Folders, Result, lock, shown_path, since_boot_secs, take_place};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// When the program took its own place, in seconds since the machine started: `812.25,815.5`.
const TIMES_VARIABLE: &str = "SONOBRUSH_RESTARTS";
/// Set for the last try: draw on a software adapter.
const SOFTWARE_VARIABLE: &str = "SONOBRUSH_SOFTWARE_ADAPTER";
const ENGINE_VARIABLE: &str = "SONOBRUSH_ENGINE";
/// So often within so many seconds.
const MOST_RESTARTS: usize = 3;
const WITHIN_SECS: f64 = 60.0;

/// What is opened again, a document each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reopened {
    /// The session that holds everything since the last save.
    Session(PathBuf),
    /// The file, where nothing was edited since it was opened or saved.
    File(PathBuf),
}

static REOPENED: Mutex<Vec<Reopened>> = Mutex::new(Vec::new());
static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// What is opened again if the window has to be: the documents in the order of their tabs.
pub fn note(reopened: Vec<Reopened>) {
    *lock(&REOPENED) = reopened;
}

/// The window can draw no more: it closes, and another takes its place.
pub fn ask_for_restart() {
    IS_WANTED.store(true, Relaxed);
}

/// Whether it was asked for.
pub fn is_restart_wanted() -> bool {
    IS_WANTED.load(Relaxed)
}

/// Whether this is the last try, in which drawing must not depend on a graphics card.
pub fn is_last_try() -> bool {
    std::env::var_os(SOFTWARE_VARIABLE).is_some()
}

/// How often within the last minute the program took its own place, as of its start.
#[cfg(feature = "hooks")]
pub fn n_restarts() -> usize {
    times(since_boot_secs()).len()
}

/// When it did.
fn times(now_secs: f64) -> Vec<f64> {
    let before = std::env::var(TIMES_VARIABLE).unwrap_or_default();
    let times = before.split(',').filter_map(|time| time.parse::<f64>().ok());
    times.filter(|time| (0.0..WITHIN_SECS).contains(&(now_secs - time))).collect()
}

/// Takes the program's own place, with what was open and the options that were typed; returns only on failure.
///
/// # Errors
/// A window that stopped too often, and a program that cannot be started.
pub fn restart(files: &[PathBuf], folders: &Folders) -> Result<()> {
    let now_secs = since_boot_secs();
    let mut times = times(now_secs);
    let reopened = lock(&REOPENED).clone();
    if times.len() >= MOST_RESTARTS {
        let has_session = reopened.iter().any(|one| matches!(one, Reopened::Session(_)));
        let kept = if has_session { "; your edits are saved and will be offered at the next start" } else { "" };
        let log = shown_path(&folders.log_file());
        let what = format!("the window stopped {} times within a minute; see {log}{kept}", times.len() + 1);
        return Err(Error::new(ErrorKind::Internal, what));
    }
    times.push(now_secs);
    let is_last = times.len() == MOST_RESTARTS;
    let program = std::env::current_exe().map_err(|error| {
        Error::new(ErrorKind::Internal, format!("the window stopped, and the program file was not found: {error}"))
    })?;
    let mut command = Command::new(program);
    command.args(arguments(std::env::args_os().skip(1), files, &reopened, is_last));
    let times: Vec<String> = times.iter().map(|time| format!("{time:.3}")).collect();
    command.env(TIMES_VARIABLE, times.join(","));
    if is_last {
        command.env(SOFTWARE_VARIABLE, "1").env(ENGINE_VARIABLE, "cpu");
    }
    tracing::warn!(?command, "the window stopped; starting again");
    let error = take_place(&mut command);
    Err(Error::new(ErrorKind::Internal, format!("the window stopped and could not be reopened: {error}")))
}

/// What was typed, but for the files, of which the session takes the place; the last time no engine or adapter either.
fn arguments(
    typed: impl Iterator<Item = OsString>,
    files: &[PathBuf],
    reopened: &[Reopened],
    is_last: bool,
) -> Vec<OsString> {
    let takes_value = |name: &OsStr| -> bool {
        name == "--session" || name == "--recover" || is_last && (name == "--engine" || name == "--adapter")
    };
    let mut kept = Vec::new();
    let mut is_value = false;
    for argument in typed {
        let text = argument.to_string_lossy().into_owned();
        let is_joined = text.split_once('=').is_some_and(|(name, _)| takes_value(OsStr::new(name)));
        let is_dropped = is_value || is_joined || takes_value(&argument) || argument == "--";
        is_value = !is_value && takes_value(&argument);
        if !is_dropped && !files.iter().any(|file| file.as_os_str() == argument) {
            kept.push(argument);
        }
    }
    let sessions = reopened.iter().filter_map(|one| match one {
        Reopened::Session(session) => Some(["--session".into(), session.clone().into_os_string()]),
        Reopened::File(_) => None,
    });
    kept.extend(sessions.flatten());
    let mut files = reopened.iter().filter_map(|one| match one {
        Reopened::File(file) => Some(file.clone().into_os_string()),
        Reopened::Session(_) => None,
    });
    if let Some(first) = files.next() {
        // A name may begin with a dash.
        kept.extend(["--".into(), first]);
        kept.extend(files);
    }
    kept
}
