//! Commits label changes to the history.

use crate::base::Result;
use crate::document::Edit;
use crate::document::brushes::LabelsEdit;
use crate::documents::OpenDocument;

/// Commits one step to the history at once, without a job, since no sample changes. Labels with id 0 get ids never used
/// in this document.
///
/// # Errors
/// An invalid label.
pub(crate) fn change(document: &mut OpenDocument, brush: LabelsEdit) -> Result<()> {
    let LabelsEdit { set, remove } = brush;
    let brush = LabelsEdit { remove, ..LabelsEdit::numbered(set, document.history().next_label_id()) };
    brush.applied(document.history().labels())?;
    let edit = Edit::of(brush, document.view().transform.clone());
    let sound = document.history().current().clone();
    document.commit(edit, sound);
    Ok(())
}
