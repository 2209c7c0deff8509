//! A change of labels as a step of the history.

use crate::base::Result;
use crate::document::Edit;
use crate::document::brushes::LabelsEdit;
use crate::documents::OpenDocument;

/// One step of the history. No sample changes, so that nothing has to be computed. Labels of id 0 get ids that no label of
/// this document ever had.
///
/// # Errors
/// What is wrong with a label.
pub(super) fn change(document: &mut OpenDocument, mut brush: LabelsEdit) -> Result<()> {
    let mut next_id = document.history().next_label_id();
    for label in brush.set.iter_mut().filter(|label| label.id == 0) {
        label.id = next_id;
        next_id += 1;
    }
    brush.applied(document.history().labels())?;
    let edit = Edit::of(brush, document.view().transform.clone());
    let sound = document.history().current().clone();
    document.commit(edit, sound);
    Ok(())
}
