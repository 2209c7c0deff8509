//! The log: a small rotating file, and standard error where someone asked for it. Panics go there too.

use crate::base::{Folders, ends_in_half_a_line, is_contained};
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, Once};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// A log larger than this is set aside at the next start; one old log is kept.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Where what ended a command is logged under: the one line of the failure says the same on standard error.
pub(super) const FAILURE: &str = "sonobrush::failure";

/// What the next start tells the user of a panic that ended the window.
fn note_crash(file: &Path, panic: &str) {
    let note = format!("{panic}\n");
    if let Err(error) = std::fs::write(Folders::crash_note_beside(file), note) {
        tracing::warn!(%error, "no note of the crash");
    }
}

/// Starts the log. A folder that cannot be written costs the file, not the program.
pub(super) fn start(file: &Path, level: &str, to_stderr: bool) {
    let filter = || EnvFilter::new(format!("warn,sonobrush={level}"));
    // Libraries' warnings help nobody who reads along; the file has them.
    let for_people = EnvFilter::new(format!("off,sonobrush={level},{FAILURE}=off"));
    let to_file = open(file).ok().map(|file| {
        tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file)).with_filter(filter())
    });
    let is_terminal = std::io::stderr().is_terminal();
    let to_stderr = to_stderr.then(|| {
        tracing_subscriber::fmt::layer().with_ansi(is_terminal).with_writer(std::io::stderr).with_filter(for_people)
    });
    // A second start in one process (only tests do that) keeps the first log.
    tracing_subscriber::registry().with(to_file).with(to_stderr).try_init().ok();
    static HOOK: Once = Once::new();
    let log_file = file.to_path_buf();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(move |panic| {
            let backtrace = std::backtrace::Backtrace::force_capture();
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("unnamed").to_owned();
            tracing::error!("panic in thread {name}: {panic}\n{backtrace}");
            // Workers' panics are caught, and told by whoever waits for their answer.
            if name == "main" && !is_contained() {
                note_crash(&log_file, &panic.to_string());
            }
        }));
    });
}

fn open(file: &Path) -> std::io::Result<File> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::metadata(file) {
        // To open a FIFO would wait for somebody to read it.
        Ok(found) if !found.is_file() => return Err(std::io::ErrorKind::InvalidInput.into()),
        Ok(found) if found.len() > MAX_LOG_BYTES => _ = std::fs::rename(file, file.with_extension("log.1")),
        _ => {}
    }
    let mut log = OpenOptions::new().create(true).read(true).append(true).open(file)?;
    // A full disk may have left half a line.
    let n_bytes = log.metadata()?.len();
    if ends_in_half_a_line(&mut log, n_bytes)? {
        log.write_all(b"\n").ok();
    }
    Ok(log)
}
