//! The session of a document.

use crate::document::BeatGrid;
use crate::document::session::{GeneratedSound, Place, SavedBack, SessionFolder, SessionWriter, SoundFolder};
use crate::documents::View;
use crate::dsp::Selection;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The session of one document: none before its first frame.
#[derive(Default)]
pub struct SessionSlot {
    pub(super) place: Option<Place>,
    pub(super) keeping: Option<RunningSession>,
    pub(super) is_discarded: bool,
    /// Its sound, if that is a file of the program's own: removed with the document.
    pub(super) sound: Option<SoundFolder>,
    /// Position of its tab; `None` before it was noted for the first time.
    pub(super) tab: Option<SavedTab>,
    /// The file that its sound was saved back to.
    pub(super) saved_back: Option<SavedBack>,
}

/// A session being written.
pub struct RunningSession {
    pub(super) writer: SessionWriter,
    pub(super) kept: DocumentViewState,
    /// State in the previous frame, and since when it is unchanged.
    pub(super) seen: Option<(DocumentViewState, f64)>,
    pub(super) was_failing: bool,
    /// When the trial of a recovered document is over.
    pub(super) trial_until_secs: Option<f64>,
}

/// State of a document outside sound and history.
#[derive(Clone, PartialEq)]
pub struct DocumentViewState {
    pub(super) view: View,
    pub(super) cursor_secs: f64,
    pub(super) selection: Option<Selection>,
    pub(super) beat: Option<BeatGrid>,
    pub(super) project: Option<(PathBuf, usize)>,
    pub(super) tab: Option<SavedTab>,
}

/// The tab of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTab {
    /// Unique number of the window; later windows have larger ones.
    pub window: u64,
    /// Position, counted from the left.
    pub place: usize,
    /// Larger for documents activated later.
    pub fronted: u64,
}

impl SavedTab {
    /// Sort key: of several restored tabs, the largest is in front.
    pub fn rank(&self) -> (u64, u64) {
        (self.window, self.fronted)
    }
}

impl SessionSlot {
    /// The writer of the session; `None` before the first frame of the document.
    pub fn writer(&self) -> Option<&SessionWriter> {
        self.keeping.as_ref().map(|keeping| &keeping.writer)
    }

    /// The folder of the session; `None` before it is made.
    pub fn folder(&self) -> Option<PathBuf> {
        self.writer()?.folder()
    }

    /// The file that the sound was saved back to, if any.
    pub fn saved_back(&self) -> Option<&SavedBack> {
        self.saved_back.as_ref()
    }

    /// Notes that the sound was saved back.
    pub(crate) fn note_saved_back(&mut self, saved: SavedBack) {
        self.saved_back = Some(saved);
    }

    /// Sets the place where the session continues or begins.
    pub fn set_place(&mut self, place: Place) {
        self.place = Some(place);
    }

    /// Notes that the user has agreed to lose unsaved edits.
    pub fn discard(&mut self) {
        self.is_discarded = true;
    }

    /// Notes that the user continues after all.
    pub fn keep(&mut self) {
        self.is_discarded = false;
    }

    /// Whether the user has agreed to lose unsaved edits.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }

    /// Takes ownership of a sound file of the program's own.
    pub fn own(&mut self, sound: SoundFolder) {
        self.sound = Some(sound);
    }

    /// Whether it owns its sound file, which no one else can rely on.
    pub fn owns_sound(&self) -> bool {
        self.sound.is_some()
    }

    /// Whether the sound was recorded, without any other copy.
    pub fn is_recording(&self) -> bool {
        self.sound.as_ref().is_some_and(|sound| sound.what() == GeneratedSound::Recording)
    }

    /// Takes the sound out; the caller removes it once nothing else needs it.
    pub fn take_sound(&mut self) -> Option<SoundFolder> {
        self.sound.take()
    }

    /// Takes the writer out; the caller ends the session.
    pub fn take_writer(&mut self) -> Option<SessionWriter> {
        self.keeping.take().map(|keeping| keeping.writer)
    }

    /// The folder of a recovered session that has not been resumed yet.
    pub(super) fn adopted(&self) -> Option<&SessionFolder> {
        match &self.place {
            Some(Place::Adopted(folder)) => Some(folder),
            _ => None,
        }
    }
}
