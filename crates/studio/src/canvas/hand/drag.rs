//! Gestures in progress on the canvas: drags with a held button, and a lasso.

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

/// The action of a held button.
#[derive(Debug, Clone)]
pub enum Drag {
    /// Draws the stroke, in the pane where it began.
    Stroke(Box<HandStroke>),
    /// A selection from `start` to `now`.
    Select {
        /// Time, band, box, or harmonics tool.
        tool: Tool,
        /// The pane where it began.
        viewport: Viewport,
        /// Position of the press.
        start: Pos2,
        /// Position of the pointer.
        now: Pos2,
        /// How it combines with the selection.
        joining: SelectionJoin,
    },
    /// Paints the selection.
    Mark {
        /// The stroke as drawn.
        stroke: Stroke,
        /// The pane where it began.
        viewport: Viewport,
        /// How it combines with the selection.
        joining: SelectionJoin,
    },
    /// Draws a lasso.
    Lasso {
        /// The pane where it began.
        viewport: Viewport,
        /// Position of the press.
        start: Pos2,
        /// End of the line.
        last: Pos2,
        /// Whether it is more than a click.
        has_moved: bool,
    },
    /// Pans the view.
    Pan {
        /// Last position of the pointer.
        last: Pos2,
        /// Whether time and frequency move.
        along: [bool; 2],
        /// The button that began it.
        button: PointerButton,
    },
    /// Drags a handle of the colour bar: 0 is the dark one.
    Handle(usize),
    /// Drags both handles of the colour bar.
    Range {
        /// Last position of the pointer.
        last: Pos2,
    },
    /// Drags the border between the panes.
    Splitter,
    /// Scrubs on the time ruler.
    Scrub,
    /// Drags the outline of the selection, or an edge of it.
    Outline(OutlineDrag),
    /// Drags a label, or an edge of it.
    Label(Box<LabelDrag>),
    /// Draws a label.
    NewLabel(LabelDrawn),
    /// Drags the floating paste.
    Float {
        /// The pane where it began.
        viewport: Viewport,
        /// Position of the press.
        start: Pos2,
        /// Offset at the press, in seconds and axis units.
        from: [f64; 2],
    },
    /// Drags an edge or a corner of the floating picture.
    Grip {
        /// The pane where it began.
        viewport: Viewport,
        /// Position of the press.
        start: Pos2,
        /// The edge or corner.
        grip: Grip,
        /// The picture at the press.
        from: Box<PictureBrush>,
    },
    /// Holds a piano key, as a MIDI number, beside the pane with this viewport.
    Key(i32, Viewport),
    /// Drags a ruler.
    Ruler(RulerDrag),
    /// Opens a menu at the position where the right button went down, unless it is dragged.
    Menu {
        /// Position of the press.
        start: Pos2,
        /// Kind of menu.
        kind: MenuKind,
    },
}

/// A menu that opens at the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuKind {
    /// Commands for the position.
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

/// How a drag combines with the selection at its beginning.
#[derive(Debug, Clone)]
pub struct SelectionJoin {
    /// How to combine with the selection; `None` replaces it.
    pub combine: Option<Combine>,
    /// The selection when the drag began.
    pub before: Option<Selection>,
}

impl SelectionJoin {
    /// Shift adds, Ctrl subtracts, both intersect.
    pub fn new(modifiers: Modifiers, before: Option<&Selection>) -> SelectionJoin {
        SelectionJoin { combine: combine_of(modifiers), before: before.cloned() }
    }

    /// The selection combined with a shape.
    pub fn with(&self, shape: Shape) -> Option<Selection> {
        match self.combine {
            None => Some(Selection::of(shape)),
            Some(combine) => Selection::joined(self.before.as_ref(), combine, shape),
        }
    }
}

/// The combination chosen by modifier keys.
pub fn combine_of(modifiers: Modifiers) -> Option<Combine> {
    match (modifiers.shift, modifiers.command || modifiers.ctrl) {
        (true, true) => Some(Combine::Intersect),
        (true, false) => Some(Combine::Add),
        (false, true) => Some(Combine::Subtract),
        (false, false) => None,
    }
}

/// A lasso in progress, freehand or click by click.
#[derive(Debug, Clone)]
pub struct Lasso {
    /// Corners in seconds and hertz.
    pub corners: Vec<[f64; 2]>,
    /// Axis of the view where it began.
    pub axis: Axis,
    /// How it combines with the selection.
    pub joining: SelectionJoin,
    /// Whether it is a polygon: the button was released and the line continues.
    pub is_polygon: bool,
}

impl Lasso {
    /// Its corners in points of the window.
    pub fn on_screen(&self, viewport: &Viewport) -> Vec<Pos2> {
        let place = |&[secs, hz]: &[f64; 2]| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
        self.corners.iter().map(place).collect()
    }

    /// The enclosed selection; `None` with fewer than three corners.
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
    /// Position of the press, in points of the window.
    pub at: Pos2,
    /// Modifier keys.
    pub modifiers: Modifiers,
    /// Whether it is the second of a double click.
    pub double: bool,
    /// Viewport of the pane.
    pub viewport: Viewport,
}
