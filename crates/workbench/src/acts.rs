//! Everything that can be done to the workbench, as values: [`Workbench::act`](super::Workbench::act) is the one way
//! in. The window's widgets, tests and anything else that drives a workbench send these. Nested by owner, the part of
//! the workbench that performs them; an owner matches its acts without a wildcard.

use super::browsing::LibraryQuery;
use super::budgets::Budgets;
use super::commands::{
    BeatCommand, BrowseCommand, CanvasCommand, ClipboardCommand, Command, CursorCommand, EditCommand, FileCommand,
    FindCommand, KeepCommand, LabelCommand, LayoutCommand, PlayCommand, PreviewCommand, SelectCommand, TabCommand,
    ToolCommand, ViewCommand, WindowCommand,
};
use super::documents::{Panes, View};
use super::dragging::Draggable;
use super::files::{PastedPicture, Reply};
use super::habits::{Curves, Panel, PanelSide, WindowHabits};
use super::keeping::KeepAct;
use super::labelling::LabelOrder;
use super::measuring::Readout;
use super::notices::Severity;
use super::painting::StrokeAct;
use super::searching::SelectWish;
use super::tools::ToolSettings;
use crate::base::Error;
use crate::document::brushes::PictureBrush;
use crate::document::{Edit, Snapshot};
use crate::dsp::{Axis, Selection, Transform};
use crate::library::similar::SimilarDials;
use crate::view::{ChannelView, Colormap};
use std::path::PathBuf;

/// One thing to do.
#[derive(Debug, Clone)]
pub enum Act {
    /// Performs a command of the table if it is enabled. One that only the window can perform comes back as
    /// [`BenchEvent::Perform`](super::BenchEvent::Perform).
    Command(Command),
    /// Answers a [`Question`](super::Question).
    Reply(Reply),
    /// Files, sessions and limits.
    File(FileAct),
    /// Tabs, each named by its document.
    Tab(TabAct),
    /// The document in front.
    Document(DocumentAct),
    /// Its labels.
    Label(LabelAct),
    /// The damage that was found in it.
    Damage(DamageAct),
    /// The stroke in hand.
    Stroke(StrokeAct),
    /// How the document in front is looked at.
    View(ViewAct),
    /// Replaces the settings of all tools. Which tool is active, snapping and the learnt noise have commands.
    Tools(Box<ToolSettings>),
    /// Panels and the window's looks.
    Layout(LayoutAct),
    /// The library of sounds.
    Library(LibraryAct),
    /// What is kept by a name: noise profiles and presets.
    Keep(KeepAct),
    /// What is dragged out of the window.
    DragOut(DragOutAct),
    /// Playback.
    Play(PlayAct),
    /// Shows and dismisses notices.
    Notice(NoticeAct),
    /// Discards what floats, else stops the work that was ordered last. Where there is neither,
    /// [`BenchEvent::NothingToCancel`](super::BenchEvent::NothingToCancel) says so.
    Cancel,
}

/// About files, sessions and limits.
#[derive(Debug, Clone)]
pub enum FileAct {
    /// Opens these files, one after the other; each comes to the front. Folders are added to the library.
    Open(Vec<PathBuf>),
    /// Lets a picture float over the document in front, or over a new canvas.
    Paste(PastedPicture),
    /// Brings a sound without a file to the front, as a document of its own.
    Show(Snapshot),
    /// Looks for sessions of processes that ended unexpectedly, then opens files.
    LookForSessions {
        /// Whether to restore them; none asks the user.
        agreed: Option<bool>,
        /// Opened after that.
        files: Vec<PathBuf>,
    },
    /// Goes on in the session in this folder, whose process was replaced by this one.
    Resume(PathBuf),
    /// Limits memory and disk of the documents opened from now on.
    Limit(Budgets),
    /// Opens the demo clip, unless [`LookForSessions`](FileAct::LookForSessions) finds something or opens a file.
    BeginWithDemo,
    /// Sounds may be saved back over the files that they were opened from.
    AllowSavingBack,
    /// Asks an export to stop; it is still being written until it has.
    StopWriting,
    /// For tests: a job that should open this path meets a defect.
    #[cfg(feature = "hooks")]
    Panic(PathBuf),
}

/// About a tab, named by the id of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabAct {
    /// Brings it to the front.
    Activate(u64),
    /// Closes it, after a question if it has unsaved edits.
    Close(u64),
    /// Moves it to another place.
    Move {
        /// The document's id.
        id: u64,
        /// Counted from the left, from 0.
        place: usize,
    },
}

/// About the document in front.
#[derive(Debug, Clone)]
pub enum DocumentAct {
    /// Applies an edit once those before it are applied.
    Edit(Box<Edit>),
    /// Goes to a step of the history, 0 being the sound as it was opened; ignored while an edit is in progress.
    GoTo(usize),
    /// Moves the time cursor, in seconds.
    Cursor(f64),
    /// Moves the keyboard's cursor, in seconds and hertz, and scrolls until it is in view.
    KeyCursor([f64; 2]),
    /// Selects this, or nothing.
    Select(Option<Selection>),
    /// Selects what is to be found in the sound.
    Find(SelectWish),
    /// Moves what floats to this offset from where it was copied: seconds, and units of its axis.
    Float([f64; 2]),
    /// Gives the picture that floats other settings and another area; its pixels stay.
    FloatPicture(Box<PictureBrush>),
    /// The clone brush takes its sound from this document again.
    CloneFromHere,
    /// Notes what is under the pointer; none: the pointer is elsewhere.
    Point(Option<Readout>),
    /// Keeps the spectra up to date at this time in seconds; `None` while they are hidden.
    FollowSpectrum(Option<f64>),
}

/// About labels of the document in front, each by its id.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelAct {
    /// Takes a label in hand: selects its range, puts the cursor at its start and scrolls there.
    GoTo(u64),
    /// Moves the cursor to a place that was found, counted from 0, and scrolls there.
    GoToPlace(usize),
    /// Asks for the text of a label.
    Name(u64),
    /// Removes a label.
    Remove(u64),
    /// Draws a label of the class in hand.
    Draw {
        /// Start and end in seconds; equal ones make a marker.
        secs: [f64; 2],
        /// Its band, lower and upper edge in hertz.
        hz: Option<[f64; 2]>,
    },
    /// Gives a label other edges.
    Reshape {
        /// Which.
        id: u64,
        /// Start and end in seconds.
        secs: [f64; 2],
        /// Lower and upper edge of its band in hertz, where it has them.
        hz: [Option<f64>; 2],
    },
    /// Which labels are listed, and in which order.
    List(LabelOrder),
}

/// About the damage that was found in the document in front, each finding counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageAct {
    /// Selects its places, moves the cursor to the first and scrolls there.
    GoTo(usize),
    /// Begins the preview of its repair, or applies it where it has none.
    Repair(usize),
    /// Lists no damage any more.
    Clear,
}

/// A value of the view of the document in front.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewAct {
    /// Left and right edge in seconds.
    Secs([f64; 2]),
    /// Lower and upper edge in hertz.
    Hz([f64; 2]),
    /// The frequency axis.
    Axis(Axis),
    /// Magnitude, phase or both.
    Panes(Panes),
    /// Which channels are shown and painted on; ignored if the sound has no such channel.
    Channels(ChannelView),
    /// All channels, each in a pane of its own.
    Stacked(bool),
    /// The transform.
    Transform(Transform),
    /// The colour map of the magnitude.
    Colormap(Colormap),
    /// Darkest and brightest level in decibels.
    RangeDb([f32; 2]),
    /// The phase without each bin's phase advance subtracted.
    RawPhase(bool),
    /// Levels blended between the centres of large cells.
    Smooth(bool),
    /// Whether the range of levels stays; else it follows what is visible.
    RangeLocked(bool),
    /// Opacity of the waveform, 0 to 1.
    Waveform(f32),
    /// Whether the time ruler shows the time of day.
    TimeOfDay(bool),
    /// Whether bars and beats are shown, where there is a beat grid.
    BeatLines(bool),
    /// Whether the pitch is drawn over the picture.
    PitchLine(bool),
}

impl ViewAct {
    /// The acts that make `after` of `before`.
    pub fn between(before: &View, after: &View) -> Vec<ViewAct> {
        let changes = [
            (before.axis != after.axis).then_some(ViewAct::Axis(after.axis)),
            (before.secs != after.secs).then_some(ViewAct::Secs(after.secs)),
            (before.hz != after.hz).then_some(ViewAct::Hz(after.hz)),
            (before.panes != after.panes).then_some(ViewAct::Panes(after.panes)),
            (before.channels != after.channels).then_some(ViewAct::Channels(after.channels)),
            (before.stacked != after.stacked).then_some(ViewAct::Stacked(after.stacked)),
            (before.transform != after.transform).then(|| ViewAct::Transform(after.transform.clone())),
            (before.colormap != after.colormap).then_some(ViewAct::Colormap(after.colormap)),
            (before.range_db != after.range_db).then_some(ViewAct::RangeDb(after.range_db)),
            (before.raw_phase != after.raw_phase).then_some(ViewAct::RawPhase(after.raw_phase)),
            (before.smooth != after.smooth).then_some(ViewAct::Smooth(after.smooth)),
            (before.range_locked != after.range_locked).then_some(ViewAct::RangeLocked(after.range_locked)),
            (before.time_of_day != after.time_of_day).then_some(ViewAct::TimeOfDay(after.time_of_day)),
            (before.beat_lines != after.beat_lines).then_some(ViewAct::BeatLines(after.beat_lines)),
            (before.pitch_line != after.pitch_line).then_some(ViewAct::PitchLine(after.pitch_line)),
            (before.waveform != after.waveform).then_some(ViewAct::Waveform(after.waveform)),
        ];
        changes.into_iter().flatten().collect()
    }
}

/// About panels and the window's looks, which are remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum LayoutAct {
    /// Unfolds or folds a panel.
    Open {
        /// Which.
        panel: Panel,
        /// Whether more than its heading is shown.
        is_open: bool,
    },
    /// Shows a panel over the canvas, in a narrow window; none hides it.
    Over(Option<Panel>),
    /// Which curves the spectrum panel draws beside the spectrum itself.
    Curves(Curves),
    /// How wide a side of the window is, in points.
    Width(PanelSide, f32),
    /// Theme, scale and size of the window.
    Window(WindowHabits),
    /// The phase pane's part of the canvas's height.
    PhasePart(f32),
}

/// About the library of sounds.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAct {
    /// Uses the library in this database from now on.
    Use(PathBuf),
    /// Adds folders and shows the library; what was paused goes on.
    Add(Vec<PathBuf>),
    /// The studio follows what happens in a folder of the library, or does not.
    WatchFolder {
        /// The folder's number.
        id: i64,
        /// Whether it does.
        is_watched: bool,
    },
    /// Takes a folder out of the library; its files stay as they are.
    RemoveFolder(PathBuf),
    /// Lists the sounds that a query asks for.
    Find(LibraryQuery),
    /// These rows of the list are in view.
    See {
        /// The first, from 0.
        first: usize,
        /// How many.
        n: usize,
    },
    /// Takes a sound in hand, by its row.
    Choose {
        /// The row, from 0.
        at: usize,
        /// Whether it is heard.
        is_heard: bool,
    },
    /// Stops the sound of the library that is heard.
    Quiet,
    /// Opens the file of the sound in hand.
    Open,
    /// Lets a sound float over the document in front.
    Paste {
        /// The sound's number in the library.
        id: i64,
        /// From these seconds on, and where in hertz its pitch or else its centroid lies; at its own pitch if that is
        /// no number.
        at: [f64; 2],
    },
    /// Sets what counts how much for likeness.
    Dials(SimilarDials),
    /// Subtracts the second sound from the first, both by number.
    NullTest([i64; 2]),
}

/// About what is dragged out of the window to other programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DragOutAct {
    /// Makes a file of it, where there is none: [`BenchEvent::DragOut`](super::BenchEvent::DragOut) says which.
    Begin(Draggable),
    /// It was let go over the document in front, at this time in seconds: what was dragged last is pasted there.
    Paste(f64),
}

/// About playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlayAct {
    /// Sets the monitor's gain in decibels.
    Gain(f64),
    /// Plays the document in front at the nearest of the speeds.
    Speed(f64),
}

/// Acts on notices.
#[derive(Debug, Clone, PartialEq)]
pub enum NoticeAct {
    /// Shows a notice.
    Tell {
        /// How bad it is.
        severity: Severity,
        /// What happened, as a sentence.
        what: String,
        /// What to do about it, if anything.
        advice: Option<String>,
    },
    /// Says that something failed.
    Fail {
        /// Completes "Cannot ...".
        doing: &'static str,
        /// Why.
        error: Error,
    },
    /// Announces a written report, with buttons that copy it and show its folder.
    Report {
        /// What happened, as a sentence.
        what: String,
        /// What to do about it, if anything.
        advice: Option<String>,
        /// The report.
        file: PathBuf,
    },
    /// Copies the text of a report.
    CopyReport(PathBuf),
    /// Shows a folder in the system's own way.
    ShowFolder(PathBuf),
    /// Closes a notice, by id.
    Close(u64),
    /// Closes all notices.
    CloseAll,
    /// Keeps a notice that is being read for a while longer, by id.
    Keep(u64),
}

impl NoticeAct {
    /// A warning: a sentence without a full stop.
    pub fn warning(what: &str) -> NoticeAct {
        NoticeAct::Tell { severity: Severity::Warning, what: super::notices::sentence(what), advice: None }
    }
}

/// An owner's acts are acts.
macro_rules! acts {
    ($($of:ident($owner:ty)),+ $(,)?) => {
        $(impl From<$owner> for Act {
            fn from(act: $owner) -> Act {
                Act::$of(act)
            }
        })+
    };
}

acts! {
    Reply(Reply),
    File(FileAct),
    Tab(TabAct),
    Document(DocumentAct),
    Label(LabelAct),
    Damage(DamageAct),
    View(ViewAct),
    Layout(LayoutAct),
    Library(LibraryAct),
    Stroke(StrokeAct),
    Keep(KeepAct),
    DragOut(DragOutAct),
    Play(PlayAct),
    Notice(NoticeAct),
}

/// Commands are acts.
macro_rules! command_acts {
    ($($owner:ty),+ $(,)?) => {
        $(impl From<$owner> for Act {
            fn from(command: $owner) -> Act {
                Act::Command(command.into())
            }
        })+
    };
}

command_acts!(
    Command,
    BeatCommand,
    CanvasCommand,
    ClipboardCommand,
    CursorCommand,
    EditCommand,
    FileCommand,
    FindCommand,
    KeepCommand,
    LabelCommand,
    LayoutCommand,
    BrowseCommand,
    PlayCommand,
    PreviewCommand,
    SelectCommand,
    TabCommand,
    ToolCommand,
    ViewCommand,
    WindowCommand,
);

/// What widgets ask for while they are drawn, in order; done once the frame is drawn.
#[derive(Debug, Default)]
pub struct Acts(Vec<Act>);

impl Acts {
    /// Adds one at the end.
    pub fn push(&mut self, act: impl Into<Act>) {
        self.0.push(act.into());
    }

    /// Adds what makes `after` of `before`, two versions of the view of the document in front.
    pub fn change_view(&mut self, before: &View, after: &View) {
        self.0.extend(ViewAct::between(before, after).into_iter().map(Act::View));
    }

    /// Whether any changes what is drawn. A notice that is kept for reading looks the same.
    pub fn need_a_frame(&self) -> bool {
        self.0.iter().any(|act| !matches!(act, Act::Notice(NoticeAct::Keep(_))))
    }

    /// Forgets commands, and keeps values: a field that loses the keyboard still sends what was typed.
    pub fn drop_commands(&mut self) {
        self.0.retain(|act| !matches!(act, Act::Command(_)));
    }
}

impl IntoIterator for Acts {
    type Item = Act;
    type IntoIter = std::vec::IntoIter<Act>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
