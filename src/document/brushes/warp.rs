//! Warp: moves sound in time and frequency.

use super::module::{BrushModule, StrokeUse};
use super::parameter::{OptionControl, Parameter, ParameterValue};
use crate::base::Result;
use crate::document::script::fields::{At, Fields};
use crate::dsp::brush::WarpMode;
use serde_json::{Map, Value, json};

/// Moves sound in time and frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    /// How.
    pub mode: WarpMode,
    /// Whether tones keep their frequency where time is stretched ([`peak_locking`](crate::dsp::peak_locking)), instead of
    /// taking the phase of wherever they come from.
    pub peak_locking: bool,
}

impl BrushModule for Warp {
    const KIND: &'static str = "warp";
    const NAME: &'static str = "Warp";
    const PARAMETERS: &'static [Parameter] = &[Parameter::flag("peak_locking").controls(&[OptionControl::tick(
        "Keep pitch",
        "Tones keep their frequency where time is stretched; off, they keep their original phase.",
    )])];
    const BUILDS_UP: bool = false;
    const IS_ON_FINE_GRID: bool = true;

    fn usual() -> Option<Warp> {
        Some(Warp { mode: WarpMode::Push, peak_locking: true })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Flag(&mut self.peak_locking)]
    }

    fn read(fields: &Fields) -> Result<Warp> {
        let is_push = fields.or("mode", false, |at| at.choice(&[("grab", false), ("push", true)]))?;
        let shift = fields.get("shift");
        let mode = match (is_push, shift) {
            (false, Some(shift)) => WarpMode::Grab { shift: shift.pair(At::number)? },
            (false, None) => return fields.at.refuse("shift is missing"),
            (true, None) => WarpMode::Push,
            (true, Some(shift)) => return shift.refuse("a push follows its stroke and takes no shift"),
        };
        Ok(Warp { mode, peak_locking: fields.or("peak_locking", true, At::flag)? })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        match self.mode {
            WarpMode::Grab { shift } => {
                object.insert("mode".into(), json!("grab"));
                object.insert("shift".into(), json!(shift));
            }
            WarpMode::Push => {
                object.insert("mode".into(), json!("push"));
            }
        }
        object.insert("peak_locking".into(), json!(self.peak_locking));
    }

    fn table_cell() -> String {
        "`shift` in seconds and units of the axis moves the selected sound within the selection, which must include the \
         destination (`mode` grab; use `paste` to move sound anywhere); `mode` push follows the stroke; `peak_locking` \
         true: tones keep their frequency where time is stretched"
            .into()
    }

    fn stroke_use(&self) -> StrokeUse {
        match self.mode {
            WarpMode::Grab { .. } => StrokeUse::Optional,
            WarpMode::Push => StrokeUse::Required("warp with mode push"),
        }
    }
}
