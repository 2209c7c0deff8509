//! The program: parse, run, exit code.

use sonobrush::base::begin_with_lean_memory;
use sonobrush::cli;
use sonobrush::studio::{self, StudioOptions};

fn main() -> std::process::ExitCode {
    cli::main(|launch| {
        begin_with_lean_memory();
        let cli::Launch { files, sessions, library, recover, settings, folders, notices } = launch;
        let tell_failure = cli::tell_failure;
        studio::run(StudioOptions {
            files,
            sessions,
            database: library,
            recover,
            settings,
            folders,
            notices,
            tell_failure,
        })
    })
}
