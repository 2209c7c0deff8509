//! The program's entry point: runs the command line or the studio, and returns the exit code.

use sonobrush::cli;

fn main() -> std::process::ExitCode {
    cli::main(open_studio)
}

#[cfg(feature = "window")]
fn open_studio(launch: cli::Launch) -> sonobrush::base::Result<()> {
    use sonobrush::base::{Error, ErrorKind};
    use sonobrush::studio::{self, StudioOptions};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    sonobrush::base::begin_with_lean_memory();
    let cli::Launch { files, sessions, library, recover, edits_for_another, settings, folders, notices } = launch;
    let print_failure = cli::print_failure;
    let has_saved_back = Arc::new(AtomicBool::new(false));
    let saved_back = edits_for_another.then(|| has_saved_back.clone());
    let database = library;
    studio::run(StudioOptions {
        files,
        sessions,
        database,
        recover,
        settings,
        saved_back,
        folders,
        notices,
        print_failure,
    })?;
    match edits_for_another && !has_saved_back.load(Relaxed) {
        true => Err(Error::new(ErrorKind::Cancelled, "the window was closed before the file was saved back")),
        false => Ok(()),
    }
}

#[cfg(not(feature = "window"))]
fn open_studio(_: cli::Launch) -> sonobrush::base::Result<()> {
    use sonobrush::base::{Error, ErrorKind};

    Err(Error::new(
        ErrorKind::Unsupported,
        "this program was built without its window; see sonobrush --help for commands",
    ))
}
