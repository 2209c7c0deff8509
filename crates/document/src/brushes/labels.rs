//! Labels: an edit that changes no sample.

use super::module::BrushModule;
use super::operation::{LabelBrush, Operation};
use crate::base::{JsonAt, JsonFields, Result};
use crate::document::edits::placing::EditPlacing;
use crate::document::labels::{Label, LabelIds, LabelSet, label_to_value, labels_at};
use serde_json::{Map, Value, json};

/// Inserts labels, replacing those with the same ids, and removes others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelsEdit {
    /// Labels with their ids.
    pub set: Vec<Label>,
    /// Ids of the removed labels.
    pub remove: Vec<u64>,
}

impl LabelsEdit {
    /// An edit that inserts `set`. Labels with id 0 get new ids, which start at `next_id` or above the highest id in
    /// `set`, whichever is larger.
    pub fn numbered(mut set: Vec<Label>, next_id: u64) -> LabelsEdit {
        let highest = set.iter().map(|label| label.id).max().unwrap_or(0);
        let ids = next_id.max(highest.saturating_add(1))..;
        set.iter_mut().filter(|label| label.id == 0).zip(ids).for_each(|(label, id)| label.id = id);
        LabelsEdit { set, remove: Vec::new() }
    }

    /// The labels of a document after this edit.
    ///
    /// # Errors
    /// As [`LabelSet::edited`].
    pub fn applied(&self, labels: &LabelSet) -> Result<LabelSet> {
        self.labels_after(labels)
    }
}

impl LabelBrush for LabelsEdit {
    fn labels_after(&self, labels: &LabelSet) -> Result<LabelSet> {
        labels.edited(self.set.clone(), &self.remove)
    }
}

impl BrushModule for LabelsEdit {
    const KIND: &'static str = "labels";
    const NAME: &'static str = "Labels";

    fn omitted() -> Option<LabelsEdit> {
        None
    }

    fn read(fields: &JsonFields) -> Result<LabelsEdit> {
        let set = fields.optional("set", |at| labels_at(at, LabelIds::Needed))?.unwrap_or_default().labels;
        let ids = |at: &JsonAt| at.items()?.iter().map(|item| item.whole()).collect::<Result<_>>();
        Ok(LabelsEdit { set, remove: fields.or("remove", Vec::new(), ids)? })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        if !self.set.is_empty() {
            object.insert("set".into(), self.set.iter().map(label_to_value).collect());
        }
        if !self.remove.is_empty() {
            object.insert("remove".into(), json!(self.remove));
        }
    }

    fn table_cell() -> String {
        "`set`, labels with their ids, `remove`, ids; no sample changes; see [labels.md](labels.md)".into()
    }

    fn place(&mut self, placing: &EditPlacing) {
        for label in &mut self.set {
            label.secs = label.secs.map(|secs| placing.secs(secs));
            [label.low_hz, label.high_hz] = [label.low_hz, label.high_hz].map(|hz| hz.map(|hz| placing.hz(hz)));
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Labels(self)
    }
}
