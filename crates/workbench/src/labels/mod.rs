//! Labels of the document in front: drawing, naming, listing, stepping, measuring, importing and exporting.

mod acting;
mod change;
mod files;
mod list;
mod summaries;

pub(super) use acting::{act_on_labels, perform_label, set};
pub(super) use change::change;
pub use files::LabelFiles;
pub use list::{LabelList, LabelOrder, LabelSort, ShownLabels};
pub use summaries::LabelSummaries;

/// The two concerns that work on labels.
#[derive(Default)]
pub struct LabelPanel {
    /// State that follows the document in front.
    pub following: LabelSummaries,
    /// Imports and exports.
    pub files: LabelFiles,
}
