//! Options of the heal brush.

use crate::dsp::repair::heal::{Direction, Heal};
use crate::widgets;
use crate::widgets::values;
use crate::widgets::values::{Captioned, Value};
use crate::workbench::bench::limits::{HEAL_HZ, HEAL_REACH_SECS, HEAL_SECS};
use crate::workbench::{HealMode, HealTool};
use egui::{DragValue, Ui};

/// The mode, and its settings.
pub fn fields(ui: &mut Ui, tool: &mut HealTool) {
    let label = |mode: HealMode| mode.label().to_string();
    if let Some(mode) = widgets::captioned_choice(ui, "Mode", 136.0, tool.mode, &HealMode::ALL, label) {
        tool.mode = mode;
    }
    match tool.mode {
        HealMode::Attenuate => attenuate(ui, tool),
        HealMode::Interpolate => {
            let what = "How much sound beside the hole the tones are learnt from.";
            millis(ui, ["Before", "After"], what, &mut tool.interpolate_secs);
            let what = "Maximum number of tones per bin.";
            let value = Value { name: "Order", what, width: 44.0, unit: "", caption: Captioned::Name };
            let max = f64::from(Heal::MAX_ORDER);
            value.show_within(ui, DragValue::new(&mut tool.order).speed(0.05).fixed_decimals(0), 1.0..=max);
        }
        HealMode::Gap => {
            widgets::value_choice(ui, "Orders", 92.0, &mut tool.gap_orders);
            let what = "How much sound beside the hole the prediction is learnt from.";
            millis(ui, ["Before", "After"], what, &mut tool.gap_secs);
        }
        HealMode::Pattern => {
            let [secs, hz] = &mut tool.pattern_context;
            let what = "How much around the hole in time is compared.";
            milli(ui, "Context", what, secs);
            let what = "How much around the hole in frequency is compared.";
            let value = Value { name: "Band", what, width: 76.0, unit: "Hz", caption: Captioned::Name };
            value.show_within(ui, DragValue::new(hz).speed(1.0).fixed_decimals(0), 0.0..=HEAL_HZ[1]);
            let what = "How far away to search for replacement sound.";
            let value = Value { name: "Reach", what, width: 60.0, unit: "s", caption: Captioned::Name };
            let field = DragValue::new(&mut tool.reach_secs).speed(0.02).fixed_decimals(1);
            value.show_within(ui, field, HEAL_REACH_SECS[0]..=HEAL_REACH_SECS[1]);
        }
    }
}

fn attenuate(ui: &mut Ui, tool: &mut HealTool) {
    let around = &mut tool.surroundings;
    widgets::value_choice(ui, "Direction", 124.0, &mut around.direction);
    let what = "How far from the hole the level is measured.";
    if around.direction != Direction::Frequency {
        for (side, name) in ["Before", "After"].into_iter().enumerate() {
            milli(ui, name, what, &mut around.context_secs[side]);
            weight(ui, ["Weight before", "Weight after"][side], &mut around.time_weights, side);
        }
    }
    if around.direction != Direction::Time {
        for (side, name) in ["Below", "Above"].into_iter().enumerate() {
            let value = Value { name, what, width: 68.0, unit: "Hz", caption: Captioned::Name };
            let field = DragValue::new(&mut around.context_hz[side]).speed(1.0).fixed_decimals(0);
            value.show_within(ui, field, HEAL_HZ[0]..=HEAL_HZ[1]);
            weight(ui, ["Weight below", "Weight above"][side], &mut around.frequency_weights, side);
        }
    }
    let what = "Rebuilds the phase from the healed magnitudes; off, the hole keeps its own phase.";
    values::tick(ui, "Rebuild phase", what, &mut around.rebuild_phase);
}

fn millis(ui: &mut Ui, names: [&str; 2], what: &str, secs: &mut [f64; 2]) {
    for (name, secs) in names.into_iter().zip(secs) {
        milli(ui, name, what, secs);
    }
}

fn milli(ui: &mut Ui, name: &str, what: &str, secs: &mut f64) {
    let field = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *secs = new / 1000.0;
        }
        *secs * 1000.0
    });
    let value = Value { name, what, width: 68.0, unit: "ms", caption: Captioned::Name };
    value.show_within(ui, field.speed(0.5).fixed_decimals(0), HEAL_SECS[0] * 1000.0..=HEAL_SECS[1] * 1000.0);
}

/// A field for one of two weights; `side` is its index. Its minimum keeps both from becoming zero.
fn weight(ui: &mut Ui, name: &str, weights: &mut [f64; 2], side: usize) {
    let min = if weights[1 - side] > 0.0 { 0.0 } else { 1.0 };
    let weight = &mut weights[side];
    let field = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *weight = (new / 100.0).clamp(0.0, 1.0);
        }
        (*weight * 1e6).round() / 1e4
    });
    let what = "Weight of this side relative to the other.";
    let value = Value { name, what, width: 52.0, unit: "%", caption: Captioned::Short("Weight") };
    value.show_within(ui, field.speed(0.5).fixed_decimals(0), min..=100.0);
}
