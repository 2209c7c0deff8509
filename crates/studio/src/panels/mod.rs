//! The panels at the right: view, selection, spectrum, labels, history.

mod context;
mod damage;
mod floating;
mod heading;
mod history;
mod labels;
mod row;
mod selection;
mod spectrum;
mod transform;

use super::widgets;
use super::widgets::segments::segments;
use super::widgets::values::{Captioned, Value};
use super::widgets::{boxes, theme};
use crate::base::clock_from_secs;
use crate::dsp::Axis;
use crate::view::Colormap;
use crate::workbench::bench::limits::{MIN_RANGE_DB, RANGE_DB};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{CanvasCommand, Command, Facts, ViewCommand};
use crate::workbench::{
    Acts, ChannelView, Layout, LayoutAct, OpenDocument, Panel, Panes, View, channel_label, channel_views,
};
pub use context::PanelContext;
use egui::{Align2, DragValue, RichText, Ui, pos2, vec2};
use row::row;

/// Width of a panel over the canvas.
const WIDTH: f32 = 320.0;
const PADDING: f32 = 12.0;
/// Height of a heading.
const HEADING: f32 = 28.0;

/// All panels, stacked. The history stays visible and takes the remaining height; the others scroll in a short window.
pub fn column(
    ui: &mut Ui,
    layout: &Layout,
    context: PanelContext<'_>,
    document: Option<&OpenDocument>,
    acts: &mut Acts,
) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let id = egui::Id::unique("height of the panels above the history");
    let upper: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(600.0);
    let fold = layout.fold(Panel::History);
    if fold.is_shown {
        let n_rows = document.map_or(2, |document| document.history().entries().len()).clamp(2, 5);
        let min = (HEADING + 16.0 + n_rows as f32 * theme::ROW_HEIGHT).min(ui.available_height() * 0.4);
        let height = if fold.is_open { (ui.available_height() - upper).max(min) } else { HEADING + 1.0 };
        let lowest = egui::Panel::bottom("history").exact_size(height).resizable(false).show_separator_line(false);
        lowest.frame(widgets::plain(theme::palette(ui.ctx()).panel)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            widgets::rule(ui);
            one(ui, Panel::History, layout, context, document, acts);
        });
    }
    let scroll = egui::ScrollArea::vertical().auto_shrink([false, false]);
    let output = scroll.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (i, panel) in layout.shown().into_iter().filter(|&panel| panel != Panel::History).enumerate() {
            if i > 0 {
                widgets::rule(ui);
            }
            one(ui, panel, layout, context, document, acts);
        }
    });
    if output.content_size.y != upper {
        ui.data_mut(|data| data.insert_temp(id, output.content_size.y));
        ui.ctx().request_repaint();
    }
}

/// Heading and, if expanded, contents.
fn one(
    ui: &mut Ui,
    panel: Panel,
    layout: &Layout,
    context: PanelContext<'_>,
    document: Option<&OpenDocument>,
    acts: &mut Acts,
) {
    heading::ui(ui, panel, layout, context, note(panel, context, document).as_deref(), acts);
    if layout.fold(panel).is_open {
        body(ui, panel, layout, context, document, acts);
    }
}

/// Text at the right of a heading.
fn note(panel: Panel, context: PanelContext<'_>, document: Option<&OpenDocument>) -> Option<String> {
    match panel {
        Panel::Spectrum => context.spectrum.slice().map(|slice| format!("at {}", clock_from_secs(slice.secs))),
        Panel::Labels => labels::note(context, document?),
        Panel::View | Panel::Selection | Panel::History => None,
    }
}

fn icon(panel: Panel) -> char {
    match panel {
        Panel::View => icons::MONITOR,
        Panel::Selection => icons::SQUARE_DASHED_MOUSE_POINTER,
        Panel::Spectrum => icons::CHART_SPLINE,
        Panel::Labels => icons::TAGS,
        Panel::History => icons::HISTORY,
    }
}

/// In a narrow window: icons that open their panel over the canvas' right edge.
pub fn strip(
    ui: &mut Ui,
    layout: &Layout,
    context: PanelContext<'_>,
    document: Option<&OpenDocument>,
    acts: &mut Acts,
) {
    let palette = theme::palette(ui.ctx());
    let strip = ui.max_rect();
    ui.add_space(6.0);
    for panel in layout.shown() {
        ui.horizontal(|ui| {
            ui.add_space(4.0);
            let icon = RichText::new(icon(panel)).font(theme::icons(16.0));
            let is_open = layout.over() == Some(panel);
            let button = egui::Button::new(icon).selected(is_open).frame(is_open).min_size(vec2(32.0, 30.0));
            let name = format!("Open the {} panel", panel.name());
            let response = ui.add(button).accessible_name(&name).on_hover_text(panel.name());
            super::hooks::probe::note_control(ui.ctx(), &name, response.rect);
            if response.clicked() {
                acts.push(LayoutAct::Over((!is_open).then_some(panel)));
            }
        });
    }
    if let Some(panel) = layout.over() {
        let area = egui::Area::new(egui::Id::unique("panel over canvas"))
            .order(egui::Order::Foreground)
            .pivot(Align2::RIGHT_TOP)
            .fixed_pos(pos2(strip.left() - 1.0, strip.top()));
        area.show(ui.ctx(), |ui| {
            let frame = widgets::plain(palette.panel).stroke(egui::Stroke::new(1.0, palette.stroke_strong));
            frame.show(ui, |ui| {
                ui.set_width(WIDTH.min(strip.left() - 8.0));
                ui.spacing_mut().item_spacing.y = 0.0;
                heading::ui(ui, panel, layout, context, note(panel, context, document).as_deref(), acts);
                // In a short window, the panel scrolls.
                let scroll = egui::ScrollArea::vertical().max_height(strip.height() - 34.0);
                scroll.show(ui, |ui| body(ui, panel, layout, context, document, acts));
            });
        });
    }
}

fn body(
    ui: &mut Ui,
    panel: Panel,
    layout: &Layout,
    context: PanelContext<'_>,
    document: Option<&OpenDocument>,
    acts: &mut Acts,
) {
    let facts = context.facts;
    let margin = egui::Margin { left: PADDING as i8, right: PADDING as i8, top: 2, bottom: 10 };
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        let Some(document) = document else {
            let palette = theme::palette(ui.ctx());
            ui.label(
                RichText::new(match panel {
                    Panel::View => "Open a file to set its axis, colours and transform.",
                    Panel::Selection => {
                        "Nothing is selected. Drag on the canvas with a selection tool, or type a range here."
                    }
                    Panel::Spectrum => "The spectrum at the pointer appears here.",
                    Panel::Labels => "Open a file to label it.",
                    Panel::History => "Every edit is listed here and can be undone.",
                })
                .color(palette.text_weak),
            );
            return;
        };
        match panel {
            Panel::View => view(ui, facts, document, acts),
            Panel::Selection => selection::ui(ui, facts, document, acts),
            Panel::Spectrum => spectrum::ui(ui, document, context.spectrum, layout),
            Panel::Labels => labels::ui(ui, context, document, acts),
            Panel::History => history::ui(ui, context.facts, document, acts),
        }
    });
}

fn view(ui: &mut Ui, facts: &Facts, document: &OpenDocument, acts: &mut Acts) {
    let before = document.view();
    let mut edited = before.clone();
    let view = &mut edited;
    row(ui, "Display", |ui, width| {
        let choices = Panes::ALL.map(|panes| {
            let label = match panes {
                Panes::Magnitude => "Magnitude",
                Panes::Phase => "Phase",
                Panes::Both => "Both",
            };
            (Command::View(ViewCommand::Panes(panes)), label, view.panes == panes)
        });
        segments(ui, facts, width, &choices, acts);
    });
    // Row transforms have no raw phase: theirs is always relative to the rotation at the row's frequency.
    if view.panes != Panes::Magnitude && view.transform.as_stft().is_some() {
        row(ui, "Phase", |ui, _| {
            let mut raw = view.raw_phase;
            if boxes::checkbox(ui, &mut raw, "Raw").on_hover_text(ViewCommand::RawPhase.row().what).changed() {
                acts.push(ViewCommand::RawPhase);
            }
        });
    }
    channels_row(ui, facts, view, acts);
    row(ui, "Axis", |ui, width| {
        let choices = Axis::ALL.map(|axis| {
            let label = match axis {
                Axis::Linear => "Linear",
                Axis::Log => "Log",
                Axis::Mel => "Mel",
                Axis::Bark => "Bark",
            };
            (Command::View(ViewCommand::Axis(axis)), label, view.axis == axis)
        });
        segments(ui, facts, width, &choices, acts);
    });
    transform::choose(ui, &view.transform, document.shown().sample_rate_hz(), acts);
    row(ui, "Colours", |ui, width| {
        let name = |map| ViewCommand::Colormap(map).row().name.to_string();
        // Phases are never smoothed.
        let has_cells = view.panes != Panes::Phase;
        let width = if has_cells { width * 0.6 } else { width };
        if let Some(map) = widgets::choice(ui, "Colour map", width, view.colormap, &Colormap::ALL, name) {
            view.colormap = map;
        }
        let mut smooth = view.smooth;
        if has_cells
            && boxes::checkbox(ui, &mut smooth, "Smooth").on_hover_text(ViewCommand::SmoothCells.row().what).changed()
        {
            acts.push(ViewCommand::SmoothCells);
        }
    });
    range_row(ui, view);
    row(ui, "Waveform", |ui, width| {
        let mut percent = view.waveform * 100.0;
        let value = Value {
            name: "Waveform opacity",
            what: "Opacity of the waveform over the spectrogram.",
            width: width / 2.0 - 2.0,
            unit: "%",
            caption: Captioned::Nothing,
        };
        let field = DragValue::new(&mut percent).speed(1.0).fixed_decimals(0);
        value.show_within(ui, field, 0.0..=100.0);
        if percent != view.waveform * 100.0 {
            view.waveform = (percent / 100.0).clamp(0.0, 1.0);
        }
        widgets::command_icon(
            ui,
            facts,
            ViewCommand::Waveform,
            widgets::ButtonStyle::icon(26.0, 16.0).on(view.waveform > 0.0),
            acts,
        );
        widgets::command_icon(ui, facts, CanvasCommand::FitRange, widgets::ButtonStyle::icon(26.0, 16.0), acts);
    });
    acts.change_view(before, &edited);
}

/// A segmented control for up to two channels, a list for more.
fn channels_row(ui: &mut Ui, facts: &Facts, view: &mut View, acts: &mut Acts) {
    row(ui, "Channels", |ui, width| {
        let all = channel_views(facts.n_channels);
        if facts.n_channels <= 2 {
            let labels: Vec<String> =
                all.iter().map(|&one| channel_label(one, facts.n_channels, facts.channel_mask)).collect();
            let is_stacked = view.channels == ChannelView::All && view.stacked;
            let mut choices: Vec<_> = all
                .iter()
                .zip(&labels)
                .map(|(&one, label)| {
                    (Command::from(ViewCommand::Channels(one)), label.as_str(), view.channels == one && !is_stacked)
                })
                .collect();
            if facts.n_channels > 1 {
                choices.insert(1, (Command::View(ViewCommand::Stacked), "Stack", is_stacked));
            }
            segments(ui, facts, width, &choices, acts);
        } else {
            let label = |one| channel_label(one, facts.n_channels, facts.channel_mask);
            if let Some(one) = widgets::choice(ui, "Channels", width - 84.0, view.channels, &all, label) {
                (view.channels, view.stacked) = (one, false);
            }
            let is_stacked = view.channels == ChannelView::All && view.stacked;
            segments(ui, facts, 76.0, &[(Command::View(ViewCommand::Stacked), "Stack", is_stacked)], acts);
        }
    });
}

/// The levels at both ends of the colour map.
fn range_row(ui: &mut Ui, view: &mut View) {
    let range_db = view.range_db;
    row(ui, "Range", |ui, width| {
        let [dark, bright] = &mut view.range_db;
        let value = |name| Value {
            name,
            what: "Level at this end of the colour map.",
            width: width / 2.0 - 2.0,
            unit: "dB",
            caption: Captioned::Nothing,
        };
        let field =
            DragValue::new(dark).range(RANGE_DB[0] as f32..=*bright - MIN_RANGE_DB).speed(0.5).fixed_decimals(1);
        value("Darkest level").show(ui, field);
        let field =
            DragValue::new(bright).range(*dark + MIN_RANGE_DB..=RANGE_DB[1] as f32).speed(0.5).fixed_decimals(1);
        value("Brightest level").show(ui, field);
    });
    // A typed range is locked.
    view.range_locked |= view.range_db != range_db;
}
