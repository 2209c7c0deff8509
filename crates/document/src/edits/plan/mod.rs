//! Cuts an edit into pieces, rectangles of cells that its brush paints in turn. Each brush's [module](crate::brushes)
//! describes its effect.

mod addition;
mod cells;
mod dab_work;
mod finish;
mod layout;
mod placement;
mod planned;
mod signal_pass;

pub use addition::PlannedAddition;
pub use cells::{PlannedDabs, PlannedKernel};
pub use dab_work::{DabWork, DabWorks};
pub use finish::Finish;
pub use layout::EditLayout;
pub use placement::{Dabs, Placement, refuse_longest};
pub use planned::{BrushPlan, Cuts, EditPiece, PlannedBrush, Scope};
pub use signal_pass::SignalPass;

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::{CellRect, Grid};
use crate::engine::{Engine, PlannedGrid, Plans};
use crate::stroke::{Drawn, StrokeForm};
use crate::{Edit, Signal, Snapshot};
use std::ops::Range;

/// Maximum region painted dab by dab, since overlapping dabs cannot be split into pieces.
const MAX_DABBED_CELLS: usize = 1 << 24;

/// Maximum number of cells, over all source bins, whose phases are processed at once: some 30 bytes each.
const MAX_FINISHED_CELLS: usize = 1 << 24;

/// Minimum number of frames per piece, regardless of its cells.
const MIN_FRAMES: usize = 64;

/// Size limit of a piece.
#[derive(Debug, Clone, Copy)]
enum PieceLimit {
    /// Maximum number of cells read.
    Cells(usize),
    /// Length in samples, a whole number of slices.
    Samples(usize),
}

/// An edit laid out on one grid of a sound.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Placement of the edit.
    pub place: Placement<'a>,
    brush: Box<dyn PlannedBrush + 'a>,
    /// Every cell that may change.
    bounds: CellRect,
    finish: Option<Finish>,
    /// Frames of the pieces, ascending.
    pieces: Vec<Range<usize>>,
}

impl<'a> Plan<'a> {
    /// The plan of an edit on an STFT; `None` if it covers no cell. No piece reads more than `max_cells`, if the brush
    /// allows splitting.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit is too large for its brush, or its transform is invalid or not an
    /// STFT.
    pub fn new(snapshot: &Snapshot, edit: &'a Edit, max_cells: usize, plans: &Plans) -> Result<Option<Plan<'a>>> {
        Plan::of_drawn(snapshot, edit, None, max_cells, plans)
    }

    /// As [`new`](Plan::new), with a session's state of the edit's stroke, so that its points are not read again.
    ///
    /// # Errors
    /// As [`new`](Plan::new).
    pub fn of_drawn(
        snapshot: &Snapshot,
        edit: &'a Edit,
        drawn: Option<&'a Drawn>,
        max_cells: usize,
        plans: &Plans,
    ) -> Result<Option<Plan<'a>>> {
        let grid = grid_of(snapshot, edit, plans)?;
        let plan = plans.get(grid.transform().stft()?).into();
        Plan::on(PlannedGrid { grid, plan }, edit, drawn, PieceLimit::Cells(max_cells))
    }

    /// The plan of an edit on one grid.
    fn on(
        planned: PlannedGrid,
        edit: &'a Edit,
        drawn: Option<&'a Drawn>,
        limit: PieceLimit,
    ) -> Result<Option<Plan<'a>>> {
        let brush = edit.brush.painting()?;
        let (stroke, select) = (edit.stroke.as_ref(), edit.select.as_ref());
        let place = Placement::new(planned, stroke, select, edit.strength, drawn);
        // An added sound may have partials on grids that its stroke does not reach.
        let form = brush.stroke_form();
        if place.bounds.is_empty() && form != StrokeForm::Sound {
            return Ok(None);
        }
        let works_by_dabs = brush.builds_up() || form == StrokeForm::Dabs;
        if place.is_built_up() && !works_by_dabs {
            return Err(Error::new(ErrorKind::Script, format!("{} does not build up", edit.brush.kind())));
        }
        // The bounding rectangle of a stroke may contain cells outside its mask.
        let Some(plan) = brush.plan(&place)?.filter(|plan| !plan.bounds.is_empty()) else { return Ok(None) };
        let pieces = pieces_of(&place.grid, edit, &plan, limit)?;
        let BrushPlan { brush, bounds, finish } = plan;
        Ok(Some(Plan { place, brush, bounds, finish, pieces }))
    }

    /// Every cell that may change.
    pub fn bounds(&self) -> &CellRect {
        &self.bounds
    }

    /// Cells that may change, over all pieces.
    pub fn n_cells(&self) -> usize {
        self.bounds.n_cells()
    }

    /// How phases are finished at the end.
    pub fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// See [`PlannedBrush::notice`].
    pub fn notice(&self) -> Option<&'static str> {
        self.brush.notice(&self.place)
    }

    /// See [`PlannedBrush::make_ready`].
    ///
    /// # Errors
    /// Errors of the brush, and [`Cancelled`](ErrorKind::Cancelled).
    pub fn make_ready(&self, snapshot: &Snapshot, engine: &Engine, progress: &Progress) -> Result<Vec<String>> {
        self.brush.make_ready(snapshot, engine, progress)
    }

    /// See [`PlannedBrush::adds_sound`].
    pub fn adds_sound(&self) -> bool {
        self.brush.adds_sound()
    }

    /// Number of pieces.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The first sample that a piece may change; negative before the sound.
    pub fn first_sample(&self, index: usize) -> i64 {
        self.place.grid.first_sample_under(self.pieces[index].start)
    }

    /// One of the pieces.
    ///
    /// # Errors
    /// As [`new`](Plan::new).
    pub fn piece(&self, index: usize) -> Result<EditPiece<'_>> {
        let rect = CellRect::new(self.pieces[index].clone(), self.bounds.bins.clone());
        self.brush.piece(&self.place, index, rect)
    }

    /// The edit on a rectangle within its bounds, for a [`Local`](Scope::Local) plan.
    ///
    /// # Errors
    /// As [`piece`](Plan::piece).
    pub fn piece_on(&self, rect: CellRect) -> Result<EditPiece<'_>> {
        self.brush.piece(&self.place, 0, rect)
    }

    /// How much of the edit must be computed again when its stroke grows.
    pub fn scope(&self) -> Scope {
        self.brush.scope()
    }

    /// See [`PlannedBrush::samples`].
    pub fn samples(&self) -> Option<&[Range<u64>]> {
        self.brush.samples()
    }

    /// See [`PlannedBrush::reads_cells_only`].
    pub fn reads_cells_only(&self) -> bool {
        self.brush.reads_cells_only()
    }

    /// See [`PlannedBrush::is_phased_from_its_start`].
    pub fn is_phased_from_its_start(&self) -> bool {
        self.brush.is_phased_from_its_start()
    }

    /// The union of cells read by all dabs.
    pub fn read_by_dabs(&self) -> CellRect {
        self.brush.read(&self.place, &self.bounds)
    }

    /// See [`PlannedBrush::dabs_from`].
    pub fn dabs_from<'b>(&'b self, first: usize, rect: &'b CellRect, signal: Signal) -> DabWorks<'b> {
        self.brush.dabs_from(&self.place, first, rect, signal)
    }
}

/// The frames of an edit's pieces, each within the limit if the brush allows splitting.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it does not, and the edit is too large for one piece.
fn pieces_of(grid: &Grid, edit: &Edit, plan: &BrushPlan<'_>, limit: PieceLimit) -> Result<Vec<Range<usize>>> {
    let (frames, refuse) = (plan.bounds.frames.clone(), |what| Err(Error::new(ErrorKind::Script, what)));
    if let Some(finish) = &plan.finish
        && frames.len() * finish.n_bins(grid) > MAX_FINISHED_CELLS
    {
        return refuse(format!(
            "{} works on the whole area at once, which is too large (over 16 million cells); select less time",
            edit.brush.kind()
        ));
    }
    match plan.brush.cuts() {
        Cuts::Into(pieces) => Ok(pieces),
        // Phases are finished in one piece.
        _ if plan.finish.is_some() => Ok(vec![frames]),
        Cuts::NowhereByDabs if plan.bounds.n_cells() > MAX_DABBED_CELLS => refuse(
            "this stroke covers too large an area for a brush that works dab by dab (over 16 million cells); use several \
             strokes"
                .into(),
        ),
        Cuts::Nowhere | Cuts::NowhereByDabs => Ok(vec![frames]),
        Cuts::Anywhere => {
            let (first, n_frames) = match limit {
                PieceLimit::Cells(max_cells) => {
                    let n_read = max_cells / grid.n_bins();
                    (frames.start, n_read.saturating_sub(2 * plan.brush.halo()[0]).max(MIN_FRAMES))
                }
                PieceLimit::Samples(n_samples) => {
                    let n_frames = grid.frames_in_samples(n_samples).max(1);
                    (frames.start / n_frames * n_frames, n_frames)
                }
            };
            let starts = (first..frames.end).step_by(n_frames);
            Ok(starts.map(|start| start.max(frames.start)..(start + n_frames).min(frames.end)).collect())
        }
    }
}

/// The grid for an edit on an STFT: that of the edit's transform, for brushes that move sound through time refined to
/// at least eight frames per window.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the transform is invalid, unsupported by this brush, or not an STFT.
pub fn grid_of(snapshot: &Snapshot, edit: &Edit, plans: &Plans) -> Result<Grid> {
    let own = plans.validated(&edit.transform)?;
    edit.brush.works_on(&edit.transform)?;
    let own = own.stft()?;
    Ok(snapshot.grid(if edit.brush.is_on_fine_grid() { own.for_moves() } else { own }))
}
