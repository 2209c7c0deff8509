//! The threads that kernels run on.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// More than this of each core's only wait for each other.
const MOST_PER_CORE: usize = 16;

/// Starts them: one for each core, or as many as `RAYON_NUM_THREADS` says, and as many of these as the system gives.
/// False where it gives none: then the calling thread does all the work, and no other may ask for any.
pub fn begin_threads() -> bool {
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let n = asked.unwrap_or(n_cores).min(MOST_PER_CORE * n_cores);
    // rayon can be asked for its threads only once, and gives up where one of them is missing; so they are made before.
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
            let next = super::lock(&waiting).pop();
            next.and_then(|next| next.send(thread).ok()).ok_or_else(|| std::io::Error::other("a thread is missing"))
        };
        builder.spawn_handler(spawn).build_global()
    };
    if let Err(error) = built {
        tracing::warn!(%error, "threads");
    }
    n_had > 0
}

/// A thread that waits for what it is to do; none where the system has no more.
fn waiting_thread(number: usize) -> Option<Sender<rayon::ThreadBuilder>> {
    let (send, receive) = channel::<rayon::ThreadBuilder>();
    let run = move || {
        if let Ok(thread) = receive.recv() {
            thread.run();
        }
    };
    std::thread::Builder::new().name(format!("kernels {number}")).spawn(run).ok().map(|_| send)
}
