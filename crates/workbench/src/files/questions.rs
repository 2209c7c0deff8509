//! Questions to the user, answers and settings, as data.

use super::options::{NormaliseOptions, PartsOptions, ResampleOptions, StretchOptions};
use crate::base::Result;
use crate::beat::{BeatAnswer, BeatOptions};
use crate::bench::limits::{CANVAS_SECS, held};
use crate::devices::monitor::Outputs;
use crate::devices::recorder::{RecordAnswer, RecordOptions};
use crate::document::Delivery;
use crate::document::labels::Label;
use crate::document::session::{SourceError, SourceSearch};
use crate::file_runs::{FilesRun, RunFilesOptions, RunFilesOrder, RunPlace};
use crate::media::{MAX_CHANNELS, MAX_RATE_HZ, MIN_RATE_HZ, Source};
use crate::sessions::{RecoverableWork, RecoveryAnswer};
use crate::settings::presets::{PresetQuestion, PresetSaveOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// What to do after unsaved edits are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// This document closes.
    Close(u64),
    /// The program ends.
    Quit,
}

/// Export settings, and what to do afterwards.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// Id of the document; `None`: the one in front when the place is chosen.
    pub document: Option<u64>,
    /// Format, rate and the like.
    pub delivery: Box<Delivery>,
    /// Name of the preset it was taken from.
    pub preset: Option<String>,
    /// The name being typed for a new preset.
    pub naming: Option<String>,
    /// Only the range of time that is selected when the place is chosen, at all frequencies.
    pub is_selection: bool,
    /// What to do after success.
    pub then: Option<Then>,
}

/// A change of the export presets.
#[derive(Debug, Clone)]
pub enum PresetAnswer {
    /// Saves a preset under a name, replacing any that exists.
    Keep(String, Box<Delivery>),
    /// Removes a preset by name.
    Remove(String),
}

/// Project settings, and what to do afterwards.
#[derive(Debug, Clone, Default)]
pub struct ProjectSaveOptions {
    /// Id of the document; `None`: the one in front when the place is chosen.
    pub document: Option<u64>,
    /// The project contains the sound.
    pub is_embedded: bool,
    /// What to do after success.
    pub then: Option<Then>,
}

/// The owner of a sound to be located.
#[derive(Debug, Clone)]
pub enum Locating {
    /// A project.
    Project(PathBuf),
    /// A session, by its folder.
    Session(PathBuf),
}

/// The purpose of a path.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// Open a file.
    Open,
    /// Open a picture to be turned into sound.
    OpenPicture,
    /// Apply the cells of a picture.
    OpenCells,
    /// Export to it.
    Export(ExportOptions),
    /// Save the project to it.
    Project(ProjectSaveOptions),
    /// Save the cells of the document with this id, for an image editor.
    Cells(u64),
    /// Save the view of the document with this id, with axes.
    Picture(u64),
    /// Locate a missing sound.
    Locate(Locating),
    /// Add a folder to the library.
    AddFolder,
    /// Fill a field on the card of a run over files.
    RunFiles(Box<RunFilesOptions>, RunPlace),
    /// Write a file for each label, by the settings of this card.
    PartsFolder(Box<PartsOptions>),
    /// Import labels into the document with this id.
    ImportLabels(u64),
    /// Export the labels of the document with this id.
    Labels(u64),
    /// Write the measurements at the labels of the document with this id.
    Measurements(u64),
    /// Save the pitch line of the document with this id.
    Pitch(u64),
}

/// An empty sound to paint on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewCanvas {
    /// Length in seconds.
    pub secs: f64,
    /// Samples per second.
    pub rate_hz: u32,
    /// Number of channels, 1 to 32.
    pub n_channels: usize,
}

impl Default for NewCanvas {
    fn default() -> NewCanvas {
        NewCanvas { secs: 10.0, rate_hz: 48_000, n_channels: 2 }
    }
}

impl NewCanvas {
    /// The canvas, each number limited to its range; the default length if the length is not a number.
    #[must_use]
    pub(super) fn within_limits(self) -> NewCanvas {
        NewCanvas {
            secs: held(self.secs, CANVAS_SECS, NewCanvas::default().secs),
            rate_hz: self.rate_hz.clamp(MIN_RATE_HZ, MAX_RATE_HZ),
            n_channels: self.n_channels.clamp(1, MAX_CHANNELS),
        }
    }

    /// Silence of this length, at least one sample.
    ///
    /// # Errors
    /// As [`Source::silence`].
    pub fn source(&self) -> Result<Source> {
        let n_samples = (self.secs * f64::from(self.rate_hz)).round().max(1.0) as u64;
        Source::silence(n_samples, self.rate_hz, self.n_channels)
    }
}

/// A question for the user.
#[derive(Debug, Clone)]
pub enum Question {
    /// Format and place of an export.
    Export {
        /// The settings.
        options: ExportOptions,
        /// The path as typed so far.
        text: String,
        /// The existing file that would be replaced.
        replaces: Option<PathBuf>,
    },
    /// Settings of an export by label.
    ExportParts(Box<PartsOptions>),
    /// A path to type, where the system has no dialog or the user prefers none.
    Path {
        /// What the path is for.
        purpose: Purpose,
        /// A suggestion.
        text: String,
        /// The existing file that would be replaced.
        replaces: Option<PathBuf>,
    },
    /// A document has edits that would be lost.
    Unsaved {
        /// Id of the document.
        document: u64,
        /// What to do afterwards.
        then: Then,
    },
    /// Settings of a project to save.
    SaveProject(ProjectSaveOptions),
    /// The sound of a project or session is missing or changed.
    Locate {
        /// Whose sound it is.
        what: Locating,
        /// What is wrong with it.
        lost: SourceError,
    },
    /// Sessions that another process left behind.
    Left(RecoverableWork),
    /// The playback device.
    Output(Outputs),
    /// The source of a recording.
    Record(RecordOptions),
    /// Quitting while a recording runs.
    StillRecording,
    /// Size of an empty canvas.
    New(NewCanvas),
    /// Length of the silence to append.
    Lengthen {
        /// Seconds.
        secs: f64,
    },
    /// Length and place of the silence to insert.
    InsertSilence {
        /// Place in seconds.
        at_secs: f64,
        /// Length in seconds.
        secs: f64,
    },
    /// The text of a label.
    Label(LabelTextEdit),
    /// The beat grid.
    Beat(BeatOptions),
    /// The pitch shift of the selection.
    PitchShift {
        /// Positive is higher.
        semitones: f64,
    },
    /// The stretch of the selection.
    Stretch(StretchOptions),
    /// The target level of the selection or the file.
    Normalise(NormaliseOptions),
    /// The sample rate of a new document.
    Resample(ResampleOptions),
    /// Script and files of a run.
    RunFiles(RunFilesOptions),
    /// The results of a run.
    FilesRun(FilesRun),
    /// The name of a preset or noise profile to save.
    Keep(PresetSaveOptions),
    /// The choice of a saved preset or noise profile.
    Kept(PresetQuestion),
}

impl Question {
    /// Whether both questions are about unsaved edits of the same document before the same end.
    pub fn is_same_end(&self, other: &Question) -> bool {
        match (self, other) {
            (Question::Unsaved { document, then }, Question::Unsaved { document: other, then: other_then }) => {
                document == other && then == other_then
            }
            (Question::StillRecording, Question::StillRecording) => true,
            _ => false,
        }
    }
}

impl Question {
    /// Id of the document in question; `None`: the one in front, or none at all.
    pub fn document(&self) -> Option<u64> {
        match self {
            Question::Unsaved { document, .. } => Some(*document),
            Question::Export { options, .. } | Question::Path { purpose: Purpose::Export(options), .. } => {
                options.document
            }
            Question::SaveProject(options) | Question::Path { purpose: Purpose::Project(options), .. } => {
                options.document
            }
            Question::ExportParts(options) | Question::Path { purpose: Purpose::PartsFolder(options), .. } => {
                Some(options.document)
            }
            Question::Path {
                purpose:
                    Purpose::Cells(id)
                    | Purpose::Picture(id)
                    | Purpose::ImportLabels(id)
                    | Purpose::Labels(id)
                    | Purpose::Measurements(id)
                    | Purpose::Pitch(id),
                ..
            } => Some(*id),
            Question::Path {
                purpose:
                    Purpose::Open
                    | Purpose::OpenPicture
                    | Purpose::OpenCells
                    | Purpose::Locate(_)
                    | Purpose::AddFolder
                    | Purpose::RunFiles(..),
                ..
            }
            | Question::Locate { .. }
            | Question::Left(_)
            | Question::Output(_)
            | Question::Record(_)
            | Question::StillRecording
            | Question::New(_)
            | Question::Lengthen { .. }
            | Question::InsertSilence { .. }
            | Question::Label(_)
            | Question::Beat(_)
            | Question::PitchShift { .. }
            | Question::Stretch(_)
            | Question::Normalise(_)
            | Question::Resample(_)
            | Question::RunFiles(_)
            | Question::FilesRun(_)
            | Question::Keep(_)
            | Question::Kept(_) => None,
        }
    }
}

/// A label being named, or several that get one name.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelTextEdit {
    /// Their document.
    pub document: u64,
    /// The labels; ids are 0 before they are in the document.
    pub labels: Vec<Label>,
    /// Their text.
    pub text: String,
    /// One of the theme's colours for labels.
    pub colour: Option<u8>,
    /// Texts of the document's labels, the most frequent first.
    pub known: Arc<[Arc<str>]>,
}

/// The user's answer to a [`Question`].
#[derive(Debug, Clone)]
pub enum Reply {
    /// Change the presets for exports.
    Preset(PresetAnswer),
    /// Export with these settings, to a place chosen in a file dialog.
    ExportWhere(ExportOptions),
    /// Export a file for each label, into this folder.
    ExportParts(Box<PartsOptions>, PathBuf),
    /// Choose the folder of this export by label in a file dialog.
    ExportPartsWhere(Box<PartsOptions>),
    /// Save with these settings, to a place chosen in a file dialog.
    ProjectWhere(ProjectSaveOptions),
    /// Choose the missing sound in a file dialog.
    LocateWhere(Locating),
    /// A path was typed or picked.
    Path {
        /// What it is for.
        purpose: Purpose,
        /// The path.
        path: PathBuf,
        /// The file that the user has agreed to replace.
        replaces: Option<PathBuf>,
    },
    /// Save the project of this document first, then continue.
    SaveFirst {
        /// Id of the document.
        document: u64,
        /// What to do afterwards.
        then: Then,
    },
    /// Save this document back over its file first, then continue.
    SaveBackFirst {
        /// Id of the document.
        document: u64,
        /// What to do afterwards.
        then: Then,
    },
    /// Export this document first, then continue.
    ExportFirst {
        /// Id of the document.
        document: u64,
        /// What to do afterwards.
        then: Then,
    },
    /// Discard the edits of this document and continue.
    Discard {
        /// Id of the document.
        document: u64,
        /// What to do afterwards.
        then: Then,
    },
    /// Keep editing; documents discarded earlier while quitting are kept, too.
    KeepEditing,
    /// Search for the sound like this.
    Locate(Locating, SourceSearch),
    /// What to do with recovered work.
    Left(RecoveryAnswer),
    /// Play through this device (`None`: the default), with a buffer of this many frames.
    Output(Option<String>, u32),
    /// The answer of the recording card.
    Record(RecordAnswer),
    /// Open an empty canvas.
    New {
        /// Its size.
        canvas: NewCanvas,
        /// Whether to choose a picture to lay over it next.
        has_picture: bool,
    },
    /// Add silence at the end, in seconds.
    Lengthen(f64),
    /// Add a label, or change its text.
    Label(LabelTextEdit),
    /// Change the beat grid.
    Beat(BeatAnswer),
    /// Insert silence: place and length in seconds.
    InsertSilence([f64; 2]),
    /// Shift the pitch of the selection, in semitones.
    PitchShift(f64),
    /// Stretch the selection.
    Stretch(StretchOptions),
    /// Normalise the selection or the file.
    Normalise(NormaliseOptions),
    /// Open the document in front, resampled to a rate in hertz.
    Resample(u32),
    /// Run a script on files.
    RunFiles(Box<RunFilesOrder>),
    /// Choose a path on the card of a run in a file dialog.
    RunFilesWhere(Box<RunFilesOptions>, RunPlace),
    /// Show a folder in the system's file manager.
    ShowFolder(PathBuf),
}

impl Reply {
    /// Whether it changes the document in front, or makes another from it.
    pub(super) fn is_about_front(&self) -> bool {
        matches!(
            self,
            Reply::Lengthen(_)
                | Reply::InsertSilence(_)
                | Reply::PitchShift(_)
                | Reply::Stretch(_)
                | Reply::Normalise(_)
                | Reply::Resample(_)
        )
    }
}
