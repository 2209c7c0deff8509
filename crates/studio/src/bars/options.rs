//! The controls of the current tool's settings, in the option bar.

use super::super::options::{filter_options, heal_options, label_options, note_options, preset_options, voice_options};
use super::super::widgets::values::{Captioned, Value};
use super::super::widgets::{self, ButtonStyle};
use super::super::widgets::{theme, values};
use super::overflow;
use crate::document::HumRange;
use crate::document::brushes::{Brush, Offer, OptionControl, Parameter, ParameterValue};
use crate::workbench::bench::limits::{
    HARMONIC_HZ, HARMONICS, RADIUS_OCTAVES, RADIUS_POINTS, RADIUS_SECS, TOLERANCE_DB,
};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{
    CanvasCommand, Command, EditCommand, Facts, FindCommand, PreviewCommand, ToolCommand,
};
use crate::workbench::{
    Act, Acts, ChannelView, Figures, LabelClass, OpenDocument, PresetKind, PresetStore, Radius, Tool, ToolSettings,
    Tools, channel_label,
};
use egui::{Align, DragValue, Layout, RichText, Ui};

/// Draws the settings of the current tool; fields that do not fit go into a menu.
pub(super) fn tool_bar(
    ui: &mut Ui,
    shown: OptionContext<'_>,
    tools: &Tools,
    document: Option<&OpenDocument>,
    commands: &mut Acts,
) {
    let mut edited = tools.settings().clone();
    bar(ui, shown, (tools.active(), tools.applied(), &mut edited), document, commands);
    if edited != *tools.settings() {
        commands.push(Act::Tools(Box::new(edited)));
    }
}

/// Whether a tool has frequently used settings.
pub fn has_first_settings(tool: Tool) -> bool {
    tool.has_radius() || matches!(tool, Tool::Wand | Tool::SelectHarmonics)
}

/// The most frequently used settings of the current tool, for a menu.
pub fn first_settings(ui: &mut Ui, facts: &Facts, tools: &Tools, commands: &mut Acts) {
    let (tool, mut edited) = (tools.active(), tools.settings().clone());
    if tool.has_radius() {
        shape(ui, facts, tool, &mut edited, commands);
        if tool.is_brush() {
            strength(ui, &mut edited);
        }
    } else {
        selection_options(ui, tool, &mut edited);
    }
    if edited != *tools.settings() {
        commands.push(Act::Tools(Box::new(edited)));
    }
}

/// Fields of radius and hardness, for tools where they have an effect.
fn shape(ui: &mut Ui, facts: &Facts, tool: Tool, settings: &mut ToolSettings, commands: &mut Acts) {
    if !tool.is_shaped() {
        return;
    }
    let mut size = settings.radius_of(tool);
    radius(ui, facts, &mut size, commands);
    settings.set_radius(tool, size);
    let what = "The part of the radius with full effect; beyond it the effect fades out.";
    percent(ui, "Hardness", what, &mut settings.hardness);
}

/// The current tool, the tool whose brush is applied to the selection, and the settings being edited.
type Edited<'a> = (Tool, Tool, &'a mut ToolSettings);

/// State that the option bar reads.
#[derive(Clone, Copy)]
pub(super) struct OptionContext<'a> {
    /// State that decides which commands are enabled.
    pub facts: &'a Facts,
    /// Measurements of the selection.
    pub figures: Option<&'a Figures>,
    /// The tools, with the current noise profile.
    pub tools: &'a Tools,
    /// Saved noise profiles and presets.
    pub keeping: &'a PresetStore,
    /// Kind of the presets for the settings in the bar.
    pub presets: PresetKind,
    /// Classes suggested by the labels of the document.
    pub classes: &'a [LabelClass],
}

/// Text of the button that applies the brush to the selection.
const APPLY: &str = "Apply";

fn bar(
    ui: &mut Ui,
    shown: OptionContext<'_>,
    edited: Edited<'_>,
    document: Option<&OpenDocument>,
    commands: &mut Acts,
) {
    let (tool, applied, settings) = edited;
    let facts = shown.facts;
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
        let channels = view
            .filter(|&view| view != ChannelView::All)
            .map(|view| channel_label(view, facts.n_channels, facts.channel_mask));
        let can_apply = tool.is_brush() && facts.has_selection;
        let apply_width = if can_apply { widgets::button_width(ui, APPLY) + 8.0 + 36.0 } else { 0.0 };
        let reserved = 82.0 + apply_width + if channels.is_some() { 104.0 } else { 0.0 };
        overflow::in_bar(ui, reserved, |ui| fields(ui, shown, (tool, applied, &mut *settings), commands));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(10.0);
            if tool.is_brush() {
                widgets::command_icon(ui, facts, ToolCommand::ResetTool, ButtonStyle::icon(28.0, 16.0), commands);
            }
            if can_apply {
                widgets::command_icon(ui, facts, PreviewCommand::Brush, ButtonStyle::icon(28.0, 16.0), commands);
                widgets::command_button(ui, facts, EditCommand::ApplyToSelection, APPLY, commands);
            }
            if let Some(channels) = channels {
                let text = RichText::new(format!("Channels: {channels}")).color(palette.text_strong);
                ui.label(text).on_hover_text("Brushes affect only these channels; choose them in View, Channels.");
            }
            overflow::menu(ui, |ui| fields(ui, shown, (tool, applied, &mut *settings), commands));
        });
    });
}

fn fields(ui: &mut Ui, shown: OptionContext<'_>, edited: Edited<'_>, commands: &mut Acts) {
    let (tool, applied, settings) = edited;
    let facts = shown.facts;
    ui.scope(|ui| {
        if tool == Tool::Label {
            return label_options::fields(ui, shown.classes, &mut settings.labels, commands);
        }
        if !tool.has_radius() {
            selection_options(ui, tool, settings);
            if facts.has_selection {
                return applied_options(ui, shown, applied, settings, commands);
            }
            if shown.presets == PresetKind::Tool(tool) {
                presets(ui, shown, commands);
            }
            if overflow::is_full(ui) {
                return;
            }
            let palette = theme::palette(ui.ctx());
            let what = RichText::new(ToolCommand::Pick(tool).row().what).color(palette.text_weak);
            ui.add(egui::Label::new(what).truncate());
            return;
        }
        shape(ui, facts, tool, settings, commands);
        if !tool.is_brush() {
            if facts.has_selection {
                widgets::bar_rule(ui);
                applied_options(ui, shown, applied, settings, commands);
            } else {
                presets(ui, shown, commands);
            }
            return;
        }
        strength(ui, settings);
        widgets::bar_rule(ui);
        brush_options(ui, shown, tool, settings, commands);
        if tool.builds_up() {
            let what = "Applies once per dab, so that painting over an area again adds up; off, a stroke never exceeds \
                        its strength.";
            values::tick(ui, "Build up", what, &mut settings.build_up);
        }
        presets(ui, shown, commands);
    });
}

/// Field of a stroke's strength.
pub(super) fn strength(ui: &mut Ui, settings: &mut ToolSettings) {
    percent(ui, "Strength", "How much of the effect one stroke applies.", &mut settings.strength);
}

/// A field for a fraction of 0 to 1, displayed in percent.
pub(super) fn percent(ui: &mut Ui, name: &str, what: &str, part: &mut f64) {
    let value = Value { name, what, width: 60.0, unit: "%", caption: Captioned::Name };
    value.show_within(ui, percent_field(part), 0.0..=100.0);
}

/// Options specific to one brush.
pub(super) fn brush_options(
    ui: &mut Ui,
    shown: OptionContext<'_>,
    tool: Tool,
    settings: &mut ToolSettings,
    commands: &mut Acts,
) {
    match tool {
        Tool::BAND_FILTER => filter_options::band_filter(ui, &mut settings.band_filter),
        Tool::MODULATION_FILTER => filter_options::modulation_filter(ui, &mut settings.modulation_filter),
        Tool::HEAL => heal_options::fields(ui, &mut settings.heal),
        Tool::DENOISE => denoise(ui, shown, commands),
        Tool::Brush(_) => voice_options::fields(ui, tool, settings),
        _ => {}
    }
    parameters_of_tool(ui, tool, settings, shown.figures);
    note_options::fields(ui, tool, settings);
}

/// For selection tools: the button that applies the last brush to the selection, and its settings.
fn applied_options(
    ui: &mut Ui,
    shown: OptionContext<'_>,
    tool: Tool,
    settings: &mut ToolSettings,
    commands: &mut Acts,
) {
    widgets::command_button(ui, shown.facts, EditCommand::ApplyToSelection, APPLY, commands);
    if overflow::has_place(ui, PreviewCommand::Brush.row().name, 28.0) {
        widgets::command_icon(ui, shown.facts, PreviewCommand::Brush, ButtonStyle::icon(28.0, 16.0), commands);
    }
    let name = ToolCommand::Pick(tool).row().name;
    if overflow::has_place(ui, name, overflow::text_width(ui, name) + 8.0) {
        ui.label(RichText::new(name).color(theme::palette(ui.ctx()).text_strong));
    }
    brush_options(ui, shown, tool, settings, commands);
    strength(ui, settings);
    presets(ui, shown, commands);
}

/// The choice of noise profile, and buttons that learn and reduce noise.
fn denoise(ui: &mut Ui, shown: OptionContext<'_>, commands: &mut Acts) {
    noise(ui, shown, commands);
    for command in [Command::Find(FindCommand::LearnNoise), Command::Edit(EditCommand::ReduceNoise)] {
        if overflow::has_place(ui, command.row().name, 28.0) {
            widgets::command_icon(ui, shown.facts, command, ButtonStyle::icon(28.0, 16.0), commands);
        }
    }
}

/// A choice of the learnt and the saved noise profiles.
pub(super) fn noise(ui: &mut Ui, shown: OptionContext<'_>, acts: &mut Acts) {
    preset_options::noise(ui, shown.facts, shown.tools, shown.keeping, acts);
}

/// A choice of presets for the settings in the bar.
pub(super) fn presets(ui: &mut Ui, shown: OptionContext<'_>, acts: &mut Acts) {
    preset_options::presets(ui, shown.facts, shown.presets, shown.tools, shown.keeping, acts);
}

/// The controls of the parameters of a tool's brush.
pub(super) fn parameters_of_tool(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings, figures: Option<&Figures>) {
    let Some(mut brush) = settings.brush_of(tool) else { return };
    parameters(ui, &mut brush, figures);
    if settings.brush_of(tool).as_ref() != Some(&brush) {
        settings.keep(brush);
    }
}

/// The controls of a brush's parameters.
pub(super) fn parameters(ui: &mut Ui, brush: &mut Brush, figures: Option<&Figures>) {
    for (parameter, value) in brush.parameters().iter().zip(brush.values()) {
        let number = |ui: &mut Ui, control: &OptionControl, value: &mut f64| {
            number_control(ui, parameter, control, value);
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
            (ParameterValue::MaybeNumber(Some(value)), [control]) => number(ui, control, value),
            (
                ParameterValue::MaybePair(Some([low, high]))
                | ParameterValue::Fundamental(HumRange::Within([low, high])),
                [from, to],
            ) => {
                number(ui, from, low);
                number(ui, to, high);
            }
            (ParameterValue::Whole(value), [control]) => {
                let mut shown = f64::from(*value);
                number(ui, control, &mut shown);
                *value = shown.round() as u32;
            }
            (ParameterValue::Flag(flag), [control]) => values::tick(ui, control.label, control.help, flag),
            (ParameterValue::Choice(choice), [control]) => {
                widgets::value_choice(ui, control.label, control.width, choice);
            }
            _ => {}
        }
    }
}

/// A button that sets a value to a measurement of the selection.
fn offered(ui: &mut Ui, offer: Offer, (min, max): (f64, f64), value: &mut f64, figures: Option<&Figures>) {
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
    let why_not = "Select something that is not silent first.";
    if response.on_hover_text(what).on_disabled_hover_text(why_not).clicked()
        && let Some(measured) = measured
    {
        *value = measured.clamp(min, max);
    }
}

fn number_control(ui: &mut Ui, parameter: &Parameter, control: &OptionControl, value: &mut f64) {
    let (min, max) = parameter.range_of(control);
    let range = min * control.scale..=max * control.scale;
    let scaled = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *value = new / control.scale;
        }
        *value * control.scale
    });
    let field = scaled.speed(control.speed).fixed_decimals(control.decimals);
    let OptionControl { label: name, help: what, unit, width, .. } = *control;
    let shown = Value { name, what, width, unit, caption: Captioned::Name };
    match control.states_range {
        true => shown.show_within(ui, field, range),
        false => shown.show(ui, field.range(range)),
    };
}

/// Options of selection tools.
fn selection_options(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings) {
    let value = |name, what, unit| Value { name, what, width: 76.0, unit, caption: Captioned::Name };
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
            let what = "For Find clicks, Find hum, Find clipping and More like this (Select menu).";
            let sensitivity = value("Find sensitivity", what, "%");
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

fn radius(ui: &mut Ui, facts: &Facts, radius: &mut Radius, commands: &mut Acts) {
    let is_locked = matches!(radius, Radius::Locked { .. });
    let value = |name, unit| Value {
        name,
        what: "From the brush's centre to its edge. [ and ] change it.",
        width: 76.0,
        unit,
        caption: Captioned::Name,
    };
    match radius {
        Radius::Screen { points } => {
            let field = DragValue::new(points).speed(0.25).fixed_decimals(0);
            value("Radius", "pt").show_within(ui, field, RADIUS_POINTS[0]..=RADIUS_POINTS[1]);
        }
        Radius::Locked { secs, octaves } => {
            let millis = DragValue::from_get_set(|new| {
                if let Some(new) = new {
                    *secs = new / 1000.0;
                }
                *secs * 1000.0
            });
            let field = millis.speed(0.5).fixed_decimals(1);
            value("Radius", "ms").show_within(ui, field, RADIUS_SECS[0] * 1000.0..=RADIUS_SECS[1] * 1000.0);
            let field = DragValue::new(octaves).speed(0.005).fixed_decimals(2);
            value("Radius in octaves", "oct").show_within(ui, field, RADIUS_OCTAVES[0]..=RADIUS_OCTAVES[1]);
        }
    }
    if !overflow::is_menu_of_all(ui) && overflow::has_place(ui, "Radius lock", 26.0) {
        let look = ButtonStyle { swap: is_locked.then_some(icons::LOCK), ..ButtonStyle::icon(26.0, 16.0) };
        widgets::command_icon(ui, facts, CanvasCommand::LockRadius, look.on(is_locked), commands);
    }
}
