//! A running query of the list. First results are available long before the query ends.

use super::chips::LibraryQuery;
use super::entries::{EntryNote, ListEntry};
use crate::base::{Progress, Result, lock};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::services::{Job, Jobs};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Scope of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryScope {
    /// A new query.
    New,
    /// The current query, repeated after the library changed.
    Again,
    /// Only sounds with higher ids than this one: those added later.
    After(i64),
}

/// Result of a query.
#[derive(Default)]
pub struct ListFound {
    /// Entries in the order of the list.
    pub entries: Vec<ListEntry>,
    /// Whether the entries are sorted by id.
    pub is_by_id: bool,
}

/// A query in progress.
pub struct ListQuery {
    /// Its scope.
    pub scope: QueryScope,
    /// Whether it matches every sound.
    pub is_of_all: bool,
    /// Time at which it started.
    pub since_secs: f64,
    /// The first results, until taken.
    first: Arc<Mutex<Option<Vec<ListEntry>>>>,
    /// Results in `None` if there is no library yet.
    job: Job<Option<ListFound>>,
}

impl ListQuery {
    /// Starts a query. One of scope [`New`](QueryScope::New) publishes its first sounds early, for
    /// [`take_first`](ListQuery::take_first).
    pub fn start(
        scope: QueryScope,
        query: &LibraryQuery,
        place: &LibraryPlace,
        jobs: &Jobs,
        now_secs: f64,
    ) -> ListQuery {
        let (theirs, place, waking) = (query.clone(), place.clone(), jobs.clone());
        let (first, is_of_all) = (Arc::new(Mutex::new(None)), query.is_plain());
        let reported = first.clone();
        let job = jobs.spawn("library search", move |progress| {
            let mut notify = |ids: &[i64]| {
                if scope == QueryScope::New {
                    *lock(&reported) = Some(entries_of(ids));
                    waking.wake();
                }
            };
            find(scope, &theirs, &place, progress, &mut notify)
        });
        ListQuery { scope, is_of_all, since_secs: now_secs, first, job }
    }

    /// The result, once the query ends; the inner `None` means that there is no library yet.
    pub fn poll(&mut self) -> Option<Result<Option<ListFound>>> {
        self.job.poll()
    }

    /// Takes the first results of a long list, once they are published.
    pub fn take_first(&mut self) -> Option<Vec<ListEntry>> {
        lock(&self.first).take()
    }
}

/// Whether there is no database at this path. An unreadable path does not count as absent.
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
    // Done in the job, since half a million entries would delay a frame.
    Ok(Some(ListFound { is_by_id: ids.is_sorted(), entries: entries_of(&ids) }))
}

fn entries_of(ids: &[i64]) -> Vec<ListEntry> {
    ids.iter().map(|&id| ListEntry { id, note: EntryNote::Found }).collect()
}
