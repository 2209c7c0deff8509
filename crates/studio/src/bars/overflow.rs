//! Moves fields that do not fit in a bar to a menu at its end. The same drawing code runs for the bar and for the menu;
//! each field checks whether to appear.

use crate::widgets::theme;
use crate::workbench::commands::table::icons;
use egui::{Button, Id, RichText, Ui, vec2};

/// State while fields are being drawn.
#[derive(Debug, Clone, Default)]
struct Overflow {
    place: Place,
    /// Position of the bar's captions.
    captions: Captions,
    /// Names of the bar's fields that do not fit.
    left_over: Vec<String>,
    /// Right ends of all fields in points: with captions beside the fields, and with captions over them.
    ends: [f32; 2],
}

/// Width of the overflow button with its gap, in points.
const MENU_BUTTON: f32 = 36.0;
/// Gap between fields, in points.
const GAP: f32 = 8.0;

/// Position of a caption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Captions {
    /// Before its field.
    #[default]
    Beside,
    /// Small and over its field, so that more fields fit in a bar.
    Over,
}

/// Arrangement of a bar's fields, most legible first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    #[default]
    Beside,
    Over,
    /// Captions over the fields, and the last fields in a menu.
    Folded,
}

/// Arrangement of a bar in the last frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LastBar {
    fit: Fit,
    /// Most legible arrangement allowed for `wanted`, after excluding those that turned out to be too wide.
    min: Fit,
    /// Right ends of the fields with captions beside and over, and the right limit.
    wanted: [f32; 3],
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Place {
    /// Without a limit.
    #[default]
    Anywhere,
    /// In a bar, up to this horizontal position.
    Bar(f32),
    /// In the overflow menu of a bar.
    Menu,
    /// In a menu of all fields.
    MenuOfAll,
}

fn state<T>(ui: &Ui, with: impl FnOnce(&mut Overflow) -> T) -> T {
    ui.data_mut(|data| with(data.get_temp_mut_or_default::<Overflow>(Id::unique("overflow"))))
}

/// Draws the fields of a bar that fit, leaving `reserved` points at its end. If the fields do not all fit, captions
/// move over their fields; fields that still do not fit are left to [`menu`].
pub fn in_bar(ui: &mut Ui, reserved: f32, fields: impl FnOnce(&mut Ui)) {
    let id = Id::unique("fit of a bar");
    let before: LastBar = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let max = ui.max_rect().right() - reserved + MENU_BUTTON;
    let right = if before.fit == Fit::Folded { max - MENU_BUTTON } else { max };
    let captions = if before.fit == Fit::Beside { Captions::Beside } else { Captions::Over };
    let ends = [ui.cursor().left(); 2];
    state(ui, |state| *state = Overflow { place: Place::Bar(right), captions, ends, ..Overflow::default() });
    fields(ui);
    let (is_all, [beside, over]) = state(ui, |state| {
        (state.place, state.captions) = (Place::Anywhere, Captions::Beside);
        (state.left_over.is_empty(), state.ends)
    });
    let wanted = [beside, over, max];
    let mut min = if before.wanted == wanted { before.min } else { Fit::Beside };
    if !is_all && before.wanted == wanted {
        min = min.max(if before.fit == Fit::Beside { Fit::Over } else { Fit::Folded });
    }
    let by_width = match () {
        () if beside - GAP <= max => Fit::Beside,
        () if over - GAP <= max => Fit::Over,
        () => Fit::Folded,
    };
    let after = LastBar { fit: by_width.max(min), min, wanted };
    if after != before {
        ui.data_mut(|data| data.insert_temp(id, after));
        ui.ctx().request_repaint();
    }
}

/// Draws the overflow button, whose menu has the fields that did not fit in the bar; nothing if all fit.
pub fn menu(ui: &mut Ui, fields: impl FnOnce(&mut Ui)) {
    if state(ui, |state| state.left_over.is_empty()) {
        return;
    }
    let icon = RichText::new(icons::ELLIPSIS).font(theme::icons(16.0));
    let button = Button::new(icon).frame_when_inactive(false).min_size(vec2(28.0, 28.0));
    let behavior = egui::PopupCloseBehavior::CloseOnClickOutside;
    let config = egui::containers::menu::MenuConfig::new().close_behavior(behavior);
    let (response, _) = egui::containers::menu::MenuButton::from_button(button).config(config).ui(ui, |ui| {
        ui.set_min_width(200.0);
        state(ui, |state| state.place = Place::Menu);
        fields(ui);
        state(ui, |state| state.place = Place::Anywhere);
    });
    response.accessible_name("More settings").on_hover_text("More settings of this tool");
}

/// Draws all fields in a separate menu, including those that fit in the bar.
pub fn in_menu(ui: &mut Ui, fields: impl FnOnce(&mut Ui)) {
    let before = state(ui, |state| std::mem::replace(&mut state.place, Place::MenuOfAll));
    fields(ui);
    state(ui, |state| state.place = before);
}

/// Draws fields outside the bar, such as those of a popup that opens from it.
pub fn apart(ui: &mut Ui, fields: impl FnOnce(&mut Ui)) {
    let place = state(ui, |state| std::mem::take(&mut state.place));
    fields(ui);
    state(ui, |state| state.place = place);
}

/// Whether to draw a field here. After a field that does not fit in a bar, none fits.
pub fn has_place(ui: &Ui, name: &str, width: f32) -> bool {
    has_captioned_place(ui, name, [width; 2])
}

/// As [`has_place`], with the field's widths for a caption beside it and for a caption over it.
pub fn has_captioned_place(ui: &Ui, name: &str, [beside, over]: [f32; 2]) -> bool {
    let left = ui.cursor().left();
    state(ui, |state| match state.place {
        Place::Anywhere | Place::MenuOfAll => true,
        Place::Menu => state.left_over.iter().any(|one| one == name),
        Place::Bar(right) => {
            state.ends = [state.ends[0] + beside + GAP, state.ends[1] + over + GAP];
            let width = if state.captions == Captions::Beside { beside } else { over };
            let fits = state.left_over.is_empty() && left + width <= right;
            if !fits {
                state.left_over.push(name.to_owned());
            }
            fits
        }
    })
}

/// Adds the width of an item that is not a field, such as a rule, to the ends of the fields.
pub fn take_room(ui: &Ui, width: f32) {
    state(ui, |state| {
        if matches!(state.place, Place::Bar(_)) {
            state.ends = state.ends.map(|end| end + width + GAP);
        }
    });
}

/// Position of captions here.
pub fn captions(ui: &Ui) -> Captions {
    state(ui, |state| if matches!(state.place, Place::Bar(_)) { state.captions } else { Captions::Beside })
}

/// Whether fields are being drawn in a menu.
pub fn is_menu(ui: &Ui) -> bool {
    state(ui, |state| matches!(state.place, Place::Menu | Place::MenuOfAll))
}

/// Whether fields are being drawn in a menu of all fields.
pub fn is_menu_of_all(ui: &Ui) -> bool {
    state(ui, |state| state.place == Place::MenuOfAll)
}

/// Whether the bar being drawn has no room left for further fields.
pub fn is_full(ui: &Ui) -> bool {
    state(ui, |state| matches!(state.place, Place::Bar(_)) && !state.left_over.is_empty())
}

/// Width of a caption beside its field.
pub fn text_width(ui: &Ui, text: &str) -> f32 {
    width_in(ui, text, theme::BODY)
}

/// Width of a caption over its field.
pub fn small_text_width(ui: &Ui, text: &str) -> f32 {
    width_in(ui, text, theme::CAPTION)
}

fn width_in(ui: &Ui, text: &str, points: f32) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), theme::regular(points), egui::Color32::WHITE).size().x
}
