//! JSON files that the program writes beside an output.

use crate::{Error, ErrorKind, Result, read_small_file};
use serde_json::{Map, Value};
use std::path::Path;

/// Maximum size of a JSON file that describes another output.
const MAX_OWN_JSON_BYTES: u64 = 4 << 20;

/// Refuses to replace a JSON file of another kind: a file written beside an output, without being named by the user,
/// may replace only a JSON object with these keys.
///
/// # Errors
/// If another kind of file exists at the path.
pub fn refuse_other_json(path: &Path, keys: &[&str], what: &str) -> Result<()> {
    own_json(path, keys, what).map(drop)
}

/// The JSON object with these keys from an earlier run, if there is one.
///
/// # Errors
/// As [`refuse_other_json`].
pub fn own_json(path: &Path, keys: &[&str], what: &str) -> Result<Option<Map<String, Value>>> {
    match std::fs::metadata(path) {
        Err(_) => return Ok(None),
        Ok(found) if !found.is_file() || found.len() > MAX_OWN_JSON_BYTES => return Err(other_than(path, what)),
        Ok(_) => {}
    }
    let text = read_small_file(path, MAX_OWN_JSON_BYTES)?;
    match serde_json::from_slice::<Map<String, Value>>(&text) {
        Ok(object) if keys.iter().all(|key| object.contains_key(*key)) => Ok(Some(object)),
        _ => Err(other_than(path, what)),
    }
}

/// The error for an existing file of another kind.
pub fn other_than(path: &Path, what: &str) -> Error {
    let why = format!("already exists and is not {what}; choose another name for the output");
    Error::new(ErrorKind::Io, why).at(path)
}
