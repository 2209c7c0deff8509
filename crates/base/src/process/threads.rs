//! The threads that kernels run on.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// Maximum number of threads per core; more would only compete for it.
const MAX_PER_CORE: usize = 16;

/// Starts the threads: one per core, or `RAYON_NUM_THREADS`, or as many as the system allows. Returns false if none
/// could be started: the calling thread must then do all the work, and no other thread may use rayon.
pub fn begin_threads() -> bool {
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let requested = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let n = requested.unwrap_or(n_cores).min(MAX_PER_CORE * n_cores);
    // rayon's pool can be built only once and fails if one thread cannot be started, so the threads are started
    // beforehand.
    let waiting: Vec<Sender<rayon::ThreadBuilder>> = (0..n).map_while(waiting_thread).collect();
    let n_had = waiting.len();
    if n_had < n {
        tracing::warn!(n, n_had, "the system gives fewer threads than were asked for");
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(n_had.max(1));
    let built = if n_had == 0 {
        builder.use_current_thread().build_global()
    } else {
        let waiting = Mutex::new(waiting);
        let spawn = |thread: rayon::ThreadBuilder| {
            let next = crate::lock(&waiting).pop();
            next.and_then(|next| next.send(thread).ok()).ok_or_else(|| std::io::Error::other("a thread is missing"))
        };
        builder.spawn_handler(spawn).build_global()
    };
    if let Err(error) = built {
        tracing::warn!(%error, "threads");
    }
    n_had > 0
}

/// Starts a thread that waits for its task; `None` if the system refuses.
fn waiting_thread(number: usize) -> Option<Sender<rayon::ThreadBuilder>> {
    let (send, receive) = channel::<rayon::ThreadBuilder>();
    let run = move || {
        if let Ok(thread) = receive.recv() {
            thread.run();
        }
    };
    std::thread::Builder::new().name(format!("kernels {number}")).spawn(run).ok().map(|_| send)
}
