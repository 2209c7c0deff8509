//! Edits painted dab by dab, each on the result of the one before.

use super::kernels::{cell_kernel, modulation_kernel};
use super::{Dabs, Plan, Recipe};
use crate::base::{Error, ErrorKind, Result};
use crate::document::brushes::{Brush, ModulationFilter};
use crate::document::stroke::{Drawn, MOST_LENGTH_RADII, STENCIL_FRAMES, cell_of};
use crate::document::{Edit, Signal};
use crate::dsp::displacement::{Dab, dabs, gained_turns};
use crate::dsp::kernels::{DragKernel, Kernel};
use crate::dsp::{CellRect, Grid, Mask, Point, Stroke, mask};
use crate::engine::{Engine, EngineRegion};

/// One dab of an edit that is painted dab by dab.
#[derive(Debug)]
pub struct DabWork {
    /// The brush, made ready.
    pub kernel: Kernel,
    /// Over the cells under the dab.
    pub mask: Mask,
    /// Whether the kernel needs a region of exactly the mask's cells.
    pub is_patch: bool,
    /// Whether the result must be mixed by the mask, because the kernel does not do it.
    pub is_mixed: bool,
}

impl DabWork {
    /// Paints the dab on what the ones before it left.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn paint(&self, engine: &Engine, canvas: &mut EngineRegion) -> Result<()> {
        let patch = if self.is_patch { Some(engine.crop(canvas, &self.mask.rect)?) } else { None };
        let mut painted = engine.run(&self.kernel, patch.as_ref().unwrap_or(canvas), &self.mask)?;
        if self.is_mixed {
            painted = engine.combine(canvas, &painted, &self.mask, 0.0)?;
        }
        engine.paste(canvas, &painted)
    }
}

impl Plan<'_> {
    /// What a session has painted of a signal with all dabs.
    pub fn painted(&self, signal: Signal) -> Option<&EngineRegion> {
        self.drawn.and_then(|drawn| drawn.painted(signal))
    }

    /// The dabs that overlap `rect`, in the order painted on a signal.
    pub fn dabs<'b>(&'b self, rect: &'b CellRect, signal: Signal) -> impl Iterator<Item = Result<DabWork>> + 'b {
        self.dabs_from(0, rect, signal)
    }

    /// [`dabs`](Plan::dabs) from an index on.
    pub fn dabs_from<'b>(
        &'b self,
        first: usize,
        rect: &'b CellRect,
        signal: Signal,
    ) -> impl Iterator<Item = Result<DabWork>> + 'b {
        let (dabs, is_smudge) = match &self.recipe {
            Recipe::Dabs(dabs) | Recipe::Denoise { dabs, .. } => (&dabs[..], false),
            Recipe::Smudge(dabs) => (&dabs[..], true),
            _ => (&[][..], false),
        };
        let is_patched = matches!(self.edit.brush, Brush::ModulationFilter { .. });
        let cells = || if is_patched { None } else { cell_kernel(&self.grid, &self.edit.brush).ok() };
        let ready = self.noise_reduction(signal).or_else(|| if is_smudge { None } else { cells() });
        let works = dabs.iter().enumerate().skip(first).map(move |(i, dab)| match is_smudge {
            true => self.smudge_dab(dabs, i, rect),
            false => self.brush_dab(dab, rect, ready.as_ref()),
        });
        works.filter_map(Result::transpose)
    }

    fn dab_mask(&self, dab: &Dab, rect: &CellRect) -> Option<Mask> {
        dab_mask(&self.grid, self.edit, dab, rect)
    }

    /// One mask for all dabs; none without dabs.
    pub(super) fn summed(
        &self,
        dabs: &[Dab],
        rect: &CellRect,
        sum: impl Fn(f32, f32) -> f32 + Sync + Send,
    ) -> Option<Mask> {
        if dabs.is_empty() {
            return None;
        }
        if let Some(drawn) = self.drawn {
            let all = self.grid.all_cells();
            return Some(drawn.summed(rect, |dab| self.dab_mask(dab, &all), sum));
        }
        let mut all = Mask::zeros(rect.clone());
        for mask in dabs.iter().filter_map(|dab| self.dab_mask(dab, rect)) {
            for (frame, row) in mask.rect.frames.clone().zip(mask.values.chunks_exact(mask.rect.bins.len())) {
                let start = (frame - rect.frames.start) * rect.bins.len() + mask.rect.bins.start - rect.bins.start;
                all.values[start..][..row.len()].iter_mut().zip(row).for_each(|(value, m)| *value = sum(*value, *m));
            }
        }
        Some(all)
    }

    fn brush_dab(&self, dab: &Dab, rect: &CellRect, ready: Option<&Kernel>) -> Result<Option<DabWork>> {
        let Some(mask) = self.dab_mask(dab, rect) else { return Ok(None) };
        if let Some(kernel) = ready {
            return Ok(Some(DabWork { kernel: kernel.clone(), mask, is_patch: false, is_mixed: false }));
        }
        let (kernel, is_patch) = match &self.edit.brush {
            Brush::ModulationFilter(ModulationFilter { along, filters, .. }) => {
                (modulation_kernel(&self.grid, *along, filters, &mask.rect)?, true)
            }
            brush => (cell_kernel(&self.grid, brush)?, false),
        };
        Ok(Some(DabWork { kernel, mask, is_patch, is_mixed: false }))
    }

    /// From the dab before to this one, in whole cells.
    fn smudge_dab(&self, dabs: &[Dab], i: usize, rect: &CellRect) -> Result<Option<DabWork>> {
        let Some(before) = i.checked_sub(1) else { return Ok(None) };
        let [from, to] = [before, i].map(|i| cell_of(&self.grid, self.edit, &dabs[i]));
        let step = [to[0] - from[0], to[1] - from[1]];
        if step == [0, 0] {
            return Ok(None);
        }
        let Some(mask) = self.dab_mask(&dabs[i], rect) else { return Ok(None) };
        let hz_moved = self.grid.hz_from_bin(step[1] as f64);
        let first_frame = self.drawn.map_or(self.bounds.frames.start, |drawn| drawn.first_frame(&self.bounds)) as f64;
        let turns = |frame: usize| gained_turns(&self.grid, hz_moved, frame as f64 - first_frame);
        let kernel = Kernel::Drag(DragKernel {
            step,
            turns: mask.rect.frames.clone().map(turns).collect(),
            overlap: self.grid.frames_per_turn() as u32,
            nyquist_bin: self.grid.nyquist_bin() as u32,
        });
        Ok(Some(DabWork { kernel, mask, is_patch: false, is_mixed: true }))
    }
}

/// The mask of one dab of an edit's stroke; none if it reaches no cell of `rect`.
pub fn dab_mask(grid: &Grid, edit: &Edit, dab: &Dab, rect: &CellRect) -> Option<Mask> {
    let stroke = edit.stroke.as_ref()?;
    let hz = stroke.axis.hz_from_units(dab.at[1] * stroke.radius[1]);
    let point = Point { secs: dab.at[0] * stroke.radius[0], hz, pressure: dab.pressure };
    let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
    let single = Stroke { points: vec![point], axis, radius, hardness, strength, build_up };
    let under = mask::stroke_bounds(grid, &single).intersect(rect);
    let mask = mask::evaluate(grid, Some(&single), edit.select.as_ref(), edit.strength, &under);
    let tight = mask.tight_bounds();
    (!tight.is_empty()).then(|| mask.crop(&tight))
}

/// The dabs of an edit's stroke.
pub(super) fn dabs_of<'a>(edit: &Edit, drawn: Option<&'a Drawn>) -> Result<Dabs<'a>> {
    let Some(stroke) = &edit.stroke else {
        return Err(Error::new(ErrorKind::Script, format!("{} needs a stroke", edit.brush.kind())));
    };
    if let Some(drawn) = drawn {
        refuse_length(drawn.length_radii())?;
        return Ok(Dabs::Borrowed(drawn.dabs()));
    }
    refuse_longest(stroke)?;
    Ok(Dabs::Owned(dabs(stroke)))
}

pub(super) fn refuse_longest(stroke: &Stroke) -> Result<()> {
    let places: Vec<[f64; 2]> = stroke.points.iter().map(|point| stroke.scaled(point.secs, point.hz)).collect();
    let way = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
    refuse_length(places.windows(2).map(way).sum())
}

/// Refuses a stroke by its length in radii.
fn refuse_length(length: f64) -> Result<()> {
    if length.is_nan() || length > MOST_LENGTH_RADII {
        return Err(Error::new(
            ErrorKind::Script,
            "this stroke is over 120,000 times as long as its radius; use a larger radius or several strokes",
        ));
    }
    Ok(())
}

/// What the kernel of a dab reads beyond its cells.
pub(super) fn dab_halo(grid: &Grid, brush: &Brush) -> Result<[usize; 2]> {
    match brush {
        Brush::ModulationFilter(_) => Ok([0, 0]),
        brush => Ok(cell_kernel(grid, brush)?.halo()),
    }
}

/// Frames beyond a smudge that its dabs read: their longest step, and the reach of the stencil.
pub fn step_halo(grid: &Grid, edit: &Edit, dabs: &[Dab]) -> usize {
    let frames: Vec<i64> = dabs.iter().map(|dab| cell_of(grid, edit, dab)[0]).collect();
    frames.windows(2).map(|pair| pair[0].abs_diff(pair[1]) as usize).max().unwrap_or(0) + STENCIL_FRAMES
}
