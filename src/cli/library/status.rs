//! Prints the state of the library, once or repeatedly while a process works on it.

use crate::base::{Progress, Result, rate};
use crate::cli::args::ShowStatus;
use crate::cli::common::interrupt;
use crate::cli::common::terminal::Terminal;
use crate::library::store::{FailedFile, LibraryPlace, LibraryStatus, LibraryStore};
use std::io::IsTerminal;
use std::time::Duration;

/// Interval at which `--watch` checks for changes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which `--watch` checks whether to end.
const TICK: Duration = Duration::from_millis(100);

pub(super) fn status(typed: &ShowStatus, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    if typed.watch {
        return follow_status(typed.json, place, terminal);
    }
    let status = LibraryStore::open_to_read(place)?.status()?;
    if typed.json { terminal.print_json(&status) } else { terminal.print(&status_text(&status)) }
}

/// Prints the state until no process works on the library, or until interrupted: redrawn on a terminal, otherwise a
/// line per change.
fn follow_status(is_json: bool, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let progress = Progress::new();
    interrupt::watch(&progress);
    let is_drawn = !is_json && std::io::stdout().is_terminal();
    let mut n_drawn = 0;
    let mut last: Option<LibraryStatus> = None;
    loop {
        let status = LibraryStore::open_to_read(place)?.status()?;
        let is_new = last.as_ref().is_none_or(|last| status.differs_from(last));
        match () {
            () if is_drawn => n_drawn = terminal.redraw(&counts_text(&status), n_drawn)?,
            () if is_new && is_json => terminal.print_json_line(&status)?,
            () if is_new => terminal.print(&counts_line(&status))?,
            () => {}
        }
        if status.writer.is_none() {
            return Ok(());
        }
        last = Some(status);
        let mut waited = Duration::ZERO;
        while waited < POLL_INTERVAL {
            if progress.is_cancelled() {
                return Ok(());
            }
            std::thread::sleep(TICK);
            waited += TICK;
        }
    }
}

fn speed_and_eta(status: &LibraryStatus) -> [String; 2] {
    let speed = status.per_second.map(rate);
    let eta = status.eta_secs.map(|secs| format!("{}s", secs.ceil()));
    [speed, eta].map(|text| text.unwrap_or_else(|| "-".into()))
}

/// Memory use and limit of the process that works on the queue.
fn memory_of(status: &LibraryStatus) -> Option<String> {
    let has = status.memory_bytes? / 1_000_000;
    let may = status.budget_bytes.map_or_else(|| "-".into(), |bytes| format!("{} MB", bytes / 1_000_000));
    Some(format!("{has} MB of {may}"))
}

fn counts_line(status: &LibraryStatus) -> String {
    let LibraryStatus { files, sounds, waiting, running, failed, .. } = status;
    let [speed, eta] = speed_and_eta(status);
    let memory = memory_of(status).unwrap_or_else(|| "-".into());
    let stalls = silence_of(status).unwrap_or_default();
    format!(
        "files {files} | sounds {sounds} | waiting {waiting} | running {running} | failed {failed} | {speed} | \
         memory {memory} | ETA {eta}{stalls}\n"
    )
}

fn status_text(status: &LibraryStatus) -> String {
    let folders: String = status.folders.iter().map(|folder| format!("folder   {folder}\n")).collect();
    folders + &counts_text(status)
}

fn counts_text(status: &LibraryStatus) -> String {
    let LibraryStatus { files, sounds, waiting, running, failed, engine, batch, .. } = status;
    let [speed, eta] = speed_and_eta(status);
    let missing = if status.missing > 0 { format!(" ({} missing)", status.missing) } else { String::new() };
    let working = status.working.as_ref().map_or_else(String::new, |work| {
        let host = if work.host.is_empty() { String::new() } else { format!(" on {}", work.host.escape_debug()) };
        let doing = work.doing.escape_debug();
        match work.queued {
            0 => format!("{host}, {doing}"),
            queued => format!("{host}, {doing} {} of {queued} files", work.done),
        }
    });
    let stalls = silence_of(status).unwrap_or_default();
    let writer = status
        .writer
        .as_ref()
        .map_or_else(String::new, |writer| format!("writer   {writer}{working}, ETA {eta}{stalls}\n"));
    let memory = memory_of(status).map_or_else(String::new, |memory| format!("memory   {memory}\n"));
    let text = format!(
        "files    {files}{missing}\nsounds   {sounds}\nwaiting  {waiting}\nrunning  {running}\nfailed   {failed}\nspeed    {speed} (engine {engine}, batch {batch})\n{writer}{memory}"
    );
    text + &failures_text(&status.last_failures)
}

/// Text for a stalled process that works on the queue.
fn silence_of(status: &LibraryStatus) -> Option<String> {
    let work = status.working.as_ref().filter(|work| work.is_stalled)?;
    Some(format!(", no heartbeat for {:.0} s", work.silent_secs?))
}

/// A line for each file that could not be analysed.
pub(super) fn failures_text(failures: &[FailedFile]) -> String {
    failures.iter().map(|failure| format!("{}: {}\n", failure.path, failure.error)).collect()
}
