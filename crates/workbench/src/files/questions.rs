//! What the user is asked, what is answered, and what is wished for, as data.

use super::wishes::{NormaliseWish, PartsWish, ResampleWish, StretchWish};
use crate::base::Result;
use crate::beat::{BeatAnswer, BeatWish};
use crate::capturing::{RecordAnswer, RecordWish};
use crate::document::Delivery;
use crate::document::labels::Label;
use crate::document::session::{Lost, SourceSearch};
use crate::file_runs::{FilesRun, RunFilesOrder, RunFilesWish, RunPlace};
use crate::hearing::Outputs;
use crate::keeping::{KeepWish, KeptQuestion};
use crate::limits::{MADE_SECS, held};
use crate::media::{MAX_CHANNELS, MAX_RATE_HZ, MIN_RATE_HZ, Source};
use crate::sessions::{Left, LeftAnswer};
use std::path::PathBuf;
use std::sync::Arc;

/// What happens once unsaved edits are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// This document closes.
    Close(u64),
    /// The program ends.
    Quit,
}

/// How to export, and what comes after.
#[derive(Debug, Clone, Default)]
pub struct ExportWish {
    /// Id of the document; none: the one in front when the place is chosen.
    pub document: Option<u64>,
    /// How it is written.
    pub delivery: Box<Delivery>,
    /// The preset that it was taken from, by name.
    pub preset: Option<String>,
    /// The name that is being typed for a preset of it.
    pub naming: Option<String>,
    /// Only the range of time that is selected when the place is chosen, at all frequencies.
    pub is_selection: bool,
    /// Done after it succeeds.
    pub then: Option<Then>,
}

/// A change of a preset for exports.
#[derive(Debug, Clone)]
pub enum PresetAnswer {
    /// It is kept by this name, in the place of what that name had.
    Keep(String, Box<Delivery>),
    /// The one of this name is removed.
    Remove(String),
}

/// How to save a project, and what comes after.
#[derive(Debug, Clone, Default)]
pub struct ProjectWish {
    /// Id of the document; none: the one in front when the place is chosen.
    pub document: Option<u64>,
    /// The project contains the sound.
    pub is_embedded: bool,
    /// Done after it succeeds.
    pub then: Option<Then>,
}

/// What a sound is located for.
#[derive(Debug, Clone)]
pub enum Locating {
    /// This project.
    Project(PathBuf),
    /// The session in this folder.
    Session(PathBuf),
}

/// The purpose of a path.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// To open it.
    Open,
    /// To open it as a picture that becomes sound.
    OpenPicture,
    /// To put the cells that it shows back.
    OpenCells,
    /// To write there.
    Export(ExportWish),
    /// To save the project there.
    Project(ProjectWish),
    /// To save the cells of the document of this id there, for an image editor.
    Cells(u64),
    /// To save a picture of what is seen of the document of this id there, with axes.
    Picture(u64),
    /// To take the sound of a project from there.
    Locate(Locating),
    /// To add it to the library of sounds.
    AddFolder,
    /// To fill a field of this card of a run over files.
    RunFiles(Box<RunFilesWish>, RunPlace),
    /// To write a file for each label there, as this card says.
    PartsFolder(Box<PartsWish>),
    /// To add its labels to the document of this id.
    ImportLabels(u64),
    /// To write the labels of the document of this id there.
    Labels(u64),
    /// To write what is measured at the labels of the document of this id there.
    Measurements(u64),
    /// Where to save the pitch line of the document of this id.
    Pitch(u64),
}

/// An empty sound to paint on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewCanvas {
    /// Length.
    pub secs: f64,
    /// Samples per second.
    pub rate_hz: u32,
    /// 1 to 32.
    pub n_channels: usize,
}

impl Default for NewCanvas {
    fn default() -> NewCanvas {
        NewCanvas { secs: 10.0, rate_hz: 48_000, n_channels: 2 }
    }
}

impl NewCanvas {
    /// The same, with each number within what a canvas can have; of the usual length if that is no number.
    #[must_use]
    pub(super) fn within_limits(self) -> NewCanvas {
        NewCanvas {
            secs: held(self.secs, MADE_SECS, NewCanvas::default().secs),
            rate_hz: self.rate_hz.clamp(MIN_RATE_HZ, MAX_RATE_HZ),
            n_channels: self.n_channels.clamp(1, MAX_CHANNELS),
        }
    }

    /// Silence of that length, one sample at least.
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
    /// How and where to export.
    Export {
        /// The settings.
        wish: ExportWish,
        /// The path as typed so far.
        text: String,
        /// This file is there already and would be replaced.
        replaces: Option<PathBuf>,
    },
    /// How and where to export a file for each label.
    ExportParts(Box<PartsWish>),
    /// A path to type, where the system has no dialog or the user wants none.
    Path {
        /// What is done with it.
        purpose: Purpose,
        /// A suggestion.
        text: String,
        /// This file is there already and would be replaced.
        replaces: Option<PathBuf>,
    },
    /// This document has edits that would be lost.
    Unsaved {
        /// Its id.
        document: u64,
        /// What to do next.
        then: Then,
    },
    /// How to save the project.
    SaveProject(ProjectWish),
    /// The sound of a project or session is not where or what it was.
    Locate {
        /// What it is for.
        what: Locating,
        /// What is wrong.
        lost: Lost,
    },
    /// Work that a process left behind.
    Left(Left),
    /// Which device plays.
    Output(Outputs),
    /// What is recorded, and from where.
    Record(RecordWish),
    /// A recording is running, and the program is to end.
    StillRecording,
    /// How large an empty canvas is.
    New(NewCanvas),
    /// How much silence is added at the end.
    Lengthen {
        /// Seconds.
        secs: f64,
    },
    /// How much silence is inserted.
    InsertSilence {
        /// Where, in seconds.
        at_secs: f64,
        /// How much, in seconds.
        secs: f64,
    },
    /// What a label says.
    Label(LabelWish),
    /// Where bars and beats lie.
    Beat(BeatWish),
    /// The pitch shift of the selection.
    PitchShift {
        /// Above 0 is higher.
        semitones: f64,
    },
    /// How the selection is stretched.
    Stretch(StretchWish),
    /// The target level of the selection or the file.
    Normalise(NormaliseWish),
    /// The sample rate of a new document.
    Resample(ResampleWish),
    /// Which script is run on which files.
    RunFiles(RunFilesWish),
    /// What came of that.
    FilesRun(FilesRun),
    /// The name under which to keep something.
    Keep(KeepWish),
    /// The choice of a kept name.
    Kept(KeptQuestion),
}

impl Question {
    /// Whether both ask about the unsaved edits of one document before the same end.
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
    /// Id of the document that it is about; none: the one in front, or none at all.
    pub fn document(&self) -> Option<u64> {
        match self {
            Question::Unsaved { document, .. } => Some(*document),
            Question::Export { wish, .. } | Question::Path { purpose: Purpose::Export(wish), .. } => wish.document,
            Question::SaveProject(wish) | Question::Path { purpose: Purpose::Project(wish), .. } => wish.document,
            Question::ExportParts(wish) | Question::Path { purpose: Purpose::PartsFolder(wish), .. } => {
                Some(wish.document)
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

/// A label that is being named, or several that get one name.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelWish {
    /// The document that they are of.
    pub document: u64,
    /// What they are; their ids are 0 before they are in the document.
    pub labels: Vec<Label>,
    /// Their text.
    pub text: String,
    /// One of the theme's colours for labels.
    pub colour: Option<u8>,
    /// Texts that the document's labels have, the most used first.
    pub known: Arc<[Arc<str>]>,
}

/// The user's answer to a [`Question`].
#[derive(Debug, Clone)]
pub enum Reply {
    /// Change the presets for exports.
    Preset(PresetAnswer),
    /// Export with these settings, to a place that a dialog of the system asks for.
    ExportWhere(ExportWish),
    /// Export a file for each label, into this folder.
    ExportParts(Box<PartsWish>, PathBuf),
    /// A dialog asks for the folder of this export by label.
    ExportPartsWhere(Box<PartsWish>),
    /// Save with these settings, to a place that a dialog asks for.
    ProjectWhere(ProjectWish),
    /// A dialog asks where the sound is.
    LocateWhere(Locating),
    /// This path was typed or picked.
    Path {
        /// What for.
        purpose: Purpose,
        /// Which.
        path: PathBuf,
        /// The user has agreed to replace this file.
        replaces: Option<PathBuf>,
    },
    /// Save the project of this document first, then go on.
    SaveFirst {
        /// Its id.
        document: u64,
        /// What to do next.
        then: Then,
    },
    /// Save this document back over its file first, then go on.
    SaveBackFirst {
        /// Its id.
        document: u64,
        /// What to do next.
        then: Then,
    },
    /// Export this document first, then go on.
    ExportFirst {
        /// Its id.
        document: u64,
        /// What to do next.
        then: Then,
    },
    /// Go on without the edits of this document.
    Discard {
        /// Its id.
        document: u64,
        /// What to do next.
        then: Then,
    },
    /// Neither: what was discarded on the way to the end of the program is kept, too.
    KeepEditing,
    /// Take the sound from there.
    Locate(Locating, SourceSearch),
    /// What to do with recovered work.
    Left(LeftAnswer),
    /// Play through this device (`None`: the default), with a buffer of this many frames.
    Output(Option<String>, u32),
    /// What was chosen on the card for recording.
    Record(RecordAnswer),
    /// Open an empty canvas.
    New {
        /// How large it is.
        canvas: NewCanvas,
        /// Whether a picture to lay over it is chosen next.
        has_picture: bool,
    },
    /// Add silence at the end, in seconds.
    Lengthen(f64),
    /// Put a label in, or change its text.
    Label(LabelWish),
    /// What to do with the beat grid.
    Beat(BeatAnswer),
    /// Insert silence: where, and how many seconds.
    InsertSilence([f64; 2]),
    /// Shift the pitch of the selection, in semitones.
    PitchShift(f64),
    /// Stretch the selection.
    Stretch(StretchWish),
    /// Bring the selection or the file to a level.
    Normalise(NormaliseWish),
    /// Open the sound in front, resampled to a rate in hertz.
    Resample(u32),
    /// Run a script on files.
    RunFiles(Box<RunFilesOrder>),
    /// A dialog fills a field of the card of a run.
    RunFilesWhere(Box<RunFilesWish>, RunPlace),
    /// Show a folder in the system's file manager.
    ShowFolder(PathBuf),
}

impl Reply {
    /// Whether it changes the document in front, or makes another of it.
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
