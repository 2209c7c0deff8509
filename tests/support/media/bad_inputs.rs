//! Malformed, hostile and odd files.

use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes all inputs into `folder` and returns what the manifest says of each.
pub fn make_bad_inputs(folder: &Path) -> Vec<Value> {
    let script = super::root().join("tests/make_bad_audio.py");
    let made = Command::new("python3").arg(script).arg(folder).output();
    let made = made.expect("python3 is needed to make the bad inputs; install it (on Debian: apt-get install python3)");
    assert!(made.status.success(), "make_bad_audio.py failed: {}", String::from_utf8_lossy(&made.stderr));
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let Value::Array(entries) = serde_json::from_str(&manifest).unwrap() else { panic!("the manifest is no list") };
    entries
}

/// The file of an entry; names that are not UTF-8 are given in hexadecimal.
pub fn path_of(folder: &Path, entry: &Value) -> PathBuf {
    if let Some(name) = entry["name"].as_str() {
        return folder.join(name);
    }
    let hex = entry["name_hex"].as_str().unwrap();
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
    #[cfg(unix)]
    let name: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes.collect());
    #[cfg(not(unix))]
    let name: OsString = String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned().into();
    folder.join(name)
}
