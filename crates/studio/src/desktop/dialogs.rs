//! File dialogs of the system, through rfd.

use crate::base::{Error, ErrorKind, Result, shown_path};
use crate::media::AUDIO_EXTENSIONS;
use crate::workbench::{Dialogs, FileDialog, Picked};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Shows the system's dialogs.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDialogs;

/// Minimum time until a user closes a dialog. A faster answer means that none opened: without a portal or zenity, rfd
/// returns no file at once.
const MIN_DIALOG_TIME: Duration = Duration::from_millis(500);

/// Whether the system can show dialogs: on Linux, through a portal on the session bus or through zenity.
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

/// File extensions of projects.
const PROJECT_EXTENSIONS: [&str; 1] = ["sonobrush"];

/// File extensions of pictures to be turned into sound.
const PICTURE_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "exr"];

/// File extensions of pictures whose pixels are cells.
const CELLS_EXTENSIONS: [&str; 2] = ["exr", "png"];

/// File extensions of label files, which determine the format.
const LABEL_EXTENSIONS: [&str; 8] = ["csv", "txt", "selections.txt", "TextGrid", "srt", "vtt", "tsv", "csv.txt"];

/// Common file extensions of scores.
const SCORE_EXTENSIONS: [&str; 3] = ["mid", "midi", "json"];

impl Dialogs for SystemDialogs {
    fn ask(&self, dialog: &FileDialog) -> Picked {
        match dialog {
            FileDialog::Open => {
                let all = [&AUDIO_EXTENSIONS[..], &PROJECT_EXTENSIONS, &SCORE_EXTENSIONS, &PICTURE_EXTENSIONS].concat();
                let kinds = [("Sounds, projects, notes and pictures", &*all), ("Projects", &PROJECT_EXTENSIONS)];
                open("Open a sound or a project", &kinds)
            }
            FileDialog::OpenPicture => open("Open a picture as sound", &[("Pictures", &PICTURE_EXTENSIONS)]),
            FileDialog::OpenCells => open("Open edited cells", &[("Pictures of cells", &CELLS_EXTENSIONS)]),
            FileDialog::Folder => shown(|| rfd::FileDialog::new().set_title("Add a folder of sounds").pick_folder()),
            FileDialog::Export(suggested) => {
                save("Export", ("WAV, FLAC, MP3 or Opus", &["wav", "flac", "mp3", "opus"]), suggested)
            }
            FileDialog::SaveProject(suggested) => {
                save("Save the project", ("Sonobrush project", &PROJECT_EXTENSIONS), suggested)
            }
            FileDialog::SaveCells(suggested) => {
                save("Save cells for editing", ("OpenEXR, or a pair of PNG files", &CELLS_EXTENSIONS), suggested)
            }
            FileDialog::SavePicture(suggested) => save("Save picture", ("PNG", &["png"]), suggested),
            FileDialog::OutputFolder => {
                shown(|| rfd::FileDialog::new().set_title("Choose a folder for the outputs").pick_folder())
            }
            FileDialog::OpenScript => open("Choose a script", &[("Scripts", &["json"])]),
            FileDialog::OpenLabels => open("Import labels", &[("Labels", &LABEL_EXTENSIONS)]),
            FileDialog::SaveLabels(suggested) => save("Export labels", ("Labels", &LABEL_EXTENSIONS), suggested),
            FileDialog::SavePitch(suggested) => save("Save pitch line", ("Tables", &["csv"]), suggested),
            FileDialog::SaveMeasurements(suggested) => {
                save("Save measurements", ("Tables", &["csv", "parquet"]), suggested)
            }
        }
    }

    fn show_folder(&self, folder: &Path) -> Result<()> {
        let mut command = Command::new(FILE_MANAGER);
        command.arg(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let why = match command.status() {
            // The file manager of Windows exits with 1 even on success.
            Ok(status) if status.success() || cfg!(windows) => return Ok(()),
            Ok(_) => format!("{FILE_MANAGER} found no file manager"),
            Err(error) => format!("{FILE_MANAGER} could not be started ({error})"),
        };
        Err(Error::new(ErrorKind::Io, format!("{why}; open {} by hand", shown_path(folder))))
    }
}

/// The command that opens a folder in the user's file manager.
const FILE_MANAGER: &str = match std::env::consts::OS.as_bytes() {
    b"macos" => "open",
    b"windows" => "explorer",
    _ => "xdg-open",
};

/// A filter of a file dialog: the name of a file type, and its extensions.
type Kind<'a> = (&'a str, &'a [&'a str]);

fn open(title: &str, kinds: &[Kind]) -> Picked {
    let dialog = rfd::FileDialog::new().set_title(title);
    let dialog = kinds.iter().fold(dialog, |dialog, (name, endings)| dialog.add_filter(*name, endings));
    shown(|| dialog.add_filter("All files", &["*"]).pick_file())
}

fn save(title: &str, (name, endings): Kind, suggested: &Path) -> Picked {
    let mut dialog = rfd::FileDialog::new().set_title(title).add_filter(name, endings);
    if let Some(folder) = std::path::absolute(suggested).ok().as_deref().and_then(Path::parent) {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = suggested.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    shown(|| dialog.save_file())
}

fn shown(dialog: impl FnOnce() -> Option<PathBuf>) -> Picked {
    let requested_at = Instant::now();
    match dialog() {
        Some(path) => Picked::File(path),
        None if requested_at.elapsed() < MIN_DIALOG_TIME || !has_dialogs() => Picked::Unavailable,
        None => Picked::Cancelled,
    }
}
