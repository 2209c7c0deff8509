//! Found damage: a row for each finding, with its repair.

use super::super::hooks::probe;
use super::super::widgets;
use super::super::widgets::theme;
use super::context::PanelContext;
use crate::base::{clock_from_secs, number};
use crate::document::brushes::{Brush, Parameter, ParameterValue};
use crate::document::{Damage, HumRange};
use crate::workbench::commands::FindCommand;
use crate::workbench::commands::table::icons;
use crate::workbench::{
    Acts, ChannelView, DamageAct, DamageState, FoundDamage, HealMode, OpenDocument, Repair, channel_label,
};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Button, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Number of visible findings.
const N_ROWS: f32 = 4.0;
/// Height of a finding and its repair.
const ROW: f32 = 2.0 * theme::ROW_HEIGHT;
/// Width of the times.
const CLOCK: f32 = 72.0;
/// Width of the button that clears the list.
const BUTTON: f32 = 24.0;

/// The findings, whether they are still valid, and a button to search again.
pub(super) fn ui(ui: &mut Ui, context: PanelContext<'_>, document: &OpenDocument, acts: &mut Acts) {
    let Some(damage) = document.damage() else { return };
    let states = damage.states(document.history());
    heading(ui, context, damage, &states, acts);
    let scroll = egui::ScrollArea::vertical().id_salt("damage").max_height(N_ROWS * ROW).auto_shrink([false, true]);
    scroll.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (at, (row, state)) in damage.rows().iter().zip(&states).enumerate() {
            finding(ui, context, (at, row, *state), acts);
        }
    });
    widgets::rule(ui);
}

fn heading(ui: &mut Ui, context: PanelContext<'_>, damage: &FoundDamage, states: &[DamageState], acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let n_repaired = states.iter().filter(|state| **state == DamageState::Repaired).count();
    let what = match (states.contains(&DamageState::Stale), damage.rows().len()) {
        (true, _) => "The sound has changed since.".to_owned(),
        (false, n) if n_repaired == n => "All damage repaired".into(),
        (false, n) => format!("{n_repaired} of {n} repaired"),
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(what).color(palette.text_weak));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let icon = Button::new(RichText::new(icons::X).font(theme::icons(12.0))).frame_when_inactive(false);
            let clear = ui.add(icon.min_size(vec2(BUTTON, BUTTON))).accessible_name("Clear the list of damage");
            if clear.on_hover_text("Clears the list; the sound stays as it is.").clicked() {
                acts.push(DamageAct::Clear);
            }
            widgets::command_button(ui, context.facts, FindCommand::Damage, "Look again", acts);
        });
    });
}

fn finding(ui: &mut Ui, context: PanelContext<'_>, (at, row, state): (usize, &Damage, DamageState), acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let is_stale = state == DamageState::Stale;
    let sense = if is_stale { Sense::hover() } else { Sense::click() };
    let response = ui.interact(rect, ui.scope_id().with(("finding", at)), sense);
    let (name, clock) = (named(row, context), clock(row));
    let done = match state {
        DamageState::Found => "",
        DamageState::Repaired => ", repaired",
        DamageState::Stale => ", out of date",
    };
    let spoken = format!("{name}: {}{done}", row.what);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, !is_stale, &spoken));
    widgets::face(ui, rect, &response, None);
    let (strong, weak) = match state {
        DamageState::Found => (palette.text, palette.text_weak),
        DamageState::Repaired => (palette.text_weak, palette.text_off),
        DamageState::Stale => (palette.text_off, palette.text_off),
    };
    let [upper, lower] = [0.0, theme::ROW_HEIGHT].map(|y| rect.top() + y + theme::ROW_HEIGHT / 2.0);
    let painter = ui.painter();
    let font = theme::regular(theme::CAPTION);
    painter.text(pos2(rect.left() + 8.0, upper), Align2::LEFT_CENTER, clock, font, weak);
    let left = rect.left() + CLOCK + 8.0;
    // The kind is named only once, as in "Dropouts: 40, up to 20 ms", so that the line fits.
    let text = format!("{name}: {}", row.amount());
    line(ui, (left, rect.right() - 4.0), upper, &text, theme::BODY, strong);
    let right = match state {
        DamageState::Found => button(ui, context, rect, (at, row), acts),
        DamageState::Repaired => {
            let place = pos2(rect.right() - 16.0, lower);
            ui.painter().text(place, Align2::CENTER_CENTER, icons::CHECK, theme::icons(14.0), palette.accent);
            rect.right() - 28.0
        }
        DamageState::Stale => rect.right() - 4.0,
    };
    line(ui, (left, right - 4.0), lower, &repair_words(&row.repair.brush), theme::CAPTION, weak);
    if response.clicked() {
        acts.push(DamageAct::GoTo(at));
    }
    if !is_stale {
        response.on_hover_text(format!("{text}\nClick to select where it is."));
    }
}

/// One line of text, truncated to fit.
fn line(ui: &Ui, (left, right): (f32, f32), middle: f32, text: &str, size: f32, colour: egui::Color32) {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(theme::regular(size), colour));
    job.wrap = TextWrapping::truncate_at_width((right - left).max(0.0));
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(pos2(left, middle - galley.size().y / 2.0), galley, colour);
}

/// The button that starts a repair; returns its left edge.
fn button(ui: &mut Ui, context: PanelContext<'_>, row: Rect, (at, damage): (usize, &Damage), acts: &mut Acts) -> f32 {
    let brush = &damage.repair.brush;
    let has_preview = Repair::ALL.iter().any(|repair| repair.first().kind() == brush.kind());
    let text = if has_preview { format!("{}\u{2026}", brush.name()) } else { brush.name().to_owned() };
    let why_not = match (context.facts.is_previewing, context.facts.is_busy) {
        (true, _) => Some("Apply or cancel the preview first."),
        (false, true) => Some("The edit before is still being applied."),
        (false, false) => None,
    };
    let width = widgets::button_width(ui, &text);
    let place = pos2(row.right() - 4.0 - width, row.top() + theme::ROW_HEIGHT);
    let rect = Rect::from_min_size(place, vec2(width, theme::ROW_HEIGHT - 2.0));
    let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    let button = Button::new(RichText::new(&text).size(theme::CAPTION)).min_size(rect.size());
    let name = format!("{}: {}", brush.name(), named(damage, context));
    probe::note_control(ui.ctx(), &name, rect);
    let response = ui.add_enabled(why_not.is_none(), button).accessible_name(name);
    let what = if has_preview { "Previews the repair before it is applied." } else { "Applies the repair." };
    if response.on_hover_text(what).on_disabled_hover_text(why_not.unwrap_or_default()).clicked() {
        acts.push(DamageAct::Repair(at));
    }
    rect.left()
}

/// The kind, and the channels if not all.
fn named(damage: &Damage, context: PanelContext<'_>) -> String {
    let (n_channels, mask) = (context.facts.n_channels, context.facts.channel_mask);
    let name = damage.kind.title();
    if damage.channels.len() == n_channels {
        return name.to_owned();
    }
    let label = |channel: &usize| channel_label(ChannelView::One(*channel), n_channels, mask);
    let channels: Vec<String> = damage.channels.iter().map(label).collect();
    format!("{name} in {}", channels.join(", "))
}

/// Start time of the damage, or, if it spans all times, the middle frequency of its band.
fn clock(damage: &Damage) -> String {
    match (damage.secs.first(), damage.hz.first()) {
        (Some([start, _]), _) => clock_from_secs(*start),
        (None, Some([low, high])) => format!("{} Hz", number((low + high) / 2.0, 0)),
        (None, None) => "All".into(),
    }
}

/// A repair with its settings, in the words of the option bar.
fn repair_words(brush: &Brush) -> String {
    let words = match brush {
        Brush::Heal(heal) => vec![HealMode::of(heal).label().to_owned()],
        brush => {
            let mut brush = brush.clone();
            let parameters = brush.parameters();
            parameters.iter().zip(brush.values()).filter_map(|(parameter, value)| setting(parameter, &value)).collect()
        }
    };
    let name = brush.name();
    if words.is_empty() { name.to_owned() } else { format!("{name}: {}", words.join(", ")) }
}

/// A setting in words; `None` if it is off or not in the option bar.
fn setting(parameter: &Parameter, value: &ParameterValue<'_>) -> Option<String> {
    let label = parameter.controls.first().map(|control| control.label)?;
    match value {
        ParameterValue::Choice(choice) => Some(choice.options().get(choice.index())?.label.to_owned()),
        ParameterValue::Fundamental(HumRange::Mains) => Some("50 or 60 Hz".into()),
        ParameterValue::Whole(value) => Some(format!("{value} {}", label.to_lowercase())),
        ParameterValue::Flag(true) => Some(label.to_lowercase()),
        _ => None,
    }
}
