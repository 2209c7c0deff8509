//! The list: what the query asks for, page by page. Queries run in a job, the latest wins; rows are read once they are
//! seen.

use super::chips::LibraryQuery;
use super::entries::{LibraryRow, ListEntry};
use super::list_query::{ListFound, ListQuery, QueryScope};
use crate::base::{Progress, Result};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::services::{JobQueue, Jobs};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Rows that are kept; beyond it, those out of view are forgotten.
const MOST_ROWS: usize = 4_096;
/// Rows that are read before and after those in view.
const MARGIN_ROWS: usize = 16;
/// While sounds are added, the list follows this often at most, in seconds.
const LEAST_REFRESH_SECS: f64 = 0.5;
/// Interval at which the whole list is searched again meanwhile, as sounds may also go.
const WHOLE_EVERY_SECS: f64 = 30.0;

/// None for sounds that are gone.
type Rows = Vec<Option<LibraryRow>>;

/// What is listed.
#[derive(Default)]
pub struct Listing {
    entries: Vec<ListEntry>,
    /// Whether they come in the order of their numbers.
    is_by_id: bool,
    /// Whether it lists all sounds, so that only newer ones can be added.
    is_of_all: bool,
    /// Whether only the first sounds of a long list are known yet.
    is_partial: bool,
    rows: HashMap<i64, Option<Arc<LibraryRow>>>,
    /// Rows of which more may be known now; until they are read again they stay as they are.
    outdated: HashSet<i64>,
    /// Whether the library changed since rows were read last.
    has_changed: bool,
    in_view: Range<usize>,
    query: Option<ListQuery>,
    /// The numbers of the rows that are being read.
    reading: JobQueue<Vec<i64>, Rows>,
    /// When to search for sounds missing from the list; `None` if it is complete.
    stale_from_secs: Option<f64>,
    /// When the list may be found again because the library changed.
    next_secs: f64,
    /// When the whole list was last searched.
    whole_secs: f64,
    is_absent: bool,
    age: ListAge,
}

/// How often the list changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListAge {
    /// How often something else was listed.
    pub n_searches: u64,
    /// How often the same was listed again with other sounds, or in other places.
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
    /// All of it.
    pub fn entries(&self) -> &[ListEntry] {
        &self.entries
    }

    /// How often it changed.
    pub fn age(&self) -> ListAge {
        self.age
    }

    /// Whether the rest of a long list is still being read.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Where a sound is listed that was there before.
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

    /// A row, once it was read; `None` inside for a sound that is gone.
    pub fn row(&self, id: i64) -> Option<&Arc<LibraryRow>> {
        self.rows.get(&id).and_then(Option::as_ref)
    }

    /// The rows in view that were read.
    pub fn seen_rows(&self) -> impl Iterator<Item = &Arc<LibraryRow>> {
        self.entries[clipped(&self.in_view, self.entries.len())].iter().filter_map(|entry| self.row(entry.id))
    }

    /// Whether something is being read.
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

    /// These rows are in view.
    pub fn see(&mut self, rows: Range<usize>) {
        self.in_view = rows;
    }

    /// Lists these: something else, or the same as before with what changed in it.
    pub fn set(&mut self, entries: Vec<ListEntry>, is_new: bool) {
        self.age.note(is_new);
        (self.entries, self.is_by_id, self.is_of_all, self.is_partial) = (entries, false, false, false);
        self.query = None;
    }

    /// The library changed: what is known of its sounds may be another, and there may be more of them.
    pub fn note_change(&mut self, now_secs: f64) {
        // Failed reads, and sounds without a file, may give a result now.
        self.rows.retain(|_, row| row.is_some());
        self.has_changed = true;
        self.note_outdated();
        // The first of them are listed at once.
        let from_secs = if self.entries.is_empty() { now_secs } else { now_secs.max(self.next_secs) };
        let known_secs = self.stale_from_secs.unwrap_or(f64::INFINITY);
        self.stale_from_secs = Some(known_secs.min(from_secs));
    }

    fn note_outdated(&mut self) {
        let is_unheard = |row: &Option<Arc<LibraryRow>>| row.as_ref().is_some_and(|row| !row.is_analysed);
        self.outdated = self.rows.iter().filter(|(_, row)| is_unheard(row)).map(|(id, _)| *id).collect();
    }

    /// Starts a new search, replacing the one before.
    pub fn search(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        self.start(QueryScope::New, query, place, jobs, now_secs);
    }

    /// Looks for it once more, as the library changed. The list stays until that is found.
    pub fn search_again(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        let is_new = self.query.as_ref().is_some_and(|query| query.scope == QueryScope::New);
        let scope = if is_new { QueryScope::New } else { QueryScope::Again };
        self.start(scope, query, place, jobs, now_secs);
    }

    /// The same while sounds are being added: where all of them are listed, it is mostly enough to look for newer ones.
    pub fn search_for_more(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        let may_grow = query.is_plain() && self.is_of_all && now_secs < self.whole_secs + WHOLE_EVERY_SECS;
        match self.entries.last().map(|entry| entry.id).filter(|_| may_grow) {
            Some(last) => self.start(QueryScope::After(last), query, place, jobs, now_secs),
            None => self.search_again(query, place, jobs, now_secs),
        }
    }

    fn start(&mut self, scope: QueryScope, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        self.stale_from_secs = None;
        self.query = Some(ListQuery::start(scope, query, place, jobs, now_secs));
    }

    /// Takes what a query found; none: there is no library yet.
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

    /// Once a frame: takes what was found, as it is. Whether it is time to search again; an error is worth telling.
    pub fn advance(&mut self, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) -> Result<ListNews> {
        let mut news = ListNews::default();
        if let Some(mut query) = self.query.take() {
            if let Some(answer) = query.poll() {
                // A search that takes long is not made all the time; one for newer sounds does not.
                let wait_secs = if query.is_of_all { 0.0 } else { 4.0 * (now_secs - query.since_secs) };
                self.next_secs = now_secs + wait_secs.max(LEAST_REFRESH_SECS);
                self.is_partial = false;
                self.age.note(query.scope == QueryScope::New);
                self.take(&query, answer?);
                news.has_found = true;
            } else {
                if let Some(first) = query.take_first() {
                    (self.entries, self.is_by_id, self.is_of_all, self.is_partial) = (first, false, false, true);
                    self.age.note(true);
                    // The rest comes to what is listed now.
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

    /// Reads the rows in view that are not known.
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
        if self.rows.len() > MOST_ROWS {
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

/// What [`Listing::advance`] came to.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListNews {
    /// The list is another one.
    pub has_found: bool,
    /// It is time to search again.
    pub is_stale: bool,
    /// In how many seconds it will be.
    pub wake_secs: Option<f64>,
}

fn clipped(range: &Range<usize>, n: usize) -> Range<usize> {
    range.start.min(n)..range.end.clamp(range.start.min(n), n)
}

fn read(ids: &[i64], place: &LibraryPlace, progress: &Progress) -> Result<Rows> {
    let sounds = LibraryStore::open_to_read(place)?.sounds(ids, progress)?;
    // A sound that was removed meanwhile is no row.
    Ok(sounds.iter().map(|sound| LibraryRow::of(sound.as_ref()?)).collect())
}
