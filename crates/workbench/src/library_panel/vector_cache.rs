//! Similarity vectors of all sounds, cached while the library is shown. For a large library, they are read before the
//! first search for similar sounds, since reading takes longer than searching.

use crate::library::similar::SimilarIndex;
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::services::{Job, Jobs};
use std::sync::Arc;

/// Minimum number of sounds for which vectors are read ahead of a search; fewer are read quickly on demand.
const MANY_SOUNDS: usize = 10_000;

/// The vectors as last read or updated.
#[derive(Default)]
pub struct VectorCache {
    index: Option<Arc<SimilarIndex>>,
    reading: Option<Job<Arc<SimilarIndex>>>,
    was_read: bool,
}

impl VectorCache {
    /// Call once a frame with the number of listed sounds: reads the vectors of a large library, once.
    pub fn prepare(&mut self, n_sounds: usize, place: &LibraryPlace, jobs: &Jobs) {
        if let Some(answer) = self.reading.as_mut().and_then(Job::poll) {
            self.reading = None;
            // After an error, the next search reads again and reports it.
            self.index = answer.ok();
        }
        if n_sounds < MANY_SOUNDS || self.index.is_some() || std::mem::replace(&mut self.was_read, true) {
            return;
        }
        let place = place.clone();
        let read = jobs.spawn("library vectors", move |progress| {
            LibraryStore::open_to_read(&place)?.similar_index(None, progress)
        });
        self.reading = Some(read);
    }

    /// Whether the vectors are being read.
    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// The vectors, if read.
    pub fn get(&self) -> Option<Arc<SimilarIndex>> {
        self.index.clone()
    }

    /// Caches the vectors as updated by a search.
    pub fn keep(&mut self, index: Arc<SimilarIndex>) {
        self.index = Some(index);
    }
}
