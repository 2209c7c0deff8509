//! The option bar: the settings of the tool in hand.

use super::super::widgets::{self, ButtonStyle, Value};
use super::super::{heal_options, overflow, theme, voice_options};
use crate::document::brushes::{Offer, OptionControl, Parameter, ParameterValue};
use crate::dsp::brush::{Along, Pass};
use crate::workbench::commands::icons;
use crate::workbench::commands::{CanvasCommand, Command, EditCommand, Facts, FindCommand, ToolCommand};
use crate::workbench::limits::{
    BAND_HZ, HARMONIC_HZ, HARMONICS, MODULATION, ORDER, RADIUS_OCTAVES, RADIUS_POINTS, RADIUS_SECS, TOLERANCE_DB,
};
use crate::workbench::{
    Act, Acts, ChannelView, Figures, OpenDocument, Radius, Tool, ToolSettings, Tools, channel_label,
};
use egui::{Align, DragValue, Layout, RichText, Ui};

/// The settings of the tool in hand; what has no room goes into a menu.
pub fn options(ui: &mut Ui, facts: &Facts, tools: &Tools, document: Option<&OpenDocument>, commands: &mut Acts) {
    let mut edited = tools.settings().clone();
    bar(ui, facts, (tools.active(), &mut edited), document, commands);
    if edited != *tools.settings() {
        commands.push(Act::Tools(Box::new(edited)));
    }
}

/// The tool in hand, and the settings as they are edited.
type Edited<'a> = (Tool, &'a mut ToolSettings);

fn bar(ui: &mut Ui, facts: &Facts, edited: Edited<'_>, document: Option<&OpenDocument>, commands: &mut Acts) {
    let (tool, settings) = edited;
    let palette = theme::palette(ui.ctx());
    let spec = ToolCommand::Pick(tool).row();
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        if let Some(icon) = spec.icon {
            widgets::sign(ui, icon, 18.0, palette.accent);
        }
        let name = RichText::new(spec.name).font(theme::semibold(theme::BODY)).color(palette.text_strong);
        ui.label(name);
        widgets::bar_rule(ui);
        let view = document.map(|document| document.view().channels).filter(|_| tool.is_brush());
        let channels = view.filter(|&view| view != ChannelView::All).map(|view| channel_label(view, facts.n_channels));
        let reserved = 82.0 + if channels.is_some() { 104.0 } else { 0.0 };
        let figures = document.and_then(|document| document.figures());
        overflow::in_bar(ui, reserved, |ui| fields(ui, facts, (tool, &mut *settings), figures.as_ref(), commands));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(10.0);
            if tool.is_brush() {
                widgets::command_icon(ui, facts, ToolCommand::ResetTool, ButtonStyle::icon(28.0, 16.0), commands);
            }
            if let Some(channels) = channels {
                let text = RichText::new(format!("Channels: {channels}")).color(palette.text_strong);
                ui.label(text).on_hover_text("Brushes affect only these channels; choose them in View, Channels.");
            }
            overflow::menu(ui, |ui| fields(ui, facts, (tool, &mut *settings), figures.as_ref(), commands));
        });
    });
}

fn fields(ui: &mut Ui, facts: &Facts, edited: Edited<'_>, figures: Option<&Figures>, commands: &mut Acts) {
    let (tool, settings) = edited;
    let has_captions = ui.ctx().content_rect().width() >= 1100.0;
    ui.scope(|ui| {
        if !tool.has_radius() {
            selection_options(ui, tool, settings, has_captions);
            let palette = theme::palette(ui.ctx());
            let what = RichText::new(ToolCommand::Pick(tool).row().what).color(palette.text_weak);
            ui.add(egui::Label::new(what).truncate());
            return;
        }
        let percent = |name, what| Value { name, what, width: 60.0, unit: "%", has_caption: has_captions };
        if tool.is_shaped() {
            radius(ui, facts, &mut settings.radius, has_captions, commands);
            let what = "The part of the radius with full effect; beyond it the effect fades out.";
            percent("Hardness", what).show_within(ui, percent_field(&mut settings.hardness), 0.0..=100.0);
        }
        if !tool.is_brush() {
            return;
        }
        percent("Strength", "How much of the effect one stroke applies.").show_within(
            ui,
            percent_field(&mut settings.strength),
            0.0..=100.0,
        );
        widgets::bar_rule(ui);
        match tool {
            Tool::BandFilter => band_filter(ui, settings, has_captions),
            Tool::ModulationFilter => modulation_filter(ui, settings, has_captions),
            Tool::Heal => heal_options::fields(ui, &mut settings.heal, has_captions),
            Tool::Denoise => denoise(ui, facts, commands),
            Tool::Brush(_) => voice_options::fields(ui, tool, settings),
            _ => {}
        }
        parameters(ui, tool, settings, figures, has_captions);
        if tool.builds_up() {
            let what = "Applies once per dab, so that painting over an area again adds up; off, a stroke never exceeds \
                        its strength.";
            widgets::tick(ui, "Build up", what, &mut settings.build_up);
        }
    });
}

fn denoise(ui: &mut Ui, facts: &Facts, commands: &mut Acts) {
    for command in [Command::Find(FindCommand::LearnNoise), Command::Edit(EditCommand::ReduceNoise)] {
        if overflow::has_place(ui, command.row().name, 28.0) {
            widgets::command_icon(ui, facts, command, ButtonStyle::icon(28.0, 16.0), commands);
        }
    }
}

/// The controls of the active brush's parameters.
fn parameters(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings, figures: Option<&Figures>, has_captions: bool) {
    let Some(mut brush) = settings.brush_of(tool) else { return };
    for (parameter, value) in brush.parameters().iter().zip(brush.values()) {
        let number = |ui: &mut Ui, control: &OptionControl, value: &mut f64| {
            number_control(ui, parameter, control, value, has_captions);
            if let Some(offer) = control.offer {
                offered(ui, offer, parameter.range_of(control), value, figures);
            }
        };
        match (value, parameter.controls) {
            (ParameterValue::Number(value), [control]) => number(ui, control, value),
            (ParameterValue::Pair([first, second]), [in_time, in_frequency]) => {
                number(ui, in_time, first);
                number(ui, in_frequency, second);
            }
            (ParameterValue::Whole(value), [control]) => {
                let mut shown = f64::from(*value);
                number(ui, control, &mut shown);
                *value = shown.round() as u32;
            }
            (ParameterValue::Flag(flag), [control]) => widgets::tick(ui, control.label, control.help, flag),
            _ => {}
        }
    }
    if settings.brush_of(tool).as_ref() != Some(&brush) {
        settings.keep(brush);
    }
}

/// A button that takes a measured number.
fn offered(ui: &mut Ui, offer: Offer, (least, most): (f64, f64), value: &mut f64, figures: Option<&Figures>) {
    let (name, what, measured) = match offer {
        Offer::SelectionMean => (
            "From selection",
            "Takes the mean power of the selection, as it is now.",
            figures.and_then(|figures| figures.mean_db),
        ),
    };
    if !overflow::has_place(ui, name, overflow::text_width(ui, name) + 24.0) {
        return;
    }
    let button = egui::Button::new(name).min_size(egui::vec2(0.0, theme::FIELD_HEIGHT));
    let response = ui.add_enabled(measured.is_some(), button);
    widgets::focus_ring(ui, &response);
    let why_not = "Select something that is not silent first.";
    if response.on_hover_text(what).on_disabled_hover_text(why_not).clicked()
        && let Some(measured) = measured
    {
        *value = measured.clamp(least, most);
    }
}

fn number_control(ui: &mut Ui, parameter: &Parameter, control: &OptionControl, value: &mut f64, has_captions: bool) {
    let (least, most) = parameter.range_of(control);
    let range = least * control.scale..=most * control.scale;
    let scaled = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *value = new / control.scale;
        }
        *value * control.scale
    });
    let field = scaled.speed(control.speed).fixed_decimals(control.decimals);
    let OptionControl { label: name, help: what, unit, width, .. } = *control;
    let shown = Value { name, what, width, unit, has_caption: control.has_caption && has_captions };
    match control.states_range {
        true => shown.show_within(ui, field, range),
        false => shown.show(ui, field.range(range)),
    };
}

/// What the option of a new phase means.
const NEW_PHASE: &str = "Rebuilds the phase from the new magnitudes after the stroke instead of keeping it.";

/// What the tools that find a selection look for.
fn selection_options(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings, has_caption: bool) {
    let value = |name, what, unit| Value { name, what, width: 76.0, unit, has_caption };
    match tool {
        Tool::Wand => {
            let tolerance = value("Tolerance", "Allowed level difference from the point you click.", "dB");
            let field = DragValue::new(&mut settings.wand_tolerance_db)
                .range(TOLERANCE_DB[0]..=TOLERANCE_DB[1])
                .speed(0.1)
                .fixed_decimals(1);
            tolerance.show(ui, field);
            widgets::bar_rule(ui);
        }
        Tool::SelectBox | Tool::SelectTime => {
            let what = "Sensitivity of Find clicks, Find hum, Find clipping and More like this (Select menu).";
            let sensitivity = value("Sensitivity", what, "%");
            sensitivity.show_within(ui, percent_field(&mut settings.find_sensitivity), 0.0..=100.0);
            widgets::bar_rule(ui);
        }
        Tool::SelectHarmonics => {
            let count = value("Harmonics", "How many, fundamental included.", "");
            count.show(
                ui,
                DragValue::new(&mut settings.harmonic_count)
                    .range(HARMONICS[0]..=HARMONICS[1])
                    .speed(0.1)
                    .fixed_decimals(0),
            );
            let field = DragValue::new(&mut settings.harmonic_width_hz)
                .range(HARMONIC_HZ[0]..=HARMONIC_HZ[1])
                .speed(0.5)
                .fixed_decimals(1);
            value("Bandwidth", "Width of the band around each harmonic.", "Hz").show(ui, field);
            widgets::bar_rule(ui);
        }
        _ => {}
    }
}

fn percent_field(value: &mut f64) -> DragValue<'_> {
    DragValue::from_get_set(move |new| {
        if let Some(new) = new {
            *value = (new / 100.0).clamp(0.0, 1.0);
        }
        (*value * 1e6).round() / 1e4
    })
    .speed(0.5)
    .fixed_decimals(0)
}

fn radius(ui: &mut Ui, facts: &Facts, radius: &mut Radius, has_caption: bool, commands: &mut Acts) {
    let is_locked = matches!(radius, Radius::Locked { .. });
    let value = |name, unit, has_caption| Value {
        name,
        what: "From the brush's centre to its edge. [ and ] change it.",
        width: 76.0,
        unit,
        has_caption,
    };
    match radius {
        Radius::Screen { points } => {
            let field = DragValue::new(points).speed(0.25).fixed_decimals(0);
            value("Radius", "pt", has_caption).show_within(ui, field, RADIUS_POINTS[0]..=RADIUS_POINTS[1]);
        }
        Radius::Locked { secs, octaves } => {
            let millis = DragValue::from_get_set(|new| {
                if let Some(new) = new {
                    *secs = new / 1000.0;
                }
                *secs * 1000.0
            });
            let field = millis.speed(0.5).fixed_decimals(1);
            value("Radius", "ms", has_caption).show_within(
                ui,
                field,
                RADIUS_SECS[0] * 1000.0..=RADIUS_SECS[1] * 1000.0,
            );
            let field = DragValue::new(octaves).speed(0.005).fixed_decimals(2);
            value("Radius in octaves", "oct", false).show_within(ui, field, RADIUS_OCTAVES[0]..=RADIUS_OCTAVES[1]);
        }
    }
    if overflow::has_place(ui, "Radius lock", 26.0) {
        let look = ButtonStyle { swap: is_locked.then_some(icons::LOCK), ..ButtonStyle::icon(26.0, 16.0) };
        widgets::command_icon(ui, facts, CanvasCommand::LockRadius, look.on(is_locked), commands);
    }
}

/// Every pass, in the order in which they are offered.
const PASSES: [Pass; 4] = [Pass::Low, Pass::High, Pass::Band, Pass::Notch];

fn pass_name(pass: Pass) -> String {
    match pass {
        Pass::Low => "Low pass",
        Pass::High => "High pass",
        Pass::Band => "Band pass",
        Pass::Notch => "Notch",
    }
    .into()
}

fn order(ui: &mut Ui, order: &mut u32, has_caption: bool) {
    let what = "Steepness: 6 dB/octave per order.";
    let value = Value { name: "Order", what, width: 40.0, unit: "", has_caption };
    value.show_within(
        ui,
        DragValue::new(order).speed(0.05).fixed_decimals(0),
        f64::from(ORDER[0])..=f64::from(ORDER[1]),
    );
}

/// One or two cutoffs, both kept in ascending order.
fn cutoffs(
    ui: &mut Ui,
    names: [&str; 2],
    unit: &str,
    pass: Pass,
    cutoff: &mut [f64; 2],
    [least, most]: [f64; 2],
    has_caption: bool,
) {
    let value =
        |name, has_caption| Value { name, what: "Half-power point of the filter.", width: 88.0, unit, has_caption };
    let [low, high] = cutoff;
    let field = DragValue::new(low).speed(0.2).fixed_decimals(1);
    let low_changed = value(names[0], has_caption).show_within(ui, field, least..=most).changed();
    if matches!(pass, Pass::Band | Pass::Notch) {
        let field = DragValue::new(high).speed(0.2).fixed_decimals(1);
        value(names[1], false).show_within(ui, field, least..=most);
    }
    // Also where the upper one is not shown: a filter with two keeps it.
    if *low >= *high {
        if low_changed {
            *high = *low * 1.01;
        } else {
            *low = *high / 1.01;
        }
    }
}

fn band_filter(ui: &mut Ui, settings: &mut ToolSettings, has_caption: bool) {
    if let Some(pass) = widgets::choice(ui, "Filter", 88.0, settings.band_pass, &PASSES, pass_name) {
        settings.band_pass = pass;
    }
    let names = ["Cutoff", "Upper cutoff"];
    let mut bend = [settings.band_bend_hz, f64::INFINITY];
    match settings.band_pass {
        Pass::Low | Pass::High => cutoffs(ui, names, "Hz", settings.band_pass, &mut bend, BAND_HZ, has_caption),
        pass => cutoffs(ui, names, "Hz", pass, &mut settings.band_cutoff_hz, BAND_HZ, has_caption),
    }
    settings.band_bend_hz = bend[0];
    order(ui, &mut settings.band_order, has_caption);
}

fn modulation_filter(ui: &mut Ui, settings: &mut ToolSettings, has_caption: bool) {
    if let Some(pass) = widgets::choice(ui, "Filter", 88.0, settings.modulation_pass, &PASSES, pass_name) {
        settings.modulation_pass = pass;
    }
    let label = |along| match along {
        Along::Time => "Along time".to_string(),
        Along::Frequency => "Along frequency".to_string(),
        Along::Both => "Both".to_string(),
    };
    let all = [Along::Time, Along::Frequency, Along::Both];
    if let Some(along) = widgets::choice(ui, "Direction", 116.0, settings.modulation_along, &all, label) {
        settings.modulation_along = along;
    }
    let has_caption = has_caption && settings.modulation_along != Along::Both;
    let pass = settings.modulation_pass;
    if settings.modulation_along != Along::Frequency {
        let names = ["Cutoff", "Upper cutoff"];
        cutoffs(ui, names, "Hz", pass, &mut settings.modulation_time_cutoff, MODULATION, has_caption);
    }
    if settings.modulation_along != Along::Time {
        let names = ["Cutoff over frequency", "Upper cutoff over frequency"];
        cutoffs(ui, names, "c/kHz", pass, &mut settings.modulation_frequency_cutoff, MODULATION, false);
    }
    order(ui, &mut settings.modulation_order, has_caption);
    widgets::tick(ui, "Rebuild phase", NEW_PHASE, &mut settings.modulation_phase);
}
