//! Scripts over many files: the question, the run, and its report.

mod runner;
mod wish;

pub use runner::FilesRunner;
pub use wish::{FilesRun, RunFilesOptions, RunFilesOrder, RunPlace, RunRow};
