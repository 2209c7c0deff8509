//! Engines for batches, with what earlier commands measured of them.

use crate::base::{EngineChoice, Result};
use crate::library::batches::{BatchEngine, BatchKind, BatchOrder};
use crate::library::store::{LibraryPlace, LibraryStore};

/// An engine for batches that knows what the library does of its speed.
pub(super) fn batch_engine(place: &LibraryPlace, order: &BatchOrder) -> Result<BatchEngine> {
    let may_measure = order.choice == EngineChoice::Auto && place.database().exists();
    let known = may_measure.then(|| LibraryStore::open_to_read(place).and_then(|store| store.routes()));
    // What needs no library does not fail for one that cannot be read.
    let routes = known.and_then(Result::ok).unwrap_or_default();
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(BatchEngine::new(order, routes)?.beside_threads(n_threads))
}

/// Keeps what was measured and what was done, where there is a library. That it cannot be kept is no failure.
pub(super) fn keep(place: &LibraryPlace, batches: &mut BatchEngine, kind: BatchKind) {
    if !place.database().exists() {
        return;
    }
    if let Err(error) = LibraryStore::open_to_edit(place).and_then(|store| keep_in(&store, batches, kind)) {
        tracing::warn!(%error, "what was measured is not kept");
    }
}

/// The same in a library that is open for writing.
pub(super) fn keep_in(store: &LibraryStore, batches: &mut BatchEngine, kind: BatchKind) -> Result<()> {
    store.note_routes(&batches.routes.take_new())?;
    store.note_batches(kind, &batches.take_counts())
}
