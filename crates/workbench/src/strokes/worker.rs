//! Computes the preview of a stroke step by step, in jobs.

use super::stroke_display::{LevelTile, ShownCells, StrokePlace};
use crate::base::{Error, Result};
use crate::document::{Edit, PenDown, StrokeSession};
use crate::dsp::Point;
use crate::engine::EngineRegion;
use crate::view::{StrokePeaks, joined};

/// State of the computation, passed from step to step.
pub(super) struct Worker {
    pub place: StrokePlace,
    pub pen_down: PenDown,
    /// The edit, with a stroke without points.
    pub edit: Edit,
    /// Computes cells if the transform's own grid is displayed.
    session: Option<StrokeSession>,
    /// Computes peaks if a level above the grid is displayed.
    peaks: Option<StrokePeaks>,
}

impl Worker {
    pub fn new(place: StrokePlace, pen_down: PenDown, edit: Edit) -> Worker {
        Worker { place, pen_down, edit, session: None, peaks: None }
    }

    /// The changed cells after more points. `last`: no more points follow.
    pub fn step(mut self, points: &[Point], last: bool, tiles: &[LevelTile]) -> Result<(Worker, Vec<ShownCells>)> {
        let shown = self.shown(points, last, tiles)?;
        Ok((self, shown))
    }

    /// The notice, once, that a device failed and the CPU computes the rest of the preview.
    pub fn take_notice(&mut self) -> Option<Error> {
        let failure = self.session.as_mut()?.take_failure()?;
        Some(failure.continued("the preview of this stroke is computed on the CPU"))
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
