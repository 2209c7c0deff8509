//! `sonobrush notes`

use crate::base::{Folders, Result, Settings, shown_path};
use crate::cli::args::NotesCommand;
use crate::cli::common::input;
use crate::cli::common::outputs::{refuse_output, refuse_same_file};
use crate::cli::common::terminal::Terminal;
use crate::document::{Channels, find_notes};

pub(in crate::cli) fn run(
    typed: &NotesCommand,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    refuse_output(&typed.output, &["mid", "midi", "csv"], "notes")?;
    refuse_same_file(&typed.input, &typed.output)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices.iter().cloned());
    let snapshot = opened.history.current();
    let find = |progress: &_| find_notes(snapshot, &Channels::All, progress);
    let found = terminal.with_progress("finding notes", find)?;
    file_notices.add_notices(snapshot.source().take_notice());
    found.write(&typed.output)?;
    let notes = match found.notes().len() {
        0 => "no notes".into(),
        1 => "1 note".into(),
        n => format!("{n} notes"),
    };
    terminal.print(&format!("{}: {notes} found\n", shown_path(&typed.input)))
}
