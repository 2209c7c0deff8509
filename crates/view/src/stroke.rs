//! A stroke's cells for display: its signals combined, and when zoomed out the maxima of a level.

use super::half::{PEAK_SCALE, f32_from_half, half_from_f32};
use super::levels::footprint::Level;
use crate::base::Result;
use crate::document::brushes::{Brush, Gain};
use crate::document::{Edit, MARKED_DB, StrokeCells};
use crate::dsp::selections::mask;
use crate::dsp::selections::mask::StrokeMask;
use crate::dsp::{CellRect, Grid, Mask, Point, Region, Stroke};
use crate::engine::EngineRegion;

/// Combines the cells of all signals, keeping the loudest per cell, and reduces them to the frames of the
/// edit's transform.
///
/// # Errors
/// Engine errors.
pub fn joined(cells: StrokeCells) -> Result<EngineRegion> {
    let StrokeCells { signals, frames_per_frame, engine, .. } = cells;
    let mut signals = signals.into_iter();
    let Some(mut joined) = signals.next() else { return Ok(EngineRegion::Cpu(Region::default())) };
    for after in signals {
        engine.keep_louder(&mut joined, &after)?;
    }
    if frames_per_frame <= 1 { Ok(joined) } else { engine.every_frame(&joined, frames_per_frame) }
}

/// The preview of a stroke when zoomed out. Applies the brush's kernel to the maxima of a level; if it has none for
/// maxima, the cells where it acts are shown louder by `MARKED_DB`.
#[derive(Debug)]
pub struct StrokePeaks {
    /// A grid whose cells are the entries and rows of the level.
    grid: Grid,
    /// The edits that the sound doesn't include yet, and the stroke itself, with their masks.
    edits: Vec<(Edit, Option<StrokeMask>)>,
    /// Cells that the stroke's selection may contain.
    selected: CellRect,
}

impl StrokePeaks {
    /// A stroke on a level, before any point of `edit`.
    pub fn new(level: &Level, pending: &[Edit], edit: &Edit) -> StrokePeaks {
        let grid = level.pooled_grid();
        let mask = |edit: &Edit| edit.stroke.as_ref().map(|stroke| StrokeMask::of(&grid, stroke));
        let mut edits: Vec<(Edit, Option<StrokeMask>)> =
            pending.iter().map(|edit| (edit.clone(), mask(edit))).collect();
        let own = edit.stroke.as_ref().map(|stroke| StrokeMask::new(&grid, stroke));
        edits.push((edit.clone(), own));
        StrokePeaks { selected: mask::bounds(&grid, None, edit.select.as_ref()), grid, edits }
    }

    /// Adds points. Returns the entries and rows they affect.
    pub fn extend(&mut self, points: &[Point]) -> CellRect {
        let own = self.edits.last_mut().and_then(|(_, mask)| mask.as_mut());
        own.map_or_else(CellRect::default, |mask| mask.extend(points).intersect(&self.selected))
    }

    /// The maxima of `reached` after the stroke, computed from `peaks`, the maxima of `held`. `None` if the rectangles
    /// do not overlap.
    pub fn paint(&self, reached: &CellRect, held: &CellRect, peaks: &[u16]) -> Option<(CellRect, Vec<u16>)> {
        let rect = reached.intersect(held);
        if rect.is_empty() {
            return None;
        }
        let n_rows = held.bins.len();
        let mut values = Vec::with_capacity(rect.n_cells());
        for entry in rect.frames.clone() {
            let start = (entry - held.frames.start) * n_rows + rect.bins.start - held.bins.start;
            values.extend(peaks[start..start + rect.bins.len()].iter().map(|&half| f32_from_half(half) / PEAK_SCALE));
        }
        for (edit, mask) in &self.edits {
            let marked = || Brush::Gain(Gain { gain_db: MARKED_DB }).cell_kernel(&self.grid);
            let kernel = edit.brush.peak_kernel(&self.grid).map_or_else(marked, Ok);
            let n_cells = values.len();
            let before = Region { rect: rect.clone(), magnitude: values, phase: vec![0.0; n_cells] };
            let mask = self.mask(edit, mask.as_ref(), &rect);
            values = kernel.map(|kernel| kernel.run(&before, &mask)).unwrap_or(before).into_magnitude();
        }
        Some((rect, values.into_iter().map(|value| half_from_f32(value * PEAK_SCALE)).collect()))
    }

    fn mask(&self, edit: &Edit, drawn: Option<&StrokeMask>, rect: &CellRect) -> Mask {
        match drawn {
            Some(drawn) => drawn.evaluate(edit.select.as_ref(), rect),
            None => mask::evaluate(&self.grid, None, edit.select.as_ref(), edit.strength, rect),
        }
    }
}

/// The entries and rows of a level that points of an edit's stroke affect.
pub fn reached_on(level: &Level, edit: &Edit, points: &[Point]) -> CellRect {
    let Some(stroke) = &edit.stroke else { return CellRect::default() };
    let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
    let part = Stroke { points: points.to_vec(), axis, radius, hardness, strength, build_up };
    mask::bounds(&level.pooled_grid(), Some(&part), edit.select.as_ref())
}
