//! Guards against replacing anything but folders that this program wrote.

use super::report::{ARRAY_NAMES, INDEX_NAME, MAPPING_NAME, REPORT_NAME};
use crate::base::{Error, ErrorKind, Result, TEMPORARY_PREFIX};
use std::path::Path;

/// Log of the finished tasks of a run.
pub const LOG_NAME: &str = "done.log";
/// Manifest with which a run began.
pub const STARTED_NAME: &str = "begun.json";

/// Whether a file of this name belongs to an output, finished or not.
fn is_ours(name: &str) -> bool {
    // Files being written have a temporary name until they are complete.
    name.starts_with(TEMPORARY_PREFIX)
        || ARRAY_NAMES.contains(&name)
        || [MAPPING_NAME, INDEX_NAME, REPORT_NAME, STARTED_NAME, LOG_NAME].contains(&name)
}

/// Refuses an output folder that contains anything not written by a run, with any options, since replacing the folder
/// would delete it.
///
/// # Errors
/// [`Io`](ErrorKind::Io), with advice.
pub fn refuse_foreign(output: &Path) -> Result<()> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::Io, why).at(output));
    if output.file_name().is_none() {
        return refuse("has no name of its own; give the folder a new name");
    }
    match std::fs::symlink_metadata(output) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(&error, "read", output)),
        Ok(found) if !found.is_dir() => {
            return refuse("is not a folder of features, so it is not replaced; choose another name");
        }
        Ok(_) => {}
    }
    match first_foreign(output)? {
        Some(name) => {
            let why = format!("holds \"{name}\", which is no part of its features; move that, or choose another name");
            refuse(&why)
        }
        None => Ok(()),
    }
}

/// The name of the first entry in a folder that no run wrote.
fn first_foreign(folder: &Path) -> Result<Option<String>> {
    let io = |error: std::io::Error| Error::io(&error, "read", folder);
    let is_gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    // Another process may remove the folder, or a file in it, meanwhile.
    let entries = match std::fs::read_dir(folder) {
        Err(error) if is_gone(&error) => return Ok(None),
        entries => entries.map_err(io)?,
    };
    for entry in entries {
        let entry = entry.map_err(io)?;
        let name = entry.file_name();
        let is_file = match entry.file_type() {
            Err(error) if is_gone(&error) => continue,
            found => found.map_err(io)?.is_file(),
        };
        if !(name.to_str().is_some_and(is_ours) && is_file) {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Refuses a partial folder that contains anything not written by a run, since starting over would delete it.
///
/// # Errors
/// [`Io`](ErrorKind::Io), with advice.
pub fn refuse_foreign_partial(folder: &Path) -> Result<()> {
    match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        // The link's target may be a complete output.
        Ok(found) if found.is_symlink() => {
            let why =
                "is a link, and a run would empty the folder that it leads to; remove it, or choose another output";
            return Err(Error::new(ErrorKind::Io, why).at(folder));
        }
        _ => {}
    }
    match first_foreign(folder)? {
        Some(name) => {
            let why = format!("holds \"{name}\", which no run of features wrote; move that, or choose another output");
            Err(Error::new(ErrorKind::Io, why).at(folder))
        }
        None => Ok(()),
    }
}
