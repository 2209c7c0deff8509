//! Adds folders to the library, one job at a time. The threads of a job leave one core free for the window, and run at
//! low priority once the first sound is listed. Files waiting in the library's queue are analysed too, at low priority
//! from the start, unless another process works on the queue.

use crate::base::{Error, ErrorKind, Priority, Progress, Result, lock, lower_priority};
use crate::bench::context::Context;
use crate::bench::notices::Severity;
use crate::library::batches::BatchOrder;
use crate::library::store::{AddOrder, AddReport, FailedFile, LibraryLock, LibraryPlace, LibraryStore};
use crate::services::{Job, Jobs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Interval between progress reports of the job.
const STATUS_INTERVAL: Duration = Duration::from_millis(100);
/// Time after a playback underrun during which a run stays suspended, in seconds.
const UNDERRUN_BACKOFF_SECS: f64 = 2.0;
/// Maximum number of notices shown per run; the others are in the log.
const MAX_NOTICES: usize = 3;
/// Maximum number of failures listed.
const MAX_FAILURES: usize = 10;

/// How long a queue run waits for a lock held by another process. If it is not released, another run starts after
/// `QUEUE_RETRY_SECS`.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);
const QUEUE_RETRY_SECS: f64 = 5.0;

/// Progress of a run that adds folders.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddedFolders {
    /// Number of files found, done and failed in the current or the last run.
    pub report: AddReport,
    /// Whether the run was not started by the user: it analyses the queue, or new files of watched folders.
    pub is_background: bool,
    /// Whether a run is in progress.
    pub is_running: bool,
    /// Whether the user paused the run.
    pub is_paused: bool,
    /// Name of the process that holds the lock for which the run waits, for display.
    pub waits_for: Option<String>,
    /// The first files that failed in the last run, with the reason.
    pub failures: Vec<FailedFile>,
}

/// Report of a run, and its first failures.
type AddResult = (AddReport, Vec<FailedFile>);

#[derive(Default)]
struct LiveReport {
    report: AddReport,
    waits_for: Option<String>,
}

/// The purpose of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// Started by the user.
    Asked,
    /// Changes in watched folders.
    Watch,
    /// Analyses the library's queue and nothing else; started when no other run is due.
    Queue,
}

impl RunKind {
    /// Whether the run was not started by the user. Such runs are shown only once they have files to analyse.
    fn is_background(self) -> bool {
        self != RunKind::Asked
    }
}

/// A run in progress.
struct Run {
    folders: Vec<PathBuf>,
    kind: RunKind,
    /// Results in `None` if another process holds the lock of the queue.
    job: Job<Option<AddResult>>,
}

/// The run in progress, and the folders and queue that wait for the next.
#[derive(Default)]
pub struct FolderImporter {
    running: Option<Run>,
    live: Arc<Mutex<LiveReport>>,
    /// Folders that the user added, for the next run.
    waiting: Vec<PathBuf>,
    /// Watched folders that changed, scanned after the folders added by the user.
    due: Vec<PathBuf>,
    /// Watched folders with files that were still being written, to be scanned again.
    young: Vec<PathBuf>,
    resumes: bool,
    /// Whether files wait in the queue and no run works on them.
    has_queue: bool,
    /// Whether a run failed: no queue run starts until a run started by the user succeeds.
    is_background_off: bool,
    /// When to try again to lock the queue, after another process held the lock.
    retry_at_secs: Option<f64>,
    /// Whether failed files are analysed again.
    retries: bool,
    state: AddedFolders,
    n_underruns: u64,
    room_until_secs: f64,
}

impl FolderImporter {
    /// Progress of the current or the last run.
    pub fn state(&self) -> &AddedFolders {
        &self.state
    }

    /// Whether a run is in progress or waiting.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
            || !self.state.is_paused
                && (self.resumes || self.has_queue || !self.waiting.is_empty() || !self.due.is_empty())
    }

    /// Adds folders in the next run, and resumes a paused one.
    pub fn add(&mut self, folders: Vec<PathBuf>) {
        self.waiting.extend(folders);
        (self.resumes, self.state.is_paused) = (true, false);
        // A background run may take hours: it is cancelled here, and resumes after the user's run.
        if let Some(run) = self.running.take_if(|run| run.kind.is_background()) {
            run.job.progress().cancel();
            self.due.extend(run.folders);
        }
    }

    /// Analyses the files in the queue once no other run is due.
    pub fn work_on_queue(&mut self) {
        self.has_queue |= !self.is_background_off && self.running.is_none();
    }

    /// Scans watched folders with changes, after the runs started by the user.
    pub fn scan(&mut self, folders: Vec<PathBuf>) {
        let new = folders.into_iter().filter(|folder| !self.due.contains(folder)).collect::<Vec<_>>();
        self.due.extend(new);
    }

    /// Takes the watched folders with files that were still being written when scanned.
    pub fn take_young(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.young)
    }

    /// Analyses failed files again.
    pub fn retry(&mut self) {
        self.retries = true;
        self.add(Vec::new());
    }

    /// Pauses the run after the current sounds, or resumes it.
    pub fn pause(&mut self, is_paused: bool) {
        if is_paused && let Some(run) = self.running.take() {
            run.job.progress().cancel();
            if run.kind == RunKind::Queue {
                self.has_queue = true;
            } else {
                self.waiting.splice(0..0, run.folders);
                self.resumes = true;
            }
        }
        self.state.is_paused = is_paused && (self.resumes || self.has_queue);
        self.state.is_running = false;
    }

    /// Call once a frame: suspends the run while a stroke is drawn or an edit is pending, and for a while after
    /// playback underruns.
    pub fn make_room(&mut self, is_painting: bool, n_underruns: u64, now_secs: f64) {
        if n_underruns > std::mem::replace(&mut self.n_underruns, n_underruns) {
            self.room_until_secs = now_secs + UNDERRUN_BACKOFF_SECS;
        }
        if let Some(run) = &self.running {
            run.job.progress().hold(is_painting || now_secs < self.room_until_secs);
        }
    }

    /// Call once a frame: takes progress and results, starts the next run, and returns how the library changed.
    pub fn advance(&mut self, place: &LibraryPlace, context: &mut Context) -> Option<LibraryUpdate> {
        let before = self.counts();
        if let Some(run) = &self.running {
            // The worker wakes the window only for the first sound, hence the timer. `try_lock`, since the low-priority
            // worker may be preempted while it holds the lock.
            context.wake_after(STATUS_INTERVAL.as_secs_f64());
            if let Ok(live) = self.live.try_lock()
                && (!run.kind.is_background() || live.report.queued > 0)
            {
                (self.state.is_running, self.state.is_background) = (true, run.kind.is_background());
                if live.report.outdated > self.state.report.outdated
                    && let Some(notice) = live.report.outdated_notice()
                {
                    context.warn(&notice);
                }
                self.state.report = live.report.clone();
                self.state.waits_for = live.waits_for.clone();
            }
        }
        if let Some(run) = &mut self.running
            && let Some(answer) = run.job.poll()
        {
            let kind = run.kind;
            self.running = None;
            (self.state.is_running, self.state.waits_for) = (false, None);
            self.take(answer, kind, context);
            return Some(LibraryUpdate::Ended);
        }
        self.retry_queue(context);
        let has_work = self.resumes || self.has_queue || !self.due.is_empty();
        if self.running.is_none() && !self.state.is_paused && has_work {
            self.start(place, &context.jobs, context.limits.library_bytes);
        }
        (self.counts() != before).then_some(LibraryUpdate::More)
    }

    /// Counts that change whenever the library grows, or more files are found.
    fn counts(&self) -> [u64; 3] {
        let report = &self.state.report;
        [report.listed, report.done(), report.queued]
    }

    fn start(&mut self, place: &LibraryPlace, jobs: &Jobs, memory_bytes: Option<u64>) {
        let kind = match () {
            () if self.resumes => RunKind::Asked,
            () if !self.due.is_empty() => RunKind::Watch,
            () => RunKind::Queue,
        };
        let folders = match kind {
            RunKind::Asked => std::mem::take(&mut self.waiting),
            RunKind::Watch => std::mem::take(&mut self.due),
            RunKind::Queue => Vec::new(),
        };
        // Every run also analyses all files in the queue.
        (self.resumes, self.has_queue) = (false, false);
        let retries = std::mem::take(&mut self.retries);
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let order = AddOrder {
            folders: folders.clone(),
            jobs: n_cores.saturating_sub(1).max(1),
            memory_bytes,
            only_queues: false,
            leaves_young: kind.is_background(),
            gives_way: true,
            status_every: STATUS_INTERVAL,
            // The GPU is left to strokes and the display.
            batches: BatchOrder::cpu(),
        };
        self.live = Arc::default();
        if !kind.is_background() {
            self.state = AddedFolders { is_running: true, ..AddedFolders::default() };
        }
        let (place, live, waking) = (place.clone(), self.live.clone(), jobs.clone());
        let job = jobs.spawn("library", move |progress| {
            // `add` runs on its own thread below, since a thread's priority, once lowered, cannot be raised again.
            let mut had_sounds = false;
            let mut status = |report: &AddReport| {
                lock(&live).report = report.clone();
                // The first sound is shown at once; later ones when the window polls.
                if report.has_sounds() && !std::mem::replace(&mut had_sounds, true) {
                    waking.wake();
                    lower_priority(Priority::Background);
                }
            };
            std::thread::scope(|scope| {
                let add = || match kind {
                    RunKind::Queue => take_queue(&place, progress)?
                        .map(|lock| add_folders(&place, lock, (&order, retries), &mut status, progress))
                        .transpose(),
                    RunKind::Asked | RunKind::Watch => {
                        let lock = take_lock(&place, &live, progress)?;
                        add_folders(&place, lock, (&order, retries), &mut status, progress).map(Some)
                    }
                };
                scope.spawn(add).join().unwrap_or_else(|_| {
                    let what = "the library worker stopped unexpectedly; see the log";
                    Err(Error::new(ErrorKind::Internal, what))
                })
            })
        });
        self.running = Some(Run { folders, kind, job });
    }

    /// Retries the queue after a while: the process that held it may have left files.
    fn retry_queue(&mut self, context: &mut Context) {
        let Some(at_secs) = self.retry_at_secs else { return };
        match at_secs - context.now_secs() {
            left if left > 0.0 => context.wake_after(left),
            _ => {
                self.retry_at_secs = None;
                self.work_on_queue();
            }
        }
    }

    fn take(&mut self, answer: Result<Option<AddResult>>, kind: RunKind, context: &mut Context) {
        match answer {
            Ok(None) => self.retry_at_secs = Some(context.now_secs() + QUEUE_RETRY_SECS),
            Ok(Some((mut report, failures))) => {
                self.young.append(&mut report.young);
                self.is_background_off &= kind.is_background();
                if kind.is_background() && report.done() == 0 {
                    return;
                }
                self.state.is_background = kind.is_background();
                context.notices.succeed("add to the library");
                for notice in report.notices.iter().take(MAX_NOTICES) {
                    context.warn(notice);
                }
                if report.failed > 0 {
                    let files = if report.failed == 1 { "1 file".into() } else { format!("{} files", report.failed) };
                    let what = format!("{files} could not be analysed.");
                    let advice = Some("The library panel names them with the reason, and retries.");
                    context.notify(Severity::Warning, what, advice);
                }
                (self.state.report, self.state.failures) = (report, failures);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {}
            Err(error) => {
                self.is_background_off = true;
                context.fail("add to the library", &error);
            }
        }
    }
}

/// How the library changed during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryUpdate {
    /// Files were found, analysed or listed.
    More,
    /// The run ended.
    Ended,
}

/// Waits for the library's write lock; `live` shows its holder meanwhile.
fn take_lock(place: &LibraryPlace, live: &Mutex<LiveReport>, progress: &Progress) -> Result<LibraryLock> {
    let mut waiting = |holder: &str| lock(live).waits_for = Some(holder.to_owned());
    let taken = LibraryLock::take(place, &mut waiting, progress)?;
    lock(live).waits_for = None;
    Ok(taken)
}

/// Takes the library's write lock, or returns `None` if another process holds it and thus works on the queue. Waits up
/// to `QUEUE_TIMEOUT`, as a paused run of this program takes a moment to release the lock.
fn take_queue(place: &LibraryPlace, progress: &Progress) -> Result<Option<LibraryLock>> {
    let began = Instant::now();
    loop {
        match LibraryLock::try_take(place)? {
            None if began.elapsed() < QUEUE_TIMEOUT => {
                progress.check()?;
                std::thread::sleep(QUEUE_TIMEOUT / 20);
            }
            taken => return Ok(taken),
        }
    }
}

fn add_folders(
    place: &LibraryPlace,
    taken: LibraryLock,
    (order, retries): (&AddOrder, bool),
    status: &mut dyn FnMut(&AddReport),
    progress: &Progress,
) -> Result<AddResult> {
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &taken, &mut notices)?;
    if retries {
        store.retry_failures()?;
    }
    let mut order = order.clone();
    if order.leaves_young {
        // Background runs have low priority from the start.
        lower_priority(Priority::Background);
        // Skips folders on disks that are not plugged in, without a notice.
        order.folders.retain(|folder| folder.is_dir());
    } else {
        order.folders.iter().try_for_each(|folder| store.enrol(folder, true))?;
    }
    let mut report = store.add(&order, &taken, progress, status)?;
    store.refresh_scale()?;
    report.notices.splice(0..0, notices);
    let failures = if report.failed > 0 { store.failures(MAX_FAILURES)? } else { Vec::new() };
    Ok((report, failures))
}
