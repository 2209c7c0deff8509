//! Arguments of `sonobrush notes`.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NotesCommand {
    /// Sound or project: struck or plucked, preferably a single instrument.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// MIDI file to write, or with .csv a table of labels: start, end, band, name, likelihood, MIDI number.
    #[arg(long, short, value_name = "OUT.mid")]
    pub output: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}
