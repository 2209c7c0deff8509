//! The file dialogs of the system.

use crate::media::AUDIO_EXTENSIONS;
use crate::workbench::{Dialogs, Picked};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The dialogs of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDialogs;

/// Nobody closes a dialog faster than this: no answer within it means that there was none to close. rfd tells no more
/// than "no file" when neither a portal nor zenity is there.
const LEAST_DIALOG_TIME: Duration = Duration::from_millis(500);

impl SystemDialogs {
    fn ask(dialog: impl FnOnce() -> Option<PathBuf>) -> Picked {
        let asked_at = Instant::now();
        match dialog() {
            Some(path) => Picked::File(path),
            None if asked_at.elapsed() < LEAST_DIALOG_TIME || !has_dialogs() => Picked::Unavailable,
            None => Picked::Cancelled,
        }
    }
}

/// Whether anything could have shown a dialog: on Linux, a session bus for the portal or zenity.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let has_zenity = std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file());
    has_zenity
        || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}

/// What projects end in.
const PROJECT_EXTENSIONS: [&str; 1] = ["sonobrush"];

/// What pictures that become sound end in.
const PICTURE_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "exr"];

/// What pictures of cells end in.
const CELLS_EXTENSIONS: [&str; 2] = ["exr", "png"];

/// What scores end in, usually.
const SCORE_EXTENSIONS: [&str; 3] = ["mid", "midi", "json"];

impl Dialogs for SystemDialogs {
    fn open(&self) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Open a sound or a project");
        let all = [&AUDIO_EXTENSIONS[..], &PROJECT_EXTENSIONS, &SCORE_EXTENSIONS, &PICTURE_EXTENSIONS].concat();
        let dialog =
            dialog.add_filter("Sounds, projects, notes and pictures", &all).add_filter("Projects", &PROJECT_EXTENSIONS);
        SystemDialogs::ask(|| dialog.add_filter("All files", &["*"]).pick_file())
    }

    fn open_picture(&self) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Open a picture as sound");
        let dialog = dialog.add_filter("Pictures", &PICTURE_EXTENSIONS);
        SystemDialogs::ask(|| dialog.add_filter("All files", &["*"]).pick_file())
    }

    fn folder(&self) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Add a folder of sounds");
        SystemDialogs::ask(|| dialog.pick_folder())
    }

    fn open_cells(&self) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Open a picture as cells");
        let dialog = dialog.add_filter("Pictures of cells", &CELLS_EXTENSIONS);
        SystemDialogs::ask(|| dialog.add_filter("All files", &["*"]).pick_file())
    }

    fn save_picture(&self, folder: &Path, name: &str) -> Picked {
        let is_figure = name.ends_with(".png");
        let (title, kind) = if is_figure {
            ("Save picture with axes", ("PNG", "png"))
        } else {
            ("Save as picture", ("OpenEXR", "exr"))
        };
        let dialog = rfd::FileDialog::new().set_title(title).add_filter(kind.0, &[kind.1]);
        SystemDialogs::ask(|| dialog.set_directory(folder).set_file_name(name).save_file())
    }

    fn save(&self, folder: &Path, name: &str) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Export").add_filter("WAV or FLAC", &["wav", "flac"]);
        SystemDialogs::ask(|| dialog.set_directory(folder).set_file_name(name).save_file())
    }

    fn save_project(&self, folder: &Path, name: &str) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Save the project");
        let dialog = dialog.add_filter("Sonobrush project", &PROJECT_EXTENSIONS);
        SystemDialogs::ask(|| dialog.set_directory(folder).set_file_name(name).save_file())
    }
}
