//! A change of labels as a step of the history.

use crate::base::Result;
use crate::document::Edit;
use crate::document::brushes::LabelsEdit;
use crate::documents::OpenDocument;

/// One step of the history. No sample changes, so that nothing has to be computed. Labels of id 0 get ids that no label
/// of this document ever had.
///
/// # Errors
/// What is wrong with a label.
pub(super) fn change(document: &mut OpenDocument, brush: LabelsEdit) -> Result<()> {
    let LabelsEdit { set, remove } = brush;
    let brush = LabelsEdit { remove, ..LabelsEdit::numbered(set, document.history().next_label_id()) };
    brush.applied(document.history().labels())?;
    let edit = Edit::of(brush, document.view().transform.clone());
    let sound = document.history().current().clone();
    document.commit(edit, sound);
    Ok(())
}
