//! Restarts the window after a panic or the loss of the graphics device.
//!
//! A process cannot open a second window, so the program replaces itself (`exec`) with its original arguments and the
//! sessions of the open documents. It does so at most three times within a minute; the third time on a software adapter
//! with the CPU engine. If that fails, a message on the terminal says what to do.
//!
//! The restart happens in the panic hook, before unwinding: once the device is lost, the destructors of rendering
//! objects panic too, and a second panic would abort the program.

use crate::base::{
    Error, ErrorKind, Folders, Result, crash, is_contained, leave_at_once, lock, shown_path, since_boot_secs,
    take_place,
};
use crate::document::session::SessionContact;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Times of restarts, in seconds since boot: `812.25,815.5`.
const TIMES_VARIABLE: &str = "SONOBRUSH_RESTARTS";
/// Set for the last restart: render on a software adapter.
const SOFTWARE_VARIABLE: &str = "SONOBRUSH_SOFTWARE_ADAPTER";
/// Set once a sound was saved back, so that the exit code of `--edit` survives a restart.
const SAVED_BACK_VARIABLE: &str = "SONOBRUSH_SAVED_BACK";
const ENGINE_VARIABLE: &str = "SONOBRUSH_ENGINE";
/// Maximum number of restarts within [`RESTART_WINDOW_SECS`].
const MAX_RESTARTS: usize = 3;
const RESTART_WINDOW_SECS: f64 = 60.0;
/// Maximum time to wait until the sessions are on disk.
const SESSION_TIMEOUT: Duration = Duration::from_secs(2);

/// A document to reopen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reopened {
    /// Folder of its session, which has the edits since the last save, and the view.
    Session(PathBuf),
    /// Its file, if it has no session, or the edits of the session are saved or discarded.
    File(PathBuf),
}

/// State of an open document that a restart needs.
#[derive(Debug, Clone)]
pub struct OpenDocumentState {
    /// Its file, if it has one.
    pub file: Option<PathBuf>,
    /// Whether to resume its session rather than reopen its file. True without edits and with unsaved ones; false once
    /// all edits are saved, or the user agreed to discard them.
    pub goes_on: bool,
    /// Its session, once there is one.
    pub session: Option<SessionContact>,
}

/// The open documents of the window, and the sessions and files about to be opened.
#[derive(Debug, Clone, Default)]
pub struct WindowState {
    /// Documents in the order of their tabs.
    pub documents: Vec<OpenDocumentState>,
    /// Folders of sessions about to be resumed.
    pub sessions: Vec<PathBuf>,
    /// Files that are about to be opened.
    pub files: Vec<PathBuf>,
}

/// Start parameters of the program that a restart needs.
struct Launch {
    files: Vec<PathBuf>,
    folders: Folders,
    notify: fn(&Error),
}

static LAUNCH: OnceLock<Launch> = OnceLock::new();
static WINDOW_STATE: Mutex<Option<WindowState>> = Mutex::new(None);
static RESTART_REQUESTED: AtomicBool = AtomicBool::new(false);
static HAS_SAVED_BACK: AtomicBool = AtomicBool::new(false);

/// Installs the panic hook: from now on a panic of the main thread restarts the program, as does one of any thread
/// after [`request_restart`]. Until [`note`] is called, a restart reopens these sessions and files. `notify` reports a
/// failed restart.
pub fn begin(sessions: &[PathBuf], files: &[PathBuf], folders: &Folders, notify: fn(&Error)) {
    *lock(&WINDOW_STATE) =
        Some(WindowState { documents: Vec::new(), sessions: sessions.to_vec(), files: files.to_vec() });
    let launch = Launch { files: files.to_vec(), folders: folders.clone(), notify };
    if LAUNCH.set(launch).is_err() {
        return;
    }
    let main = std::thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        let is_main = std::thread::current().id() == main;
        if !is_contained() && (is_main || is_restart_wanted()) {
            // An edit may have been made since the last note.
            leave(StateAge::Before);
        }
    }));
}

/// Notes what to reopen after a restart. Ignored if restarts are disabled.
pub fn note(now: impl FnOnce() -> WindowState) {
    if LAUNCH.get().is_some() {
        *lock(&WINDOW_STATE) = Some(now());
    }
}

/// Whether the [noted](note) state is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateAge {
    /// Current: there was no edit since.
    Now,
    /// Possibly outdated: sessions without edits at the time may have some now, so none is removed.
    Before,
}

/// Restarts the program once the sessions are on disk, or after [`SESSION_TIMEOUT`]; if the restart fails, reports the
/// error and exits.
pub fn leave(noted: StateAge) -> ! {
    static RESTARTING_THREAD: OnceLock<ThreadId> = OnceLock::new();
    let current = std::thread::current().id();
    if RESTARTING_THREAD.set(current).is_err() {
        if RESTARTING_THREAD.get() == Some(&current) {
            // A panic during the restart: gives up.
            leave_at_once(1);
        }
        loop {
            std::thread::park();
        }
    }
    let now = lock(&WINDOW_STATE).take().unwrap_or_default();
    settle(&now.documents, noted);
    let Some(Launch { files, folders, notify }) = LAUNCH.get() else { leave_at_once(1) };
    let Err(error) = restart(files, &reopened(now), folders);
    notify(&error);
    leave_at_once(1)
}

/// Waits until all changes passed to the sessions are on disk, and removes sessions that are not needed.
fn settle(documents: &[OpenDocumentState], noted: StateAge) {
    let ends_at = Instant::now() + SESSION_TIMEOUT;
    let sessions = documents.iter().filter_map(|document| document.session.as_ref().zip(Some(document.goes_on)));
    let is_kept = |goes_on: bool| goes_on || noted == StateAge::Before;
    let answers: Vec<_> =
        sessions.map(|(session, goes_on)| if is_kept(goes_on) { session.ask() } else { session.end() }).collect();
    for answer in answers {
        // Continues after a timeout.
        answer.recv_timeout(ends_at.saturating_duration_since(Instant::now())).ok();
    }
}

/// The documents to reopen, each once: by session if that is to be resumed, else by file.
fn reopened(now: WindowState) -> Vec<Reopened> {
    let of_document = |document: OpenDocumentState| {
        let session = document.session.filter(|_| document.goes_on).and_then(|session| session.folder());
        session.map(Reopened::Session).or(document.file.map(Reopened::File))
    };
    let mut reopened: Vec<Reopened> = now.documents.into_iter().filter_map(of_document).collect();
    let coming = now.sessions.into_iter().map(Reopened::Session);
    // Skips arguments that are not existing files.
    for one in coming.chain(now.files.into_iter().filter(|file| file.exists()).map(Reopened::File)) {
        if !reopened.contains(&one) {
            reopened.push(one);
        }
    }
    reopened
}

/// Requests a restart after the graphics device was lost.
pub fn request_restart() {
    let Some(launch) = LAUNCH.get() else { return };
    crash::note_lost_device();
    if !RESTART_REQUESTED.swap(true, Relaxed)
        && let Err(error) = std::fs::write(launch.folders.crash_note(), "the graphics device was lost\n")
    {
        tracing::warn!(%error, "no note of the loss");
    }
}

/// Whether a restart was requested.
pub fn is_restart_wanted() -> bool {
    RESTART_REQUESTED.load(Relaxed)
}

/// Notes that a sound was saved back.
pub fn note_saved_back() {
    HAS_SAVED_BACK.store(true, Relaxed);
}

/// Whether a sound was saved back before a restart.
pub fn has_saved_back_before() -> bool {
    std::env::var_os(SAVED_BACK_VARIABLE).is_some()
}

/// Whether this is the last restart, which draws on a software adapter.
pub fn is_last_try() -> bool {
    std::env::var_os(SOFTWARE_VARIABLE).is_some()
}

/// Number of restarts within the last minute.
#[cfg(feature = "hooks")]
pub fn n_restarts() -> usize {
    times(since_boot_secs()).len()
}

/// Times of earlier restarts within the last minute, in seconds since boot.
fn times(now_secs: f64) -> Vec<f64> {
    let before = std::env::var(TIMES_VARIABLE).unwrap_or_default();
    let times = before.split(',').filter_map(|time| time.parse::<f64>().ok());
    times.filter(|time| (0.0..RESTART_WINDOW_SECS).contains(&(now_secs - time))).collect()
}

/// Replaces the process by a new one with the original options and the documents to reopen; returns only on failure.
///
/// # Errors
/// The window stopped too often, or the program cannot be started.
fn restart(files: &[PathBuf], reopened: &[Reopened], folders: &Folders) -> Result<Infallible> {
    let now_secs = since_boot_secs();
    let mut times = times(now_secs);
    if times.len() >= MAX_RESTARTS {
        let has_session = reopened.iter().any(|one| matches!(one, Reopened::Session(_)));
        let kept = if has_session { "; your edits are saved and will be offered at the next start" } else { "" };
        let log = shown_path(&folders.log_file());
        let what = format!("the window stopped {} times within a minute; see {log}{kept}", times.len() + 1);
        return Err(Error::new(ErrorKind::Internal, what));
    }
    times.push(now_secs);
    let is_last = times.len() == MAX_RESTARTS;
    let program = std::env::current_exe().map_err(|error| {
        Error::new(ErrorKind::Internal, format!("the window stopped, and the program file was not found: {error}"))
    })?;
    let mut command = Command::new(program);
    command.args(arguments(std::env::args_os().skip(1), files, reopened, is_last));
    let times: Vec<String> = times.iter().map(|time| format!("{time:.3}")).collect();
    command.env(TIMES_VARIABLE, times.join(","));
    if HAS_SAVED_BACK.load(Relaxed) || has_saved_back_before() {
        command.env(SAVED_BACK_VARIABLE, "1");
    }
    if is_last {
        command.env(SOFTWARE_VARIABLE, "1").env(ENGINE_VARIABLE, "cpu");
    }
    tracing::warn!(?command, "the window stopped; starting again");
    let error = take_place(&mut command);
    Err(Error::new(ErrorKind::Internal, format!("the window stopped and could not be reopened: {error}")))
}

/// The arguments for a restart: the original ones, with files replaced by their sessions; the last restart also drops
/// engine and adapter.
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
        // File names may begin with a dash.
        kept.extend(["--".into(), first]);
        kept.extend(files);
    }
    kept
}
