//! `sonobrush run-session`, which tests kill at arbitrary moments. It writes sessions as the studio does, and reports
//! each edit that is saved.

use super::args::RunSession;
use super::common::engines::engine_for;
use super::common::scripts::read_script;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings};
use crate::document::labels::LabelSet;
use crate::document::session::{
    Place, SaveBackRequest, SavedBack, SessionStart, SessionState, SessionWriter, SourceRef, save_back,
};
use crate::document::{Edit, History, Snapshot, apply};
use crate::engine::Engine;
use crate::media::Source;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Maximum wait for the next wake-up from the session writer.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn run(typed: &RunSession, settings: &Settings, folders: &Folders) -> Result<()> {
    let script = read_script(&typed.script, folders)?;
    let engine = engine_for(settings)?.engine;
    let labels = LabelSet::of(script.labels.labels)?;
    let mut tabs: Vec<Tab> =
        typed.inputs.iter().map(|path| Tab::open(path, &labels, folders)).collect::<Result<_>>()?;
    if tabs.len() > 1 {
        tabs.iter_mut().try_for_each(Tab::settle)?;
        print_line("open")?;
    }
    let n_edited = typed.edited.clamp(1, tabs.len());
    for (number, edit) in script.edits.iter().enumerate() {
        let tab = &mut tabs[number % n_edited];
        tab.edit(number, edit, &engine)?;
        if (number + 1).is_multiple_of(typed.undo_every.max(1)) {
            tab.undo();
        }
        if typed.back_every > 0 && (number + 1).is_multiple_of(typed.back_every) {
            tab.save_back()?;
        }
        tabs.iter_mut().try_for_each(Tab::print_steps)?;
    }
    tabs.iter_mut().try_for_each(Tab::settle)?;
    print_line("done")
}

/// An open file and its session.
struct Tab {
    history: History,
    writer: SessionWriter,
    woken: Receiver<()>,
    /// Numbers of the edits in the script, by position in the history.
    numbers: Vec<usize>,
    /// Number of edits reported as saved.
    n_reported: usize,
    /// The file that the sound was saved over, and the current location of the original.
    saved: Option<(SavedBack, SourceRef)>,
}

impl Tab {
    fn open(path: &Path, labels: &LabelSet, folders: &Folders) -> Result<Tab> {
        let opened = Source::open(path, &Progress::new())?;
        let history = History::labelled(Snapshot::new(opened.source), labels.clone());
        let source = history.original().source();
        let begin = SessionStart {
            place: Place::New(folders.state().to_path_buf()),
            source: SourceRef::of(source),
            desk: SessionState::of_rate(history.original().sample_rate_hz()),
            history: history.clone(),
            project: None,
        };
        let (wake, woken) = channel();
        let writer = SessionWriter::start(begin, move || _ = wake.send(()));
        Ok(Tab { history, writer, woken, numbers: Vec::new(), n_reported: 0, saved: None })
    }

    fn edit(&mut self, number: usize, edit: &Edit, engine: &Engine) -> Result<()> {
        let applied = apply(self.history.current(), edit, engine, &Progress::new())?;
        self.history.push(edit.clone(), applied.snapshot);
        self.numbers.push(number);
        self.writer.follow(&self.history);
        self.print_steps()
    }

    /// Saves the edited sound over its file.
    fn save_back(&mut self) -> Result<()> {
        let order = SaveBackRequest {
            sound: self.history.current().clone(),
            labels: self.history.labels().clone(),
            source: self.saved.as_ref().map(|(_, source)| source.clone()),
            saved: self.saved.as_ref().map(|(saved, _)| saved.clone()),
        };
        let report = save_back(&order, &self.writer.contact(), &Progress::new())?;
        self.saved = Some((report.saved, report.source));
        print_line("saved back")
    }

    /// Undoes the last two edits.
    fn undo(&mut self) {
        (0..2).for_each(|_| _ = self.history.undo());
        self.writer.follow(&self.history);
        self.numbers.truncate(self.history.position());
        self.n_reported = self.n_reported.min(self.numbers.len());
    }

    /// Prints a line for each edit that has been saved since the last call.
    fn print_steps(&mut self) -> Result<()> {
        while self.n_reported < self.numbers.len() && self.writer.is_saved(self.n_reported + 1) {
            print_line(&format!("saved {}", self.numbers[self.n_reported]))?;
            self.n_reported += 1;
        }
        Ok(())
    }

    /// Waits until everything is saved.
    fn settle(&mut self) -> Result<()> {
        while !self.writer.is_settled() {
            if self.woken.recv_timeout(TIMEOUT).is_err() {
                let unknown = || Error::new(ErrorKind::Io, "the session was not written");
                return Err(self.writer.take_fault().unwrap_or_else(unknown));
            }
            self.print_steps()?;
        }
        self.print_steps()
    }
}

fn print_line(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|error| Error::io(&error, "written", Path::new("standard output")))
}
