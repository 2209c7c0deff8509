//! Folders are added in one job after another. Once the first sound is listed its threads have the lowest priority, and
//! they leave a core to the window.

use crate::base::{Error, ErrorKind, Progress, Result, lock, lower_priority};
use crate::library::batches::BatchOrder;
use crate::library::store::{AddOrder, AddReport, FailedFile, LibraryLock, LibraryPlace, LibraryStore};
use crate::workbench::context::Context;
use crate::workbench::notices::Severity;
use crate::workbench::services::{Job, Jobs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often the job says how far it is.
const STATUS_EVERY: Duration = Duration::from_millis(100);
/// After a dry buffer playback gets all the time for so long.
const ROOM_AFTER_UNDERRUN_SECS: f64 = 2.0;
/// Notices of one run that are shown; the others are in the log.
const MOST_NOTICES: usize = 3;
/// Failures that are named.
const MOST_FAILURES: usize = 10;

/// How far the adding of folders is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddedFolders {
    /// Files found, done and failed so far, or in the last run.
    pub report: AddReport,
    /// Whether a run is in progress.
    pub is_running: bool,
    /// Whether the user paused it.
    pub is_paused: bool,
    /// The process that has to end first, for sentences.
    pub waits_for: Option<String>,
    /// The first files that the last run could not analyse, with the reason.
    pub failures: Vec<FailedFile>,
}

/// What a run did, and the first of its failures.
type Added = (AddReport, Vec<FailedFile>);

#[derive(Default)]
struct Live {
    report: AddReport,
    waits_for: Option<String>,
}

/// What is being added.
struct Run {
    folders: Vec<PathBuf>,
    /// Of watched folders, which nobody asked for: it is seen once there is something to analyse.
    is_watch: bool,
    job: Job<Added>,
}

/// Folders that are added, and those that wait.
#[derive(Default)]
pub struct Adding {
    running: Option<Run>,
    live: Arc<Mutex<Live>>,
    /// To be added; with `resumes` the queue goes on even if none is.
    waiting: Vec<PathBuf>,
    /// Of watched folders: to be scanned when nothing that the user asked for is.
    due: Vec<PathBuf>,
    /// Of those that were scanned, what has to be scanned again.
    young: Vec<PathBuf>,
    resumes: bool,
    /// What failed is analysed again.
    retries: bool,
    state: AddedFolders,
    n_underruns: u64,
    room_until_secs: f64,
}

impl Adding {
    /// How far it is.
    pub fn state(&self) -> &AddedFolders {
        &self.state
    }

    /// Whether a run is in progress or waits for the one before.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
            || !self.state.is_paused && (self.resumes || !self.waiting.is_empty() || !self.due.is_empty())
    }

    /// Adds folders; what was paused goes on.
    pub fn add(&mut self, folders: Vec<PathBuf>) {
        self.waiting.extend(folders);
        (self.resumes, self.state.is_paused) = (true, false);
    }

    /// Scans watched folders in which something happened, after what the user asked for.
    pub fn scan(&mut self, folders: Vec<PathBuf>) {
        let new = folders.into_iter().filter(|folder| !self.due.contains(folder)).collect::<Vec<_>>();
        self.due.extend(new);
    }

    /// Takes the watched folders with files that were still being written.
    pub fn take_young(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.young)
    }

    /// Analyses once more what failed.
    pub fn retry(&mut self) {
        self.retries = true;
        self.add(Vec::new());
    }

    /// Stops the run after the sounds in hand, or goes on with it.
    pub fn pause(&mut self, is_paused: bool) {
        if is_paused && let Some(run) = self.running.take() {
            run.job.progress().cancel();
            self.waiting.splice(0..0, run.folders);
            self.resumes = true;
        }
        self.state.is_paused = is_paused && self.resumes;
        self.state.is_running = false;
    }

    /// Once a frame: a stroke in hand, an edit on its way and a buffer that ran dry get all the time.
    pub fn make_room(&mut self, is_painting: bool, n_underruns: u64, now_secs: f64) {
        if n_underruns > std::mem::replace(&mut self.n_underruns, n_underruns) {
            self.room_until_secs = now_secs + ROOM_AFTER_UNDERRUN_SECS;
        }
        if let Some(run) = &self.running {
            run.job.progress().hold(is_painting || now_secs < self.room_until_secs);
        }
    }

    /// Once a frame. Whether the library holds more than before; `None` while nothing changed.
    pub fn advance(&mut self, place: &LibraryPlace, context: &mut Context) -> Option<AddNews> {
        let before = self.counts();
        if let Some(run) = &self.running {
            // Its thread wakes the window for the first sound only, and is not waited for: it may hold a lock while others
            // have its time.
            context.wake_after(STATUS_EVERY.as_secs_f64());
            if let Ok(live) = self.live.try_lock()
                && (!run.is_watch || live.report.queued > 0)
            {
                self.state.is_running = true;
                self.state.report = live.report.clone();
                self.state.waits_for = live.waits_for.clone();
            }
        }
        if let Some(run) = &mut self.running
            && let Some(answer) = run.job.poll()
        {
            let is_watch = run.is_watch;
            self.running = None;
            (self.state.is_running, self.state.waits_for) = (false, None);
            self.take(answer, is_watch, context);
            return Some(AddNews::Ended);
        }
        if self.running.is_none() && !self.state.is_paused && (self.resumes || !self.due.is_empty()) {
            self.start(place, &context.jobs, context.limits.library_bytes);
        }
        (self.counts() != before).then_some(AddNews::More)
    }

    /// What changes whenever the library holds more, or more is known to come.
    fn counts(&self) -> [u64; 3] {
        let report = &self.state.report;
        [report.listed, report.done(), report.queued]
    }

    fn start(&mut self, place: &LibraryPlace, jobs: &Jobs, memory_bytes: Option<u64>) {
        let is_watch = !self.resumes;
        let folders = std::mem::take(if is_watch { &mut self.due } else { &mut self.waiting });
        self.resumes = false;
        let retries = std::mem::take(&mut self.retries);
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let order = AddOrder {
            folders: folders.clone(),
            jobs: n_cores.saturating_sub(1).max(1),
            memory_bytes,
            only_queues: false,
            leaves_young: is_watch,
            gives_way: true,
            status_every: STATUS_EVERY,
            // The device is for what is painted and drawn.
            batches: BatchOrder::cpu(),
        };
        self.live = Arc::default();
        if !is_watch {
            self.state = AddedFolders { is_running: true, ..AddedFolders::default() };
        }
        let (place, live, waking) = (place.clone(), self.live.clone(), jobs.clone());
        let job = jobs.spawn("library", move |progress| {
            // A thread of its own, as nobody can take its priority back.
            let mut had_sounds = false;
            let mut status = |report: &AddReport| {
                lock(&live).report = report.clone();
                // The first sound is shown at once; the others when the window looks.
                if report.has_sounds() && !std::mem::replace(&mut had_sounds, true) {
                    waking.wake();
                    lower_priority();
                }
            };
            std::thread::scope(|scope| {
                let add = || add_folders(&place, (&order, retries), &live, &mut status, progress);
                scope.spawn(add).join().unwrap_or_else(|_| {
                    let what = "the library worker stopped unexpectedly; see the log";
                    Err(Error::new(ErrorKind::Internal, what))
                })
            })
        });
        self.running = Some(Run { folders, is_watch, job });
    }

    fn take(&mut self, answer: Result<Added>, is_watch: bool, context: &mut Context) {
        match answer {
            Ok((mut report, failures)) => {
                self.young.append(&mut report.young);
                if is_watch && report.done() == 0 {
                    return;
                }
                context.notices.succeed("add to the library");
                for notice in report.notices.iter().take(MOST_NOTICES) {
                    context.warn(notice);
                }
                if report.failed > 0 {
                    let files = if report.failed == 1 { "1 file".into() } else { format!("{} files", report.failed) };
                    let what = format!("{files} could not be analysed.");
                    let advice = Some("The library panel names them with the reason, and retries.");
                    context.tell(Severity::Warning, what, advice);
                }
                (self.state.report, self.state.failures) = (report, failures);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {}
            Err(error) => context.fail("add to the library", &error),
        }
    }
}

/// What became of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddNews {
    /// It holds more.
    More,
    /// A run ended.
    Ended,
}

fn add_folders(
    place: &LibraryPlace,
    (order, retries): (&AddOrder, bool),
    live: &Mutex<Live>,
    status: &mut dyn FnMut(&AddReport),
    progress: &Progress,
) -> Result<Added> {
    let mut waiting = |holder: &str| lock(live).waits_for = Some(holder.to_owned());
    let taken = LibraryLock::take(place, &mut waiting, progress)?;
    lock(live).waits_for = None;
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &taken, &mut notices)?;
    if retries {
        store.retry_failures()?;
    }
    let mut order = order.clone();
    if order.leaves_young {
        // Nobody waits for it.
        lower_priority();
        // A disk that is not plugged in is no news.
        order.folders.retain(|folder| folder.is_dir());
    } else {
        order.folders.iter().try_for_each(|folder| store.enrol(folder, true))?;
    }
    let mut report = store.add(&order, &taken, progress, status)?;
    store.refresh_scale()?;
    report.notices.splice(0..0, notices);
    let failures = if report.failed > 0 { store.failures(MOST_FAILURES)? } else { Vec::new() };
    Ok((report, failures))
}
