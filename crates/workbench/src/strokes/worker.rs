//! Computes the previews of a stroke, step by step, off the UI thread.

use super::stroke_display::{LevelTile, ShownCells, StrokePlace};
use crate::base::Result;
use crate::document::{Edit, PenDown, StrokeSession};
use crate::dsp::Point;
use crate::engine::EngineRegion;
use crate::view::{StrokePeaks, joined};

/// State passed from step to step.
pub(super) struct Worker {
    pub place: StrokePlace,
    pub pen_down: PenDown,
    /// Without the points of its stroke.
    pub edit: Edit,
    /// The session on the transform's own grid.
    session: Option<StrokeSession>,
    /// The peaks at a level above it.
    peaks: Option<StrokePeaks>,
}

impl Worker {
    pub fn new(place: StrokePlace, pen_down: PenDown, edit: Edit) -> Worker {
        Worker { place, pen_down, edit, session: None, peaks: None }
    }

    /// The preview after more points; `last` if no more will come.
    pub fn step(mut self, points: &[Point], last: bool, tiles: &[LevelTile]) -> Result<(Worker, Vec<ShownCells>)> {
        let shown = self.shown(points, last, tiles)?;
        Ok((self, shown))
    }

    fn shown(&mut self, points: &[Point], last: bool, tiles: &[LevelTile]) -> Result<Vec<ShownCells>> {
        if self.edit.stroke.is_none() {
            return Ok(Vec::new());
        }
        let level = &self.place.level;
        if level.index > 0 {
            let new = || StrokePeaks::new(level, &self.pen_down.pending, &self.edit);
            let peaks = self.peaks.get_or_insert_with(new);
            let reached = peaks.extend(points);
            let painted = tiles.iter().filter_map(|(held, tile)| peaks.paint(&reached, held, &tile.values));
            return Ok(painted.map(|(rect, values)| ShownCells::Peaks(rect, values)).collect());
        }
        let session = match &mut self.session {
            Some(session) => session,
            None => self.session.insert(StrokeSession::begin(self.pen_down.clone(), &self.edit)?),
        };
        Ok(match session.step(points, last, joined)? {
            None => Vec::new(),
            Some(EngineRegion::Gpu(region)) => vec![ShownCells::OnDevice(region)],
            Some(EngineRegion::Cpu(region)) => vec![ShownCells::Cells(region)],
        })
    }
}
