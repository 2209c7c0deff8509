//! A folder for what is needed for a moment.

use super::{Error, Result};
use std::path::Path;

/// A folder of its own that no other user can read, gone with what is in it when this is dropped.
///
/// # Errors
/// [`Io`](super::ErrorKind::Io).
pub fn temporary_folder() -> Result<impl AsRef<Path>> {
    tempfile::Builder::new()
        .prefix("sonobrush-")
        .tempdir()
        .map_err(|error| Error::io(&error, "written", &std::env::temp_dir()))
}
