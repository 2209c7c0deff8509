//! The heading of a panel: its name, which folds the panel when clicked, a copy or measure button, and a menu.

use super::super::widgets::{self, ButtonStyle};
use super::super::widgets::{boxes, theme};
use super::context::PanelContext;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{ClipboardCommand, Command, LabelCommand, LayoutCommand};
use crate::workbench::{Act, Acts, Layout, LayoutAct, Panel};
use egui::{Align2, Button, CornerRadius, Rect, RichText, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

const HEIGHT: f32 = 28.0;
const BUTTON: f32 = 24.0;

/// Draws the heading over the whole width. `note` appears at its right, in small letters.
pub fn ui(ui: &mut Ui, panel: Panel, layout: &Layout, context: PanelContext<'_>, note: Option<&str>, acts: &mut Acts) {
    let facts = context.facts;
    let palette = theme::palette(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let copy: Option<Command> = match panel {
        Panel::Selection => Some(ClipboardCommand::CopyFigures.into()),
        Panel::Spectrum => Some(ClipboardCommand::CopySpectrum.into()),
        Panel::Labels => Some(LabelCommand::Measure.into()),
        Panel::View | Panel::History => None,
    };
    let n_buttons = 1 + usize::from(copy.is_some());
    let buttons_left = rect.right() - 8.0 - BUTTON * n_buttons as f32;
    let fold_rect = Rect::from_min_max(rect.min, pos2(buttons_left, rect.bottom()));
    let is_over = layout.over() == Some(panel);
    let is_open = is_over || layout.fold(panel).is_open;
    let response = ui.interact(fold_rect, ui.scope_id().with(("heading", panel)), Sense::click());
    let name = format!("{} panel", panel.name());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, &name));
    let painter = ui.painter();
    if response.hovered() {
        painter.rect_filled(fold_rect, CornerRadius::ZERO, palette.hover);
    }
    let middle = rect.center().y;
    let chevron = if is_open { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
    let at = pos2(rect.left() + 20.0, middle);
    painter.text(at, Align2::CENTER_CENTER, chevron, theme::icons(14.0), palette.text_weak);
    let at = pos2(rect.left() + 34.0, middle);
    let font = theme::semibold(theme::HEADING);
    painter.text(at, Align2::LEFT_CENTER, panel.name(), font, palette.text_strong);
    if let Some(note) = note {
        let at = pos2(buttons_left - 6.0, middle);
        painter.text(at, Align2::RIGHT_CENTER, note, theme::regular(theme::CAPTION), palette.text_weak);
    }
    if response.clicked() {
        if is_over {
            acts.push(LayoutAct::Over(None));
        } else {
            acts.push(LayoutAct::Open { panel, is_open: !is_open });
        }
    }
    let mut slot = Rect::from_min_size(pos2(buttons_left, middle - BUTTON / 2.0), vec2(BUTTON, BUTTON));
    let child = |ui: &mut Ui, slot: Rect| ui.new_child(UiBuilder::new().max_rect(slot));
    if let Some(copy) = copy {
        widgets::command_icon(&mut child(ui, slot), facts, copy, ButtonStyle::icon(BUTTON, 14.0), acts);
        slot = slot.translate(vec2(BUTTON, 0.0));
    }
    menu(&mut child(ui, slot), panel, layout, context, acts);
}

fn menu(ui: &mut Ui, panel: Panel, layout: &Layout, context: PanelContext<'_>, acts: &mut Acts) {
    let icon = RichText::new(icons::ELLIPSIS).font(theme::icons(14.0));
    ui.spacing_mut().button_padding = vec2(0.0, 0.0);
    let button = Button::new(icon).frame_when_inactive(false).min_size(vec2(BUTTON, BUTTON));
    let behavior = egui::PopupCloseBehavior::CloseOnClickOutside;
    let config = egui::containers::menu::MenuConfig::new().close_behavior(behavior);
    let (response, _) = egui::containers::menu::MenuButton::from_button(button).config(config).ui(ui, |ui| {
        ui.set_min_width(180.0);
        ui.spacing_mut().button_padding = vec2(8.0, 4.0);
        if panel == Panel::Spectrum {
            let mut curves = layout.curves();
            boxes::checkbox(ui, &mut curves.has_before, "Before").on_hover_text("The file as it was opened.");
            boxes::checkbox(ui, &mut curves.has_mean, "Mean of the selection");
            boxes::checkbox(ui, &mut curves.has_most, "Maximum of the selection");
            if curves != layout.curves() {
                acts.push(LayoutAct::Curves(curves));
            }
            ui.separator();
        }
        if panel == Panel::Labels {
            labels_menu(ui, context, acts);
            ui.separator();
        }
        if ui.button("Hide this panel").on_hover_text("Show it again with View, Panels.").clicked() {
            acts.push(LayoutCommand::Panel(panel));
            ui.close();
        }
    });
    response.accessible_name(format!("{} panel menu", panel.name())).on_hover_text("Panel options");
}

/// Commands for all labels, and whether stepping plays them.
fn labels_menu(ui: &mut Ui, context: PanelContext<'_>, acts: &mut Acts) {
    let commands = [LabelCommand::Import, LabelCommand::Export, LabelCommand::Measure, LabelCommand::RemoveShown]
        .map(Command::from);
    for command in commands {
        let why_not = command.enabled(context.facts).err();
        let button = ui.add_enabled(why_not.is_none(), Button::new(command.row().name));
        if widgets::tooltip(button, command, why_not).clicked() {
            acts.push(command);
            ui.close();
        }
    }
    ui.separator();
    let mut settings = context.tools.settings().clone();
    let what = "Tab and Shift+Tab play the label that they step to.";
    if boxes::checkbox(ui, &mut settings.labels.plays, "Play when stepping").on_hover_text(what).changed() {
        acts.push(Act::Tools(Box::new(settings)));
    }
}
