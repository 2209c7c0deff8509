//! Commands of the library.

use super::Menu;
use super::Need::{Document, Hole, LibrarySound, Selection, WholeSound};
use super::table::icons;
use super::table::key::ctrl;
use super::table::row::rows;

/// A command about the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum BrowseCommand {
    All,
    Similar,
    SimilarToSound,
    Donors,
    Fill,
    Clone,
    Duplicates,
    Paste,
    Folders,
    AddFolder,
    AddFolderPath,
    Pause,
    Retry,
    MatchLoudness,
}

rows! { BrowseCommand:
    ALL in (Menu::View, "Library") {
        All => row("library_all", "All sounds", "Lists the sounds of the library.", &[]).icon(icons::LIST_MUSIC),
        Similar => row("library_similar", "Sounds similar to selection",
            "Lists the sounds of the library that are most like the selection as it sounds now.",
            &[Document, WholeSound, Selection]).keys(&[ctrl('U')]).icon(icons::AUDIO_LINES),
        SimilarToSound => row("library_similar_to_sound", "Sounds similar to chosen sound",
            "Lists the sounds that are most like the one chosen in the library.", &[LibrarySound])
            .icon(icons::AUDIO_WAVEFORM),
        Donors => row("library_donors", "Sounds to repair with",
            "Lists the eight sounds of the library that are most like what surrounds the selection, or the last stroke, in its band.",
            &[Document, WholeSound, Hole]).icon(icons::PUZZLE),
        Fill => row("library_fill", "Fill selection from chosen sound",
            "Replaces the selection with the stretch of the chosen sound that fits its surroundings best.",
            &[Document, WholeSound, Selection, LibrarySound]).icon(icons::PAINT_BUCKET),
        Clone => row("library_clone", "Clone from chosen sound",
            "Paints with the stretch of the chosen sound that fits best around the selection or the last stroke.",
            &[Document, WholeSound, Hole, LibrarySound]).icon(icons::COPY_PLUS),
        Duplicates => row("library_duplicates", "Duplicate sounds",
            "Lists sounds that the library has more than once, under any name, format or level.", &[])
            .icon(icons::COPY),
        Paste => row("library_paste", "Paste chosen sound at cursor",
            "Pastes the sound chosen in the library at the cursor as a floating clip.",
            &[Document, WholeSound, LibrarySound]).keys(&[ctrl('J')]).icon(icons::DOWNLOAD),
        Folders => row("library_folders", "Folders of the library",
            "Shows the folders of the library: which are watched, and files that could not be analysed.", &[])
            .icon(icons::FOLDER_OPEN),
        AddFolder => row("library_add", "Add folder\u{2026}",
            "Adds a folder to the library and watches it; folders can be dropped on the window, too.", &[])
            .icon(icons::FOLDER_PLUS),
        AddFolderPath => row("library_add_path", "Add folder by path\u{2026}",
            "Adds the folder whose path you type to the library, without the system's file dialog.", &[]),
        Pause => row("library_pause", "Pause adding", "Pauses the analysis of new sounds, or resumes it.", &[])
            .icon(icons::PAUSE),
        Retry => row("library_retry", "Retry failed files",
            "Analyses the files of the library again that could not be analysed.", &[]).icon(icons::REFRESH_CW),
        MatchLoudness => row("library_match", "Match loudness",
            "Plays the sounds of the library at \u{2212}20 LUFS each, or as they are.", &[]).icon(icons::EQUAL),
    }
}
