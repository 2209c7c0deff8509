//! Library commands that add, watch, verify and remove folders and files.

use super::locking::take_lock;
use super::notices::WithNotices;
use super::routes::{batch_engine, keep_in, keep_rates};
use super::search::duplicates_text;
use super::shards::listed;
use super::status::failures_text;
use crate::base::{Error, ErrorKind, Progress, Result, shown_path};
use crate::cli::args::{AddFolders, BenchLibrary, RemoveFolder, ShowFailures, ShowStats, VerifyLibrary, WatchLibrary};
use crate::cli::common::interrupt;
use crate::cli::common::terminal::Terminal;
use crate::library::batches::{BatchKind, BatchOrder};
use crate::library::bench::bench_library;
use crate::library::identity::duplicates::DuplicateOrder;
use crate::library::store::{
    AddOrder, AddReport, LibraryLock, LibraryPlace, LibraryStore, ListedFiles, RemovalReport, VerifyOrder, VerifyReport,
};
use crate::library::watch::{WatchEvent, WatchOrder, watch_library};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// Interval between status lines.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of failures printed.
const MAX_PRINTED_FAILURES: usize = 10_000;

pub(super) fn add(
    typed: &AddFolders,
    place: &LibraryPlace,
    (batches, memory_bytes): (BatchOrder, Option<u64>),
    terminal: &Terminal,
) -> Result<()> {
    let progress = Progress::new();
    interrupt::watch(&progress);
    let listed = listed(typed)?;
    let lock = match typed.no_wait {
        true => LibraryLock::try_take(place)?.ok_or_else(|| LibraryLock::refusal(place))?,
        false => take_lock(place, terminal, &progress)?,
    };
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &lock, &mut notices)?;
    terminal.notices(&notices);
    let of_opening = notices;
    let jobs = typed.jobs.map_or_else(cores, usize::from);
    let status_every = typed.status_every.map(|secs| Duration::from_secs(u64::from(secs)));
    let order = AddOrder {
        folders: typed.folders.clone(),
        jobs,
        memory_bytes,
        only_queues: typed.no_wait,
        leaves_young: false,
        gives_way: false,
        status_every: status_every.unwrap_or(STATUS_INTERVAL),
        batches: batches.clone(),
    };
    let is_shown = typed.status_every.is_some() || std::io::stderr().is_terminal();
    if typed.watch {
        typed.folders.iter().try_for_each(|folder| store.enrol(folder, true))?;
    }
    let mut report = work(&store, (&order, listed.as_ref()), &lock, is_shown, terminal, &progress)?;
    store.refresh_scale()?;
    print_file_notices(&report, terminal);
    terminal.notices(&report.notices);
    // For JSON, adds notices that were printed earlier.
    report.notices.splice(0..0, of_opening.into_iter().chain(report.outdated_notice()));
    if typed.json {
        return terminal.print_json(&report);
    }
    let queued = if typed.no_wait { format!(", {} queued", report.queued) } else { String::new() };
    terminal.print(&format!("{} found{queued}{}\n", files(report.found), outcome(&report)))?;
    if typed.detect_duplicates {
        let mut engine = batch_engine(place, &batches)?;
        let groups = store.duplicates(DuplicateOrder::default(), &mut engine, &progress)?;
        keep_in(&store, &mut engine, BatchKind::HashPairs)?;
        terminal.print(&duplicates_text(&groups))?;
    }
    drop((store, lock));
    if !typed.watch {
        return Ok(());
    }
    let order = WatchOrder { jobs, memory_bytes, status_every: STATUS_INTERVAL, batches };
    watch_folders(&order, place, terminal, &progress)
}

pub(super) fn watch(
    typed: &WatchLibrary,
    place: &LibraryPlace,
    (batches, memory_bytes): (BatchOrder, Option<u64>),
    terminal: &Terminal,
) -> Result<()> {
    let progress = Progress::new();
    interrupt::watch(&progress);
    let jobs = typed.jobs.map_or_else(cores, usize::from);
    let order = WatchOrder { jobs, memory_bytes, status_every: STATUS_INTERVAL, batches };
    watch_folders(&order, place, terminal, &progress)
}

/// Watches folders until interrupted.
fn watch_folders(order: &WatchOrder, place: &LibraryPlace, terminal: &Terminal, progress: &Progress) -> Result<()> {
    let is_shown = std::io::stderr().is_terminal() && !terminal.is_quiet();
    let mut closed = None;
    let mut on_event = |news: WatchEvent<'_>| match news {
        WatchEvent::Notice(notice) => terminal.notice(&notice),
        WatchEvent::Status(report) if is_shown => terminal.status(&status_line(report)),
        WatchEvent::Done(report) if report.done() > 0 => {
            print_file_notices(report, terminal);
            let line = format!("{} found{}\n", files(report.found), outcome(report));
            if let Err(error) = terminal.print(&line) {
                closed = Some(error);
                progress.cancel();
            }
        }
        WatchEvent::Status(_) | WatchEvent::Done(_) => {}
    };
    watch_library(place, order, progress, &mut on_event)?;
    closed.map_or(Ok(()), Err)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn work(
    store: &LibraryStore,
    (order, listed): (&AddOrder, Option<&ListedFiles>),
    lock: &LibraryLock,
    is_shown: bool,
    terminal: &Terminal,
    progress: &Progress,
) -> Result<AddReport> {
    let mut is_reported = false;
    let mut status = |report: &AddReport| {
        if let Some(notice) =
            report.outdated_notice().filter(|_| !std::mem::replace(&mut is_reported, report.outdated > 0))
        {
            terminal.notice(&notice);
        }
        if is_shown && !terminal.is_quiet() {
            terminal.status(&status_line(report));
        }
    };
    match listed {
        Some(listed) => store.add_listed(listed, order, lock, progress, &mut status),
        None => store.add(order, lock, progress, &mut status),
    }
}

fn status_line(report: &AddReport) -> String {
    // Folders are still being scanned.
    if report.queued == 0 {
        return format!("[{:>6.1}s] looking for sounds", report.elapsed_secs);
    }
    let memory = report.state.memory_bytes.map_or_else(|| "-".into(), |bytes| format!("{}MB", bytes / 1_000_000));
    format!(
        "[{:>6.1}s] files {}/{} | known {} | failed {} | MEM {memory} | {}",
        report.elapsed_secs,
        report.done(),
        report.queued,
        report.recognised,
        report.failed,
        report.state
    )
}

/// Prints the notices of a run about individual files.
fn print_file_notices(report: &AddReport, terminal: &Terminal) {
    for noted in &report.noted {
        noted.notices.iter().for_each(|notice| terminal.notice(&format!("{}: {notice}", noted.path)));
    }
    if report.more_noted > 0 {
        terminal.notice(&format!("{} with notices of their own; the log names them", more_files(report.more_noted)));
    }
}

fn more_files(n: u64) -> String {
    if n == 1 { "1 more file".to_owned() } else { format!("{n} more files") }
}

/// The numbers of files by outcome, as text.
fn outcome(report: &AddReport) -> String {
    let parts =
        [(report.analysed, "analysed"), (report.recognised, "recognised"), (report.failed, "could not be analysed")];
    parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}")).collect()
}

fn files(n: u64) -> String {
    if n == 1 { "1 file".to_owned() } else { format!("{n} files") }
}

pub(super) fn stats(typed: &ShowStats, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let stats = LibraryStore::open_to_read(place)?.stats()?;
    if typed.json {
        return terminal.print_json(&stats);
    }
    let mut text = String::from(
        "run                            kind      engine  batches    items  failed  fallbacks  shrunk  ms/batch  batch\n",
    );
    for row in stats {
        text.push_str(&format!(
            "{:<30} {:<9} {:<7} {:>7} {:>8} {:>7} {:>10} {:>7} {:>9.2} {:>6}\n",
            row.run,
            row.kind,
            row.engine,
            row.batches,
            row.items,
            row.failed,
            row.fallbacks,
            row.shrunk,
            row.mean_batch_ms,
            row.batch_size
        ));
    }
    terminal.print(&text)
}

pub(super) fn failures(
    typed: &ShowFailures,
    place: &LibraryPlace,
    (batches, memory_bytes): (BatchOrder, Option<u64>),
    terminal: &Terminal,
) -> Result<()> {
    if typed.retry {
        let store = LibraryStore::open_to_edit(place)?;
        let n = store.retry_failures()?;
        drop(store);
        // If another process works on the queue, it also analyses these files.
        if n > 0
            && let Some(lock) = LibraryLock::try_take(place)?
        {
            let progress = Progress::new();
            interrupt::watch(&progress);
            let mut notices = Vec::new();
            let store = LibraryStore::open_to_write(place, &lock, &mut notices)?;
            let order = AddOrder {
                folders: Vec::new(),
                jobs: cores(),
                memory_bytes,
                only_queues: false,
                leaves_young: false,
                gives_way: false,
                status_every: STATUS_INTERVAL,
                batches,
            };
            let report = work(&store, (&order, None), &lock, std::io::stderr().is_terminal(), terminal, &progress)?;
            print_file_notices(&report, terminal);
            terminal.notices(&[notices, report.notices].concat());
        }
    }
    let failures =
        LibraryStore::open_to_read(place)?.failures(if typed.json { usize::MAX } else { MAX_PRINTED_FAILURES })?;
    if typed.json { terminal.print_json(&failures) } else { terminal.print(&failures_text(&failures)) }
}

pub(super) fn bench(
    typed: &BenchLibrary,
    place: &LibraryPlace,
    batches: &BatchOrder,
    terminal: &Terminal,
) -> Result<()> {
    let store = place.database().exists().then(|| LibraryStore::open_to_read(place)).transpose()?;
    let bench = terminal.with_progress("measuring", |progress| bench_library(store.as_ref(), batches, progress))?;
    keep_rates(place, &bench);
    if typed.json {
        return terminal.print_json(&bench.rows);
    }
    let mut text = String::from(
        "kind      item                        CPU items/s     GPU items/s  batch  speed-up  library: CPU       GPU\n",
    );
    let or_dash = |value: Option<f64>, digits: usize, unit: &str| {
        value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}{unit}"))
    };
    for row in &bench.rows {
        text.push_str(&format!(
            "{:<9} {:<24} {:>14.1} {:>15} {:>6} {:>9} {:>13} {:>9}\n",
            row.kind,
            row.item,
            row.cpu_per_s,
            or_dash(row.gpu_per_s, 1, ""),
            row.gpu_batch.map_or_else(|| "-".into(), |n| n.to_string()),
            or_dash(row.speed_up, 2, "x"),
            or_dash(row.library_hours, 2, " h"),
            or_dash(row.library_gpu_hours, 2, " h"),
        ));
    }
    let adapter = bench.adapter.as_deref().map_or("none in use".to_owned(), |adapter| adapter.to_owned());
    text.push_str(&format!(
        "GPU: {adapter}. Hours on the CPU are on all cores; its other figures on one, of hamming on all.\n"
    ));
    terminal.print(&text)
}

pub(super) fn remove(typed: &RemoveFolder, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let forgotten = LibraryStore::open_to_edit(place)?.remove_folder(&typed.folder)?;
    terminal.print(&format!("{}: {}", shown_path(&typed.folder), forgotten_text(forgotten)))
}

pub(super) fn forget(place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let forgotten = LibraryStore::open_to_edit(place)?.forget_missing()?;
    terminal.print(&forgotten_text(forgotten))
}

fn forgotten_text(forgotten: RemovalReport) -> String {
    let sounds = if forgotten.sounds == 1 { "1 sound".to_owned() } else { format!("{} sounds", forgotten.sounds) };
    format!("{} and {sounds} taken out of the library\n", files(forgotten.files as u64))
}

pub(super) fn verify(typed: &VerifyLibrary, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let order = VerifyOrder { hashes_all: typed.all };
    let verified = terminal.with_progress("verifying", |progress| match typed.repair {
        true => repair(order, place, terminal, progress),
        false => Ok((LibraryStore::open_to_read(place)?.verify(order, progress)?, Vec::new())),
    });
    let (report, notices) = verified?;
    terminal.notices(&notices);
    if typed.json {
        terminal.print_json(&WithNotices { report: &report, notices })?;
    } else {
        let problems: String = report.problems.iter().map(|problem| format!("{problem}\n")).collect();
        let repaired = if typed.repair { format!(", {} queued", files(report.queued as u64)) } else { String::new() };
        let verdict = if report.is_clean() { "intact" } else { "damaged" };
        let (n, hashed) = (files(report.files as u64), report.hashed);
        terminal.print(&format!("{problems}{verdict}: {n} checked, {hashed} hashed{repaired}\n"))?;
    }
    match report.problems.first() {
        Some(problem) if !typed.repair => {
            let n = report.problems.len() + report.more_problems;
            let sentence = format!("{n} problems were found; the first: {problem}; add --repair");
            Err(Error::new(ErrorKind::Malformed, sentence))
        }
        _ => Ok(()),
    }
}

/// Verifies the library and queues damaged entries. A damaged database is replaced by a new one with the folders that
/// could be read from it, whose files are queued.
fn repair(
    order: VerifyOrder,
    place: &LibraryPlace,
    terminal: &Terminal,
    progress: &Progress,
) -> Result<(VerifyReport, Vec<String>)> {
    let lock = take_lock(place, terminal, progress)?;
    let opened = LibraryStore::open_to_read(place).and_then(|store| store.verify(order, progress));
    let mut report = match opened {
        Err(error) if error.kind() == ErrorKind::Malformed => VerifyReport::of_damage(error.message()),
        other => other?,
    };
    let mut notices = Vec::new();
    if report.is_damaged {
        let folders: Vec<PathBuf> = LibraryStore::open_to_read(place)
            .and_then(|store| store.folders())
            .map(|folders| folders.into_iter().map(|folder| folder.path).collect())
            .unwrap_or_default();
        let store = LibraryStore::replace_damaged(place, &lock, "is damaged", &mut notices)?;
        let folders: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        let order = AddOrder {
            folders,
            jobs: 1,
            memory_bytes: None,
            only_queues: true,
            leaves_young: false,
            gives_way: false,
            status_every: STATUS_INTERVAL,
            batches: BatchOrder::cpu(),
        };
        let added = store.add(&order, &lock, progress, &mut |_| ())?;
        notices.extend(added.notices);
        report.queued = usize::try_from(added.queued).unwrap_or_default();
    } else {
        LibraryStore::open_to_write(place, &lock, &mut notices)?.repair(&mut report)?;
    }
    Ok((report, notices))
}
