//! `sonobrush run-session`, which tests end at any moment: it tells what is kept as the studio would.

use super::args::RunSession;
use super::engines::engine_for;
use super::paint::read_script;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings};
use crate::document::session::{Begin, Desk, Place, SessionWriter, SourceRef};
use crate::document::{History, Snapshot, apply};
use crate::media::Source;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Longer than any disk takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn run(typed: &RunSession, settings: &Settings, folders: &Folders) -> Result<()> {
    let script = read_script(&typed.script)?;
    let opened = Source::open(&typed.input, &Progress::new())?;
    let engine = engine_for(settings)?.engine;
    let mut history = History::new(Snapshot::new(opened.source));
    let source = history.original().source();
    let begin = Begin {
        place: Place::New(folders.state().to_path_buf()),
        source: SourceRef::of(source),
        desk: Desk::of_rate(history.original().sample_rate_hz()),
        history: history.clone(),
        project: None,
    };
    let (wake, woken) = channel();
    let mut writer = SessionWriter::start(begin, move || _ = wake.send(()));
    // Numbers of edits by their place in the history, and up to which place they were told.
    let (mut numbers, mut n_told) = (Vec::new(), 0);
    for (number, edit) in script.edits.iter().enumerate() {
        history.push(edit.clone(), apply(history.current(), edit, &engine, &Progress::new())?.snapshot);
        numbers.push(number);
        writer.follow(&history);
        tell(&writer, &numbers, &mut n_told)?;
        if (number + 1).is_multiple_of(typed.undo_every.max(1)) {
            (0..2).for_each(|_| _ = history.undo());
            writer.follow(&history);
            numbers.truncate(history.position());
            n_told = n_told.min(numbers.len());
        }
    }
    while !writer.is_settled() {
        if woken.recv_timeout(PATIENCE).is_err() {
            return Err(writer
                .take_fault()
                .unwrap_or_else(|| Error::new(ErrorKind::Io, "the session was not written")));
        }
        tell(&writer, &numbers, &mut n_told)?;
    }
    tell(&writer, &numbers, &mut n_told)?;
    say("done")
}

/// A line for each edit that is newly reported as saved.
fn tell(writer: &SessionWriter, numbers: &[usize], n_told: &mut usize) -> Result<()> {
    while *n_told < numbers.len() && writer.is_saved(*n_told + 1) {
        say(&format!("saved {}", numbers[*n_told]))?;
        *n_told += 1;
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|error| Error::io(&error, "written", Path::new("standard output")))
}
