//! One signal of an edit: its pieces painted, their phases finished, their difference added to the sound.

use super::overlap::{Changes, OverlapSum};
use super::report::EditReport;
use super::spread::Spread;
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::document::plan::{EditPiece, Finish, Plan, SignalPass};
use crate::dsp::{peak_locking, phase};
use crate::engine::EngineRegion;
use std::ops::Range;

/// Pieces done, of all that there are.
pub struct Counter<'a> {
    progress: &'a Progress,
    step: u64,
    n_steps: u64,
}

impl Counter<'_> {
    /// None of so many pieces is done.
    pub fn new(progress: &Progress, n_steps: u64) -> Counter<'_> {
        Counter { progress, step: 0, n_steps }
    }

    /// Another piece is done.
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
    /// What is painted.
    pub signal: SignalPass<'a>,
    /// The edit.
    pub plan: &'a Plan<'a>,
    /// Of what is kept from one pass over the pieces to the next.
    pub most_cells: usize,
    /// Whether the stroke is still drawn.
    pub is_live: bool,
}

/// What was painted of one signal.
#[derive(Default)]
pub struct Painted<'a> {
    /// Pieces that have a cell under the brush.
    pub pieces: Vec<PaintedPiece<'a>>,
    /// How far the brush reaches.
    pub spread: Spread,
    /// Number of samples left unchanged because the result overflows 32-bit float.
    pub n_too_large: u64,
}

/// A piece that was painted.
pub struct PaintedPiece<'a> {
    index: usize,
    /// Per frame of the piece.
    pub touched: Vec<bool>,
    /// If all pieces together have too many cells, they are painted again instead of being kept.
    kept: Option<(EditPiece<'a>, [EngineRegion; 2])>,
}

impl<'a> EditPass<'a> {
    /// Paints every piece and adds the difference to `sound`, which starts as this signal of the snapshot.
    ///
    /// # Errors
    /// Those of the plan, the engine and the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn paint(
        &self,
        sound: &mut Snapshot,
        changed: &mut Vec<Range<u64>>,
        report: &mut EditReport,
        counter: &mut Counter<'_>,
        is_kept: bool,
    ) -> Result<Painted<'a>> {
        let is_small = is_kept && self.plan.n_cells() <= self.most_cells;
        let (stft, snapshot) = (&self.plan.place.stft, self.signal.snapshot);
        let mut painted = Painted::default();
        let mut sum = self.sum();
        let mut changes = Changes::new(sound);
        for (index, piece) in self.plan.pieces().enumerate() {
            counter.count()?;
            let piece = piece?;
            if piece.mask.values.iter().all(|&m| m == 0.0) {
                continue;
            }
            let [before, after] = self.cells(&piece)?;
            let difference = self.signal.engine.difference(stft, &before, &after)?;
            report.touched_frames += difference.touched.iter().filter(|touched| **touched).count() as u64;
            sum.add(stft, snapshot, &piece.rect.frames, &difference)?;
            changes.take(&mut sum)?;
            painted.spread.add(&piece.mask);
            let kept = is_small.then_some((piece, [before, after]));
            painted.pieces.push(PaintedPiece { index, touched: difference.touched, kept });
        }
        painted.n_too_large = sum.finish(stft, snapshot)?;
        changes.take(&mut sum)?;
        report.touched_samples += changes.n_samples;
        changed.append(&mut changes.ranges);
        *sound = changes.finish();
        Ok(painted)
    }

    /// Calls with a piece that was painted, and its cells before and after.
    ///
    /// # Errors
    /// Those of `call`, and as [`cells`](EditPass::cells).
    pub fn with_piece<T>(
        &self,
        piece: &PaintedPiece<'_>,
        call: impl FnOnce(&EditPiece<'_>, &[EngineRegion; 2]) -> Result<T>,
    ) -> Result<T> {
        if let Some((piece, cells)) = &piece.kept {
            return call(piece, cells);
        }
        let piece = self.plan.piece(piece.index)?;
        let cells = self.cells(&piece)?;
        call(&piece, &cells)
    }

    /// Collects the differences of pieces.
    pub fn sum(&self) -> OverlapSum {
        OverlapSum::new(self.signal.signal, &self.plan.place.grid, self.signal.snapshot.n_channels())
    }

    /// The cells that a piece reads, and those that it writes.
    ///
    /// # Errors
    /// Those of the engine and of reading the sound.
    pub fn cells(&self, piece: &EditPiece<'_>) -> Result<[EngineRegion; 2]> {
        let Some(finish) = self.plan.finish() else { return painted_cells(&self.signal, piece) };
        let (engine, place) = (self.signal.engine, self.signal.place);
        let on_cpu = engine.on_cpu();
        let signal = SignalPass { engine: &on_cpu, ..self.signal };
        let [before, after] = painted_cells(&signal, piece)?.map(|region| on_cpu.download(region));
        let (before, mut after) = (before?, after?);
        match finish {
            Finish::Lock(field) => peak_locking::lock(&place.grid, field, &before, &mut after),
            Finish::Rebuild(steps) => {
                let around = piece.rect.grown(phase::HALO, phase::HALO, &place.grid.all_cells());
                let known = on_cpu.download(signal.analyse(signal.snapshot, &around, 0)?)?;
                let steps = if self.is_live { 0 } else { *steps };
                after = phase::rebuild(&place.stft, &place.grid, &known, &after, &piece.mask, steps);
            }
        }
        Ok([engine.upload(before)?, engine.upload(after)?])
    }
}

/// The cells that a piece reads, and those it writes after the brush, before phases are finished.
///
/// # Errors
/// Those of the engine and of reading the sound.
pub fn painted_cells(pass: &SignalPass<'_>, piece: &EditPiece<'_>) -> Result<[EngineRegion; 2]> {
    let before = pass.analyse(pass.snapshot, &piece.read, 0)?;
    let after = piece.paint(pass, &before)?;
    Ok([before, after])
}
