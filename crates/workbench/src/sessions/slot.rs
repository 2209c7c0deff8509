//! State of a document's session.

use crate::document::BeatGrid;
use crate::document::session::{GeneratedSound, Place, SavedBack, SessionFolder, SessionWriter, SoundFolder};
use crate::documents::View;
use crate::dsp::Selection;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The session of a document, which starts with the document's first frame.
#[derive(Default)]
pub struct SessionSlot {
    pub(super) place: Option<Place>,
    pub(super) keeping: Option<RunningSession>,
    pub(super) is_discarded: bool,
    /// The document's sound file, if the program made it: removed with the document.
    pub(super) sound: Option<SoundFolder>,
    /// Tab of the document; `None` until first noted.
    pub(super) tab: Option<SavedTab>,
    /// The user's file over which the edited sound was saved.
    pub(super) saved_back: Option<SavedBack>,
}

/// A session being written.
pub struct RunningSession {
    pub(super) writer: SessionWriter,
    pub(super) kept: DocumentViewState,
    /// The unsaved state in the previous frame, and the time of its last change in seconds; `None` if everything is
    /// saved.
    pub(super) seen: Option<(DocumentViewState, f64)>,
    pub(super) was_failing: bool,
    /// Time at which the recovery of this document counts as successful.
    pub(super) trial_until_secs: Option<f64>,
}

/// State of a document other than sound and history, as written to its session.
#[derive(Clone, PartialEq)]
pub struct DocumentViewState {
    pub(super) view: View,
    pub(super) cursor_secs: f64,
    pub(super) selection: Option<Selection>,
    pub(super) beat: Option<BeatGrid>,
    pub(super) project: Option<(PathBuf, usize)>,
    pub(super) tab: Option<SavedTab>,
}

/// Window, position and activation order of a document's tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTab {
    /// Random number that identifies the window.
    pub window: u64,
    /// Position of the tab, counted from the left, from 0.
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

    /// The folder of the session; `None` before the writer has created it.
    pub fn folder(&self) -> Option<PathBuf> {
        self.writer()?.folder()
    }

    /// The user's file over which the edited sound was saved, if any.
    pub fn saved_back(&self) -> Option<&SavedBack> {
        self.saved_back.as_ref()
    }

    /// Notes that the edited sound was saved over a file.
    pub(crate) fn note_saved_back(&mut self, saved: SavedBack) {
        self.saved_back = Some(saved);
    }

    /// Sets the folder in which the session continues, or that of a new one.
    pub fn set_place(&mut self, place: Place) {
        self.place = Some(place);
    }

    /// Notes that the user has agreed to lose unsaved edits.
    pub fn discard(&mut self) {
        self.is_discarded = true;
    }

    /// Withdraws the user's consent to lose unsaved edits.
    pub fn keep(&mut self) {
        self.is_discarded = false;
    }

    /// Whether the user has agreed to lose unsaved edits.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }

    /// Takes ownership of a sound file that the program made.
    pub fn own(&mut self, sound: SoundFolder) {
        self.sound = Some(sound);
    }

    /// Whether the document owns its sound file, so that the file is removed with it.
    pub fn owns_sound(&self) -> bool {
        self.sound.is_some()
    }

    /// Whether the sound is a recording whose only copy is the file owned by the document.
    pub fn is_recording(&self) -> bool {
        self.sound.as_ref().is_some_and(|sound| sound.what() == GeneratedSound::Recording)
    }

    /// Takes the sound file out; the caller removes it once it is no longer needed.
    pub fn take_sound(&mut self) -> Option<SoundFolder> {
        self.sound.take()
    }

    /// Takes the writer out; the caller ends the session.
    pub fn take_writer(&mut self) -> Option<SessionWriter> {
        self.keeping.take().map(|keeping| keeping.writer)
    }

    /// The folder of a restored session whose writer has not been started yet.
    pub(super) fn adopted(&self) -> Option<&SessionFolder> {
        match &self.place {
            Some(Place::Adopted(folder)) => Some(folder),
            _ => None,
        }
    }
}
