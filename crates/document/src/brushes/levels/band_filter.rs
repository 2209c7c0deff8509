//! Band filter: a Butterworth filter over frequency.

use super::filters::{filter, order, pass};
use crate::base::{JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::name_of;
use crate::brushes::trial::BrushTrial;
use crate::dsp::kernels::BandKernel;
use crate::dsp::strokes::brush::{Butterworth, Pass};
use crate::dsp::{Grid, Kernel};
use serde_json::{Map, Value, json};

impl BrushModule for Butterworth {
    const KIND: &'static str = "band_filter";
    const NAME: &'static str = "Band filter";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Butterworth::KIND,
        id: "tool_band_filter",
        name: "Band filter brush",
        what: "Passes or removes a frequency band.",
        keys: &[ToolKey::plain('F'), ToolKey::plain('6')],
        // Lucide's funnel.
        icon: '\u{e0dc}',
        group: BrushGroup::Filter,
    });

    fn omitted() -> Option<Butterworth> {
        Some(Butterworth { pass: Pass::Low, cutoff: vec![1000.0], order: 4 })
    }

    fn read(fields: &JsonFields) -> Result<Butterworth> {
        let pass = pass(fields)?;
        let order = order(fields)?;
        filter(pass, order, &fields.required("cutoff")?)
    }

    fn write(&self, object: &mut Map<String, Value>) {
        object.insert("pass".into(), json!(name_of(&self.pass)));
        object.insert("cutoff".into(), json!(self.cutoff));
        object.insert("order".into(), json!(self.order));
    }

    fn table_cell() -> String {
        "`pass` low, high, band or notch; `cutoff` in hertz, a list of one (`[550]`) or two; `order` 4, 1 to 8".into()
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Butterworth>> {
        let notch = Butterworth { pass: Pass::Notch, cutoff: vec![4_000.0, 8_000.0], order: 4 };
        vec![BrushTrial::new(Butterworth::KIND, notch)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Butterworth {
    fn locality(&self) -> Locality {
        Locality::Cell
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        let response = |bin: usize| self.response(grid.hz_from_bin(bin as f64)) as f32;
        Ok(Some(BandKernel { response: (0..grid.n_bins()).map(response).collect() }.into()))
    }
}
