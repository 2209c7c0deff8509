//! The panels at the right: view, selection, history.

use super::commands::{Command, Facts};
use super::edits::describe;
use super::state::{ChannelView, OpenDocument, Panes, channel_label, channel_views};
use super::widgets::{self, Value};
use super::{icons, theme};
use crate::base::{Note, clock_from_secs};
use crate::dsp::{Axis, Selection, Shape, StftParams, Window};
use crate::view::Colormap;
use egui::{Align2, DragValue, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Width of the panels.
pub const WIDTH: f32 = 320.0;
const PADDING: f32 = 12.0;
const LABELS: f32 = 68.0;

/// Which panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Panel {
    /// How the document is looked at.
    View,
    /// What brushes are confined to.
    Selection,
    /// Every step.
    History,
}

impl Panel {
    /// From top to bottom.
    pub const ALL: [Panel; 3] = [Panel::View, Panel::Selection, Panel::History];

    /// Its heading.
    pub fn name(self) -> &'static str {
        match self {
            Panel::View => "View",
            Panel::Selection => "Selection",
            Panel::History => "History",
        }
    }

    fn icon(self) -> char {
        match self {
            Panel::View => icons::EYE,
            Panel::Selection => icons::SQUARE_DASHED,
            Panel::History => icons::HISTORY,
        }
    }
}

/// Which panels are unfolded, and in a narrow window which one lies over the canvas.
#[derive(Debug, Clone, Copy)]
pub struct Folds {
    open: [bool; 3],
    over: Option<Panel>,
}

impl Default for Folds {
    fn default() -> Folds {
        Folds { open: [true; 3], over: None }
    }
}

/// What panels ask for beyond commands.
#[derive(Debug, Default)]
pub struct Asked {
    /// A place in the history.
    pub go_to: Option<usize>,
    /// Another grid.
    pub stft: Option<StftParams>,
}

/// All panels, one above the other.
pub fn column(
    ui: &mut Ui,
    folds: &mut Folds,
    facts: &Facts,
    document: &mut Option<&mut OpenDocument>,
    commands: &mut Vec<Command>,
) -> Asked {
    let mut asked = Asked::default();
    ui.spacing_mut().item_spacing.y = 0.0;
    for (i, panel) in Panel::ALL.into_iter().enumerate() {
        widgets::fold(ui, panel.name(), &mut folds.open[i]);
        if folds.open[i] {
            body(ui, panel, facts, document, commands, &mut asked);
        }
        widgets::rule(ui);
    }
    asked
}

/// In a narrow window: icons, of which one opens its panel over the canvas' right edge.
pub fn strip(
    ui: &mut Ui,
    folds: &mut Folds,
    facts: &Facts,
    document: &mut Option<&mut OpenDocument>,
    commands: &mut Vec<Command>,
) -> Asked {
    let palette = theme::palette(ui.ctx());
    let mut asked = Asked::default();
    let strip = ui.max_rect();
    ui.add_space(6.0);
    for panel in Panel::ALL {
        ui.horizontal(|ui| {
            ui.add_space(4.0);
            let icon = RichText::new(panel.icon()).font(theme::icons(16.0));
            let is_open = folds.over == Some(panel);
            let button = egui::Button::new(icon).selected(is_open).frame(is_open).min_size(vec2(32.0, 30.0));
            let response =
                ui.add(button).accessible_name(format!("{} panel", panel.name())).on_hover_text(panel.name());
            if response.clicked() {
                folds.over = if is_open { None } else { Some(panel) };
            }
        });
    }
    if let Some(panel) = folds.over {
        let area = egui::Area::new(egui::Id::unique("panel over canvas"))
            .order(egui::Order::Foreground)
            .pivot(Align2::RIGHT_TOP)
            .fixed_pos(pos2(strip.left() - 1.0, strip.top()));
        area.show(ui.ctx(), |ui| {
            let frame = widgets::plain(palette.panel).stroke(egui::Stroke::new(1.0, palette.stroke_strong));
            frame.show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.set_max_height(strip.height());
                ui.spacing_mut().item_spacing.y = 0.0;
                widgets::fold(ui, panel.name(), &mut true);
                body(ui, panel, facts, document, commands, &mut asked);
            });
        });
    }
    asked
}

fn body(
    ui: &mut Ui,
    panel: Panel,
    facts: &Facts,
    document: &mut Option<&mut OpenDocument>,
    commands: &mut Vec<Command>,
    asked: &mut Asked,
) {
    let margin = egui::Margin { left: PADDING as i8, right: PADDING as i8, top: 2, bottom: 10 };
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        let Some(document) = document.as_deref_mut() else {
            let palette = theme::palette(ui.ctx());
            ui.label(
                RichText::new(match panel {
                    Panel::View => "Axis, colours and transform, once a file is open.",
                    Panel::Selection => {
                        "Nothing is selected. Drag on the picture with a selection tool, or type a range here."
                    }
                    Panel::History => "Every stroke is listed here and can be undone.",
                })
                .color(palette.text_weak),
            );
            return;
        };
        match panel {
            Panel::View => view(ui, facts, document, commands, asked),
            Panel::Selection => selection(ui, facts, document, commands),
            Panel::History => history(ui, facts, document, asked),
        }
    });
}

fn row(ui: &mut Ui, caption: &str, add: impl FnOnce(&mut Ui, f32)) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(LABELS - 4.0, theme::FIELD_HEIGHT), Sense::hover());
        let font = theme::regular(theme::BODY);
        ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, caption, font, palette.text_weak);
        let width = ui.available_width();
        add(ui, width);
    });
}

fn view(ui: &mut Ui, facts: &Facts, document: &mut OpenDocument, commands: &mut Vec<Command>, asked: &mut Asked) {
    let view = &mut document.view;
    row(ui, "Show", |ui, width| {
        let choices = Panes::ALL.map(|panes| {
            let label = match panes {
                Panes::Magnitude => "Magnitude",
                Panes::Phase => "Phase",
                Panes::Both => "Both",
            };
            (Command::Panes(panes), label, view.panes == panes)
        });
        widgets::segments(ui, facts, width, &choices, commands);
    });
    if view.panes != Panes::Magnitude {
        row(ui, "Phase", |ui, _| {
            let mut raw = view.raw_phase;
            if ui.checkbox(&mut raw, "Raw").on_hover_text(Command::RawPhase.spec().what).changed() {
                commands.push(Command::RawPhase);
            }
        });
    }
    row(ui, "Channels", |ui, width| {
        let all = channel_views(facts.n_channels);
        if facts.n_channels <= 2 {
            let labels: Vec<String> = all.iter().map(|&one| channel_label(one, facts.n_channels)).collect();
            let is_stacked = view.channels == ChannelView::All && view.stacked;
            let mut choices: Vec<_> = all
                .iter()
                .zip(&labels)
                .map(|(&one, label)| (Command::Channels(one), label.as_str(), view.channels == one && !is_stacked))
                .collect();
            if facts.n_channels > 1 {
                choices.insert(1, (Command::Stacked, "Stack", is_stacked));
            }
            widgets::segments(ui, facts, width, &choices, commands);
        } else {
            let label = |one| channel_label(one, facts.n_channels);
            if let Some(one) = widgets::choice(ui, "Channels", width - 84.0, view.channels, &all, label) {
                (view.channels, view.stacked) = (one, false);
            }
            let is_stacked = view.channels == ChannelView::All && view.stacked;
            widgets::segments(ui, facts, 76.0, &[(Command::Stacked, "Stack", is_stacked)], commands);
        }
    });
    row(ui, "Axis", |ui, width| {
        let choices = Axis::ALL.map(|axis| {
            let label = match axis {
                Axis::Linear => "Linear",
                Axis::Log => "Log",
                Axis::Mel => "Mel",
                Axis::Bark => "Bark",
            };
            (Command::Axis(axis), label, view.axis == axis)
        });
        widgets::segments(ui, facts, width, &choices, commands);
    });
    transform(ui, view.stft, asked);
    row(ui, "Colours", |ui, width| {
        let name = |map| Command::Colormap(map).spec().name.to_string();
        if let Some(map) = widgets::choice(ui, "Colour map", width, view.colormap, &Colormap::ALL, name) {
            view.colormap = map;
        }
    });
    let range_db = view.range_db;
    row(ui, "Range", |ui, width| {
        let [dark, bright] = &mut view.range_db;
        let value = |name| Value {
            name,
            what: "The level that this end of the colours stands for.",
            width: width / 2.0 - 2.0,
            unit: "dB",
            has_caption: false,
        };
        let field = DragValue::new(dark).range(-160.0..=*bright - 6.0).speed(0.5).fixed_decimals(1);
        value("Darkest level").show(ui, field);
        let field = DragValue::new(bright).range(*dark + 6.0..=24.0).speed(0.5).fixed_decimals(1);
        value("Brightest level").show(ui, field);
    });
    // What is typed stays.
    view.range_locked |= view.range_db != range_db;
    row(ui, "Waveform", |ui, width| {
        let mut percent = view.waveform * 100.0;
        let value = Value {
            name: "Waveform opacity",
            what: "How strongly the waveform is drawn over the picture.",
            width: width / 2.0 - 2.0,
            unit: "%",
            has_caption: false,
        };
        let field = DragValue::new(&mut percent).speed(1.0).fixed_decimals(0);
        value.show_within(ui, field, 0.0..=100.0);
        if percent != view.waveform * 100.0 {
            view.waveform = (percent / 100.0).clamp(0.0, 1.0);
        }
        widgets::command_icon(
            ui,
            facts,
            Command::Waveform,
            widgets::Look::icon(26.0, 16.0).on(view.waveform > 0.0),
            commands,
        );
        widgets::command_icon(ui, facts, Command::FitRange, widgets::Look::icon(26.0, 16.0), commands);
    });
}

/// Size, overlap and window; what cannot be inverted is not offered.
fn transform(ui: &mut Ui, stft: StftParams, asked: &mut Asked) {
    let sizes: Vec<usize> = (6..=15).map(|exponent| 1 << exponent).collect();
    let offer = |stft: StftParams| stft.validated().ok();
    row(ui, "FFT", |ui, width| {
        if let Some(n_fft) = widgets::choice(ui, "FFT size", width * 0.45, stft.n_fft, &sizes, |n| n.to_string()) {
            asked.stft = offer(StftParams { n_fft, hop: n_fft * stft.hop / stft.n_fft, ..stft });
        }
        let overlap = |parts: usize| format!("{} %", theme::number(100.0 - 100.0 / parts as f64, 1));
        let parts: Vec<usize> =
            [2, 4, 8, 16].into_iter().filter(|p| offer(StftParams { hop: stft.n_fft / p, ..stft }).is_some()).collect();
        let current = stft.n_fft / stft.hop;
        if let Some(parts) = widgets::choice(ui, "Overlap", ui.available_width(), current, &parts, overlap) {
            asked.stft = offer(StftParams { hop: stft.n_fft / parts, ..stft });
        }
    });
    row(ui, "Window", |ui, width| {
        let windows: Vec<Window> =
            Window::ALL.into_iter().filter(|&window| offer(StftParams { window, ..stft }).is_some()).collect();
        if let Some(window) =
            widgets::choice(ui, "Window", width, stft.window, &windows, |window| window.label().to_string())
        {
            asked.stft = offer(StftParams { window, ..stft });
        }
    });
}

/// Start, end, length, low and high of the selection's bounding rectangle, typed or dragged, and its figures.
fn selection(ui: &mut Ui, facts: &Facts, document: &mut OpenDocument, commands: &mut Vec<Command>) {
    let (duration_secs, nyquist_hz) = (document.duration_secs(), document.history.original().sample_rate_hz() / 2.0);
    let secs = document.selected_secs();
    let hz = document.selected_hz();
    let mut new_secs = secs.unwrap_or([0.0, duration_secs]);
    let mut new_hz = hz.unwrap_or([0.0, nyquist_hz]);
    row(ui, "Time", |ui, width| {
        let [start, end] = &mut new_secs;
        let speed = duration_secs / 2000.0;
        let value = |name| Value {
            name,
            what: "In seconds; type 1.5 or 0:01.500.",
            width: width / 2.0 - 2.0,
            unit: "",
            has_caption: false,
        };
        let shown = |secs: f64, _: std::ops::RangeInclusive<usize>| clock_from_secs(secs);
        let field = DragValue::new(start)
            .range(0.0..=*end)
            .speed(speed)
            .max_decimals(6)
            .custom_formatter(shown)
            .custom_parser(secs_from_clock);
        value("Start of the selection").show(ui, field);
        let field =
            DragValue::new(end).range(*start..=duration_secs).speed(speed).max_decimals(6).custom_formatter(shown);
        value("End of the selection").show(ui, field.custom_parser(secs_from_clock));
    });
    row(ui, "Band", |ui, width| {
        let [low, high] = &mut new_hz;
        let value = |name| Value { name, what: "In hertz.", width: width / 2.0 - 2.0, unit: "Hz", has_caption: false };
        let field = DragValue::new(low).range(0.0..=*high).speed(nyquist_hz / 4000.0).fixed_decimals(1);
        value("Lowest frequency of the selection").show(ui, field);
        let field = DragValue::new(high).range(*low..=nyquist_hz).speed(nyquist_hz / 4000.0).fixed_decimals(1);
        value("Highest frequency of the selection").show(ui, field);
    });
    row(ui, "Length", |ui, width| {
        let [start, end] = &mut new_secs;
        let first = *start;
        let what = "From start to end, in seconds; typed, it moves the end.";
        let value = Value { name: "Length of the selection", what, width, unit: "s", has_caption: false };
        let length = DragValue::from_get_set(|new| {
            if let Some(new) = new {
                *end = first + new;
            }
            *end - first
        });
        let length = length.range(0.0..=duration_secs - first).speed(duration_secs / 2000.0);
        value.show(ui, length.fixed_decimals(3));
    });
    let secs_changed = new_secs != secs.unwrap_or([0.0, duration_secs]);
    let hz_changed = new_hz != hz.unwrap_or([0.0, nyquist_hz]);
    if secs_changed || hz_changed {
        let secs = if secs_changed { Some(new_secs) } else { secs };
        let hz = if hz_changed { Some(new_hz) } else { hz };
        let feather = document.selection.as_ref().map_or([0.0; 2], |selection| match selection.shapes.as_slice() {
            [(_, Shape::Rectangle { feather, axis: Axis::Linear, .. })] => *feather,
            _ => [0.0; 2],
        });
        document.select(Some(Selection::rectangle(secs, hz, feather, Axis::Linear)));
    }
    let palette = theme::palette(ui.ctx());
    let text = match (&document.selection, document.selected_secs()) {
        (None, _) => Some("Nothing is selected: brushes reach everything."),
        (Some(_), None) => Some("All times."),
        (Some(_), Some(_)) => None,
    };
    if let Some(text) = text {
        ui.label(RichText::new(text).color(palette.text_weak));
    }
    if let Some(figures) = document.figures {
        figures_rows(ui, &figures);
        let look = widgets::Look::icon(26.0, 16.0);
        widgets::command_icon(ui, facts, Command::CopyFigures, look, commands);
    }
}

/// Peak, level and centroid of what is selected.
fn figures_rows(ui: &mut Ui, figures: &super::Figures) {
    let palette = theme::palette(ui.ctx());
    let hertz = |hz: Option<f64>| match hz {
        Some(hz) => format!("{} Hz", theme::number(hz, 1)),
        None => "silence".into(),
    };
    let note = figures.peak_hz.and_then(Note::from_hz).map(|note| format!(" {note}")).unwrap_or_default();
    for (caption, text) in [
        ("Peak", format!("{}{note}", hertz(figures.peak_hz))),
        ("Level", format!("{} dB peak", theme::number(figures.peak_db, 1))),
        ("RMS", format!("{} dB", theme::number(figures.rms_db, 1))),
        ("Centroid", hertz(figures.centroid_hz)),
    ] {
        row(ui, caption, |ui, _| {
            ui.label(RichText::new(text).font(theme::medium(theme::BODY)).color(palette.text_strong));
        });
    }
}

/// `1.5`, `0:01.500`, `1:02:03.25` as seconds.
fn secs_from_clock(text: &str) -> Option<f64> {
    let mut secs = 0.0;
    for part in text.trim().split(':') {
        let value: f64 = part.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
        secs = secs * 60.0 + value;
    }
    Some(secs)
}

/// Every step; a click goes there.
fn history(ui: &mut Ui, facts: &Facts, document: &OpenDocument, asked: &mut Asked) {
    let palette = theme::palette(ui.ctx());
    let position = document.history.position();
    egui::ScrollArea::vertical().auto_shrink([false, true]).stick_to_bottom(true).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (i, entry) in document.history.entries().iter().enumerate() {
            let sense = if facts.is_busy { Sense::hover() } else { Sense::click() };
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), sense);
            let name = entry.edit.as_ref().map_or_else(|| "Opened".to_string(), describe);
            let spoken = format!("Step {i}: {name}");
            response.widget_info(|| WidgetInfo::selected(Role::Button, !facts.is_busy, i == position, &spoken));
            let face = match (i == position, response.hovered()) {
                (true, _) => Some(palette.field),
                (false, true) => Some(palette.hover),
                (false, false) => None,
            };
            if let Some(face) = face {
                ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
            }
            let colour = match i.cmp(&position) {
                std::cmp::Ordering::Less => palette.text,
                std::cmp::Ordering::Equal => palette.text_strong,
                std::cmp::Ordering::Greater => palette.text_off,
            };
            let icon = entry.edit.as_ref().map_or(icons::FOLDER_OPEN, |edit| icon_of(edit.brush.kind()));
            let painter = ui.painter();
            let at = rect.left_center() + vec2(14.0, 0.0);
            painter.text(at, Align2::CENTER_CENTER, icon, theme::icons(14.0), colour);
            let at = rect.left_center() + vec2(30.0, 0.0);
            painter.text(at, Align2::LEFT_CENTER, name, theme::regular(theme::BODY), colour);
            if document.exported_at == Some(i) {
                let at = rect.right_center() - vec2(12.0, 0.0);
                painter.text(at, Align2::CENTER_CENTER, icons::CHECK, theme::icons(14.0), palette.text_weak);
            }
            widgets::focus_ring(ui, &response);
            let response = match entry.consistency_db {
                Some(db) => response
                    .on_hover_text(format!("What is heard is {} dB off what was painted.", theme::number(db, 1))),
                None => response,
            };
            if response.clicked() {
                asked.go_to = Some(i);
            }
        }
    });
}

fn icon_of(kind: &str) -> char {
    match kind {
        "gain" => icons::VOLUME_2,
        "erase" => icons::ERASER,
        "blur" => icons::DROPLET,
        "band_filter" => icons::FUNNEL,
        "modulation_filter" => icons::WAVES_HORIZONTAL,
        "warp" => icons::TORNADO,
        "heal" => icons::BANDAGE,
        "clone" => icons::STAMP,
        "smudge" => icons::POINTER,
        "tone" => icons::PENCIL,
        "sharpen" => icons::TRIANGLE,
        "denoise" => icons::WIND,
        "harmonic_percussive" => icons::SPLIT,
        _ => icons::AUDIO_WAVEFORM,
    }
}

#[cfg(test)]
mod tests {
    use super::secs_from_clock;

    #[test]
    fn times_are_typed_as_seconds_or_as_a_clock() {
        assert_eq!(secs_from_clock("1.5"), Some(1.5));
        assert_eq!(secs_from_clock("0:01.500"), Some(1.5));
        assert_eq!(secs_from_clock("1:02:03.25"), Some(3723.25));
        assert_eq!(secs_from_clock("-1"), None);
        assert_eq!(secs_from_clock("nan"), None);
        assert_eq!(secs_from_clock("a:b"), None);
    }
}
