//! What is in the making on the canvas: what a button that is down does, and a line around something.

use super::edges::Grip;
use super::hand_stroke::HandStroke;
use super::label_drag::{LabelDrag, LabelDrawn};
use super::outline_drag::OutlineDrag;
use super::ruler_drag::RulerDrag;
use crate::document::brushes::PictureBrush;
use crate::dsp::{Axis, Combine, Grid, Selection, Shape, Stroke};
use crate::view::Viewport;
use crate::workbench::Tool;
use egui::{Modifiers, PointerButton, Pos2, pos2};

/// What a button that is down does.
#[derive(Debug, Clone)]
pub enum Drag {
    /// The stroke that is drawn follows, in the pane where it began.
    Stroke(Box<HandStroke>),
    /// A selection from `start` to `now`.
    Select {
        /// Time, band, box, or a tone's harmonics.
        tool: Tool,
        /// The pane where it began.
        viewport: Viewport,
        /// Press.
        start: Pos2,
        /// The pointer.
        now: Pos2,
        /// How it joins the selection there is.
        joining: Joining,
    },
    /// The selection is painted.
    Mark {
        /// So far.
        stroke: Stroke,
        /// The pane where it began.
        viewport: Viewport,
        /// How it joins the selection there is.
        joining: Joining,
    },
    /// A line is drawn around something.
    Lasso {
        /// The pane where it began.
        viewport: Viewport,
        /// Press.
        start: Pos2,
        /// Where the line ends.
        last: Pos2,
        /// Whether it is more than a click.
        has_moved: bool,
    },
    /// The view follows the pointer.
    Pan {
        /// The pointer.
        last: Pos2,
        /// Whether time moves, and whether frequency does.
        along: [bool; 2],
        /// The button that began it.
        button: PointerButton,
    },
    /// A handle of the colour bar: 0 the dark one.
    Handle(usize),
    /// Both handles at once.
    Range {
        /// The pointer.
        last: Pos2,
    },
    /// The border between the panes.
    Splitter,
    /// The cursor follows on the time ruler, and is heard.
    Scrub,
    /// The outline of the selection, or an edge of it, follows the pointer.
    Outline(OutlineDrag),
    /// A label, or an edge of it, follows the pointer.
    Label(Box<LabelDrag>),
    /// A label is drawn.
    NewLabel(LabelDrawn),
    /// What floats follows the pointer.
    Float {
        /// The pane where it began.
        viewport: Viewport,
        /// Press.
        start: Pos2,
        /// Where it was then: seconds and units.
        from: [f64; 2],
    },
    /// An edge or a corner of the picture that floats follows the pointer.
    Grip {
        /// The pane where it began.
        viewport: Viewport,
        /// Press.
        start: Pos2,
        /// What is held.
        grip: Grip,
        /// The picture then.
        from: Box<PictureBrush>,
    },
    /// A key of the piano is held, as a MIDI number, beside the pane of this viewport.
    Key(i32, Viewport),
    /// A ruler is dragged.
    Ruler(RulerDrag),
    /// A menu opens where the right button went down, unless it is dragged.
    Menu {
        /// Press.
        start: Pos2,
        /// Which.
        kind: MenuKind,
    },
}

/// What opens at the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuKind {
    /// What can be done there.
    Commands,
    /// Brushes and colour maps.
    Brushes,
}

impl Drag {
    /// The button whose release ends it.
    pub fn button(&self) -> PointerButton {
        match self {
            Drag::Pan { button, .. } => *button,
            Drag::Ruler(drag) => drag.button,
            Drag::Menu { .. } => PointerButton::Secondary,
            _ => PointerButton::Primary,
        }
    }
}

/// How a drag joins the selection that there was when it began.
#[derive(Debug, Clone)]
pub struct Joining {
    /// None replaces it.
    pub combine: Option<Combine>,
    /// What there was.
    pub before: Option<Selection>,
}

impl Joining {
    /// Shift adds, Ctrl subtracts, both intersect.
    pub fn new(modifiers: Modifiers, before: Option<&Selection>) -> Joining {
        Joining { combine: combine_of(modifiers), before: before.cloned() }
    }

    /// The selection with a shape.
    pub fn with(&self, shape: Shape) -> Option<Selection> {
        match self.combine {
            None => Some(Selection::of(shape)),
            Some(combine) => Selection::joined(self.before.as_ref(), combine, shape),
        }
    }
}

/// What the keys held say.
pub fn combine_of(modifiers: Modifiers) -> Option<Combine> {
    match (modifiers.shift, modifiers.command || modifiers.ctrl) {
        (true, true) => Some(Combine::Intersect),
        (true, false) => Some(Combine::Add),
        (false, true) => Some(Combine::Subtract),
        (false, false) => None,
    }
}

/// A line being drawn around something, free-hand or click by click.
#[derive(Debug, Clone)]
pub struct Lasso {
    /// Seconds and hertz.
    pub corners: Vec<[f64; 2]>,
    /// Of the view where it began.
    pub axis: Axis,
    /// How it joins the selection there is.
    pub joining: Joining,
    /// Whether the button was released and the line goes on: a polygon.
    pub is_polygon: bool,
}

impl Lasso {
    /// Its corners on the screen.
    pub fn on_screen(&self, viewport: &Viewport) -> Vec<Pos2> {
        let place = |&[secs, hz]: &[f64; 2]| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
        self.corners.iter().map(place).collect()
    }

    /// What it encloses; none with fewer than three corners.
    pub fn selection(&self, grid: &Grid) -> Option<Selection> {
        if self.corners.len() < 3 {
            return None;
        }
        let middle = self.corners.iter().map(|corner| corner[1]).sum::<f64>() / self.corners.len() as f64;
        let two_bins =
            self.axis.units_from_hz(middle + 2.0 * grid.step_hz_at(middle)) - self.axis.units_from_hz(middle);
        let feather = [grid.hop_secs(), two_bins];
        self.joining.with(Shape::Polygon { points: self.corners.clone(), feather, axis: self.axis })
    }
}

/// A press in a pane.
#[derive(Debug, Clone, Copy)]
pub struct Press {
    /// Where.
    pub at: Pos2,
    /// With which keys.
    pub modifiers: Modifiers,
    /// The second of two clicks.
    pub double: bool,
    /// Of the pane.
    pub viewport: Viewport,
}
