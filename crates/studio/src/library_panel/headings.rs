//! The headings of the list, which sort it.

use crate::studio::bars::overflow;
use crate::studio::hooks::probe;
use crate::studio::widgets::theme;
use crate::workbench::{Acts, Browser, LibraryAct, LibraryColumn, LibraryMode, LibraryQuery};
use egui::{Align2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

const HEIGHT: f32 = 26.0;
/// Width of the sort arrow.
const ARROW: f32 = 12.0;

/// A button per column; none for duplicates, which are grouped.
pub fn ui(ui: &mut Ui, browser: &Browser, padding: f32, acts: &mut Acts) {
    let columns = match browser.mode() {
        LibraryMode::All => LibraryColumn::PLAIN_COLUMNS,
        LibraryMode::Similar => LibraryColumn::SIMILAR_COLUMNS,
        LibraryMode::Duplicates => return,
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let widths: Vec<f32> = columns.iter().map(|column| overflow::text_width(ui, column.name()) + ARROW).collect();
    let room = rect.width() - 2.0 * padding;
    let gap = ((room - widths.iter().sum::<f32>()) / columns.len() as f32).max(0.0);
    let mut left = rect.left() + padding;
    for (&column, width) in columns.iter().zip(widths) {
        let right = (left + width + gap).min(rect.right() - padding);
        heading(ui, browser, column, Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom())), acts);
        left = right;
    }
}

fn heading(ui: &mut Ui, browser: &Browser, column: LibraryColumn, rect: Rect, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let order = browser.query().order;
    // Without a chosen order, similar sounds are sorted by descending likeness.
    let is_by_likeness = column == LibraryColumn::Likeness && order.is_none();
    let way = match order.filter(|order| order.column == column) {
        Some(order) => Some(order.is_descending),
        None => is_by_likeness.then_some(true),
    };
    let response = ui.interact(rect, ui.scope_id().with(("heading", column)), Sense::click());
    let name = column.name();
    let spoken = match way {
        Some(true) => format!("Sort by {name}, now descending"),
        Some(false) => format!("Sort by {name}, now ascending"),
        None => format!("Sort by {name}"),
    };
    probe::note_control(ui.ctx(), &format!("Sort by {name}"), rect);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, way.is_some(), &spoken));
    if response.hovered() {
        ui.painter().rect_filled(rect.shrink2(vec2(0.0, 2.0)), theme::RADIUS_BUTTON, palette.hover);
    }
    let (font, colour) = match way {
        Some(_) => (theme::medium(theme::CAPTION), palette.text_strong),
        None => (theme::regular(theme::CAPTION), palette.text_weak),
    };
    let drawn = ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, name, font.clone(), colour);
    if let Some(is_descending) = way {
        let arrow = if is_descending { "\u{2193}" } else { "\u{2191}" };
        ui.painter().text(drawn.right_center() + vec2(2.0, 0.0), Align2::LEFT_CENTER, arrow, font, colour);
    }
    if response.clicked() {
        acts.push(LibraryAct::Find(LibraryQuery { order: column.clicked(order), ..browser.query().clone() }));
    }
    response.on_hover_text("Sorts the list; again: the other way; once more: as it was found.");
}
