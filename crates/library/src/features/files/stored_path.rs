//! Paths in JSON: text if they are UTF-8, otherwise their bytes.

use crate::base::{path_bytes, path_from_bytes, shown_path};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A path stored in JSON without loss: `"a.wav"`, or `{"bytes": "61ff2e"}` in hexadecimal if it is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct StoredPath(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Bytes { bytes: String },
}

impl From<StoredPath> for Stored {
    fn from(path: StoredPath) -> Stored {
        match String::from_utf8(path_bytes(&path.0).into_owned()) {
            Ok(text) => Stored::Text(text),
            Err(error) => {
                let bytes = error.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
                Stored::Bytes { bytes }
            }
        }
    }
}

impl TryFrom<Stored> for StoredPath {
    type Error = String;

    fn try_from(stored: Stored) -> Result<StoredPath, String> {
        let bytes = match stored {
            Stored::Text(text) => text.into_bytes(),
            Stored::Bytes { bytes } => from_hex(&bytes).ok_or("a path's bytes are not hexadecimal")?,
        };
        Ok(StoredPath(path_from_bytes(&bytes)))
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// The path on one line, for display.
impl fmt::Display for StoredPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_path(&self.0))
    }
}
