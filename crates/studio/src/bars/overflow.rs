//! Moves fields that don't fit in a bar to a menu at its end: the same drawing code runs once for each, and every field
//! checks whether it belongs there.

use crate::widgets::theme;
use crate::workbench::commands::table::icons;
use egui::{Button, Id, RichText, Ui, vec2};

/// State of drawing fields.
#[derive(Debug, Clone, Default)]
struct Overflow {
    place: Place,
    /// Where captions of the bar stand.
    captions: Captions,
    /// Names of the bar's fields that don't fit.
    left_over: Vec<String>,
    /// Where all fields of the bar would end with captions beside them and over them.
    ends: [f32; 2],
}

/// Width of the overflow button, with its gap.
const MENU_BUTTON: f32 = 36.0;
/// Gap between fields.
const GAP: f32 = 8.0;

/// Where a caption stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Captions {
    /// Before its field.
    #[default]
    Beside,
    /// Small, over its field: more fields have room in a bar.
    Over,
}

/// How the fields of a bar find room, the most legible way first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    #[default]
    Beside,
    Over,
    /// With captions over them, the last fields in a menu.
    Folded,
}

/// How a bar was drawn last, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LastBar {
    fit: Fit,
    /// What has turned out to be too wide for this bar is not tried again.
    min: Fit,
    /// Where its fields would end, and the most that could be.
    wanted: [f32; 3],
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

/// Draws the fields of a bar that fit, leaving `reserved` points at its end. Captions move over their fields where they
/// don't all fit beside them; fields that still don't fit go behind the overflow button.
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
    has_captioned_place(ui, name, [width; 2])
}

/// The same for a field whose widths are these with its caption beside it and over it.
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

/// Takes room in a bar for what is no field.
pub fn take_room(ui: &Ui, width: f32) {
    state(ui, |state| {
        if matches!(state.place, Place::Bar(_)) {
            state.ends = state.ends.map(|end| end + width + GAP);
        }
    });
}

/// Where captions stand here.
pub fn captions(ui: &Ui) -> Captions {
    state(ui, |state| if matches!(state.place, Place::Bar(_)) { state.captions } else { Captions::Beside })
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
