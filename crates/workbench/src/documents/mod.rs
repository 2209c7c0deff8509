//! The open documents, and which of them is in front. A document has all state that belongs to its sound alone:
//! history, pending edits, selection, view, session. Independent of tools, player and file handling.

mod acting;
mod document;
mod donor;
mod floating;
mod following;
mod found_damage;
mod hole;
mod view;

pub use crate::view::ChannelView;
pub(super) use acting::{
    change_picture, change_view, float, go_to, move_key_cursor, perform_tab, perform_view, show_secs,
};
pub use document::OpenDocument;
pub use donor::Donor;
pub use floating::{Floating, FloatingSound, PendingClearing, SelectionStep};
pub use found_damage::{DamageState, FoundDamage};
pub(super) use found_damage::{brush_of, noise_of, places_of};
pub use view::{Panes, View, channel_label, channel_views, limits_of};

/// The open documents in the order of their tabs. One is in front unless the list is empty.
#[derive(Default)]
pub struct Documents {
    open: Vec<OpenDocument>,
    active: usize,
}

impl Documents {
    /// The document in front.
    pub fn active(&self) -> Option<&OpenDocument> {
        self.open.get(self.active)
    }

    /// The document in front.
    pub fn active_mut(&mut self) -> Option<&mut OpenDocument> {
        self.open.get_mut(self.active)
    }

    /// Id of the document in front.
    pub fn active_id(&self) -> Option<u64> {
        self.active().map(|document| document.id())
    }

    /// A document by id; `None` once it is closed.
    pub fn get(&self, id: u64) -> Option<&OpenDocument> {
        self.open.iter().find(|document| document.id() == id)
    }

    /// A document by id; `None` once it is closed.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut OpenDocument> {
        self.open.iter_mut().find(|document| document.id() == id)
    }

    /// All documents, in the order of their tabs.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &OpenDocument> + ExactSizeIterator {
        self.open.iter()
    }

    /// All documents, in the order of their tabs.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenDocument> {
        self.open.iter_mut()
    }

    /// Number of open documents.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no document is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Adds a document to the right of the one in front, and brings it to the front.
    pub fn add(&mut self, document: OpenDocument) {
        self.active = if self.open.is_empty() { 0 } else { self.active + 1 };
        self.open.insert(self.active, document);
    }

    /// Replaces a document in its tab and returns the old one. If the old one was closed, adds the new document in
    /// front.
    pub fn replace(&mut self, id: u64, document: OpenDocument) -> Option<OpenDocument> {
        match self.get_mut(id) {
            Some(place) => Some(std::mem::replace(place, document)),
            None => {
                self.add(document);
                None
            }
        }
    }

    /// Brings a document to the front; false if it is closed.
    pub fn activate(&mut self, id: u64) -> bool {
        let found = self.open.iter().position(|document| document.id() == id);
        self.active = found.unwrap_or(self.active);
        found.is_some()
    }

    /// Activates the tab `by` positions to the right, wrapping around.
    pub fn activate_next(&mut self, by: isize) {
        if !self.open.is_empty() {
            self.active = (self.active as isize + by).rem_euclid(self.open.len() as isize) as usize;
        }
    }

    /// Moves a tab to an index, counted from 0 at the left.
    pub fn move_to(&mut self, id: u64, place: usize) {
        let Some(from) = self.open.iter().position(|document| document.id() == id) else { return };
        let front = self.active_id();
        let document = self.open.remove(from);
        self.open.insert(place.min(self.open.len()), document);
        if let Some(front) = front {
            self.activate(front);
        }
    }

    /// Removes a document. If it was in front, its right neighbour comes to the front, or the left one at the end.
    pub fn close(&mut self, id: u64) -> Option<OpenDocument> {
        let at = self.open.iter().position(|document| document.id() == id)?;
        let document = self.open.remove(at);
        if at < self.active {
            self.active -= 1;
        }
        self.active = self.active.min(self.open.len().saturating_sub(1));
        Some(document)
    }
}
