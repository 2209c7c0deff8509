//! A stroke from press to release: its cells while it is drawn, and its sound, from one plan.
//!
//! A session receives the points as they are drawn. The cost of each step depends on the cells that the new points
//! reach, not on the number of earlier points. The result depends only on the points, not on how they were grouped.

mod before;
mod canvas;
mod dabs;
mod drawn;
mod pending;
mod push;
mod span;

pub(crate) use drawn::{Drawn, MAX_LENGTH_RADII, STENCIL_FRAMES, StrokeForm, cell_of};

use super::brushes::Locality;
use super::edits::apply::apply_drawn;
use super::edits::plan::{EditPiece, Plan, Scope, SignalPass, grid_of};
use super::edits::wand::resolved;
use super::{Applied, Edit, Signal, Snapshot};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::kernels::GainKernel;
use crate::dsp::selections::mask;
use crate::dsp::selections::mask::StrokeMask;
use crate::dsp::{CellRect, Grid, Kernel, Point, Stroke, Transform};
use crate::engine::{Engine, EngineRegion};
use pending::Pending;

/// Maximum number of cells, over all signals, recomputed at each step of a brush whose cells depend on each other;
/// larger strokes are [marked](StrokeCells::is_marked).
const MAX_LIVE_CELLS: usize = 4_000_000;

/// Increase of level of [marked](StrokeCells::is_marked) cells.
pub const MARKED_DB: f64 = 6.0;

/// The state that a stroke starts from.
#[derive(Debug, Clone)]
pub struct PenDown {
    /// The sound.
    pub snapshot: Snapshot,
    /// Released edits that it does not include yet.
    pub pending: Vec<Edit>,
    /// Where kernels run.
    pub engine: Engine,
}

/// Cells changed by a stroke.
#[derive(Debug)]
pub struct StrokeCells {
    /// Per signal of the edit's channels, all with the same rectangle.
    pub signals: Vec<EngineRegion>,
    /// Frames of their grid per frame of the edit's transform.
    pub frames_per_frame: usize,
    /// Whether these are the cells at pen-down, raised where the brush acts, since its result is only known on release.
    pub is_marked: bool,
    /// The engine that holds them.
    pub engine: Engine,
}

/// A stroke in progress.
#[derive(Debug)]
pub struct StrokeSession {
    snapshot: Snapshot,
    pending: Vec<Pending>,
    edit: Edit,
    signals: Vec<Signal>,
    engine: Engine,
    grid: Grid,
    drawn: Drawn,
    /// Marks on the grid of the edit's own transform, if the edit works on a finer one.
    marks: Option<StrokeMask>,
    /// Cells as they were at pen-down, in the frames that the next steps read: all bins, per signal.
    held: Option<CellRegions>,
    /// Cells of the grid changed since the last output.
    changed: CellRect,
    /// Number of points included in the last output.
    n_given: usize,
    /// Cells painted or moved by dabs since then.
    moved: CellRect,
    /// The first frame of the edit at the last output.
    phase_start: usize,
    is_finished: bool,
    /// The error of the device that left this stroke to the CPU, until it is taken.
    failure: Option<Error>,
}

/// A rectangle, with one region per signal.
type CellRegions = (CellRect, Vec<EngineRegion>);

impl StrokeSession {
    /// Begins a stroke with the points of `edit`, if any. The cells of its steps do not have final phases: these are
    /// rebuilt or locked only in the sound.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit has no stroke or does not fit the sound, and those of reading the
    /// sound.
    pub fn begin(pen_down: PenDown, edit: &Edit) -> Result<StrokeSession> {
        let PenDown { snapshot, pending, engine } = pen_down;
        let edit = resolved(&snapshot, edit, engine.plans(), &Progress::new())?.into_owned();
        let Some(stroke) = &edit.stroke else {
            return Err(Error::new(ErrorKind::Script, "a session needs a stroke"));
        };
        let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
        let grid = match edit.transform {
            Transform::Stft(_) => grid_of(&snapshot, &edit, engine.plans())?,
            // Rows are displayed on one grid, and edited on others when the stroke is released.
            Transform::Rows(_) => {
                edit.brush.works_on(&edit.transform)?;
                snapshot.grid(&edit.transform)
            }
        };
        let mut drawn = Drawn::new(&grid, edit.brush.painting()?.stroke_form(), edit.select.as_ref(), stroke);
        let changed = drawn.extend(stroke, &stroke.points);
        let pending = pending.into_iter().map(Pending::new).collect();
        Ok(StrokeSession {
            snapshot,
            pending,
            signals,
            engine,
            grid,
            drawn,
            edit,
            marks: None,
            held: None,
            changed,
            n_given: 0,
            moved: CellRect::default(),
            phase_start: usize::MAX,
            is_finished: false,
            failure: None,
        })
    }

    /// Adds points.
    pub fn add(&mut self, points: &[Point]) {
        if let Some(stroke) = &mut self.edit.stroke {
            stroke.points.extend_from_slice(points);
            let brush = brush_of(stroke);
            self.changed = self.changed.union(&self.drawn.extend(&brush, points));
        }
    }

    /// Adds points. Returns the changed cells, `None` if there are none.
    ///
    /// # Errors
    /// Errors of the engine and of reading the sound.
    pub fn extend(&mut self, points: &[Point]) -> Result<Option<StrokeCells>> {
        self.add(points);
        self.cells(Ok)
    }

    /// Adds points, and ends the stroke if they are its last. Passes the changed cells to `show` and returns the
    /// result, `None` if no cells changed. The device receives the work of both in one submission; if it fails, both
    /// run on the CPU.
    ///
    /// # Errors
    /// As [`extend`](StrokeSession::extend), and errors of `show`.
    pub fn step<T>(
        &mut self,
        points: &[Point],
        is_last: bool,
        show: impl Fn(StrokeCells) -> Result<T>,
    ) -> Result<Option<T>> {
        self.add(points);
        if is_last {
            self.end();
        }
        self.cells(show)
    }

    /// Ends the stroke at its last point. Returns the changed cells.
    ///
    /// # Errors
    /// As [`extend`](StrokeSession::extend).
    pub fn finish(&mut self) -> Result<Option<StrokeCells>> {
        self.end();
        self.cells(Ok)
    }

    fn end(&mut self) {
        if let Some(stroke) = self.edit.stroke.as_ref().filter(|_| !self.is_finished)
            && let Some(&end) = stroke.points.last()
        {
            let end = Stroke { points: vec![end], ..brush_of(stroke) };
            self.changed = self.changed.union(&self.drawn.finish(&end));
        }
        self.is_finished = true;
    }

    /// The edit, with the stroke as drawn so far.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The signals of [`StrokeCells::signals`].
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The error of the device, once, if it failed and the rest of this stroke is computed on the CPU.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Work done since the stroke began, as a count of tiles visited and dabs processed; lets tests check the cost of a
    /// step.
    pub fn n_visits(&self) -> u64 {
        self.drawn.n_visits() + self.marks.as_ref().map_or(0, StrokeMask::n_visits)
    }

    /// The sound with the current stroke, without work that is left to the release, such as consistency steps. Excludes
    /// edits pending at pen-down.
    ///
    /// # Errors
    /// As [`apply`](super::apply()).
    pub fn sound(&mut self, progress: &Progress) -> Result<Snapshot> {
        match self.try_sound(progress) {
            Err(error) if error.is_of_gpu() => {
                self.fall_back(&error)?;
                self.try_sound(progress)
            }
            sound => sound,
        }
    }

    /// The finished edit's sound, identical to that of [`apply`](super::apply()).
    ///
    /// # Errors
    /// As [`apply`](super::apply()).
    pub fn commit(&self, progress: &Progress) -> Result<Applied> {
        super::apply(&self.snapshot, &self.edit, &self.engine, progress)
    }

    fn try_sound(&mut self, progress: &Progress) -> Result<Snapshot> {
        let engine = self.engine.clone();
        // A plan on rows reads the points of the stroke instead of its dabs.
        if self.drawn.is_push() && !self.is_on_rows() {
            self.push_dabs();
        } else if !self.is_on_rows() {
            let plan = self.plan(&engine)?.filter(|plan| plan.scope() == Scope::Dabs);
            if let Some(finishes) = plan.map(|plan| plan.finish().is_some()) {
                // Where phases are finished, painting is done on the CPU too.
                let engine = if finishes { engine.on_cpu() } else { engine };
                self.paint_dabs(&engine)?;
            }
        }
        apply_drawn(&self.snapshot, &self.edit, &self.drawn, &self.engine, progress)
    }

    /// Shows the changed cells, on the CPU if the device fails.
    fn cells<T>(&mut self, show: impl Fn(StrokeCells) -> Result<T>) -> Result<Option<T>> {
        match self.try_show(&show) {
            Err(error) if error.is_of_gpu() => {
                self.fall_back(&error)?;
                self.try_show(&show)
            }
            shown => shown,
        }
    }

    fn try_show<T>(&mut self, show: impl Fn(StrokeCells) -> Result<T>) -> Result<Option<T>> {
        let engine = self.engine.clone();
        engine.in_one_submission(|engine| self.try_cells(engine)?.map(show).transpose())
    }

    /// Switches this stroke to the CPU, recomputing what was drawn.
    fn fall_back(&mut self, error: &Error) -> Result<()> {
        self.engine.gpu().ok_or_else(|| error.clone())?.leave_to_cpu(error)?;
        self.engine = self.engine.on_cpu();
        self.failure = Some(error.clone());
        (self.held, self.marks, self.n_given) = (None, None, 0);
        self.drawn.canvas.clear();
        self.changed = self.drawn.bounds();
        self.moved = if self.drawn.is_push() { self.drawn.mask.bounds() } else { CellRect::default() };
        Ok(())
    }

    fn try_cells(&mut self, engine: &Engine) -> Result<Option<StrokeCells>> {
        if self.changed.is_empty() && self.moved.is_empty() && !self.is_finished {
            return Ok(None);
        }
        let computed = match self.computed(engine) {
            // On release, the edit is refused with this error.
            Err(error) if error.kind() == ErrorKind::Script => Computed::Unknown,
            computed => computed?,
        };
        let cells = match computed {
            Computed::Cells(signals) => {
                let frames_per_frame = self.edit.transform.frames_of_finer(self.grid.transform());
                Some(StrokeCells { signals, frames_per_frame, is_marked: false, engine: engine.clone() })
            }
            Computed::Nothing => None,
            Computed::Unknown => self.marked(engine)?,
        };
        self.changed = CellRect::default();
        self.n_given = self.edit.stroke.as_ref().map_or(0, |stroke| stroke.points.len());
        Ok(cells)
    }

    /// Whether it paints rows, which are displayed on one grid and edited on others.
    fn is_on_rows(&self) -> bool {
        self.edit.transform.as_stft().is_none()
    }

    fn computed(&mut self, engine: &Engine) -> Result<Computed> {
        if self.drawn.is_push() && !self.is_on_rows() {
            return self.pushed(engine);
        }
        self.ready_pending();
        if self.is_on_rows() {
            return self.painted_rows(engine);
        }
        let mut held = self.held.take();
        let computed = self.planned(&mut held, engine);
        self.held = held;
        computed
    }

    /// The result by the plan of an STFT.
    fn planned(&mut self, held: &mut Option<CellRegions>, engine: &Engine) -> Result<Computed> {
        let n_signals = self.signals.len();
        let Some(plan) = self.plan(engine)? else { return Ok(Computed::Nothing) };
        if !self.pending.is_empty() && !plan.reads_cells_only() {
            return Ok(Computed::Unknown);
        }
        match plan.scope() {
            Scope::Finished => return Ok(Computed::Unknown),
            Scope::Dabs if plan.n_cells() * n_signals > MAX_LIVE_CELLS => return Ok(Computed::Unknown),
            Scope::Dabs => {
                drop(plan);
                self.paint_dabs(engine)?;
                let changed = std::mem::take(&mut self.moved);
                return if changed.is_empty() {
                    Ok(Computed::Nothing)
                } else {
                    self.drawn.canvas.cells(engine, &changed).map(Computed::Cells)
                };
            }
            Scope::Whole if plan.n_pieces() != 1 || plan.n_cells() * n_signals > MAX_LIVE_CELLS => {
                return Ok(Computed::Unknown);
            }
            Scope::Whole | Scope::Local => {}
        }
        let start = plan.bounds().frames.start;
        let cells = self.painted(&plan, held, engine)?;
        drop(plan);
        self.phase_start = start;
        Ok(cells.map_or(Computed::Nothing, Computed::Cells))
    }

    /// The result on the displayed rows, for brushes that edit cell by cell; `Unknown` for others.
    fn painted_rows(&mut self, engine: &Engine) -> Result<Computed> {
        let is_built_up = self.edit.stroke.as_ref().is_some_and(|stroke| stroke.build_up);
        if self.edit.brush.locality() != Locality::Cell || is_built_up {
            return Ok(Computed::Unknown);
        }
        let mask = self.drawn.mask.evaluate(self.edit.select.as_ref(), &self.changed);
        if mask.rect.is_empty() {
            return Ok(Computed::Nothing);
        }
        let kernel = self.edit.brush.cell_kernel(&self.grid)?;
        let run = |before: &EngineRegion| engine.run(&kernel, before, &mask);
        self.at_pen_down(engine, &mask.rect)?.iter().map(run).collect::<Result<_>>().map(Computed::Cells)
    }

    /// The cells of `rect` at pen-down, from those that are [held](StrokeSession::held_before).
    fn at_pen_down(&mut self, engine: &Engine, rect: &CellRect) -> Result<Vec<EngineRegion>> {
        let mut held = self.held.take();
        let before = self.held_before(&mut held, engine, rect);
        self.held = held;
        before
    }

    /// The piece of a plan changed by the new points.
    fn changed_piece<'p>(&self, plan: &'p Plan<'_>) -> Result<EditPiece<'p>> {
        if plan.scope() != Scope::Local {
            return plan.piece(0);
        }
        let is_turned = plan.is_phased_from_its_start() && plan.bounds().frames.start != self.phase_start;
        plan.piece_on(if is_turned { plan.bounds().clone() } else { self.changed.intersect(plan.bounds()) })
    }

    fn plan(&self, engine: &Engine) -> Result<Option<Plan<'_>>> {
        Plan::of_drawn(&self.snapshot, &self.edit, Some(&self.drawn), engine.max_cells(), engine.plans())
    }

    /// The brush's result on the cells changed by the new points, per signal; `None` if there are none.
    fn painted(
        &self,
        plan: &Plan<'_>,
        held: &mut Option<CellRegions>,
        engine: &Engine,
    ) -> Result<Option<Vec<EngineRegion>>> {
        let piece = self.changed_piece(plan)?;
        if piece.rect.is_empty() {
            return Ok(None);
        }
        let before = self.held_before(held, engine, &piece.read)?;
        let after = |(index, before): (usize, &EngineRegion)| {
            let (snapshot, signal, later_signals) = (&self.snapshot, self.signals[index], &self.signals[index + 1..]);
            piece.paint(&SignalPass { snapshot, signal, later_signals, engine, place: &plan.place }, before)
        };
        before.iter().enumerate().map(after).collect::<Result<_>>().map(Some)
    }

    /// Paints the new dabs, or repaints all of them if the finished edit begins at another frame than assumed.
    fn paint_dabs(&mut self, engine: &Engine) -> Result<()> {
        let mut canvas = std::mem::take(&mut self.drawn.canvas);
        let start = self.plan(engine)?.map(|plan| plan.bounds().frames.start);
        if let Some(start) = start
            && (self.is_finished || !self.drawn.has_first_frame())
            && !self.drawn.set_first_frame(start)
        {
            canvas.clear();
        }
        let n_dabs = self.drawn.dabs().len();
        let changed = match self.plan(engine)? {
            None => Ok(CellRect::default()),
            Some(plan) => {
                let read = |rect: &CellRect| self.before(engine, &self.grid, rect);
                canvas.paint(&plan, &self.signals, n_dabs, engine, read)
            }
        };
        self.drawn.canvas = canvas;
        // If the dabs are painted for the sound first, their cells must still be displayed by the next step.
        self.moved = self.moved.union(&changed?);
        Ok(())
    }

    /// The cells at pen-down, louder where the new points reach.
    fn marked(&mut self, engine: &Engine) -> Result<Option<StrokeCells>> {
        self.ready_pending();
        let is_fine = self.grid.transform() != &self.edit.transform;
        let Some(stroke) = self.edit.stroke.as_ref().filter(|stroke| !stroke.points.is_empty()) else {
            return Ok(None);
        };
        let select = self.edit.select.as_ref();
        let (grid, mask) = if is_fine {
            let grid = self.snapshot.grid(&self.edit.transform);
            let marks = self.marks.get_or_insert_with(|| {
                let mut marks = StrokeMask::new(&grid, stroke);
                marks.extend(&stroke.points[..self.n_given]);
                marks
            });
            let reached = marks.extend(&stroke.points[marks.n_points()..]);
            let mask = marks.evaluate(select, &reached.intersect(&mask::bounds(&grid, None, select)));
            (grid, mask)
        } else {
            (self.grid.clone(), self.drawn.mask.evaluate(select, &self.changed))
        };
        if mask.rect.is_empty() {
            return Ok(None);
        }
        let kernel = Kernel::from(GainKernel::of_db(MARKED_DB));
        let before =
            if is_fine { self.before(engine, &grid, &mask.rect) } else { self.at_pen_down(engine, &mask.rect) };
        let signals = before?.iter().map(|before| engine.run(&kernel, before, &mask)).collect::<Result<_>>()?;
        Ok(Some(StrokeCells { signals, frames_per_frame: 1, is_marked: true, engine: engine.clone() }))
    }
}

/// Result of a step.
enum Computed {
    Cells(Vec<EngineRegion>),
    /// The new points affect nothing.
    Nothing,
    /// The result cannot be computed before the release.
    Unknown,
}

/// A stroke's brush without its points.
fn brush_of(stroke: &Stroke) -> Stroke {
    let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
    Stroke { points: Vec::new(), axis, radius, hardness, strength, build_up }
}
