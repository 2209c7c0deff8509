//! A brush's plan for an edit on a grid: how it may be split, which cells a piece reads, and which it paints.

use super::dab_work::DabWorks;
use super::finish::Finish;
use super::placement::Placement;
use super::signal_pass::SignalPass;
use crate::base::{Progress, Result};
use crate::document::{Signal, Snapshot};
use crate::dsp::{CellRect, Kernel, Mask};
use crate::engine::{Engine, EngineRegion};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

/// The cells of an edit that the new points of its stroke change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only the cells that the new points reach: each cell depends on its neighbourhood alone.
    Local,
    /// Possibly every cell of the edit.
    Whole,
    /// The cells of their dabs, each painted on the result of the previous ones.
    Dabs,
    /// Nothing until the stroke is finished.
    Finished,
}

/// Where the frames of an edit may be cut into pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cuts {
    /// Anywhere.
    Anywhere,
    /// Nowhere, since all cells are computed together.
    Nowhere,
    /// Nowhere, and with a limit on the number of cells: each dab reads the results of earlier ones around it.
    NowhereByDabs,
    /// Into these frames, ascending.
    Into(Vec<Range<usize>>),
}

/// A brush laid out on the cells that an edit may change.
#[derive(Debug)]
pub struct BrushPlan<'a> {
    /// The planned brush.
    pub brush: Box<dyn PlannedBrush + 'a>,
    /// Every cell that it may change.
    pub bounds: CellRect,
    /// How it finishes phases at the end.
    pub finish: Option<Finish>,
}

impl<'a> BrushPlan<'a> {
    /// A brush on the cells of `bounds`, which leaves phases as it paints them.
    pub fn new(brush: impl PlannedBrush + 'a, bounds: CellRect) -> BrushPlan<'a> {
        BrushPlan { brush: Box::new(brush), bounds, finish: None }
    }

    /// Sets how phases are finished at the end.
    #[must_use]
    pub fn finished_by(self, finish: Option<Finish>) -> BrushPlan<'a> {
        BrushPlan { finish, ..self }
    }
}

/// A brush on a grid, shared by all pieces of an edit.
pub trait PlannedBrush: Debug {
    /// Margin of cells read beyond those written: frames and bins on each side.
    fn halo(&self) -> [usize; 2] {
        [0, 0]
    }

    /// The cells read to write those of `rect`.
    fn read(&self, place: &Placement<'_>, rect: &CellRect) -> CellRect {
        let [frames, bins] = self.halo();
        rect.grown(frames, bins, &place.grid.cells_around(rect))
    }

    /// Where an edit may be cut into pieces.
    fn cuts(&self) -> Cuts {
        Cuts::Anywhere
    }

    /// Which cells of the edit change when points are added to its stroke.
    fn scope(&self) -> Scope {
        Scope::Whole
    }

    /// Whether the edit is correct on cells already changed by other edits, since it reads no sound itself.
    fn reads_cells_only(&self) -> bool {
        false
    }

    /// Whether the phases of all cells depend on where the edit begins.
    fn is_phased_from_its_start(&self) -> bool {
        false
    }

    /// A notice about the place of the edit, in one sentence.
    fn notice(&self, _: &Placement<'_>) -> Option<&'static str> {
        None
    }

    /// Prepares the part shared by all pieces, before the first of them; returns notices, one sentence each.
    ///
    /// # Errors
    /// Errors of the preparation, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    fn make_ready(&self, _: &Snapshot, _: &Engine, _: &Progress) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Whether it adds a sound, whose peak is then reported.
    fn adds_sound(&self) -> bool {
        false
    }

    /// The samples that may change, ascending and disjoint, if the changed cells extend beyond them; `None` if all
    /// samples under the cells may change.
    fn samples(&self) -> Option<&[Range<u64>]> {
        None
    }

    /// The part of the edit on the cells of `rect`: all of piece `index`, or a part of it if the scope is
    /// [`Local`](Scope::Local).
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the piece is too large for the brush, or lacks what it needs.
    fn piece(&self, place: &Placement<'_>, index: usize, rect: CellRect) -> Result<EditPiece<'_>>;

    /// The dabs from an index on that reach `rect`, in the order painted on a signal, if the scope is
    /// [`Dabs`](Scope::Dabs).
    fn dabs_from<'b>(&'b self, _: &'b Placement<'_>, _: usize, _: &'b CellRect, _: Signal) -> DabWorks<'b> {
        Box::new(std::iter::empty())
    }
}

/// Computes a piece from the cells it reads; the returned region is that of [`EditPiece::rect`].
type Paint<'p> = Box<dyn Fn(&SignalPass<'_>, &EditPiece<'_>, &EngineRegion) -> Result<EngineRegion> + 'p>;

/// One piece of an edit.
pub struct EditPiece<'p> {
    /// Cells that are written.
    pub rect: CellRect,
    /// Cells that are read.
    pub read: CellRect,
    /// Mask over `rect`; above 0 wherever a cell may change.
    pub mask: Mask,
    paint: Paint<'p>,
}

impl<'p> EditPiece<'p> {
    /// A piece over the cells of a mask.
    pub fn new(
        read: CellRect,
        mask: Mask,
        paint: impl Fn(&SignalPass<'_>, &EditPiece<'_>, &EngineRegion) -> Result<EngineRegion> + 'p,
    ) -> EditPiece<'p> {
        EditPiece { rect: mask.rect.clone(), read, mask, paint: Box::new(paint) }
    }

    /// A piece painted by one kernel, once.
    pub fn of_kernel(read: CellRect, mask: Mask, kernel: Cow<'p, Kernel>) -> EditPiece<'p> {
        EditPiece::new(read, mask, move |pass, piece, before| pass.engine.run(&kernel, before, &piece.mask))
    }

    /// A piece painted by the [dabs](PlannedBrush::dabs_from) of a brush, each on the result of the previous one.
    pub fn of_dabs(read: CellRect, mask: Mask, brush: &'p (dyn PlannedBrush + 'p)) -> EditPiece<'p> {
        EditPiece::new(read, mask, move |pass, piece, before| {
            let engine = pass.engine;
            let is_here = |region: &EngineRegion| matches!(region, EngineRegion::Gpu(_)) == engine.gpu().is_some();
            if let Some(painted) = pass.place.painted(pass.signal).filter(|painted| is_here(painted)) {
                return engine.crop(painted, &piece.rect);
            }
            let mut canvas = engine.crop(before, &piece.read)?;
            for dab in brush.dabs_from(pass.place, 0, &piece.rect, pass.signal) {
                dab?.paint(engine, &mut canvas)?;
            }
            engine.crop(&canvas, &piece.rect)
        })
    }

    /// The signal's cells of [`rect`](EditPiece::rect) after the brush, given those of [`read`](EditPiece::read).
    ///
    /// # Errors
    /// Errors of the engine and of reading the sound.
    pub fn paint(&self, pass: &SignalPass<'_>, before: &EngineRegion) -> Result<EngineRegion> {
        (self.paint)(pass, self, before)
    }
}
