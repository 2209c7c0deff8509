//! Menus at the pointer: commands for a position on the canvas, and all brushes with the colour maps.

use super::bars;
use super::bars::overflow;
use super::canvas::{MenuAt, MenuKind};
use super::hooks::probe;
use super::widgets::{self, ButtonStyle};
use super::widgets::{label_words, theme};
use crate::view::Colormap;
use crate::workbench::commands::{
    CanvasCommand, ClipboardCommand, Command, EditCommand, Facts, FindCommand, LabelCommand, PlayCommand,
    PreviewCommand, SelectCommand, ToolCommand, ViewCommand, WindowCommand,
};
use crate::workbench::{Acts, LabelAct, OpenDocument, Tool, Tools};
use egui::containers::menu::menu_style;
use egui::{Align, Button, Color32, Context, Id, LayerId, Layout, Mesh, Popup, PopupKind, Pos2, Rect, RichText, Role};
use egui::{Sense, Shape, Ui, WidgetInfo, pos2, vec2};

/// Window height left free around a menu, in points.
const MARGIN: f32 = 40.0;
/// Brushes per row of their menu.
const BRUSHES_PER_ROW: usize = 8;
/// Side of a brush button, and size of its icon, in points.
const BRUSH: [f32; 2] = [34.0, 18.0];
/// Width of a colour map's ramp.
const RAMP: f32 = 96.0;

/// The open menu.
#[derive(Debug, Default)]
pub struct CanvasMenus {
    open: Option<OpenMenu>,
    /// Which of the two ids of a menu the last one had.
    is_second: bool,
}

#[derive(Debug)]
struct OpenMenu {
    place: MenuAt,
    /// Id of its popup, not that of the previous one, so that a click that closes that leaves this one open. One of two,
    /// since egui keeps memory for each area that it ever saw.
    id: Id,
    /// Whether the first row takes the keyboard when drawn.
    wants_focus: bool,
    is_new: bool,
}

/// State shown by menus.
pub struct MenuShown<'a> {
    /// State that decides which commands are enabled.
    pub facts: &'a Facts,
    /// The tools.
    pub tools: &'a Tools,
    /// The document in front.
    pub document: &'a OpenDocument,
}

impl CanvasMenus {
    /// Opens a menu, replacing the open one; its first row takes the keyboard if a key opened it.
    pub fn open(&mut self, place: MenuAt, wants_focus: bool) {
        self.is_second = !self.is_second;
        let id = Id::unique(("canvas menu", self.is_second));
        self.open = Some(OpenMenu { place, id, wants_focus, is_new: true });
    }

    /// Position of the open menu.
    pub fn place(&self) -> Option<Pos2> {
        self.open.as_ref().map(|opened| opened.place.at)
    }

    /// Draws the open menu, if there is a document.
    pub fn ui(&mut self, ctx: &Context, shown: Option<&MenuShown<'_>>, acts: &mut Acts) {
        let (Some(opened), Some(shown)) = (&mut self.open, shown) else {
            self.open = None;
            return;
        };
        if std::mem::take(&mut opened.is_new) {
            Popup::open_id(ctx, opened.id);
        }
        let popup = Popup::new(opened.id, ctx.clone(), opened.place.at, LayerId::background());
        let popup = popup.kind(PopupKind::Menu).layout(Layout::top_down_justified(Align::Min)).style(menu_style);
        let name = match opened.place.kind {
            MenuKind::Commands => CanvasCommand::Menu.row().name,
            MenuKind::Brushes => CanvasCommand::Brushes.row().name,
        };
        let popup = popup
            .accessible_name(name)
            .gap(0.0)
            .open_memory(None)
            .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        popup.show(|ui| {
            let room = ctx.content_rect().height() - MARGIN;
            let scroll = egui::ScrollArea::vertical().max_height(room).min_scrolled_height(room);
            scroll.show(ui, |ui| match opened.place.kind {
                MenuKind::Commands => commands(ui, opened, shown, acts),
                MenuKind::Brushes => brushes(ui, opened, shown, acts),
            });
        });
        if !Popup::is_id_open(ctx, opened.id) {
            self.open = None;
        }
    }
}

impl OpenMenu {
    /// Gives the keyboard to the first row drawn.
    fn take_focus(&mut self, row: &egui::Response, ui: &Ui) {
        if !ui.is_sizing_pass() && std::mem::take(&mut self.wants_focus) {
            row.request_focus();
        }
    }
}

/// The settings of the current tool, commands for the label at the pointer, and further enabled commands.
fn commands(ui: &mut Ui, opened: &mut OpenMenu, shown: &MenuShown<'_>, acts: &mut Acts) {
    ui.set_min_width(240.0);
    let tool = shown.tools.active();
    if bars::has_first_settings(tool) && shown.document.floating().is_none() && !shown.facts.is_previewing {
        heading(ui, ToolCommand::Pick(tool).row().name);
        overflow::in_menu(ui, |ui| bars::first_settings(ui, shown.facts, shown.tools, acts));
        ui.separator();
    }
    label_rows(ui, opened, shown, acts);
    for (at, group) in groups(shown.facts).into_iter().enumerate() {
        if at > 0 {
            ui.separator();
        }
        for command in group {
            let row = bars::menu_item(ui, shown.facts, command, acts);
            probe::note_control(ui.ctx(), &format!("Menu: {}", command.row().name), row.rect);
            opened.take_focus(&row, ui);
        }
    }
}

/// Commands for the label at the pointer. Opening the menu doesn't make it the current label.
fn label_rows(ui: &mut Ui, opened: &mut OpenMenu, shown: &MenuShown<'_>, acts: &mut Acts) {
    let label = opened.place.label.and_then(|id| shown.document.history().labels().get(id));
    let Some(label) = label.filter(|_| !shown.document.is_reading() && shown.document.floating().is_none()) else {
        return;
    };
    heading(ui, label_words::all(label).lines().next().unwrap_or_default());
    let rows = [
        (LabelCommand::Rename, LabelAct::Name(label.id)),
        (LabelCommand::Remove, LabelAct::Remove(label.id)),
        (LabelCommand::Select, LabelAct::GoTo(label.id)),
    ];
    for (command, act) in rows {
        let row = command.row();
        let response = ui.add(Button::new(row.name)).accessible_name(row.name);
        opened.take_focus(&response, ui);
        if response.clicked() {
            acts.push(act);
            ui.close();
        }
        response.on_hover_text(row.what);
    }
    ui.separator();
}

fn heading(ui: &mut Ui, text: &str) {
    let text = RichText::new(text).font(theme::semibold(theme::CAPTION)).color(theme::palette(ui.ctx()).text_weak);
    ui.add(egui::Label::new(text).truncate());
}

/// Enabled commands, in groups.
fn groups(facts: &Facts) -> Vec<Vec<Command>> {
    let groups: Vec<Vec<Command>> = if facts.is_drawing_polygon {
        vec![vec![CanvasCommand::ClosePolygon.into(), WindowCommand::Cancel.into()]]
    } else if facts.is_floating {
        use ClipboardCommand::{FlipPicture, LandPaste, LandPushing, TurnPicture};
        let placing = [LandPaste, LandPushing, TurnPicture, FlipPicture].map(Command::from).to_vec();
        vec![placing, vec![WindowCommand::Cancel.into()], vec![PlayCommand::PlayFromPointer.into()]]
    } else if facts.is_previewing {
        use PreviewCommand::{Apply, Cancel, Compare, HearAfter, HearBefore, HearDifference, Loop};
        vec![
            [Apply, Cancel].map(Command::from).to_vec(),
            [HearAfter, HearBefore, HearDifference, Loop, Compare].map(Command::from).to_vec(),
        ]
    } else if facts.has_selection {
        use ClipboardCommand::{Copy, Cut, CutToFloat, Paste, PasteInPlace};
        vec![
            vec![
                EditCommand::ApplyToSelection.into(),
                PreviewCommand::Brush.into(),
                EditCommand::EraseSelection.into(),
                EditCommand::HealSelection.into(),
            ],
            [CutToFloat, Cut, Copy, Paste, PasteInPlace].map(Command::from).to_vec(),
            vec![LabelCommand::Add.into(), FindCommand::Next.into(), ViewCommand::ZoomSelection.into()],
            [SelectCommand::Nothing, SelectCommand::Invert].map(Command::from).to_vec(),
            playing(),
        ]
    } else {
        vec![
            [ClipboardCommand::Paste, ClipboardCommand::PasteInPlace].map(Command::from).to_vec(),
            [EditCommand::Undo, EditCommand::Redo].map(Command::from).to_vec(),
            vec![SelectCommand::All.into(), SelectCommand::Reselect.into(), LabelCommand::Add.into()],
            vec![ViewCommand::ZoomAll.into(), CanvasCommand::FitRange.into()],
            playing(),
        ]
    };
    let is_meant = |command: &Command| command.is_listed(facts) && command.enabled(facts).is_ok();
    let groups = groups.into_iter().map(|group| group.into_iter().filter(is_meant).collect::<Vec<Command>>());
    groups.filter(|group| !group.is_empty()).collect()
}

fn playing() -> Vec<Command> {
    vec![PlayCommand::PlayFromPointer.into(), CanvasCommand::Brushes.into()]
}

/// Every tool that selects or paints, and every colour map.
fn brushes(ui: &mut Ui, opened: &mut OpenMenu, shown: &MenuShown<'_>, acts: &mut Acts) {
    ui.set_width(BRUSHES_PER_ROW as f32 * BRUSH[0]);
    ui.spacing_mut().interact_size.y = BRUSH[0];
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let of = |is_meant: fn(&Tool) -> bool| Tool::ALL.into_iter().filter(is_meant).collect::<Vec<Tool>>();
    for (name, tools) in [("Brushes", of(|tool| tool.is_brush())), ("Selection tools", of(|tool| tool.selects()))] {
        heading(ui, name);
        ui.add_space(2.0);
        for row in tools.chunks(BRUSHES_PER_ROW) {
            ui.horizontal(|ui| row.iter().for_each(|&tool| brush(ui, opened, tool, shown, acts)));
        }
        ui.add_space(6.0);
    }
    heading(ui, "Colours");
    ui.add_space(2.0);
    Colormap::ALL.into_iter().for_each(|map| colours(ui, map, shown, acts));
}

fn brush(ui: &mut Ui, opened: &mut OpenMenu, tool: Tool, shown: &MenuShown<'_>, acts: &mut Acts) {
    let look = ButtonStyle::icon(BRUSH[0], BRUSH[1]).on(tool == shown.tools.active());
    let button = widgets::command_icon(ui, shown.facts, ToolCommand::Pick(tool), look, acts);
    if tool == shown.tools.active() || !shown.tools.active().is_brush() {
        opened.take_focus(&button, ui);
    }
    if button.clicked() {
        ui.close();
    }
}

/// A colour map as a ramp, with its name.
fn colours(ui: &mut Ui, map: Colormap, shown: &MenuShown<'_>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let command = ViewCommand::Colormap(map);
    let (row, is_on) = (command.row(), shown.document.view().colormap == map);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_on, row.name));
    probe::note_control(ui.ctx(), row.name, rect);
    widgets::face(ui, rect, &response, is_on.then_some(palette.accent_soft));
    ramp(ui, map, Rect::from_min_size(rect.min + vec2(4.0, 5.0), vec2(RAMP, rect.height() - 10.0)));
    let colour = if is_on { palette.accent } else { palette.text };
    let at = pos2(rect.left() + RAMP + 14.0, rect.center().y);
    ui.painter().text(at, egui::Align2::LEFT_CENTER, row.name, theme::regular(theme::BODY), colour);
    if response.clicked() {
        acts.push(command);
        ui.close();
    }
    widgets::tooltip(response, command, None);
}

/// Draws a colour map from the darkest to the brightest level.
fn ramp(ui: &Ui, map: Colormap, rect: Rect) {
    const N_BANDS: u32 = 32;
    let mut mesh = Mesh::default();
    for band in 0..=N_BANDS {
        let part = band as f32 / N_BANDS as f32;
        let [r, g, b] = map.rgb(part);
        let x = rect.left() + part * rect.width();
        mesh.colored_vertex(pos2(x, rect.top()), Color32::from_rgb(r, g, b));
        mesh.colored_vertex(pos2(x, rect.bottom()), Color32::from_rgb(r, g, b));
        if band > 0 {
            let i = 2 * band;
            mesh.add_triangle(i - 2, i - 1, i);
            mesh.add_triangle(i - 1, i, i + 1);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
}
