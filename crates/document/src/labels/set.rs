//! All labels of a document at one step of its history.

use super::blocks::{Sorted, SortedBlocks};
use super::label::{Label, MAX_LABELS, order};
use super::lanes::LabelLanes;
use super::time::LabelMove;
use crate::base::{Error, ErrorKind, Result};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

impl Sorted for Label {
    fn order(&self, other: &Label) -> Ordering {
        Label::order(self, other)
    }

    fn secs(&self) -> [f64; 2] {
        self.secs
    }

    fn at_secs(&self, secs: [f64; 2]) -> Label {
        Label { secs, ..self.clone() }
    }
}

/// The position of a label after the first `n_moves` moves of its set. Places are sorted by id.
#[derive(Debug, Clone, Copy)]
struct Place {
    id: u64,
    secs: [f64; 2],
    /// Number of the set's moves that preceded it.
    n_moves: usize,
}

impl Sorted for Place {
    fn order(&self, other: &Place) -> Ordering {
        self.id.cmp(&other.id)
    }
}

/// Number of time changes after which a set recomputes the places of its labels.
const MAX_MOVES: usize = 1_024;

/// Labels by start, end and id, with an index by id. Clones share their blocks.
#[derive(Debug, Clone)]
pub struct LabelSet {
    labels: SortedBlocks<Label>,
    /// Their lanes, computed on first use.
    lanes: OnceLock<Arc<LabelLanes>>,
    /// The position of each label when it was added or positions were last recomputed, including labels cut out since.
    places: SortedBlocks<Place>,
    /// Changes of time since the first of the places, in order.
    moves: Arc<Vec<LabelMove>>,
    next_id: u64,
}

impl Default for LabelSet {
    fn default() -> LabelSet {
        LabelSet {
            labels: SortedBlocks::default(),
            lanes: OnceLock::new(),
            places: SortedBlocks::default(),
            moves: Arc::default(),
            next_id: 1,
        }
    }
}

impl PartialEq for LabelSet {
    /// Whether both hold equal labels.
    fn eq(&self, other: &LabelSet) -> bool {
        self.labels.is_same(&other.labels) || self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl LabelSet {
    /// A set of labels. Assigns ids where they are 0.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for an invalid label and for a duplicate id, [`Limit`](ErrorKind::Limit) for too
    /// many labels.
    pub fn of(labels: Vec<Label>) -> Result<LabelSet> {
        LabelSet::default().edited(labels, &[])
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All labels, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.labels.iter()
    }

    /// The label at an index in the order.
    pub fn at(&self, index: usize) -> Option<&Label> {
        self.labels.at(index)
    }

    /// The label with an id.
    pub fn get(&self, id: u64) -> Option<&Label> {
        let key = self.key(id)?;
        self.labels.first_behind(|label| order((label.secs, label.id), (key.secs, key.id)).is_lt())
    }

    /// The index of the label with an id.
    pub fn index_of(&self, id: u64) -> Option<usize> {
        let key = self.key(id)?;
        Some(self.labels.n_before(|label| order((label.secs, label.id), (key.secs, key.id)).is_lt()))
    }

    /// The lanes of overlapping labels. The first call after a change computes them.
    pub fn lanes(&self) -> &LabelLanes {
        self.lanes.get_or_init(|| Arc::new(LabelLanes::of(self.labels.all_secs())))
    }

    /// Labels that overlap or touch a range, in order.
    pub fn in_range(&self, secs: [f64; 2]) -> impl Iterator<Item = &Label> {
        self.places_in_range(secs).map(|(_, label)| label)
    }

    /// Labels that overlap or touch a range, each with its index.
    pub fn places_in_range(&self, secs: [f64; 2]) -> impl Iterator<Item = (usize, &Label)> {
        self.labels.reaching(secs[0], move |label| label.secs[0] <= secs[1])
    }

    /// The first label that starts in a range, then repeatedly the next one in the range that starts at least
    /// `spacing_secs` after the previous one, with their indices.
    pub fn spaced_in_range(&self, secs: [f64; 2], spacing_secs: f64) -> impl Iterator<Item = (usize, &Label)> {
        self.labels.spaced(secs[0], spacing_secs).take_while(move |(_, label)| label.secs[0] <= secs[1])
    }

    /// Whether both are the same set, which proves equality cheaply.
    pub fn is_same(&self, other: &LabelSet) -> bool {
        self.labels.is_same(&other.labels)
    }

    /// The `n_most` most used texts of the labels, by descending count, then alphabetically.
    pub fn most_used_texts(&self, n_most: usize) -> Vec<Arc<str>> {
        let mut n_uses: HashMap<&Arc<str>, usize> = HashMap::new();
        for label in self.iter().filter(|label| !label.text.is_empty()) {
            *n_uses.entry(&label.text).or_default() += 1;
        }
        let mut texts: Vec<(&Arc<str>, usize)> = n_uses.into_iter().collect();
        texts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        texts.truncate(n_most);
        texts.into_iter().map(|(text, _)| text.clone()).collect()
    }

    /// The id of the next new label: above every id that was ever in the set.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// The same labels; new ones get ids from `next_id` on, unless the set's own next id is higher. A document keeps
    /// the highest when steps are undone, so that no id is reused.
    #[must_use]
    pub fn with_next_id(&self, next_id: u64) -> LabelSet {
        LabelSet { next_id: self.next_id.max(next_id), ..self.clone() }
    }

    /// The set with labels inserted, replacing those with the same ids, and others removed. Labels of id 0 get new ids.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for an invalid label, an id that is set twice or both set and removed, and an id
    /// to remove that does not exist; [`Limit`](ErrorKind::Limit) for too many labels.
    pub fn edited(&self, set: Vec<Label>, remove: &[u64]) -> Result<LabelSet> {
        let mut changed = LabelSet { lanes: OnceLock::new(), ..self.clone() };
        let set = changed.numbered(set)?;
        let gone = self.gone(&set, remove)?;
        let n_after = self.len() - gone.len() + set.len();
        if n_after > MAX_LABELS {
            let what = format!("there would be {n_after} labels; a sound may have {MAX_LABELS}");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        if set.len() + gone.len() > 16 + self.len() / 64 {
            let gone: BTreeSet<u64> = gone.iter().map(|place| place.id).collect();
            let kept = self.iter().filter(|label| !gone.contains(&label.id)).cloned();
            changed.put_all(kept.chain(set).collect());
            return Ok(changed);
        }
        for place in &gone {
            changed.places.remove(place);
            changed.labels.remove(&Label { id: place.id, secs: place.secs, ..Label::default() });
        }
        for label in set {
            let place = Place { id: label.id, secs: label.secs, n_moves: changed.moves.len() };
            // The set may still have the place of a label with this id that was cut out.
            changed.places.remove(&place);
            changed.places.insert(place);
            changed.labels.insert(label);
        }
        Ok(changed)
    }

    /// The labels after a change of time: those after it move, and those cut out are removed.
    #[must_use]
    pub fn moved(&self, change: &LabelMove) -> LabelSet {
        let begin = change.begin_secs();
        let is_kept = |last: &Label, reach: f64| last.secs[0] < begin && reach < begin;
        let label = |label: &Label| change.range(label.secs).map(|secs| label.at_secs(secs));
        let labels = self.labels.moved(is_kept, (change.behind_secs(), change.shift_secs()), label);
        let mut moved = LabelSet { labels, lanes: OnceLock::new(), ..self.clone() };
        Arc::make_mut(&mut moved.moves).push(*change);
        if moved.moves.len() > MAX_MOVES {
            moved.put_places();
        }
        moved
    }

    /// The current place of the label with an id; `None` if there is none, or if it was cut out.
    fn key(&self, id: u64) -> Option<Place> {
        let place = self.places.first_behind(|place| place.id < id).copied().filter(|place| place.id == id)?;
        let mut moves = self.moves[place.n_moves..].iter();
        let secs = moves.try_fold(place.secs, |secs, change| change.range(secs))?;
        Some(Place { secs, ..place })
    }

    /// Validated labels with ids assigned, in the given order.
    fn numbered(&mut self, set: Vec<Label>) -> Result<Vec<Label>> {
        let highest = set.iter().map(|label| label.id).max().unwrap_or(0);
        if highest >= i64::MAX as u64 {
            return Err(Error::new(ErrorKind::Script, format!("{highest} is no id of a label")));
        }
        self.next_id = self.next_id.max(highest + 1);
        let mut numbered = Vec::with_capacity(set.len());
        for label in set {
            let refused = |why| Error::new(ErrorKind::Script, format!("a label cannot be kept: {why}"));
            let mut label = label.checked().map_err(refused)?.label;
            if label.id == 0 {
                label.id = self.next_id;
                self.next_id += 1;
            }
            numbered.push(label);
        }
        Ok(numbered)
    }

    /// The positions of labels to be replaced or removed.
    fn gone(&self, set: &[Label], remove: &[u64]) -> Result<Vec<Place>> {
        let mut named = BTreeSet::new();
        let mut gone = Vec::new();
        for id in set.iter().map(|label| label.id) {
            if !named.insert(id) {
                return Err(Error::new(ErrorKind::Script, format!("label {id} is there twice")));
            }
            gone.extend(self.key(id));
        }
        for &id in remove {
            let why = if named.insert(id) { "is not there" } else { "is named twice" };
            let place = self.key(id).filter(|_| why == "is not there");
            gone.push(place.ok_or_else(|| Error::new(ErrorKind::Script, format!("label {id} {why}")))?);
        }
        Ok(gone)
    }

    fn put_all(&mut self, labels: Vec<Label>) {
        self.labels = SortedBlocks::of_any(labels);
        self.put_places();
    }

    fn put_places(&mut self) {
        let place = |label: &Label| Place { id: label.id, secs: label.secs, n_moves: 0 };
        self.places = SortedBlocks::of_any(self.labels.iter().map(place).collect());
        self.moves = Arc::default();
    }
}
