//! Settings of the label tool: the classes of labels, and the current class.

use crate::document::labels::{MAX_LABEL_BYTES, N_COLOURS};
use serde::{Deserialize, Serialize};

/// A class of labels, which share its text and colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelClass {
    /// The text of its labels.
    pub name: String,
    /// Index of one of the theme's label colours.
    pub colour: u8,
}

/// Settings of the label tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LabelTool {
    /// The user's own classes, at most [`LabelTool::N_CLASSES`]. If empty, the most frequent texts of a document serve
    /// as classes.
    pub classes: Vec<LabelClass>,
    /// Index of the current class, from 0.
    pub class: usize,
    /// Whether stepping from label to label plays them.
    pub plays: bool,
}

impl Default for LabelTool {
    fn default() -> LabelTool {
        LabelTool { classes: Vec::new(), class: 0, plays: true }
    }
}

impl LabelTool {
    /// Maximum number of classes: one per digit key.
    pub const N_CLASSES: usize = 9;

    /// The user's own classes; if there are none, those of a document.
    pub fn classes_or<'a>(&'a self, of_document: &'a [LabelClass]) -> &'a [LabelClass] {
        if self.classes.is_empty() { of_document } else { &self.classes }
    }

    /// The settings with excess classes and overlong names dropped, and indices clamped.
    #[must_use]
    pub(super) fn within_limits(mut self) -> LabelTool {
        self.classes.truncate(LabelTool::N_CLASSES);
        self.classes.retain(|class| class.name.len() <= MAX_LABEL_BYTES);
        for class in &mut self.classes {
            class.colour = class.colour.min(N_COLOURS - 1);
        }
        self.class = self.class.min(LabelTool::N_CLASSES - 1);
        self
    }
}
