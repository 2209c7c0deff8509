//! Top bar, option bar, toolbar and status line. They read state and push acts.

pub(super) mod bass_offer;
pub(super) mod compare_strip;
pub(super) mod meter_row;
mod option_bar;
mod options;
pub(super) mod overflow;
pub mod overview;
mod picture_options;
mod preview_options;
mod repair_options;
mod tabs;
pub(super) mod transport_bar;
pub(super) mod typing_strip;

pub use option_bar::options;
pub use options::{first_settings, has_first_settings};

use super::widgets::theme;
use super::widgets::{self, ButtonStyle};
use crate::base::khz_from_hz;
use crate::document::brushes::BrushGroup;
use crate::dsp::transforms::rows::RowsParams;
use crate::playback::PlayerStatus;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{
    COMMANDS, Command, Facts, FileCommand, GROUPS, LayoutCommand, Menu, ToolCommand, WindowCommand,
};
use crate::workbench::{Acts, Documents, OpenDocument, Recent, Tool, ViewAct};
use egui::{Align, Button, Layout, RichText, Ui, vec2};

/// Draws the top bar: menus, tabs, the command finder, and buttons for theme and panels.
pub fn top(ui: &mut Ui, facts: &Facts, documents: &Documents, recent: &[Recent], acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::AUDIO_LINES, 18.0, palette.accent);
        ui.add_space(6.0);
        egui::MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 8.0;
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| menu_items(ui, facts, menu, recent, acts));
            }
            ui.add_space(8.0);
            widgets::bar_rule(ui);
            ui.scope(|ui| tabs::ui(ui, facts, documents, acts));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(8.0);
                widgets::command_icon(ui, facts, LayoutCommand::Panels, ButtonStyle::icon(28.0, 16.0), acts);
                let sign = if ui.visuals().dark_mode { icons::MOON } else { icons::SUN };
                let look = ButtonStyle { swap: Some(sign), ..ButtonStyle::icon(28.0, 16.0) };
                widgets::command_icon(ui, facts, WindowCommand::Theme, look, acts);
                finder(ui, acts);
            });
        });
    });
}

fn finder(ui: &mut Ui, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let spec = WindowCommand::Palette.row();
    let width = if ui.available_width() > 260.0 { 232.0 } else { 28.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, 24.0), egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, spec.name));
    let face = if response.hovered() { palette.hover } else { palette.field };
    ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    let left = rect.left_center() + vec2(14.0, 0.0);
    let painter = ui.painter();
    painter.text(left, egui::Align2::CENTER_CENTER, icons::SEARCH, theme::icons(14.0), palette.text_weak);
    if width > 100.0 {
        let at = rect.left_center() + vec2(28.0, 0.0);
        painter.text(at, egui::Align2::LEFT_CENTER, spec.name, theme::regular(theme::BODY), palette.text_weak);
        let key = spec.keys.first().map(ToString::to_string).unwrap_or_default();
        let at = rect.right_center() - vec2(8.0, 0.0);
        painter.text(at, egui::Align2::RIGHT_CENTER, key, theme::regular(theme::CAPTION), palette.text_weak);
    }
    if response.clicked() {
        acts.push(WindowCommand::Palette);
    }
    widgets::tooltip(response, WindowCommand::Palette, None);
}

/// Height in points that a menu leaves free for the bar above and its frame, so that it opens below its name.
const MENU_MARGIN: f32 = 64.0;
/// Height in points that a submenu leaves free; it may extend over the whole window.
const SUBMENU_MARGIN: f32 = 40.0;

fn menu_items(ui: &mut Ui, facts: &Facts, menu: Menu, recent: &[Recent], acts: &mut Acts) {
    scrolled(ui, MENU_MARGIN, |ui| menu_rows(ui, facts, menu, recent, acts));
}

/// A menu or a submenu, with a scroll bar in a short window.
fn scrolled(ui: &mut Ui, margin: f32, rows: impl FnOnce(&mut Ui)) {
    ui.set_min_width(220.0);
    let room = ui.ctx().content_rect().height() - margin;
    egui::ScrollArea::vertical().max_height(room).min_scrolled_height(room).show(ui, rows);
}

/// The commands of a menu, with separators between groups, and its submenus.
fn menu_rows(ui: &mut Ui, facts: &Facts, menu: Menu, recent: &[Recent], acts: &mut Acts) {
    let of_menu =
        COMMANDS.into_iter().zip(GROUPS).filter(|(command, _)| command.row().menu == menu && command.is_listed(facts));
    let (mine, groups): (Vec<Command>, Vec<usize>) = of_menu.unzip();
    let mut done: Vec<&str> = Vec::new();
    for (at, &command) in mine.iter().enumerate() {
        // A separator between groups; adjacent submenus count as one group.
        if at > 0
            && groups[at] != groups[at - 1]
            && (command.row().submenu.is_none() || mine[at - 1].row().submenu.is_none())
            && command.row().submenu.is_none_or(|name| !done.contains(&name))
        {
            ui.separator();
        }
        match command.row().submenu {
            None => _ = menu_item(ui, facts, command, acts),
            Some(name) if done.contains(&name) => {}
            Some(name) => {
                done.push(name);
                let within = mine.iter().copied().filter(|command| command.row().submenu == Some(name));
                ui.menu_button(name, |ui| {
                    scrolled(ui, SUBMENU_MARGIN, |ui| submenu_rows(ui, facts, within, recent, acts));
                });
            }
        }
    }
}

fn submenu_rows(
    ui: &mut Ui,
    facts: &Facts,
    commands: impl Iterator<Item = Command>,
    recent: &[Recent],
    acts: &mut Acts,
) {
    for command in commands {
        match command {
            // Entries without a recent file are skipped.
            Command::File(FileCommand::OpenRecent(i)) => {
                recent.get(i).into_iter().for_each(|recent| recent_item(ui, command, recent, acts));
            }
            _ => _ = menu_item(ui, facts, command, acts),
        }
    }
}

/// A menu item of a recent file, with its folder in the tooltip.
fn recent_item(ui: &mut Ui, command: Command, recent: &Recent, acts: &mut Acts) {
    let [name, folder] = recent.words();
    let response = ui.button(&name).on_hover_text(format!("{folder}, {}", recent.format));
    if response.clicked() {
        acts.push(command);
        ui.close();
    }
}

/// A menu item: a command with its key.
pub fn menu_item(ui: &mut Ui, facts: &Facts, command: Command, acts: &mut Acts) -> egui::Response {
    let row = command.row();
    let key = row.keys.first().map(ToString::to_string).unwrap_or_default();
    let enabled = row.enabled(facts);
    let palette = theme::palette(ui.ctx());
    let colour = if enabled.is_ok() { palette.text } else { palette.text_off };
    let name = command.menu_name(facts);
    let button = Button::new(RichText::new(&*name).color(colour)).shortcut_text(key);
    let response = ui.add_enabled(enabled.is_ok(), button).accessible_name(&*name);
    if response.clicked() {
        acts.push(command);
        ui.close();
    }
    let what = enabled.err().unwrap_or(row.what);
    response.on_hover_text(what).on_disabled_hover_text(what)
}

/// Total height of the bars above and below the toolbar.
const OTHER_BARS: f32 = 36.0 + 44.0 + 56.0 + 24.0;
/// Total height of the rules between groups of tools, with their margins, and of the top margin.
const TOOL_RULES: f32 = (N_GROUPS - 1) as f32 * 5.0 + 4.0;
/// Number of groups of tools: selection, the groups of brushes, and the others.
const N_GROUPS: usize = BrushGroup::ALL.len() + 2;
/// Height of a group's name.
const GROUP_NAME: f32 = 15.0;
/// Minimum and default height of a tool.
const TOOL_HEIGHTS: [f32; 2] = [24.0, 32.0];
/// Width of a tool with up to two columns, and with more.
const TOOL_WIDTHS: [f32; 2] = [36.0, 28.0];
const MAX_COLUMNS: usize = 6;

/// Layout of the toolbar.
struct ToolGrid {
    /// Size of each button.
    size: egui::Vec2,
    n_columns: usize,
    /// Whether there is room for the names of groups.
    has_names: bool,
}

impl ToolGrid {
    /// The layout with the fewest columns that show all tools. Names of groups are shown with up to two columns.
    fn of(ctx: &egui::Context) -> ToolGrid {
        let room = ctx.content_rect().height() - OTHER_BARS - TOOL_RULES;
        let [min, usual] = TOOL_HEIGHTS;
        // Each group starts a new row.
        let groups = tool_groups();
        let n_rows = |columns: usize| groups.iter().map(|(_, group)| group.len().div_ceil(columns)).sum::<usize>();
        let fitting = |columns: usize, names: f32| (room - names) / n_rows(columns) as f32;
        let names = GROUP_NAME * N_GROUPS as f32;
        let named = (1..=2).find(|&columns| fitting(columns, names) >= min);
        let bare = || (1..MAX_COLUMNS).find(|&columns| fitting(columns, 0.0) >= min).unwrap_or(MAX_COLUMNS);
        let (n_columns, names) = named.map_or_else(|| (bare(), 0.0), |columns| (columns, names));
        let width = TOOL_WIDTHS[usize::from(n_columns > 2)];
        let size = vec2(width, fitting(n_columns, names).clamp(min, usual));
        ToolGrid { size, n_columns, has_names: named.is_some() }
    }
}

/// The groups of tools with their names, from top to bottom.
fn tool_groups() -> [(&'static str, Vec<Tool>); N_GROUPS] {
    let group_of = |tool: Tool| match tool {
        Tool::Brush(brush) => brush.row().group.name(),
        tool if tool.selects() => "Select",
        _ => "More",
    };
    let mut names = std::iter::once("Select").chain(BrushGroup::ALL.map(BrushGroup::name)).chain(["More"]);
    let mut groups = std::array::from_fn(|_| (names.next().unwrap_or("More"), Vec::new()));
    for tool in Tool::ALL {
        let name = group_of(tool);
        groups.iter_mut().filter(|(group, _)| *group == name).for_each(|(_, tools)| tools.push(tool));
    }
    groups
}

/// Width of the toolbar.
pub fn tools_width(ctx: &egui::Context) -> f32 {
    let grid = ToolGrid::of(ctx);
    12.0 + grid.size.x * grid.n_columns as f32
}

/// Draws the toolbar: icon buttons in groups, with rules between them.
pub fn tools(ui: &mut Ui, facts: &Facts, active: Tool, acts: &mut Acts) {
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ui.add_space(4.0);
    // Scrolls in a short window, so that all tools can be reached.
    let bars = egui::scroll_area::ScrollBarVisibility::AlwaysHidden;
    let scroll = egui::ScrollArea::vertical().scroll_bar_visibility(bars);
    let scrolled = scroll.show(ui, |ui| tool_buttons(ui, facts, active, acts));
    let (column, offset) = (scrolled.inner_rect, scrolled.state.clamped_offset().y);
    if offset > 1.0 {
        more_tools(ui, column.center_top() + vec2(0.0, 6.0), -1.0);
    }
    if offset + column.height() < scrolled.content_size.y - 1.0 {
        more_tools(ui, column.center_bottom() - vec2(0.0, 6.0), 1.0);
    }
}

/// An arrow that indicates more tools: above with `way` -1, below with 1.
fn more_tools(ui: &Ui, at: egui::Pos2, way: f32) {
    let palette = theme::palette(ui.ctx());
    ui.painter().rect_filled(egui::Rect::from_center_size(at, vec2(ui.available_width(), 12.0)), 0.0, palette.panel);
    let line = [-1.0, 0.0, 1.0].map(|x: f32| at + vec2(5.0 * x, way * (2.0 - 4.0 * x.abs())));
    ui.painter().add(egui::Shape::line(line.to_vec(), egui::Stroke::new(1.5, palette.text)));
}

fn tool_buttons(ui: &mut Ui, facts: &Facts, active: Tool, acts: &mut Acts) {
    let grid = ToolGrid::of(ui.ctx());
    let palette = theme::palette(ui.ctx());
    // Sets the height of a row to that of its tools; the default is that of a text field.
    ui.spacing_mut().interact_size.y = grid.size.y;
    for (at, (name, group)) in tool_groups().into_iter().enumerate() {
        if at > 0 {
            ui.add_space(2.0);
            widgets::rule(ui);
            ui.add_space(2.0);
        }
        if grid.has_names {
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), GROUP_NAME), egui::Sense::hover());
            let spoken = format!("{name} tools");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &spoken));
            let font = theme::regular(theme::CAPTION);
            ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, name, font, palette.text_weak);
        }
        for row in group.chunks(grid.n_columns) {
            ui.horizontal(|ui| {
                ui.add_space(6.0);
                row.iter().for_each(|&tool| tool_button(ui, facts, (tool, tool == active), grid.size, acts));
            });
        }
    }
}

fn tool_button(ui: &mut Ui, facts: &Facts, (tool, is_active): (Tool, bool), size: egui::Vec2, acts: &mut Acts) {
    let tip_after = Some(ui.clip_rect().right());
    let look = ButtonStyle { size, has_bar: true, tip_after, ..ButtonStyle::icon(30.0, 17.0) };
    let button = widgets::command_icon(ui, facts, ToolCommand::Pick(tool), look.on(is_active), acts);
    // Scrolls a tool chosen by its key into view.
    let seen = egui::Id::unique("tool in view");
    if is_active && ui.data(|data| data.get_temp(seen) != Some(tool)) {
        button.scroll_to_me(None);
        ui.data_mut(|data| data.insert_temp(seen, tool));
    }
}

/// Contents of the status line.
pub struct Status<'a> {
    /// The document in front.
    pub document: Option<&'a OpenDocument>,
    /// The current tool.
    pub tool: Tool,
    /// The reason why the tool cannot paint, or a preview has no result.
    pub refusal: Option<String>,
    /// Whether to offer the bass view.
    pub offers_bass: bool,
    /// State of playback.
    pub player: &'a PlayerStatus,
    /// Whether the profiler is shown.
    pub is_profiling: bool,
    /// The engine, figures of graphics, and where the last edit was computed; and the reason for the engine.
    pub engine: Option<(String, &'a str)>,
    /// Text of the typing keyboard while it is on, or the source of the clone brush.
    pub typing: Option<String>,
    /// Text during a recording, such as `Recording 0:12.345`.
    pub recording: Option<String>,
    /// Work in progress, such as `Opening, 62 %`.
    pub work: Option<String>,
    /// Number of notices that don't fit on the canvas.
    pub n_hidden_notices: usize,
}

/// Gestures and keys of a tool, as a hint.
fn hint(tool: Tool) -> &'static str {
    match tool {
        Tool::Label => "Drag: draw a label    1 to 9: class    N: snap    Esc: lay down    F1: shortcuts",
        Tool::Hand => "Drag: move the view    Wheel: zoom    F1: shortcuts",
        Tool::WARP => "Drag: push the sound    [ ]: size    { }: hardness    Esc: cancel stroke    F1: shortcuts",
        tool if tool.is_brush() && !tool.is_shaped() => {
            "Drag: draw a note    Click: a short one    N: snap to notes    Esc: cancel stroke    F1: shortcuts"
        }
        tool if tool.is_brush() => "Drag: paint    [ ]: size    { }: hardness    Esc: cancel stroke    F1: shortcuts",
        Tool::Wand | Tool::SelectHarmonics => {
            "Click: select    Shift: add    Ctrl: subtract    Esc: cancel    F1: shortcuts"
        }
        _ => "Drag: select    Shift: add    Ctrl: subtract    Click: clear    Esc: cancel    F1: shortcuts",
    }
}

/// Gestures and keys that are currently useful, as a hint.
fn hint_of(status: &Status<'_>) -> &'static str {
    match status.document {
        Some(document) if document.floating().is_some() => {
            "Drag: move    Arrows: step    Enter or click outside: place    Esc: discard    F1: shortcuts"
        }
        Some(document) if document.open_preview().is_some() => {
            "Space: loop    B: before    D: difference    Enter: apply    Esc: cancel    F1: shortcuts"
        }
        Some(_) => hint(status.tool),
        None => "Drop files anywhere in this window.",
    }
}

/// Work in progress, else the reason why nothing can be painted, else typing or the bass offer, else a hint.
fn work_or_hint(ui: &mut Ui, status: &Status<'_>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let caption = |text: &str| RichText::new(text).size(theme::CAPTION).color(palette.text_weak);
    let button = |text: &str| Button::new(caption(text)).small().min_size(vec2(24.0, 24.0));
    if let Some(work) = &status.work {
        ui.label(caption(work));
        if ui.add(button("Cancel (Esc)")).accessible_name("Cancel the work in progress").clicked() {
            acts.push(WindowCommand::Cancel);
        }
    } else if let Some(why) = &status.refusal {
        ui.label(RichText::new(why).size(theme::CAPTION).color(palette.warning));
    } else if let Some(typing) = &status.typing {
        ui.label(caption(typing));
    } else if status.offers_bass {
        ui.label(caption("Bins here are wider than a semitone."));
        let bass = ui.add(button("Bass view")).on_hover_text("Switches to rows that tell bass notes apart.");
        if bass.clicked() {
            acts.push(ViewAct::Transform(RowsParams::bass().into()));
        }
    } else if ui.ctx().content_rect().width() >= 1240.0 {
        ui.label(caption(hint_of(status)));
    }
}

/// Draws the status line: work in progress at the left, figures at the right.
pub fn status(ui: &mut Ui, status: &Status<'_>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let caption = |text: String| RichText::new(text).size(theme::CAPTION).color(palette.text_weak);
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        if let Some(recording) = &status.recording {
            ui.label(RichText::new(recording).size(theme::CAPTION).color(palette.danger));
            let button = Button::new(caption("Stop".into())).small().min_size(vec2(24.0, 24.0));
            if ui.add(button).accessible_name("Stop the recording").clicked() {
                acts.push(FileCommand::StopRecording);
            }
        }
        work_or_hint(ui, status, acts);
        if status.n_hidden_notices > 0 {
            let n = status.n_hidden_notices;
            ui.label(caption(format!("{n} more notice{}", if n == 1 { "" } else { "s" })));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(14.0);
            let n = status.player.underruns;
            // Zero underruns are shown only with the profiler.
            if n > 0 || status.is_profiling {
                let label = ui.label(caption(format!("{n} underrun{}", if n == 1 { "" } else { "s" })));
                label.on_hover_text("Gaps in playback. A larger buffer helps: press F8.");
                let (dot, _) = ui.allocate_exact_size(vec2(6.0, 6.0), egui::Sense::hover());
                ui.painter().circle_filled(dot.center(), 3.0, if n == 0 { palette.ok } else { palette.warning });
                widgets::bar_rule(ui);
            }
            let mut figures = Vec::new();
            if let Some(document) = status.document {
                let info = document.history().original().source().info();
                figures.push(khz_from_hz(f64::from(info.sample_rate_hz)));
                figures.push(match info.n_channels {
                    1 => "Mono".into(),
                    2 => "Stereo".into(),
                    n => format!("{n} channels"),
                });
                figures.push(info.description.clone());
            }
            if let Some((engine, why)) = &status.engine {
                ui.add(egui::Label::new(caption(engine.clone())).truncate()).on_hover_text(*why);
                widgets::bar_rule(ui);
            }
            figures.push(match &status.player.device {
                Some(device) => format!("Output: {device}"),
                None => "Audio idle".into(),
            });
            for (at, figure) in figures.into_iter().rev().enumerate() {
                // Figures without room beside the text at the left are omitted.
                if ui.available_width() < overflow::text_width(ui, &figure) + 34.0 {
                    break;
                }
                if at > 0 {
                    widgets::bar_rule(ui);
                }
                ui.label(caption(figure));
            }
        });
    });
}
