//! The program: parse, run, exit code.

use sonobrush::studio::{self, StudioOptions};

fn main() -> std::process::ExitCode {
    sonobrush::cli::main(|launch| {
        studio::run(StudioOptions { files: launch.files, settings: launch.settings, folders: launch.folders })
    })
}
