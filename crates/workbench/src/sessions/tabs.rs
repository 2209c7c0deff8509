//! Notes the order of tabs and the front tab, which each session stores so that they can be restored.

use super::slot::SavedTab;
use crate::documents::Documents;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Identifies this window in the sessions of its tabs.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    window: Option<u64>,
}

impl Tabs {
    /// Continues a window of an earlier process under its number, so that its tabs stay together.
    pub fn go_on_as(&mut self, window: Option<u64>) {
        self.window = window.or(self.window);
    }

    /// Notes the position of each tab and the order of activation.
    pub fn note(&mut self, documents: &mut Documents) {
        let Some(front) = documents.active_id() else { return };
        let window = *self.window.get_or_insert_with(new_window);
        let others = documents.iter().filter(|document| document.id() != front);
        let latest = others.filter_map(|document| document.session().tab).map(|tab| tab.fronted).max().unwrap_or(0);
        for (place, document) in documents.iter_mut().enumerate() {
            let is_front = document.id() == front;
            let slot = document.session_mut();
            let before = slot.tab.map_or(0, |tab| tab.fronted);
            let fronted = if is_front && before <= latest { latest + 1 } else { before };
            slot.tab = Some(SavedTab { window, place, fronted });
        }
    }
}

/// A random window number.
fn new_window() -> u64 {
    // An empty hash with randomly seeded keys.
    RandomState::new().build_hasher().finish()
}
