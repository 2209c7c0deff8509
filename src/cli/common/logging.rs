//! The log: a small rotating file, and standard error if requested. Panics are logged too.

use crate::base::crash::{self, Crash};
use crate::base::{Folders, create_private_folder, ends_in_half_a_line, is_contained, keep_private};
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, Once};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// Size above which the log is renamed at the next start; one old log is kept.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Log target of a command's final error, which is also the last line on standard error.
pub(in crate::cli) const FAILURE: &str = "sonobrush::failure";

/// The log file, if writable. Its last lines are also kept in memory for crash reports.
struct LogFile(Option<File>);

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        crash::note_logged(line);
        // `write_all`, since after a partial write this would be called again and note the rest of the line twice.
        self.0.as_mut().map_or(Ok(()), |file| file.write_all(line)).map(|()| line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.as_mut().map_or(Ok(()), File::flush)
    }
}

/// Writes a crash report of a panic that ends the program; the next start mentions it. For a lost graphics device only
/// writes a note. Panics of workers are caught, and reported by the code that polls their result.
fn report(log_file: &Path, crash: &Crash<'_>) {
    if !crash.ends_program(is_contained()) {
        return;
    }
    if crash.is_loss() {
        std::fs::write(Folders::crash_note_beside(log_file), "the graphics device was lost\n").ok();
        return;
    }
    match crash::write_report(log_file, crash) {
        Ok(report) => tracing::error!(?report, "crashed"),
        Err(error) => tracing::warn!(%error, "no report of the crash"),
    }
}

/// Starts the log. If the folder is not writable, the program runs without a log file.
pub(in crate::cli) fn start(file: &Path, level: &str, to_stderr: bool) {
    let filter = || EnvFilter::new(format!("warn,sonobrush={level}"));
    // Warnings from other crates are written only to the file.
    let for_people = EnvFilter::new(format!("off,sonobrush={level},{FAILURE}=off"));
    let log = LogFile(open(file).ok());
    let to_file = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(log)).with_filter(filter());
    let is_terminal = std::io::stderr().is_terminal();
    let to_stderr = to_stderr.then(|| {
        tracing_subscriber::fmt::layer().with_ansi(is_terminal).with_writer(std::io::stderr).with_filter(for_people)
    });
    // A second start in one process (only tests do that) keeps the first log.
    tracing_subscriber::registry().with(to_file).with(to_stderr).try_init().ok();
    static HOOK: Once = Once::new();
    let log_file = file.to_path_buf();
    HOOK.call_once(|| {
        crash::begin();
        std::panic::set_hook(Box::new(move |panic| {
            let backtrace = std::backtrace::Backtrace::force_capture();
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("unnamed");
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            let message = panic.payload_as_str().unwrap_or("a panic without words");
            report(&log_file, &Crash { thread: name, message, place: &place, backtrace: &backtrace });
            tracing::error!("panic in thread {name}: {panic}\n{backtrace}");
        }));
    });
}

fn open(file: &Path) -> std::io::Result<File> {
    if let Some(folder) = file.parent() {
        create_private_folder(folder)?;
        // Older versions created it with the system's default permissions.
        keep_private(folder).ok();
    }
    match std::fs::metadata(file) {
        // Opening a FIFO would block until a reader opens it.
        Ok(found) if !found.is_file() => return Err(std::io::ErrorKind::InvalidInput.into()),
        Ok(found) if found.len() > MAX_LOG_BYTES => _ = std::fs::rename(file, file.with_extension("log.1")),
        _ => {}
    }
    let mut log = OpenOptions::new().create(true).read(true).append(true).open(file)?;
    // The last write may have been cut off by a full disk.
    let n_bytes = log.metadata()?.len();
    if ends_in_half_a_line(&mut log, n_bytes)? {
        log.write_all(b"\n").ok();
    }
    Ok(log)
}
