//! Strokes drawn by the pointer, and their previews on the picture.

use super::brush;
use super::brush::Pen;
use super::drag::Drag;
use super::hand_stroke::HandStroke;
use crate::canvas::Canvas;
use crate::canvas::report::Gestures;
use crate::canvas::scene::Scene;
use crate::document::Edit;
use crate::document::brushes::{Brush, CloneSource};
use crate::dsp::{Grid, Point};
use crate::view::{ChannelView, TileSet, Viewport, reached_on};
use crate::workbench::{LevelTile, ShownCells, ShownStroke, StartedStroke, StrokeAct, StrokePlace};

impl Canvas {
    /// The stroke being drawn.
    pub(in crate::canvas) fn current_stroke(&self) -> Option<&HandStroke> {
        match &self.input.drag {
            Some(Drag::Stroke(stroke)) => Some(stroke),
            _ => None,
        }
    }

    /// Whether the pen is down.
    pub(in crate::canvas) fn is_painting(&self) -> bool {
        self.current_stroke().is_some()
    }

    /// Begins the stroke of an edit on the picture of these channels; does nothing before that is laid out.
    pub(in crate::canvas) fn begin_stroke(
        &mut self,
        edit: Edit,
        channels: ChannelView,
        viewport: Viewport,
        gestures: &mut Gestures,
    ) {
        let Some(look) = self.scene.look(channels) else { return };
        let place = StrokePlace { set: look.set.clone(), level: look.level.clone() };
        let points = edit.stroke.as_ref().map_or_else(Vec::new, |stroke| stroke.points.clone());
        let tiles = tiles_under(&self.scene, &place, &edit, &points);
        let stroke = HandStroke::new(viewport, edit.clone(), place.clone(), self.input.snapper.line().cloned());
        self.input.drag = Some(Drag::Stroke(Box::new(stroke)));
        gestures.strokes.push(StrokeAct::Begin(Box::new(StartedStroke { edit, place, tiles })));
    }

    /// Moves the pressed pen to a position.
    pub(in crate::canvas) fn follow_pen(&mut self, at: egui::Pos2, grid: &Grid, gestures: &mut Gestures) {
        let pen = self.input.pen(at);
        let Some(Drag::Stroke(stroke)) = &mut self.input.drag else { return };
        let pen = Pen { line: stroke.line().cloned(), ..pen };
        let point = brush::drawn_point(&stroke.edit().brush, &stroke.viewport, grid, &pen);
        let Some(point) = brush::next_point(stroke.edit(), &stroke.viewport, point) else { return };
        if let Some(mut points) = stroke.extend(point) {
            let tiles = tiles_under(&self.scene, &stroke.place, stroke.edit(), &points);
            points.remove(0);
            gestures.strokes.push(StrokeAct::Extend { points, tiles });
        }
    }

    /// Draws previews. Returns the bytes uploaded to the device.
    pub(in crate::canvas) fn show_strokes(&mut self, shown: Vec<ShownStroke>) -> usize {
        let mut n_bytes = 0;
        for shown in shown {
            match shown {
                ShownStroke::Void => self.scene.drop_previews(),
                ShownStroke::Over(set, cells) => n_bytes += show(&mut self.scene, &set, &cells),
            }
        }
        n_bytes
    }

    /// Current source of the clone brush: the clicked position, or during a stroke the position moving along with it.
    pub fn clone_source_now(&self) -> Option<Point> {
        let source = self.input.clone_source?;
        let in_progress = self.current_stroke().map(|hand| (&hand.edit().brush, hand.stroke()));
        let Some((Brush::Clone(CloneSource { offset }), Some(stroke))) = in_progress else { return Some(source) };
        let last = stroke.points.last()?;
        let hz = stroke.axis.hz_from_units(stroke.axis.units_from_hz(last.hz) + offset[1]);
        Some(Point { secs: last.secs + offset[0], hz, pressure: 1.0 })
    }
}

fn show(scene: &mut Scene, set: &TileSet, cells: &ShownCells) -> usize {
    match cells {
        ShownCells::OnDevice(region) => {
            scene.preview_device(set, region);
            0
        }
        ShownCells::Cells(region) => scene.preview_cells(set, region),
        ShownCells::Peaks(rect, peaks) => scene.preview_peaks(set, rect, peaks),
    }
}

/// The visible tiles that points of a stroke affect, at a level coarser than the transform's grid; empty at level 0.
fn tiles_under(scene: &Scene, place: &StrokePlace, edit: &Edit, points: &[Point]) -> Vec<LevelTile> {
    let look = scene.look(place.set.channels).filter(|_| place.set.level > 0);
    let Some(look) = look else { return Vec::new() };
    let rect = reached_on(&place.level, edit, points);
    let keys = look.tiles.iter().map(|(key, _)| key).filter(|key| key.set == place.set);
    keys.filter_map(|key| scene.peaks(key)).filter(|(held, _)| !held.intersect(&rect).is_empty()).collect()
}
