//! Modulation filter: a Butterworth filter over the speed of change.

use super::filters::{filter, order, pass, pass_name};
use super::module::BrushModule;
use crate::base::Result;
use crate::document::script::fields::{At, Fields};
use crate::dsp::brush::{Along, Butterworth, Pass};
use crate::dsp::phase;
use serde_json::{Map, Value, json};

/// Butterworth filter over the speed of change along time, frequency or both.
#[derive(Debug, Clone, PartialEq)]
pub struct ModulationFilter {
    /// Which axes; `Both` uses the two filters in the order time, frequency.
    pub along: Along,
    /// One filter, or two for `Both`.
    pub filters: Vec<Butterworth>,
    /// Whether phases are rebuilt from the filtered magnitude instead of kept.
    pub rebuild_phase: bool,
}

impl BrushModule for ModulationFilter {
    const KIND: &'static str = "modulation_filter";
    const NAME: &'static str = "Modulation filter";

    fn usual() -> Option<ModulationFilter> {
        let filters = vec![Butterworth { pass: Pass::Low, cutoff: vec![8.0], order: 4 }];
        Some(ModulationFilter { along: Along::Time, filters, rebuild_phase: false })
    }

    fn read(fields: &Fields) -> Result<ModulationFilter> {
        let pass = pass(fields)?;
        let order = order(fields)?;
        let along = fields.required("along")?;
        let along = along.choice(&[("time", Along::Time), ("frequency", Along::Frequency), ("both", Along::Both)])?;
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
        let rebuild_phase = fields.or("rebuild_phase", false, At::flag)?;
        Ok(ModulationFilter { along, filters, rebuild_phase })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        let along = match self.along {
            Along::Time => "time",
            Along::Frequency => "frequency",
            Along::Both => "both",
        };
        let cutoffs: Vec<&Vec<f64>> = self.filters.iter().map(|filter| &filter.cutoff).collect();
        let cutoff = if self.along == Along::Both { json!(cutoffs) } else { json!(cutoffs.first()) };
        let (pass, order) = self.filters.first().map_or(("low", 4), |filter| (pass_name(filter.pass), filter.order));
        object.insert("pass".into(), json!(pass));
        object.insert("along".into(), json!(along));
        object.insert("cutoff".into(), cutoff);
        object.insert("order".into(), json!(order));
        object.insert("rebuild_phase".into(), json!(self.rebuild_phase));
    }

    fn table_cell() -> String {
        "`pass`, `order` as above; `along` time, frequency or both; `cutoff` in hertz, cycles per kilohertz, or for both a \
         list of two lists; `rebuild_phase` false"
            .into()
    }

    fn phase_steps(&self) -> Option<u32> {
        self.rebuild_phase.then_some(phase::DEFAULT_STEPS)
    }
}
