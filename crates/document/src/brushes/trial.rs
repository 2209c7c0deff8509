//! Brushes with settings that measurements and warm-up paint with.

/// How a trial is drawn on a box of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialShape {
    /// The box is selected.
    Selected,
    /// By a stroke through the middle of the box, with a radius that covers it.
    Pushed,
    /// By a stroke along the box.
    Line,
}

/// A brush with settings for measurements and warm-up.
#[derive(Debug, Clone, PartialEq)]
pub struct BrushTrial<B> {
    /// The brush's kind, and what sets this trial apart from others of that kind.
    pub name: &'static str,
    /// The brush.
    pub brush: B,
    /// How it is drawn.
    pub shape: TrialShape,
}

impl<B> BrushTrial<B> {
    /// A brush that acts on a selection.
    pub fn new(name: &'static str, brush: B) -> BrushTrial<B> {
        BrushTrial { name, brush, shape: TrialShape::Selected }
    }

    /// The same, drawn otherwise.
    #[must_use]
    pub fn drawn(self, shape: TrialShape) -> BrushTrial<B> {
        BrushTrial { shape, ..self }
    }

    /// The same trial with another form of its brush.
    pub fn map<C>(self, form: impl FnOnce(B) -> C) -> BrushTrial<C> {
        BrushTrial { name: self.name, brush: form(self.brush), shape: self.shape }
    }
}
