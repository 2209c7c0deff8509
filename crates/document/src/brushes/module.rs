//! What a brush states about itself.

use super::parameter::{Parameter, ParameterValue};
use super::sample_edit::SampleEdit;
use super::trial::BrushTrial;
use crate::base::{Error, ErrorKind, Result};
use crate::document::Snapshot;
use crate::document::added::{AddedSound, LiveSound};
use crate::document::learn::EditSound;
use crate::document::plan::{BrushPlan, Finish, Placement, PlannedDabs, PlannedKernel};
use crate::document::script::fields::Fields;
use crate::document::stroke::StrokeForm;
use crate::dsp::rows::{RowBank, RowTable};
use crate::dsp::{Axis, Grid, Kernel, Selection, Stroke};
use serde_json::{Map, Value};
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

/// How much of the sound decides what becomes of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// The cell's own magnitude: its kernel can run on the maxima of a pyramid, too.
    Cell,
    /// Cells around it.
    Neighbourhood,
    /// Anything: there is no kernel of single cells.
    Whole,
}

/// What the magnitudes are that a cell kernel gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MagnitudeScale {
    /// Those of the grid's transform.
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

/// The tool that paints with a brush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrushTool {
    /// The kind of its brush.
    pub kind: &'static str,
    /// Its id among the commands.
    pub id: &'static str,
    /// What menus and accessible labels call it.
    pub name: &'static str,
    /// One sentence for the tooltip.
    pub what: &'static str,
    /// The key that takes it in hand, with Shift.
    pub key: char,
    /// Its icon, one of the icon font's.
    pub icon: char,
}

/// How many of the brushes state their tool.
pub(super) const fn n_tools(all: &[Option<BrushTool>]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < all.len() {
        n += all[i].is_some() as usize;
        i += 1;
    }
    n
}

/// The tools that brushes state; `N` of them.
pub(super) const fn tools<const N: usize>(all: &[Option<BrushTool>]) -> [BrushTool; N] {
    let none = BrushTool { kind: "", id: "", name: "", what: "", key: ' ', icon: ' ' };
    let (mut tools, mut n, mut i) = ([none; N], 0, 0);
    while i < all.len() {
        if let Some(tool) = all[i] {
            tools[n] = tool;
            n += 1;
        }
        i += 1;
    }
    tools
}

/// A brush with its parameters.
pub trait BrushModule: Clone + Sized {
    /// The name of its kind in scripts.
    const KIND: &'static str;
    /// What the history calls it.
    const NAME: &'static str;
    /// Its tool; `None` for brushes whose tools the workbench names, and for those without one.
    const TOOL: Option<BrushTool> = None;
    /// Its parameters, in the order of the option bar and of [`values`](BrushModule::values).
    const PARAMETERS: &'static [Parameter] = &[];
    /// How much of the sound decides about one cell.
    const LOCALITY: Locality = Locality::Whole;
    /// Whether it changes samples, by its [`sample_edit`](BrushModule::sample_edit), and paints no cell: it takes no stroke,
    /// and any transform will do.
    const IS_OF_SAMPLES: bool = false;
    /// Whether it can act once per dab ([`Stroke::build_up`](crate::dsp::Stroke::build_up)).
    const BUILDS_UP: bool = !Self::IS_OF_SAMPLES;
    /// Whether it works on a grid of at least eight frames per window, since it moves sound through time.
    const IS_ON_FINE_GRID: bool = false;
    /// Whether it makes sound where there is none.
    const MAKES_SOUND: bool = false;
    /// Whether what it does is seen while it is drawn.
    const IS_SEEN_LIVE: bool = !Self::IS_OF_SAMPLES;
    /// Whether radius and hardness of its stroke count.
    const IS_SHAPED: bool = true;
    /// Whether it says how it sounds while a hand [holds it](BrushModule::live).
    const IS_LIVE: bool = false;
    /// Whether its stroke is a pitch over time.
    const IS_PITCHED: bool = false;

    /// The brush as its tool first comes, with what scripts may omit; `None` if it has no usual form.
    fn usual() -> Option<Self>;

    /// The values of its parameters.
    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        Vec::new()
    }

    /// Reads it from a script.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the place of what is wrong.
    fn read(fields: &Fields) -> Result<Self> {
        let brush = Self::usual();
        let mut brush =
            brush.ok_or_else(|| Error::new(ErrorKind::Internal, format!("{} has no usual form", Self::KIND)))?;
        read_parameters(&mut brush, fields)?;
        Ok(brush)
    }

    /// Writes its parameters as a script has them.
    fn write(&self, object: &mut Map<String, Value>) {
        write_parameters(self, object);
    }

    /// Its parameters in the table of scripts.
    fn table_cell() -> String {
        let Some(mut usual) = Self::usual() else { return "none".into() };
        let values = usual.values();
        let described: Vec<String> =
            Self::PARAMETERS.iter().zip(&values).map(|(parameter, value)| parameter.described(value)).collect();
        if described.is_empty() { "none".into() } else { described.join("; ") }
    }

    /// Whether it is drawn by a stroke.
    fn stroke_use(&self) -> StrokeUse {
        if Self::IS_OF_SAMPLES { StrokeUse::Never } else { StrokeUse::Optional }
    }

    /// The steps after which it leaves phases rebuilt from magnitudes; `None` if it keeps or moves them.
    fn phase_steps(&self) -> Option<u32> {
        None
    }

    /// Whether it leaves holes, which their surroundings would refill.
    fn leaves_holes(&self) -> bool {
        false
    }

    /// Its kernel on single cells or their neighbourhoods, of magnitudes of a scale; `None` where [`LOCALITY`](BrushModule::LOCALITY) is the whole.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it reaches too far on this grid.
    fn cell_kernel(&self, _: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        Ok(None)
    }

    /// What it takes from its stroke.
    fn stroke_form(&self) -> StrokeForm {
        StrokeForm::Mask
    }

    /// The sound that it adds at a sample rate, for a brush that adds samples and paints cells only where a selection
    /// confines it; `None` for all others. Its plan is a [`PlannedAddition`](crate::document::plan::PlannedAddition).
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a stroke that cannot be its own.
    fn added(&self, _: Option<&Stroke>, _: f64) -> Result<Option<Box<dyn AddedSound>>> {
        Ok(None)
    }

    /// How it sounds while a hand holds it and nothing plays; `None` for a brush that is not heard so.
    fn live(&self) -> Option<Box<dyn LiveSound>> {
        None
    }

    /// What it does to the cells that an edit may change; `None` if there are none. Without its own plan, it runs its
    /// [kernel](BrushModule::cell_kernel), once per dab where the stroke builds up.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit does not fit the brush, or is too large for it.
    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let kernel = || {
            let none = || Error::new(ErrorKind::Internal, format!("{} has no kernel of single cells", Self::KIND));
            self.cell_kernel(&place.grid, MagnitudeScale::Transform)?.ok_or_else(none)
        };
        let bounds = place.bounds.clone();
        let plan = if place.is_built_up() {
            BrushPlan::new(PlannedDabs { dabs: place.dabs(Self::KIND)?, kernel: kernel()? }, bounds)
        } else {
            BrushPlan::new(PlannedKernel(kernel()?), bounds)
        };
        Ok(Some(plan.finished_by(self.phase_steps().map(Finish::Rebuild))))
    }

    /// The sound after it, for a brush that changes no cell but the length.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) for more than a file can hold.
    fn resized(&self, _: &Snapshot) -> Result<Option<Snapshot>> {
        Ok(None)
    }

    /// What it does to samples, for an edit that works on samples instead of cells.
    fn sample_edit(&self) -> Option<&dyn SampleEdit> {
        None
    }

    /// The brush with what depends on the sound found out; `None` if nothing does.
    ///
    /// # Errors
    /// Those of analysing the sound.
    fn resolved(&self, _: &EditSound<'_>) -> Result<Option<Self>> {
        Ok(None)
    }

    /// What the user should know about how it was [resolved](BrushModule::resolved), one sentence each.
    fn notices(&self) -> &[String] {
        &[]
    }

    /// What is erased before it is applied.
    fn clears(&self) -> Option<&Selection> {
        None
    }

    /// Where the sound that it makes ends, in seconds, given its stroke; `None` if that is where the stroke ends.
    fn end_secs(&self, _: Option<&Stroke>) -> Option<f64> {
        None
    }

    /// Whether it works on the cells of rows of a scale.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the reason.
    fn works_on_rows(&self) -> Result<()> {
        if Self::IS_OF_SAMPLES {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Script, format!("{} works on an STFT only; choose an FFT size", Self::KIND)))
    }

    /// Whether it works on one grid over all rows that it reaches, since it moves sound from row to row or filters across
    /// them; else on each group's own.
    fn is_on_one_grid_of_rows(&self) -> bool {
        Self::IS_ON_FINE_GRID
    }

    /// The rows of a scale that it reads to write `rows`, in units of an axis, itself included; for brushes on
    /// [one grid](BrushModule::is_on_one_grid_of_rows). The last is the radius of its stroke in these units, 0 without one.
    fn rows_read(&self, _: &RowTable, rows: Range<usize>, _: Axis, _: f64) -> Range<usize> {
        rows
    }

    /// Whether what it moves is one event to each of some rows: then the rows of each group are moved on a grid of their own.
    fn moves_one_event(&self, _: &RowBank, _: Range<usize>) -> bool {
        false
    }

    /// By how many windows a selection of an STFT reaches farther in time on each side for it: what it replaces is heard in
    /// frames beside it.
    fn windows_beside(&self) -> f64 {
        0.0
    }

    /// The brush with settings for measurements, and with the first of them for warm-up; neighbourhoods are of about this
    /// many seconds and hertz. Empty for a brush that paints no cell.
    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Self>> {
        if Self::IS_OF_SAMPLES {
            return Vec::new();
        }
        Self::usual().map(|brush| BrushTrial::new(Self::KIND, brush)).into_iter().collect()
    }
}

/// Reads what the parameters of a brush say, onto what it has.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the place of what is wrong.
pub(super) fn read_parameters<B: BrushModule>(brush: &mut B, fields: &Fields) -> Result<()> {
    for (parameter, value) in B::PARAMETERS.iter().zip(brush.values()) {
        let at = match parameter.is_optional {
            true => fields.get(parameter.field),
            false => Some(fields.required(parameter.field)?),
        };
        if let Some(at) = at {
            value.read(parameter.limits, &at)?;
        }
    }
    Ok(())
}

/// Writes the parameters of a brush.
pub(super) fn write_parameters<B: BrushModule>(brush: &B, object: &mut Map<String, Value>) {
    let (mut brush, mut usual) = (brush.clone(), B::usual());
    let mut usual = usual.as_mut().map(BrushModule::values).unwrap_or_default().into_iter();
    for (parameter, value) in B::PARAMETERS.iter().zip(brush.values()) {
        if usual.next().is_none_or(|usual| !parameter.is_sparse || usual != value) {
            object.insert(parameter.field.into(), value.json());
        }
    }
}

/// Keeps the parameters of a brush within what their controls take.
pub(super) fn confine<B: BrushModule>(brush: &mut B) {
    let Some(mut usual) = B::usual() else { return };
    for ((parameter, value), usual) in B::PARAMETERS.iter().zip(brush.values()).zip(usual.values()) {
        value.confine(parameter, &usual);
    }
}
