//! What is written about each command: id, name, menu, keys, icon, one sentence.

use super::{Code, Command, Key, Menu, Spec};
use crate::dsp::Axis;
use crate::studio::icons;
use crate::studio::state::{ChannelView, Panes};
use crate::view::Colormap;

const fn plain(code: Code) -> Key {
    Key { ctrl: false, shift: false, code }
}

/// A letter, digit or sign alone.
pub const fn key(letter: char) -> Key {
    plain(Code::Char(letter))
}

const fn ctrl(letter: char) -> Key {
    Key { ctrl: true, shift: false, code: Code::Char(letter) }
}

pub const fn shift(letter: char) -> Key {
    Key { ctrl: false, shift: true, code: Code::Char(letter) }
}

const fn ctrl_shift(letter: char) -> Key {
    Key { ctrl: true, shift: true, code: Code::Char(letter) }
}

impl Command {
    /// What is written about it.
    pub fn spec(self) -> Spec {
        use Code::{Down, End, Enter, Escape, F, Home, Left, PageDown, PageUp, Right, Space, Up};
        use Menu::{Edit, File, Help, Play, Select, View};
        use icons as i;
        const fn spec(
            id: &'static str,
            name: &'static str,
            menu: Menu,
            keys: &'static [Key],
            icon: Option<char>,
            what: &'static str,
        ) -> Spec {
            Spec { id, name, menu, keys, icon, what }
        }
        match self {
            Command::Open => spec(
                "open",
                "Open a file",
                File,
                const { &[ctrl('O')] },
                Some(i::FOLDER_OPEN),
                "Shows a sound file to paint on.",
            ),
            Command::OpenPath => spec(
                "open_path",
                "Open a path",
                File,
                const { &[ctrl_shift('O')] },
                Some(i::FILE_AUDIO),
                "Opens the file whose path you type, with no dialog of the system.",
            ),
            Command::OpenDemo => spec(
                "open_demo",
                "Open the demo clip",
                File,
                &[],
                Some(i::AUDIO_WAVEFORM),
                "Guitar chord, 10 s, stereo. Erase one string with one stroke.",
            ),
            Command::Close => spec(
                "close",
                "Close the file",
                File,
                const { &[ctrl('W')] },
                Some(i::X),
                "Puts the file away; asks about edits.",
            ),
            Command::Export => spec(
                "export",
                "Export",
                File,
                const { &[ctrl('E')] },
                Some(i::DOWNLOAD),
                "Writes a new WAV file; samples that no stroke reached keep their bits.",
            ),
            Command::Quit => {
                spec("quit", "Quit", File, const { &[ctrl('Q')] }, None, "Closes the window; asks about edits.")
            }
            Command::Undo => spec(
                "undo",
                "Undo",
                Edit,
                const { &[ctrl('Z')] },
                Some(i::UNDO_2),
                "Takes the last edit back, to the bit.",
            ),
            Command::Redo => spec(
                "redo",
                "Redo",
                Edit,
                const { &[ctrl_shift('Z'), ctrl('Y')] },
                Some(i::REDO_2),
                "Does again what was taken back.",
            ),
            Command::EraseSelection => spec(
                "erase_selection",
                "Erase the selection",
                Edit,
                const { &[plain(Code::Delete), plain(Code::Backspace)] },
                Some(i::ERASER),
                "Silences what is selected.",
            ),
            Command::Cancel => spec(
                "cancel",
                "Cancel",
                Edit,
                const { &[plain(Escape)] },
                Some(i::X),
                "Drops the stroke in hand, closes a card or stops the work in progress.",
            ),
            Command::Before => spec(
                "before",
                "Before",
                Edit,
                const { &[key('B')] },
                Some(i::SQUARE_SPLIT_HORIZONTAL),
                "Shows and plays the file as it was opened, until pressed again.",
            ),
            Command::SelectAll => spec(
                "select_all",
                "Select all",
                Select,
                const { &[ctrl('A')] },
                None,
                "Selects the whole file, all frequencies.",
            ),
            Command::SelectNone => spec(
                "select_none",
                "Select nothing",
                Select,
                const { &[ctrl('D')] },
                None,
                "Lets brushes reach everything again.",
            ),
            Command::Reselect => spec(
                "reselect",
                "Select again",
                Select,
                const { &[ctrl_shift('D')] },
                None,
                "Selects what was selected before nothing was.",
            ),
            Command::InvertSelection => spec(
                "invert_selection",
                "Invert the selection",
                Select,
                const { &[ctrl('I')] },
                None,
                "Selects all that is not selected.",
            ),
            Command::GrowSelection => spec(
                "grow_selection",
                "Grow the selection",
                Select,
                const { &[ctrl('G')] },
                None,
                "Moves its edge out by one hop and two bins.",
            ),
            Command::ShrinkSelection => spec(
                "shrink_selection",
                "Shrink the selection",
                Select,
                const { &[ctrl_shift('G')] },
                None,
                "Moves its edge in by one hop and two bins.",
            ),
            Command::FeatherSelection => spec(
                "feather_selection",
                "Feather the selection",
                Select,
                const { &[ctrl_shift('F')] },
                None,
                "Makes its edge softer by two hops and four bins.",
            ),
            Command::ClosePolygon => spec(
                "close_polygon",
                "Close the polygon",
                Select,
                const { &[plain(Enter)] },
                None,
                "Selects what the corners clicked with the lasso enclose.",
            ),
            Command::CopyFigures => spec(
                "copy_figures",
                "Copy the figures",
                Select,
                const { &[ctrl_shift('C')] },
                Some(i::COPY),
                "Copies range, peak, level and centroid of the selection as comma-separated values.",
            ),
            Command::Tool(tool) => super::tools::spec(tool),
            Command::BrushSmaller => spec(
                "brush_smaller",
                "Smaller brush",
                Edit,
                const { &[key('[')] },
                None,
                "Makes the brush a fifth smaller.",
            ),
            Command::BrushLarger => spec(
                "brush_larger",
                "Larger brush",
                Edit,
                const { &[key(']')] },
                None,
                "Makes the brush a quarter larger.",
            ),
            Command::BrushSofter => spec(
                "brush_softer",
                "Softer brush",
                Edit,
                const { &[key('{')] },
                None,
                "Lowers the hardness by a tenth.",
            ),
            Command::BrushHarder => spec(
                "brush_harder",
                "Harder brush",
                Edit,
                const { &[key('}')] },
                None,
                "Raises the hardness by a tenth.",
            ),
            Command::LockRadius => spec(
                "lock_radius",
                "Lock the radius",
                Edit,
                const { &[shift('K')] },
                Some(i::LOCK_OPEN),
                "Keeps the radius in milliseconds and octaves at any zoom, not in points on the screen.",
            ),
            Command::ResetTool => spec(
                "reset_tool",
                "Reset the tool",
                Edit,
                &[],
                Some(i::ROTATE_CCW),
                "Gives the tool in hand the settings it came with.",
            ),
            Command::PlayStop => spec(
                "play_stop",
                "Play or stop",
                Play,
                const { &[plain(Space)] },
                Some(i::PLAY),
                "Plays from the cursor, or the selection; again: silence, back at the cursor.",
            ),
            Command::Pause => spec(
                "pause",
                "Pause",
                Play,
                const { &[key('K'), Key { ctrl: true, shift: false, code: Space }] },
                Some(i::PAUSE),
                "Stops here: the cursor stays where the sound was.",
            ),
            Command::PlayFromPointer => spec(
                "play_from_pointer",
                "Play from the pointer",
                Play,
                const { &[Key { ctrl: false, shift: true, code: Space }] },
                None,
                "Plays from what is under the pointer to the end.",
            ),
            Command::ShuttleBack => spec(
                "shuttle_back",
                "Shuttle back",
                Play,
                const { &[key('J')] },
                None,
                "Plays backwards; each press again is twice as fast, up to 8 times.",
            ),
            Command::ShuttleForward => spec(
                "shuttle_forward",
                "Shuttle forward",
                Play,
                const { &[key('L')] },
                None,
                "Plays on; each press again is twice as fast, up to 8 times.",
            ),
            Command::BandOnly => spec(
                "band_only",
                "Band only",
                Play,
                const { &[key('S')] },
                Some(i::PANEL_TOP_DASHED),
                "Plays what is selected alone, exactly as far as its soft edges reach.",
            ),
            Command::Delta => spec(
                "delta",
                "Delta",
                Play,
                const { &[key('D')] },
                Some(i::TRIANGLE),
                "Plays only what the last stroke changed.",
            ),
            Command::Solo(channel) => match channel {
                0 => spec("solo_1", "Solo left", Play, &[], None, "Plays the first channel alone, or all again."),
                _ => spec("solo_2", "Solo right", Play, &[], None, "Plays the second channel alone, or all again."),
            },
            Command::NextSolo => spec(
                "solo_next",
                "Solo the next channel",
                Play,
                const { &[shift('S')] },
                None,
                "Plays each channel alone in turn, then all.",
            ),
            Command::MonitorLouder => spec(
                "monitor_louder",
                "Louder monitor",
                Play,
                const { &[plain(F(4))] },
                Some(i::HEADPHONES),
                "Plays 3 dB louder, held at full scale by a limiter; files stay as they are.",
            ),
            Command::MonitorQuieter => spec(
                "monitor_quieter",
                "Quieter monitor",
                Play,
                const { &[plain(F(3))] },
                None,
                "Plays 3 dB quieter; files stay as they are.",
            ),
            Command::MonitorReset => spec(
                "monitor_reset",
                "Monitor at 0 dB",
                Play,
                const { &[plain(F(2))] },
                None,
                "Plays as loud as the file is.",
            ),
            Command::ClearClips => spec(
                "clear_clips",
                "Clear the clip lights",
                Play,
                &[],
                None,
                "Until the next sample beyond full scale, the meters show none.",
            ),
            Command::Output => spec(
                "output",
                "Sound output",
                Play,
                const { &[plain(F(8))] },
                None,
                "Chooses the device that plays, and its buffer.",
            ),
            Command::Stop => spec("stop", "Stop", Play, &[], Some(i::SQUARE), "Silence, back at the cursor."),
            Command::Loop => spec(
                "loop",
                "Loop",
                Play,
                const { &[ctrl('L')] },
                Some(i::REPEAT),
                "Plays the selection or the file over and over.",
            ),
            Command::ToStart => spec(
                "to_start",
                "To the start",
                Play,
                const { &[plain(Home)] },
                Some(i::SKIP_BACK),
                "The cursor goes to 0:00.000.",
            ),
            Command::ToEnd => spec(
                "to_end",
                "To the end",
                Play,
                const { &[plain(End)] },
                Some(i::SKIP_FORWARD),
                "The cursor goes to the end of the file.",
            ),
            Command::ZoomAll => spec(
                "zoom_all",
                "Whole file",
                View,
                const { &[ctrl('0')] },
                Some(i::MAXIMIZE),
                "Shows all of the file.",
            ),
            Command::ZoomSelection => spec(
                "zoom_selection",
                "Zoom to the selection",
                View,
                const { &[key('Z')] },
                None,
                "Shows the selection, edge to edge.",
            ),
            Command::ZoomInTime => spec(
                "zoom_in_time",
                "Zoom in on time",
                View,
                const { &[key('+'), key('=')] },
                Some(i::ZOOM_IN),
                "Half as long.",
            ),
            Command::ZoomOutTime => {
                spec("zoom_out_time", "Zoom out of time", View, const { &[key('-')] }, None, "Twice as long.")
            }
            Command::ZoomInFrequency => spec(
                "zoom_in_frequency",
                "Zoom in on frequency",
                View,
                const { &[ctrl('+'), ctrl('=')] },
                None,
                "Half as wide a band.",
            ),
            Command::ZoomOutFrequency => spec(
                "zoom_out_frequency",
                "Zoom out of frequency",
                View,
                const { &[ctrl('-')] },
                None,
                "Twice as wide a band.",
            ),
            Command::ZoomAllFrequency => spec(
                "zoom_all_frequency",
                "All frequencies",
                View,
                const { &[ctrl('9')] },
                None,
                "Shows the whole range of the axis.",
            ),
            Command::ScrollEarlier => spec(
                "scroll_earlier",
                "Earlier",
                View,
                const { &[plain(PageUp), plain(Left)] },
                None,
                "Moves an eighth back.",
            ),
            Command::ScrollLater => spec(
                "scroll_later",
                "Later",
                View,
                const { &[plain(PageDown), plain(Right)] },
                None,
                "Moves an eighth on.",
            ),
            Command::ScrollUp => spec("scroll_up", "Higher", View, const { &[plain(Up)] }, None, "Moves an eighth up."),
            Command::ScrollDown => {
                spec("scroll_down", "Lower", View, const { &[plain(Down)] }, None, "Moves an eighth down.")
            }
            Command::Panes(panes) => match panes {
                Panes::Magnitude => spec(
                    "panes_magnitude",
                    "Magnitude",
                    View,
                    const { &[plain(F(5))] },
                    None,
                    "Shows how loud each cell is.",
                ),
                Panes::Phase => spec(
                    "panes_phase",
                    "Phase",
                    View,
                    const { &[plain(F(6))] },
                    None,
                    "Shows where each cell is in its cycle.",
                ),
                Panes::Both => spec(
                    "panes_both",
                    "Both",
                    View,
                    const { &[plain(F(7))] },
                    None,
                    "Magnitude above, phase below; both take strokes.",
                ),
            },
            Command::NextPanes => {
                spec("panes_next", "Next panes", View, const { &[key('P')] }, None, "Magnitude, phase, both.")
            }
            Command::RawPhase => spec(
                "phase_raw",
                "Raw phase",
                View,
                &[],
                None,
                "Shows the phase as it is, or again less its bin's own turning, so that steady tones keep one colour.",
            ),
            Command::Channels(view) => match view {
                ChannelView::All => spec(
                    "channels_all",
                    "All channels",
                    View,
                    &[],
                    None,
                    "Draws the louder channel; strokes reach all.",
                ),
                ChannelView::One(0) => spec(
                    "channels_1",
                    "Left channel",
                    View,
                    &[],
                    None,
                    "Shows the first channel; strokes reach it alone.",
                ),
                ChannelView::One(_) => spec(
                    "channels_2",
                    "Right channel",
                    View,
                    &[],
                    None,
                    "Shows the second channel; strokes reach it alone.",
                ),
                ChannelView::Mid => spec(
                    "channels_mid",
                    "Mid",
                    View,
                    &[],
                    None,
                    "Half the sum of left and right; strokes reach it alone.",
                ),
                ChannelView::Side => {
                    spec("channels_side", "Side", View, &[], None, "Half of left less right; strokes reach it alone.")
                }
            },
            Command::NextChannels => spec(
                "channels_next",
                "Next channels",
                View,
                const { &[key('N')] },
                None,
                "All, each channel, then mid and side.",
            ),
            Command::Axis(axis) => match axis {
                Axis::Linear => spec("axis_linear", "Linear axis", View, &[], None, "Equal heights are equal hertz."),
                Axis::Log => spec("axis_log", "Log axis", View, &[], None, "Equal heights are equal intervals."),
                Axis::Mel => spec("axis_mel", "Mel axis", View, &[], None, "Equal heights sound equally far apart."),
                Axis::Bark => {
                    spec("axis_bark", "Bark axis", View, &[], None, "Equal heights are equal critical bands.")
                }
            },
            Command::NextAxis => {
                spec("axis_next", "Next axis", View, const { &[key('A')] }, None, "Linear, log, mel, bark.")
            }
            Command::LongerFrames => spec(
                "frames_longer",
                "Longer frames",
                View,
                const { &[key('.')] },
                None,
                "Finer in frequency, coarser in time.",
            ),
            Command::ShorterFrames => spec(
                "frames_shorter",
                "Shorter frames",
                View,
                const { &[key(',')] },
                None,
                "Finer in time, coarser in frequency.",
            ),
            Command::Colormap(map) => match map {
                Colormap::Viridis => spec("colours_viridis", "Viridis", View, &[], None, "Dark blue to yellow."),
                Colormap::Magma => {
                    spec("colours_magma", "Magma", View, &[], None, "Black to pale yellow through purple.")
                }
                Colormap::Inferno => {
                    spec("colours_inferno", "Inferno", View, &[], None, "Black to pale yellow through red.")
                }
                Colormap::Cividis => {
                    spec("colours_cividis", "Cividis", View, &[], None, "Blue to yellow, for colour blindness.")
                }
                Colormap::Grey => spec("colours_grey", "Grey", View, &[], None, "Black to white."),
            },
            Command::NextColormap => {
                spec("colours_next", "Next colours", View, const { &[key('C')] }, None, "The next colour map.")
            }
            Command::Theme => spec(
                "theme",
                "Dark or light",
                View,
                const { &[ctrl_shift('T')] },
                Some(i::MOON),
                "Changes the theme of the window.",
            ),
            Command::Panels => spec(
                "panels",
                "Panels",
                View,
                const { &[plain(F(9))] },
                Some(i::PANEL_RIGHT),
                "Shows or hides the panels at the right.",
            ),
            Command::Profiler => spec(
                "profiler",
                "Profiler",
                View,
                const { &[plain(F(12))] },
                None,
                "Shows what takes how long, on the processor and the graphics card.",
            ),
            Command::Palette => spec(
                "palette",
                "Find a command",
                Help,
                const { &[ctrl_shift('P')] },
                Some(i::SEARCH),
                "Type a few letters of what you want to do.",
            ),
            Command::Keys => {
                spec("keys", "All keys", Help, const { &[plain(F(1))] }, Some(i::KEYBOARD), "Shows every key.")
            }
        }
    }
}
