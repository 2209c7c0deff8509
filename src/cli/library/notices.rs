//! Notices and failures of library commands.

use crate::base::{Error, ErrorKind, Result, few_notices, shown_path};
use crate::cli::common::terminal::Terminal;
use serde::Serialize;
use std::path::Path;

/// A report with notices, for JSON output.
#[derive(Serialize)]
pub(super) struct WithNotices<'a, T: Serialize> {
    #[serde(flatten)]
    pub report: &'a T,
    pub notices: Vec<String>,
}

/// Prints the notices about a file, with its name if there are several files.
pub(super) fn notices_of_file(path: &Path, notices: &[String], n_files: usize, terminal: &Terminal) {
    let of_file =
        |notice: &String| if n_files == 1 { notice.clone() } else { format!("{}: {notice}", shown_path(path)) };
    few_notices(notices).iter().map(of_file).for_each(|notice| terminal.notice(&notice));
}

/// Fails if any file failed: for one input with its error, for several with the number of failures and the first error.
///
/// # Errors
/// If a file failed.
pub(super) fn refuse_failed(failures: Vec<Error>, n_files: usize, done: &str) -> Result<()> {
    let n_failed = failures.len();
    match failures.into_iter().next() {
        None => Ok(()),
        Some(error) if n_files == 1 => Err(error),
        Some(error) => {
            let sentence = format!("{n_failed} of {n_files} files could not be {done}; the first is {error}");
            Err(Error::new(ErrorKind::Malformed, sentence))
        }
    }
}
