//! Every action on the workbench, as a value. The window's widgets, tests and other drivers change the workbench only
//! by passing acts to [`Workbench::act`](crate::Workbench::act). Acts are nested by owner, the part of the workbench
//! that performs them; an owner matches its acts without a wildcard.

use super::budgets::Budgets;
use super::notices::Severity;
use crate::base::Error;
use crate::commands::{
    BeatCommand, BrowseCommand, CanvasCommand, ClipboardCommand, Command, CursorCommand, EditCommand, FileCommand,
    FindCommand, LabelCommand, LayoutCommand, PlayCommand, PresetCommand, PreviewCommand, SelectCommand, TabCommand,
    ToolCommand, ViewCommand, WindowCommand,
};
use crate::document::brushes::PictureBrush;
use crate::document::{Edit, Snapshot};
use crate::documents::{Panes, View};
use crate::drag_out::Draggable;
use crate::dsp::{Axis, Selection, Transform};
use crate::files::{PastedPicture, Reply};
use crate::labels::LabelOrder;
use crate::library::similar::SimilarDials;
use crate::library_panel::{LibraryQuery, PasteAt, PastedSound, PreviewedSound};
use crate::measurements::Readout;
use crate::search::SelectRequest;
use crate::settings::preferences::{Curves, Panel, PanelSide, WindowPreferences};
use crate::settings::presets::PresetAct;
use crate::settings::tools::ToolSettings;
use crate::strokes::StrokeAct;
use crate::view::{ChannelView, Colormap};
use std::path::PathBuf;

/// An action on the workbench.
#[derive(Debug, Clone)]
pub enum Act {
    /// Performs a command of the table if it is enabled. A command that only the window can perform is returned as
    /// [`BenchEvent::Perform`](crate::BenchEvent::Perform).
    Command(Command),
    /// Answers a [`Question`](crate::Question).
    Reply(Reply),
    /// Files, sessions and limits.
    File(FileAct),
    /// Tabs, identified by their documents.
    Tab(TabAct),
    /// The document in front.
    Document(DocumentAct),
    /// Labels of the document in front.
    Label(LabelAct),
    /// Damage found in the document in front.
    Damage(DamageAct),
    /// The stroke being drawn.
    Stroke(StrokeAct),
    /// The view of the document in front.
    View(ViewAct),
    /// Replaces the settings of all tools. The active tool, snapping and the learnt noise are changed by commands
    /// instead.
    Tools(Box<ToolSettings>),
    /// Panels and the window's appearance.
    Layout(LayoutAct),
    /// The library of sounds.
    Library(LibraryAct),
    /// A sound that was read from the library.
    LibrarySound(LibrarySoundAct),
    /// Saved noise profiles and presets.
    Preset(PresetAct),
    /// Drags out of the window.
    DragOut(DragOutAct),
    /// Playback.
    Play(PlayAct),
    /// Shows and dismisses notices.
    Notice(NoticeAct),
    /// Discards the floating paste or preview, else cancels the latest order. If there is neither, sends
    /// [`BenchEvent::NothingToCancel`](crate::BenchEvent::NothingToCancel).
    Cancel,
}

/// Acts on files, sessions and limits.
#[derive(Debug, Clone)]
pub enum FileAct {
    /// Opens these files in order; each comes to the front. Folders are added to the library.
    Open(Vec<PathBuf>),
    /// Opens this file, which is known to be neither a folder nor a list of files.
    OpenFile(PathBuf),
    /// Opens the system's dialog for a folder to add to the library.
    PickLibraryFolder,
    /// Floats a picture over the document in front, or over a new canvas.
    Paste(PastedPicture),
    /// Brings a sound without a file to the front, as a new document.
    Show(Snapshot),
    /// Searches for sessions of processes that ended unexpectedly, then opens files.
    LookForSessions {
        /// Whether to restore them; `None` asks the user.
        agreed: Option<bool>,
        /// Files to open afterwards.
        files: Vec<PathBuf>,
    },
    /// Resumes the session in this folder; this process replaced the one that wrote it.
    Resume(PathBuf),
    /// Limits memory and disk of the documents opened from now on.
    Limit(Budgets),
    /// Opens the demo clip, unless [`LookForSessions`](FileAct::LookForSessions) finds something or opens a file.
    BeginWithDemo,
    /// Allows saving sounds back over the files they were opened from.
    AllowSavingBack,
    /// Asks which graphics adapter, of those that can draw the window, and which engine to use from the next start on.
    AskGraphics(Vec<String>),
    /// Cancels the exports. The workbench still counts as writing until the running one has stopped.
    StopWriting,
    /// For tests: makes the job that opens this path panic.
    #[cfg(feature = "hooks")]
    Panic(PathBuf),
}

/// Acts on a tab, by the id of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabAct {
    /// Brings the document to the front.
    Activate(u64),
    /// Closes the document, after a question if it has unsaved edits.
    Close(u64),
    /// Moves the tab to another position.
    Move {
        /// The document's id.
        id: u64,
        /// New index of the tab, counted from 0 at the left.
        place: usize,
    },
}

/// Acts on the document in front.
#[derive(Debug, Clone)]
pub enum DocumentAct {
    /// Applies an edit after the pending ones.
    Edit(Box<Edit>),
    /// Goes to a step of the history, 0 being the sound as it was opened; ignored while an edit is in progress.
    GoTo(usize),
    /// Moves the time cursor, in seconds.
    Cursor(f64),
    /// Moves the keyboard's cursor, in seconds and hertz, and scrolls it into view.
    KeyCursor([f64; 2]),
    /// Sets or clears the selection.
    Select(Option<Selection>),
    /// Selects a shape found in the sound.
    Find(SelectRequest),
    /// Moves the floating paste to this offset from where it was copied: seconds, and units of its axis.
    Float([f64; 2]),
    /// Changes settings and area of the floating picture, keeping its pixels.
    FloatPicture(Box<PictureBrush>),
    /// Makes the clone brush copy from this document again.
    CloneFromHere,
    /// Sets the values under the pointer; `None` if the pointer is not over the canvas.
    Point(Option<Readout>),
    /// Keeps the spectra up to date at this time in seconds; `None` while they are hidden.
    FollowSpectrum(Option<f64>),
}

/// Acts on labels of the document in front, by id.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelAct {
    /// Makes a label current: selects its range, moves the cursor to its start and scrolls there.
    GoTo(u64),
    /// Moves the cursor to a search result, counted from 0, and scrolls there.
    GoToPlace(usize),
    /// Asks the user for the text of a label.
    Name(u64),
    /// Removes a label.
    Remove(u64),
    /// Adds a label of the current class.
    Draw {
        /// Start and end in seconds; equal ones make a marker.
        secs: [f64; 2],
        /// Lower and upper edge of its band in hertz; `None` for a label without a band.
        hz: Option<[f64; 2]>,
    },
    /// Changes the edges of a label.
    Reshape {
        /// Id of the label.
        id: u64,
        /// Start and end in seconds.
        secs: [f64; 2],
        /// Lower and upper edge of its band in hertz, where it has them.
        hz: [Option<f64>; 2],
    },
    /// Sets filter and order of the label list.
    List(LabelOrder),
}

/// Acts on damage found in the document in front, by the index of a finding, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageAct {
    /// Selects all places of the finding, moves the cursor to the first and scrolls there.
    GoTo(usize),
    /// Starts the preview of the finding's repair, or applies the repair if it has no preview.
    Repair(usize),
    /// Clears the list of damage.
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
    /// The channels to show and paint on; ignored if the sound has no such channel.
    Channels(ChannelView),
    /// Whether all channels are shown in panes of their own.
    Stacked(bool),
    /// The transform.
    Transform(Transform),
    /// The colour map of the magnitude.
    Colormap(Colormap),
    /// Darkest and brightest level in decibels.
    RangeDb([f32; 2]),
    /// Whether phases are shown as they are, instead of with each bin's phase advance subtracted.
    RawPhase(bool),
    /// Whether levels are interpolated between the centres of large cells.
    Smooth(bool),
    /// Whether the displayed range of levels is fixed; otherwise it follows the visible levels.
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
    /// The acts that change `before` into `after`.
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

/// Acts on panels and the window's appearance, which are remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum LayoutAct {
    /// Expands or collapses a panel.
    Open {
        /// The panel.
        panel: Panel,
        /// Whether it is expanded, rather than only its heading shown.
        is_open: bool,
    },
    /// Shows a panel over the canvas, in a narrow window; `None` hides it.
    Over(Option<Panel>),
    /// The curves that the spectrum panel draws in addition to the spectrum.
    Curves(Curves),
    /// Width of the panels at a side of the window, in points.
    Width(PanelSide, f32),
    /// Theme, scale and size of the window.
    Window(WindowPreferences),
    /// Fraction of the canvas's height for the phase pane.
    PhasePart(f32),
}

/// Acts on the library of sounds.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryAct {
    /// Switches to the library in this database.
    Use(PathBuf),
    /// Adds folders and shows the library; a paused run continues.
    Add(Vec<PathBuf>),
    /// Starts or stops watching a folder of the library.
    WatchFolder {
        /// Id of the folder.
        id: i64,
        /// Whether to watch it.
        is_watched: bool,
    },
    /// Removes a folder from the library; its files are unchanged.
    RemoveFolder(PathBuf),
    /// Lists the sounds that match a query.
    Find(LibraryQuery),
    /// Reports the visible rows of the list.
    See {
        /// The first row, from 0.
        first: usize,
        /// Number of rows.
        n: usize,
    },
    /// Makes a sound current, by its row.
    Choose {
        /// The row, from 0.
        at: usize,
        /// Whether to play it.
        is_audible: bool,
    },
    /// Stops the library sound.
    Quiet,
    /// Opens the file of the current sound.
    Open,
    /// Floats a sound over the document in front.
    Paste {
        /// Id of the sound in the library.
        id: i64,
        /// Start in seconds, and the frequency in hertz to which its pitch or centroid is shifted; NaN keeps its pitch.
        at: [f64; 2],
    },
    /// Sets the weights of the similarity search.
    Dials(SimilarDials),
    /// Subtracts the second sound from the first, both by id.
    NullTest([i64; 2]),
}

/// Acts on a sound that was read from the library.
#[derive(Debug, Clone)]
pub enum LibrarySoundAct {
    /// Plays it.
    Play(Box<PreviewedSound>),
    /// Floats it over a document.
    Float(PasteAt, Box<PastedSound>),
}

/// Acts on dragging out of the window to other programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DragOutAct {
    /// Writes the sound to a file if it has none, then sends the path in
    /// [`BenchEvent::DragOut`](crate::BenchEvent::DragOut).
    Begin(Draggable),
    /// Floats the last sound dragged out over the document in front, starting at the drop position in seconds.
    Paste(f64),
}

/// Acts on playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlayAct {
    /// Sets the monitor's gain in decibels.
    Gain(f64),
    /// Sets the playback speed of the document in front, to the nearest available one.
    Speed(f64),
}

/// Acts on notices.
#[derive(Debug, Clone, PartialEq)]
pub enum NoticeAct {
    /// Shows a notice.
    Show {
        /// Its severity.
        severity: Severity,
        /// The message, a sentence.
        what: String,
        /// Advice on what to do next, if any.
        advice: Option<String>,
    },
    /// Reports a failure.
    Fail {
        /// Completes "Cannot ...".
        operation: &'static str,
        /// The reason.
        error: Error,
    },
    /// Announces a written report, with buttons that copy it and show its folder.
    Report {
        /// The message, a sentence.
        what: String,
        /// Advice on what to do next, if any.
        advice: Option<String>,
        /// The report.
        file: PathBuf,
    },
    /// Copies the text of a report.
    CopyReport(PathBuf),
    /// Opens a folder in the system's file manager.
    ShowFolder(PathBuf),
    /// Closes a notice, by id.
    Close(u64),
    /// Closes all notices.
    CloseAll,
    /// Extends the display of a notice that is being read, by id.
    Keep(u64),
}

impl NoticeAct {
    /// A warning notice: a sentence without a full stop.
    pub fn warning(what: &str) -> NoticeAct {
        NoticeAct::Show { severity: Severity::Warning, what: super::notices::sentence(what), advice: None }
    }
}

/// Converts an owner's acts to [`Act`].
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
    LibrarySound(LibrarySoundAct),
    Stroke(StrokeAct),
    Preset(PresetAct),
    DragOut(DragOutAct),
    Play(PlayAct),
    Notice(NoticeAct),
}

/// Converts commands to [`Act`].
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
    PresetCommand,
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

/// Acts requested by widgets while they are drawn, in order; performed after the frame.
#[derive(Debug, Default)]
pub struct Acts(Vec<Act>);

impl Acts {
    /// Appends an act.
    pub fn push(&mut self, act: impl Into<Act>) {
        self.0.push(act.into());
    }

    /// Appends the acts that change `before` into `after`, two versions of the view of the document in front.
    pub fn change_view(&mut self, before: &View, after: &View) {
        self.0.extend(ViewAct::between(before, after).into_iter().map(Act::View));
    }

    /// Whether any act changes what is drawn. Extending a notice doesn't.
    pub fn need_a_frame(&self) -> bool {
        self.0.iter().any(|act| !matches!(act, Act::Notice(NoticeAct::Keep(_))))
    }

    /// Drops commands but keeps acts with values: a field that loses focus still sends the typed value.
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
