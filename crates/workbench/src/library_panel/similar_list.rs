//! Searches the library for sounds similar to the selection as edited, to the surroundings of a hole, or to a library
//! sound.

use super::chips::LibraryQuery;
use super::entries::{EntryNote, ListEntry};
use super::vector_cache::VectorCache;
use crate::base::{Progress, Result};
use crate::bench::context::Context;
use crate::bench::limits::held_single;
use crate::document::{Snapshot, erasing, lifted};
use crate::documents::OpenDocument;
use crate::dsp::Selection;
use crate::engine::Engine;
use crate::library::similar::{MAX_DIAL, SimilarDials, SimilarIndex, SimilarTo};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::Source;
use crate::services::{Job, JobQueue};
use crate::view::{Hole, HoleContext};
use std::collections::HashSet;
use std::sync::Arc;

/// Seconds that the selection must be unchanged before a new search.
const SETTLE_SECS: f64 = 0.3;
/// Maximum number of listed sounds.
const MAX_LISTED: usize = 200;
/// Maximum number of sounds listed to fill a hole.
const MAX_DONORS: usize = 8;
/// Maximum number of nearest sounds checked individually against the chip filters.
const MAX_CANDIDATES: usize = 2_048;

/// The sound that others are compared with.
#[derive(Debug, Clone)]
enum ComparedSound {
    Sound(i64),
    Selected(Box<SelectedSound>),
    Around(Box<SurroundedHole>),
}

/// A selection, and the state of its document.
#[derive(Debug, Clone)]
struct SelectedSound {
    snapshot: Snapshot,
    selection: Selection,
}

/// A hole, and the state of its document.
#[derive(Debug, Clone)]
struct SurroundedHole {
    snapshot: Snapshot,
    hole: Hole,
}

impl ComparedSound {
    fn is_same(&self, other: &ComparedSound) -> bool {
        match (self, other) {
            (ComparedSound::Sound(a), ComparedSound::Sound(b)) => a == b,
            (ComparedSound::Selected(a), ComparedSound::Selected(b)) => {
                a.snapshot.is_same(&b.snapshot) && a.selection == b.selection
            }
            (ComparedSound::Around(a), ComparedSound::Around(b)) => a.snapshot.is_same(&b.snapshot) && a.hole == b.hole,
            _ => false,
        }
    }
}

/// Vectors of all sounds, as updated by a search, and the results.
type SearchResult = (Arc<SimilarIndex>, Vec<ListEntry>);

/// Descriptors of the compared sound, and the results if the same job searched.
type MeasuredSound = (SimilarTo, Option<Result<SearchResult>>);

/// Parameters of a search.
struct SearchOrder {
    place: LibraryPlace,
    before: Option<Arc<SimilarIndex>>,
    chips: LibraryQuery,
    dials: SimilarDials,
    without: Option<i64>,
    /// Minimum length of a sound that fills a hole.
    min_secs: Option<f64>,
}

impl SearchOrder {
    fn search(self, query: &SimilarTo, progress: &Progress) -> Result<SearchResult> {
        let store = LibraryStore::open_to_read(&self.place)?;
        let index = store.similar_index(self.before, progress)?;
        let compared = (query, &self.dials, self.without);
        let mut found = nearest(&store, &index, compared, &self.chips, self.min_secs, progress)?;
        if let Some(order) = self.chips.order {
            found = order.reorder(found, &store, progress)?;
        }
        Ok((index, found))
    }
}

/// The compared sound, and the results.
#[derive(Default)]
pub struct SimilarList {
    dials: SimilarDials,
    /// Id of a library sound; `None`: the selection.
    sound: Option<i64>,
    /// Whether to compare the surroundings of the selection or the last stroke, rather than the selection.
    is_around: bool,
    /// The sound to compare next, and the time of its last change in seconds.
    seen: Option<(ComparedSound, f64)>,
    /// The sound that `query` describes, or that is being measured.
    taken: Option<ComparedSound>,
    measuring: JobQueue<(), MeasuredSound>,
    query: Option<SimilarTo>,
    vectors: VectorCache,
    searching: JobQueue<(), SearchResult>,
    is_stale: bool,
    /// Whether the next results are for a different sound or query than the last ones.
    is_of_other: bool,
    /// Whether the last results are for a different sound or query than those before.
    is_new: bool,
    trouble: Option<String>,
}

impl SimilarList {
    /// The weights of similarity.
    pub fn dials(&self) -> SimilarDials {
        self.dials
    }

    /// Why nothing is listed, as a sentence without a full stop.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The library sound that others are compared with; `None`: the selection.
    pub fn sound(&self) -> Option<i64> {
        self.sound
    }

    /// Whether a measurement or a search is running.
    pub fn is_busy(&self) -> bool {
        let waits = self.query.is_some() && self.is_stale;
        self.measuring.is_busy() || self.searching.is_busy() || waits
    }

    /// Whether the vectors of all sounds are being read.
    pub fn is_reading(&self) -> bool {
        self.vectors.is_reading()
    }

    /// Call once a frame with the number of listed sounds: reads the vectors of a large library ahead of a search.
    pub fn prepare(&mut self, n_sounds: usize, place: &LibraryPlace, context: &Context) {
        self.vectors.prepare(n_sounds, place, &context.jobs);
    }

    /// Call when the results are hidden: frees the vectors and cancels the search.
    pub fn rest(&mut self) {
        (self.vectors, self.is_stale) = (VectorCache::default(), true);
        self.searching.clear();
    }

    /// Whether the last results are for a different sound or query than those before.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Compares with a library sound, or with the selection, without waiting for it to settle.
    pub fn begin(&mut self, sound: Option<i64>) {
        (self.sound, self.taken, self.seen, self.query) = (sound, None, None, None);
        self.stop();
        self.trouble = None;
        self.is_around = false;
    }

    /// Compares with the surroundings of the selection or the last stroke, without waiting for them to settle.
    pub fn begin_around(&mut self) {
        self.begin(None);
        self.is_around = true;
    }

    /// Whether the surroundings of the selection, or of the last stroke, are compared.
    pub fn is_around(&self) -> bool {
        self.is_around
    }

    /// Whether the surroundings of the last stroke are compared.
    pub fn is_around_stroke(&self) -> bool {
        matches!(&self.taken, Some(ComparedSound::Around(taken)) if taken.hole.is_stroke)
    }

    /// Sets the weights; ignores values that are not finite.
    pub fn set_dials(&mut self, dials: SimilarDials) {
        let limits = [0.0, f64::from(MAX_DIAL)];
        let before = self.dials;
        self.dials = SimilarDials {
            timbre: held_single(dials.timbre, limits, before.timbre),
            texture: held_single(dials.texture, limits, before.texture),
            pitch: held_single(dials.pitch, limits, before.pitch),
            brightness: held_single(dials.brightness, limits, before.brightness),
            time: held_single(dials.time, limits, before.time),
        };
        self.is_stale |= self.dials != before;
        self.is_of_other |= self.dials != before;
    }

    /// Requests a new search: the library changed, or, with `is_other`, the query did.
    pub fn note_change(&mut self, is_other: bool) {
        self.is_stale = true;
        self.is_of_other |= is_other;
    }

    /// Call once a frame while the list is shown. Returns new results. The caller shows errors to the user.
    pub fn advance(
        &mut self,
        chips: &LibraryQuery,
        place: &LibraryPlace,
        context: &mut Context,
    ) -> Result<Option<Vec<ListEntry>>> {
        self.follow(chips, place, context);
        if let Some(((), answer)) = self.measuring.take_answer() {
            match answer {
                Ok((query, found)) => {
                    self.query = Some(query);
                    match found.filter(|_| !self.is_stale) {
                        Some(found) => return Ok(Some(self.take(found?))),
                        None => self.is_stale = true,
                    }
                }
                // For example a silent selection. Shown in the panel rather than as a notice, since every selection is
                // compared.
                Err(error) => {
                    self.trouble = Some(error.to_string());
                    self.is_new = true;
                    return Ok(Some(Vec::new()));
                }
            }
        }
        if let Some(query) = self.query.filter(|_| self.is_stale && !self.vectors.is_reading()) {
            self.is_stale = false;
            let order = self.order(chips, place);
            let job = context.jobs.spawn("library similar", move |progress| order.search(&query, progress));
            self.searching.run_instead_unseen((), job);
        }
        let Some(((), answer)) = self.searching.take_answer() else { return Ok(None) };
        Ok(Some(self.take(answer?)))
    }

    /// Cancels the measurement and the search.
    fn stop(&mut self) {
        self.measuring.clear();
        self.searching.clear();
    }

    fn take(&mut self, (index, found): SearchResult) -> Vec<ListEntry> {
        self.vectors.keep(index);
        self.is_new = std::mem::take(&mut self.is_of_other);
        found
    }

    /// A search with the current settings.
    fn order(&self, chips: &LibraryQuery, place: &LibraryPlace) -> SearchOrder {
        let min_secs = self.around();
        // Length is not compared: that of a hole's surroundings is arbitrary.
        let time = if min_secs.is_some() { 0.0 } else { self.dials.time };
        SearchOrder {
            place: place.clone(),
            before: self.vectors.get(),
            chips: chips.clone(),
            dials: SimilarDials { time, ..self.dials },
            without: self.sound,
            min_secs,
        }
    }

    /// Minimum length of a donor in seconds; `None` if no hole is to be filled.
    fn around(&self) -> Option<f64> {
        match &self.taken {
            Some(ComparedSound::Around(taken)) => {
                let around = HoleContext::of(&taken.hole, &taken.snapshot).ok()?;
                Some(around.ring_secs[1] - around.ring_secs[0])
            }
            _ => None,
        }
    }

    /// Measures the compared sound once it has been unchanged for `SETTLE_SECS`; at once after `begin`.
    fn follow(&mut self, chips: &LibraryQuery, place: &LibraryPlace, context: &mut Context) {
        if self.taken.as_ref().is_some_and(|taken| self.is_now(taken, context)) {
            self.seen = None;
            return;
        }
        let Some(now) = self.compared(context) else {
            if self.taken.take().is_some() || self.trouble.is_none() {
                self.query = None;
                self.stop();
                let what = match self.is_around {
                    true => "Select what is to be filled, or paint over it",
                    false => "Select a sound on the canvas to find what is like it",
                };
                self.trouble = Some(what.into());
            }
            return;
        };
        let now_secs = context.now_secs();
        let since_secs = match &self.seen {
            Some((seen, since_secs)) if seen.is_same(&now) => *since_secs,
            _ => now_secs,
        };
        self.seen = Some((now.clone(), since_secs));
        let left_secs = since_secs + SETTLE_SECS - now_secs;
        if self.taken.is_some() && left_secs > 0.0 {
            return context.wake_after(left_secs);
        }
        self.trouble = None;
        self.searching.clear();
        self.taken = Some(now.clone());
        self.is_of_other = true;
        // Measuring and searching in one job shows the results one UI frame earlier.
        let order = (!self.vectors.is_reading()).then(|| self.order(chips, place));
        self.is_stale = false;
        self.measuring.run_instead_unseen((), measure(now, order, place, context));
    }

    /// Whether `taken` equals the sound to compare now. Called every frame, so it copies nothing.
    fn is_now(&self, taken: &ComparedSound, context: &Context) -> bool {
        match (taken, self.sound) {
            (ComparedSound::Sound(taken), Some(id)) => *taken == id,
            (ComparedSound::Selected(taken), None) => context.documents.active().is_some_and(|document| {
                let is_same = document.shown().is_same(&taken.snapshot);
                is_same && !document.is_reading() && document.selection() == Some(&taken.selection)
            }),
            (ComparedSound::Around(taken), None) => context.documents.active().is_some_and(|document| {
                let is_same = document.shown().is_same(&taken.snapshot);
                is_same && !document.is_reading() && document.hole().as_ref() == Some(&taken.hole)
            }),
            (ComparedSound::Sound(_), None) | (ComparedSound::Selected(_) | ComparedSound::Around(_), Some(_)) => false,
        }
    }

    fn compared(&self, context: &Context) -> Option<ComparedSound> {
        if let Some(id) = self.sound {
            return Some(ComparedSound::Sound(id));
        }
        let document = context.documents.active().filter(|document| !document.is_reading())?;
        let snapshot = document.shown().clone();
        if self.is_around {
            return Some(ComparedSound::Around(Box::new(SurroundedHole { snapshot, hole: document.hole()? })));
        }
        let selection = document.selection()?.clone();
        Some(ComparedSound::Selected(Box::new(SelectedSound { snapshot, selection })))
    }
}

/// Starts a job that measures the compared sound, and also searches if there is an `order`.
fn measure(
    compared: ComparedSound,
    order: Option<SearchOrder>,
    place: &LibraryPlace,
    context: &Context,
) -> Job<MeasuredSound> {
    let (place, engine) = (place.clone(), context.engine.clone());
    let edited = context.documents.active().map(OpenDocument::view).cloned();
    context.jobs.spawn("library measure", move |progress| {
        let query = match (compared, edited) {
            (ComparedSound::Sound(id), _) => LibraryStore::open_to_read(&place)?.similar_to(id)?,
            (ComparedSound::Around(surrounded), Some(view)) => {
                let around = HoleContext::of(&surrounded.hole, &surrounded.snapshot)?;
                let sound = around.sound(&surrounded.snapshot, view.channels.edited(), &engine, progress)?;
                SimilarTo::of_sound(&sound, None, progress)?
            }
            (ComparedSound::Selected(selected), Some(view)) => {
                let edit = erasing(selected.selection, view.channels.edited(), view.transform);
                similar_to(&selected.snapshot, &edit, &engine, progress)?
            }
            (ComparedSound::Selected(_) | ComparedSound::Around(_), None) => {
                return Err(crate::base::Error::cancelled());
            }
        };
        let found = order.map(|order| order.search(&query, progress));
        Ok((query, found))
    })
}

/// Descriptors of the sound that an erasing edit would remove: the selection limited to its band.
fn similar_to(
    snapshot: &Snapshot,
    edit: &crate::document::Edit,
    engine: &Engine,
    progress: &Progress,
) -> Result<SimilarTo> {
    let clip = lifted(snapshot, edit, engine, progress)?;
    let source = Source::from_channels(clip.channels.to_vec(), clip.sample_rate_hz as u32)?;
    SimilarTo::of_sound(&source, None, progress)
}

/// The most similar sounds among those that match text and chips, nearest first.
fn nearest(
    store: &LibraryStore,
    index: &SimilarIndex,
    (query, dials, without): (&SimilarTo, &SimilarDials, Option<i64>),
    chips: &LibraryQuery,
    min_secs: Option<f64>,
    progress: &Progress,
) -> Result<Vec<ListEntry>> {
    let max = if min_secs.is_some() { MAX_DONORS } else { MAX_LISTED };
    let wanted = chips.sound_query_of(min_secs)?;
    let entry = |(id, score): (i64, f64)| ListEntry { id, note: EntryNote::Alike(score as f32) };
    // The picker cannot check text, so a search with text always runs the full query below.
    if wanted.text.trim().is_empty() {
        let mut picker = store.picker(wanted.filter.as_ref())?;
        let near = index.nearest(query, dials, MAX_CANDIDATES);
        let are_all = near.len() < MAX_CANDIDATES;
        let mut found = Vec::new();
        for sound in near {
            if Some(sound.0) != without && picker.takes(sound.0)? {
                found.push(entry(sound));
            }
            if found.len() == max {
                break;
            }
        }
        if are_all || found.len() == max {
            return Ok(found);
        }
    }
    let left: HashSet<i64> = store.sound_ids(&wanted, progress, &mut |_| ())?.into_iter().collect();
    let all = index.nearest(query, dials, usize::MAX).into_iter();
    Ok(all.filter(|(id, _)| left.contains(id) && Some(*id) != without).take(max).map(entry).collect())
}
