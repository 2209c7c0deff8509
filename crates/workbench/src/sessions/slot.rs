//! Where a document keeps its session.

use crate::document::BeatGrid;
use crate::document::session::{OwnSound, Place, SavedBack, SessionFolder, SessionWriter, SoundFolder};
use crate::documents::View;
use crate::dsp::Selection;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The session of one document: none until the document was followed for the first time.
#[derive(Default)]
pub struct SessionSlot {
    pub(super) place: Option<Place>,
    pub(super) keeping: Option<Keeping>,
    pub(super) is_discarded: bool,
    /// Its sound, where that is a file of ours: removed with the document.
    pub(super) sound: Option<SoundFolder>,
    /// Where its tab is; none until that was noted for the first time.
    pub(super) tab: Option<KeptTab>,
    /// The file that its sound was saved back to.
    pub(super) saved_back: Option<SavedBack>,
}

/// A session that is being written.
pub struct Keeping {
    pub(super) writer: SessionWriter,
    pub(super) kept: Beside,
    /// Its state in the previous frame, and since when.
    pub(super) seen: Option<(Beside, f64)>,
    pub(super) was_failing: bool,
    /// When a recovered document is taken for well.
    pub(super) trial_until_secs: Option<f64>,
}

/// What lies beside the sound.
#[derive(Clone, PartialEq)]
pub struct Beside {
    pub(super) view: View,
    pub(super) cursor_secs: f64,
    pub(super) selection: Option<Selection>,
    pub(super) beat: Option<BeatGrid>,
    pub(super) project: Option<(PathBuf, usize)>,
    pub(super) tab: Option<KeptTab>,
}

/// Where the tab of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTab {
    /// The window: a number of its own, larger for one that was opened later.
    pub window: u64,
    /// Counted from the left.
    pub place: usize,
    /// The larger, the later it came to the front.
    pub fronted: u64,
}

impl KeptTab {
    /// Of several tabs that come back, the one with the largest of these is in front.
    pub fn rank(&self) -> (u64, u64) {
        (self.window, self.fronted)
    }
}

impl SessionSlot {
    /// The writer of the session; none before the first frame of the document.
    pub fn writer(&self) -> Option<&SessionWriter> {
        self.keeping.as_ref().map(|keeping| &keeping.writer)
    }

    /// The folder of the session; none before it is made.
    pub fn folder(&self) -> Option<PathBuf> {
        self.writer()?.folder()
    }

    /// The file that the sound was saved back to; none where it never was.
    pub fn saved_back(&self) -> Option<&SavedBack> {
        self.saved_back.as_ref()
    }

    /// The sound was saved back.
    pub(crate) fn note_saved_back(&mut self, saved: SavedBack) {
        self.saved_back = Some(saved);
    }

    /// The session goes on, or begins, there.
    pub fn set_place(&mut self, place: Place) {
        self.place = Some(place);
    }

    /// The user has agreed to lose what is not saved.
    pub fn discard(&mut self) {
        self.is_discarded = true;
    }

    /// The user goes on with it after all.
    pub fn keep(&mut self) {
        self.is_discarded = false;
    }

    /// Whether the user has agreed to lose what is not saved.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }

    /// The sound is a file of ours, which goes with the document.
    pub fn own(&mut self, sound: SoundFolder) {
        self.sound = Some(sound);
    }

    /// Whether the sound is a file of ours, which no one else can rely on.
    pub fn owns_sound(&self) -> bool {
        self.sound.is_some()
    }

    /// Whether the sound was recorded: there is no other copy of it.
    pub fn is_recording(&self) -> bool {
        self.sound.as_ref().is_some_and(|sound| sound.what() == OwnSound::Recording)
    }

    /// Takes the sound out; the caller removes it once nothing else needs it.
    pub fn take_sound(&mut self) -> Option<SoundFolder> {
        self.sound.take()
    }

    /// Takes the writer out; the caller ends the session.
    pub fn take_writer(&mut self) -> Option<SessionWriter> {
        self.keeping.take().map(|keeping| keeping.writer)
    }

    /// The folder of a recovered session that was not followed yet.
    pub(super) fn adopted(&self) -> Option<&SessionFolder> {
        match &self.place {
            Some(Place::Adopted(folder)) => Some(folder),
            _ => None,
        }
    }
}
