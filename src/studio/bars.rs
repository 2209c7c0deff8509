//! Top bar, option bar, tools, transport and status. They read state and push commands; the option bar also edits the
//! settings of the tool in hand.

use super::commands::{Command, Facts, Menu};
use super::state::{ChannelView, OpenDocument, Radius, Readout, Tool, Tools, channel_label};
use super::widgets::{self, Look, Value};
use super::{icons, overflow, theme};
use crate::base::{Note, clock_from_secs};
use crate::dsp::brush::{Along, Pass};
use crate::playback::PlayerStatus;
use egui::{Align, Button, DragValue, Layout, RichText, Ui, vec2};

/// Menus, the open file, the way to commands, theme and panels.
pub fn top(ui: &mut Ui, facts: &Facts, document: Option<&OpenDocument>, commands: &mut Vec<Command>) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::AUDIO_LINES, 18.0, palette.accent);
        ui.add_space(6.0);
        egui::MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 8.0;
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| menu_items(ui, facts, menu, commands));
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
    widgets::sign(ui, icons::AUDIO_WAVEFORM, 14.0, palette.text);
    let name = RichText::new(document.name()).color(palette.text_strong).font(theme::medium(theme::BODY));
    let room = (ui.available_width() - 400.0).max(60.0);
    ui.scope(|ui| {
        ui.set_max_width(room);
        ui.add(egui::Label::new(name).truncate());
    });
    if document.has_unsaved_edits() {
        ui.label(RichText::new("\u{2022}").color(palette.text_strong)).on_hover_text("Edits that are in no file yet.");
    }
    widgets::command_icon(ui, facts, Command::Close, Look::icon(24.0, 14.0), commands);
}

fn menu_items(ui: &mut Ui, facts: &Facts, menu: Menu, commands: &mut Vec<Command>) {
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
                        menu_item(ui, facts, command, commands);
                    }
                });
            }
        }
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
        if !tools.active.is_brush() {
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
            Tool::Blur => blur(ui, tools, has_captions),
            Tool::BandFilter => band_filter(ui, tools, has_captions),
            Tool::ModulationFilter => modulation_filter(ui, tools, has_captions),
            Tool::SelectTime | Tool::SelectBox | Tool::Erase | Tool::Warp | Tool::Hand => {}
        }
    });
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

fn blur(ui: &mut Ui, tools: &mut Tools, has_caption: bool) {
    let [secs, hz] = &mut tools.blur_sigma;
    let millis = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *secs = new / 1000.0;
        }
        *secs * 1000.0
    });
    let what = "Standard deviation of the blur along time.";
    let value = Value { name: "Blur in time", what, width: 84.0, unit: "ms", has_caption };
    value.show_within(ui, millis.speed(0.5).fixed_decimals(1), 0.0..=2000.0);
    let what = "Standard deviation of the blur along frequency.";
    let value = Value { name: "Blur in frequency", what, width: 84.0, unit: "Hz", has_caption };
    value.show_within(ui, DragValue::new(hz).speed(1.0).fixed_decimals(1), 0.0..=20_000.0);
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
}

/// Buttons of playback, the time, and what is under the pointer.
pub fn transport(
    ui: &mut Ui,
    facts: &Facts,
    document: Option<&OpenDocument>,
    status: &PlayerStatus,
    is_looping: bool,
    readout: Option<&Readout>,
    commands: &mut Vec<Command>,
) {
    ui.horizontal_centered(|ui| {
        ui.add_space(10.0);
        let look = Look::icon(32.0, 18.0);
        widgets::command_icon(ui, facts, Command::ToStart, look, commands);
        let play = if facts.is_playing { Command::Pause } else { Command::PlayStop };
        let look_play = Look { size: vec2(44.0, 36.0), is_filled: facts.is_playing, ..look };
        widgets::command_icon(ui, facts, play, look_play, commands);
        widgets::command_icon(ui, facts, Command::Stop, look, commands);
        widgets::command_icon(ui, facts, Command::Loop, look.on(is_looping), commands);
        ui.add_space(8.0);
        time(ui, document, status);
        widgets::bar_rule(ui);
        let is_before = document.is_some_and(|document| document.show_before);
        let enabled = Command::Before.enabled(facts);
        let palette = theme::palette(ui.ctx());
        let ink = match (enabled.is_ok(), is_before) {
            (false, _) => palette.text_off,
            (true, true) => palette.accent,
            (true, false) => palette.text,
        };
        let name = if ui.ctx().content_rect().width() < 1100.0 { "" } else { Command::Before.spec().name };
        let button = Button::new((
            RichText::new(icons::SQUARE_SPLIT_HORIZONTAL).font(theme::icons(18.0)).color(ink),
            RichText::new(name).color(ink),
        ));
        let button = button.selected(is_before).frame(is_before).min_size(vec2(32.0, 32.0));
        let response = ui.add_enabled(enabled.is_ok(), button).accessible_name(Command::Before.spec().name);
        if response.clicked() {
            commands.push(Command::Before);
        }
        widgets::tooltip(response, Command::Before, enabled.err());
        widgets::bar_rule(ui);
        readouts(ui, readout);
    });
}

fn time(ui: &mut Ui, document: Option<&OpenDocument>, status: &PlayerStatus) {
    let palette = theme::palette(ui.ctx());
    let secs = match document {
        Some(_) if status.playing => status.position_secs,
        Some(document) => document.cursor_secs,
        None => 0.0,
    };
    let below = match document {
        Some(document) => format!("of {}", clock_from_secs(document.duration_secs())),
        None => "no file".into(),
    };
    let (rect, response) = ui.allocate_exact_size(vec2(118.0, 40.0), egui::Sense::hover());
    let text = clock_from_secs(secs);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Time {text} {below}")));
    let colour = if document.is_some() { palette.text_strong } else { palette.text_off };
    let painter = ui.painter();
    painter.text(rect.left_top(), egui::Align2::LEFT_TOP, &text, theme::medium(20.0), colour);
    let font = theme::regular(theme::CAPTION);
    painter.text(rect.left_bottom(), egui::Align2::LEFT_BOTTOM, below, font, palette.text_weak);
}

fn readouts(ui: &mut Ui, readout: Option<&Readout>) {
    ui.spacing_mut().item_spacing.x = 4.0;
    widgets::figure(ui, "Time", readout.map(|r| (clock_from_secs(r.secs), "")), 76.0);
    let hz = readout.map(|r| r.peak_hz.unwrap_or(r.hz));
    widgets::figure(ui, "Frequency", hz.map(|hz| (theme::number(hz, 1), "Hz")), 96.0);
    let note = hz.and_then(Note::from_hz).map(|note| (note.to_string(), ""));
    widgets::figure(ui, "Note", note, 84.0);
    let level = readout.and_then(|r| r.level_db).map(|db| (theme::number(f64::from(db), 1), "dB"));
    widgets::figure(ui, "Level", level, 76.0);
    let phase = readout.and_then(|r| r.phase_turns).map(|turns| (theme::number(f64::from(turns), 3), "turn"));
    widgets::figure(ui, "Phase", phase, 84.0);
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
                let button = Button::new(caption("Cancel (Esc)".into())).small().min_size(vec2(24.0, 20.0));
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
