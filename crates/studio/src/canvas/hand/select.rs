//! Selections drawn by hand: converts presses and drags to shapes.

use super::brush;
use super::drag::{Drag, Lasso, Press, SelectionJoin};
use super::pointer::CLICK_POINTS;
use crate::canvas::Canvas;
use crate::canvas::report::Gestures;
use crate::dsp::{Grid, Selection, Stroke};
use crate::view::Viewport;
use crate::workbench::{OpenDocument, SelectRequest, ShapeSearch, Tool, Tools};
use egui::Pos2;

/// Maximum distance of a click from a polygon's first corner to close it.
const CLOSE_POINTS: f32 = 9.0;
/// Maximum distance of a click from a tone.
const TONE_POINTS: f64 = 6.0;
/// Minimum distance of points on a freehand line.
const LASSO_STEP_POINTS: f32 = 2.0;

impl Canvas {
    /// A press with a selection tool.
    pub(in crate::canvas) fn press_to_select(
        &mut self,
        press: Press,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        gestures: &mut Gestures,
    ) {
        let Press { at, viewport, .. } = press;
        let joining = SelectionJoin::new(press.modifiers, document.selection());
        match tools.active() {
            Tool::Lasso => self.press_lasso(press, joining, grid, gestures),
            Tool::SelectBrush => {
                let point = brush::point_at(&viewport, grid, [f64::from(at.x), f64::from(at.y)]);
                let stroke = Stroke {
                    points: vec![point],
                    axis: viewport.axis,
                    radius: brush::radius_at(tools, &viewport, grid, point.hz),
                    hardness: tools.settings().hardness,
                    strength: 1.0,
                    build_up: false,
                };
                self.input.drag = Some(Drag::Mark { stroke, viewport, joining });
            }
            Tool::Wand => {
                let at = [viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y))];
                let what = ShapeSearch::Wand { at, tolerance_db: tools.settings().wand_tolerance_db };
                gestures.request = Some(SelectRequest { combine: joining.combine, what });
            }
            tool => {
                self.input.drag = Some(Drag::Select { tool, viewport, start: at, now: at, joining });
            }
        }
    }

    fn press_lasso(&mut self, press: Press, joining: SelectionJoin, grid: &Grid, gestures: &mut Gestures) {
        let Press { at, viewport, .. } = press;
        let point = brush::point_at(&viewport, grid, [f64::from(at.x), f64::from(at.y)]);
        let corner = [point.secs, point.hz];
        match &mut self.input.lasso {
            None => {
                self.input.lasso =
                    Some(Lasso { corners: vec![corner], axis: viewport.axis, joining, is_polygon: false });
            }
            Some(lasso) => {
                let first = lasso.on_screen(&viewport).first().copied();
                let closes = first.is_some_and(|first| first.distance(at) <= CLOSE_POINTS) && lasso.corners.len() > 2;
                if closes || press.double {
                    gestures.selection = self.input.lasso.take().and_then(|lasso| lasso.selection(grid)).map(Some);
                    return;
                }
                lasso.corners.push(corner);
            }
        }
        self.input.drag = Some(Drag::Lasso { viewport, start: at, last: at, has_moved: false });
    }

    /// A move of the pointer during a lasso.
    pub(in crate::canvas) fn follow_lasso(&mut self, at: Pos2, grid: &Grid) {
        let Some(Drag::Lasso { viewport, start, last, has_moved }) = &mut self.input.drag else { return };
        *has_moved |= start.distance(at) >= CLICK_POINTS;
        if !*has_moved || last.distance(at) < LASSO_STEP_POINTS {
            return;
        }
        *last = at;
        let point = brush::point_at(viewport, grid, [f64::from(at.x), f64::from(at.y)]);
        if let Some(lasso) = &mut self.input.lasso {
            lasso.corners.push([point.secs, point.hz]);
        }
    }

    /// Releases the button: a freehand line closes, a polygon continues.
    pub(in crate::canvas) fn release_lasso(&mut self, has_moved: bool, grid: &Grid, gestures: &mut Gestures) {
        let Some(lasso) = &mut self.input.lasso else { return };
        if has_moved && !lasso.is_polygon {
            gestures.selection = self.input.lasso.take().and_then(|lasso| lasso.selection(grid)).map(Some);
        } else {
            lasso.is_polygon = true;
        }
    }

    /// Closes the current polygon; returns its selection.
    pub fn close_polygon(&mut self, grid: &Grid) -> Option<Selection> {
        self.input.lasso.take()?.selection(grid)
    }

    /// Whether a polygon is in progress.
    pub fn is_drawing_polygon(&self) -> bool {
        self.input.lasso.is_some()
    }

    /// Requests the harmonics of the tone under a click, or along a drag within its time range.
    pub(in crate::canvas) fn request_harmonics(
        viewport: &Viewport,
        places: [Pos2; 2],
        joining: &SelectionJoin,
        tools: &Tools,
        gestures: &mut Gestures,
    ) {
        let [start, end] = places.map(|at| viewport.secs_from_x(f64::from(at.x)));
        let y = f64::from(places[0].y);
        let is_click = places[0].distance(places[1]) < CLICK_POINTS;
        let what = ShapeSearch::Harmonics {
            at: [start, viewport.hz_from_y(y)],
            near_hz: [viewport.hz_from_y(y + TONE_POINTS), viewport.hz_from_y(y - TONE_POINTS)],
            secs: (!is_click).then_some([start.min(end), start.max(end)]),
            count: tools.settings().harmonic_count,
            width_hz: tools.settings().harmonic_width_hz,
        };
        gestures.request = Some(SelectRequest { combine: joining.combine, what });
    }
}
