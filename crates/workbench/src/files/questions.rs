//! Questions to the user, and the answers.

use super::options::{NormaliseOptions, PartsOptions, ResampleOptions, StretchOptions};
use crate::base::{EngineChoice, Result};
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
use crate::settings::graphics_choice::GraphicsChoice;
use crate::settings::presets::{PresetQuestion, PresetSaveOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// The action that continues once unsaved edits are saved or discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Close the document with this id.
    Close(u64),
    /// End the program.
    Quit,
}

/// Settings on the card of an export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// Id of the document; `None`: the document in front when the path is chosen.
    pub document: Option<u64>,
    /// Format, sample rate and other properties of the file.
    pub delivery: Box<Delivery>,
    /// Name of the preset it was taken from.
    pub preset: Option<String>,
    /// The name being typed for a new preset.
    pub naming: Option<String>,
    /// Whether to export only the range of time that is selected when the path is chosen, at all frequencies.
    pub is_selection: bool,
    /// The action after success, if any.
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

/// Settings of saving a project.
#[derive(Debug, Clone, Default)]
pub struct ProjectSaveOptions {
    /// Id of the document; `None`: the document in front when the path is chosen.
    pub document: Option<u64>,
    /// Whether the project contains the sound.
    pub is_embedded: bool,
    /// The action after success, if any.
    pub then: Option<Then>,
}

/// The project or session whose sound is to be located.
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
    /// Export to the path.
    Export(ExportOptions),
    /// Save the project to the path.
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
    /// Write a file for each label to this folder.
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
    /// The canvas with all numbers clamped to their ranges; the default length if the length is not finite.
    #[must_use]
    pub(super) fn within_limits(self) -> NewCanvas {
        NewCanvas {
            secs: held(self.secs, CANVAS_SECS, NewCanvas::default().secs),
            rate_hz: self.rate_hz.clamp(MIN_RATE_HZ, MAX_RATE_HZ),
            n_channels: self.n_channels.clamp(1, MAX_CHANNELS),
        }
    }

    /// Silence of the canvas's size, with at least one sample.
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
    /// Settings and path of an export.
    Export {
        /// The settings.
        options: ExportOptions,
        /// The typed path.
        text: String,
        /// The existing file that would be replaced.
        replaces: Option<PathBuf>,
    },
    /// Settings of an export by label.
    ExportParts(Box<PartsOptions>),
    /// A path to be typed, if the system has no file dialog or the user prefers none.
    Path {
        /// The purpose of the path.
        purpose: Purpose,
        /// The suggested path.
        text: String,
        /// The existing file that would be replaced.
        replaces: Option<PathBuf>,
    },
    /// A document has edits that would be lost.
    Unsaved {
        /// Id of the document.
        document: u64,
        /// The action that continues afterwards.
        then: Then,
    },
    /// Settings of a project to save.
    SaveProject(ProjectSaveOptions),
    /// The sound of a project or session is missing or changed.
    Locate {
        /// The project or session of the sound.
        what: Locating,
        /// The problem with the sound.
        lost: SourceError,
    },
    /// Work that other processes left behind, which can be recovered.
    Recover(RecoverableWork),
    /// The playback device.
    Output(Outputs),
    /// The graphics adapter and the engine.
    Graphics(GraphicsChoice),
    /// Input and settings of a recording.
    Record(RecordOptions),
    /// Quitting while a recording runs.
    StillRecording,
    /// Size of an empty canvas.
    New(NewCanvas),
    /// Length of the silence to append.
    Lengthen {
        /// Length in seconds.
        secs: f64,
    },
    /// Position and length of the silence to insert.
    InsertSilence {
        /// Position in seconds.
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
        /// Shift in semitones; positive is higher.
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
    /// Whether both questions ask about unsaved edits of the same document before the same action, or both about the
    /// running recording.
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
    /// Id of the document that the question is about; `None` for the document in front or none at all.
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
            | Question::Recover(_)
            | Question::Output(_)
            | Question::Graphics(_)
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

/// One or more labels whose text is being edited.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelTextEdit {
    /// Id of their document.
    pub document: u64,
    /// The labels; new ones, not in the document yet, have id 0.
    pub labels: Vec<Label>,
    /// The text for all of them.
    pub text: String,
    /// Index of one of the theme's label colours, if one was chosen.
    pub colour: Option<u8>,
    /// Texts of the document's labels, the most frequent first.
    pub known: Arc<[Arc<str>]>,
}

/// The user's answer to a [`Question`].
#[derive(Debug, Clone)]
pub enum Reply {
    /// Change the presets for exports.
    Preset(PresetAnswer),
    /// Choose the path of an export with these settings in a file dialog.
    ExportWhere(ExportOptions),
    /// Export a file for each label to this folder.
    ExportParts(Box<PartsOptions>, PathBuf),
    /// Choose the folder of an export by label in a file dialog.
    ExportPartsWhere(Box<PartsOptions>),
    /// Choose the path of a project with these settings in a file dialog.
    ProjectWhere(ProjectSaveOptions),
    /// Choose the missing sound in a file dialog.
    LocateWhere(Locating),
    /// A path was typed or picked.
    Path {
        /// The purpose of the path.
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
        /// The action that continues afterwards.
        then: Then,
    },
    /// Save this document back over its file first, then continue.
    SaveBackFirst {
        /// Id of the document.
        document: u64,
        /// The action that continues afterwards.
        then: Then,
    },
    /// Export this document first, then continue.
    ExportFirst {
        /// Id of the document.
        document: u64,
        /// The action that continues afterwards.
        then: Then,
    },
    /// Discard the edits of this document and continue.
    Discard {
        /// Id of the document.
        document: u64,
        /// The action that continues afterwards.
        then: Then,
    },
    /// Keep editing; documents that were discarded earlier while quitting are kept, too.
    KeepEditing,
    /// Search for the missing sound with these options.
    Locate(Locating, SourceSearch),
    /// The answer to the question about recoverable work.
    Recover(RecoveryAnswer),
    /// Play through this device (`None`: the default), with a buffer of this many frames.
    Output(Option<String>, u32),
    /// Use this graphics adapter (`None`: the best) and engine from the next start on.
    Graphics(Option<String>, EngineChoice),
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
    /// Add labels, or change their text and colour.
    Label(LabelTextEdit),
    /// Change the beat grid.
    Beat(BeatAnswer),
    /// Insert silence: position and length in seconds.
    InsertSilence([f64; 2]),
    /// Shift the pitch of the selection, in semitones.
    PitchShift(f64),
    /// Stretch the selection.
    Stretch(StretchOptions),
    /// Normalise the selection or the file.
    Normalise(NormaliseOptions),
    /// Resample the document in front to a rate in hertz, as a new document.
    Resample(u32),
    /// Run a script on files.
    RunFiles(Box<RunFilesOrder>),
    /// Choose a path on the card of a run in a file dialog.
    RunFilesWhere(Box<RunFilesOptions>, RunPlace),
    /// Show a folder in the system's file manager.
    ShowFolder(PathBuf),
}

impl Reply {
    /// Whether the reply applies to the document in front.
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
