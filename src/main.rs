//! The program: parse, run, exit code.

use sonobrush::studio::{self, StudioOptions};

fn main() -> std::process::ExitCode {
    sonobrush::cli::main(|launch| {
        let sonobrush::cli::Launch { files, settings, notices, folders } = launch;
        studio::run(StudioOptions { files, settings, folders, notices })
    })
}
