//! Crash reports for developers: `crash-DATE.txt` beside the log; the last five are kept. They contain neither the
//! names of the user's sounds nor the home folder.

mod names;

use super::{Folders, UtcDate, lock, open_new_private_file, read_small_file, version};
use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum number of reports kept.
const MAX_REPORTS: usize = 5;
/// Maximum number of log lines in a report.
const MAX_LINES: usize = 100;
/// Maximum size of a line, of the panic message, and of its backtrace, in bytes.
const LINE_BYTES: usize = 1_000;
const MESSAGE_BYTES: usize = 8 << 10;
const BACKTRACE_BYTES: usize = 128 << 10;
/// Maximum size of each system file that is read, such as `/proc/self/maps`.
const MAX_SYSTEM_BYTES: u64 = 4 << 20;
/// Maximum number of sounds whose names the next report can omit. The latest are kept, since a library may open any
/// number of sounds.
const MAX_SOUNDS: usize = 1_000;
/// Prefix and suffix of the file name of a report.
const REPORT_NAME: [&str; 2] = ["crash-", ".txt"];
/// The standard library's messages for panics that abort the process.
const FATAL: [&str; 2] = ["panic in a function that cannot unwind", "panic in a destructor during cleanup"];
/// Maximum time that a report waits for another thread that is recording facts.
const TIMEOUT: Duration = Duration::from_millis(100);

/// A panic, as passed to the panic hook.
#[derive(Clone, Copy)]
pub struct Crash<'a> {
    /// The thread's name.
    pub thread: &'a str,
    /// Panic message.
    pub message: &'a str,
    /// File, line and column.
    pub place: &'a str,
    /// Backtrace, one line per frame.
    pub backtrace: &'a dyn fmt::Display,
}

impl Crash<'_> {
    /// Whether a panic ends the program: one on the main thread that is not caught, or one that aborts the process.
    /// `is_caught` states whether calling code catches it.
    pub fn ends_program(&self, is_caught: bool) -> bool {
        self.thread == "main" && !is_caught || FATAL.contains(&self.message)
    }

    /// Whether the panic results from a lost graphics device, after which the window restarts the program.
    pub fn is_loss(&self) -> bool {
        let words = self.message.to_lowercase();
        // Drawing code may fail before the loss is reported: egui-wgpu cannot create a buffer on a lost device.
        let is_unable = words.starts_with("failed to create staging buffer");
        DEVICE_LOST.load(Relaxed) || is_unable || words.contains("device") && words.contains("lost")
    }
}

/// Facts about the program and the machine, known before a crash.
#[derive(Debug, Clone, Default)]
pub struct CrashContext {
    /// Operating system and processor.
    pub system: String,
    /// Load address of the program, the origin of the addresses in a backtrace; empty if unknown.
    pub loaded_at: String,
    /// The graphics adapter, its interface and its driver.
    pub adapter: String,
    /// `CPU` or `GPU`.
    pub engine: String,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Sounds that were opened or about to be opened, the latest last.
    pub sounds: VecDeque<PathBuf>,
    /// The last log lines, the newest at the end.
    pub lines: VecDeque<String>,
}

impl CrashContext {
    const NOTHING: CrashContext = CrashContext {
        system: String::new(),
        loaded_at: String::new(),
        adapter: String::new(),
        engine: String::new(),
        home: None,
        sounds: VecDeque::new(),
        lines: VecDeque::new(),
    };

    /// Records an opened sound; a known one becomes the newest.
    pub fn add_sound(&mut self, path: &Path) {
        let is_known = |known: &PathBuf| known.as_os_str() == path.as_os_str();
        if self.sounds.back().is_some_and(is_known) {
            return;
        }
        self.sounds.retain(|known| !is_known(known));
        self.sounds.push_back(path.to_path_buf());
        if self.sounds.len() > MAX_SOUNDS {
            self.sounds.pop_front();
        }
    }

    /// Adds whole log lines; the last hundred are kept.
    pub fn add_lines(&mut self, text: &str) {
        for line in text.lines() {
            self.lines.push_back(start_of(line, LINE_BYTES).to_owned());
            if self.lines.len() > MAX_LINES {
                self.lines.pop_front();
            }
        }
    }

    /// The text of a crash report; `since_1970` is the time of the crash.
    pub fn report(&self, crash: &Crash<'_>, since_1970: Duration) -> String {
        let mut backtrace = Bounded(String::new());
        // An error only means that the backtrace was cut off.
        write!(backtrace, "{:#}", crash.backtrace).ok();
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let message = start_of(crash.message, MESSAGE_BYTES);
        let sounds = self.sounds.iter().map(PathBuf::as_path);
        let [message, place, backtrace, lines] =
            names::without_names([message, crash.place, &backtrace.0, &lines.join("\n")], sounds, self.home.as_deref());
        let [day, time] = clock_of(since_1970);
        let mut text = format!("Sonobrush {} stopped unexpectedly on {day} at {time} UTC.\n\n", version());
        for (what, words) in [("System", &self.system), ("Adapter", &self.adapter), ("Engine", &self.engine)] {
            let words = if words.is_empty() { "not known yet" } else { words };
            text.push_str(&format!("{what}: {words}\n"));
        }
        text.push_str(&format!("Panic: {message}\nPlace: {place}, thread {}\n\n", crash.thread));
        let base = if self.loaded_at.is_empty() { String::new() } else { format!(" (program at {})", self.loaded_at) };
        text.push_str(&format!("Backtrace{base}:\n{}\n\n", backtrace.trim_end()));
        text.push_str(&format!("Last lines of the log:\n{lines}\n"));
        text
    }
}

static KNOWN_FACTS: Mutex<CrashContext> = Mutex::new(CrashContext::NOTHING);
static DEVICE_LOST: AtomicBool = AtomicBool::new(false);
static LAST_REPORT: OnceLock<PathBuf> = OnceLock::new();

/// Records the system and the home folder for a possible report.
pub fn begin() {
    let home = home_folder();
    let (system, loaded_at) = (system_words(), load_address().unwrap_or_default());
    let mut known = lock(&KNOWN_FACTS);
    (known.system, known.loaded_at, known.home) = (system, loaded_at, home);
}

/// Records the graphics adapter and the engine.
pub fn note_engine(adapter: &str, engine: &str) {
    let mut known = lock(&KNOWN_FACTS);
    (known.adapter, known.engine) = (adapter.to_owned(), engine.to_owned());
}

/// Records a sound that is about to be opened, so that reports can omit its name.
pub fn note_sound(path: &Path) {
    lock(&KNOWN_FACTS).add_sound(path);
}

/// Records logged text, in whole lines.
pub fn note_logged(text: &[u8]) {
    lock(&KNOWN_FACTS).add_lines(&String::from_utf8_lossy(text));
}

/// Marks all later panics as results of a lost graphics device rather than crashes.
pub fn note_lost_device() {
    DEVICE_LOST.store(true, Relaxed);
}

/// Writes the report of a crash beside the log, and a note of it for the next start. For use in the panic hook: it
/// never panics, never waits long, and its memory is bounded.
///
/// # Errors
/// The operating system's error.
pub fn write_report(log_file: &Path, crash: &Crash<'_>) -> Result<PathBuf> {
    let folder = log_file.parent().ok_or(ErrorKind::NotFound)?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let text = match known_soon() {
        Some(known) => known.report(crash, since_1970),
        None => CrashContext { home: home_folder(), ..CrashContext::NOTHING }.report(crash, since_1970),
    };
    let file = keep_report(folder, &text, since_1970)?;
    LAST_REPORT.set(file.clone()).ok();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    std::fs::write(Folders::crash_note_beside(log_file), format!("{name}\n"))?;
    Ok(file)
}

/// The report that this process has written.
pub fn last_report() -> Option<&'static Path> {
    LAST_REPORT.get().map(PathBuf::as_path)
}

/// The report named in a crash note; `None` if the note is about something else, such as a lost device.
pub fn report_of_note(note: &Path) -> Option<PathBuf> {
    let name = super::read_head(note, LINE_BYTES).ok()?;
    let name = std::str::from_utf8(&name).ok()?.trim();
    let file = note.with_file_name(name);
    (is_report(name) && file.is_file()).then_some(file)
}

/// Writes a report that only this user can read, and removes all but the newest five.
///
/// # Errors
/// The operating system's error.
pub fn keep_report(folder: &Path, text: &str, since_1970: Duration) -> Result<PathBuf> {
    let mut last = Error::from(ErrorKind::AlreadyExists);
    // Another process may have crashed in the same second.
    for later_secs in 0..10 {
        let [day, time] = clock_of(since_1970 + Duration::from_secs(later_secs));
        let [start, end] = REPORT_NAME;
        let path = folder.join(format!("{start}{day}-{}{end}", time.replace(':', "")));
        match open_new_private_file(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                remove_old(folder, &path);
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

fn is_report(name: &str) -> bool {
    let [start, end] = REPORT_NAME;
    let date = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    date.is_some_and(|date| !date.is_empty() && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Removes old reports. Their names sort by time.
fn remove_old(folder: &Path, newest: &Path) {
    let found = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_old = |path: &PathBuf| {
        path != newest && path.file_name().and_then(|name| name.to_str()).is_some_and(is_report) && path.is_file()
    };
    let mut old: Vec<PathBuf> = found.filter(is_old).collect();
    old.sort();
    let n_removed = (old.len() + 1).saturating_sub(MAX_REPORTS);
    old.iter().take(n_removed).for_each(|path| drop(std::fs::remove_file(path)));
}

/// The known facts, unless another thread holds the lock for too long.
fn known_soon() -> Option<MutexGuard<'static, CrashContext>> {
    const STEP: Duration = Duration::from_millis(1);
    for _ in 0..TIMEOUT.as_millis() {
        match KNOWN_FACTS.try_lock() {
            Ok(known) => return Some(known),
            Err(TryLockError::Poisoned(known)) => return Some(known.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(STEP),
        }
    }
    None
}

/// The beginning of a text, at most `max_bytes` long.
fn start_of(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text limited to the maximum size of a backtrace.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = start_of(text, BACKTRACE_BYTES.saturating_sub(self.0.len()));
        self.0.push_str(start);
        if start.len() == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Day and time of day in UTC: `2026-11-26`, `18:19:23`.
fn clock_of(since_1970: Duration) -> [String; 2] {
    let UtcDate { year, month, day, hours, minutes, secs } =
        UtcDate::from_unix_secs(i64::try_from(since_1970.as_secs()).unwrap_or_default());
    [format!("{year}-{month:02}-{day:02}"), format!("{hours:02}:{minutes:02}:{secs:02}")]
}

fn home_folder() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|found| found.home_dir().to_path_buf())
}

/// `Debian GNU/Linux 12 (bookworm), linux 6.1.0-32-amd64, x86_64, 8 threads`.
fn system_words() -> String {
    let read = |path: &str| small_text(path).unwrap_or_default();
    let release = read("/etc/os-release");
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| format!("{}, ", name.trim_matches('"'))).unwrap_or_default();
    let kernel = read("/proc/sys/kernel/osrelease");
    let system = format!("{name}{} {}", std::env::consts::OS, kernel.trim());
    let n_threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {}, {n_threads} threads", system.trim_end(), std::env::consts::ARCH)
}

fn small_text(path: &str) -> Option<String> {
    let bytes = read_small_file(Path::new(path), MAX_SYSTEM_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Load address of the program, for looking up addresses in its debug symbols.
fn load_address() -> Option<String> {
    let maps = small_text("/proc/self/maps")?;
    let program = std::env::current_exe().ok()?;
    let own = maps.lines().find(|line| line.ends_with(program.to_string_lossy().as_ref()))?;
    own.split_once('-').map(|(start, _)| format!("0x{start}"))
}
