//! The labels of the document: found damage and search results, then labels, filtered and sorted; and measurements of
//! the current one.

use super::super::widgets;
use super::super::widgets::{label_words, theme};
use super::context::PanelContext;
use super::damage;
use crate::base::{clock_from_secs, number};
use crate::document::labels::{Label, LabelMeasures};
use crate::dsp::ShapeExtent;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Facts, LabelCommand};
use crate::workbench::{Acts, LabelAct, LabelSort, OpenDocument, ShownLabels, found_places, places_found};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Rect, Response, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Number of visible rows: without a current label, and with one, whose measurements are shown below.
const N_ROWS: [f32; 2] = [8.0, 5.0];
/// Width of the button that removes a label, and of the one that reverses the order.
const BUTTON: f32 = 24.0;
/// Width of the sort menu.
const SORT: f32 = 104.0;
/// Size of the label's colour swatch.
const SWATCH: f32 = 8.0;

/// Every label; a click makes it current, a double click asks for a new text. Only visible rows are laid out.
pub fn ui(ui: &mut Ui, context: PanelContext<'_>, document: &OpenDocument, acts: &mut Acts) {
    let places = if context.facts.n_places > 0 { found_places(document) } else { Vec::new() };
    damage::ui(ui, context, document, acts);
    if document.history().labels().is_empty() && places.is_empty() {
        if document.damage().is_some() {
            return;
        }
        let palette = theme::palette(ui.ctx());
        let what = "M names the selection or the cursor's place; Shift+U draws labels.";
        ui.label(RichText::new(what).color(palette.text_weak));
        return;
    }
    if !document.history().labels().is_empty() {
        order(ui, context, acts);
    }
    if !places.is_empty() {
        found(ui, context.facts, places.len(), document, acts);
    }
    let shown = context.labels.list.shown(document);
    let n_rows = N_ROWS[usize::from(document.current_label().is_some())];
    let scroll = egui::ScrollArea::vertical().id_salt("labels").max_height(n_rows * theme::ROW_HEIGHT);
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut scroll = scroll.auto_shrink([false, true]);
    if let Some(row) = row_to_show(ui, document, &shown) {
        let top = (places.len() + row) as f32 * theme::ROW_HEIGHT;
        scroll = scroll.vertical_scroll_offset((top - (n_rows - 1.0) / 2.0 * theme::ROW_HEIGHT).max(0.0));
    }
    scroll.show_rows(ui, theme::ROW_HEIGHT, places.len() + shown.len(), |ui, rows| {
        for at in rows {
            match places.get(at) {
                Some(place) => place_row(ui, at, place, places.len(), acts),
                None => {
                    if let Some(label) = shown.at(at - places.len()) {
                        row(ui, label, document, acts);
                    }
                }
            }
        }
    });
    if let Some(measures) = context.labels.measures() {
        let figures = ui.scope(|ui| figures(ui, measures)).response;
        if is_new(ui, "label whose figures came into view", document.current_label().map(|label| label.id)) {
            figures.scroll_to_me(None);
        }
    }
}

/// Whether a value has changed since the last call for the same `what`.
fn is_new<T: Clone + PartialEq + Send + Sync + 'static>(ui: &Ui, what: &'static str, value: T) -> bool {
    let id = egui::Id::unique(what);
    let is_new = ui.data(|data| data.get_temp::<T>(id)).is_none_or(|before| before != value);
    if is_new {
        ui.data_mut(|data| data.insert_temp(id, value));
    }
    is_new
}

/// Number of labels, such as `12`, or `3 of 12` if the filter hides some.
pub fn note(context: PanelContext<'_>, document: &OpenDocument) -> Option<String> {
    let (n_listed, n) = (context.labels.list.shown(document).len(), document.history().labels().len());
    match n {
        0 => None,
        _ if n_listed == n => Some(number(n as f64, 0)),
        _ => Some(format!("{} of {}", number(n_listed as f64, 0), number(n as f64, 0))),
    }
}

/// The row of a label that has just become current, to be scrolled into view.
fn row_to_show(ui: &Ui, document: &OpenDocument, shown: &ShownLabels<'_>) -> Option<usize> {
    let in_progress = document.current_label().map(|label| label.id);
    if is_new(ui, "label in view", in_progress) { shown.row_of(in_progress?) } else { None }
}

/// Filter and order of the list.
fn order(ui: &mut Ui, context: PanelContext<'_>, acts: &mut Acts) {
    let mut order = context.labels.list.order().clone();
    ui.horizontal(|ui| {
        let width = ui.available_width() - SORT - BUTTON - 8.0;
        let field = egui::TextEdit::singleline(&mut order.filter).desired_width(width - 8.0).hint_text("Filter");
        ui.add(field).accessible_name("Filter labels").on_hover_text("Lists only labels whose text contains this.");
        if let Some(sort) =
            widgets::choice(ui, "Sort labels by", SORT, order.sort, &LabelSort::ALL, |sort| sort.name().into())
        {
            order.sort = sort;
        }
        let icon = if order.is_reversed { "\u{2193}" } else { "\u{2191}" };
        let reverse = ui.add(egui::Button::new(icon).frame_when_inactive(false).min_size(vec2(BUTTON, BUTTON)));
        if reverse.accessible_name("Reverse the order of labels").on_hover_text("Reverses the order.").clicked() {
            order.is_reversed = !order.is_reversed;
        }
    });
    if order != *context.labels.list.order() {
        acts.push(LabelAct::List(order));
    }
}

/// Number of search results, and a button that turns them into labels.
fn found(ui: &mut Ui, facts: &Facts, n: usize, document: &OpenDocument, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal(|ui| {
        let what = match document.search_noun() {
            Some(pattern) => format!("{} found", places_found(n, pattern)),
            None => format!("{n} places selected"),
        };
        ui.label(RichText::new(what).color(palette.text_weak));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            widgets::command_button(ui, facts, LabelCommand::Places, "Label all\u{2026}", acts);
        });
    });
}

fn place_row(ui: &mut Ui, at: usize, place: &ShapeExtent, n: usize, acts: &mut Acts) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), Sense::hover());
    let response = ui.interact(rect, ui.scope_id().with(("place", at)), Sense::click());
    let text = format!("Place {} of {n}", at + 1);
    let clock = match place {
        [Some([start, _]), _] => clock_from_secs(start.max(0.0)),
        [None, Some([low, high])] => format!("{} Hz", number((low + high) / 2.0, 0)),
        [None, None] => String::new(),
    };
    let spoken = format!("{text} at {clock}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &spoken));
    paint(ui, rect, &response, (&clock, &text, None), false);
    if response.clicked() {
        acts.push(LabelAct::GoToPlace(at));
    }
}

fn row(ui: &mut Ui, label: &Label, document: &OpenDocument, acts: &mut Acts) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), Sense::hover());
    let text_rect = Rect::from_min_max(rect.min, pos2(rect.right() - BUTTON, rect.bottom()));
    let response = ui.interact(text_rect, ui.scope_id().with(("label", label.id)), Sense::click());
    let (text, clock) = (label_words::text(label), clock_from_secs(label.secs[0]));
    // Labels outside the sound are kept, and marked as such.
    let duration_secs = document.duration_secs();
    let is_outside = label.secs[1] < 0.0 || label.secs[0] > duration_secs;
    let shown = if is_outside { format!("{text} (outside)") } else { text.to_owned() };
    let spoken = format!("Label {shown} at {clock}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &spoken));
    let colour = label.colour.map(|colour| theme::label_colour(Some(colour), theme::palette(ui.ctx())));
    paint(ui, text_rect, &response, (&clock, &shown, colour), is_selected(label, document));
    if response.double_clicked() {
        acts.push(LabelAct::Name(label.id));
    } else if response.clicked() {
        acts.push(LabelAct::GoTo(label.id));
    }
    response.on_hover_text(label_words::all(label));
    let button = Rect::from_min_max(pos2(text_rect.right(), rect.top()), rect.max);
    let remove = egui::Button::new(RichText::new(icons::X).font(theme::icons(12.0))).frame(false);
    let remove = ui.put(button, remove).accessible_name(format!("Remove label {text} at {clock}"));
    if remove.on_hover_text("Removes the label; the sound stays as it is.").clicked() {
        acts.push(LabelAct::Remove(label.id));
    }
}

/// Whether a label is the current one, which is highlighted, and on which keys act.
fn is_selected(label: &Label, document: &OpenDocument) -> bool {
    document.current_label().is_some_and(|in_progress| in_progress.id == label.id)
}

/// Measurements of the current label: energy distribution, level, and signal-to-noise ratio.
fn figures(ui: &mut Ui, measures: &LabelMeasures) {
    ui.add_space(4.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    let cells = &measures.cells;
    let peak = cells.peak.map(|[hz, _, db]| (format!("{} Hz, {}", number(hz, 1), number(db, 1)), "dB"));
    let band = cells.hz.map(|hz| (format!("{} to {}", number(hz[0], 0), number(hz[4], 0)), "Hz"));
    let length = cells.secs.map(|secs| (number(secs[4] - secs[0], 3), "s"));
    let width = (ui.available_width() - 8.0) / 2.0;
    let level = |db: Option<f64>| db.map(|db| (number(db, 1), "dB"));
    ui.spacing_mut().item_spacing.x = 8.0;
    ui.horizontal(|ui| {
        widgets::figure(ui, "Peak", peak, width);
        widgets::figure(ui, "90 % of energy", band, width);
    });
    ui.horizontal(|ui| {
        widgets::figure(ui, "90 % duration", length, width);
        widgets::figure(ui, "RMS", level(measures.rms_db), (width - 8.0) / 2.0);
        widgets::figure(ui, "Above noise", level(measures.snr_db), (width - 8.0) / 2.0);
    });
}

fn paint(
    ui: &Ui,
    rect: Rect,
    response: &Response,
    (clock, text, swatch): (&str, &str, Option<Color32>),
    is_selected: bool,
) {
    let palette = theme::palette(ui.ctx());
    widgets::face(ui, rect, response, is_selected.then_some(palette.field));
    let colour = if is_selected { palette.text_strong } else { palette.text };
    let at = rect.left_center() + vec2(8.0, 0.0);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, clock, theme::regular(theme::CAPTION), palette.text_weak);
    let mut left = drawn.right().max(rect.left() + 72.0) + 8.0;
    if let Some(swatch) = swatch {
        let at = Rect::from_center_size(pos2(left + SWATCH / 2.0, rect.center().y), vec2(SWATCH, SWATCH));
        ui.painter().rect_filled(at, theme::RADIUS_SEGMENT, swatch);
        left += SWATCH + 6.0;
    }
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(theme::regular(theme::BODY), colour));
    job.wrap = TextWrapping::truncate_at_width((rect.right() - 4.0 - left).max(0.0));
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, colour);
}
