//! Runs scripts over many files: settings, job and report.

mod options;
mod runner;

pub use options::{FilesRun, RunFilesOptions, RunFilesOrder, RunPlace, RunRow};
pub use runner::FilesRunner;
