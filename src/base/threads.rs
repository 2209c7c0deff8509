//! The threads that kernels run on.

use std::num::NonZero;

/// More than this of each core's only wait for each other.
const MOST_PER_CORE: usize = 16;

/// Starts them: one for each core, or as many as `RAYON_NUM_THREADS` says. Where none can be made the calling thread does
/// all the work.
pub fn begin_threads() {
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    let n = asked.unwrap_or(n_cores).min(MOST_PER_CORE * n_cores);
    let build = |builder: rayon::ThreadPoolBuilder| builder.build_global();
    if let Err(error) = build(rayon::ThreadPoolBuilder::new().num_threads(n)) {
        tracing::warn!(%error, n, "threads");
        build(rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread()).ok();
    }
}
