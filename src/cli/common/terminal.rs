//! Prints to standard output and standard error. Results go to standard output. Notices go to standard error as
//! `sonobrush: note: ...`; a failure is its last line, `sonobrush: ...`, and the only one with `--quiet`. Progress is
//! shown only on terminals.

use crate::base::{Error, ErrorKind, MAX_NOTICES, Progress, Result, few_notices, more_notices, shown_json, shown_text};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Duration of work after which a progress bar is shown.
const BEFORE_BAR: Duration = Duration::from_millis(400);
const BAR_TICK: Duration = Duration::from_millis(80);
const BAR_STEPS: u64 = 1000;

/// Output options of this run.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Terminal {
    /// Whether progress is shown.
    is_chatty: bool,
    /// Whether only failures are printed.
    is_quiet: bool,
}

impl Terminal {
    pub(in crate::cli) fn new(quiet: bool) -> Terminal {
        Terminal { is_chatty: !quiet && std::io::stderr().is_terminal(), is_quiet: quiet }
    }

    /// Prints the line of a failure.
    pub(in crate::cli) fn fail(&self, sentence: &str) {
        print_line(&format!("sonobrush: {}", on_one_line(sentence)));
    }

    /// Prints notices about a file or a whole run, a line each; beyond a limit, only their number.
    pub(in crate::cli) fn notices(&self, notices: &[String]) {
        few_notices(notices).iter().for_each(|notice| self.notice(notice));
    }

    /// Prints a notice, unless quiet.
    pub(in crate::cli) fn notice(&self, notice: &str) {
        if !self.is_quiet {
            print_line(&format!("sonobrush: note: {}", on_one_line(notice)));
        }
    }

    #[cfg(feature = "window")]
    /// Prints a hint for interactive users, on a terminal only.
    pub(in crate::cli) fn hint(&self, hint: &str) {
        if self.is_chatty {
            print_line(&format!("sonobrush: {}", on_one_line(hint)));
        }
    }

    /// Collects notices about a file.
    pub(in crate::cli) fn file_notices(&self) -> FileNotices {
        FileNotices { terminal: *self, all: Vec::new() }
    }

    /// Whether only failures are printed.
    pub(in crate::cli) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Prints a status line to standard error, even if that is not a terminal.
    pub(in crate::cli) fn status(&self, line: &str) {
        print_line(line);
    }

    /// Prints results to standard output. A closed pipe is not a failure.
    ///
    /// # Errors
    /// If standard output is redirected to a full disk.
    pub(in crate::cli) fn print(&self, text: &str) -> Result<()> {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Error::io(&error, "written", Path::new("standard output")))
            }
            _ => Ok(()),
        }
    }

    /// Prints a result as indented JSON.
    ///
    /// # Errors
    /// As [`print`](Terminal::print).
    pub(in crate::cli) fn print_json(&self, value: &impl serde::Serialize) -> Result<()> {
        self.print(&format!("{}\n", json_of(value)?))
    }

    /// Prints a result as JSON on one line.
    ///
    /// # Errors
    /// As [`print`](Terminal::print).
    pub(in crate::cli) fn print_json_line(&self, value: &impl serde::Serialize) -> Result<()> {
        let line = serde_json::to_string(value).map_err(|error| not_json(&error))?;
        self.print(&format!("{}\n", shown_json(&line)))
    }

    /// Replaces the last `n_drawn` lines on the terminal by those of `text`. Returns the number of new lines.
    ///
    /// # Errors
    /// As [`print`](Terminal::print).
    pub(in crate::cli) fn redraw(&self, text: &str, n_drawn: usize) -> Result<usize> {
        let back = if n_drawn > 0 { format!("\x1b[{n_drawn}F\x1b[J") } else { String::new() };
        // Disables wrapping, as a wrapped line would count as two.
        self.print(&format!("{back}\x1b[?7l{text}\x1b[?7h"))?;
        Ok(text.lines().count())
    }

    /// Runs work with a progress bar on terminals; an interrupt cancels it.
    ///
    /// # Errors
    /// The error of the work.
    pub(in crate::cli) fn with_progress<T>(&self, doing: &str, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
        let progress = Progress::new();
        super::interrupt::watch(&progress);
        if !self.is_chatty {
            return work(&progress);
        }
        let (done, is_done) = channel::<()>();
        std::thread::scope(|scope| {
            let show = || {
                let is_done = is_done;
                if is_done.recv_timeout(BEFORE_BAR) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::new(BAR_STEPS).with_message(doing.to_owned());
                if let Ok(style) = ProgressStyle::with_template("{msg} [{wide_bar}] {percent:>3} %") {
                    bar.set_style(style.progress_chars("=> "));
                }
                while is_done.recv_timeout(BAR_TICK) == Err(RecvTimeoutError::Timeout) {
                    bar.set_position((progress.fraction() * BAR_STEPS as f32) as u64);
                }
                bar.finish_and_clear();
            };
            // Without a thread the work runs without a bar.
            if let Err(error) = std::thread::Builder::new().name("progress".into()).spawn_scoped(scope, show) {
                tracing::warn!(%error, "no progress is shown");
            }
            let result = work(&progress);
            drop(done);
            result
        })
    }
}

/// Notices about a file. Each is printed at once up to a limit; the number of others is printed at the end.
#[derive(Debug)]
pub(in crate::cli) struct FileNotices {
    terminal: Terminal,
    all: Vec<String>,
}

impl FileNotices {
    /// Adds notices, and prints those below the limit.
    pub(in crate::cli) fn add_notices(&mut self, more: impl IntoIterator<Item = String>) {
        for notice in more {
            if self.all.len() < MAX_NOTICES {
                self.terminal.notice(&notice);
            }
            self.all.push(notice);
        }
    }

    /// All notices, including those not printed, for a report.
    pub(in crate::cli) fn all(&self) -> &[String] {
        &self.all
    }
}

impl Drop for FileNotices {
    fn drop(&mut self) {
        if let Some(more) = more_notices(self.all.len().saturating_sub(MAX_NOTICES)) {
            self.terminal.notice(&more);
        }
    }
}

/// A value as indented JSON.
///
/// # Errors
/// Never in practice, as all values are our own types.
pub(in crate::cli) fn json_of(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map(|text| shown_json(&text).into_owned()).map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}"))
}

/// Prints a line to standard error, ignoring errors.
fn print_line(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").ok();
}

/// The text on one line and safe to print: runs of control characters become a space, others are escaped.
fn on_one_line(sentence: &str) -> String {
    let parts = sentence.split(|letter: char| letter.is_control()).filter(|part| !part.is_empty());
    shown_text(&parts.collect::<Vec<_>>().join(" ")).into_owned()
}
