//! Engines for batches, and the speeds and counts of batches stored in the library.

use crate::base::{EngineChoice, Result};
use crate::library::batches::{BatchEngine, BatchKind, BatchOrder};
use crate::library::bench::LibraryBench;
use crate::library::store::{LibraryPlace, LibraryStore};

/// An engine for batches. If the choice is automatic, it uses the speeds measured by `library bench`.
pub(super) fn batch_engine(place: &LibraryPlace, order: &BatchOrder) -> Result<BatchEngine> {
    let has_rates = order.choice == EngineChoice::Auto && place.database().exists();
    let known = has_rates.then(|| LibraryStore::open_to_read(place).and_then(|store| store.known_rates()));
    // An unreadable library is no failure here, since only the measured speeds are read from it.
    let known = known.and_then(Result::ok).unwrap_or_default();
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(BatchEngine::new(order, known)?.beside_threads(n_threads))
}

/// Stores the batch counts of a run in the library.
pub(super) fn keep(place: &LibraryPlace, batches: &mut BatchEngine, kind: BatchKind) {
    keep_if_possible(place, |store| keep_in(store, batches, kind));
}

/// As [`keep`], in a library that is already open for writing.
pub(super) fn keep_in(store: &LibraryStore, batches: &mut BatchEngine, kind: BatchKind) -> Result<()> {
    store.note_batches(kind, &batches.take_counts())
}

/// Stores the measured speeds of both engines in the library.
pub(super) fn keep_rates(place: &LibraryPlace, bench: &LibraryBench) {
    keep_if_possible(place, |store| bench.keep_in(store));
}

/// Writes to the library if there is one; a failed write is only logged.
fn keep_if_possible(place: &LibraryPlace, write: impl FnOnce(&LibraryStore) -> Result<()>) {
    if !place.database().exists() {
        return;
    }
    if let Err(error) = LibraryStore::open_to_edit(place).and_then(|store| write(&store)) {
        tracing::warn!(%error, "the library keeps no figures of this command");
    }
}
