//! `sonobrush pitch`

use crate::base::{Folders, Result, Settings, shown_path};
use crate::cli::args::PitchCommand;
use crate::cli::common::input;
use crate::cli::common::outputs::{refuse_output, refuse_same_file};
use crate::cli::common::terminal::Terminal;
use crate::document::{Channels, find_pitch_line};
use crate::dsp::pitch::pitch_line::VOICED;

pub(in crate::cli) fn run(
    typed: &PitchCommand,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    refuse_output(&typed.output, &["csv"], "a table")?;
    refuse_same_file(&typed.input, &typed.output)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices.iter().cloned());
    let snapshot = opened.history.current();
    let find = |progress: &_| find_pitch_line(snapshot, &Channels::All, progress);
    let line = terminal.with_progress("finding the pitch", find)?;
    file_notices.add_notices(snapshot.source().take_notice());
    line.write(&typed.output)?;
    let n_voiced = line.points().iter().filter(|point| point.confidence >= VOICED).count();
    let percent = 100.0 * n_voiced as f64 / line.points().len() as f64;
    terminal.print(&format!("{}: {percent:.0} % has a pitch\n", shown_path(&typed.input)))
}
