//! Incremental sound of the stroke being drawn: each step continues the session of the previous one.

use crate::base::{Progress, Result};
use crate::document::{Edit, PartialResult, PenDown, Snapshot, StrokeSession, apply_heard, apply_live};
use crate::dsp::selections::mask;
use crate::dsp::{CellRect, Grid, Point, Stroke};
use crate::engine::Engine;

/// Input of a step: points since the previous step, or the whole edit.
#[derive(Debug)]
pub enum StrokeUpdate {
    /// The whole edit.
    Edit(Box<Edit>),
    /// New points of the stroke of the session.
    Points(Vec<Point>),
}

/// The session of the stroke being played, up to its latest step.
#[derive(Debug)]
pub struct StrokeSound {
    id: u64,
    base: Snapshot,
    n_points: usize,
    session: StrokeSession,
}

impl StrokeSound {
    /// The input of the next step, for edit number `id` on a sound: the new points if the previous step's session can
    /// be continued, else the whole edit.
    pub fn news(kept: Option<&StrokeSound>, id: u64, base: &Snapshot, edit: &Edit) -> StrokeUpdate {
        match (kept.filter(|kept| kept.id == id && kept.base.is_same(base)), &edit.stroke) {
            (Some(kept), Some(stroke)) if stroke.points.len() >= kept.n_points => {
                StrokeUpdate::Points(stroke.points[kept.n_points..].to_vec())
            }
            _ => StrokeUpdate::Edit(Box::new(edit.clone())),
        }
    }

    /// The sound with the edit up to this step, and the session for the next one. Partial results are passed to
    /// `so_far` while the rest is rendered.
    pub fn sound(
        kept: Option<StrokeSound>,
        (id, base): (u64, &Snapshot),
        news: StrokeUpdate,
        engine: &Engine,
        progress: &Progress,
        so_far: Option<&mut PartialResult<'_>>,
    ) -> (Result<Snapshot>, Option<StrokeSound>) {
        let drawn = match (kept, news) {
            (Some(mut kept), StrokeUpdate::Points(points)) => {
                kept.session.add(&points);
                kept.n_points += points.len();
                Ok(kept)
            }
            (_, StrokeUpdate::Edit(edit)) if edit.stroke.is_none() => {
                let added = apply_heard(base, &edit, engine, progress, so_far);
                let sound = added.and_then(|added| match added {
                    Some(sound) => Ok(sound),
                    None => apply_live(base, &edit, engine, progress).map(|applied| applied.snapshot),
                });
                return (sound, None);
            }
            (_, StrokeUpdate::Edit(edit)) => {
                let n_points = edit.stroke.as_ref().map_or(0, |stroke| stroke.points.len());
                let pen_down = PenDown { snapshot: base.clone(), pending: Vec::new(), engine: engine.clone() };
                let session = StrokeSession::begin(pen_down, &edit);
                session.map(|session| StrokeSound { id, base: base.clone(), n_points, session })
            }
            // Without a session the points cannot be applied: returns the sound without the stroke.
            (None, StrokeUpdate::Points(_)) => return (Ok(base.clone()), None),
        };
        match drawn {
            Ok(mut drawn) => {
                let added = apply_heard(base, drawn.session.edit(), engine, progress, so_far);
                let sound = added.and_then(|added| match added {
                    Some(sound) => Ok(sound),
                    None => drawn.session.sound(progress),
                });
                (sound, Some(drawn))
            }
            Err(error) => (Err(error), None),
        }
    }
}

/// The cells that a stroke affects, updated point by point.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    of: Option<(u64, Grid)>,
    n_points: usize,
    rect: CellRect,
}

impl Reach {
    /// The cells that stroke number `id` affects on a grid.
    pub fn follow(&mut self, id: u64, grid: &Grid, stroke: &Stroke) -> &CellRect {
        let is_same = self.of.as_ref().is_some_and(|(of, on)| *of == id && on == grid);
        if !is_same || stroke.points.len() < self.n_points {
            *self = Reach { of: Some((id, grid.clone())), ..Reach::default() };
        }
        if stroke.points.len() > self.n_points {
            let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
            let points = stroke.points[self.n_points..].to_vec();
            let new = Stroke { points, axis, radius, hardness, strength, build_up };
            self.rect = self.rect.union(&mask::stroke_bounds(grid, &new));
            self.n_points = stroke.points.len();
        }
        &self.rect
    }
}
