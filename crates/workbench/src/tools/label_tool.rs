//! The label tool's settings: the classes of labels, and which is in hand.

use crate::document::labels::{MOST_LABEL_BYTES, N_COLOURS};
use serde::{Deserialize, Serialize};

/// A kind of label: what such labels say, and how they look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelClass {
    /// The text of its labels.
    pub name: String,
    /// One of the theme's colours for labels.
    pub colour: u8,
}

/// The settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LabelTool {
    /// The user's own classes, at most [`LabelTool::N_CLASSES`]; while there is none, the most used texts of a document
    /// are its classes.
    pub classes: Vec<LabelClass>,
    /// The class in hand, from 0.
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
    /// A digit each.
    pub const N_CLASSES: usize = 9;

    /// The user's own classes, else those of a document.
    pub fn classes_or<'a>(&'a self, of_document: &'a [LabelClass]) -> &'a [LabelClass] {
        if self.classes.is_empty() { of_document } else { &self.classes }
    }

    /// The same, with what cannot be held left out.
    #[must_use]
    pub(super) fn within_limits(mut self) -> LabelTool {
        self.classes.truncate(LabelTool::N_CLASSES);
        self.classes.retain(|class| class.name.len() <= MOST_LABEL_BYTES);
        for class in &mut self.classes {
            class.colour = class.colour.min(N_COLOURS - 1);
        }
        self.class = self.class.min(LabelTool::N_CLASSES - 1);
        self
    }
}
