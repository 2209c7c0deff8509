//! The kinds of edits: painting cells, processing samples, adding sound, and cutting or inserting time.

use super::sample_edit::SampleEdit;
use crate::base::{Error, ErrorKind, Result};
use crate::document::edits::plan::{BrushPlan, Finish, Placement, PlannedDabs, PlannedKernel};
use crate::document::edits::time::{Retimed, TimeChange, TimePlace};
use crate::document::labels::LabelSet;
use crate::document::sound::added::{AddedSound, LiveSound};
use crate::document::stroke::StrokeForm;
use crate::dsp::transforms::rows::{RowBank, RowTable};
use crate::dsp::{Axis, Grid, Kernel, Selection, Stroke};
use std::ops::Range;

/// Whether a brush is drawn with a stroke: optionally, always or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrokeUse {
    /// With a stroke, over a selection, or both.
    Optional,
    /// Only with a stroke; contains the name of the brush for errors.
    Required(&'static str),
    /// Without a stroke.
    Never,
}

/// How much of the sound affects the result of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// The cell's own magnitude: its kernel can run on the maxima of a pyramid, too.
    Cell,
    /// Cells around it.
    Neighbourhood,
    /// Any part of the sound: the brush has no kernel on single cells.
    Whole,
}

/// Scale of the magnitudes passed to a cell kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MagnitudeScale {
    /// Magnitudes as scaled by the grid's transform.
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

/// The effect of an edit.
pub enum Operation<'a> {
    /// Paints cells of a transform.
    Cells(&'a dyn CellBrush),
    /// Processes samples, over a range of time or the sound of any other selection; without a stroke.
    Samples(&'a dyn SampleEdit),
    /// Adds a sound as samples; paints cells if limited by a selection.
    Added(&'a dyn AddedBrush),
    /// Cuts or inserts time.
    Time(&'a dyn TimeBrush),
    /// Changes labels, but no sample.
    Labels(&'a dyn LabelBrush),
}

impl<'a> Operation<'a> {
    /// The brush as a [`CellBrush`]; `None` if it never paints cells.
    pub fn cells(self) -> Option<&'a dyn CellBrush> {
        match self {
            Operation::Cells(brush) => Some(brush),
            Operation::Added(brush) => Some(brush),
            Operation::Samples(_) | Operation::Time(_) | Operation::Labels(_) => None,
        }
    }

    /// The brush as an [`AddedBrush`]; `None` if it adds no sound as samples.
    pub fn added(self) -> Option<&'a dyn AddedBrush> {
        match self {
            Operation::Added(brush) => Some(brush),
            Operation::Cells(_) | Operation::Samples(_) | Operation::Time(_) | Operation::Labels(_) => None,
        }
    }
}

/// The name of a brush's kind in scripts, for errors.
pub trait Kind {
    /// Name of its kind in scripts.
    fn kind(&self) -> &'static str;
}

/// A brush that paints cells. A brush with a [kernel](CellBrush::cell_kernel) needs to implement only that and its
/// [`locality`](CellBrush::locality).
pub trait CellBrush: Kind {
    /// How much of the sound determines the result of one cell.
    fn locality(&self) -> Locality {
        Locality::Whole
    }

    /// Its kernel on single cells or their neighbourhoods, for magnitudes of a scale; `None` if its
    /// [`locality`](CellBrush::locality) is the whole sound.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it reaches too far on this grid.
    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(None)
    }

    /// The plan for the cells that an edit may change; `None` if there are none. By default it runs its
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

    /// Whether it is drawn with a stroke: optionally, always or never.
    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Optional
    }

    /// The kind of data in its stroke.
    fn stroke_form(&self) -> StrokeForm {
        StrokeForm::Mask
    }

    /// Whether it can act once per dab ([`Stroke::build_up`](crate::dsp::Stroke::build_up)).
    fn builds_up(&self) -> bool {
        true
    }

    /// Whether its effect is shown while drawing.
    fn is_seen_live(&self) -> bool {
        true
    }

    /// Whether radius and hardness of its stroke have an effect.
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

    /// Time at which its sound ends, in seconds, given its stroke; `None` for the end of the stroke.
    fn end_secs(&self, _: Option<&Stroke>) -> Option<f64> {
        None
    }

    /// Number of Griffin-Lim steps with which it rebuilds phases from magnitudes; `None` if it keeps or moves them.
    fn phase_steps(&self) -> Option<u32> {
        None
    }

    /// Whether it attenuates cells: overlapping frames would refill small holes, so such edits get consistency steps by
    /// default.
    fn leaves_holes(&self) -> bool {
        false
    }

    /// The area that is erased before it is applied, if any.
    fn clears(&self) -> Option<&Selection> {
        None
    }

    /// Number of windows by which it extends a selection on an STFT in time, on each side: the sound it replaces also
    /// affects neighbouring frames.
    fn windows_beside(&self) -> f64 {
        0.0
    }

    /// Checks that it works on the cells of rows of a scale.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it does not, with the reason.
    fn works_on_rows(&self) -> Result<()> {
        Ok(())
    }

    /// Whether it works on one grid over all rows it reaches, since it moves sound between rows or filters across them;
    /// otherwise each group has its own.
    fn is_on_one_grid_of_rows(&self) -> bool {
        self.is_on_fine_grid()
    }

    /// The rows read to write `rows`, including these; for brushes on [one grid](CellBrush::is_on_one_grid_of_rows).
    /// The last arguments are the axis of the edit, and the radius of its stroke in units of that axis, 0 without a
    /// stroke.
    fn rows_read(&self, _: &RowTable, rows: Range<usize>, _: Axis, _: f64) -> Range<usize> {
        rows
    }

    /// Whether the sound it moves is a single event at the resolution of some rows: then the rows of each group are
    /// moved on a grid of their own.
    fn moves_one_event(&self, _: &RowBank, _: Range<usize>) -> bool {
        false
    }
}

/// A brush that adds a sound as samples. Its plan, for a selection, is a
/// [`PlannedAddition`](crate::document::edits::plan::PlannedAddition).
pub trait AddedBrush: CellBrush {
    /// The sound at a sample rate; `None` if a required stroke is missing.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a stroke that does not fit the brush.
    fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>>;

    /// Whether it can [sound](AddedBrush::live) while it is drawn or a key is pressed.
    fn is_live(&self) -> bool {
        false
    }

    /// The sound that it plays while it is drawn or a key is pressed; `None` if it plays none.
    fn live(&self) -> Option<Box<dyn LiveSound>> {
        None
    }
}

/// A brush that cuts or inserts time, on all channels.
pub trait TimeBrush: Kind {
    /// Its changes of time in order, each in sample positions of the sound before that change; empty if it changes
    /// nothing.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it does not fit the sound.
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>>;

    /// The sound after these changes.
    ///
    /// # Errors
    /// As [`changes`](TimeBrush::changes), and [`Limit`](ErrorKind::Limit) for more samples than a file can contain.
    fn retimed(&self, place: &TimePlace<'_>, changes: &[TimeChange]) -> Result<Retimed>;
}

/// A brush that changes labels but no samples.
pub trait LabelBrush {
    /// The labels after the edit.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit does not fit the labels, [`Limit`](ErrorKind::Limit) for too many
    /// labels.
    fn labels_after(&self, labels: &LabelSet) -> Result<LabelSet>;
}

/// The error of a brush that does not support rows.
pub(super) fn of_stft_only(kind: &str) -> Error {
    Error::new(ErrorKind::Script, format!("{kind} works on an STFT only; choose an FFT size"))
}
