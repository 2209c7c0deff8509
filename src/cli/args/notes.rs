//! What can be typed of notes.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NotesCommand {
    /// The sound or project: struck or plucked, best of one instrument.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The MIDI file to write, or with .csv a table of labels: start, end, band, name, likelihood, MIDI number.
    #[arg(long, short, value_name = "OUT.mid")]
    pub output: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}
