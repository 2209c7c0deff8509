//! What may be replaced: folders that hold nothing but what this program wrote there.

use super::report::{ARRAY_NAMES, INDEX_NAME, MAPPING_NAME, REPORT_NAME};
use crate::base::{Error, ErrorKind, Result};
use std::path::Path;

/// The tasks of a run that are done.
pub const LOG_NAME: &str = "done.log";
/// What a run began with.
pub const BEGUN_NAME: &str = "begun.json";

/// Whether a file of this name is part of an output, finished or not.
fn is_ours(name: &str) -> bool {
    ARRAY_NAMES.contains(&name) || [MAPPING_NAME, INDEX_NAME, REPORT_NAME, BEGUN_NAME, LOG_NAME].contains(&name)
}

/// Refuses an output whose place holds anything that a run did not write, whatever the options say: it would be
/// removed with the folder.
///
/// # Errors
/// [`Io`](ErrorKind::Io), with what to do.
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
    let io = |error: std::io::Error| Error::io(&error, "read", output);
    for entry in std::fs::read_dir(output).map_err(io)? {
        let entry = entry.map_err(io)?;
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(is_ours) && entry.file_type().map_err(io)?.is_file();
        if !is_ours {
            let name = name.to_string_lossy();
            let why = format!("holds \"{name}\", which is no part of its features; move that, or choose another name");
            return refuse(&why);
        }
    }
    Ok(())
}

/// Refuses a partial folder that no run began: starting anew would remove what it holds.
///
/// # Errors
/// [`Io`](ErrorKind::Io), with what to do.
pub fn refuse_foreign_partial(folder: &Path) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "read", folder);
    let mut entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io(error)),
    };
    if entries.next().transpose().map_err(io)?.is_none() || folder.join(LOG_NAME).is_file() {
        return Ok(());
    }
    let why = "holds files that no run of features wrote; move them, or choose another output";
    Err(Error::new(ErrorKind::Io, why).at(folder))
}
