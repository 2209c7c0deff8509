//! Searches in the sound.

use super::Code::Tab;
use super::Menu;
use super::Need::{Document, Pattern, Places, Selection, WholeSound};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift, plain};
use super::table::row::rows;

/// A command that searches or learns from the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum FindCommand {
    LearnNoise,
    TakeTimbre,
    Damage,
    Notes,
    Next,
    Previous,
    Seek(Seek),
    NextPlace,
    PreviousPlace,
}

/// The target of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Seek {
    /// See [`Find::Clicks`](crate::dsp::selections::find::Find::Clicks).
    Clicks,
    /// See [`Find::Hum`](crate::dsp::selections::find::Find::Hum).
    Hum,
    /// See [`Find::Clipping`](crate::dsp::selections::find::Find::Clipping).
    Clipping,
    /// See [`Find::Alike`](crate::dsp::selections::find::Find::Alike).
    Alike,
    /// See [`Find::Speech`](crate::dsp::selections::find::Find::Speech).
    Speech,
    /// See [`Find::Pauses`](crate::dsp::selections::find::Find::Pauses).
    Pauses,
    /// See [`Find::SpeechCells`](crate::dsp::selections::find::Find::SpeechCells).
    SpeechCells,
}

impl Seek {
    /// In the order of the menu.
    pub const ALL: [Seek; 7] =
        [Seek::Clicks, Seek::Hum, Seek::Clipping, Seek::Alike, Seek::Speech, Seek::Pauses, Seek::SpeechCells];
}

rows! { FindCommand:
    DAMAGE in (Menu::Select, "Find") {
        Damage => row("find_damage", "Find damage",
            "Lists clipping, clicks, hum, dropouts, noise, reverb and more with their repairs; nothing is changed.",
            &[Document, WholeSound])
            .icon(icons::CIRCLE_ALERT),
        Notes => row("find_notes", "Find notes",
            "Labels the notes of a struck or plucked sound by their pitch; those of bowed strings are mostly missed.",
            &[Document, WholeSound]),
    }
    NOISE in (Menu::Edit, "Repair") {
        LearnNoise => row("learn_noise", "Learn noise",
            "Learns a noise profile from the selection for the denoise brush.", &[Document, WholeSound, Selection])
            .keys(&[ctrl_shift('L')]).icon(icons::AUDIO_LINES),
    }
    TIMBRE in (Menu::Edit, "Brush settings") {
        TakeTimbre => row("take_timbre", "Take timbre from selection",
            "Measures the partials of the selected tone for the voice brush.", &[Document, WholeSound, Selection])
            .icon(icons::MUSIC),
    }
    PLACES in (Menu::Select, "Find") {
        Next => row("find_next", "Find similar",
            "Selects the next sound similar to the selection.", &[Document, WholeSound, Pattern])
            .keys(&[ctrl('F')]),
        Previous => row("find_previous", "Find previous similar",
            "Selects the previous sound similar to the selection.", &[Document, WholeSound, Pattern])
            .keys(&[ctrl('B')]),
        Seek(Seek::Clicks) => row("find_clicks", "Find clicks",
            "Selects clicks and pops in the selection or the whole file.", &[Document, WholeSound]),
        Seek(Seek::Hum) => row("find_hum", "Find hum",
            "Selects a steady hum near 50 or 60 Hz and each of its harmonics.", &[Document, WholeSound]),
        Seek(Seek::Clipping) => row("find_clipping", "Find clipping",
            "Selects clipped peaks.", &[Document, WholeSound]),
        Seek(Seek::Alike) => row("find_alike", "More like this",
            "Selects other occurrences of the selected sound in the same band.", &[Document, WholeSound, Selection])
            .keys(&[ctrl_shift('A')]),
        Seek(Seek::Speech) => row("find_speech", "Find speech",
            "Selects where somebody speaks, in the selection or the whole file.", &[Document, WholeSound]),
        Seek(Seek::Pauses) => row("find_pauses", "Find pauses",
            "Selects where nobody speaks, in the selection or the whole file.", &[Document, WholeSound]),
        Seek(Seek::SpeechCells) => row("select_speech", "Select speech",
            "Selects each cell as far as it is speech, in the selection or the whole file.", &[Document, WholeSound]),
        NextPlace => row("next_place", "Next place found",
            "Moves the cursor to the next of the places that were found and selected.", &[Document, Places])
            .keys(&[plain(Tab)]).among_places().repeats(),
        PreviousPlace => row("previous_place", "Previous place found",
            "Moves the cursor to the place before among those that were found and selected.", &[Document, Places])
            .keys(&[plain(Tab).with_shift()]).among_places().repeats(),
    }
}
