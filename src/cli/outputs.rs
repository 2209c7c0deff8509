//! Outputs that are refused before any work: those that would overwrite the input or whose extension is of another
//! format.

use crate::base::{Error, ErrorKind, Result, file_id, read_small_file};
use serde_json::{Map, Value};
use std::path::Path;

/// No JSON file of ours that describes another output is larger.
const MAX_OWN_JSON_BYTES: u64 = 4 << 20;

/// Endings of the sound files that are written; FLAC is chosen by its own.
pub(super) const SOUND_ENDINGS: &[&str] = &["wav", "wave", "rf64", "flac"];

/// # Errors
/// If writing `output` would destroy `input`.
pub(super) fn refuse_same_file(input: &Path, output: &Path) -> Result<()> {
    if is_same_file(input, output) {
        let why = "is the input file; choose another name for the output";
        return Err(Error::new(ErrorKind::Io, why).at(output));
    }
    Ok(())
}

/// A name that promises another format than the one that is written.
///
/// # Errors
/// If `output` ends in anything but one of `endings`; names without an ending promise nothing.
pub(super) fn refuse_other_format(output: &Path, endings: &[&str], format: &str) -> Result<()> {
    let Some(ending) = output.extension().map(|ending| ending.to_string_lossy().to_lowercase()) else { return Ok(()) };
    if endings.contains(&ending.as_str()) {
        return Ok(());
    }
    let what = format!("would contain {format}; end its name in .{}", endings.first().copied().unwrap_or_default());
    Err(Error::new(ErrorKind::Unsupported, what).at(output))
}

/// A file that is written beside an output, without being named by the user, replaces only one of its own kind: a JSON
/// object with these keys.
///
/// # Errors
/// If anything else is there.
pub(super) fn refuse_other_json(path: &Path, keys: &[&str], what: &str) -> Result<()> {
    own_json(path, keys, what).map(drop)
}

/// The JSON object with these keys that an earlier run wrote, if there is one.
///
/// # Errors
/// As [`refuse_other_json`].
pub(super) fn own_json(path: &Path, keys: &[&str], what: &str) -> Result<Option<Map<String, Value>>> {
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

/// That a file is in the way which is not of the kind that may be replaced.
pub(super) fn other_than(path: &Path, what: &str) -> Error {
    let why = format!("already exists and is not {what}; choose another name for the output");
    Error::new(ErrorKind::Io, why).at(path)
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| std::fs::metadata(path).ok().and_then(|found| file_id(&found));
    if let (Some(a), Some(b)) = (id(a), id(b)) {
        return a == b;
    }
    matches!((std::fs::canonicalize(a), std::fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
