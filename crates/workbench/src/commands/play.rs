//! Commands of playback and monitoring.

use super::Code::{End, F, Home, Space};
use super::Menu;
use super::Need::{Band, Channel, Difference, Document, Playing, WholeSound};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift, key, plain, shift};
use super::table::row::rows;

/// A command of the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum PlayCommand {
    PlayStop,
    PlayFromPointer,
    Pause,
    Stop,
    Loop,
    ShuttleBack,
    ShuttleForward,
    Slower,
    Faster,
    ToStart,
    ToEnd,
    RecordNotes,
    BandOnly,
    Delta,
    SoloLeft,
    SoloRight,
    NextSolo,
    MonitorLouder,
    MonitorQuieter,
    MonitorReset,
    ClearClips,
    Output,
}

rows! { PlayCommand:
    TRANSPORT in (Menu::Play) {
        PlayStop => row("play_stop", "Play/stop",
            "Plays from the cursor, or the selection; press again to stop and return to the \
             cursor.", &[Document, WholeSound])
            .keys(&[plain(Space)]).icon(icons::PLAY),
        PlayFromPointer => row("play_from_pointer", "Play from pointer",
            "Plays from the pointer to the end.", &[Document, WholeSound])
            .keys(&[plain(Space).with_shift()]),
        Pause => row("pause", "Pause", "Pauses and moves the cursor to the playhead.", &[Document, Playing])
            .keys(&[key('K'), plain(Space).with_ctrl()]).icon(icons::PAUSE),
        Stop => row("stop", "Stop", "Stops and returns to the cursor.", &[Document, Playing]).icon(icons::SQUARE),
        Loop => row("loop", "Loop", "Repeats the selection or the file.", &[])
            .keys(&[ctrl('L')]).icon(icons::REPEAT),
        ShuttleBack => row("shuttle_back", "Play backwards",
            "Plays backwards; each further press doubles the speed, up to 8x.", &[Document, WholeSound])
            .keys(&[key('J')]),
        ShuttleForward => row("shuttle_forward", "Play forwards",
            "Plays forwards; each further press doubles the speed, up to \
             8x.", &[Document, WholeSound]).keys(&[key('L')]),
        Slower => row("slower", "Slower", "Plays slower and lower, down to a twentieth.", &[Document])
            .keys(&[ctrl_shift('J')]).repeats(),
        Faster => row("faster", "Faster", "Plays faster and higher, up to eight times.", &[Document])
            .keys(&[ctrl_shift('K')]).repeats(),
        ToStart => row("to_start", "Go to start", "Moves the cursor to 0:00.000.", &[Document])
            .keys(&[plain(Home)]).icon(icons::SKIP_BACK),
        ToEnd => row("to_end", "Go to end", "Moves the cursor to the end of the file.", &[Document])
            .keys(&[plain(End)]).icon(icons::SKIP_FORWARD),
    }
    NOTES in (Menu::Play) {
        RecordNotes => row("record_notes", "Record notes",
            "Takes down the notes of the typing keyboard while the sound plays; stopping puts them in as one step.",
            &[Document, WholeSound]).keys(&[ctrl_shift('E')]).icon(icons::MUSIC),
    }
    HEARING in (Menu::Play) {
        BandOnly => row("band_only", "Band only",
            "Plays only the selected sound, soft edges included.", &[Document, Band])
            .keys(&[key('S')]).icon(icons::PANEL_TOP_DASHED),
        Delta => row("delta", "Difference", "Plays only what the last stroke changed.", &[Document, Difference])
            .keys(&[key('D')]).icon(icons::DIFF),
    }
    SOLO in (Menu::Play, "Solo") {
        SoloLeft => row("solo_1", "Solo left", "Plays only the first channel; press again for \
                                                all.", &[Document, Channel(0)]),
        SoloRight => row("solo_2", "Solo right",
            "Plays only the second channel; press again for all.", &[Document, Channel(1)]),
        NextSolo => row("solo_next", "Solo next channel",
            "Plays each channel alone in turn, then all channels.", &[Document]).keys(&[shift('S')]),
    }
    MONITOR in (Menu::Play, "Monitor gain") {
        MonitorLouder => row("monitor_louder", "Monitor louder",
            "Raises playback by 3 dB, limited to full scale; files are not affected.", &[])
            .keys(&[plain(F(4))]).icon(icons::HEADPHONES).repeats(),
        MonitorQuieter => row("monitor_quieter", "Monitor quieter", "Lowers playback by 3 dB; files are not \
                                                                     affected.", &[])
            .keys(&[plain(F(3))]).repeats(),
        MonitorReset => row("monitor_reset", "Monitor at 0 dB", "Plays at the file's own level.", &[])
            .keys(&[plain(F(2))]),
    }
    OUTPUT in (Menu::Play) {
        ClearClips => row("clear_clips", "Reset clip indicators",
            "Clears the meters' clip indicators until the next sample beyond full scale.", &[]),
        Output => row("output", "Sound output\u{2026}", "Selects the playback device and its buffer size.", &[])
            .keys(&[plain(F(8))]),
    }
}
