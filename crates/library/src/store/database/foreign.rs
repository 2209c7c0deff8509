//! Files at a library's path that are not libraries.

use super::place::LibraryPlace;
use super::schema::FORMAT;
use crate::base::{DATABASE_HEAD_BYTES, Error, ErrorKind, Result, database_head};

/// The first bytes of every SQLite database.
const SQLITE_HEAD: &[u8] = b"SQLite format 3\0";

/// A file at a library's path that does not have a library's header.
pub struct ForeignFile {
    /// The error, with advice unless the file is the program's own.
    pub error: Error,
    /// Whether it is a damaged library of this program, which may be set aside.
    pub is_damaged: bool,
}

/// Describes a file at a library's path that does not have a library's header.
pub fn foreign(place: &LibraryPlace, head: &[u8]) -> ForeignFile {
    let is_database = head.len() == DATABASE_HEAD_BYTES && head.starts_with(SQLITE_HEAD);
    let is_damaged = !is_database && place.is_default();
    let what = if is_database {
        "is the database of another program, or of a project; choose another path for the library"
    } else if is_damaged {
        "is damaged: its header cannot be read"
    } else {
        "is not a Sonobrush library; choose another path for the library"
    };
    ForeignFile { error: Error::new(ErrorKind::Malformed, what).at(place.database()), is_damaged }
}

/// Refuses a path that holds anything other than a library, before any file beside it is opened.
///
/// # Errors
/// One sentence, with advice.
pub fn refuse_foreign(place: &LibraryPlace) -> Result<()> {
    let path = place.database();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(&error, "read", path)),
        Ok(_) => {}
    }
    let head = database_head(path)?;
    if FORMAT.is_head(&head) || head.is_empty() {
        return Ok(());
    }
    let ForeignFile { error, is_damaged } = foreign(place, &head);
    // In the state folder, a damaged library is set aside later.
    if is_damaged { Ok(()) } else { Err(error) }
}
