//! State read by the parts of the panel.

use crate::view::Colormap;
use crate::workbench::Browser;
use crate::workbench::commands::Facts;

/// State read by the panel.
#[derive(Clone, Copy)]
pub struct LibraryContext<'a> {
    /// State that decides which commands are enabled.
    pub facts: &'a Facts,
    /// The library.
    pub browser: &'a Browser,
    /// The colours of the canvas.
    pub colormap: Colormap,
}
