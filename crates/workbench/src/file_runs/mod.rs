//! Scripts over many files: the question, the run, and its report.

mod options;
mod runner;

pub use options::{FilesRun, RunFilesOptions, RunFilesOrder, RunPlace, RunRow};
pub use runner::FilesRunner;
