//! The tabs of open documents. A click activates a tab, a middle click closes it, and a drag moves it. Dragging it out
//! of the window passes its sound to another program.

use super::super::desktop::drops;
use super::super::hooks::probe;
use super::super::widgets;
use super::super::widgets::short_names::without_middle;
use super::super::widgets::theme;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Facts, FileCommand};
use crate::workbench::{Acts, Documents, DragOutAct, Draggable, OpenDocument, TabAct};
use egui::{Align2, Button, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Maximum width of a tab if there are several, in points.
const MAX_WIDTH: f32 = 180.0;
/// Minimum width of a tab with a name; if tabs would be narrower, only the active one is drawn.
const MIN_WIDTH: f32 = 56.0;
/// Minimum width of tabs beside the full finder; if they would be narrower, the finder shrinks to an icon.
const MIN_WIDTH_WITH_FINDER: f32 = 140.0;
/// Width of a tab's icon, gaps, dot and cross.
const TAB_CHROME_WIDTH: f32 = 62.0;
/// Minimum width of a tab with icon and extension. A narrower tab shows only the name, which the cross covers while the
/// pointer is over it.
const MIN_WIDTH_WITH_ICON: f32 = 132.0;
/// Width of the gaps and the dot of a tab without icon and extension.
const NARROW_TAB_CHROME_WIDTH: f32 = 18.0;
const HEIGHT: f32 = 28.0;

/// Draws the tabs, leaving 400 points at the right for the finder, or 160 if that shrinks to an icon.
pub fn ui(ui: &mut Ui, facts: &Facts, documents: &Documents, acts: &mut Acts) {
    let Some(front) = documents.active() else { return };
    let available = ui.available_width();
    // The name is also in the window's title, and the File menu can close the document.
    if available < 180.0 {
        return;
    }
    let beside_finder = available - 400.0;
    // The finder shrinks to an icon before names are shortened.
    let has_room = beside_finder >= MIN_WIDTH_WITH_FINDER * documents.len() as f32;
    let room = if has_room { beside_finder } else { available - 160.0 };
    if documents.len() == 1 {
        return single(ui, facts, front, room, acts);
    }
    let each = (room / documents.len() as f32).min(MAX_WIDTH);
    if each < MIN_WIDTH {
        counted(ui, documents, front, acts);
        return single(ui, facts, front, room - 48.0, acts);
    }
    ui.spacing_mut().item_spacing.x = 2.0;
    let left = ui.cursor().left();
    for (place, document) in documents.iter().enumerate() {
        tab(ui, document, place, document.id() == front.id(), each - 2.0, (left, each), documents.len(), acts);
    }
}

/// Draws the only tab, or the active one if only one fits.
fn single(ui: &mut Ui, facts: &Facts, document: &OpenDocument, room: f32, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    widgets::sign(ui, icons::AUDIO_WAVEFORM, 14.0, palette.text);
    if room > 24.0 {
        let name = RichText::new(short(ui, &document.name(), room)).color(palette.text_strong);
        let name = egui::Label::new(name.font(theme::medium(theme::BODY))).selectable(false);
        let shown = ui.scope(|ui| ui.add(name.extend()));
        let tab = ui.interact(shown.response.rect, ui.scope_id().with(("only tab", document.id())), Sense::drag());
        probe::note_control(ui.ctx(), &format!("Tab {}", document.name()), tab.rect);
        if tab.dragged() {
            drag_out(ui, document, acts);
        }
        tab.on_hover_text(what_of(document));
    }
    if document.has_unsaved_edits() {
        ui.label(RichText::new("\u{2022}").color(palette.text_strong)).on_hover_text(UNSAVED);
    }
    widgets::command_icon(ui, facts, FileCommand::Close, widgets::ButtonStyle::icon(24.0, 14.0), acts);
}

/// A name shortened in the middle to fit.
fn short(ui: &Ui, name: &str, room: f32) -> String {
    let font = theme::medium(theme::BODY);
    without_middle(name, |text| {
        ui.painter().layout_no_wrap(text.to_owned(), font.clone(), egui::Color32::WHITE).size().x <= room
    })
}

/// A file name without its extension.
fn without_ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (1..=5).contains(&ending.len()) => stem,
        _ => name,
    }
}

const UNSAVED: &str = "Unsaved edits.";

/// A menu button with the number of documents, which lists them.
fn counted(ui: &mut Ui, documents: &Documents, front: &OpenDocument, acts: &mut Acts) {
    let place = documents.iter().position(|document| document.id() == front.id()).unwrap_or(0) + 1;
    let button = ui.menu_button(format!("{place}/{}", documents.len()), |ui| {
        for document in documents.iter() {
            let name = if document.has_unsaved_edits() { format!("{}*", document.name()) } else { document.name() };
            if ui.add(Button::selectable(document.id() == front.id(), name)).clicked() {
                acts.push(TabAct::Activate(document.id()));
            }
        }
    });
    button.response.on_hover_text("Open documents");
}

#[expect(clippy::too_many_arguments, reason = "a tab, and where it lies among the others")]
fn tab(
    ui: &mut Ui,
    document: &OpenDocument,
    place: usize,
    is_front: bool,
    width: f32,
    (left, step): (f32, f32),
    n: usize,
    acts: &mut Acts,
) {
    let palette = theme::palette(ui.ctx());
    let (_, rect) = ui.allocate_space(vec2(width, HEIGHT));
    // Identified by document, so that a drag continues when tabs change places.
    let response = ui.interact(rect, ui.scope_id().with(("tab", document.id())), Sense::click_and_drag());
    let name = document.name();
    let has_unsaved = document.has_unsaved_edits();
    let label = if has_unsaved { format!("{name}, not saved") } else { name.clone() };
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_front, label.clone()));
    probe::note_control(ui.ctx(), &format!("Tab {name}"), rect);
    let face = match (is_front, response.hovered()) {
        (true, _) => palette.panel,
        (false, true) => palette.hover,
        (false, false) => palette.raised,
    };
    ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    let text = if is_front { palette.text_strong } else { palette.text };
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let is_name_alone = width < MIN_WIDTH_WITH_ICON;
    let (shown, room, left_of_name, right_of_dot) = if is_name_alone {
        (without_ending(&name), width - NARROW_TAB_CHROME_WIDTH, 6.0, 7.0)
    } else {
        let sign = pos2(rect.left() + 13.0, rect.center().y);
        painter.text(sign, Align2::CENTER_CENTER, icons::AUDIO_WAVEFORM, theme::icons(14.0), text);
        (name.as_str(), width - TAB_CHROME_WIDTH, 26.0, 30.0)
    };
    let galley = painter.layout_no_wrap(short(ui, shown, room), theme::medium(theme::BODY), text);
    let at = pos2(rect.left() + left_of_name, rect.center().y - galley.size().y / 2.0);
    painter.galley(at, galley, text);
    if has_unsaved {
        painter.circle_filled(pos2(rect.right() - right_of_dot, rect.center().y), 2.5, text);
    }
    let cross = Rect::from_center_size(pos2(rect.right() - 13.0, rect.center().y), vec2(20.0, 24.0));
    let id = response.id.with("close");
    let close = ui.interact(cross, id, Sense::click());
    close.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Close {}", document.name())));
    let is_under_pointer = response.contains_pointer() || close.contains_pointer();
    if is_name_alone && is_under_pointer {
        painter.rect_filled(cross.expand2(vec2(2.0, 0.0)), theme::RADIUS_BUTTON, face);
    }
    if !is_name_alone || is_under_pointer {
        let colour = if close.hovered() { palette.text_strong } else { palette.text_weak };
        painter.text(cross.center(), Align2::CENTER_CENTER, icons::X, theme::icons(14.0), colour);
    }
    let is_closed = close.on_hover_text("Close").clicked() || response.middle_clicked();
    if is_closed {
        acts.push(TabAct::Close(document.id()));
    } else if response.clicked() || response.drag_started() {
        acts.push(TabAct::Activate(document.id()));
    }
    if response.dragged()
        && !drag_out(ui, document, acts)
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let to = (((pointer.x - left) / step).floor().max(0.0) as usize).min(n - 1);
        if to != place {
            acts.push(TabAct::Move { id: document.id(), place: to });
        }
    }
    let what = what_of(document);
    response.on_hover_text(if has_unsaved { format!("{what}\n{UNSAVED}") } else { what });
}

/// Path of a document's file for display, or its name.
fn what_of(document: &OpenDocument) -> String {
    document.file().map_or_else(|| document.name(), crate::base::shown_path)
}

/// Starts dragging the sound to another program once a dragged tab has left the window; false before.
fn drag_out(ui: &Ui, document: &OpenDocument, acts: &mut Acts) -> bool {
    let has_left = drops::is_dragged_out(ui.ctx());
    if has_left {
        acts.push(DragOutAct::Begin(Draggable::Document(document.id())));
    }
    has_left
}
