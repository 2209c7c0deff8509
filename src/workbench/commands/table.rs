//! What is written about each command: id, name, menu, keys, icon, one sentence.

use super::{Code, Command, Key, Menu, Spec};
use crate::dsp::Axis;
use crate::view::Colormap;
use crate::workbench::commands::icons;
use crate::workbench::documents::{ChannelView, Panes};
use crate::workbench::habits::Panel;
use crate::workbench::searching::Seek;

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

const fn file(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::File, id, name, what)
}

pub const fn edit(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::Edit, id, name, what)
}

pub const fn select(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::Select, id, name, what)
}

pub const fn view(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::View, id, name, what)
}

const fn play(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::Play, id, name, what)
}

const fn help(id: &'static str, name: &'static str, what: &'static str) -> Spec {
    Spec::in_menu(Menu::Help, id, name, what)
}

impl Command {
    /// What is written about it.
    pub fn spec(self) -> Spec {
        use Code::{Down, End, Enter, Escape, F, Home, Left, PageDown, PageUp, Right, Space, Up};
        use icons as i;
        match self {
            Command::New => file("new", "New canvas", "Makes an empty sound to paint and paste on.")
                .keys(const { &[ctrl('N')] })
                .icon(i::SQUARE),
            Command::Open => file("open", "Open a file", "Shows a sound file to paint on.")
                .keys(const { &[ctrl('O')] })
                .icon(i::FOLDER_OPEN),
            Command::OpenPath => {
                file("open_path", "Open a path", "Opens the file whose path you type, with no dialog of the system.")
                    .keys(const { &[ctrl_shift('O')] })
                    .icon(i::FILE_AUDIO)
            }
            Command::OpenDemo => {
                file("open_demo", "Open the demo clip", "Guitar chord, 10 s, stereo. Erase one partial of a string with one stroke.")
                    .icon(i::AUDIO_WAVEFORM)
            }
            Command::OpenRecent(index) => {
                const IDS: [[&str; 2]; 8] = [
                    ["open_recent_1", "Recent file 1"],
                    ["open_recent_2", "Recent file 2"],
                    ["open_recent_3", "Recent file 3"],
                    ["open_recent_4", "Recent file 4"],
                    ["open_recent_5", "Recent file 5"],
                    ["open_recent_6", "Recent file 6"],
                    ["open_recent_7", "Recent file 7"],
                    ["open_recent_8", "Recent file 8"],
                ];
                let [id, name] = IDS[index.min(IDS.len() - 1)];
                file(id, name, "Opens a file that was open before; the first is the last one.").icon(i::FILE_AUDIO)
            }
            Command::ForgetRecent => {
                file("forget_recent", "Forget recent files", "Empties the list; the files themselves stay.")
            }
            Command::Close => file("close", "Close the file", "Puts the file away; asks about edits.")
                .keys(const { &[ctrl('W')] })
                .icon(i::X),
            Command::SaveProject => {
                file("save_project", "Save project", "Keeps the sound's every edit in a project, with the way back.")
                    .keys(const { &[ctrl('S')] })
            }
            Command::SaveProjectAs => file("save_project_as", "Save project as", "Saves a project under another name.")
                .keys(const { &[ctrl_shift('S')] }),
            Command::Export => {
                file("export", "Export", "Writes a new WAV file; samples that no stroke reached keep their bits.")
                    .keys(const { &[ctrl('E')] })
                    .icon(i::DOWNLOAD)
            }
            Command::Quit => file("quit", "Quit", "Closes the window; asks about edits.").keys(const { &[ctrl('Q')] }),
            Command::Undo => edit("undo", "Undo", "Takes the last edit back, to the bit.")
                .keys(const { &[ctrl('Z')] })
                .icon(i::UNDO_2),
            Command::Redo => edit("redo", "Redo", "Does again what was taken back.")
                .keys(const { &[ctrl_shift('Z'), ctrl('Y')] })
                .icon(i::REDO_2),
            Command::Cut => edit("cut", "Cut", "Takes what is selected out of the sound, to be pasted elsewhere.")
                .keys(const { &[ctrl('X')] }),
            Command::Copy => edit("copy", "Copy", "Copies the sound of what is selected, and of nothing else.")
                .keys(const { &[ctrl('C')] })
                .icon(i::COPY),
            Command::Paste => edit(
                "paste",
                "Paste",
                "Puts what was copied at the pointer's time, or the cursor's, to be moved and put down; added to what is there.",
            )
            .keys(const { &[ctrl('V')] }),
            Command::PasteInPlace => {
                edit("paste_in_place", "Paste in place", "Puts what was copied where it came from.")
                    .keys(const { &[ctrl_shift('V')] })
            }
            Command::LandPaste => {
                edit("land_paste", "Put down what was pasted", "Adds what floats to the sound where it is now.")
                    .keys(const { &[Key { ctrl: true, shift: false, code: Enter }] })
            }
            Command::Lengthen => edit("lengthen", "Lengthen the sound", "Adds silence at the end.")
                .keys(const { &[ctrl('M')] }),
            Command::EraseSelection => edit("erase_selection", "Erase the selection", "Silences what is selected.")
                .keys(const { &[plain(Code::Delete), plain(Code::Backspace)] })
                .icon(i::ERASER),
            Command::AttenuateSelection => edit(
                "attenuate_selection",
                "Attenuate the selection to its surroundings",
                "Pulls what is too loud in it down to the level around it, as the heal brush does.",
            )
            .keys(const { &[Key { ctrl: false, shift: true, code: Code::Delete }] })
            .icon(i::BANDAGE),
            Command::HealSelection => {
                edit("heal_selection", "Heal the selection", "Fills it from its surroundings in the heal brush's mode.")
                    .keys(const { &[ctrl('H')] })
            }
            Command::RebuildPhase => edit(
                "rebuild_phase",
                "Rebuild the phase of the selection",
                "Makes the phase of what is selected anew from its loudness; the picture of loudness stays.",
            )
            .keys(const { &[ctrl_shift('R')] })
            .icon(i::REFRESH_CW),
            Command::Cancel => {
                edit("cancel", "Cancel", "Drops the stroke in hand, closes a card or stops the work in progress.")
                    .keys(const { &[plain(Escape)] })
                    .icon(i::X)
            }
            Command::Before => {
                edit("before", "Before", "Shows and plays the file as it was opened, until pressed again.")
                    .keys(const { &[key('B')] })
                    .icon(i::SQUARE_SPLIT_HORIZONTAL)
            }
            Command::SelectAll => select("select_all", "Select all", "Selects the whole file, all frequencies.")
                .keys(const { &[ctrl('A')] }),
            Command::SelectNone => select("select_none", "Select nothing", "Lets brushes reach everything again.")
                .keys(const { &[ctrl('D')] }),
            Command::Reselect => select("reselect", "Select again", "Selects what was selected before nothing was.")
                .keys(const { &[ctrl_shift('D')] }),
            Command::InvertSelection => {
                select("invert_selection", "Invert the selection", "Selects all that is not selected.")
                    .keys(const { &[ctrl('I')] })
            }
            Command::GrowSelection => {
                select("grow_selection", "Grow the selection", "Moves its edge out by one hop and two bins.")
                    .keys(const { &[ctrl('G')] })
            }
            Command::ShrinkSelection => {
                select("shrink_selection", "Shrink the selection", "Moves its edge in by one hop and two bins.")
                    .keys(const { &[ctrl_shift('G')] })
            }
            Command::FeatherSelection => {
                select("feather_selection", "Feather the selection", "Makes its edge softer by two hops and four bins.")
                    .keys(const { &[ctrl_shift('F')] })
            }
            Command::ClosePolygon => {
                select("close_polygon", "Close the polygon", "Selects what the corners clicked with the lasso enclose.")
                    .keys(const { &[plain(Enter)] })
            }
            Command::CopyFigures => select(
                "copy_figures",
                "Copy the figures",
                "Copies range, peak, level and centroid of the selection as comma-separated values.",
            )
            .keys(const { &[ctrl_shift('C')] })
            .icon(i::COPY),
            Command::CopySpectrum => select(
                "copy_spectrum",
                "Copy the spectrum",
                "Copies the curves of the spectrum panel, bin by bin, as comma-separated values.",
            )
            .icon(i::COPY),
            Command::Snapping => select(
                "snapping",
                "Snap to peaks and onsets",
                "Edges and the cursor catch on spectral peaks and on where sounds begin; held, for as long as it is held.",
            )
            .keys(const { &[key('N')] }),
            Command::FindNext => {
                select("find_next", "Find similar", "Selects the next place that looks like what is selected.")
                    .keys(const { &[ctrl('F')] })
            }
            Command::FindPrevious => {
                select("find_previous", "Find similar before", "Selects the place before that looks like what is selected.")
                    .keys(const { &[ctrl('B')] })
            }
            Command::Cursor(act) => act.spec(),
            Command::LearnNoise => {
                edit("learn_noise", "Learn noise", "Learns the noise of what is selected, for the denoise brush.")
                    .keys(const { &[ctrl_shift('L')] })
                    .icon(i::AUDIO_LINES)
            }
            Command::ReduceNoise => edit(
                "reduce_noise",
                "Reduce noise",
                "Takes the noise learnt out of the selection, or of the whole file.",
            )
            .keys(const { &[ctrl_shift('N')] })
            .icon(i::WIND),
            Command::Find(Seek::Clicks) => select(
                "find_clicks",
                "Find clicks",
                "Selects clicks and pops, in the range selected or the whole file.",
            ),
            Command::Find(Seek::Hum) => {
                select("find_hum", "Find hum", "Selects a steady hum near 50 or 60 Hz and each of its harmonics.")
            }
            Command::Find(Seek::Clipping) => {
                select("find_clipping", "Find clipping", "Selects where the wave was cut off at its top or bottom.")
            }
            Command::Find(Seek::Alike) => {
                select("find_alike", "More like this", "Selects other places where the selected band looks the same.")
            }
            Command::Tool(tool) => super::tools::spec(tool),
            Command::BrushSmaller => {
                edit("brush_smaller", "Smaller brush", "Makes the brush a fifth smaller.").keys(const { &[key('[')] })
            }
            Command::BrushLarger => {
                edit("brush_larger", "Larger brush", "Makes the brush a quarter larger.").keys(const { &[key(']')] })
            }
            Command::BrushSofter => {
                edit("brush_softer", "Softer brush", "Lowers the hardness by a tenth.").keys(const { &[key('{')] })
            }
            Command::BrushHarder => {
                edit("brush_harder", "Harder brush", "Raises the hardness by a tenth.").keys(const { &[key('}')] })
            }
            Command::LockRadius => edit(
                "lock_radius",
                "Lock the radius",
                "Keeps the radius in milliseconds and octaves at any zoom, not in points on the screen.",
            )
            .keys(const { &[shift('K')] })
            .icon(i::LOCK_OPEN),
            Command::ResetTool => {
                edit("reset_tool", "Reset the tool", "Gives the tool in hand the settings it came with.")
                    .icon(i::ROTATE_CCW)
            }
            Command::PlayStop => play(
                "play_stop",
                "Play or stop",
                "Plays from the cursor, or the selection; again: silence, back at the cursor.",
            )
            .keys(const { &[plain(Space)] })
            .icon(i::PLAY),
            Command::Pause => play("pause", "Pause", "Stops here: the cursor stays where the sound was.")
                .keys(const { &[key('K'), Key { ctrl: true, shift: false, code: Space }] })
                .icon(i::PAUSE),
            Command::PlayFromPointer => {
                play("play_from_pointer", "Play from the pointer", "Plays from what is under the pointer to the end.")
                    .keys(const { &[Key { ctrl: false, shift: true, code: Space }] })
            }
            Command::ShuttleBack => play(
                "shuttle_back",
                "Shuttle back",
                "Plays backwards; each press again is twice as fast, up to 8 times.",
            )
            .keys(const { &[key('J')] }),
            Command::ShuttleForward => play(
                "shuttle_forward",
                "Shuttle forward",
                "Plays on; each press again is twice as fast, up to 8 times.",
            )
            .keys(const { &[key('L')] }),
            Command::BandOnly => {
                play("band_only", "Band only", "Plays what is selected alone, exactly as far as its soft edges reach.")
                    .keys(const { &[key('S')] })
                    .icon(i::PANEL_TOP_DASHED)
            }
            Command::Delta => play("delta", "Delta", "Plays only what the last stroke changed.")
                .keys(const { &[key('D')] })
                .icon(i::TRIANGLE),
            Command::Solo(channel) => match channel {
                0 => play("solo_1", "Solo left", "Plays the first channel alone, or all again."),
                _ => play("solo_2", "Solo right", "Plays the second channel alone, or all again."),
            },
            Command::NextSolo => {
                play("solo_next", "Solo the next channel", "Plays each channel alone in turn, then all.")
                    .keys(const { &[shift('S')] })
            }
            Command::MonitorLouder => play(
                "monitor_louder",
                "Louder monitor",
                "Plays 3 dB louder, held at full scale by a limiter; files stay as they are.",
            )
            .keys(const { &[plain(F(4))] })
            .icon(i::HEADPHONES),
            Command::MonitorQuieter => {
                play("monitor_quieter", "Quieter monitor", "Plays 3 dB quieter; files stay as they are.")
                    .keys(const { &[plain(F(3))] })
            }
            Command::MonitorReset => {
                play("monitor_reset", "Monitor at 0 dB", "Plays as loud as the file is.").keys(const { &[plain(F(2))] })
            }
            Command::ClearClips => play(
                "clear_clips",
                "Clear the clip lights",
                "Until the next sample beyond full scale, the meters show none.",
            ),
            Command::Output => play("output", "Sound output", "Chooses the device that plays, and its buffer.")
                .keys(const { &[plain(F(8))] }),
            Command::Stop => play("stop", "Stop", "Silence, back at the cursor.").icon(i::SQUARE),
            Command::Loop => play("loop", "Loop", "Plays the selection or the file over and over.")
                .keys(const { &[ctrl('L')] })
                .icon(i::REPEAT),
            Command::ToStart => play("to_start", "To the start", "The cursor goes to 0:00.000.")
                .keys(const { &[plain(Home)] })
                .icon(i::SKIP_BACK),
            Command::ToEnd => play("to_end", "To the end", "The cursor goes to the end of the file.")
                .keys(const { &[plain(End)] })
                .icon(i::SKIP_FORWARD),
            Command::ZoomAll => {
                view("zoom_all", "Whole file", "Shows all of the file.").keys(const { &[ctrl('0')] }).icon(i::MAXIMIZE)
            }
            Command::ZoomSelection => {
                view("zoom_selection", "Zoom to the selection", "Shows the selection, edge to edge.")
                    .keys(const { &[key('Z')] })
            }
            Command::ZoomInTime => view("zoom_in_time", "Zoom in on time", "Half as long.")
                .keys(const { &[key('+'), key('=')] })
                .icon(i::ZOOM_IN),
            Command::ZoomOutTime => {
                view("zoom_out_time", "Zoom out of time", "Twice as long.").keys(const { &[key('-')] })
            }
            Command::ZoomInFrequency => view("zoom_in_frequency", "Zoom in on frequency", "Half as wide a band.")
                .keys(const { &[ctrl('+'), ctrl('=')] }),
            Command::ZoomOutFrequency => view("zoom_out_frequency", "Zoom out of frequency", "Twice as wide a band.")
                .keys(const { &[ctrl('-')] }),
            Command::ZoomAllFrequency => {
                view("zoom_all_frequency", "All frequencies", "Shows the whole range of the axis.")
                    .keys(const { &[ctrl('9')] })
            }
            Command::ScrollEarlier => {
                view("scroll_earlier", "Earlier", "Moves an eighth back.").keys(const { &[plain(PageUp), plain(Left)] })
            }
            Command::ScrollLater => {
                view("scroll_later", "Later", "Moves an eighth on.").keys(const { &[plain(PageDown), plain(Right)] })
            }
            Command::ScrollUp => view("scroll_up", "Higher", "Moves an eighth up.").keys(const { &[plain(Up)] }),
            Command::ScrollDown => view("scroll_down", "Lower", "Moves an eighth down.").keys(const { &[plain(Down)] }),
            Command::Panes(panes) => match panes {
                Panes::Magnitude => {
                    view("panes_magnitude", "Magnitude", "Shows how loud each cell is.").keys(const { &[plain(F(5))] })
                }
                Panes::Phase => view("panes_phase", "Phase", "Shows where each cell is in its cycle.")
                    .keys(const { &[plain(F(6))] }),
                Panes::Both => view("panes_both", "Both", "Magnitude above, phase below; both take strokes.")
                    .keys(const { &[plain(F(7))] }),
            },
            Command::NextPanes => {
                view("panes_next", "Next panes", "Magnitude, phase, both.").keys(const { &[key('P')] })
            }
            Command::RawPhase => view(
                "phase_raw",
                "Raw phase",
                "Shows the phase as it is, or again less its bin's own turning, so that steady tones keep one colour.",
            ),
            Command::Channels(channels) => match channels {
                ChannelView::All => {
                    view("channels_all", "All channels", "Draws the louder channel; strokes reach all.")
                }
                ChannelView::One(0) => {
                    view("channels_1", "Left channel", "Shows the first channel; strokes reach it alone.")
                }
                ChannelView::One(_) => {
                    view("channels_2", "Right channel", "Shows the second channel; strokes reach it alone.")
                }
                ChannelView::Mid => {
                    view("channels_mid", "Mid", "Half the sum of left and right; strokes reach it alone.")
                }
                ChannelView::Side => view("channels_side", "Side", "Half of left less right; strokes reach it alone."),
            },
            Command::Stacked => view(
                "channels_stacked",
                "Stacked channels",
                "Each channel in a picture of its own; strokes reach the one that is painted on.",
            ),
            Command::NextChannels => view("channels_next", "Next channels", "All, each channel, then mid and side.")
                .keys(const { &[shift('A')] }),
            Command::Axis(axis) => match axis {
                Axis::Linear => view("axis_linear", "Linear axis", "Equal heights are equal hertz."),
                Axis::Log => view("axis_log", "Log axis", "Equal heights are equal intervals."),
                Axis::Mel => view("axis_mel", "Mel axis", "Equal heights sound equally far apart."),
                Axis::Bark => view("axis_bark", "Bark axis", "Equal heights are equal critical bands."),
            },
            Command::NextAxis => view("axis_next", "Next axis", "Linear, log, mel, bark.").keys(const { &[key('A')] }),
            Command::LongerFrames => view("frames_longer", "Longer frames", "Finer in frequency, coarser in time.")
                .keys(const { &[key('.')] }),
            Command::ShorterFrames => view("frames_shorter", "Shorter frames", "Finer in time, coarser in frequency.")
                .keys(const { &[key(',')] }),
            Command::Colormap(map) => match map {
                Colormap::Viridis => view("colours_viridis", "Viridis", "Dark blue to yellow."),
                Colormap::Magma => view("colours_magma", "Magma", "Black to pale yellow through purple."),
                Colormap::Inferno => view("colours_inferno", "Inferno", "Black to pale yellow through red."),
                Colormap::Cividis => view("colours_cividis", "Cividis", "Blue to yellow, for colour blindness."),
                Colormap::Grey => view("colours_grey", "Grey", "Black to white."),
            },
            Command::NextColormap => {
                view("colours_next", "Next colours", "The next colour map.").keys(const { &[key('C')] })
            }
            Command::LockRange => view(
                "range_lock",
                "Lock the range",
                "Keeps the colours of levels as they are; unlocked they follow what is seen.",
            )
            .icon(i::LOCK),
            Command::FitRange => {
                view("range_fit", "Fit the range", "Spreads the colours once over the levels that are seen.")
                    .keys(const { &[shift('F')] })
                    .icon(i::EYE)
            }
            Command::ResetRange => {
                view("range_reset", "Usual range", "Colours levels from \u{2212}100 to 0 dB, and locks that.")
            }
            Command::Waveform => view(
                "waveform",
                "Waveform",
                "Draws the waveform over the picture, or takes it away; the View panel says how strongly.",
            )
            .keys(const { &[shift('W')] })
            .icon(i::AUDIO_WAVEFORM),
            Command::Loupe => view(
                "loupe",
                "Loupe",
                "Hold its key: the area around the pointer with another FFT size, chosen by the wheel. A tap keeps it.",
            )
            .keys(const { &[key('/')] })
            .icon(i::SEARCH),
            Command::Theme => view("theme", "Dark or light", "Changes the theme of the window.")
                .keys(const { &[ctrl_shift('T')] })
                .icon(i::MOON),
            Command::LargerInterface => view(
                "larger_interface",
                "Larger interface",
                "Words and buttons a quarter larger, up to twice as large.",
            )
            .keys(const { &[ctrl('.')] }),
            Command::SmallerInterface => {
                view("smaller_interface", "Smaller interface", "Words and buttons a quarter smaller again.")
                    .keys(const { &[ctrl(',')] })
            }
            Command::Panels => view("panels", "All panels", "Shows or hides the panels at the right.")
                .keys(const { &[plain(F(9))] })
                .icon(i::PANEL_RIGHT),
            Command::Panel(panel) => match panel {
                Panel::View => view("panel_view", "Panel of the view", "Shows or hides how the file is looked at."),
                Panel::Selection => {
                    view("panel_selection", "Panel of the selection", "Shows or hides range and figures.")
                }
                Panel::Spectrum => {
                    view("panel_spectrum", "Panel of the spectrum", "Shows or hides what sounds at the pointer.")
                }
                Panel::History => {
                    view("panel_history", "Panel of the history", "Shows or hides the list of all steps.")
                }
            },
            Command::Profiler => {
                view("profiler", "Profiler", "Shows what takes how long, on the processor and the graphics card.")
                    .keys(const { &[plain(F(12))] })
            }
            Command::Palette => help("palette", "Find a command", "Type a few letters of what you want to do.")
                .keys(const { &[ctrl_shift('P')] })
                .icon(i::SEARCH),
            Command::Keys => {
                help("keys", "All keys", "Shows every key.").keys(const { &[plain(F(1))] }).icon(i::KEYBOARD)
            }
        }
    }
}
