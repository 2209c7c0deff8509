//! What panels read beside the document.

use crate::workbench::commands::Facts;
use crate::workbench::{LabelFollowing, Spectrum, Tools};

/// What panels read beside the document.
#[derive(Clone, Copy)]
pub struct PanelContext<'a> {
    /// What is enabled.
    pub facts: &'a Facts,
    /// Spectra at the pointer and over the selection.
    pub spectrum: &'a Spectrum,
    /// The list of labels, and what was measured.
    pub labels: &'a LabelFollowing,
    /// The tools.
    pub tools: &'a Tools,
}
