//! A query of the list in progress. Of a long list the first sounds are known long before the last.

use super::chips::LibraryQuery;
use super::entries::{EntryNote, ListEntry};
use crate::base::{Progress, Result, lock};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::services::{Job, Jobs};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryScope {
    /// Something of which nothing is listed yet.
    New,
    /// What is listed, as it is now.
    Again,
    /// Sounds added after this one.
    After(i64),
}

/// What was found.
#[derive(Default)]
pub struct ListFound {
    /// In the list's order.
    pub entries: Vec<ListEntry>,
    /// Whether this is the order of their numbers.
    pub is_by_id: bool,
}

/// A query in progress.
pub struct ListQuery {
    /// What is looked for.
    pub scope: QueryScope,
    /// Whether every sound is looked for.
    pub is_of_all: bool,
    /// When it began.
    pub since_secs: f64,
    /// The first sounds, until they are taken.
    first: Arc<Mutex<Option<Vec<ListEntry>>>>,
    /// None where there is no library yet.
    job: Job<Option<ListFound>>,
}

impl ListQuery {
    /// Starts a query. A new one publishes its first sounds early, for [`take_first`](ListQuery::take_first).
    pub fn start(
        scope: QueryScope,
        query: &LibraryQuery,
        place: &LibraryPlace,
        jobs: &Jobs,
        now_secs: f64,
    ) -> ListQuery {
        let (theirs, place, waking) = (query.clone(), place.clone(), jobs.clone());
        let (first, is_of_all) = (Arc::new(Mutex::new(None)), query.is_plain());
        let told = first.clone();
        let job = jobs.spawn("library search", move |progress| {
            let mut tell = |ids: &[i64]| {
                if scope == QueryScope::New {
                    *lock(&told) = Some(entries_of(ids));
                    waking.wake();
                }
            };
            find(scope, &theirs, &place, progress, &mut tell)
        });
        ListQuery { scope, is_of_all, since_secs: now_secs, first, job }
    }

    /// What was found, or that there is no library yet, once that is known.
    pub fn poll(&mut self) -> Option<Result<Option<ListFound>>> {
        self.job.poll()
    }

    /// The first sounds of a long list, once.
    pub fn take_first(&mut self) -> Option<Vec<ListEntry>> {
        lock(&self.first).take()
    }
}

/// Whether no library exists there. A path that cannot be read does not count as absent.
pub fn is_absent(database: &Path) -> bool {
    matches!(std::fs::metadata(database), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

fn find(
    scope: QueryScope,
    query: &LibraryQuery,
    place: &LibraryPlace,
    progress: &Progress,
    first: &mut dyn FnMut(&[i64]),
) -> Result<Option<ListFound>> {
    if is_absent(place.database()) {
        return Ok(None);
    }
    let store = LibraryStore::open_to_read(place)?;
    let ids = match scope {
        QueryScope::New | QueryScope::Again => store.sound_ids(&query.sound_query()?, progress, first)?,
        QueryScope::After(id) => store.sound_ids_after(id, progress)?,
    };
    // Here, as half a million are many for a frame.
    Ok(Some(ListFound { is_by_id: ids.is_sorted(), entries: entries_of(&ids) }))
}

fn entries_of(ids: &[i64]) -> Vec<ListEntry> {
    ids.iter().map(|&id| ListEntry { id, note: EntryNote::Found }).collect()
}
