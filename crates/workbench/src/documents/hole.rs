//! The part of a document to fill from another sound.

use super::document::OpenDocument;
use crate::dsp::{Axis, Selection, Stroke};
use crate::view::Hole;

impl OpenDocument {
    /// The last stroke in the history, even if undone.
    pub fn last_stroke(&self) -> Option<&Stroke> {
        let edits = self.history().entries().iter().rev().filter_map(|entry| entry.edit.as_ref());
        edits.filter_map(|edit| edit.stroke.as_ref()).next()
    }

    /// The hole to fill from another sound: the selection, or else the reach of the last stroke.
    pub fn hole(&self) -> Option<Hole> {
        if let Some(selection) = self.selection() {
            return Some(Hole { area: selection.clone(), is_stroke: false });
        }
        let [secs, hz] = self.last_stroke()?.reach();
        let area = Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Linear);
        Some(Hole { area, is_stroke: true })
    }
}
