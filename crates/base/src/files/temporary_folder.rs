//! Temporary folders.

use crate::{Error, Result};
use std::path::Path;

/// A new folder, readable only by this user and deleted with its contents on drop.
///
/// # Errors
/// [`Io`](crate::ErrorKind::Io).
pub fn temporary_folder() -> Result<impl AsRef<Path>> {
    tempfile::Builder::new()
        .prefix("sonobrush-")
        .tempdir()
        .map_err(|error| Error::io(&error, "written", &std::env::temp_dir()))
}
