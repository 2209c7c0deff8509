//! Modulation filter: a Butterworth filter over modulation frequency.

use super::blur::phases_of_stft_only;
use super::filters::{filter, order, pass};
use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::parameter::{name_of, read_choice};
use crate::brushes::trial::BrushTrial;
use crate::document::Signal;
use crate::document::edits::plan::{
    BrushPlan, Cuts, DabWork, DabWorks, Dabs, EditPiece, Finish, Placement, PlannedBrush, Scope,
};
use crate::dsp::kernels::{modulation_response, padded_length};
use crate::dsp::strokes::brush::{Along, Butterworth, Pass};
use crate::dsp::warps::phase;
use crate::dsp::{CellRect, Grid, Kernel, Mask};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Maximum size of a patch, in cells after padding.
pub(in crate::brushes) const MAX_PADDED_CELLS: usize = 1 << 26;

/// Butterworth filter over the modulation frequency of magnitudes, along time, frequency or both.
#[derive(Debug, Clone, PartialEq)]
pub struct ModulationFilter {
    /// Axes; `Both` applies the two filters in the order time, frequency.
    pub along: Along,
    /// One filter, or two for `Both`.
    pub filters: Vec<Butterworth>,
    /// Whether phases are rebuilt from the filtered magnitude instead of kept.
    pub rebuild_phase: bool,
}

impl BrushModule for ModulationFilter {
    const KIND: &'static str = "modulation_filter";
    const NAME: &'static str = "Modulation filter";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: ModulationFilter::KIND,
        id: "tool_modulation_filter",
        name: "Modulation filter brush",
        what: "Filters how fast the level changes: tremolo, roughness, ripples.",
        keys: &[ToolKey::plain('O'), ToolKey::plain('7')],
        // Lucide's waves-horizontal.
        icon: '\u{e283}',
        group: BrushGroup::Filter,
    });

    fn omitted() -> Option<ModulationFilter> {
        let filters = vec![Butterworth { pass: Pass::Low, cutoff: vec![8.0], order: 4 }];
        Some(ModulationFilter { along: Along::Time, filters, rebuild_phase: false })
    }

    fn read(fields: &JsonFields) -> Result<ModulationFilter> {
        let pass = pass(fields)?;
        let order = order(fields)?;
        let mut along = Along::Time;
        read_choice(&mut along, &fields.required("along")?)?;
        let cutoff = fields.required("cutoff")?;
        let filters = match along {
            Along::Time | Along::Frequency => vec![filter(pass, order, &cutoff)?],
            Along::Both => match cutoff.items()?.as_slice() {
                [time, frequency] => vec![filter(pass, order, time)?, filter(pass, order, frequency)?],
                _ => {
                    return cutoff
                        .refuse("along both axes it must be a list of two lists: time cutoffs, frequency cutoffs");
                }
            },
        };
        let rebuild_phase = fields.or("rebuild_phase", false, JsonAt::flag)?;
        Ok(ModulationFilter { along, filters, rebuild_phase })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        let cutoffs: Vec<&Vec<f64>> = self.filters.iter().map(|filter| &filter.cutoff).collect();
        let cutoff = if self.along == Along::Both { json!(cutoffs) } else { json!(cutoffs.first()) };
        let (pass, order) = self.filters.first().map_or(("low", 4), |filter| (name_of(&filter.pass), filter.order));
        object.insert("pass".into(), json!(pass));
        object.insert("along".into(), json!(name_of(&self.along)));
        object.insert("cutoff".into(), cutoff);
        object.insert("order".into(), json!(order));
        object.insert("rebuild_phase".into(), json!(self.rebuild_phase));
    }

    fn table_cell() -> String {
        "`pass`, `order` as above; `along` time, frequency or both; `cutoff` in hertz, cycles per kilohertz (on rows per \
         unit of their axis), or for both a list of two lists; `rebuild_phase` false"
            .into()
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<ModulationFilter>> {
        let low = |cutoff| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 4 };
        let filter = ModulationFilter { along: Along::Both, filters: vec![low(8.0), low(2.0)], rebuild_phase: false };
        vec![BrushTrial::new(ModulationFilter::KIND, filter)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for ModulationFilter {
    fn phase_steps(&self) -> Option<u32> {
        self.rebuild_phase.then_some(phase::DEFAULT_STEPS)
    }

    fn works_on_rows(&self) -> Result<()> {
        if self.rebuild_phase { Err(phases_of_stft_only()) } else { Ok(()) }
    }

    fn is_on_one_grid_of_rows(&self) -> bool {
        self.along != Along::Time
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let plan = if place.is_built_up() {
            let dabs = place.dabs(ModulationFilter::KIND)?;
            BrushPlan::new(PlannedPatches { filter: self, dabs }, place.bounds.clone())
        } else {
            let Some(patch) = PlannedPatch::new(self, place)? else { return Ok(None) };
            let bounds = patch.mask.rect.clone();
            BrushPlan::new(patch, bounds)
        };
        Ok(Some(plan.finished_by(self.phase_steps().map(Finish::Rebuild))))
    }
}

impl ModulationFilter {
    /// The kernel over a patch of `rect`.
    ///
    /// # Errors
    /// As [`modulation_kernel`].
    fn kernel(&self, grid: &Grid, rect: &CellRect) -> Result<Kernel> {
        modulation_kernel(grid, self.along, &self.filters, rect)
    }
}

/// A single patch: the box around all cells under the brush.
#[derive(Debug)]
struct PlannedPatch {
    kernel: Kernel,
    mask: Mask,
}

impl PlannedPatch {
    fn new(filter: &ModulationFilter, place: &Placement<'_>) -> Result<Option<PlannedPatch>> {
        // The mask covers all of the bounds, so bounds above the limit are refused before it is allocated.
        if place.bounds.n_cells() > MAX_PADDED_CELLS {
            filter.kernel(&place.grid, &place.bounds)?;
        }
        let mask = place.mask(&place.bounds);
        let patch = mask.tight_bounds();
        if patch.is_empty() {
            return Ok(None);
        }
        Ok(Some(PlannedPatch { kernel: filter.kernel(&place.grid, &patch)?, mask: mask.crop(&patch) }))
    }
}

impl PlannedBrush for PlannedPatch {
    fn cuts(&self) -> Cuts {
        Cuts::Nowhere
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, _: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        Ok(EditPiece::of_kernel(rect, self.mask.clone(), Cow::Borrowed(&self.kernel)))
    }
}

/// One patch per dab.
#[derive(Debug)]
struct PlannedPatches<'a> {
    filter: &'a ModulationFilter,
    dabs: Dabs<'a>,
}

impl PlannedBrush for PlannedPatches<'_> {
    fn cuts(&self) -> Cuts {
        Cuts::NowhereByDabs
    }

    fn scope(&self) -> Scope {
        Scope::Dabs
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        Ok(EditPiece::of_dabs(self.read(place, &rect), place.mask(&rect), self))
    }

    fn dabs_from<'b>(&'b self, place: &'b Placement<'_>, first: usize, rect: &'b CellRect, _: Signal) -> DabWorks<'b> {
        let masks = self.dabs.iter().skip(first).filter_map(move |dab| place.dab_mask(dab, rect));
        Box::new(masks.map(|mask| {
            let kernel = self.filter.kernel(&place.grid, &mask.rect)?;
            Ok(DabWork { is_patch: true, ..DabWork::new(kernel, mask) })
        }))
    }
}

/// The kernel of a modulation filter over a patch of `rect`.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the padded patch is too large.
pub fn modulation_kernel(grid: &Grid, along: Along, filters: &[Butterworth], rect: &CellRect) -> Result<Kernel> {
    // Bins per kilohertz on an STFT; on rows, rows per unit of their axis.
    let bins_per_unit = match grid.row_table() {
        None => 1000.0 / grid.hz_from_bin(1.0),
        Some(table) => table.rows_per_unit(),
    };
    kernel_of_patch([grid.frame_rate_hz(), bins_per_unit], along, filters, rect)
}

/// The kernel over a patch, given its frames per second and rows per unit of frequency.
///
/// # Errors
/// As [`modulation_kernel`].
pub(in crate::brushes) fn kernel_of_patch(
    cells_per_unit: [f64; 2],
    along: Along,
    filters: &[Butterworth],
    rect: &CellRect,
) -> Result<Kernel> {
    let padded = [rect.frames.len(), rect.bins.len()].map(padded_length);
    let n_padded = match along {
        Along::Time => padded[0].saturating_mul(rect.bins.len()),
        Along::Frequency => padded[1].saturating_mul(rect.frames.len()),
        Along::Both => padded[0].saturating_mul(padded[1]),
    };
    if n_padded > MAX_PADDED_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "this modulation filter covers too large an area (over 67 million cells); select less time or fewer \
             frequencies",
        ));
    }
    let response =
        |filter: &Butterworth, i: usize| modulation_response(filter, padded[i], cells_per_unit[i] / padded[i] as f64);
    let (frame_response, bin_response) = match (along, filters) {
        (Along::Time, [filter]) => (Some(response(filter, 0)), None),
        (Along::Frequency, [filter]) => (None, Some(response(filter, 1))),
        (Along::Both, [first, second]) => (Some(response(first, 0)), Some(response(second, 1))),
        _ => {
            return Err(Error::new(
                ErrorKind::Script,
                "a modulation filter needs two filters along both axes and one along a single axis",
            ));
        }
    };
    Ok(Kernel::ModulationFilter { frame_response, bin_response })
}
