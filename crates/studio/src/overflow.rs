//! Moves fields that don't fit in a bar to a menu at its end: the same drawing code runs once for each, and every field
//! checks whether it belongs there.

use super::theme;
use crate::workbench::commands::icons;
use egui::{Button, Id, RichText, Ui, vec2};

/// State of drawing fields.
#[derive(Debug, Clone, Default)]
struct Overflow {
    place: Place,
    /// Names of the bar's fields that don't fit.
    left_over: Vec<String>,
    /// Actual or potential end of the last field in the bar.
    end: f32,
}

/// Width of the overflow button, with its gap.
const MENU_BUTTON: f32 = 36.0;
/// Gap between fields.
const GAP: f32 = 8.0;

/// Whether the bar was drawn without space for that button, and the end of its fields and the limit at the time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Fit {
    is_whole: bool,
    tried: [f32; 2],
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Place {
    /// Without a limit.
    #[default]
    Anywhere,
    /// In a bar, up to this x.
    Bar(f32),
    /// In the overflow menu of a bar.
    Menu,
    /// In a menu of all fields.
    MenuOfAll,
}

fn state<T>(ui: &Ui, with: impl FnOnce(&mut Overflow) -> T) -> T {
    ui.data_mut(|data| with(data.get_temp_mut_or_default::<Overflow>(Id::unique("overflow"))))
}

/// Draws the fields of a bar that fit, leaving `reserved` points at its end. Leaves space for the overflow button; if
/// all fields fit without it, they use that, too.
pub fn in_bar(ui: &mut Ui, reserved: f32, fields: impl FnOnce(&mut Ui)) {
    let id = Id::unique("fit of a bar");
    let before: Fit = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let most = ui.max_rect().right() - reserved + MENU_BUTTON;
    let right = if before.is_whole { most } else { most - MENU_BUTTON };
    state(ui, |state| *state = Overflow { place: Place::Bar(right), ..Overflow::default() });
    fields(ui);
    let (is_all, end) = state(ui, |state| {
        state.place = Place::Anywhere;
        (state.left_over.is_empty(), state.end)
    });
    let after = match (before.is_whole, is_all) {
        // In a window of another size it may be tried again.
        (true, false) if before.tried[1] != most => Fit::default(),
        (true, false) => Fit { is_whole: false, ..before },
        (false, false) if end <= most && [end, most] != before.tried => Fit { is_whole: true, tried: [end, most] },
        _ => before,
    };
    if after != before {
        ui.data_mut(|data| data.insert_temp(id, after));
        ui.ctx().request_repaint();
    }
}

/// The overflow button at the bar's end; nothing if all fields fit.
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

/// Draws fields outside any bar, such as those of a card that opens from one.
pub fn apart(ui: &mut Ui, fields: impl FnOnce(&mut Ui)) {
    let place = state(ui, |state| std::mem::take(&mut state.place));
    fields(ui);
    state(ui, |state| state.place = place);
}

/// Whether to draw a field here. Once one doesn't fit, those after it don't either.
pub fn has_place(ui: &Ui, name: &str, width: f32) -> bool {
    let left = ui.cursor().left();
    state(ui, |state| match state.place {
        Place::Anywhere | Place::MenuOfAll => true,
        Place::Menu => state.left_over.iter().any(|one| one == name),
        Place::Bar(right) => {
            let fits = state.left_over.is_empty() && left + width <= right;
            state.end = if state.left_over.is_empty() { left } else { state.end + GAP } + width;
            if !fits {
                state.left_over.push(name.to_owned());
            }
            fits
        }
    })
}

/// Whether fields are being drawn in the menu.
pub fn is_menu(ui: &Ui) -> bool {
    state(ui, |state| matches!(state.place, Place::Menu | Place::MenuOfAll))
}

/// Whether fields are being drawn in a menu of all.
pub fn is_menu_of_all(ui: &Ui) -> bool {
    state(ui, |state| state.place == Place::MenuOfAll)
}

/// Whether the bar that is being drawn has no room left.
pub fn is_full(ui: &Ui) -> bool {
    state(ui, |state| matches!(state.place, Place::Bar(_)) && !state.left_over.is_empty())
}

/// Width of a caption.
pub fn text_width(ui: &Ui, text: &str) -> f32 {
    let font = theme::regular(theme::BODY);
    ui.painter().layout_no_wrap(text.to_owned(), font, egui::Color32::WHITE).size().x
}
