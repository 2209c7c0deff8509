//! What the workbench needs from the machine: a clock, jobs on threads, file dialogs, folders, a sound output. Tests
//! replace each. Names nothing else of the workbench.

mod clock;
mod dialogs;
mod job_queue;
mod jobs;
mod latest;

pub use clock::{Clock, SetClock, SystemClock};
#[cfg(feature = "hooks")]
pub use dialogs::AnsweredDialogs;
pub use dialogs::{Dialogs, FileDialog, Picked, ScriptedDialogs};
pub use job_queue::{JobQueue, Unfinished};
pub use jobs::{Job, Jobs};
pub use latest::{JobQuestion, Latest};

use crate::base::Folders;
use crate::playback::AudioOutput;
use crate::recording::AudioInput;
use std::sync::Arc;

/// All of it.
pub struct Services {
    /// File dialogs.
    pub dialogs: Arc<dyn Dialogs>,
    /// Where sound goes.
    pub audio_output: Box<dyn AudioOutput>,
    /// Where sound is recorded from.
    pub audio_input: Box<dyn AudioInput>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where settings, logs and the demo clip are kept.
    pub folders: Folders,
    /// Work off the UI thread.
    pub jobs: Jobs,
}
