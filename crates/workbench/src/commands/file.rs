//! Commands of files and projects.

use super::Menu;
use super::Need::{AnyRecent, Document, Labels, Recent, Recording, SaveBack, WholeSound};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift};
use super::table::row::rows;

/// A command that creates, opens, records, saves, exports or closes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum FileCommand {
    New,
    Open,
    OpenPath,
    OpenPicture,
    Record,
    StopRecording,
    /// Index in the list of recent files; 0 is the most recent.
    OpenRecent(usize),
    ForgetRecent,
    OpenDemo,
    SaveProject,
    SaveProjectAs,
    SaveBack,
    Export,
    ExportByLabel,
    SavePicture,
    SavePitch,
    SaveCells,
    OpenCells,
    Resample,
    RunOnFiles,
    Close,
    Quit,
}

/// Number of recent files, each with a command.
pub const N_RECENT: usize = FileCommand::RECENT.len();

const REOPEN: &str = "Reopens a recent file; 1 is the most recent.";

rows! { FileCommand:
    OPENING in (Menu::File) {
        New => row("new", "New canvas\u{2026}", "Creates an empty sound to paint and paste into.", &[])
            .keys(&[ctrl('N')]).icon(icons::SQUARE),
        Open => row("open", "Open\u{2026}", "Opens a sound file or project.", &[])
            .keys(&[ctrl('O')]).icon(icons::FOLDER_OPEN),
        OpenPath => row("open_path", "Open by path\u{2026}",
            "Opens a file by its path, without the system's file dialog.", &[])
            .keys(&[ctrl_shift('O')]).icon(icons::FILE_AUDIO),
        OpenPicture => row("open_picture", "Open picture as sound\u{2026}",
            "Lays a picture (PNG, JPEG, OpenEXR) over the sound, or over a new canvas; bright pixels are loud.", &[])
            .icon(icons::MAXIMIZE),
        Record => row("record", "Record\u{2026}", "Records from an input into a new document.", &[])
            .keys(&[ctrl('R')]).icon(icons::HEADPHONES),
        StopRecording => row("stop_recording", "Stop recording", "Stops recording and opens what was recorded.",
            &[Recording]).icon(icons::SQUARE),
    }
    RECENT in (Menu::File, "Open recent") {
        OpenRecent(0) => row("open_recent_1", "Recent file 1", REOPEN, &[Recent(0)]).icon(icons::FILE_AUDIO),
        OpenRecent(1) => row("open_recent_2", "Recent file 2", REOPEN, &[Recent(1)]).icon(icons::FILE_AUDIO),
        OpenRecent(2) => row("open_recent_3", "Recent file 3", REOPEN, &[Recent(2)]).icon(icons::FILE_AUDIO),
        OpenRecent(3) => row("open_recent_4", "Recent file 4", REOPEN, &[Recent(3)]).icon(icons::FILE_AUDIO),
        OpenRecent(4) => row("open_recent_5", "Recent file 5", REOPEN, &[Recent(4)]).icon(icons::FILE_AUDIO),
        OpenRecent(5) => row("open_recent_6", "Recent file 6", REOPEN, &[Recent(5)]).icon(icons::FILE_AUDIO),
        OpenRecent(6) => row("open_recent_7", "Recent file 7", REOPEN, &[Recent(6)]).icon(icons::FILE_AUDIO),
        OpenRecent(7) | OpenRecent(8..) => row("open_recent_8", "Recent file 8", REOPEN, &[Recent(7)])
            .icon(icons::FILE_AUDIO),
    }
    FORGET in (Menu::File, "Open recent") {
        ForgetRecent => row("forget_recent", "Clear recent files",
            "Clears the list; the files are not deleted.", &[AnyRecent]),
    }
    FILES in (Menu::File) {
        OpenDemo => row("open_demo", "Open demo clip",
            "Guitar chord, 10 s, stereo. Erase one partial of a string with one stroke.", &[])
            .icon(icons::AUDIO_WAVEFORM),
        SaveProject => row("save_project", "Save project",
            "Saves the sound and every edit as a project, undo included.", &[Document]).keys(&[ctrl('S')]),
        SaveProjectAs => row("save_project_as", "Save project as\u{2026}", "Saves the project under another \
                                                                            name.", &[Document])
            .keys(&[ctrl_shift('S')]),
        SaveBack => row("save_back", "Save back to file",
            "Writes the sound over the file that it was opened from; the original is kept beside it, once.",
            &[Document, SaveBack, WholeSound]).icon(icons::DOWNLOAD),
        Export => row("export", "Export\u{2026}",
            "Writes a new WAV, FLAC, MP3 or Opus file; in WAV and FLAC, samples outside your edits are bit-identical.", &[Document, WholeSound])
            .keys(&[ctrl('E')]).icon(icons::DOWNLOAD),
        ExportByLabel => row("export_by_label", "Export by label\u{2026}",
            "Writes a file for each labelled range, or splits the sound at its markers.",
            &[Document, WholeSound, Labels]).icon(icons::DOWNLOAD),
        SavePicture => row("save_picture", "Save picture\u{2026}",
            "Saves what is seen as a PNG, with axes, labels and a colour bar, for a paper or a report.",
            &[Document, WholeSound]).icon(icons::DOWNLOAD),
        SavePitch => row("save_pitch", "Save pitch line\u{2026}",
            "Saves the pitch every 16 ms as a table: seconds, hertz, confidence.", &[Document, WholeSound]),
        Resample => row("resample", "Resample to a new document\u{2026}",
            "Opens the sound at another sample rate as a document of its own.", &[Document, WholeSound]),
        RunOnFiles => row("run_on_files", "Run on files\u{2026}",
            "Applies the edits of this file, or a script, to folders and files.", &[]).icon(icons::FOLDER_OPEN),
    }
    CELLS in (Menu::File, "Cells in an image editor") {
        SaveCells => row("save_cells", "Save cells for editing\u{2026}",
            "Saves the cells of the selection, or of the view without one, to paint over in an image editor: as OpenEXR, \
             or as a pair of PNG files under a name that ends in .png.", &[Document, WholeSound]).icon(icons::DOWNLOAD),
        OpenCells => row("open_cells", "Open edited cells\u{2026}",
            "Reads what Save cells for editing wrote, painted over or not, and puts the cells back where they came \
             from.",
            &[Document, WholeSound]).icon(icons::FOLDER_OPEN),
    }
    CLOSING in (Menu::File) {
        Close => row("close", "Close file", "Closes the file; asks about unsaved edits.", &[Document])
            .keys(&[ctrl('W')]).icon(icons::X),
        Quit => row("quit", "Quit", "Closes the window; asks about unsaved edits.", &[]).keys(&[ctrl('Q')]),
    }
}
