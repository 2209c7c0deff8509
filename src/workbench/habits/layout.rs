//! What of the window is shown, and how: which panels, folded or not, which curves.

use serde::{Deserialize, Serialize};

/// A panel at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Panel {
    /// How the document is looked at.
    View,
    /// What brushes are confined to.
    Selection,
    /// What sounds at one moment, and over the selection.
    Spectrum,
    /// Every step.
    History,
}

impl Panel {
    /// From top to bottom.
    pub const ALL: [Panel; 4] = [Panel::View, Panel::Selection, Panel::Spectrum, Panel::History];

    /// Its heading.
    pub fn name(self) -> &'static str {
        match self {
            Panel::View => "View",
            Panel::Selection => "Selection",
            Panel::Spectrum => "Spectrum",
            Panel::History => "History",
        }
    }
}

/// How one panel is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fold {
    /// Whether it is there at all.
    pub is_shown: bool,
    /// Whether more than its heading is.
    pub is_open: bool,
}

impl Default for Fold {
    fn default() -> Fold {
        Fold { is_shown: true, is_open: true }
    }
}

/// What of the window is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// Whether there are panels at the right.
    pub has_panels: bool,
    /// How the view is shown.
    pub view: Fold,
    /// How the selection is shown.
    pub selection: Fold,
    /// How the spectrum is shown.
    pub spectrum: Fold,
    /// How the history is shown.
    pub history: Fold,
    /// Which panel lies over the canvas in a narrow window.
    #[serde(skip)]
    pub over: Option<Panel>,
    /// Whether the spectrum of the file as it was opened is drawn.
    pub has_before: bool,
    /// Whether the mean over the selection is drawn.
    pub has_mean: bool,
    /// Whether the maximum over the selection is drawn.
    pub has_most: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            has_panels: true,
            view: Fold::default(),
            selection: Fold::default(),
            spectrum: Fold::default(),
            history: Fold::default(),
            over: None,
            has_before: true,
            has_mean: true,
            has_most: true,
        }
    }
}

impl Layout {
    /// How a panel is shown.
    pub fn fold(&self, panel: Panel) -> Fold {
        match panel {
            Panel::View => self.view,
            Panel::Selection => self.selection,
            Panel::Spectrum => self.spectrum,
            Panel::History => self.history,
        }
    }

    /// The same, to change it.
    pub fn fold_mut(&mut self, panel: Panel) -> &mut Fold {
        match panel {
            Panel::View => &mut self.view,
            Panel::Selection => &mut self.selection,
            Panel::Spectrum => &mut self.spectrum,
            Panel::History => &mut self.history,
        }
    }

    /// The panels that are there, from top to bottom.
    pub fn shown(&self) -> Vec<Panel> {
        Panel::ALL.into_iter().filter(|&panel| self.fold(panel).is_shown).collect()
    }

    /// Hides a panel, or brings it back, unfolded.
    pub fn toggle(&mut self, panel: Panel) {
        let fold = self.fold_mut(panel);
        *fold = Fold { is_shown: !fold.is_shown, is_open: true };
        if fold.is_shown {
            self.has_panels = true;
        } else if self.over == Some(panel) {
            self.over = None;
        }
    }
}
