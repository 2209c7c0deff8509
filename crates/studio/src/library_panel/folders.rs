//! The folders of the library: watching, removing, adding; files that could not be analysed, with the reason.

use super::context::LibraryContext;
use crate::base::{number, shown_path};
use crate::studio::widgets::theme;
use crate::studio::widgets::{self, ButtonStyle};
use crate::workbench::commands::BrowseCommand;
use crate::workbench::commands::table::icons;
use crate::workbench::{Acts, FolderList, LibraryAct, LibraryFolder};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Response, RichText, Role, ScrollArea, Sense, Ui, Vec2, WidgetInfo, vec2};

const ROW: f32 = 24.0;
/// Maximum height of the list in points; a longer one scrolls.
const MAX_HEIGHT: f32 = 240.0;

/// The rows of folders, with the id of the one about to be removed.
#[derive(Default)]
pub struct FolderRows {
    removing: Option<i64>,
}

impl FolderRows {
    /// Draws nothing if the folders are hidden.
    pub fn ui(&mut self, ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
        let Some(list) = context.browser.folders() else { return };
        ScrollArea::vertical().id_salt("folders of the library").max_height(MAX_HEIGHT).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for folder in &list.folders {
                if self.removing == Some(folder.id) {
                    self.question(ui, folder, acts);
                } else {
                    self.folder(ui, folder, acts);
                }
            }
            failures(ui, context, list, acts);
        });
    }

    /// Watch button, name, number of files, and the button that removes it.
    fn folder(&mut self, ui: &mut Ui, folder: &LibraryFolder, acts: &mut Acts) {
        let palette = theme::palette(ui.ctx());
        let path = shown_path(&folder.path);
        let name = folder.path.file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let watch = button(ui, icons::FOLDER_SYNC, &format!("Watch {name}"), folder.is_watched);
            if watch.clicked() {
                acts.push(LibraryAct::WatchFolder { id: folder.id, is_watched: !folder.is_watched });
            }
            watch.on_hover_text(match folder.is_watched {
                true => "Watched: what is new in it is added while the studio is open. Click to stop.",
                false => "Not watched. Click to add what is new in it while the studio is open.",
            });
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width() - ROW - 4.0, ROW), Sense::hover());
            let files = match folder.n_files {
                1 => "1 file".to_owned(),
                n => format!("{} files", number(n as f64, 0)),
            };
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name}, {files}")));
            let painter = ui.painter();
            let font = theme::regular(theme::CAPTION);
            let right = painter.text(rect.right_center(), Align2::RIGHT_CENTER, files, font, palette.text_weak).left();
            let font = theme::regular(theme::BODY);
            let mut job = LayoutJob::simple_singleline(name.clone(), font, palette.text);
            job.wrap = TextWrapping::truncate_at_width((right - 8.0 - rect.left()).max(0.0));
            let galley = painter.layout_job(job);
            painter.galley(rect.left_center() - vec2(0.0, galley.size().y / 2.0), galley, palette.text);
            response.on_hover_text(path);
            let remove = button(ui, icons::X, &format!("Remove {name}"), false);
            if remove.clicked() {
                self.removing = Some(folder.id);
            }
            remove.on_hover_text("Takes the folder out of the library; its files stay as they are.");
        });
    }

    /// A question in place of a folder, as analysing it again may take hours.
    fn question(&mut self, ui: &mut Ui, folder: &LibraryFolder, acts: &mut Acts) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let colour = theme::palette(ui.ctx()).text;
            ui.label(RichText::new("Forget what is known of it?").size(theme::CAPTION).color(colour));
            let [forget, keep] =
                ["Forget", "Keep"].map(|word| ui.add(egui::Button::new(word).min_size(vec2(0.0, ROW))).clicked());
            if forget {
                acts.push(LibraryAct::RemoveFolder(folder.path.clone()));
            }
            if forget || keep {
                self.removing = None;
            }
        });
    }
}

/// Files that could not be analysed, each with the reason, and a button to retry.
fn failures(ui: &mut Ui, context: LibraryContext<'_>, list: &FolderList, acts: &mut Acts) {
    let n = list.n_failed();
    if n == 0 {
        return;
    }
    let palette = theme::palette(ui.ctx());
    let words = match n {
        1 => "1 file could not be analysed".to_owned(),
        n => format!("{} files could not be analysed", number(n as f64, 0)),
    };
    ui.horizontal(|ui| {
        if !context.browser.added().is_running {
            widgets::command_icon(ui, context.facts, BrowseCommand::Retry, ButtonStyle::icon(ROW, 14.0), acts);
        }
        ui.label(RichText::new(words).size(theme::CAPTION).color(palette.danger));
    });
    for failure in &list.failures {
        let name = failure.path.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = RichText::new(format!("{name}: {}", failure.error)).size(theme::CAPTION).color(palette.text_weak);
        ui.add(egui::Label::new(text).truncate()).on_hover_text(format!("{}: {}", failure.path, failure.error));
    }
}

/// A toggle button with an icon.
fn button(ui: &mut Ui, icon: char, name: &str, is_on: bool) -> Response {
    let palette = theme::palette(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(ROW), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_on, name));
    widgets::face(ui, rect, &response, is_on.then_some(palette.accent_soft));
    let colour = if is_on { palette.accent } else { palette.text };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icons(14.0), colour);
    response
}
