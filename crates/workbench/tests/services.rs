//! Services of a workbench in tests.

use audio::playback::RecordingOutput;
use audio::recording::PlantedInput;
use base::Folders;
use std::path::Path;
use std::sync::Arc;
use workbench::{Jobs, ScriptedDialogs, Services, SetClock};

/// Jobs that the test runs, scripted dialogs, a settable clock, fake audio devices, and all files in `folder`.
pub fn services(folder: &Path) -> Services {
    Services {
        dialogs: Arc::new(ScriptedDialogs::default()),
        audio_output: Box::new(RecordingOutput::new(None, 2).0),
        audio_input: Box::new(PlantedInput::new(48_000, 2).0),
        clock: Arc::new(SetClock::default()),
        folders: Folders::in_folder(folder),
        jobs: Jobs::manual(),
    }
}
