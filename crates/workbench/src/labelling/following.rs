//! What follows the document in front: the list of its labels, the classes that its labels suggest, and what was measured at
//! the label in hand.

use super::list::LabelList;
use crate::context::{Concern, Context};
use crate::document::Snapshot;
use crate::document::labels::{Label, LabelMeasures, LabelMeasuring, LabelSet, N_COLOURS, measure_labels};
use crate::documents::OpenDocument;
use crate::services::{Job, Jobs};
use crate::tools::{LabelClass, LabelTool, Tool};

/// Labels this near count as neighbours of the one that is measured: noise is not taken where they are.
const NEIGHBOUR_SECS: f64 = 2.0;

/// Those.
#[derive(Default)]
pub struct LabelFollowing {
    /// The list.
    pub list: LabelList,
    classes: Option<(u64, Vec<LabelClass>)>,
    finding_classes: Option<(u64, Job<Vec<LabelClass>>)>,
    measured: Option<(Measured, Option<LabelMeasures>)>,
    measuring: Option<(Measured, Job<Option<LabelMeasures>>)>,
}

/// What measurements are of.
#[derive(Clone)]
struct Measured {
    snapshot: Snapshot,
    label: Label,
    /// The label and those around it.
    labels: LabelSet,
}

impl LabelFollowing {
    /// The classes that the labels of the document in front suggested when the label tool was taken in hand: the texts that
    /// were used most.
    pub fn suggested_classes(&self) -> &[LabelClass] {
        self.classes.as_ref().map_or(&[], |(_, classes)| classes)
    }

    /// What was measured at the label in hand, once that is known; none outside the sound.
    pub fn measures(&self) -> Option<&LabelMeasures> {
        self.measured.as_ref().and_then(|(_, measures)| measures.as_ref())
    }

    fn follow_classes(&mut self, document: Option<&OpenDocument>, is_labelling: bool, jobs: &Jobs) {
        let Some(document) = document.filter(|_| is_labelling) else {
            (self.classes, self.finding_classes) = (None, None);
            return;
        };
        let id = document.id();
        if let Some((of, job)) = &mut self.finding_classes {
            if *of != id {
                self.finding_classes = None;
            } else if let Some(answer) = job.poll() {
                self.classes = Some((id, answer.unwrap_or_default()));
                self.finding_classes = None;
            }
        }
        // Numbers stay with their classes while labels are drawn.
        if self.classes.as_ref().is_none_or(|(of, _)| *of != id) && self.finding_classes.is_none() {
            let labels = document.history().labels().clone();
            self.finding_classes = Some((id, jobs.spawn("labels", move |_| Ok(suggested(&labels)))));
        }
    }

    fn follow_measures(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) {
        let whole = document.filter(|document| !document.is_reading());
        let Some((document, label)) = whole.and_then(|document| Some((document, document.label_in_hand()?))) else {
            (self.measured, self.measuring) = (None, None);
            return;
        };
        let is_asked = |of: &Measured| of.snapshot.is_same(document.shown()) && of.label == *label;
        if let Some((of, job)) = &mut self.measuring {
            if !is_asked(of) {
                self.measuring = None;
            } else if let Some(answer) = job.poll() {
                self.measured = Some((of.clone(), answer.ok().flatten()));
                self.measuring = None;
            }
        }
        if self.measured.as_ref().is_some_and(|(of, _)| !is_asked(of)) {
            self.measured = None;
        }
        if self.measured.is_some() || self.measuring.is_some() {
            return;
        }
        let apart = NEIGHBOUR_SECS + label.length_secs();
        let around = [label.secs[0] - apart, label.secs[1] + apart];
        let labels = LabelSet::of(document.history().labels().in_range(around).cloned().collect());
        let Ok(labels) = labels else { return };
        let asked = Measured { snapshot: document.shown().clone(), label: label.clone(), labels };
        let theirs = asked.clone();
        let job = jobs.spawn("label", move |progress| {
            let measured = measure_labels(&theirs.snapshot, &theirs.labels, LabelMeasuring::default(), progress)?;
            let at = theirs.labels.index_of(theirs.label.id);
            Ok(at.and_then(|at| measured.into_iter().nth(at)))
        });
        self.measuring = Some((asked, job));
    }
}

/// The texts that are used most, each with the colour that its first label has.
fn suggested(labels: &LabelSet) -> Vec<LabelClass> {
    let texts = labels.most_used_texts(LabelTool::N_CLASSES);
    let class = |(at, text): (usize, &std::sync::Arc<str>)| {
        let known = labels.iter().find(|label| label.text == *text).and_then(|label| label.colour);
        LabelClass { name: text.to_string(), colour: known.unwrap_or(at as u8 % N_COLOURS) }
    };
    texts.iter().enumerate().map(class).collect()
}

impl Concern for LabelFollowing {
    fn advance(&mut self, context: &mut Context) {
        let document = context.documents.active();
        self.list.follow(document, &context.jobs);
        self.follow_classes(document, context.tools.active() == Tool::Label, &context.jobs);
        self.follow_measures(document, &context.jobs);
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.list.is_busy() || self.finding_classes.is_some() || self.measuring.is_some()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}
