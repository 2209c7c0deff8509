//! Top bar, option bar, tools and status. They read state and push commands; the option bar also edits the
//! settings of the tool in hand.

use super::commands::{Command, Facts, Menu};
use super::remember::Recent;
use super::state::{ChannelView, OpenDocument, Radius, Tool, Tools, channel_label};
use super::widgets::{self, Look, Value};
use super::{heal_options, icons, overflow, theme};
use crate::dsp::brush::{Along, Pass};
use crate::playback::PlayerStatus;
use egui::{Align, Button, DragValue, Layout, RichText, Ui, vec2};

/// Menus, the open file, the way to commands, theme and panels.
pub fn top(
    ui: &mut Ui,
    facts: &Facts,
    document: Option<&OpenDocument>,
    recent: &[Recent],
    commands: &mut Vec<Command>,
) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::AUDIO_LINES, 18.0, palette.accent);
        ui.add_space(6.0);
        egui::MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 8.0;
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| menu_items(ui, facts, menu, recent, commands));
            }
            ui.add_space(8.0);
            widgets::bar_rule(ui);
            if let Some(document) = document {
                tab(ui, facts, document, commands);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(8.0);
                widgets::command_icon(ui, facts, Command::Panels, Look::icon(28.0, 16.0), commands);
                let sign = if ui.visuals().dark_mode { icons::MOON } else { icons::SUN };
                let look = Look { swap: Some(sign), ..Look::icon(28.0, 16.0) };
                widgets::command_icon(ui, facts, Command::Theme, look, commands);
                finder(ui, commands);
            });
        });
    });
}

fn finder(ui: &mut Ui, commands: &mut Vec<Command>) {
    let palette = theme::palette(ui.ctx());
    let spec = Command::Palette.spec();
    let width = if ui.available_width() > 260.0 { 232.0 } else { 28.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, 24.0), egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, spec.name));
    let face = if response.hovered() { palette.hover } else { palette.field };
    ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    let left = rect.left_center() + vec2(14.0, 0.0);
    let painter = ui.painter();
    painter.text(left, egui::Align2::CENTER_CENTER, icons::SEARCH, theme::icons(14.0), palette.text_weak);
    if width > 100.0 {
        let at = rect.left_center() + vec2(28.0, 0.0);
        painter.text(at, egui::Align2::LEFT_CENTER, spec.name, theme::regular(theme::BODY), palette.text_weak);
        let key = spec.keys.first().map(ToString::to_string).unwrap_or_default();
        let at = rect.right_center() - vec2(8.0, 0.0);
        painter.text(at, egui::Align2::RIGHT_CENTER, key, theme::regular(theme::CAPTION), palette.text_weak);
    }
    widgets::focus_ring(ui, &response);
    if response.clicked() {
        commands.push(Command::Palette);
    }
    widgets::tooltip(response, Command::Palette, None);
}

fn tab(ui: &mut Ui, facts: &Facts, document: &OpenDocument, commands: &mut Vec<Command>) {
    let palette = theme::palette(ui.ctx());
    // The window's title has the name, too, and the File menu closes it.
    if ui.available_width() < 180.0 {
        return;
    }
    widgets::sign(ui, icons::AUDIO_WAVEFORM, 14.0, palette.text);
    let name = RichText::new(document.name()).color(palette.text_strong).font(theme::medium(theme::BODY));
    // What stands at the right takes 160 points when it is folded.
    let width = ui.available_width();
    let room = (width - 400.0).max(60.0).min(width - 160.0);
    if room > 24.0 {
        ui.scope(|ui| {
            ui.set_max_width(room);
            ui.add(egui::Label::new(name).truncate());
        });
    }
    if document.has_unsaved_edits() {
        ui.label(RichText::new("\u{2022}").color(palette.text_strong))
            .on_hover_text("Edits that are in no project or file yet.");
    }
    widgets::command_icon(ui, facts, Command::Close, Look::icon(24.0, 14.0), commands);
}

fn menu_items(ui: &mut Ui, facts: &Facts, menu: Menu, recent: &[Recent], commands: &mut Vec<Command>) {
    ui.set_min_width(220.0);
    let mine: Vec<Command> = Command::all().into_iter().filter(|command| command.spec().menu == menu).collect();
    let mut done: Vec<&str> = Vec::new();
    for &command in &mine {
        match command.submenu() {
            None => menu_item(ui, facts, command, commands),
            Some(name) if done.contains(&name) => {}
            Some(name) => {
                done.push(name);
                ui.menu_button(name, |ui| {
                    ui.set_min_width(220.0);
                    for &command in mine.iter().filter(|command| command.submenu() == Some(name)) {
                        match command {
                            // Those that are not there are not listed.
                            Command::OpenRecent(i) if i >= recent.len() => {}
                            Command::OpenRecent(i) => recent_item(ui, command, &recent[i], commands),
                            _ => menu_item(ui, facts, command, commands),
                        }
                    }
                });
            }
        }
    }
}

/// A recent file by its name; where it is, in the tooltip.
fn recent_item(ui: &mut Ui, command: Command, recent: &Recent, commands: &mut Vec<Command>) {
    let [name, folder] = recent.words();
    let response = ui.button(&name).on_hover_text(format!("{folder}, {}", recent.format));
    if response.clicked() {
        commands.push(command);
        ui.close();
    }
}

fn menu_item(ui: &mut Ui, facts: &Facts, command: Command, commands: &mut Vec<Command>) {
    let spec = command.spec();
    let key = spec.keys.first().map(ToString::to_string).unwrap_or_default();
    let enabled = command.enabled(facts);
    let palette = theme::palette(ui.ctx());
    let colour = if enabled.is_ok() { palette.text } else { palette.text_off };
    let button = Button::new(RichText::new(spec.name).color(colour)).shortcut_text(key);
    let response = ui.add_enabled(enabled.is_ok(), button).accessible_name(spec.name);
    if response.clicked() {
        commands.push(command);
        ui.close();
    }
    let what = enabled.err().unwrap_or(spec.what);
    response.on_hover_text(what).on_disabled_hover_text(what);
}

/// Icon buttons from top to bottom, one line between groups.
pub fn tools(ui: &mut Ui, facts: &Facts, active: Tool, commands: &mut Vec<Command>) {
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.add_space(6.0);
    // A low window scrolls them: none is out of reach.
    let bars = egui::scroll_area::ScrollBarVisibility::AlwaysHidden;
    egui::ScrollArea::vertical().scroll_bar_visibility(bars).show(ui, |ui| tool_buttons(ui, facts, active, commands));
}

fn tool_buttons(ui: &mut Ui, facts: &Facts, active: Tool, commands: &mut Vec<Command>) {
    for tool in Tool::ALL {
        if matches!(tool, Tool::Gain | Tool::Hand) {
            ui.add_space(4.0);
            widgets::rule(ui);
            ui.add_space(4.0);
        }
        ui.horizontal(|ui| {
            ui.add_space(6.0);
            let look = Look { size: vec2(36.0, 30.0), has_bar: true, ..Look::icon(30.0, 17.0) };
            widgets::command_icon(ui, facts, Command::Tool(tool), look.on(tool == active), commands);
        });
    }
}

/// The settings of the tool in hand; what has no room goes into a menu.
pub fn options(
    ui: &mut Ui,
    facts: &Facts,
    tools: &mut Tools,
    document: Option<&OpenDocument>,
    commands: &mut Vec<Command>,
) {
    let palette = theme::palette(ui.ctx());
    let spec = Command::Tool(tools.active).spec();
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        if let Some(icon) = spec.icon {
            widgets::sign(ui, icon, 18.0, palette.accent);
        }
        let name = RichText::new(spec.name).font(theme::semibold(theme::BODY)).color(palette.text_strong);
        ui.label(name);
        widgets::bar_rule(ui);
        let view = document.map(|document| document.view.channels).filter(|_| tools.active.is_brush());
        let channels = view.filter(|&view| view != ChannelView::All).map(|view| channel_label(view, facts.n_channels));
        let reserved = 82.0 + if channels.is_some() { 104.0 } else { 0.0 };
        overflow::in_bar(ui, reserved, |ui| fields(ui, facts, tools, commands));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(10.0);
            if tools.active.is_brush() {
                widgets::command_icon(ui, facts, Command::ResetTool, Look::icon(28.0, 16.0), commands);
            }
            if let Some(channels) = channels {
                let text = RichText::new(format!("Channels: {channels}")).color(palette.text_strong);
                ui.label(text).on_hover_text("Brushes change only these; View, Channels says which.");
            }
            overflow::menu(ui, |ui| fields(ui, facts, tools, commands));
        });
    });
}

fn fields(ui: &mut Ui, facts: &Facts, tools: &mut Tools, commands: &mut Vec<Command>) {
    let has_captions = ui.ctx().content_rect().width() >= 1100.0;
    ui.scope(|ui| {
        if !tools.active.has_radius() {
            selection_options(ui, tools, has_captions);
            let palette = theme::palette(ui.ctx());
            let what = RichText::new(Command::Tool(tools.active).spec().what).color(palette.text_weak);
            ui.add(egui::Label::new(what).truncate());
            return;
        }
        radius(ui, facts, tools, has_captions, commands);
        let percent = |name, what| Value { name, what, width: 60.0, unit: "%", has_caption: has_captions };
        let hardness =
            percent("Hardness", "The part of the radius that is reached in full; outside it the effect fades.");
        hardness.show_within(ui, percent_field(&mut tools.hardness), 0.0..=100.0);
        if !tools.active.is_brush() {
            return;
        }
        percent("Strength", "How much of the effect one stroke has.").show_within(
            ui,
            percent_field(&mut tools.strength),
            0.0..=100.0,
        );
        widgets::bar_rule(ui);
        match tools.active {
            Tool::Gain => {
                let value = Value {
                    name: "Gain",
                    what: "How much louder or quieter, where the brush reaches in full.",
                    width: 76.0,
                    unit: "dB",
                    has_caption: has_captions,
                };
                let field = DragValue::new(&mut tools.gain_db).speed(0.2).fixed_decimals(1);
                value.show_within(ui, field, -120.0..=24.0);
            }
            Tool::Blur => {
                sigma(ui, &mut tools.blur_sigma, "Blur", has_captions);
                widgets::tick(ui, "New phase", NEW_PHASE, &mut tools.blur_phase);
            }
            Tool::Warp => widgets::tick(
                ui,
                "Keep pitch",
                "Tones keep their frequency where time is stretched; off, they take the phase of where they come from.",
                &mut tools.warp_locking,
            ),
            Tool::BandFilter => band_filter(ui, tools, has_captions),
            Tool::ModulationFilter => modulation_filter(ui, tools, has_captions),
            Tool::Tone => tone(ui, tools, has_captions),
            Tool::Noise => {
                let what = "Power mean of the noise, as the spectrogram shows it.";
                let value = Value { name: "Level", what, width: 76.0, unit: "dB", has_caption: has_captions };
                value.show(ui, DragValue::new(&mut tools.noise_db).range(-200.0..=24.0).speed(0.2).fixed_decimals(1));
            }
            Tool::Heal => heal_options::fields(ui, &mut tools.heal, has_captions),
            Tool::Sharpen => {
                let what = "How much of the difference to the surroundings is added.";
                let value = Value { name: "Amount", what, width: 60.0, unit: "", has_caption: has_captions };
                let field = DragValue::new(&mut tools.sharpen_amount).range(0.0..=16.0).speed(0.02).fixed_decimals(2);
                value.show(ui, field);
                sigma(ui, &mut tools.sharpen_sigma, "Surroundings", has_captions);
            }
            Tool::Denoise => denoise(ui, facts, tools, has_captions, commands),
            Tool::HarmonicPercussive => parts(ui, tools, has_captions),
            _ => {}
        }
        if tools.active.builds_up() {
            let what = "Acts once per dab, so that going over a place again does more; off, a stroke does no more than its \
                        strength.";
            widgets::tick(ui, "Build up", what, &mut tools.build_up);
        }
    });
}

fn denoise(ui: &mut Ui, facts: &Facts, tools: &mut Tools, has_caption: bool, commands: &mut Vec<Command>) {
    let value = |name, what, has_caption| Value { name, what, width: 76.0, unit: "dB", has_caption };
    for command in [Command::LearnNoise, Command::ReduceNoise] {
        if overflow::has_place(ui, command.spec().name, 28.0) {
            widgets::command_icon(ui, facts, command, Look::icon(28.0, 16.0), commands);
        }
    }
    let reduction = value("Reduction", "How far what is only noise is pulled down.", has_caption);
    let field = DragValue::new(&mut tools.denoise_reduction_db).speed(0.2).fixed_decimals(1);
    reduction.show_within(ui, field, 0.0..=80.0);
    let margin = value("Margin", "How much louder than it was learnt the noise is taken to be.", has_caption);
    let field = DragValue::new(&mut tools.denoise_margin_db).speed(0.05).fixed_decimals(1);
    margin.show_within(ui, field, -12.0..=12.0);
    sigma(ui, &mut tools.denoise_smoothing, "Smoothing", false);
}

fn parts(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    let value = |name, what, unit, has_caption| Value { name, what, width: 76.0, unit, has_caption };
    let parts = &mut tools.parts;
    let field = DragValue::new(&mut parts.harmonic_db).speed(0.2).fixed_decimals(1);
    value("Tones", "Gain of what goes on in time.", "dB", has_caption).show_within(ui, field, -120.0..=24.0);
    let field = DragValue::new(&mut parts.percussive_db).speed(0.2).fixed_decimals(1);
    value("Hits", "Gain of what is brief, over many frequencies.", "dB", has_caption).show_within(
        ui,
        field,
        -120.0..=24.0,
    );
    let [secs, hz] = &mut parts.reach;
    let millis = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *secs = new / 1000.0;
        }
        *secs * 1000.0
    });
    let what = "Over how long a tone must go on to be one.";
    value("Tones last", what, "ms", false).show_within(ui, millis.speed(1.0).fixed_decimals(0), 10.0..=2000.0);
    let what = "Over how wide a band a hit must go to be one.";
    let field = DragValue::new(hz).speed(1.0).fixed_decimals(0);
    value("Hits span", what, "Hz", false).show_within(ui, field, 10.0..=10_000.0);
}

/// What the option of a new phase means.
const NEW_PHASE: &str = "Makes the phase anew from the new loudness when the stroke is done, instead of keeping it.";

/// What the tools that find a selection look for.
fn selection_options(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    let value = |name, what, unit| Value { name, what, width: 76.0, unit, has_caption };
    match tools.active {
        Tool::Wand => {
            let tolerance = value("Tolerance", "How far the level may differ from that of the place you click.", "dB");
            let field = DragValue::new(&mut tools.wand_tolerance_db).range(0.0..=120.0).speed(0.1).fixed_decimals(1);
            tolerance.show(ui, field);
            widgets::bar_rule(ui);
        }
        Tool::SelectBox | Tool::SelectTime => {
            let what =
                "How readily Find clicks, Find hum, Find clipping and More like this (Select menu) find something.";
            let sensitivity = value("Sensitivity", what, "%");
            sensitivity.show_within(ui, percent_field(&mut tools.find_sensitivity), 0.0..=100.0);
            widgets::bar_rule(ui);
        }
        Tool::SelectHarmonics => {
            let count = value("Harmonics", "How many, the tone itself the first.", "");
            count.show(ui, DragValue::new(&mut tools.harmonic_count).range(1..=512).speed(0.1).fixed_decimals(0));
            let field = DragValue::new(&mut tools.harmonic_width_hz).range(0.0..=5000.0).speed(0.5).fixed_decimals(1);
            value("Width of a band", "Of each harmonic's band.", "Hz").show(ui, field);
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

fn radius(ui: &mut Ui, facts: &Facts, tools: &mut Tools, has_caption: bool, commands: &mut Vec<Command>) {
    let is_locked = matches!(tools.radius, Radius::Locked { .. });
    let value = |name, unit, has_caption| Value {
        name,
        what: "From the brush's middle to where it ends. [ and ] change it.",
        width: 76.0,
        unit,
        has_caption,
    };
    match &mut tools.radius {
        Radius::Screen { points } => {
            let field = DragValue::new(points).speed(0.25).fixed_decimals(0);
            value("Radius", "pt", has_caption).show_within(ui, field, 2.0..=400.0);
        }
        Radius::Locked { secs, octaves } => {
            let millis = DragValue::from_get_set(|new| {
                if let Some(new) = new {
                    *secs = new / 1000.0;
                }
                *secs * 1000.0
            });
            let field = millis.speed(0.5).fixed_decimals(1);
            value("Radius", "ms", has_caption).show_within(ui, field, 0.1..=60_000.0);
            let field = DragValue::new(octaves).speed(0.005).fixed_decimals(2);
            value("Radius in octaves", "oct", false).show_within(ui, field, 0.001..=10.0);
        }
    }
    if overflow::has_place(ui, "Radius lock", 26.0) {
        let look = Look { swap: is_locked.then_some(icons::LOCK), ..Look::icon(26.0, 16.0) };
        widgets::command_icon(ui, facts, Command::LockRadius, look.on(is_locked), commands);
    }
}

/// Standard deviations along both axes.
fn sigma(ui: &mut Ui, sigma: &mut [f64; 2], name: &str, has_caption: bool) {
    let [secs, hz] = sigma;
    let [in_time, in_frequency] = ["time", "frequency"].map(|axis| format!("{name} in {axis}"));
    let millis = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *secs = new / 1000.0;
        }
        *secs * 1000.0
    });
    let what = "Standard deviation of the Gaussian along time.";
    let value = Value { name: &in_time, what, width: 84.0, unit: "ms", has_caption };
    value.show_within(ui, millis.speed(0.5).fixed_decimals(1), 0.0..=2000.0);
    let what = "Standard deviation of the Gaussian along frequency.";
    let value = Value { name: &in_frequency, what, width: 84.0, unit: "Hz", has_caption };
    value.show_within(ui, DragValue::new(hz).speed(1.0).fixed_decimals(1), 0.0..=20_000.0);
}

fn tone(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    let value = |name, what, width, unit, has_caption| Value { name, what, width, unit, has_caption };
    let tone = &mut tools.tone;
    let level = value("Level", "Of the first partial; 0 dB is a full-scale sine.", 76.0, "dB", has_caption);
    level.show(ui, DragValue::new(&mut tone.level_db).range(-200.0..=24.0).speed(0.2).fixed_decimals(1));
    let count = value("Partials", "How many, the tone itself the first.", 44.0, "", has_caption);
    count.show(ui, DragValue::new(&mut tone.harmonics).range(1..=128).speed(0.1).fixed_decimals(0));
    let spacing = value("Spacing", "From one partial to the next: 1 all harmonics, 2 odd ones.", 52.0, "", has_caption);
    spacing.show(ui, DragValue::new(&mut tone.spacing).range(0.0..=16.0).speed(0.01).fixed_decimals(2));
    let stretch = value("Stretch", "How stiff the string is; 0 keeps partials in place.", 60.0, "", false);
    stretch.show(ui, DragValue::new(&mut tone.inharmonicity).range(0.0..=1.0).speed(0.0002).fixed_decimals(4));
    let slope = value("Slope", "Of the partials above the first.", 84.0, "dB/oct", false);
    slope.show(ui, DragValue::new(&mut tone.slope_db).range(-96.0..=24.0).speed(0.1).fixed_decimals(1));
    let pan = value("Pan", "In a stereo file: -1 left, 1 right.", 52.0, "", has_caption);
    pan.show(ui, DragValue::new(&mut tone.pan).range(-1.0..=1.0).speed(0.005).fixed_decimals(2));
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
    let what = "Steepness: 6 dB an octave for each.";
    let value = Value { name: "Order", what, width: 40.0, unit: "", has_caption };
    value.show_within(ui, DragValue::new(order).speed(0.05).fixed_decimals(0), 1.0..=8.0);
}

/// One or two cutoffs, kept in ascending order.
fn cutoffs(ui: &mut Ui, names: [&str; 2], unit: &str, pass: Pass, cutoff: &mut [f64; 2], most: f64, has_caption: bool) {
    let least = if most > 10_000.0 { 0.1 } else { 0.001 };
    let value = |name, has_caption| Value {
        name,
        what: "Where the filter bends, at half the power.",
        width: 88.0,
        unit,
        has_caption,
    };
    let [low, high] = cutoff;
    let field = DragValue::new(low).speed(0.2).fixed_decimals(1);
    let low_changed = value(names[0], has_caption).show_within(ui, field, least..=most).changed();
    if matches!(pass, Pass::Band | Pass::Notch) {
        let field = DragValue::new(high).speed(0.2).fixed_decimals(1);
        value(names[1], false).show_within(ui, field, least..=most);
        if *low >= *high {
            if low_changed {
                *high = *low * 1.01;
            } else {
                *low = *high / 1.01;
            }
        }
    }
}

fn band_filter(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    if let Some(pass) = widgets::choice(ui, "Filter", 88.0, tools.band_pass, &PASSES, pass_name) {
        tools.band_pass = pass;
    }
    let names = ["Cutoff", "Upper cutoff"];
    let mut bend = [tools.band_bend_hz, f64::INFINITY];
    match tools.band_pass {
        Pass::Low | Pass::High => cutoffs(ui, names, "Hz", tools.band_pass, &mut bend, 96_000.0, has_caption),
        pass => cutoffs(ui, names, "Hz", pass, &mut tools.band_cutoff_hz, 96_000.0, has_caption),
    }
    tools.band_bend_hz = bend[0];
    order(ui, &mut tools.band_order, has_caption);
}

fn modulation_filter(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    if let Some(pass) = widgets::choice(ui, "Filter", 88.0, tools.modulation_pass, &PASSES, pass_name) {
        tools.modulation_pass = pass;
    }
    let label = |along| match along {
        Along::Time => "Along time".to_string(),
        Along::Frequency => "Along frequency".to_string(),
        Along::Both => "Both".to_string(),
    };
    let all = [Along::Time, Along::Frequency, Along::Both];
    if let Some(along) = widgets::choice(ui, "Direction", 116.0, tools.modulation_along, &all, label) {
        tools.modulation_along = along;
    }
    let has_caption = has_caption && tools.modulation_along != Along::Both;
    let pass = tools.modulation_pass;
    if tools.modulation_along != Along::Frequency {
        let names = ["Cutoff", "Upper cutoff"];
        cutoffs(ui, names, "Hz", pass, &mut tools.modulation_time_cutoff, 1000.0, has_caption);
    }
    if tools.modulation_along != Along::Time {
        let names = ["Cutoff over frequency", "Upper cutoff over frequency"];
        cutoffs(ui, names, "c/kHz", pass, &mut tools.modulation_frequency_cutoff, 1000.0, false);
    }
    order(ui, &mut tools.modulation_order, has_caption);
    widgets::tick(ui, "New phase", NEW_PHASE, &mut tools.modulation_phase);
}

/// What the status line says.
pub struct Status<'a> {
    /// The document.
    pub document: Option<&'a OpenDocument>,
    /// The tool in hand.
    pub tool: Tool,
    /// Playback.
    pub player: &'a PlayerStatus,
    /// `CPU engine, drawn by llvmpipe`, and why.
    pub engine: (&'a str, &'a str),
    /// `Opening, 62 %`.
    pub work: Option<String>,
    /// Notices that have no place at the canvas.
    pub n_hidden_notices: usize,
}

/// What the pointer does with a tool.
fn hint(tool: Tool) -> &'static str {
    match tool {
        Tool::Hand => "Drag move the view    Wheel zoom    F1 all keys",
        Tool::Warp => "Drag push the sound    [ ] size    { } hardness    Esc cancel stroke    F1 all keys",
        tool if tool.is_brush() => "Drag paint    [ ] size    { } hardness    Esc cancel stroke    F1 all keys",
        _ => "Drag select    Shift add    Ctrl subtract    Click clear    Esc cancel    F1 all keys",
    }
}

/// One line: work in progress at the left, figures at the right.
pub fn status(ui: &mut Ui, status: &Status<'_>, commands: &mut Vec<Command>) {
    let palette = theme::palette(ui.ctx());
    let caption = |text: String| RichText::new(text).size(theme::CAPTION).color(palette.text_weak);
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        match &status.work {
            Some(work) => {
                ui.label(caption(work.clone()));
                let button = Button::new(caption("Cancel (Esc)".into())).small().min_size(vec2(24.0, 24.0));
                if ui.add(button).accessible_name("Cancel the work").clicked() {
                    commands.push(Command::Cancel);
                }
            }
            None if ui.ctx().content_rect().width() < 1400.0 => {}
            None => {
                let hint = match status.document {
                    Some(_) => hint(status.tool),
                    None => "Drop files anywhere in this window.",
                };
                ui.label(caption(hint.into()));
            }
        }
        if status.n_hidden_notices > 0 {
            let n = status.n_hidden_notices;
            ui.label(caption(format!("{n} more notice{}", if n == 1 { "" } else { "s" })));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(14.0);
            let n = status.player.underruns;
            ui.label(caption(format!("{n} underrun{}", if n == 1 { "" } else { "s" })));
            let (dot, _) = ui.allocate_exact_size(vec2(6.0, 6.0), egui::Sense::hover());
            ui.painter().circle_filled(dot.center(), 3.0, if n == 0 { palette.ok } else { palette.warning });
            let mut figures = Vec::new();
            if let Some(document) = status.document {
                let info = document.history.original().source().info();
                figures.push(format!("{} kHz", theme::number(f64::from(info.sample_rate_hz) / 1000.0, 1)));
                figures.push(match info.n_channels {
                    1 => "Mono".into(),
                    2 => "Stereo".into(),
                    n => format!("{n} channels"),
                });
                figures.push(info.description.clone());
            }
            let (engine, why) = status.engine;
            figures.push(engine.to_string());
            figures.push(match &status.player.device {
                Some(device) => format!("Out {device}"),
                None => "Out not open".into(),
            });
            for figure in figures.into_iter().rev() {
                widgets::bar_rule(ui);
                let is_engine = figure == engine;
                let label = ui.add(egui::Label::new(caption(figure)).truncate());
                if is_engine {
                    label.on_hover_text(why);
                }
            }
        });
    });
}
