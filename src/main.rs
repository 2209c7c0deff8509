//! The program: parse, run, exit code.

use sonobrush::cli;

fn main() -> std::process::ExitCode {
    cli::main(open_studio)
}

#[cfg(feature = "window")]
fn open_studio(launch: cli::Launch) -> sonobrush::base::Result<()> {
    use sonobrush::studio::{self, StudioOptions};

    sonobrush::base::begin_with_lean_memory();
    let cli::Launch { files, sessions, library, recover, settings, folders, notices } = launch;
    let tell_failure = cli::tell_failure;
    studio::run(StudioOptions { files, sessions, database: library, recover, settings, folders, notices, tell_failure })
}

#[cfg(not(feature = "window"))]
fn open_studio(_: cli::Launch) -> sonobrush::base::Result<()> {
    use sonobrush::base::{Error, ErrorKind};

    Err(Error::new(
        ErrorKind::Unsupported,
        "this program was built without its window; see sonobrush --help for commands",
    ))
}
