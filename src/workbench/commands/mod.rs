//! Everything that the studio can be told to do, in one enumerable table: menus, buttons, tooltips, keys, the palette,
//! the key sheet, accessible labels and tests all read it. Knows no egui.

mod cursor;
pub mod icons;
mod table;
mod tools;

pub use cursor::{CursorAct, Way};

use super::documents::{ChannelView, Panes};
use super::habits::{N_RECENT, Panel};
use super::searching::Seek;
use super::tools::Tool;
use crate::dsp::Axis;
use crate::view::Colormap;
use std::fmt;

/// One thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each has its name and its sentence in `spec`")]
pub enum Command {
    New,
    Open,
    OpenPath,
    OpenDemo,
    OpenRecent(usize),
    ForgetRecent,
    Close,
    SaveProject,
    SaveProjectAs,
    Export,
    Quit,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    PasteInPlace,
    LandPaste,
    Lengthen,
    EraseSelection,
    AttenuateSelection,
    HealSelection,
    RebuildPhase,
    Cancel,
    Before,
    SelectAll,
    SelectNone,
    Reselect,
    InvertSelection,
    GrowSelection,
    ShrinkSelection,
    FeatherSelection,
    ClosePolygon,
    CopyFigures,
    CopySpectrum,
    Snapping,
    FindNext,
    FindPrevious,
    Cursor(CursorAct),
    LearnNoise,
    ReduceNoise,
    Find(Seek),
    Tool(Tool),
    BrushSmaller,
    BrushLarger,
    BrushSofter,
    BrushHarder,
    LockRadius,
    ResetTool,
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
    Solo(usize),
    NextSolo,
    MonitorLouder,
    MonitorQuieter,
    MonitorReset,
    ClearClips,
    Output,
    ZoomAll,
    ZoomSelection,
    ZoomInTime,
    ZoomOutTime,
    ZoomInFrequency,
    ZoomOutFrequency,
    ZoomAllFrequency,
    ScrollEarlier,
    ScrollLater,
    ScrollUp,
    ScrollDown,
    Panes(Panes),
    NextPanes,
    RawPhase,
    Channels(ChannelView),
    NextChannels,
    Stacked,
    Axis(Axis),
    NextAxis,
    LongerFrames,
    ShorterFrames,
    Colormap(Colormap),
    NextColormap,
    LockRange,
    FitRange,
    ResetRange,
    Waveform,
    Loupe,
    Theme,
    LargerInterface,
    SmallerInterface,
    Panels,
    Panel(Panel),
    Profiler,
    Palette,
    Keys,
}

/// Which menu a command stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called what the menu is")]
pub enum Menu {
    File,
    Edit,
    Select,
    View,
    Play,
    Help,
}

impl Menu {
    /// From left to right.
    pub const ALL: [Menu; 6] = [Menu::File, Menu::Edit, Menu::Select, Menu::View, Menu::Play, Menu::Help];

    /// What stands in the bar.
    pub fn name(self) -> &'static str {
        match self {
            Menu::File => "File",
            Menu::Edit => "Edit",
            Menu::Select => "Select",
            Menu::View => "View",
            Menu::Play => "Play",
            Menu::Help => "Help",
        }
    }
}

/// A key by what is printed on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called what the key is")]
pub enum Code {
    /// A letter (upper case), digit or sign.
    Char(char),
    F(u8),
    Space,
    Delete,
    Backspace,
    Home,
    End,
    Escape,
    Enter,
    PageUp,
    PageDown,
    Left,
    Right,
    Up,
    Down,
}

/// A key with its modifiers. Never Alt: window managers own it with the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Ctrl, or Cmd on a Mac.
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
    /// Which key.
    pub code: Code,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str(if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" })?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.code {
            Code::Char('-') => f.write_str("\u{2212}"),
            Code::Char(letter) => write!(f, "{letter}"),
            Code::F(number) => write!(f, "F{number}"),
            Code::Escape => f.write_str("Esc"),
            Code::PageUp => f.write_str("Page Up"),
            Code::PageDown => f.write_str("Page Down"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// Where keys count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere, unless the canvas takes the key.
    Window,
    /// While the canvas has the keyboard.
    Canvas,
}

/// What is written about a command.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// For tests and, later, settings: `zoom_all`.
    pub id: &'static str,
    /// What menus and accessible labels say.
    pub name: &'static str,
    /// Where it stands.
    pub menu: Menu,
    /// The keys that give it, the one that is shown first.
    pub keys: &'static [Key],
    /// Where its keys count.
    pub context: Context,
    /// Its icon.
    pub icon: Option<char>,
    /// One sentence for the tooltip.
    pub what: &'static str,
}

impl Spec {
    /// Without keys and icon yet.
    const fn in_menu(menu: Menu, id: &'static str, name: &'static str, what: &'static str) -> Spec {
        Spec { id, name, menu, keys: &[], context: Context::Window, icon: None, what }
    }

    /// Given by these keys, the one that is shown first.
    const fn keys(self, keys: &'static [Key]) -> Spec {
        Spec { keys, ..self }
    }

    /// Shown by this icon.
    const fn icon(self, icon: char) -> Spec {
        Spec { icon: Some(icon), ..self }
    }
}

/// What decides which commands are enabled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a plain fact, which its name says")]
pub struct Facts {
    pub has_document: bool,
    pub is_reading: bool,
    pub n_recent: usize,
    pub is_largest: bool,
    pub is_smallest: bool,
    pub is_stereo: bool,
    pub n_channels: usize,
    pub can_undo: bool,
    pub can_redo: bool,
    pub has_edits: bool,
    pub has_selection: bool,
    pub has_last_selection: bool,
    pub has_clip: bool,
    pub is_floating: bool,
    pub is_snapping: bool,
    pub has_figures: bool,
    pub has_spectrum: bool,
    pub has_noise: bool,
    pub is_learning: bool,
    pub is_drawing_polygon: bool,
    pub is_playing: bool,
    pub is_busy: bool,
    pub has_brush: bool,
    pub is_band_only: bool,
    pub is_delta: bool,
}

impl Command {
    /// Every command, in the order of the menus.
    pub fn all() -> Vec<Command> {
        use Command as C;
        let mut all = vec![C::New, C::Open, C::OpenPath];
        all.extend((0..N_RECENT).map(C::OpenRecent));
        all.extend([C::ForgetRecent, C::OpenDemo, C::SaveProject, C::SaveProjectAs, C::Export, C::Close, C::Quit]);
        all.extend([C::Undo, C::Redo, C::Cut, C::Copy, C::Paste, C::PasteInPlace, C::LandPaste, C::Lengthen]);
        all.extend([C::EraseSelection, C::AttenuateSelection, C::HealSelection]);
        all.extend([C::LearnNoise, C::ReduceNoise, C::RebuildPhase, C::Cancel, C::Before]);
        all.extend([C::SelectAll, C::SelectNone, C::Reselect, C::InvertSelection]);
        all.extend([C::GrowSelection, C::ShrinkSelection, C::FeatherSelection, C::ClosePolygon, C::CopyFigures]);
        all.extend([C::CopySpectrum, C::Snapping, C::FindNext, C::FindPrevious]);
        all.extend(Seek::ALL.map(C::Find));
        all.extend(CursorAct::all().into_iter().map(C::Cursor));
        all.extend(Tool::ALL.map(C::Tool));
        all.extend([C::BrushSmaller, C::BrushLarger, C::BrushSofter, C::BrushHarder, C::LockRadius, C::ResetTool]);
        all.extend([C::ZoomAll, C::ZoomSelection, C::ZoomInTime, C::ZoomOutTime]);
        all.extend([C::ZoomInFrequency, C::ZoomOutFrequency, C::ZoomAllFrequency]);
        all.extend([C::ScrollEarlier, C::ScrollLater, C::ScrollUp, C::ScrollDown]);
        all.extend(Panes::ALL.map(C::Panes));
        all.extend([C::NextPanes, C::RawPhase]);
        all.extend(
            [ChannelView::All, ChannelView::One(0), ChannelView::One(1), ChannelView::Mid, ChannelView::Side]
                .map(C::Channels),
        );
        all.extend([C::Stacked, C::NextChannels]);
        all.extend(Axis::ALL.map(C::Axis));
        all.push(C::NextAxis);
        all.extend([C::LongerFrames, C::ShorterFrames]);
        all.extend(Colormap::ALL.map(C::Colormap));
        all.extend([C::NextColormap, C::LockRange, C::FitRange, C::ResetRange, C::Waveform, C::Loupe]);
        all.extend([C::Theme, C::LargerInterface, C::SmallerInterface, C::Panels]);
        all.extend(Panel::ALL.map(C::Panel));
        all.push(C::Profiler);
        all.extend([C::PlayStop, C::PlayFromPointer, C::Pause, C::Stop, C::Loop]);
        all.extend([C::ShuttleBack, C::ShuttleForward, C::ToStart, C::ToEnd]);
        all.extend([C::BandOnly, C::Delta, C::Solo(0), C::Solo(1), C::NextSolo]);
        all.extend([C::MonitorLouder, C::MonitorQuieter, C::MonitorReset, C::ClearClips, C::Output]);
        all.extend([C::Palette, C::Keys]);
        all
    }

    /// The submenu that it stands in, if not in the menu itself.
    pub fn submenu(self) -> Option<&'static str> {
        Some(match self {
            Command::Tool(tool) if tool.is_brush() => "Brushes",
            Command::BrushSmaller | Command::BrushLarger | Command::BrushSofter | Command::BrushHarder => "Brushes",
            Command::LockRadius | Command::ResetTool => "Brushes",
            Command::ZoomAll | Command::ZoomSelection | Command::ZoomInTime | Command::ZoomOutTime => "Zoom",
            Command::ZoomInFrequency | Command::ZoomOutFrequency | Command::ZoomAllFrequency => "Zoom",
            Command::ScrollEarlier | Command::ScrollLater | Command::ScrollUp | Command::ScrollDown => "Scroll",
            Command::Panes(_) | Command::NextPanes | Command::RawPhase => "Show",
            Command::Channels(_) | Command::NextChannels | Command::Stacked => "Channels",
            Command::Axis(_) | Command::NextAxis => "Axis",
            Command::LongerFrames | Command::ShorterFrames => "Frames",
            Command::Colormap(_) | Command::NextColormap => "Colours",
            Command::OpenRecent(_) | Command::ForgetRecent => "Open recent",
            Command::LargerInterface | Command::SmallerInterface => "Size of the interface",
            Command::Panels | Command::Panel(_) => "Panels",
            Command::Cursor(_) => "Cursor",
            Command::LockRange | Command::FitRange | Command::ResetRange => "Colours",
            Command::Solo(_) | Command::NextSolo => "Solo",
            Command::MonitorLouder | Command::MonitorQuieter | Command::MonitorReset => "Monitor gain",
            _ => return None,
        })
    }

    /// Whether it changes, writes, plays or searches the sound, so that all of it has to be there.
    fn takes_the_whole_sound(self) -> bool {
        matches!(
            self,
            Command::Export
                | Command::Cut
                | Command::Copy
                | Command::Paste
                | Command::PasteInPlace
                | Command::Lengthen
                | Command::EraseSelection
                | Command::AttenuateSelection
                | Command::HealSelection
                | Command::RebuildPhase
                | Command::LearnNoise
                | Command::ReduceNoise
                | Command::Find(_)
                | Command::FindNext
                | Command::FindPrevious
                | Command::PlayStop
                | Command::PlayFromPointer
                | Command::ShuttleBack
                | Command::ShuttleForward
        )
    }

    /// Whether it can be done now, and if not, why.
    pub fn enabled(self, facts: &Facts) -> Result<(), &'static str> {
        let need = |holds: bool, why: &'static str| if holds { Ok(()) } else { Err(why) };
        let document = need(facts.has_document, "Open a file first.");
        if facts.is_reading && self.takes_the_whole_sound() {
            return Err("The file is still being read.");
        }
        match self {
            Command::New | Command::Open | Command::OpenPath | Command::OpenDemo | Command::Quit | Command::Cancel => {
                Ok(())
            }
            Command::Snapping => Ok(()),
            Command::Tool(_) | Command::Theme | Command::Panels | Command::Palette | Command::Keys => Ok(()),
            Command::Panel(_) => Ok(()),
            Command::OpenRecent(i) => need(i < facts.n_recent, "So many files were not opened yet."),
            Command::ForgetRecent => need(facts.n_recent > 0, "No file was opened yet."),
            Command::LargerInterface => need(!facts.is_largest, "It is as large as it gets."),
            Command::SmallerInterface => need(!facts.is_smallest, "It is as small as it gets."),
            Command::Profiler => Ok(()),
            Command::Loop | Command::MonitorLouder | Command::MonitorQuieter | Command::MonitorReset => Ok(()),
            Command::ClearClips | Command::Output => Ok(()),
            Command::BandOnly => document.and(need(facts.has_selection || facts.is_band_only, "Nothing is selected.")),
            Command::Delta => document.and(need(facts.has_edits || facts.is_delta, "Nothing was changed yet.")),
            Command::Solo(i) => document.and(need(i < facts.n_channels, "The file has no such channel.")),
            Command::Undo => document.and(need(facts.can_undo, "There is nothing to undo.")),
            Command::Redo => document.and(need(facts.can_redo, "There is nothing to redo.")),
            Command::Before => document.and(need(facts.has_edits, "The file is as it was opened.")),
            Command::Paste | Command::PasteInPlace => document.and(need(facts.has_clip, "Nothing was copied yet.")),
            Command::LandPaste => document.and(need(facts.is_floating, "Nothing floats.")),
            Command::Cut | Command::Copy => document.and(need(facts.has_selection, "Nothing is selected.")),
            Command::ReduceNoise => document
                .and(need(!facts.is_learning, "The noise is still being learnt."))
                .and(need(facts.has_noise, "Learn a noise first.")),
            Command::AttenuateSelection | Command::HealSelection | Command::RebuildPhase | Command::LearnNoise => {
                document.and(need(facts.has_selection, "Nothing is selected."))
            }
            Command::Find(Seek::Alike) | Command::EraseSelection | Command::SelectNone | Command::ZoomSelection => {
                document.and(need(facts.has_selection, "Nothing is selected."))
            }
            Command::FindNext | Command::FindPrevious => {
                document.and(need(facts.has_selection, "Select what you look for first."))
            }
            Command::InvertSelection
            | Command::GrowSelection
            | Command::ShrinkSelection
            | Command::FeatherSelection => document.and(need(facts.has_selection, "Nothing is selected.")),
            Command::Reselect => {
                document.and(need(facts.has_last_selection && !facts.has_selection, "Nothing was selected before."))
            }
            Command::ClosePolygon => document.and(need(facts.is_drawing_polygon, "No polygon is being drawn.")),
            Command::CopySpectrum => document.and(need(facts.has_spectrum, "Show the spectrum panel first.")),
            Command::CopyFigures => document.and(need(facts.has_figures, "Nothing is selected.")),
            Command::BrushSmaller | Command::BrushLarger | Command::BrushSofter | Command::BrushHarder => {
                need(facts.has_brush, "Pick a brush first.")
            }
            Command::LockRadius | Command::ResetTool => need(facts.has_brush, "Pick a brush first."),
            Command::Pause | Command::Stop => document.and(need(facts.is_playing, "Nothing is playing.")),
            Command::Channels(ChannelView::Mid | ChannelView::Side) => {
                document.and(need(facts.is_stereo, "Only a stereo file has mid and side."))
            }
            Command::Stacked => document.and(need(facts.n_channels > 1, "The file has one channel.")),
            Command::Channels(ChannelView::One(i)) => {
                document.and(need(i < facts.n_channels, "The file has no such channel."))
            }
            _ => document,
        }
    }

    /// Whether holding its key does it again and again.
    pub fn repeats(self) -> bool {
        matches!(self, Command::Cursor(act) if act.moves())
            || matches!(
                self,
                Command::Undo
                    | Command::Redo
                    | Command::GrowSelection
                    | Command::ShrinkSelection
                    | Command::MonitorLouder
                    | Command::MonitorQuieter
                    | Command::BrushSmaller
                    | Command::BrushLarger
                    | Command::BrushSofter
                    | Command::BrushHarder
                    | Command::ZoomInTime
                    | Command::ZoomOutTime
                    | Command::ZoomInFrequency
                    | Command::ZoomOutFrequency
                    | Command::ScrollEarlier
                    | Command::ScrollLater
                    | Command::ScrollUp
                    | Command::ScrollDown
            )
    }
}
