//! Labels of the document in front: drawn, named, listed, stepped through, measured, read from files and written into
//! them.

mod acting;
mod change;
mod files;
mod following;
mod list;

pub(super) use acting::{act_on_labels, perform_label, set};
pub use files::LabelFiles;
pub use following::LabelFollowing;
pub use list::{LabelList, LabelOrder, LabelSort, ShownLabels};

/// What works on labels, two concerns.
#[derive(Default)]
pub struct Labelling {
    /// What follows the document in front.
    pub following: LabelFollowing,
    /// Orders about files.
    pub files: LabelFiles,
}
