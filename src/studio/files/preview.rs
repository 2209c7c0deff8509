//! A long file is looked at while it is still being read.

use super::super::app::Studio;
use super::super::state::OpenDocument;
use crate::document::Snapshot;
use crate::media::Source;

/// A document that is shown and cannot be changed yet.
pub struct Previewed {
    pub(super) document: u64,
    /// What was open, in case the file cannot be read after all.
    before: Option<Box<OpenDocument>>,
}

impl Studio {
    /// Stops opening or exporting; false if there is neither.
    pub(in crate::studio) fn cancel_files(&mut self) -> bool {
        self.stop_opening() || self.files.cancel_export()
    }

    /// Stops opening, and puts what was open before back in the place of what was being read.
    pub(super) fn stop_opening(&mut self) -> bool {
        let Some(opening) = self.files.opening.take() else { return false };
        self.put_back(opening.previewed);
        true
    }

    pub(super) fn put_back(&mut self, previewed: Option<Previewed>) {
        let Some(previewed) = previewed else { return };
        if self.document.as_ref().is_none_or(|document| document.id != previewed.document) {
            return;
        }
        match previewed.before {
            Some(before) => self.show(*before),
            None => {
                self.edits.clear();
                self.document = None;
            }
        }
    }

    /// Shows a sound that is still being read, unless the one that is open would have to be asked about.
    pub(super) fn show_preview(&mut self, source: Source) {
        let state = self.document.as_ref().map(|document| (document.id, document.history.position()));
        let has_unsaved = self.document.as_ref().is_some_and(OpenDocument::has_unsaved_edits) || self.edits.is_busy();
        let Some(opening) = self.files.opening.as_mut().filter(|opening| opening.may_replace == state) else { return };
        if has_unsaved {
            return;
        }
        let mut document = OpenDocument::new(Some(opening.path.clone()), Snapshot::new(source));
        self.remembered.view.apply(&mut document);
        let before = self.document.take().map(Box::new);
        opening.previewed = Some(Previewed { document: document.id, before });
        self.show(document);
    }
}
