//! Edits as JSON: the same text stores edits in sessions, records macros and drives the command line.

use super::Edit;
use crate::base::Result;

/// A list of edits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// In the order in which they act.
    pub edits: Vec<Edit>,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) with the place in the script: `edits[2].stroke.radius[0]: must be positive`.
    pub fn parse(text: &str) -> Result<Script> {
        let _ = text;
        unimplemented!()
    }

    /// The script as JSON, every edit with its own transform; parsing it gives the same script.
    pub fn to_json(&self) -> String {
        unimplemented!()
    }
}
