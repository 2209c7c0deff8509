//! The command line: its definition, and all commands.
//!
//! Exit codes: 0 for success; 1 for failure, with the reason as the last line on standard error; 2 for wrong usage,
//! with the reason after the usage text. Notices are printed before the reason, one per line. Progress is shown only if
//! standard error is a terminal; elsewhere status lines are printed on request.

mod analysis;
mod args;
pub mod bench;
mod by_label;
mod common;
mod config;
mod devices;
mod labels;
mod library;
mod paint;
mod paint_files;
mod project;
#[cfg(feature = "window")]
mod record;
mod review;
#[cfg(feature = "hooks")]
mod run_session;
mod transform;
mod voices;

use crate::base::trace::Recording;
use crate::base::{
    Error, ErrorKind, Folders, LoadedSettings, Result, Settings, begin_threads, crash, read_head, shown_path,
    shown_text, take_place, trace, write_atomic,
};
use crate::library::sound_name::SoundName;
use crate::library::store::LibraryPlace;
use args::{CliCommand, Typed};
use clap::CommandFactory;
use common::outputs::refuse_output;
use common::terminal::Terminal;
use common::usage::print_wrong_usage;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The definition of the command line, for manual pages and completions.
pub fn definition() -> clap::Command {
    Typed::command()
}

/// Options for starting the studio.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Files to open.
    pub files: Vec<PathBuf>,
    /// Folders of sessions to resume.
    pub sessions: Vec<PathBuf>,
    /// Path of the library; the user's own if `None`.
    pub library: Option<PathBuf>,
    /// Whether to recover unsaved work; if `None`, the studio asks.
    pub recover: Option<bool>,
    /// Whether the window edits one file for another program, which checks the exit code.
    pub edits_for_another: bool,
    /// The effective settings.
    pub settings: Settings,
    /// Notices about reading the settings.
    pub notices: Vec<String>,
    /// Folders of settings and logs.
    pub folders: Folders,
}

/// Parses the command line and runs the command; without one, calls `open_studio`.
pub fn main(open_studio: impl FnOnce(Launch) -> Result<()>) -> ExitCode {
    let typed = match common::usage::parse() {
        Ok(typed) => typed,
        Err(error) if error.use_stderr() => return print_wrong_usage(&error),
        Err(help) => return printed(&help),
    };
    if let Some(error) = mistyped_command(&typed) {
        return print_wrong_usage(&error);
    }
    if let (Some(_), Some(file)) = (&typed.command, typed.files.first()) {
        let what = format!("a command must come before the file ({})", shown_path(file));
        return print_wrong_usage(&Typed::command().error(clap::error::ErrorKind::ArgumentConflict, what));
    }
    // A restarted window gets the session of its file (`--session`) instead of the file.
    if typed.edit && (typed.command.is_some() || typed.files.len() != usize::from(typed.sessions.is_empty())) {
        let what = "--edit takes one file, and no command";
        return print_wrong_usage(&Typed::command().error(clap::error::ErrorKind::ArgumentConflict, what));
    }
    if typed.command.as_ref().is_some_and(CliCommand::opens_adapters) {
        quieten_drivers();
    }
    common::interrupt::take_file_size_signal();
    let has_threads = begin_threads();
    let folders = Folders::of_user();
    let log_file = folders.log_file();
    let terminal = Terminal::new(typed.general.quiet);
    let ran = catch_unwind(AssertUnwindSafe(|| run(typed, folders, &terminal, has_threads, open_studio)));
    let failure = match ran {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) if error.kind() == ErrorKind::Usage => {
            print_failure_line(&terminal, &error.to_string());
            return ExitCode::from(2);
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => {
            format!("Sonobrush crashed; details are in {}", shown_path(crash::last_report().unwrap_or(&log_file)))
        }
    };
    print_failure_line(&terminal, &failure);
    ExitCode::FAILURE
}

/// Logs and prints the error that ends the program, for callers that cannot return it.
pub fn print_failure(error: &Error) {
    print_failure_line(&Terminal::new(true), &error.to_string());
}

fn print_failure_line(terminal: &Terminal, failure: &str) {
    // Only for the log file: the target is excluded from standard error, where the terminal prints the failure.
    tracing::error!(target: common::logging::FAILURE, "{failure}");
    terminal.fail(failure);
}

/// Prints help or the version to standard output. A closed pipe is not a failure, a full disk is.
fn printed(help: &clap::Error) -> ExitCode {
    let result = help.print().and_then(|()| std::io::stdout().flush());
    match result {
        Err(failure) if failure.kind() != std::io::ErrorKind::BrokenPipe => {
            print_failure_line(
                &Terminal::new(true),
                &Error::io(&failure, "written", Path::new("standard output")).to_string(),
            );
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The error for a missing file whose name resembles a command, which was probably mistyped.
fn mistyped_command(typed: &Typed) -> Option<clap::Error> {
    let [word, ..] = typed.files.as_slice() else { return None };
    if typed.command.is_some() || word.exists() || matches!(SoundName::of_path(word), Ok(Some(_))) {
        return None;
    }
    let word = word.to_str()?;
    let command = Typed::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let close: Vec<&str> = names.filter(|name| args::is_close(word, name)).collect();
    if close.is_empty() {
        return None;
    }
    let what = format!(
        "no command or file is named '{}'; did you mean {}?",
        shown_text(word),
        close.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" or "),
    );
    Some(Typed::command().error(clap::error::ErrorKind::InvalidSubcommand, what))
}

fn run(
    typed: Typed,
    folders: Folders,
    terminal: &Terminal,
    has_threads: bool,
    open_studio: impl FnOnce(Launch) -> Result<()>,
) -> Result<()> {
    let general = &typed.general;
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let mut loaded = LoadedSettings::load(&folders, variable)?;
    if let Some(engine) = general.engine() {
        loaded.override_with("engine", engine.name().into())?;
    }
    if let Some(batch_size) = general.gpu_batch_size {
        loaded.override_with("gpu_batch_size", batch_size.into())?;
    }
    if let Some(adapter) = &general.adapter {
        loaded.override_with("adapter", adapter.as_str().into())?;
    }
    common::logging::start(&folders.log_file(), &loaded.settings.log_level, general.verbose || typed.command.is_none());
    loaded.notices.iter().for_each(|notice| tracing::warn!("{notice}"));
    if !has_threads && typed.command.is_none() {
        let what = "the system refused to start a thread, which the window needs; close other programs, or raise the \
                    process limit (ulimit -u)";
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let Some(path) = general.trace.clone() else { return carry_out(typed, loaded, folders, terminal, open_studio) };
    refuse_output(&path, &["json"], "JSON")?;
    refuse_other_than_trace(&path)?;
    let recording = Recording::start();
    let done = carry_out(typed, loaded, folders, terminal, open_studio);
    let trace = recording.trace();
    // Writes the trace even if the command failed, whose error takes precedence. Checks again, since the command may
    // have written to that path.
    let written = refuse_other_than_trace(&path)
        .and_then(|()| trace.write(&path))
        .and_then(|()| write_table(&trace, &path.with_extension("txt")));
    done.and(written)
}

/// Refuses to write a trace over another file.
///
/// # Errors
/// If the path of the trace or its table holds a file other than an older trace.
fn refuse_other_than_trace(path: &Path) -> Result<()> {
    for (path, head) in [(path.to_path_buf(), trace::HEAD), (path.with_extension("txt"), trace::TABLE_HEAD)] {
        let found = match std::fs::metadata(&path) {
            Ok(found) if found.is_file() && found.len() > 0 => read_head(&path, head.len())?,
            Ok(found) if !found.is_file() => return Err(other_than_trace(&path)),
            _ => continue,
        };
        if found != head.as_bytes() {
            return Err(other_than_trace(&path));
        }
    }
    Ok(())
}

fn other_than_trace(path: &Path) -> Error {
    Error::new(ErrorKind::Io, "already exists and is not a trace; choose another name for the trace").at(path)
}

fn write_table(trace: &trace::Trace, path: &Path) -> Result<()> {
    let table = trace.table();
    write_atomic(path, |out| out.write_all(table.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
}

fn carry_out(
    typed: Typed,
    loaded: LoadedSettings,
    folders: Folders,
    terminal: &Terminal,
    open_studio: impl FnOnce(Launch) -> Result<()>,
) -> Result<()> {
    let place = LibraryPlace::new(&folders, typed.general.library.as_deref());
    let Some(mut command) = typed.command else {
        common::interrupt::listen_for_window();
        let Typed { mut files, sessions, recover, edit, general, .. } = typed;
        common::input::find_named(files.iter_mut(), &place, terminal)?;
        let library = general.library;
        // With --edit another program waits for this window, which therefore does not offer sessions of other windows.
        let recover = recover.map(|answer| answer == args::YesNo::Yes).or(edit.then_some(false));
        let LoadedSettings { settings, notices, .. } = loaded;
        let launch = Launch { files, sessions, library, recover, edits_for_another: edit, settings, notices, folders };
        return open_studio(launch);
    };
    common::interrupt::listen();
    terminal.notices(&loaded.notices);
    let settings = &loaded.settings;
    let _span = trace::span("command");
    common::input::find_named(command.sounds_mut(), &place, terminal)?;
    match command {
        CliCommand::Paint(options) => paint::run(&options, settings, &folders, &loaded.notices, terminal),
        CliCommand::Save(options) => project::save(&options, settings, &folders, terminal),
        CliCommand::Verify(options) => project::verify(&options, settings, &folders, terminal),
        CliCommand::Export(options) => project::export(&options, settings, &folders, terminal),
        #[cfg(feature = "hooks")]
        CliCommand::RunSession(options) => run_session::run(&options, settings, &folders),
        CliCommand::Labels(options) => labels::run(&options, settings, &folders, terminal),
        CliCommand::Measure(options) => analysis::measure::run(&options, settings, &folders, terminal),
        CliCommand::Pitch(options) => analysis::pitch::run(&options, settings, &folders, terminal),
        CliCommand::Notes(options) => analysis::notes::run(&options, settings, &folders, terminal),
        CliCommand::Find(options) => analysis::find::run(&options, settings, &folders, terminal),
        CliCommand::Image(options) => analysis::image::run(&options, settings, &folders, terminal),
        CliCommand::Stft(options) => analysis::stft::run(&options, &loaded, &folders, terminal),
        CliCommand::Transform(options) => transform::run(&options, &loaded, &folders, terminal),
        CliCommand::Features(options) => analysis::features::run(&options, &loaded, terminal),
        CliCommand::Voices(options) => voices::run(&options, settings, terminal),
        #[cfg(feature = "window")]
        CliCommand::Record(options) => record::run(&options, settings, terminal),
        CliCommand::Library(options) => library::run(&options, &place, settings, terminal),
        CliCommand::Info { input, json, project } => {
            analysis::info::run(&input, json, &project, &loaded, &folders, terminal)
        }
        CliCommand::Devices { json } => devices::run(settings, json, terminal),
        CliCommand::Config { json } => config::run(&loaded, &folders, json, terminal),
        CliCommand::Bench(options) => bench::run(&options, settings, terminal),
    }
}

/// Restarts the program with Mesa's device selection layer disabled. Without a desktop session, that layer prints
/// warnings to standard error; the program ranks adapters itself and does not need it. Restarts because changing the
/// environment of a running process is not safe.
fn quieten_drivers() {
    const LAYER_OFF: &str = "NODEVICE_SELECT";
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if !cfg!(target_os = "linux") || is_set("XDG_RUNTIME_DIR") || is_set(LAYER_OFF) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        // Returns only on failure: then the program continues in spite of the warnings.
        let mut again = std::process::Command::new(program);
        let error = take_place(again.args(std::env::args_os().skip(1)).env(LAYER_OFF, "1"));
        tracing::warn!(%error, "not started again");
    }
}
