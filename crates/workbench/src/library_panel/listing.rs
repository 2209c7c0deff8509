//! The list of query results. Queries run in jobs, and a new one replaces its predecessor; data of rows is read as they
//! come into view.

use super::chips::LibraryQuery;
use super::entries::{LibraryRow, ListEntry};
use super::list_query::{ListFound, ListQuery, QueryScope};
use crate::base::{Progress, Result};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::services::{JobQueue, Jobs};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of cached rows; beyond it, rows out of view are dropped.
const MAX_ROWS: usize = 4_096;
/// Number of rows read before and after those in view.
const MARGIN_ROWS: usize = 16;
/// Minimum interval between updates of the list while sounds are being added, in seconds.
const MIN_REFRESH_SECS: f64 = 0.5;
/// Interval of full searches while sounds are being added, in seconds; partial ones do not notice removed sounds.
const FULL_SEARCH_INTERVAL_SECS: f64 = 30.0;

/// Data per requested id; `None` for sounds that are gone.
type Rows = Vec<Option<LibraryRow>>;

/// Entries of the list, and cached data of its rows.
#[derive(Default)]
pub struct Listing {
    entries: Vec<ListEntry>,
    /// Whether the entries are sorted by id.
    is_by_id: bool,
    /// Whether it lists all sounds unsorted, so that an update needs to search only for newer ones.
    is_of_all: bool,
    /// Whether only the first sounds of a long list are known so far.
    is_partial: bool,
    rows: HashMap<i64, Option<Arc<LibraryRow>>>,
    /// Ids of outdated rows, shown until they are read again.
    outdated: HashSet<i64>,
    /// Whether the library changed since rows were last read.
    has_changed: bool,
    in_view: Range<usize>,
    query: Option<ListQuery>,
    /// Ids of the rows being read.
    reading: JobQueue<Vec<i64>, Rows>,
    /// Earliest time at which to search again because the library has changed; `None` if it has not changed since the
    /// last search began.
    stale_from_secs: Option<f64>,
    /// Earliest time of the next search after changes of the library.
    next_secs: f64,
    /// Start of the last full search.
    whole_secs: f64,
    is_absent: bool,
    age: ListAge,
}

/// Counts changes of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListAge {
    /// Number of new lists.
    pub n_searches: u64,
    /// Number of updates of the same list.
    pub n_changes: u64,
}

impl ListAge {
    fn note(&mut self, is_new: bool) {
        match is_new {
            true => self.n_searches += 1,
            false => self.n_changes += 1,
        }
    }
}

impl Listing {
    /// All rows.
    pub fn entries(&self) -> &[ListEntry] {
        &self.entries
    }

    /// Counts its changes.
    pub fn age(&self) -> ListAge {
        self.age
    }

    /// Whether the rest of a long list is still being read.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The index of a sound; `before` is its last known index.
    pub fn position_of(&self, id: i64, before: usize) -> Option<usize> {
        if self.entries.get(before).is_some_and(|entry| entry.id == id) {
            return Some(before);
        }
        match self.is_by_id {
            true => self.entries.binary_search_by_key(&id, |entry| entry.id).ok(),
            false => self.entries.iter().position(|entry| entry.id == id),
        }
    }

    /// Whether there is no library yet.
    pub fn is_absent(&self) -> bool {
        self.is_absent
    }

    /// Data of a sound's row, once read; `None` also for a sound that is gone.
    pub fn row(&self, id: i64) -> Option<&Arc<LibraryRow>> {
        self.rows.get(&id).and_then(Option::as_ref)
    }

    /// The rows in view whose data was read.
    pub fn seen_rows(&self) -> impl Iterator<Item = &Arc<LibraryRow>> {
        self.entries[clipped(&self.in_view, self.entries.len())].iter().filter_map(|entry| self.row(entry.id))
    }

    /// Whether a query or a read of rows is in progress.
    pub fn is_busy(&self) -> bool {
        self.query.is_some() || self.reading.is_busy()
    }

    /// Whether a query is in progress.
    pub fn is_searching(&self) -> bool {
        self.query.is_some()
    }

    /// The rows in view.
    pub fn in_view(&self) -> Range<usize> {
        self.in_view.clone()
    }

    /// Sets the rows in view.
    pub fn see(&mut self, rows: Range<usize>) {
        self.in_view = rows;
    }

    /// Replaces the entries and cancels the query. `is_new`: a new list, rather than an update of the same.
    pub fn set(&mut self, entries: Vec<ListEntry>, is_new: bool) {
        self.age.note(is_new);
        (self.entries, self.is_by_id, self.is_of_all, self.is_partial) = (entries, false, false, false);
        self.query = None;
    }

    /// Schedules a search, as the library changed: rows may be outdated, and sounds missing.
    pub fn note_change(&mut self, now_secs: f64) {
        // Rows that could not be read, or had no file, are read again.
        self.rows.retain(|_, row| row.is_some());
        self.has_changed = true;
        self.note_outdated();
        // An empty list is searched at once.
        let from_secs = if self.entries.is_empty() { now_secs } else { now_secs.max(self.next_secs) };
        let known_secs = self.stale_from_secs.unwrap_or(f64::INFINITY);
        self.stale_from_secs = Some(known_secs.min(from_secs));
    }

    fn note_outdated(&mut self) {
        let is_unheard = |row: &Option<Arc<LibraryRow>>| row.as_ref().is_some_and(|row| !row.is_analysed);
        self.outdated = self.rows.iter().filter(|(_, row)| is_unheard(row)).map(|(id, _)| *id).collect();
    }

    /// Starts a new search, replacing the current one.
    pub fn search(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        self.start(QueryScope::New, query, place, jobs, now_secs);
    }

    /// Searches again after the library changed. The list is kept until the result arrives.
    pub fn search_again(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        let is_new = self.query.as_ref().is_some_and(|query| query.scope == QueryScope::New);
        let scope = if is_new { QueryScope::New } else { QueryScope::Again };
        self.start(scope, query, place, jobs, now_secs);
    }

    /// Updates the list while sounds are being added. A list of all sounds only searches for newer ones, except every
    /// `FULL_SEARCH_INTERVAL_SECS`.
    pub fn search_for_more(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        let may_grow = query.is_plain() && self.is_of_all && now_secs < self.whole_secs + FULL_SEARCH_INTERVAL_SECS;
        match self.entries.last().map(|entry| entry.id).filter(|_| may_grow) {
            Some(last) => self.start(QueryScope::After(last), query, place, jobs, now_secs),
            None => self.search_again(query, place, jobs, now_secs),
        }
    }

    fn start(&mut self, scope: QueryScope, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        self.stale_from_secs = None;
        self.query = Some(ListQuery::start(scope, query, place, jobs, now_secs));
    }

    /// Takes the result of a query; `None` if there is no library yet.
    fn take(&mut self, query: &ListQuery, found: Option<ListFound>) {
        self.is_absent = found.is_none();
        match (query.scope, found) {
            (QueryScope::After(_), Some(found)) => self.entries.extend(found.entries),
            (_, found) => {
                self.is_of_all = query.is_of_all && found.is_some();
                let ListFound { entries, is_by_id } = found.unwrap_or_default();
                (self.entries, self.is_by_id, self.whole_secs) = (entries, is_by_id, query.since_secs);
            }
        }
    }

    /// Call once a frame: takes results, and reads rows in view. Returns whether it is time to search again. The caller
    /// shows errors to the user.
    pub fn advance(&mut self, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) -> Result<ListUpdate> {
        let mut news = ListUpdate::default();
        if let Some(mut query) = self.query.take() {
            if let Some(answer) = query.poll() {
                // Slow searches are repeated less often: after four times their duration. Searches for newer sounds are
                // fast.
                let wait_secs = if query.is_of_all { 0.0 } else { 4.0 * (now_secs - query.since_secs) };
                self.next_secs = now_secs + wait_secs.max(MIN_REFRESH_SECS);
                self.is_partial = false;
                self.age.note(query.scope == QueryScope::New);
                self.take(&query, answer?);
                news.has_found = true;
            } else {
                if let Some(first) = query.take_first() {
                    (self.entries, self.is_by_id, self.is_of_all, self.is_partial) = (first, false, false, true);
                    self.age.note(true);
                    // The complete result will update this list, rather than count as a new one.
                    query.scope = QueryScope::Again;
                    news.has_found = true;
                }
                self.query = Some(query);
            }
        }
        if let Some(from_secs) = self.stale_from_secs.filter(|_| self.query.is_none()) {
            news.is_stale = now_secs >= from_secs;
            news.wake_secs = (!news.is_stale).then_some(from_secs - now_secs);
        }
        if let Some((ids, answer)) = self.reading.take_answer() {
            let rows = answer.unwrap_or_else(|_| vec![None; ids.len()]);
            self.rows.extend(ids.into_iter().zip(rows.into_iter().map(|row| row.map(Arc::new))));
            if std::mem::take(&mut self.has_changed) {
                self.note_outdated();
            }
        }
        self.read_rows(place, jobs);
        Ok(news)
    }

    /// Reads rows in view whose data is missing.
    fn read_rows(&mut self, place: &LibraryPlace, jobs: &Jobs) {
        if self.reading.is_busy() {
            return;
        }
        let near = self.in_view.start.saturating_sub(MARGIN_ROWS)..self.in_view.end.saturating_add(MARGIN_ROWS);
        let near = clipped(&near, self.entries.len());
        let unknown = |entry: &&ListEntry| !self.rows.contains_key(&entry.id) || self.outdated.contains(&entry.id);
        let ids: Vec<i64> = self.entries[near.clone()].iter().filter(unknown).map(|entry| entry.id).collect();
        if ids.is_empty() {
            return;
        }
        if self.rows.len() > MAX_ROWS {
            let kept: Vec<i64> = self.entries[near].iter().map(|entry| entry.id).collect();
            self.rows.retain(|id, _| kept.contains(id));
        }
        self.has_changed = false;
        for id in &ids {
            self.outdated.remove(id);
        }
        let (theirs, place) = (ids.clone(), place.clone());
        let job = jobs.spawn("library rows", move |progress| read(&theirs, &place, progress));
        self.reading.run_unseen(ids, job);
    }
}

/// Result of [`Listing::advance`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ListUpdate {
    /// Whether the list changed.
    pub has_found: bool,
    /// Whether it is time to search again.
    pub is_stale: bool,
    /// Seconds until it is time to search again, if known.
    pub wake_secs: Option<f64>,
}

fn clipped(range: &Range<usize>, n: usize) -> Range<usize> {
    range.start.min(n)..range.end.clamp(range.start.min(n), n)
}

fn read(ids: &[i64], place: &LibraryPlace, progress: &Progress) -> Result<Rows> {
    let sounds = LibraryStore::open_to_read(place)?.sounds(ids, progress)?;
    // Sounds removed meanwhile become `None`.
    Ok(sounds.iter().map(|sound| LibraryRow::of(sound.as_ref()?)).collect())
}
