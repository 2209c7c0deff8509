//! The context menu of a row, opened by a right click or Shift+F10.

use super::context::LibraryContext;
use crate::studio::bars;
use crate::workbench::commands::BrowseCommand;
use crate::workbench::{Act, Acts, LibraryAct, NoticeAct};
use egui::{Button, Key, Modifiers, Popup, Response, SetOpenCommand, Ui};

/// Whether a key opens the menu of the current row.
pub fn is_requested(ui: &Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::F10))
}

/// Draws the menu of a row while it is open. `asks` opens it below the row.
pub fn ui(row: &Response, asks: bool, context: LibraryContext<'_>, at: usize, acts: &mut Acts) {
    if row.secondary_clicked() {
        acts.push(LibraryAct::Choose { at, is_audible: false });
    }
    let popup = Popup::context_menu(row);
    // egui remembers a pointer position only for a menu opened by a click.
    let is_by_key = asks || popup.is_open() && Popup::position_of_id(&row.ctx, popup.get_id()).is_none();
    let popup = if is_by_key && !row.secondary_clicked() { popup.at_position(row.rect.left_bottom()) } else { popup };
    let popup = if asks { popup.open_memory(Some(SetOpenCommand::Bool(true))) } else { popup };
    popup.show(|ui| {
        item(ui, "Play", LibraryAct::Choose { at, is_audible: true }, acts);
        item(ui, "Open", LibraryAct::Open, acts);
        item(ui, "Open similar to this", BrowseCommand::SimilarToSound, acts);
        _ = bars::menu_item(ui, context.facts, BrowseCommand::Paste.into(), acts);
        let row = context.browser.entries().get(at).and_then(|entry| context.browser.row(entry.id));
        if let Some(folder) = row.and_then(|row| row.path.parent()) {
            item(ui, "Show in folder", NoticeAct::ShowFolder(folder.to_owned()), acts);
        }
    });
}

fn item(ui: &mut Ui, words: &str, act: impl Into<Act>, acts: &mut Acts) {
    if ui.add(Button::new(words)).clicked() {
        acts.push(act);
        ui.close();
    }
}
