//! The transport, what is heard and how loud.

use super::Code::{End, F, Home, Space};
use super::Need::{Band, Channel, Difference, Document, Playing, WholeSound};
use super::key::{ctrl, key, plain, shift};
use super::row::rows;
use super::{Menu, icons};

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
    ToStart,
    ToEnd,
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
        PlayStop => row("play_stop", "Play or stop",
            "Plays from the cursor, or the selection; again: silence, back at the cursor.", &[Document, WholeSound])
            .keys(&[plain(Space)]).icon(icons::PLAY),
        PlayFromPointer => row("play_from_pointer", "Play from the pointer",
            "Plays from what is under the pointer to the end.", &[Document, WholeSound])
            .keys(&[plain(Space).with_shift()]),
        Pause => row("pause", "Pause", "Stops here: the cursor stays where the sound was.", &[Document, Playing])
            .keys(&[key('K'), plain(Space).with_ctrl()]).icon(icons::PAUSE),
        Stop => row("stop", "Stop", "Silence, back at the cursor.", &[Document, Playing]).icon(icons::SQUARE),
        Loop => row("loop", "Loop", "Plays the selection or the file over and over.", &[])
            .keys(&[ctrl('L')]).icon(icons::REPEAT),
        ShuttleBack => row("shuttle_back", "Shuttle back",
            "Plays backwards; each press again is twice as fast, up to 8 times.", &[Document, WholeSound])
            .keys(&[key('J')]),
        ShuttleForward => row("shuttle_forward", "Shuttle forward",
            "Plays on; each press again is twice as fast, up to 8 times.", &[Document, WholeSound]).keys(&[key('L')]),
        ToStart => row("to_start", "To the start", "The cursor goes to 0:00.000.", &[Document])
            .keys(&[plain(Home)]).icon(icons::SKIP_BACK),
        ToEnd => row("to_end", "To the end", "The cursor goes to the end of the file.", &[Document])
            .keys(&[plain(End)]).icon(icons::SKIP_FORWARD),
    }
    HEARING in (Menu::Play) {
        BandOnly => row("band_only", "Band only",
            "Plays what is selected alone, exactly as far as its soft edges reach.", &[Document, Band])
            .keys(&[key('S')]).icon(icons::PANEL_TOP_DASHED),
        Delta => row("delta", "Delta", "Plays only what the last stroke changed.", &[Document, Difference])
            .keys(&[key('D')]).icon(icons::TRIANGLE),
    }
    SOLO in (Menu::Play, "Solo") {
        SoloLeft => row("solo_1", "Solo left", "Plays the first channel alone, or all again.", &[Document, Channel(0)]),
        SoloRight => row("solo_2", "Solo right",
            "Plays the second channel alone, or all again.", &[Document, Channel(1)]),
        NextSolo => row("solo_next", "Solo the next channel",
            "Plays each channel alone in turn, then all.", &[Document]).keys(&[shift('S')]),
    }
    MONITOR in (Menu::Play, "Monitor gain") {
        MonitorLouder => row("monitor_louder", "Louder monitor",
            "Plays 3 dB louder, held at full scale by a limiter; files stay as they are.", &[])
            .keys(&[plain(F(4))]).icon(icons::HEADPHONES).repeats(),
        MonitorQuieter => row("monitor_quieter", "Quieter monitor", "Plays 3 dB quieter; files stay as they are.", &[])
            .keys(&[plain(F(3))]).repeats(),
        MonitorReset => row("monitor_reset", "Monitor at 0 dB", "Plays as loud as the file is.", &[])
            .keys(&[plain(F(2))]),
    }
    OUTPUT in (Menu::Play) {
        ClearClips => row("clear_clips", "Clear the clip lights",
            "Until the next sample beyond full scale, the meters show none.", &[]),
        Output => row("output", "Sound output", "Chooses the device that plays, and its buffer.", &[])
            .keys(&[plain(F(8))]),
    }
}
