//! Reads scripts.

use crate::base::{Error, ErrorKind, Folders, Result, read_small_file};
use crate::document::{Script, locate_kept_noise};
use std::path::Path;

/// Maximum size of a script in bytes: enough for hundreds of thousands of points.
const MAX_SCRIPT_BYTES: u64 = 256 << 20;

/// Reads a script, and resolves the names of saved noise profiles in it.
pub(in crate::cli) fn read_script(path: &Path, folders: &Folders) -> Result<Script> {
    let bytes = script_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Error::new(ErrorKind::Script, "is not UTF-8 text").at(path))?;
    let mut script = Script::parse(text).map_err(|error| error.at(path))?;
    locate_kept_noise(&mut script.edits, folders).map_err(|error| error.at(path))?;
    Ok(script)
}

/// The contents of a script file.
///
/// # Errors
/// Read errors.
pub(in crate::cli) fn script_bytes(path: &Path) -> Result<Vec<u8>> {
    read_small_file(path, MAX_SCRIPT_BYTES)
}
