//! State read by panels in addition to the document.

use crate::workbench::commands::Facts;
use crate::workbench::{LabelSummaries, Spectrum, Tools};

/// State read by panels in addition to the document.
#[derive(Clone, Copy)]
pub struct PanelContext<'a> {
    /// State that decides which commands are enabled.
    pub facts: &'a Facts,
    /// Spectra at the pointer and over the selection.
    pub spectrum: &'a Spectrum,
    /// The list of labels, and their measurements.
    pub labels: &'a LabelSummaries,
    /// The tools.
    pub tools: &'a Tools,
}
