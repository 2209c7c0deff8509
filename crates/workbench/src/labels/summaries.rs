//! Data derived from the labels of the document in front: its label list, texts, suggested classes, and the
//! measurements of the current label. Jobs update them when labels change.

use super::list::LabelList;
use crate::base::{Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::document::Snapshot;
use crate::document::labels::{Label, LabelMeasureParams, LabelMeasures, LabelSet, N_COLOURS, measure_labels};
use crate::documents::OpenDocument;
use crate::services::{JobQuestion, Jobs, Latest};
use crate::settings::tools::{LabelClass, LabelTool, Tool};
use std::sync::Arc;

/// Labels within this distance of the measured label are excluded when its surrounding noise is measured.
const NEIGHBOUR_SECS: f64 = 2.0;

/// Maximum number of texts suggested while typing.
const MAX_SUGGESTIONS: usize = 1_000;

/// All state derived from the labels of the document in front.
#[derive(Default)]
pub struct LabelSummaries {
    /// The list.
    pub list: LabelList,
    /// Suggested classes, and the id of their document.
    classes: Latest<u64, Vec<LabelClass>>,
    texts: Latest<TextsQuery, Arc<[Arc<str>]>>,
    measures: Latest<Measured, Option<LabelMeasures>>,
}

/// Input of the job that counts texts.
#[derive(Clone)]
struct TextsQuery {
    document: u64,
    labels: LabelSet,
}

impl JobQuestion for TextsQuery {
    fn is_same(&self, other: &TextsQuery) -> bool {
        self.document == other.document && self.labels.is_same(&other.labels)
    }
}

/// Input of the job that measures the current label.
#[derive(Clone)]
struct Measured {
    snapshot: Snapshot,
    label: Label,
}

impl JobQuestion for Measured {
    fn is_same(&self, other: &Measured) -> bool {
        self.snapshot.is_same(&other.snapshot) && self.label == other.label
    }
}

impl LabelSummaries {
    /// Suggested classes: the most frequent texts when the label tool was selected.
    pub fn suggested_classes(&self) -> &[LabelClass] {
        self.classes.last().map_or(&[], |(_, classes)| classes)
    }

    /// Distinct texts of a document's labels as last counted, most frequent first.
    pub fn texts(&self, document: u64) -> Arc<[Arc<str>]> {
        let counted = self.texts.last().filter(|(of, _)| of.document == document);
        counted.map_or_else(|| Arc::new([]) as Arc<[Arc<str>]>, |(_, texts)| texts.clone())
    }

    /// Measurements of the current label, once known; `None` outside the sound.
    pub fn measures(&self) -> Option<&LabelMeasures> {
        self.measures.last().and_then(|(_, measures)| measures.as_ref())
    }

    fn follow_classes(&mut self, document: Option<&OpenDocument>, is_labelling: bool, jobs: &Jobs) {
        let Some(document) = document.filter(|_| is_labelling) else {
            self.classes.clear();
            return;
        };
        // Keyed by document, not by labels: classes keep their number keys while labels are drawn.
        let labels = document.history().labels().clone();
        self.classes.ask(&document.id(), jobs, "labels", move |_, _| Ok(suggested(&labels)));
    }

    fn follow_texts(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) {
        let Some(document) = document else { return self.texts.clear() };
        let requested = TextsQuery { document: document.id(), labels: document.history().labels().clone() };
        self.texts
            .ask_in_turn(&requested, jobs, "labels", |of, _| Ok(of.labels.most_used_texts(MAX_SUGGESTIONS).into()));
    }

    fn follow_measures(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) {
        let whole = document.filter(|document| !document.is_reading());
        let Some((document, label)) = whole.and_then(|document| Some((document, document.current_label()?))) else {
            self.measures.clear();
            return;
        };
        let requested = Measured { snapshot: document.shown().clone(), label: label.clone() };
        let labels = document.history().labels().clone();
        self.measures.ask(&requested, jobs, "label", move |requested, progress| measured(requested, &labels, progress));
        // Hides measurements of another label, or of the sound before an edit.
        self.measures.forget_unless(&requested);
    }
}

/// Measurements of a label; `None` outside the sound.
fn measured(requested: &Measured, labels: &LabelSet, progress: &Progress) -> Result<Option<LabelMeasures>> {
    let Measured { snapshot, label } = requested;
    let apart = NEIGHBOUR_SECS + label.length_secs();
    let around = labels.in_range([label.secs[0] - apart, label.secs[1] + apart]);
    let labels = LabelSet::of(around.cloned().collect())?;
    let measures = measure_labels(snapshot, &labels, LabelMeasureParams::default(), progress)?;
    Ok(labels.index_of(label.id).and_then(|at| measures.into_iter().nth(at)))
}

/// The most frequent texts as classes, each with the colour of its first label.
fn suggested(labels: &LabelSet) -> Vec<LabelClass> {
    let texts = labels.most_used_texts(LabelTool::N_CLASSES);
    let class = |(at, text): (usize, &Arc<str>)| {
        let known = labels.iter().find(|label| label.text == *text).and_then(|label| label.colour);
        LabelClass { name: text.to_string(), colour: known.unwrap_or(at as u8 % N_COLOURS) }
    };
    texts.iter().enumerate().map(class).collect()
}

impl Concern for LabelSummaries {
    fn advance(&mut self, context: &mut Context) {
        let document = context.documents.active();
        self.list.follow(document, &context.jobs);
        self.follow_texts(document, &context.jobs);
        self.follow_classes(document, context.tools.active() == Tool::Label, &context.jobs);
        self.follow_measures(document, &context.jobs);
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.list.is_busy() || self.classes.is_busy() || self.measures.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}
