//! Selections drawn by hand: from presses and drags to shapes.

use super::gestures::{CLICK_POINTS, Drag};
use super::report::Gestures;
use super::{Canvas, brush};
use crate::dsp::{Axis, Combine, Grid, Selection, Shape, Stroke};
use crate::view::Viewport;
use crate::workbench::{OpenDocument, SelectWish, Tool, Tools, Wanted};
use egui::{Modifiers, Pos2, pos2};

/// A click this close to a polygon's first corner closes it.
const CLOSE_POINTS: f32 = 9.0;
/// A tone that is clicked may be this many points away.
const TONE_POINTS: f64 = 6.0;
/// Points of a free-hand line are at least so far apart.
const LASSO_STEP_POINTS: f32 = 2.0;

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
    joining: Joining,
    /// Whether the button was released and the line goes on: a polygon.
    is_polygon: bool,
}

impl Lasso {
    /// Its corners on the screen.
    pub fn on_screen(&self, viewport: &Viewport) -> Vec<Pos2> {
        let place = |&[secs, hz]: &[f64; 2]| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
        self.corners.iter().map(place).collect()
    }

    /// Whether corners are shown.
    pub fn is_polygon(&self) -> bool {
        self.is_polygon
    }

    fn selection(&self, grid: &Grid) -> Option<Selection> {
        if self.corners.len() < 3 {
            return None;
        }
        let middle = self.corners.iter().map(|corner| corner[1]).sum::<f64>() / self.corners.len() as f64;
        let two_bins = self.axis.units_from_hz(middle + grid.hz_from_bin(2.0)) - self.axis.units_from_hz(middle);
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

impl Canvas {
    /// A press with one of the tools that select.
    pub(super) fn press_to_select(
        &mut self,
        press: Press,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        gestures: &mut Gestures,
    ) {
        let Press { at, viewport, .. } = press;
        let joining = Joining::new(press.modifiers, document.selection.as_ref());
        match tools.active {
            Tool::Lasso => self.press_lasso(press, joining, grid, gestures),
            Tool::SelectBrush => {
                let point = brush::point_at(&viewport, grid, [f64::from(at.x), f64::from(at.y)]);
                let stroke = Stroke {
                    points: vec![point],
                    axis: viewport.axis,
                    radius: brush::radius_at(tools, &viewport, grid, point.hz),
                    hardness: tools.hardness,
                    strength: 1.0,
                    build_up: false,
                };
                self.drag = Some(Drag::Mark { stroke, viewport, joining });
            }
            Tool::Wand => {
                let at = [viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y))];
                let what = Wanted::Wand { at, tolerance_db: tools.wand_tolerance_db };
                gestures.wish = Some(SelectWish { combine: joining.combine, what });
            }
            tool => {
                self.drag = Some(Drag::Select { tool, viewport, start: at, now: at, joining });
            }
        }
    }

    fn press_lasso(&mut self, press: Press, joining: Joining, grid: &Grid, gestures: &mut Gestures) {
        let Press { at, viewport, .. } = press;
        let point = brush::point_at(&viewport, grid, [f64::from(at.x), f64::from(at.y)]);
        let corner = [point.secs, point.hz];
        match &mut self.lasso {
            None => {
                self.lasso = Some(Lasso { corners: vec![corner], axis: viewport.axis, joining, is_polygon: false });
            }
            Some(lasso) => {
                let first = lasso.on_screen(&viewport).first().copied();
                let closes = first.is_some_and(|first| first.distance(at) <= CLOSE_POINTS) && lasso.corners.len() > 2;
                if closes || press.double {
                    gestures.selection = self.lasso.take().and_then(|lasso| lasso.selection(grid)).map(Some);
                    return;
                }
                lasso.corners.push(corner);
            }
        }
        self.drag = Some(Drag::Lasso { viewport, start: at, last: at, has_moved: false });
    }

    /// A move of the pointer while a line is drawn.
    pub(super) fn follow_lasso(&mut self, at: Pos2, grid: &Grid) {
        let Some(Drag::Lasso { viewport, start, last, has_moved }) = &mut self.drag else { return };
        *has_moved |= start.distance(at) >= CLICK_POINTS;
        if !*has_moved || last.distance(at) < LASSO_STEP_POINTS {
            return;
        }
        *last = at;
        let point = brush::point_at(viewport, grid, [f64::from(at.x), f64::from(at.y)]);
        if let Some(lasso) = &mut self.lasso {
            lasso.corners.push([point.secs, point.hz]);
        }
    }

    /// The button is released: a free-hand line closes, a polygon goes on.
    pub(super) fn release_lasso(&mut self, has_moved: bool, grid: &Grid, gestures: &mut Gestures) {
        let Some(lasso) = &mut self.lasso else { return };
        if has_moved && !lasso.is_polygon {
            gestures.selection = self.lasso.take().and_then(|lasso| lasso.selection(grid)).map(Some);
        } else {
            lasso.is_polygon = true;
        }
    }

    /// Closes the polygon that is being drawn; false if there is none.
    pub fn close_polygon(&mut self, grid: &Grid) -> Option<Selection> {
        self.lasso.take()?.selection(grid)
    }

    /// Whether a polygon waits for its next corner.
    pub fn is_drawing_polygon(&self) -> bool {
        self.lasso.is_some()
    }

    /// A drag or a click along a tone: its harmonics.
    pub(super) fn wish_for_harmonics(
        viewport: &Viewport,
        places: [Pos2; 2],
        joining: &Joining,
        tools: &Tools,
        gestures: &mut Gestures,
    ) {
        let [start, end] = places.map(|at| viewport.secs_from_x(f64::from(at.x)));
        let y = f64::from(places[0].y);
        let is_click = places[0].distance(places[1]) < CLICK_POINTS;
        let what = Wanted::Harmonics {
            at: [start, viewport.hz_from_y(y)],
            near_hz: [viewport.hz_from_y(y + TONE_POINTS), viewport.hz_from_y(y - TONE_POINTS)],
            secs: (!is_click).then_some([start.min(end), start.max(end)]),
            count: tools.harmonic_count,
            width_hz: tools.harmonic_width_hz,
        };
        gestures.wish = Some(SelectWish { combine: joining.combine, what });
    }
}
