//! Heal: fills a hole from its surroundings.

mod gaps;
mod plan;
mod prediction;

use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::levels::blur::phases_of_stft_only;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::parameter::{choice, name_of, read_choice};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::plan::{BrushPlan, Finish, Placement};
use crate::dsp::repair::heal::{Direction, GapOrders, Heal, Surroundings};
use crate::dsp::warps::phase;
use plan::PlannedHeal;
use serde_json::{Map, Value, json};

/// Distance from a hole to the centre of the farthest frame that contains a part of it, in windows: slightly less than
/// half a window, since a window is 0 at its ends.
const HOLE_REACH_WINDOWS: f64 = 0.4995;

impl BrushModule for Heal {
    const KIND: &'static str = "heal";
    const NAME: &'static str = "Heal";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Heal::KIND,
        id: "tool_heal",
        name: "Heal brush",
        what: "Repairs the painted area from its surroundings; choose the mode in the option bar.",
        keys: &[ToolKey::shift('H')],
        // Lucide's bandage.
        icon: '\u{e61d}',
        group: BrushGroup::Retouch,
    });

    fn omitted() -> Option<Heal> {
        Some(Heal::default())
    }

    fn read(fields: &JsonFields) -> Result<Heal> {
        read_heal(fields)
    }

    fn write(&self, object: &mut Map<String, Value>) {
        let mut insert = |field: &str, value: Value| object.insert(field.into(), value);
        insert("mode", json!(self.mode()));
        match self {
            Heal::Attenuate(around) => {
                insert("direction", json!(name_of(&around.direction)));
                insert("context", json!({"time": around.context_secs, "frequency": around.context_hz}));
                insert("weights", json!({"time": around.time_weights, "frequency": around.frequency_weights}));
                insert("rebuild_phase", json!(around.rebuild_phase));
            }
            Heal::Interpolate { context_secs, order } => {
                insert("context", json!(context_secs));
                insert("order", json!(order));
            }
            Heal::Gap { context_secs, orders } => {
                insert("context", json!(context_secs));
                // The default is omitted, so that older scripts are unchanged.
                if *orders == GapOrders::Weighed {
                    insert("orders", json!(name_of(orders)));
                }
            }
            Heal::Pattern { context, reach_secs } => {
                insert("context", json!(context));
                insert("reach", json!(reach_secs));
            }
        }
    }

    fn table_cell() -> String {
        "see below".into()
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Heal>> {
        vec![
            BrushTrial::new(Heal::KIND, Heal::default()),
            BrushTrial::new("heal_interpolate", Heal::INTERPOLATE),
            BrushTrial::new("heal_pattern", Heal::PATTERN),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Heal {
    fn phase_steps(&self) -> Option<u32> {
        match self {
            Heal::Attenuate(around) if around.rebuild_phase => Some(phase::DEFAULT_STEPS),
            Heal::Attenuate(_) | Heal::Interpolate { .. } | Heal::Gap { .. } | Heal::Pattern { .. } => None,
        }
    }

    fn works_on_rows(&self) -> Result<()> {
        let refuse = |why| Err(Error::new(ErrorKind::Script, why));
        match self {
            Heal::Interpolate { .. } => Ok(()),
            Heal::Attenuate(around) if around.rebuild_phase => Err(phases_of_stft_only()),
            Heal::Attenuate(_) => Ok(()),
            Heal::Gap { .. } | Heal::Pattern { .. } => {
                refuse("heal by prediction works on the samples; choose an FFT size")
            }
        }
    }

    fn windows_beside(&self) -> f64 {
        match self {
            Heal::Interpolate { .. } => HOLE_REACH_WINDOWS,
            Heal::Attenuate(_) | Heal::Gap { .. } | Heal::Pattern { .. } => 0.0,
        }
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let (brush, bounds) = PlannedHeal::new(place, self, Heal::KIND)?;
        Ok(Some(BrushPlan::new(brush, bounds).finished_by(self.phase_steps().map(Finish::Rebuild))))
    }
}

choice! { Direction:
    Shape = "shape", "By shape";
    Time = "time", "Time";
    Frequency = "frequency", "Frequency";
    Both = "both", "Both";
}

choice! { GapOrders:
    Weighed = "weighed", "Weighed";
    One = "one", "One";
}

/// Maximum bandwidth of the context in hertz.
const MAX_CONTEXT_HZ: f64 = 20_000.0;

#[derive(Clone, Copy)]
enum Mode {
    Attenuate,
    Interpolate,
    Gap,
    Pattern,
}

fn read_heal(fields: &JsonFields) -> Result<Heal> {
    let modes = [
        ("attenuate", Mode::Attenuate),
        ("interpolate", Mode::Interpolate),
        ("gap", Mode::Gap),
        ("pattern", Mode::Pattern),
    ];
    Ok(match fields.or("mode", Mode::Attenuate, |at| at.choice(&modes))? {
        Mode::Attenuate => Heal::Attenuate(surroundings(fields)?),
        Mode::Interpolate => {
            let context_secs = fields.or("context", [0.8; 2], sides_in_secs)?;
            let order = fields.or("order", 8, |at| match u32::try_from(at.whole()?) {
                Ok(order @ 1..=Heal::MAX_ORDER) => Ok(order),
                _ => at.refuse(format!("must be 1 to {}", Heal::MAX_ORDER)),
            })?;
            Heal::Interpolate { context_secs, order }
        }
        Mode::Gap => {
            let mut orders = GapOrders::One;
            if let Some(at) = fields.get("orders") {
                read_choice(&mut orders, &at)?;
            }
            let usual = match orders {
                GapOrders::Weighed => Heal::WEIGHED_GAP,
                GapOrders::One => Heal::GAP,
            };
            let usual_secs = if let Heal::Gap { context_secs, .. } = usual { context_secs } else { [0.0; 2] };
            Heal::Gap { context_secs: fields.or("context", usual_secs, sides_in_secs)?, orders }
        }
        Mode::Pattern => {
            let context = fields.or("context", [0.1, 200.0], |at| match at.items()?.as_slice() {
                [secs, hz] => Ok([secs.number_in(1e-3, Heal::MAX_CONTEXT_SECS)?, hz.number_in(0.0, MAX_CONTEXT_HZ)?]),
                _ => at.refuse("must be a list of seconds and hertz"),
            })?;
            let reach_secs = fields.or("reach", 2.0, |at| at.number_in(1e-3, Heal::MAX_REACH_SECS))?;
            Heal::Pattern { context, reach_secs }
        }
    })
}

/// Reads the seconds before and after, not both 0.
fn sides_in_secs(at: &JsonAt) -> Result<[f64; 2]> {
    let sides = at.pair(|at| at.number_in(0.0, Heal::MAX_CONTEXT_SECS))?;
    if sides == [0.0; 2] { at.refuse("at least one side must be above 0") } else { Ok(sides) }
}

fn surroundings(fields: &JsonFields) -> Result<Surroundings> {
    let default = Surroundings::default();
    let mut direction = default.direction;
    if let Some(at) = fields.get("direction") {
        read_choice(&mut direction, &at)?;
    }
    let (mut context_secs, mut context_hz) = (default.context_secs, default.context_hz);
    if let Some(context) = fields.get("context") {
        let fields = context.fields()?;
        context_secs = fields.or("time", context_secs, sides_in_secs)?;
        context_hz = fields.or("frequency", context_hz, |at| {
            let sides = at.pair(|at| at.number_in(0.0, MAX_CONTEXT_HZ))?;
            if sides == [0.0; 2] { at.refuse("at least one side must be above 0") } else { Ok(sides) }
        })?;
        fields.done()?;
    }
    let (mut time_weights, mut frequency_weights) = (default.time_weights, default.frequency_weights);
    if let Some(weights) = fields.get("weights") {
        let fields = weights.fields()?;
        time_weights = fields.or("time", time_weights, sides_by_weight)?;
        frequency_weights = fields.or("frequency", frequency_weights, sides_by_weight)?;
        fields.done()?;
    }
    let rebuild_phase = fields.or("rebuild_phase", false, JsonAt::flag)?;
    Ok(Surroundings { direction, context_secs, context_hz, time_weights, frequency_weights, rebuild_phase })
}

/// Reads the weights of both sides of an axis, not both 0.
fn sides_by_weight(at: &JsonAt) -> Result<[f64; 2]> {
    let sides = at.pair(|at| at.number_in(0.0, 1.0))?;
    if sides == [0.0; 2] { at.refuse("at least one weight must be above 0") } else { Ok(sides) }
}
