//! One signal of an edit: paints its pieces, finishes their phases, and adds their difference to the sound.

use super::changes::{Changes, NewSamples};
use super::report::EditReport;
use super::spread::Spread;
use crate::base::{Progress, Result};
use crate::document::edits::plan::{EditLayout, EditPiece, Finish, Plan, SignalPass};
use crate::document::edits::sums::SampleSums;
use crate::document::{Signal, Snapshot};
use crate::dsp::DifferenceSum;
use crate::dsp::warps::{peak_locking, phase};
use crate::engine::{Engine, EngineRegion};
use std::ops::Range;

/// Counts the pieces done.
pub struct Counter<'a> {
    progress: &'a Progress,
    step: u64,
    n_steps: u64,
}

impl Counter<'_> {
    /// A counter of `n_steps` pieces, at 0.
    pub fn new(progress: &Progress, n_steps: u64) -> Counter<'_> {
        Counter { progress, step: 0, n_steps }
    }

    /// Counts a piece that begins, and reports the number of earlier ones as progress.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn count(&mut self) -> Result<()> {
        self.progress.step(self.step.min(self.n_steps), self.n_steps)?;
        self.step += 1;
        Ok(())
    }
}

/// One signal of an edit.
#[derive(Clone, Copy)]
pub struct EditPass<'a> {
    /// The sound before the edit.
    pub snapshot: &'a Snapshot,
    /// The signal being painted.
    pub signal: Signal,
    /// Signals to be painted after it.
    pub later_signals: &'a [Signal],
    /// Engine for the kernels.
    pub engine: &'a Engine,
    /// The edit.
    pub layout: &'a EditLayout<'a>,
    /// Maximum number of cells kept from one pass over the pieces to the next.
    pub max_cells: usize,
    /// Whether the stroke is still being drawn.
    pub is_live: bool,
}

/// Result of painting one signal.
#[derive(Default)]
pub struct Painted<'a> {
    /// Pieces that have a cell under the brush.
    pub pieces: Vec<PaintedPiece<'a>>,
    /// Extent of the brush on each grid.
    pub spreads: Vec<Spread>,
    /// Statistics of the changed samples.
    pub sums: SampleSums,
}

/// A piece that was painted.
pub struct PaintedPiece<'a> {
    /// The plan it belongs to.
    pub plan: &'a Plan<'a>,
    index: usize,
    /// For each frame of the piece, whether any of its coefficients changed.
    pub touched: Vec<bool>,
    /// The piece with its cells before and after; `None` if they are not needed later, or if all pieces together have
    /// too many cells to keep: they are then painted again when needed.
    kept: Option<(EditPiece<'a>, [EngineRegion; 2])>,
}

impl<'a> EditPass<'a> {
    /// Paints every piece and writes the changed samples to `sound`, in which this signal must not have changed yet.
    /// `is_kept`: whether the painted cells are needed later.
    ///
    /// # Errors
    /// Errors of the plan, the engine and the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn paint(
        &self,
        sound: &mut Snapshot,
        changed: &mut Vec<Range<u64>>,
        report: &mut EditReport,
        counter: &mut Counter<'_>,
        is_kept: bool,
    ) -> Result<Painted<'a>> {
        let is_small = is_kept && self.layout.n_cells() <= self.max_cells;
        let plans = self.layout.plans();
        let mut painted = Painted::default();
        painted.spreads.resize_with(plans.len(), Spread::default);
        let mut samples = self.new_samples();
        let mut changes = Changes::new(sound);
        for (at, index) in self.layout.pieces() {
            counter.count()?;
            let plan = &plans[*at];
            let piece = plan.piece(*index)?;
            if piece.mask.values.iter().all(|&m| m == 0.0) {
                continue;
            }
            let [before, after] = self.cells(plan, &piece)?;
            let difference = self.engine.difference(&plan.place.plan, &before, &after)?;
            report.touched_frames += difference.touched.iter().filter(|touched| **touched).count() as u64;
            samples.add(self.snapshot, plan.first_sample(*index), &difference)?;
            changes.take(&mut samples)?;
            painted.spreads[*at].add(&piece.mask);
            let kept = is_small.then_some((piece, [before, after]));
            painted.pieces.push(PaintedPiece { plan, index: *index, touched: difference.touched, kept });
        }
        painted.sums = samples.finish(self.snapshot)?;
        changes.take(&mut samples)?;
        report.touched_samples += changes.n_samples;
        changed.append(&mut changes.ranges);
        *sound = changes.finish();
        Ok(painted)
    }

    /// Calls `call` with a painted piece, and its cells before and after.
    ///
    /// # Errors
    /// Errors of `call`, and as [`cells`](EditPass::cells).
    pub fn with_piece<T>(
        &self,
        piece: &PaintedPiece<'_>,
        call: impl FnOnce(&EditPiece<'_>, &[EngineRegion; 2]) -> Result<T>,
    ) -> Result<T> {
        if let Some((piece, cells)) = &piece.kept {
            return call(piece, cells);
        }
        let plan = piece.plan;
        let piece = plan.piece(piece.index)?;
        let cells = self.cells(plan, &piece)?;
        call(&piece, &cells)
    }

    /// The signal on a grid of the edit.
    pub fn on(&self, plan: &'a Plan<'a>) -> SignalPass<'a> {
        let EditPass { snapshot, signal, later_signals, engine, .. } = *self;
        SignalPass { snapshot, signal, later_signals, engine, place: &plan.place }
    }

    /// An empty collector for the differences of the pieces.
    pub fn new_samples(&self) -> NewSamples {
        let place = self.layout.plans().first().map(|plan| &plan.place);
        let sum = place.map_or_else(|| DifferenceSum::new(None), |place| place.plan.sum(&place.grid));
        let only = match self.layout.plans() {
            [plan] => plan.samples().map(<[Range<u64>]>::to_vec),
            _ => None,
        };
        NewSamples::new(self.signal, sum, self.snapshot.n_channels(), only)
    }

    /// The cells that a piece reads, and those that it writes.
    ///
    /// # Errors
    /// Engine errors, and errors reading the sound.
    pub fn cells(&self, plan: &'a Plan<'a>, piece: &EditPiece<'_>) -> Result<[EngineRegion; 2]> {
        let Some(finish) = plan.finish() else { return painted_cells(&self.on(plan), piece) };
        let (engine, place, why) = (self.engine, &plan.place, finish.why_on_cpu());
        match finish {
            Finish::Lock(field) => {
                let [before, after] = painted_cells(&self.on(plan), piece)?;
                let mut locked = engine.download(after)?;
                let source = engine.read(&before)?;
                engine.here("peak_locking", why, || peak_locking::lock(&place.grid, field, &source, &mut locked));
                drop(source);
                Ok([before, engine.upload(locked)?])
            }
            Finish::Rebuild(steps) => {
                let on_cpu = engine.on_cpu_for(why);
                let signal = SignalPass { engine: &on_cpu, ..self.on(plan) };
                let [before, after] = painted_cells(&signal, piece)?.map(|region| on_cpu.download(region));
                let (before, after) = (before?, after?);
                let around = piece.rect.grown(phase::HALO, phase::HALO, &place.grid.all_cells());
                let known = on_cpu.download(signal.analyse(signal.snapshot, &around, 0)?)?;
                let steps = if self.is_live { 0 } else { *steps };
                let (stft, grid) = (place.stft()?, &place.grid);
                let rebuild = || phase::rebuild(stft, grid, &known, &after, &piece.mask, steps);
                let rebuilt = engine.here("rebuild_phase", why, rebuild);
                Ok([engine.upload(before)?, engine.upload(rebuilt)?])
            }
        }
    }
}

/// The cells that a piece reads, and those it writes after the brush, before phases are finished.
///
/// # Errors
/// Errors of the engine and of reading the sound.
pub fn painted_cells(pass: &SignalPass<'_>, piece: &EditPiece<'_>) -> Result<[EngineRegion; 2]> {
    let before = pass.analyse(pass.snapshot, &piece.read, 0)?;
    let after = piece.paint(pass, &before)?;
    Ok([before, after])
}
