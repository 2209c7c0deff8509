//! What the parts of the panel read.

use crate::view::Colormap;
use crate::workbench::Browser;
use crate::workbench::commands::Facts;

/// What the panel reads.
#[derive(Clone, Copy)]
pub struct LibraryContext<'a> {
    /// What is enabled.
    pub facts: &'a Facts,
    /// The library.
    pub browser: &'a Browser,
    /// The colours of the canvas.
    pub colormap: Colormap,
}
