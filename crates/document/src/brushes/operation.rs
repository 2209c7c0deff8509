//! What an edit does to the sound: paint cells, work on samples, add a sound, or cut and add time.

use super::sample_edit::SampleEdit;
use crate::base::{Error, ErrorKind, Result};
use crate::document::added::{AddedSound, LiveSound};
use crate::document::labels::LabelSet;
use crate::document::plan::{BrushPlan, Finish, Placement, PlannedDabs, PlannedKernel};
use crate::document::stroke::StrokeForm;
use crate::document::time::{Retimed, TimeChange, TimePlace};
use crate::dsp::rows::{RowBank, RowTable};
use crate::dsp::{Axis, Grid, Kernel, Selection, Stroke};
use std::ops::Range;

/// Whether a brush is drawn by a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrokeUse {
    /// By a stroke, over a selection, or both.
    Optional,
    /// Only by a stroke; what needs it, for errors.
    Required(&'static str),
    /// It takes none.
    Never,
}

/// How much of the sound determines the result of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// The cell's own magnitude: its kernel can run on the maxima of a pyramid, too.
    Cell,
    /// Cells around it.
    Neighbourhood,
    /// Anything: there is no kernel of single cells.
    Whole,
}

/// The scale of the magnitudes that a cell kernel gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MagnitudeScale {
    /// Magnitudes as the grid's transform scales them.
    Transform,
    /// Amplitudes, where 1 is a full-scale sine: the maxima of a pyramid.
    Amplitude,
}

impl MagnitudeScale {
    /// The magnitude at a level; 0 dB is a full-scale sine.
    pub fn magnitude_from_db(self, grid: &Grid, level_db: f64) -> f64 {
        match self {
            MagnitudeScale::Transform => grid.transform().magnitude_from_db(level_db),
            MagnitudeScale::Amplitude => 10f64.powf(level_db / 20.0),
        }
    }
}

/// What an edit does.
pub enum Operation<'a> {
    /// Paints cells of a transform.
    Cells(&'a dyn CellBrush),
    /// Works on samples, over a range of time or over what any other selection holds; it takes no stroke.
    Samples(&'a dyn SampleEdit),
    /// Adds a sound as samples; where a selection confines it, it paints cells.
    Added(&'a dyn AddedBrush),
    /// Cuts time or adds it.
    Time(&'a dyn TimeBrush),
    /// Changes labels and no sample.
    Labels(&'a dyn LabelBrush),
}

impl<'a> Operation<'a> {
    /// How it paints cells; `None` if it never does.
    pub fn cells(self) -> Option<&'a dyn CellBrush> {
        match self {
            Operation::Cells(brush) => Some(brush),
            Operation::Added(brush) => Some(brush),
            Operation::Samples(_) | Operation::Time(_) | Operation::Labels(_) => None,
        }
    }

    /// The sound that it adds; `None` for all others.
    pub fn added(self) -> Option<&'a dyn AddedBrush> {
        match self {
            Operation::Added(brush) => Some(brush),
            Operation::Cells(_) | Operation::Samples(_) | Operation::Time(_) | Operation::Labels(_) => None,
        }
    }
}

/// The name of a brush's kind in scripts, for errors.
pub trait Kind {
    /// Its kind.
    fn kind(&self) -> &'static str;
}

/// A brush that paints cells. One that states its [kernel](CellBrush::cell_kernel) needs nothing more.
pub trait CellBrush: Kind {
    /// How much of the sound decides about one cell.
    fn locality(&self) -> Locality {
        Locality::Whole
    }

    /// Its kernel on single cells or their neighbourhoods, of magnitudes of a scale; `None` where
    /// [`locality`](CellBrush::locality) is the whole.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it reaches too far on this grid.
    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(None)
    }

    /// What it does to the cells that an edit may change; `None` if there are none. Without its own plan, it runs its
    /// [kernel](CellBrush::cell_kernel), once per dab where the stroke builds up.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit does not fit the brush, or is too large for it.
    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let kernel = || {
            let none = || Error::new(ErrorKind::Internal, format!("{} has no kernel of single cells", self.kind()));
            self.cell_kernel(&place.grid, MagnitudeScale::Transform)?.ok_or_else(none)
        };
        let bounds = place.bounds.clone();
        let plan = if place.is_built_up() {
            BrushPlan::new(PlannedDabs { dabs: place.dabs(self.kind())?, kernel: kernel()? }, bounds)
        } else {
            BrushPlan::new(PlannedKernel(kernel()?), bounds)
        };
        Ok(Some(plan.finished_by(self.phase_steps().map(Finish::Rebuild))))
    }

    /// Whether it is drawn by a stroke.
    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Optional
    }

    /// What it takes from its stroke.
    fn stroke_form(&self) -> StrokeForm {
        StrokeForm::Mask
    }

    /// Whether it can act once per dab ([`Stroke::build_up`](crate::dsp::Stroke::build_up)).
    fn builds_up(&self) -> bool {
        true
    }

    /// Whether what it does is seen while it is drawn.
    fn is_seen_live(&self) -> bool {
        true
    }

    /// Whether radius and hardness of its stroke count.
    fn is_shaped(&self) -> bool {
        true
    }

    /// Whether its stroke is a pitch over time, which may snap to notes.
    fn is_pitched(&self) -> bool {
        false
    }

    /// Whether it works on a grid of at least eight frames per window, since it moves sound through time.
    fn is_on_fine_grid(&self) -> bool {
        false
    }

    /// Whether it adds sound to silence.
    fn makes_sound(&self) -> bool {
        false
    }

    /// Where the sound that it makes ends, in seconds, given its stroke; `None` if that is where the stroke ends.
    fn end_secs(&self, _: Option<&Stroke>) -> Option<f64> {
        None
    }

    /// The steps after which it leaves phases rebuilt from magnitudes; `None` if it keeps or moves them.
    fn phase_steps(&self) -> Option<u32> {
        None
    }

    /// Whether it leaves holes, which their surroundings would refill.
    fn leaves_holes(&self) -> bool {
        false
    }

    /// What is erased before it is applied.
    fn clears(&self) -> Option<&Selection> {
        None
    }

    /// By how many windows a selection of an STFT reaches farther in time on each side for it: what it replaces is
    /// heard in frames beside it.
    fn windows_beside(&self) -> f64 {
        0.0
    }

    /// Whether it works on the cells of rows of a scale.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the reason.
    fn works_on_rows(&self) -> Result<()> {
        Ok(())
    }

    /// Whether it works on one grid over all rows that it reaches, since it moves sound from row to row or filters
    /// across them; else on each group's own.
    fn is_on_one_grid_of_rows(&self) -> bool {
        self.is_on_fine_grid()
    }

    /// The rows of a scale that it reads to write `rows`, in units of an axis, itself included; for brushes on
    /// [one grid](CellBrush::is_on_one_grid_of_rows). The last is the radius of its stroke in these units, 0 without one.
    fn rows_read(&self, _: &RowTable, rows: Range<usize>, _: Axis, _: f64) -> Range<usize> {
        rows
    }

    /// Whether what it moves is one event to each of some rows: then the rows of each group are moved on a grid of
    /// their own.
    fn moves_one_event(&self, _: &RowBank, _: Range<usize>) -> bool {
        false
    }
}

/// A brush that adds a sound as samples. Its plan, for a selection, is a
/// [`PlannedAddition`](crate::document::plan::PlannedAddition).
pub trait AddedBrush: CellBrush {
    /// The sound at a sample rate; `None` without a stroke that it needs.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a stroke that cannot be its own.
    fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>>;

    /// Whether it says how it sounds while a hand [holds it](AddedBrush::live).
    fn is_live(&self) -> bool {
        false
    }

    /// How it sounds while a hand holds it and nothing plays; `None` for a brush that is not heard so.
    fn live(&self) -> Option<Box<dyn LiveSound>> {
        None
    }
}

/// A brush that cuts time or adds it, on all channels.
pub trait TimeBrush: Kind {
    /// What it does to time, in order, each in samples of the sound before it; nothing where it changes none.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it does not fit the sound.
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>>;

    /// The sound after these changes, which are its own.
    ///
    /// # Errors
    /// As [`changes`](TimeBrush::changes), and [`Limit`](ErrorKind::Limit) for more than a file can hold.
    fn retimed(&self, place: &TimePlace<'_>, changes: &[TimeChange]) -> Result<Retimed>;
}

/// A brush that changes labels and no sample.
pub trait LabelBrush {
    /// The labels after it.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it does not fit them, [`Limit`](ErrorKind::Limit) for too many.
    fn labels_after(&self, labels: &LabelSet) -> Result<LabelSet>;
}

/// Why a brush refuses rows.
pub(super) fn of_stft_only(kind: &str) -> Error {
    Error::new(ErrorKind::Script, format!("{kind} works on an STFT only; choose an FFT size"))
}
