//! The list of the labels: filtered and sorted in a job, as there may be many.

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
    /// In the order of the menu.
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

    /// The value of a label's sort key; `None` comes last in either direction.
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

/// The labels and order of a list.
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

/// Keeps the list of the document in front up to date.
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

    /// The listed labels of a document, in the previous order until the new one is known.
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

    /// Takes the result, and starts again where labels or order have changed.
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

/// The labels of the list, by row.
#[derive(Clone, Copy)]
pub struct ShownLabels<'a> {
    labels: &'a LabelSet,
    /// None: all labels in their original order.
    ids: Option<&'a [u64]>,
}

impl<'a> ShownLabels<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ids.map_or(self.labels.len(), <[u64]>::len)
    }

    /// Whether there is no row.
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

    /// The row of a label.
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
