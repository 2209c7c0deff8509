//! The common widgets of the interface. Each has an accessible name; each icon has a tooltip.

pub(super) mod boxes;
pub(super) mod label_words;
pub(super) mod segments;
pub mod short_names;
pub(super) mod splitter;
pub mod theme;
pub(super) mod values;

use super::bars::overflow;
use super::bars::overflow::Captions;
use crate::document::brushes::Choice;
use crate::workbench::Acts;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Command, Facts};
use egui::{
    Align2, Color32, CornerRadius, EventFilter, Id, Rect, RectAlign, Response, RichText, Role, Sense, Tooltip, Ui,
    Vec2, WidgetInfo, pos2, vec2,
};
use values::under_caption;

/// Appearance of a command's button.
#[derive(Debug, Clone, Copy)]
pub struct ButtonStyle {
    /// Size in points.
    pub size: Vec2,
    /// Size of the icon in points.
    pub icon: f32,
    /// Whether its command is on.
    pub is_on: bool,
    /// An icon that replaces the command's own.
    pub swap: Option<char>,
    /// Filled with the accent, for the primary action.
    pub is_filled: bool,
    /// A 2-point bar at its left while on.
    pub has_bar: bool,
    /// The tooltip is placed to the right of this x, so that it covers no neighbouring button.
    pub tip_after: Option<f32>,
}

impl ButtonStyle {
    /// A square with an icon.
    pub fn icon(side: f32, icon: f32) -> ButtonStyle {
        let size = Vec2::splat(side);
        ButtonStyle { size, icon, is_on: false, swap: None, is_filled: false, has_bar: false, tip_after: None }
    }

    /// Sets whether the command is on.
    pub fn on(self, is_on: bool) -> ButtonStyle {
        ButtonStyle { is_on, ..self }
    }
}

/// A button with a command's icon; a click pushes the command.
pub fn command_icon(
    ui: &mut Ui,
    facts: &Facts,
    command: impl Into<Command>,
    look: ButtonStyle,
    acts: &mut Acts,
) -> Response {
    let command = command.into();
    let palette = theme::palette(ui.ctx());
    let spec = command.row();
    let enabled = command.enabled(facts);
    let sense = if enabled.is_ok() { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(look.size, sense);
    super::hooks::probe::note_control(ui.ctx(), spec.name, rect);
    response.widget_info(|| WidgetInfo::selected(Role::Button, enabled.is_ok(), look.is_on, spec.name));
    let is_down = response.is_pointer_button_down_on();
    let (face, mark) = match (enabled.is_ok(), look.is_on || look.is_filled) {
        (false, _) => (None, palette.text_off),
        (true, true) if look.is_filled => (Some(palette.accent), palette.on_accent),
        (true, true) => (Some(palette.accent_soft), palette.accent),
        (true, false) if is_down => (Some(palette.active), palette.text_strong),
        (true, false) if response.hovered() => (Some(palette.hover), palette.text_strong),
        (true, false) => (None, palette.text),
    };
    let painter = ui.painter();
    if let Some(face) = face {
        painter.rect_filled(rect, theme::RADIUS_BUTTON, face);
    }
    if look.has_bar && look.is_on {
        let bar = Rect::from_min_size(pos2(rect.left(), rect.top() + 4.0), vec2(2.0, rect.height() - 8.0));
        painter.rect_filled(bar, CornerRadius::ZERO, palette.accent);
    }
    if let Some(icon) = look.swap.or(spec.icon) {
        painter.text(rect.center(), Align2::CENTER_CENTER, icon, theme::icons(look.icon), mark);
    }
    if response.clicked() {
        acts.push(command);
    }
    tip(response, command, enabled.err(), look.tip_after)
}

/// A button for a command, labelled `text`; a click pushes the command. Not drawn if the bar has no room for it.
pub fn command_button(ui: &mut Ui, facts: &Facts, command: impl Into<Command>, text: &str, acts: &mut Acts) {
    let command = command.into();
    let (row, enabled) = (command.row(), command.enabled(facts));
    if !overflow::has_place(ui, row.name, button_width(ui, text)) {
        return;
    }
    let button = egui::Button::new(text).min_size(vec2(0.0, theme::FIELD_HEIGHT));
    let response = ui.add_enabled(enabled.is_ok(), button).accessible_name(row.name);
    super::hooks::probe::note_control(ui.ctx(), row.name, response.rect);
    if response.clicked() {
        acts.push(command);
    }
    tooltip(response, command, enabled.err());
}

/// Width of a button with a text.
pub fn button_width(ui: &Ui, text: &str) -> f32 {
    overflow::text_width(ui, text) + 2.0 * ui.spacing().button_padding.x + 8.0
}

/// Width of the outer and inner line of the focus ring, in points.
const RING: [f32; 2] = [2.0, 1.5];

/// Outlines the widget with the keyboard focus, except the canvas, which has its own cursor. Call once a frame, after
/// everything is drawn. The outer line is visible on every background, the inner one on a filled button, which has the
/// outer line's colour.
pub fn ring_focus(ctx: &egui::Context, canvas: Option<Id>) {
    let focused = ctx.memory(|memory| memory.focused()).filter(|id| Some(*id) != canvas);
    // Looked up directly: reading its response would make it lose a focus that a click elsewhere has just given it.
    let drawn = |id: Id| ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).copied());
    let Some(response) = focused.and_then(drawn) else { return };
    let palette = theme::palette(ctx);
    // Clipped to the window, and to the part of the widget that is not scrolled out of view.
    let seen = response.interact_rect.expand(RING[0]).intersect(ctx.content_rect());
    let painter = ctx.layer_painter(response.layer_id).with_clip_rect(seen);
    let outer = response.rect.expand(RING[0]).intersect(ctx.content_rect());
    let radius = theme::RADIUS_BUTTON + RING[0] as u8;
    let line = |width, colour| egui::Stroke::new(width, colour);
    painter.rect_stroke(outer, radius, line(RING[0], palette.accent), egui::StrokeKind::Inside);
    let inner = outer.shrink(RING[0]);
    painter.rect_stroke(inner, theme::RADIUS_BUTTON, line(RING[1], palette.on_accent), egui::StrokeKind::Inside);
}

/// Adds a command's tooltip: its name, its key at the right, and one sentence, or why the command is disabled.
pub fn tooltip(response: Response, command: impl Into<Command>, why_not: Option<&'static str>) -> Response {
    tip(response, command.into(), why_not, None)
}

fn tip(response: Response, command: Command, why_not: Option<&'static str>, after: Option<f32>) -> Response {
    let show = |ui: &mut Ui| {
        let palette = theme::palette(ui.ctx());
        let spec = command.row();
        ui.set_max_width(280.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new(spec.name).color(palette.text_strong));
            if let Some(key) = spec.keys.first() {
                ui.add_space(12.0);
                ui.label(RichText::new(key.to_string()).color(palette.text_weak));
            }
        });
        ui.label(RichText::new(why_not.unwrap_or(spec.what)).color(palette.text_weak).size(theme::CAPTION));
    };
    let Some(right) = after else { return response.on_hover_ui(show).on_disabled_hover_ui(show) };
    let beside = response.rect.with_max_x(right);
    for mut tip in [Tooltip::for_enabled(&response), Tooltip::for_disabled(&response)] {
        tip.popup = tip.popup.anchor(beside).align(RectAlign::RIGHT);
        tip.show(show);
    }
    response
}

/// Where the name of a choice is written.
enum ChoiceName {
    /// In its row.
    Elsewhere,
    /// Beside it, by this label.
    Beside(Id),
    /// Before it, drawn by the choice itself.
    Own,
}

/// A choice from a list in a row that shows its name; the name is also passed to screen readers and the tooltip.
pub fn choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    name: &str,
    width: f32,
    current: T,
    all: &[T],
    label: impl Fn(T) -> String,
) -> Option<T> {
    choice_of(ui, (name, ChoiceName::Elsewhere), width, current, all, label)
}

/// A choice with its name already shown beside it.
pub fn named_choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    caption: Id,
    name: &str,
    width: f32,
    current: T,
    all: &[T],
    label: impl Fn(T) -> String,
) -> Option<T> {
    choice_of(ui, (name, ChoiceName::Beside(caption)), width, current, all, label)
}

/// A choice in a bar, with its name before it like that of a `Value`.
pub fn captioned_choice<T: PartialEq + Copy>(
    ui: &mut Ui,
    name: &str,
    width: f32,
    current: T,
    all: &[T],
    label: impl Fn(T) -> String,
) -> Option<T> {
    choice_of(ui, (name, ChoiceName::Own), width, current, all, label)
}

/// A choice among the options of a value, with its name before it.
pub fn value_choice(ui: &mut Ui, name: &str, width: f32, value: &mut dyn Choice) {
    let all: Vec<usize> = (0..value.options().len()).collect();
    let options = value.options();
    if let Some(index) = captioned_choice(ui, name, width, value.index(), &all, |i| options[i].label.to_owned()) {
        value.choose(index);
    }
}

fn choice_of<T: PartialEq + Copy>(
    ui: &mut Ui,
    (name, written): (&str, ChoiceName),
    width: f32,
    current: T,
    all: &[T],
    label: impl Fn(T) -> String,
) -> Option<T> {
    let is_own = matches!(written, ChoiceName::Own);
    let own_width = if is_own { overflow::text_width(ui, name) + 8.0 } else { 0.0 };
    let width_over = if is_own { overflow::small_text_width(ui, name) } else { 0.0 };
    let widths = [own_width + width + 8.0, width_over.max(width + 8.0)];
    if !overflow::has_captioned_place(ui, name, widths) {
        return None;
    }
    if is_own && overflow::captions(ui) == Captions::Over {
        return under_caption(ui, name, widths[1], |ui, caption| {
            list(ui, (name, Some(caption)), width, current, all, label)
        });
    }
    let own = RichText::new(name).color(theme::palette(ui.ctx()).text_weak);
    if overflow::is_menu(ui) {
        // A list over a menu would close the menu.
        ui.label(own);
        return all.iter().copied().filter(|&one| ui.selectable_label(one == current, label(one)).clicked()).last();
    }
    let caption = match written {
        ChoiceName::Elsewhere => None,
        ChoiceName::Beside(caption) => Some(caption),
        ChoiceName::Own => Some(ui.label(own).id),
    };
    list(ui, (name, caption), width, current, all, label)
}

/// The drop-down list of a choice, labelled by its caption.
fn list<T: PartialEq + Copy>(
    ui: &mut Ui,
    (name, caption): (&str, Option<Id>),
    width: f32,
    current: T,
    all: &[T],
    label: impl Fn(T) -> String,
) -> Option<T> {
    let mut chosen = None;
    let key = ui.scope_id().with(("list", name));
    let at = list_row(ui, key, all.len(), all.iter().position(|one| *one == current));
    if let ListRow { row: Some(row), is_taken: true, .. } = at {
        chosen = all.get(row).copied();
    }
    let response = egui::ComboBox::from_id_salt(name)
        .width(width)
        .icon(|ui, rect, visuals, _| {
            let (font, colour) = (theme::icons(14.0), visuals.fg_stroke.color);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::CHEVRON_DOWN, font, colour);
        })
        .selected_text(label(current))
        .show_ui(ui, |ui| {
            for (index, &one) in all.iter().enumerate() {
                let is_at = at.row.map_or(one == current, |row| row == index);
                let row = ui.selectable_label(is_at, label(one));
                super::hooks::probe::note_control(ui.ctx(), &format!("{name}: {}", label(one)), row.rect);
                if row.clicked() {
                    chosen = Some(one);
                }
                if is_at && at.has_moved {
                    row.scroll_to_me(None);
                }
            }
        })
        .response;
    hold_list(ui, key, &response, at.row);
    super::hooks::probe::note_control(ui.ctx(), name, response.rect);
    let response = match caption {
        Some(caption) => response.labelled_by(caption),
        None => response,
    };
    response.accessible_name(name).on_hover_text(name);
    chosen
}

/// Effect of the keyboard on a list.
#[derive(Default)]
struct ListRow {
    /// The current row of an open list.
    row: Option<usize>,
    has_moved: bool,
    /// Whether that row was chosen.
    is_taken: bool,
}

/// State of a list between frames: its button, and the current row.
type HeldList = Option<(Id, Option<usize>)>;

/// Up, Down, Home and End move within an open list and change the choice of a closed one; Enter and Space choose a row,
/// and open and close the list.
fn list_row(ui: &Ui, key: Id, n_rows: usize, current: Option<usize>) -> ListRow {
    use egui::Key::{ArrowDown, ArrowUp, End, Enter, Home, Space};
    let Some((button, held)) = ui.data(|data| data.get_temp::<HeldList>(key)).flatten() else {
        return ListRow::default();
    };
    if n_rows == 0 || !ui.memory(|memory| memory.has_focus(button)) {
        return ListRow::default();
    }
    let is_open = egui::ComboBox::is_open(ui.ctx(), button);
    let from = held.filter(|_| is_open).or(current).unwrap_or_default().min(n_rows - 1);
    ui.input(|input| {
        let (down, up) = (input.num_presses(ArrowDown), input.num_presses(ArrowUp));
        let row = match (input.key_pressed(Home), input.key_pressed(End)) {
            (true, _) => 0,
            (_, true) => n_rows - 1,
            _ => (from + down).saturating_sub(up).min(n_rows - 1),
        };
        let is_pressed = input.key_pressed(Enter) || input.key_pressed(Space);
        let is_taken = if is_open { is_pressed } else { row != from };
        ListRow { row: (is_open || is_taken).then_some(row), has_moved: row != from, is_taken }
    })
}

/// Keeps arrow keys for a list whose button has the focus, and Escape for an open one.
fn hold_list(ui: &Ui, key: Id, button: &Response, row: Option<usize>) {
    if button.clicked() {
        button.request_focus();
    }
    let is_open = egui::ComboBox::is_open(ui.ctx(), button.id);
    ui.data_mut(|data| data.insert_temp::<HeldList>(key, Some((button.id, row.filter(|_| is_open)))));
    if button.has_focus() {
        let filter = EventFilter { vertical_arrows: true, escape: is_open, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(button.id, filter));
    }
}

/// A number and its unit in two colours, right-aligned in a fixed width, so that its neighbours don't move.
pub fn figure(ui: &mut Ui, caption: &str, text: Option<(String, &str)>, width: f32) -> Option<Response> {
    // Where room is short, the last figures are omitted first.
    if ui.available_width() < width {
        return None;
    }
    let palette = theme::palette(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(width, 34.0), Sense::hover());
    let spoken = match &text {
        Some((number, "")) => format!("{caption} {number}"),
        Some((number, unit)) => format!("{caption} {number} {unit}"),
        None => format!("{caption}: nothing under the pointer"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    let painter = ui.painter();
    painter.text(rect.left_top(), Align2::LEFT_TOP, caption, theme::regular(theme::CAPTION), palette.text_weak);
    let (number, unit) = text.unwrap_or(("\u{2013}".into(), ""));
    let font = theme::medium(theme::BODY);
    let drawn = painter.text(rect.left_bottom(), Align2::LEFT_BOTTOM, number, font, palette.text_strong);
    if !unit.is_empty() {
        let at = drawn.right_bottom() + vec2(3.0, 0.0);
        painter.text(at, Align2::LEFT_BOTTOM, unit, theme::regular(theme::BODY), palette.text_weak);
    }
    Some(response)
}

/// The background of a custom-drawn row or button: `on` if it is on, else the hover colour under the pointer.
pub fn face(ui: &Ui, rect: Rect, response: &Response, on: Option<Color32>) {
    let hovered = response.hovered().then(|| theme::palette(ui.ctx()).hover);
    if let Some(face) = on.or(hovered) {
        ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    }
}

/// A 1-point line between groups.
pub fn rule(ui: &mut Ui) {
    let palette = theme::palette(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().rect_filled(rect, CornerRadius::ZERO, palette.stroke);
}

/// Width reserved for a vertical line, in points.
const RULE: f32 = 17.0;

/// A vertical 1-point line in a bar.
pub fn bar_rule(ui: &mut Ui) {
    overflow::take_room(ui, RULE);
    if overflow::is_menu(ui) || overflow::is_full(ui) {
        return;
    }
    let palette = theme::palette(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(RULE, 20.0), Sense::hover());
    let line = Rect::from_center_size(rect.center(), vec2(1.0, rect.height()));
    ui.painter().rect_filled(line, CornerRadius::ZERO, palette.stroke);
}

/// A frame of one colour without a margin, for bars and panels.
pub fn plain(fill: Color32) -> egui::Frame {
    egui::Frame::new().fill(fill)
}

/// A decorative icon, ignored by screen readers since its meaning is in the text beside it.
pub fn sign(ui: &mut Ui, icon: char, points: f32, colour: Color32) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(points), Sense::hover());
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icons(points), colour);
}
