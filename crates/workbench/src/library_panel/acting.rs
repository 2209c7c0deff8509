//! Performs commands and acts of the library panel.
#![deny(clippy::wildcard_enum_match_arm)]

use super::browser::Browser;
use super::entries::LibraryMode;
use super::folders::FolderEdit;
use super::loaded_sound::PasteAt;
use crate::base::{Error, ErrorKind};
use crate::bench::acts::{FileAct, LibraryAct};
use crate::bench::context::Context;
use crate::bench::limits::{PLACE_HZ, are_finite, held};
use crate::commands::BrowseCommand;
use crate::devices::monitor::PlaybackMonitor;
use crate::files::{Purpose, Question};
use crate::library::store::LibraryPlace;

/// Performs a command of the library panel.
pub fn perform_browse(command: BrowseCommand, browser: &mut Browser, context: &mut Context) {
    match command {
        BrowseCommand::All => show(LibraryMode::All, browser, context),
        BrowseCommand::Similar => {
            browser.alike.begin(None);
            show(LibraryMode::Similar, browser, context);
        }
        BrowseCommand::SimilarToSound => {
            browser.alike.begin(browser.chosen().map(|(_, id)| id));
            show(LibraryMode::Similar, browser, context);
        }
        BrowseCommand::Donors => {
            browser.alike.begin_around();
            show(LibraryMode::Similar, browser, context);
        }
        BrowseCommand::Fill => browser.fit(false, context),
        BrowseCommand::Clone => browser.fit(true, context),
        BrowseCommand::Duplicates => show(LibraryMode::Duplicates, browser, context),
        BrowseCommand::Paste => {
            let at_secs = context.documents.active().map(|document| document.cursor_secs());
            if let Some((at_secs, (_, id))) = at_secs.zip(browser.chosen()) {
                browser.paste(id, [at_secs, f64::NAN], context);
            }
        }
        BrowseCommand::Folders => {
            context.remembered.layout.show_library();
            browser.folders.toggle();
        }
        BrowseCommand::AddFolder => context.order(FileAct::PickLibraryFolder),
        BrowseCommand::AddFolderPath => {
            context.ask(Question::Path { purpose: Purpose::AddFolder, text: String::new(), replaces: None });
        }
        BrowseCommand::Pause => browser.adding.pause(!browser.added().is_paused),
        BrowseCommand::Retry => browser.adding.retry(),
        BrowseCommand::MatchLoudness => browser.set_matched(!browser.is_matched()),
    }
}

fn show(mode: LibraryMode, browser: &mut Browser, context: &mut Context) {
    context.remembered.layout.show_library();
    browser.set_mode(mode, context);
}

impl Browser {
    /// Performs an act of the library panel.
    pub fn act(&mut self, act: LibraryAct, monitor: &mut PlaybackMonitor, context: &mut Context) {
        match act {
            LibraryAct::Use(path) => self.use_place(LibraryPlace::new(&context.folders, Some(&path))),
            LibraryAct::Add(folders) => {
                context.remembered.layout.show_library();
                self.adding.add(folders);
            }
            LibraryAct::WatchFolder { id, is_watched } => self.folders.edit(FolderEdit::Watch { id, is_watched }),
            LibraryAct::RemoveFolder(path) => self.folders.edit(FolderEdit::Remove(path)),
            LibraryAct::Find(query) => self.set_query(query, context),
            LibraryAct::See { first, n } => self.see(first..first.saturating_add(n)),
            LibraryAct::Choose { at, is_audible } => {
                if let Some(id) = self.choose(at).filter(|_| is_audible) {
                    self.taking.set_sound(id, self.is_matched(), &self.place, context);
                }
            }
            LibraryAct::Quiet => {
                self.taking.quieten();
                monitor.end_library_sound();
            }
            LibraryAct::Open if self.is_filling() => {
                let is_selected = context.documents.active().is_some_and(|document| document.selection().is_some());
                self.fit(!is_selected, context);
            }
            LibraryAct::Open => {
                let row = self.chosen().and_then(|(_, id)| self.row(id));
                if let Some(path) = row.map(|row| row.path.clone()) {
                    context.order(FileAct::Open(vec![path]));
                }
            }
            LibraryAct::Paste { id, at } => self.paste(id, at, context),
            LibraryAct::Dials(dials) => self.alike.set_dials(dials),
            LibraryAct::NullTest(ids) => self.test_null(ids, context),
        }
    }

    /// Loads a sound to float over the document in front, starting at `secs`. Transposed to `hz`, unless `hz` is not
    /// finite or the sound has no pitch.
    fn paste(&mut self, id: i64, [secs, hz]: [f64; 2], context: &mut Context) {
        let Some(document) = context.documents.active().filter(|_| are_finite(&[secs])) else { return };
        if document.is_reading() {
            let what = "the file in front is still being read; paste when it is complete";
            return context.fail("paste the sound", &Error::new(ErrorKind::Unsupported, what));
        }
        let secs = held(secs, [0.0, document.duration_secs()], 0.0);
        let hz = hz.is_finite().then(|| held(hz, PLACE_HZ, PLACE_HZ[0]));
        self.taking.paste(id, PasteAt { document: document.id(), secs, hz }, &self.place, context);
    }

    /// Fills the selection from the current sound, or makes that sound the clone brush's source.
    fn fit(&mut self, is_for_brush: bool, context: &Context) {
        if let Some((_, id)) = self.chosen() {
            self.donors.fit(id, is_for_brush, &self.place, context);
        }
    }
}
