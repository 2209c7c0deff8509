//! The sounds that commands read.

use super::{CliCommand, LibraryAction};
use std::path::PathBuf;

impl CliCommand {
    /// The sounds that the command reads, as typed: each may be `library:ID` or `library:HASH` instead of a file.
    /// `library similar` looks sounds up itself, since it does not need their files.
    pub fn sounds_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            CliCommand::Paint(typed) => typed.inputs.iter_mut().collect(),
            CliCommand::Save(typed) => vec![&mut typed.input],
            CliCommand::Export(typed) => vec![&mut typed.input],
            CliCommand::Labels(typed) => vec![&mut typed.input],
            CliCommand::Measure(typed) => vec![&mut typed.input],
            CliCommand::Find(typed) => vec![&mut typed.input],
            CliCommand::Pitch(typed) => vec![&mut typed.input],
            CliCommand::Notes(typed) => vec![&mut typed.input],
            CliCommand::Image(typed) => vec![&mut typed.input],
            CliCommand::Stft(typed) => vec![&mut typed.input],
            CliCommand::Transform(typed) => vec![&mut typed.input],
            CliCommand::Features(typed) => typed.inputs.iter_mut().collect(),
            CliCommand::Info { input, .. } => vec![input],
            CliCommand::Library(typed) => typed.action.sounds_mut(),
            CliCommand::Verify(_) | CliCommand::Voices(_) => Vec::new(),
            #[cfg(feature = "window")]
            CliCommand::Record(_) => Vec::new(),
            CliCommand::Devices { .. } | CliCommand::Config { .. } | CliCommand::Bench(_) => Vec::new(),
            #[cfg(feature = "hooks")]
            CliCommand::RunSession(_) => Vec::new(),
        }
    }
}

impl LibraryAction {
    fn sounds_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            LibraryAction::Hash(typed) => typed.files.iter_mut().collect(),
            LibraryAction::Describe(typed) => typed.files.iter_mut().collect(),
            LibraryAction::Picture(typed) => vec![&mut typed.input],
            LibraryAction::Identify(typed) => vec![&mut typed.input],
            LibraryAction::Add(_)
            | LibraryAction::Watch(_)
            | LibraryAction::Status(_)
            | LibraryAction::Stats(_)
            | LibraryAction::Failures(_)
            | LibraryAction::Remove(_)
            | LibraryAction::Forget(_)
            | LibraryAction::Verify(_)
            | LibraryAction::Search(_)
            | LibraryAction::Similar(_)
            | LibraryAction::Duplicates(_)
            | LibraryAction::Tag(_)
            | LibraryAction::Export(_)
            | LibraryAction::Import(_)
            | LibraryAction::Bench(_) => Vec::new(),
        }
    }
}
