//! Numbers and boxes with their captions, in bars, menus and cards.

use super::{boxes, theme};
use crate::bars::overflow;
use crate::bars::overflow::Captions;
use crate::base::number;
use crate::hooks::probe;
use egui::{Align2, DragValue, Id, Response, RichText, Sense, Ui, Vec2, vec2};
use std::ops::RangeInclusive;

/// Width of captions of values in a menu, in points.
const MENU_CAPTION: f32 = 84.0;

/// The caption of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captioned<'a> {
    /// None, since the name is already shown in the row or above it.
    Nothing,
    /// Its name.
    Name,
    /// Its name beside the field, or this shorter text above it.
    Short(&'a str),
}

/// A value with its caption before it or over it, and its unit after it in a weaker colour.
pub struct Value<'a> {
    /// Name for the caption and for screen readers.
    pub name: &'a str,
    /// One sentence for the tooltip.
    pub what: &'a str,
    /// Width of the field.
    pub width: f32,
    /// Unit after the number; empty if it has none.
    pub unit: &'a str,
    /// How its name is shown.
    pub caption: Captioned<'a>,
}

impl Value<'_> {
    /// Draws a [`DragValue`] whose speed and decimals are set, with this range, which the tooltip states.
    pub fn show_within(&self, ui: &mut Ui, value: DragValue<'_>, range: RangeInclusive<f64>) -> Response {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let what = format!("{} {} to {}{unit}.", self.what, limit(*range.start()), limit(*range.end()));
        Value { what: &what, ..*self }.show(ui, value.range(range))
    }

    /// Draws a [`DragValue`] whose range, speed and decimals are set.
    pub fn show(&self, ui: &mut Ui, value: DragValue<'_>) -> Response {
        let over = match self.caption {
            Captioned::Short(short) => short,
            Captioned::Name => self.name,
            Captioned::Nothing => "",
        };
        let has_caption = self.caption != Captioned::Nothing || overflow::is_menu(ui);
        let caption_width = if has_caption { overflow::text_width(ui, self.name) + 8.0 } else { 0.0 };
        let width_over = self.width.max(overflow::small_text_width(ui, over));
        if !overflow::has_captioned_place(ui, self.name, [caption_width + self.width, width_over]) {
            return ui.allocate_response(Vec2::ZERO, Sense::hover());
        }
        if overflow::is_menu(ui) {
            return ui.horizontal(|ui| self.field(ui, value, true)).inner;
        }
        if has_caption && overflow::captions(ui) == Captions::Over {
            return under_caption(ui, over, width_over, |ui, caption| {
                let response = self.number(ui, value).labelled_by(caption);
                self.explained(response)
            });
        }
        self.field(ui, value, has_caption)
    }

    fn field(&self, ui: &mut Ui, value: DragValue<'_>, has_caption: bool) -> Response {
        let palette = theme::palette(ui.ctx());
        let caption = has_caption.then(|| ui.label(RichText::new(self.name).color(palette.text_weak)));
        // In a menu, fields are aligned in a column.
        let is_menu = overflow::is_menu(ui);
        let lacking = caption.as_ref().filter(|_| is_menu).map_or(0.0, |caption| MENU_CAPTION - caption.rect.width());
        if lacking > 0.0 {
            ui.add_space(lacking);
        }
        let response = self.number(ui, value);
        self.explained(match caption {
            Some(caption) => response.labelled_by(caption.id),
            None => response,
        })
    }

    /// The number and its unit.
    fn number(&self, ui: &mut Ui, value: DragValue<'_>) -> Response {
        let palette = theme::palette(ui.ctx());
        let unit = RichText::new(format!("\u{2009}{}", self.unit)).color(palette.text_weak);
        let value = if self.unit.is_empty() { value } else { value.suffix(unit) };
        let is_menu = overflow::is_menu(ui);
        let response = ui
            .scope(|ui| {
                let face = &mut ui.style_mut().visuals.widgets.inactive;
                face.fg_stroke.color = palette.text_strong;
                if is_menu {
                    face.weak_bg_fill = palette.field;
                }
                let height = theme::FIELD_HEIGHT.min(ui.spacing().interact_size.y);
                ui.add_sized(vec2(self.width, height), value)
            })
            .inner;
        if response.has_focus() && !self.unit.is_empty() {
            // While it is edited, the field shows only the typed text, without the unit.
            let at = response.rect.right_center() - vec2(4.0, 0.0);
            ui.painter().text(at, Align2::RIGHT_CENTER, self.unit, theme::regular(theme::BODY), palette.text_weak);
        }
        probe::note_control(ui.ctx(), self.name, response.rect);
        response
    }

    fn explained(&self, response: Response) -> Response {
        let (name, what) = (self.name, self.what);
        response.accessible_name(name).on_hover_ui(move |ui| {
            let palette = theme::palette(ui.ctx());
            ui.label(RichText::new(name).color(palette.text_strong));
            ui.label(RichText::new(what).color(palette.text_weak).size(theme::CAPTION));
        })
    }
}

/// Height of a field under its caption, in points.
const FIELD_UNDER_CAPTION: f32 = 24.0;

/// A small caption with a widget under it, at least `width` points wide; `add` receives the caption's id.
pub(crate) fn under_caption<R>(ui: &mut Ui, caption: &str, width: f32, add: impl FnOnce(&mut Ui, Id) -> R) -> R {
    let palette = theme::palette(ui.ctx());
    let caption = RichText::new(caption).size(theme::CAPTION).color(palette.text_weak);
    let line = ui.fonts_mut(|fonts| fonts.row_height(&theme::regular(theme::CAPTION)));
    let size = vec2(width, line + FIELD_UNDER_CAPTION);
    let both = ui.allocate_ui_with_layout(size, egui::Layout::top_down(egui::Align::Min), |ui| {
        ui.set_min_size(size);
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.spacing_mut().interact_size.y = FIELD_UNDER_CAPTION;
        let caption = ui.add(egui::Label::new(caption).extend()).id;
        add(ui, caption)
    });
    both.inner
}

/// A check box with a tooltip.
pub fn tick(ui: &mut Ui, name: &str, what: &str, is_on: &mut bool) {
    let width_over = overflow::small_text_width(ui, name);
    if !overflow::has_captioned_place(ui, name, [overflow::text_width(ui, name) + 28.0, width_over]) {
        return;
    }
    let response = match overflow::captions(ui) {
        Captions::Beside => boxes::checkbox(ui, is_on, name),
        Captions::Over => under_caption(ui, name, width_over, |ui, caption| {
            boxes::checkbox(ui, is_on, "").labelled_by(caption).accessible_name(name)
        }),
    };
    response.on_hover_text(what);
}

/// A limit of a value, as it would be typed.
fn limit(value: f64) -> String {
    let decimals = (0..3).find(|&n| (value * 10f64.powi(n)).fract() == 0.0).unwrap_or(3);
    number(value, decimals as usize)
}
