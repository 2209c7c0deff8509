//! The workbench: open documents, edits in progress, files, sessions, searches, playback and commands, without a window
//! and without egui. The window, tests and other drivers change it only by [`Act`]s, and it reports to them by
//! [`BenchEvent`]s.

extern crate base;
extern crate document;
extern crate dsp;
extern crate engine;
extern crate library;
extern crate media;
extern crate view;

use audio::{playback, recording};

mod beat;
pub mod bench;
pub mod commands;
mod devices;
mod documents;
mod drag_out;
mod edits;
mod file_runs;
mod files;
mod labels;
mod library_panel;
mod measurements;
mod preview;
mod search;
mod services;
mod sessions;
mod settings;
mod strokes;

pub use beat::{BeatAnswer, BeatOptions, BeatTaps, FoundBeat};
pub use bench::acts::{
    Act, Acts, DamageAct, DocumentAct, DragOutAct, FileAct, LabelAct, LayoutAct, LibraryAct, LibrarySoundAct,
    NoticeAct, PlayAct, TabAct, ViewAct,
};
pub use bench::budgets::Budgets;
pub use bench::context::BenchEvent;
pub use bench::notices::{Logged, Notice, Notices, Severity, about_file, sentence};
pub use bench::work::{JobStatus, OrderReport};
pub use bench::workbench::Workbench;
pub use commands::{N_RECENT, Seek};
pub use devices::monitor::{
    Difference, FLOOR_DB, GAIN_DB, Hearing, Meter, Meters, Monitor, NoteRecorder, Outputs, SPEEDS, Transport,
};
pub use devices::recorder::{InputMeters, RecordAnswer, RecordOptions, RecordedChannels, RecordingShown};
pub use documents::{
    ChannelView, DamageState, Documents, Donor, Floating, FloatingSound, FoundDamage, OpenDocument, Panes, View,
    channel_label, channel_views, limits_of,
};
pub use drag_out::Draggable;
pub use edits::{Edits, MeasuredLevels, brush_name, describe, over_selection, place_of};
pub use file_runs::{FilesRun, RunFilesOptions, RunFilesOrder, RunPlace, RunRow};
pub use files::{
    ClippingShown, CopiedPicture, ExportOptions, ExportQuery, ExportShown, LabelTextEdit, Locating, NewCanvas,
    NormaliseOptions, PartLabels, PartsOptions, PartsShown, PartsTableKind, PastedPicture, PlannedParts, PresetAnswer,
    ProjectSaveOptions, ProposedStroke, Purpose, Question, Reply, ResampleOptions, StretchOptions, Then, name_of,
    named_by_pattern,
};
pub use labels::{LabelList, LabelOrder, LabelSort, LabelSummaries, ShownLabels};
pub use library_panel::{
    AddedFolders, Browser, CHIPS, ChipChoice, EntryNote, FolderList, LibraryChip, LibraryColumn, LibraryFolder,
    LibraryMode, LibraryOrder, LibraryQuery, LibraryRow, ListAge, ListEntry, NullPair, PasteAt, PastedSound,
    PreviewedSound, duplicate_words,
};
pub use measurements::{Figures, Lobes, Reader, Readout, ReadoutQuery, Spectrum};
pub use preview::{ComparedMode, Comparison, EditPreview, PreviewKind, PreviewSound};
pub use search::{Reshape, SelectRequest, ShapeSearch, found_places, new_feather, places_found};
#[cfg(feature = "hooks")]
pub use services::AnsweredDialogs;
pub use services::{
    Clock, Dialogs, FileDialog, Job, JobQuestion, JobQueue, Jobs, Latest, Picked, ScriptedDialogs, Services, SetClock,
    SettingsChanges, SystemClock, Unfinished,
};
pub use sessions::{RecoverableWork, RecoveryAnswer, SessionSlot};
pub use settings::graphics_choice::GraphicsChoice;
pub use settings::preferences::{
    Curves, Fold, Layout, Lessons, Panel, PanelSide, Recent, SCALES, SavedState, ViewPreferences, WindowPreferences,
};
pub use settings::presets::{
    PresetAct, PresetCard, PresetKind, PresetPurpose, PresetQuestion, PresetSaveOptions, PresetStore, kind_of_options,
};
pub use settings::tools::{
    BandFilterTool, BrushSettings, CurrentNoise, HealMode, HealTool, LabelClass, LabelTool, ModulationFilterTool,
    NoteQuantise, PaintTool, Radius, Repair, Tool, ToolPreset, ToolSettings, Tools,
};
pub use strokes::{LevelTile, LiveStrokes, ShownCells, ShownStroke, StartedStroke, StrokeAct, StrokePlace};
