//! Sessions and projects: one database with the contents of an open document.
//!
//! A *session* is a folder in the state folder with a database in write-ahead mode, written by [`SessionWriter`] on a
//! thread of its own: every edit is one transaction, so that a crash loses at most what was not yet reported as saved.
//! A *project* is the same database in one file with nothing beside it, replaced as a whole. Both contain the origin of
//! the sound (a file with size, time and hash, the file itself, or silence), transform, view and selection, labels, the
//! position in the history, and every edit with its script and the blocks of samples that it changed.
//!
//! Every row has a seal, a hash over its contents, and is counted by the row above it, so that any damage is detected.
//! A database that was not written by this process is untrusted: its schema is compared with ours, sizes are bounded
//! before anything is read, and nothing in it is executed or followed without a request by the user.

mod back;
mod beat;
mod fill;
mod folder;
mod log;
mod opened;
mod optional;
mod project;
mod restore;
mod rows;
mod schema;
mod sealed;
mod sound_folder;
mod source;
mod worker;
mod writer;

pub use back::{SaveBackReport, SaveBackRequest, SavedBack, check_can_save_back, save_back};
pub use folder::{FoundSession, OrphanedSessions, SessionFolder, find_all_sessions, find_sessions};
pub use opened::{ContainedFile, OpenedSound, open_sound};
pub use optional::OptionalTables;
pub use project::{ProjectFile, VerifiedProject, is_project, open_project, save_new_project, verify_project};
pub use restore::{Restored, SampleStorage, open_session};
pub use sound_folder::{FoundRecording, GeneratedSound, SoundFolder, find_recordings};
pub use source::{SourceError, SourceRef, SourceSearch};
pub use worker::{Place, SessionStart};
pub use writer::{Saving, SessionContact, SessionWriter};

use crate::base::{Error, ErrorKind};
use crate::document::BeatGrid;
use crate::dsp::{Selection, Transform};

/// State stored with the sound that doesn't affect it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionState {
    /// The transform of its view.
    pub transform: Transform,
    /// Its view, as JSON that only the studio interprets.
    pub view: String,
    /// The selection.
    pub selection: Option<Selection>,
    /// The beat grid, if set.
    pub beat: Option<BeatGrid>,
    /// Tables of a later version.
    pub optional: OptionalTables,
}

impl SessionState {
    /// Nothing selected, with the default view for a sample rate.
    pub fn of_rate(sample_rate_hz: f64) -> SessionState {
        SessionState {
            transform: Transform::for_rate(sample_rate_hz),
            view: "{}".into(),
            selection: None,
            beat: None,
            optional: OptionalTables::default(),
        }
    }
}

/// The error about damaged contents.
fn damaged(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Malformed, format!("is damaged: {what}"))
}
