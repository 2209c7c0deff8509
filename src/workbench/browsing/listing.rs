//! The list: what the query asks for, page by page. Queries run in a job, the latest wins; rows are read once they are seen.

use super::chips::LibraryQuery;
use super::entries::{EntryNote, LibraryRow, ListEntry};
use crate::base::{Progress, Result};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::workbench::services::{Job, Jobs};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows that are kept; beyond it, those out of view are forgotten.
const MOST_ROWS: usize = 4_096;
/// Rows that are read before and after those in view.
const MARGIN_ROWS: usize = 16;
/// While sounds are added, the list follows this often at most, in seconds.
const LEAST_REFRESH_SECS: f64 = 0.5;

/// What the query asks for, or that there is no library yet.
type Found = Option<Vec<ListEntry>>;
/// None for sounds that are gone.
type Rows = Vec<Option<LibraryRow>>;

/// What is listed.
#[derive(Default)]
pub struct Listing {
    entries: Vec<ListEntry>,
    rows: HashMap<i64, Option<Arc<LibraryRow>>>,
    /// Rows of which more may be known now; until they are read again they stay as they are.
    outdated: HashSet<i64>,
    /// Whether the library changed since rows were read last.
    has_changed: bool,
    in_view: Range<usize>,
    query_job: Option<(LibraryQuery, f64, Job<Found>)>,
    rows_job: Option<(Vec<i64>, Job<Rows>)>,
    /// Whether there is more to find than is listed, and from when on it is looked for.
    stale_from_secs: Option<f64>,
    /// When the list may be found again because the library changed.
    next_secs: f64,
    is_absent: bool,
}

impl Listing {
    /// All of it.
    pub fn entries(&self) -> &[ListEntry] {
        &self.entries
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
        self.query_job.is_some() || self.rows_job.is_some()
    }

    /// Whether a query is in progress.
    pub fn is_searching(&self) -> bool {
        self.query_job.is_some()
    }

    /// The rows in view.
    pub fn in_view(&self) -> Range<usize> {
        self.in_view.clone()
    }

    /// These rows are in view.
    pub fn see(&mut self, rows: Range<usize>) {
        self.in_view = rows;
    }

    /// Lists something else.
    pub fn set(&mut self, entries: Vec<ListEntry>) {
        self.entries = entries;
        self.query_job = None;
    }

    /// The library changed: what is known of its sounds may be another, and there may be more of them.
    pub fn note_change(&mut self, now_secs: f64) {
        // Of a failed reading, and of sounds without a file, something may be known now.
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

    /// Looks for what the query asks for, whatever was looked for before.
    pub fn search(&mut self, query: &LibraryQuery, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) {
        self.stale_from_secs = None;
        let (theirs, place) = (query.clone(), place.clone());
        let job = jobs.spawn("library search", move |progress| search(&theirs, &place, progress));
        self.query_job = Some((query.clone(), now_secs, job));
    }

    /// Once a frame: takes what was found, as it is. Whether it is time to search again; an error is worth telling.
    pub fn advance(&mut self, place: &LibraryPlace, jobs: &Jobs, now_secs: f64) -> Result<ListNews> {
        let mut news = ListNews::default();
        if let Some((_, since_secs, job)) = &mut self.query_job
            && let Some(answer) = job.poll()
        {
            // A search that takes long is not made all the time.
            self.next_secs = now_secs + (4.0 * (now_secs - *since_secs)).max(LEAST_REFRESH_SECS);
            self.query_job = None;
            let found = answer?;
            self.is_absent = found.is_none();
            self.entries = found.unwrap_or_default();
            news.has_found = true;
        }
        if let Some(from_secs) = self.stale_from_secs.filter(|_| self.query_job.is_none()) {
            news.is_stale = now_secs >= from_secs;
            news.wake_secs = (!news.is_stale).then_some(from_secs - now_secs);
        }
        if let Some((_, job)) = &mut self.rows_job
            && let Some(answer) = job.poll()
            && let Some((ids, _)) = self.rows_job.take()
        {
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
        if self.rows_job.is_some() {
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
        self.rows_job = Some((ids, job));
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

/// Whether there is a library. What cannot be looked at is not absent.
pub fn is_absent(database: &Path) -> bool {
    matches!(std::fs::metadata(database), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

fn search(query: &LibraryQuery, place: &LibraryPlace, progress: &Progress) -> Result<Found> {
    if is_absent(place.database()) {
        return Ok(None);
    }
    let ids = LibraryStore::open_to_read(place)?.sound_ids(&query.sound_query()?, progress)?;
    // Here, as half a million are many for a frame.
    Ok(Some(ids.into_iter().map(|id| ListEntry { id, note: EntryNote::Found }).collect()))
}

fn read(ids: &[i64], place: &LibraryPlace, progress: &Progress) -> Result<Rows> {
    let store = LibraryStore::open_to_read(place)?;
    let row = |&id: &i64| {
        progress.check()?;
        // A sound that was removed meanwhile is no row.
        Ok(store.sound(id).ok().and_then(|sound| LibraryRow::of(&sound)))
    };
    ids.iter().map(row).collect()
}
