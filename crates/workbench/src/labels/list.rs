//! The list of labels, filtered and sorted in a job since there may be many.

use crate::document::labels::{Label, LabelSet, TextFilter};
use crate::documents::OpenDocument;
use crate::services::{JobQuestion, Jobs, Latest};
use std::cmp::Ordering;

/// Sort key of the list; ties stay in order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelSort {
    /// Start, then end.
    #[default]
    Time,
    /// Text, alphabetically.
    Text,
    /// Length, shortest first.
    Length,
    /// The lower edge of the band; those without a band come last.
    Frequency,
    /// Confidence, lowest first; labels without one come last.
    Confidence,
}

impl LabelSort {
    /// All sort keys, in the order of the menu.
    pub const ALL: [LabelSort; 5] =
        [LabelSort::Time, LabelSort::Text, LabelSort::Length, LabelSort::Frequency, LabelSort::Confidence];

    /// Name for display.
    pub fn name(self) -> &'static str {
        match self {
            LabelSort::Time => "Time",
            LabelSort::Text => "Text",
            LabelSort::Length => "Length",
            LabelSort::Frequency => "Frequency",
            LabelSort::Confidence => "Confidence",
        }
    }

    /// The value of a numeric sort key; `None` is sorted last in either direction. 0 for keys that are not numeric.
    fn number(self, label: &Label) -> Option<f64> {
        match self {
            LabelSort::Time | LabelSort::Text => Some(0.0),
            LabelSort::Length => Some(label.length_secs()),
            LabelSort::Frequency => label.band_hz(f64::MAX).map(|[low, _]| low),
            LabelSort::Confidence => label.confidence,
        }
    }
}

/// Filter and order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelOrder {
    /// Substring of the text, ignoring case.
    pub filter: String,
    /// Sort key.
    pub sort: LabelSort,
    /// Whether the order is reversed.
    pub is_reversed: bool,
}

impl LabelOrder {
    /// Whether the list shows all labels in their original order.
    fn is_plain(&self) -> bool {
        self.filter.trim().is_empty() && self.sort == LabelSort::Time && !self.is_reversed
    }

    /// The ids of the listed labels.
    fn ids(&self, labels: &LabelSet) -> Vec<u64> {
        let filter = TextFilter::new(&self.filter);
        let is_listed = |label: &&Label| filter.fits(&label.text);
        let mut listed: Vec<&Label> = labels.iter().filter(is_listed).collect();
        match self.sort {
            LabelSort::Time => {}
            LabelSort::Text => listed.sort_by_cached_key(|label| label.text.to_lowercase()),
            sort => listed.sort_by(|a, b| min_first(sort.number(a), sort.number(b))),
        }
        if self.is_reversed {
            let n_last = listed.iter().rev().take_while(|label| self.sort.number(label).is_none()).count();
            let n_sorted = listed.len() - n_last;
            listed[..n_sorted].reverse();
        }
        listed.into_iter().map(|label| label.id).collect()
    }
}

fn min_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// Labels and order that a list was made from.
#[derive(Clone)]
struct ListQueryKey {
    document: u64,
    labels: LabelSet,
    order: LabelOrder,
}

impl JobQuestion for ListQueryKey {
    fn is_same(&self, other: &ListQueryKey) -> bool {
        self.document == other.document && self.labels.is_same(&other.labels) && self.order == other.order
    }
}

/// Filters and sorts the labels of the document in front whenever they change.
#[derive(Default)]
pub struct LabelList {
    order: LabelOrder,
    ids: Latest<ListQueryKey, Vec<u64>>,
}

impl LabelList {
    /// Filter and order of the list.
    pub fn order(&self) -> &LabelOrder {
        &self.order
    }

    pub(super) fn set_order(&mut self, order: LabelOrder) {
        self.order = order;
    }

    /// The listed labels of a document; the previous list until a running job ends.
    pub fn shown<'a>(&'a self, document: &'a OpenDocument) -> ShownLabels<'a> {
        let known = self.ids.last().filter(|(requested, _)| requested.document == document.id());
        let ids = match self.order.is_plain() {
            true => None,
            false => Some(known.map_or(&[][..], |(_, ids)| ids.as_slice())),
        };
        ShownLabels { labels: document.history().labels(), ids }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.ids.is_busy()
    }

    /// Takes the job's result, and starts a new job if labels or order have changed.
    pub(super) fn follow(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) {
        let Some(document) = document.filter(|_| !self.order.is_plain()) else {
            self.ids.clear();
            return;
        };
        let labels = document.history().labels().clone();
        let requested = ListQueryKey { document: document.id(), labels, order: self.order.clone() };
        self.ids.ask(&requested, jobs, "labels", |requested, _| Ok(requested.order.ids(&requested.labels)));
    }
}

/// The visible labels of the list, indexed by row.
#[derive(Clone, Copy)]
pub struct ShownLabels<'a> {
    labels: &'a LabelSet,
    /// Ids by row; `None`: all labels in their original order.
    ids: Option<&'a [u64]>,
}

impl<'a> ShownLabels<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ids.map_or(self.labels.len(), <[u64]>::len)
    }

    /// Whether the list has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The label in a row; `None` if it was removed since the list was made.
    pub fn at(&self, row: usize) -> Option<&'a Label> {
        match self.ids {
            Some(ids) => self.labels.get(*ids.get(row)?),
            None => self.labels.at(row),
        }
    }

    /// The row of a label; `None` if it is not listed.
    pub fn row_of(&self, id: u64) -> Option<usize> {
        match self.ids {
            Some(ids) => ids.iter().position(|&other| other == id),
            None => self.labels.index_of(id),
        }
    }

    /// All listed labels, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a Label> + '_ {
        (0..self.len()).filter_map(|row| self.at(row))
    }
}
