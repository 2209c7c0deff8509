//! System services: clock, jobs on threads, file dialogs, folders, audio devices. Tests replace each of them. Depends
//! on no other module of the workbench.

mod clock;
mod dialogs;
mod job_queue;
mod jobs;
mod latest;
mod settings_changes;

pub use clock::{Clock, SetClock, SystemClock};
#[cfg(feature = "hooks")]
pub use dialogs::AnsweredDialogs;
pub use dialogs::{Dialogs, FileDialog, Picked, ScriptedDialogs};
pub use job_queue::{JobQueue, Unfinished};
pub use jobs::{Job, Jobs};
pub use latest::{JobQuestion, Latest};
pub use settings_changes::SettingsChanges;

use crate::base::Folders;
use crate::playback::AudioOutput;
use crate::recording::AudioInput;
use std::sync::Arc;

/// The services that a workbench needs.
pub struct Services {
    /// File dialogs.
    pub dialogs: Arc<dyn Dialogs>,
    /// Sound output.
    pub audio_output: Box<dyn AudioOutput>,
    /// Sound input.
    pub audio_input: Box<dyn AudioInput>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Folders of settings, state and logs.
    pub folders: Folders,
    /// Jobs off the UI thread.
    pub jobs: Jobs,
}
