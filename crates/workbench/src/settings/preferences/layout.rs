//! Layout of the window: panels, their folding and width, and the curves of the spectrum panel.

use crate::bench::limits::{PANEL_POINTS, held_single};
use serde::{Deserialize, Serialize};

/// A panel on the right side of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Panel {
    /// Settings of the document's view.
    View,
    /// Edges and measurements of the selection.
    Selection,
    /// The spectrum at a time and over the selection.
    Spectrum,
    /// The list of labels.
    Labels,
    /// The history of edits.
    History,
}

impl Panel {
    /// All panels, from top to bottom.
    pub const ALL: [Panel; 5] = [Panel::View, Panel::Labels, Panel::Selection, Panel::Spectrum, Panel::History];

    /// Heading of the panel.
    pub fn name(self) -> &'static str {
        match self {
            Panel::View => "View",
            Panel::Selection => "Selection",
            Panel::Spectrum => "Spectrum",
            Panel::Labels => "Labels",
            Panel::History => "History",
        }
    }
}

/// A side of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PanelSide {
    /// The library.
    Left,
    /// The panels of the document.
    Right,
}

impl PanelSide {
    /// Default width, in points.
    pub fn usual_width(self) -> f32 {
        match self {
            PanelSide::Left => 300.0,
            PanelSide::Right => 320.0,
        }
    }
}

/// Whether a panel is shown, and expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fold {
    /// Whether the panel is shown at all.
    pub is_shown: bool,
    /// Whether the panel is expanded, rather than collapsed to its heading.
    pub is_open: bool,
}

impl Default for Fold {
    fn default() -> Fold {
        Fold { is_shown: true, is_open: true }
    }
}

/// Layout of the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// Whether the panels on the right are shown.
    has_panels: bool,
    /// Whether the library is shown on the left.
    has_library: bool,
    /// Width of the panels on the right, in points.
    right_width: f32,
    /// Width of the library, in points.
    left_width: f32,
    view: Fold,
    selection: Fold,
    spectrum: Fold,
    /// Hidden by default; shown when labels are added.
    labels: Fold,
    history: Fold,
    /// The panel shown over the canvas in a narrow window.
    #[serde(skip)]
    over: Option<Panel>,
    #[serde(flatten)]
    curves: Curves,
}

/// Curves that the spectrum panel draws in addition to the spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Curves {
    /// Whether the spectrum of the file as opened is drawn.
    pub has_before: bool,
    /// Whether the mean over the selection is drawn.
    pub has_mean: bool,
    /// Whether the maximum over the selection is drawn.
    pub has_most: bool,
}

impl Default for Curves {
    fn default() -> Curves {
        Curves { has_before: true, has_mean: true, has_most: true }
    }
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            has_panels: true,
            has_library: false,
            right_width: PanelSide::Right.usual_width(),
            left_width: PanelSide::Left.usual_width(),
            view: Fold::default(),
            selection: Fold::default(),
            spectrum: Fold::default(),
            labels: Fold { is_shown: false, is_open: true },
            history: Fold::default(),
            over: None,
            curves: Curves::default(),
        }
    }
}

impl Layout {
    /// Whether the panels on the right are shown.
    pub fn has_panels(&self) -> bool {
        self.has_panels
    }

    /// Whether the library is shown on the left.
    pub fn has_library(&self) -> bool {
        self.has_library
    }

    /// Width of a side in points, as set; a small window may show less.
    pub fn width(&self, side: PanelSide) -> f32 {
        match side {
            PanelSide::Left => self.left_width,
            PanelSide::Right => self.right_width,
        }
    }

    /// Sets the width of a side in points, clamped to its range; ignored if not finite.
    pub(super) fn set_width(&mut self, side: PanelSide, width: f32) {
        let width = held_single(width, PANEL_POINTS, self.width(side));
        match side {
            PanelSide::Left => self.left_width = width,
            PanelSide::Right => self.right_width = width,
        }
    }

    /// The layout with widths clamped to their ranges, since a settings file may contain any value.
    pub(super) fn within_limits(mut self) -> Layout {
        for side in [PanelSide::Left, PanelSide::Right] {
            let width = held_single(self.width(side), PANEL_POINTS, side.usual_width());
            match side {
                PanelSide::Left => self.left_width = width,
                PanelSide::Right => self.right_width = width,
            }
        }
        self
    }

    /// The panel shown over the canvas in a narrow window.
    pub fn over(&self) -> Option<Panel> {
        self.over
    }

    /// The curves that the spectrum panel draws.
    pub fn curves(&self) -> Curves {
        self.curves
    }

    /// Whether a panel is shown, and expanded.
    pub fn fold(&self, panel: Panel) -> Fold {
        match panel {
            Panel::View => self.view,
            Panel::Selection => self.selection,
            Panel::Spectrum => self.spectrum,
            Panel::Labels => self.labels,
            Panel::History => self.history,
        }
    }

    fn fold_mut(&mut self, panel: Panel) -> &mut Fold {
        match panel {
            Panel::View => &mut self.view,
            Panel::Selection => &mut self.selection,
            Panel::Spectrum => &mut self.spectrum,
            Panel::Labels => &mut self.labels,
            Panel::History => &mut self.history,
        }
    }

    /// The visible panels, from top to bottom.
    pub fn shown(&self) -> Vec<Panel> {
        Panel::ALL.into_iter().filter(|&panel| self.fold(panel).is_shown).collect()
    }

    /// Shows and expands a panel.
    pub(crate) fn show(&mut self, panel: Panel) {
        *self.fold_mut(panel) = Fold::default();
    }

    /// Shows or hides all panels on the right.
    pub(super) fn toggle_panels(&mut self) {
        self.has_panels = !self.has_panels;
    }

    /// Shows or hides the library.
    pub(super) fn toggle_library(&mut self) {
        self.has_library = !self.has_library;
    }

    /// Shows the library.
    pub(crate) fn show_library(&mut self) {
        self.has_library = true;
    }

    /// Expands or collapses a panel.
    pub(super) fn open(&mut self, panel: Panel, is_open: bool) {
        self.fold_mut(panel).is_open = is_open;
    }

    /// Shows a panel over the canvas of a narrow window; `None` hides it.
    pub(super) fn show_over(&mut self, panel: Option<Panel>) {
        self.over = panel;
    }

    /// Sets the curves of the spectrum panel.
    pub(super) fn set_curves(&mut self, curves: Curves) {
        self.curves = curves;
    }

    /// Shows or hides a panel; a panel that becomes visible is expanded.
    pub(super) fn toggle(&mut self, panel: Panel) {
        let fold = self.fold_mut(panel);
        *fold = Fold { is_shown: !fold.is_shown, is_open: true };
        if fold.is_shown {
            self.has_panels = true;
        } else if self.over == Some(panel) {
            self.over = None;
        }
    }
}
