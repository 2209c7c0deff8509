//! Timing of CPU spans and GPU passes, recorded for trace files, the profiler panel and `bench`.
//!
//! `let _span = trace::span("apply");` starts a span that ends with its scope. Without a recording in progress it costs
//! one relaxed load. Times are in nanoseconds since the first use in this process.

mod event;
mod report;

pub use event::{Event, Lane};
pub use report::{HEAD, TABLE_HEAD, Total, Trace};

use super::lock;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

/// A recording, active until it is dropped.
#[derive(Debug)]
pub struct Recording(Arc<Sink>);

#[derive(Debug)]
struct Sink {
    max: usize,
    keeps_latest: bool,
    heard: Mutex<RecordedEvents>,
}

#[derive(Debug, Default)]
struct RecordedEvents {
    events: VecDeque<Event>,
    n_left_out: u64,
}

/// Maximum number of events: half an hour of painting, about 300 MB.
const MAX_EVENTS: usize = 4 << 20;

static N_SINKS: AtomicUsize = AtomicUsize::new(0);
static SINKS: RwLock<Vec<Arc<Sink>>> = RwLock::new(Vec::new());
static THREADS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// Nanoseconds since the first call in this process.
pub fn now_nanos() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Whether a recording is in progress.
pub fn is_on() -> bool {
    N_SINKS.load(Relaxed) > 0
}

/// A span that lasts until it is dropped.
#[must_use = "a span ends when it is dropped"]
#[derive(Debug)]
pub struct Span(Option<(&'static str, u64)>);

/// Starts a span, which is recorded when it is dropped.
pub fn span(name: &'static str) -> Span {
    Span(is_on().then(|| (name, now_nanos())))
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some((name, start_nanos)) = self.0 {
            record_since(name, start_nanos);
        }
    }
}

/// Work done in pieces between other work. When dropped, it is recorded as one span that begins with the first piece
/// and is as long as all pieces together.
#[derive(Debug)]
pub struct Pieces {
    name: &'static str,
    start_nanos: Option<u64>,
    nanos: u64,
}

impl Pieces {
    /// Starts with no pieces.
    pub fn new(name: &'static str) -> Pieces {
        Pieces { name, start_nanos: None, nanos: 0 }
    }

    /// Runs one piece of the work.
    pub fn piece<T>(&mut self, work: impl FnOnce() -> T) -> T {
        if !is_on() {
            return work();
        }
        let began = now_nanos();
        let done = work();
        self.start_nanos.get_or_insert(began);
        self.nanos += now_nanos().saturating_sub(began);
        done
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if let Some(start_nanos) = self.start_nanos {
            let (name, nanos) = (self.name.into(), self.nanos);
            send_event(Event { name, lane: Lane::Cpu, thread: thread_number(), start_nanos, nanos });
        }
    }
}

/// Records a span from `start_nanos`, a result of [`now_nanos`] on any thread, until now.
pub fn record_since(name: &'static str, start_nanos: u64) {
    if is_on() {
        let nanos = now_nanos().saturating_sub(start_nanos);
        send_event(Event { name: name.into(), lane: Lane::Cpu, thread: thread_number(), start_nanos, nanos });
    }
}

/// Records a GPU event: the thread that submitted it, its start and its duration.
pub fn record_gpu(name: impl Into<Cow<'static, str>>, lane: Lane, thread: u32, [start_nanos, nanos]: [u64; 2]) {
    if is_on() {
        send_event(Event { name: name.into(), lane, thread, start_nanos, nanos });
    }
}

fn send_event(event: Event) {
    for sink in SINKS.read().unwrap_or_else(PoisonError::into_inner).iter() {
        let mut heard = lock(&sink.heard);
        if heard.events.len() < sink.max {
            heard.events.push_back(event.clone());
            continue;
        }
        heard.n_left_out += 1;
        if sink.keeps_latest {
            heard.events.pop_front();
            heard.events.push_back(event.clone());
        }
    }
}

/// Number of the current thread; registers its name on first use.
pub fn thread_number() -> u32 {
    THREAD.with(|number| {
        if number.get() == 0 {
            let mut threads = lock(&THREADS);
            threads.push(std::thread::current().name().unwrap_or("worker").to_owned());
            number.set(threads.len() as u32);
        }
        number.get()
    })
}

impl Recording {
    /// Starts a recording that keeps the first four million events.
    pub fn start() -> Recording {
        Recording::with(MAX_EVENTS, false)
    }

    /// Starts a recording that keeps only the latest `max` events.
    pub fn of_latest(max: usize) -> Recording {
        Recording::with(max, true)
    }

    fn with(max: usize, keeps_latest: bool) -> Recording {
        now_nanos();
        let sink = Arc::new(Sink { max, keeps_latest, heard: Mutex::default() });
        SINKS.write().unwrap_or_else(PoisonError::into_inner).push(sink.clone());
        N_SINKS.fetch_add(1, Relaxed);
        Recording(sink)
    }

    /// The events recorded so far, excluding open spans.
    pub fn trace(&self) -> Trace {
        let threads = lock(&THREADS).clone();
        let heard = lock(&self.0.heard);
        Trace { events: heard.events.iter().cloned().collect(), threads, n_left_out: heard.n_left_out }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        SINKS.write().unwrap_or_else(PoisonError::into_inner).retain(|sink| !Arc::ptr_eq(sink, &self.0));
        N_SINKS.fetch_sub(1, Relaxed);
    }
}
