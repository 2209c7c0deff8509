//! Moves sound in frequency; shared by clone and paste.

use crate::base::{Error, ErrorKind, Result, lock};
use crate::document::edits::plan::{Cuts, EditPiece, Placement, SignalPass};
use crate::dsp::transforms::rows::{RowMove, RowShift};
use crate::dsp::warps::displacement::Displacement;
use crate::dsp::warps::partials;
use crate::dsp::warps::partials::TrackState;
use crate::dsp::{Axis, CellRect, Grid, Kernel, Mask, RowsPlan};
use crate::engine::{Engine, EngineRegion};
use std::collections::HashMap;
use std::sync::Mutex;

/// Reason that the turns of moved partials are computed on the CPU.
pub(in crate::brushes) const MOVED_ROWS_WHY: &str = "turns of rows are summed in f64";
/// Reason that partials are moved on the CPU.
const PARTIALS_WHY: &str = "partials are found and summed in f64";

/// Maximum distance by which sound is moved, in samples, so that sums of sample positions never overflow.
pub(in crate::brushes) const FARTHEST_SAMPLES: i64 = 1 << 52;

/// Maximum area to which sound is moved through rows in one step, in cells.
const MAX_MOVED_CELLS: usize = 1 << 25;

/// Refuses to move sound through rows over too large an area in one step.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for more than [`MAX_MOVED_CELLS`] cells.
pub(in crate::brushes) fn refuse_too_many_moved(place: &Placement<'_>, units: f64, kind: &str) -> Result<()> {
    if units == 0.0 || place.plan.rows().is_none() || place.bounds.n_cells() <= MAX_MOVED_CELLS {
        return Ok(());
    }
    let why =
        format!("this {kind} covers too large an area (over 33 million cells); select less time or fewer frequencies");
    Err(Error::new(ErrorKind::Script, why))
}

/// The [turns](RowMove::turns) of a move through rows. Cells are read back from a device only if any are rotated.
///
/// # Errors
/// Errors of the engine.
pub(in crate::brushes) fn row_turns(
    engine: &Engine,
    way: &RowMove<'_>,
    source: &EngineRegion,
    mask: &Mask,
) -> Result<Vec<f64>> {
    if !way.rotates(mask) {
        return Ok(vec![0.0; mask.values.len()]);
    }
    let source = engine.read(source)?;
    Ok(engine.here("row_turns", MOVED_ROWS_WHY, || way.turns(&source, mask)))
}

/// Shifts sound down by `units` of an axis: all of it by the same number of hertz on a linear axis, otherwise [each
/// partial](crate::dsp::warps::partials) separately.
#[derive(Debug)]
pub(in crate::brushes) struct FrequencyShift {
    axis: Axis,
    units: f64,
    /// First frame of the edit, from which phase rotations are counted.
    first_frame: usize,
    /// The plan on rows; `None` on an STFT.
    rows: Option<RowsPlan>,
    /// The sample around which the sound is a single event at the rows' resolution, possibly fractional; `None` for
    /// sustained sound.
    event_sample: Option<f64>,
    /// State of moving partials handed from one piece to the next, by signal and the first frame of the next piece.
    carried: Mutex<HashMap<(u64, usize), TrackState>>,
}

impl FrequencyShift {
    /// A shift for an edit that begins at `first_frame`.
    pub fn new(place: &Placement<'_>, axis: Axis, units: f64, first_frame: usize) -> FrequencyShift {
        let (rows, event_sample) = (place.plan.rows().cloned(), None);
        FrequencyShift { axis, units, first_frame, rows, event_sample, carried: Mutex::default() }
    }

    /// Sets the sample around which the sound is a single event, if any.
    #[must_use]
    pub fn about(self, event_sample: Option<f64>) -> FrequencyShift {
        FrequencyShift { event_sample, ..self }
    }

    /// Where pieces may be cut: nowhere on rows, whose phases run through all columns.
    pub fn cuts(&self) -> Cuts {
        if self.rows.is_some() && self.moves() { Cuts::Nowhere } else { Cuts::Anywhere }
    }

    /// The cells to read for moving sound to the cells of a mask. On an STFT, only the frames of the result are
    /// meaningful.
    pub fn source(&self, place: &Placement<'_>, mask: &Mask) -> CellRect {
        match &self.rows {
            Some(rows) if self.moves() => self.on_rows(rows).cells_read(mask, place.grid.n_samples),
            _ => mask.rect.clone(),
        }
    }

    /// The shift as an operation on rows.
    fn on_rows<'r>(&self, rows: &'r RowsPlan) -> RowMove<'r> {
        let shift = RowShift::Grab([0.0, -self.units]);
        RowMove { bank: &rows.bank, group: rows.group(), axis: self.axis, shift, keeps_pitch: false }
    }

    /// Whether it moves anything.
    pub fn moves(&self) -> bool {
        self.units != 0.0
    }

    /// Whether each partial is moved by a different number of hertz.
    pub fn is_by_partials(&self) -> bool {
        self.moves() && self.axis != Axis::Linear
    }

    /// The kernel that moves all sound by the same number of hertz to the cells of a mask; `None` on rows, by partials,
    /// and if nothing moves.
    pub fn kernel(&self, grid: &Grid, mask: &Mask) -> Option<Kernel> {
        if !self.moves() || self.is_by_partials() || self.rows.is_some() {
            return None;
        }
        let field = Displacement::shift(grid, mask, self.axis, self.units, self.first_frame);
        Some(Kernel::resampling(grid, field))
    }

    /// The moved cells of a piece, given the samples of its [source](FrequencyShift::source); `kernel` is that of the
    /// piece's mask.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn moved(
        &self,
        pass: &SignalPass<'_>,
        piece: &EditPiece<'_>,
        samples: &[f32],
        kernel: Option<&Kernel>,
    ) -> Result<EngineRegion> {
        let (grid, plan, frames) = (&pass.place.grid, &pass.place.plan, piece.rect.frames.clone());
        let all_bins = grid.all_bins(frames.clone());
        if let Some(kernel) = kernel {
            let bins = match kernel {
                Kernel::Resample { displacement, .. } => displacement.bins_read(grid.n_bins()),
                _ => all_bins.bins,
            };
            let source = pass.engine.analyse(plan, samples, &CellRect::new(frames, bins))?;
            return pass.engine.run(kernel, &source, &piece.mask);
        }
        if !self.moves() {
            return pass.engine.analyse(plan, samples, &piece.rect);
        }
        if let Some(rows) = &self.rows {
            let way = self.on_rows(rows);
            let source = pass.engine.analyse(plan, samples, &self.source(pass.place, &piece.mask))?;
            // Sound moves by the full distance wherever the mask is above 0; the mask mixes it with the original
            // afterwards.
            let acts = piece.mask.values.iter().map(|m| f32::from(u8::from(*m > 0.0))).collect();
            let acts = Mask { rect: piece.mask.rect.clone(), values: acts };
            let turns = match self.event_sample {
                Some(sample) => pass.engine.here("row_turns", MOVED_ROWS_WHY, || way.turns_about(&acts, sample)),
                None => row_turns(pass.engine, &way, &source, &acts)?,
            };
            return pass.engine.move_rows(&way, &source, &acts, &turns);
        }
        // Analysed on the CPU too, so that both engines find the same peaks.
        let on_cpu = pass.engine.on_cpu_for(PARTIALS_WHY);
        let source = on_cpu.download(on_cpu.analyse(plan, samples, &all_bins)?)?;
        let mut carried = self.carried_to(pass, frames.start);
        let stft = plan.stft()?;
        let shift = || partials::shift(grid, stft, self.axis, -self.units, &source, &piece.mask, &mut carried);
        let moved = pass.engine.here("partials", PARTIALS_WHY, shift);
        self.carry_to(pass, frames.end, carried);
        pass.engine.upload(moved)
    }

    /// State passed to the piece that starts at `frame` from the previous one; the initial state if that was not
    /// painted.
    fn carried_to(&self, pass: &SignalPass<'_>, frame: usize) -> TrackState {
        lock(&self.carried).get(&(pass.signal.number(), frame)).cloned().unwrap_or_default()
    }

    fn carry_to(&self, pass: &SignalPass<'_>, frame: usize, what: TrackState) {
        lock(&self.carried).insert((pass.signal.number(), frame), what);
    }
}
