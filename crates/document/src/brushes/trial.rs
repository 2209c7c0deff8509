//! Brush settings for measurements and warm-up.

/// How a trial is drawn on a box of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialShape {
    /// Over the box as a selection.
    Selected,
    /// A stroke through the middle of the box, with a radius that covers it.
    Pushed,
    /// A stroke along the box.
    Line,
}

/// A brush with settings for measurements and warm-up.
#[derive(Debug, Clone, PartialEq)]
pub struct BrushTrial<B> {
    /// The brush's kind, with a suffix if there are several trials of that kind.
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

    /// Sets how it is drawn.
    #[must_use]
    pub fn drawn(self, shape: TrialShape) -> BrushTrial<B> {
        BrushTrial { shape, ..self }
    }

    /// The same trial, with its brush converted.
    pub fn map<C>(self, form: impl FnOnce(B) -> C) -> BrushTrial<C> {
        BrushTrial { name: self.name, brush: form(self.brush), shape: self.shape }
    }
}
