//! Options of the band filter and the modulation filter.

use crate::dsp::strokes::brush::{Along, Pass};
use crate::widgets;
use crate::widgets::values;
use crate::widgets::values::{Captioned, Value};
use crate::workbench::bench::limits::{BAND_HZ, MODULATION, ORDER};
use crate::workbench::{BandFilterTool, ModulationFilterTool};
use egui::{DragValue, Ui};

/// Tooltip of the option to rebuild the phase.
const NEW_PHASE: &str = "Rebuilds the phase from the new magnitudes after the stroke instead of keeping it.";

fn order(ui: &mut Ui, order: &mut u32) {
    let what = "Steepness: 6 dB/octave per order.";
    let value = Value { name: "Order", what, width: 40.0, unit: "", caption: Captioned::Name };
    value.show_within(
        ui,
        DragValue::new(order).speed(0.05).fixed_decimals(0),
        f64::from(ORDER[0])..=f64::from(ORDER[1]),
    );
}

/// One or two cutoffs, both kept in ascending order.
fn cutoffs(ui: &mut Ui, names: [&str; 2], unit: &str, pass: Pass, cutoff: &mut [f64; 2], [min, max]: [f64; 2]) {
    let value =
        |name| Value { name, what: "Half-power point of the filter.", width: 88.0, unit, caption: Captioned::Name };
    let [low, high] = cutoff;
    let field = DragValue::new(low).speed(0.2).fixed_decimals(1);
    let low_changed = value(names[0]).show_within(ui, field, min..=max).changed();
    if matches!(pass, Pass::Band | Pass::Notch) {
        let field = DragValue::new(high).speed(0.2).fixed_decimals(1);
        value(names[1]).show_within(ui, field, min..=max);
    }
    // Even if the upper cutoff is hidden, since a band or notch filter would use it later.
    if *low >= *high {
        if low_changed {
            *high = *low * 1.01;
        } else {
            *low = *high / 1.01;
        }
    }
}

/// Pass, cutoffs and order of the band filter.
pub fn band_filter(ui: &mut Ui, tool: &mut BandFilterTool) {
    widgets::value_choice(ui, "Filter", 88.0, &mut tool.pass);
    let names = ["Cutoff", "Upper cutoff"];
    let mut bend = [tool.bend_hz, f64::INFINITY];
    match tool.pass {
        Pass::Low | Pass::High => cutoffs(ui, names, "Hz", tool.pass, &mut bend, BAND_HZ),
        pass => cutoffs(ui, names, "Hz", pass, &mut tool.cutoff_hz, BAND_HZ),
    }
    tool.bend_hz = bend[0];
    order(ui, &mut tool.order);
}

/// Pass, direction, cutoffs and order of the modulation filter.
pub fn modulation_filter(ui: &mut Ui, tool: &mut ModulationFilterTool) {
    widgets::value_choice(ui, "Filter", 88.0, &mut tool.pass);
    widgets::value_choice(ui, "Direction", 92.0, &mut tool.along);
    let pass = tool.pass;
    if tool.along != Along::Frequency {
        let names = ["Cutoff", "Upper cutoff"];
        cutoffs(ui, names, "Hz", pass, &mut tool.time_cutoff, MODULATION);
    }
    if tool.along != Along::Time {
        let names = ["Cutoff over frequency", "Upper cutoff over frequency"];
        cutoffs(ui, names, "c/kHz", pass, &mut tool.frequency_cutoff, MODULATION);
    }
    order(ui, &mut tool.order);
    values::tick(ui, "Rebuild phase", NEW_PHASE, &mut tool.rebuild_phase);
}
