//! What lies at a library's path and is none.

use super::place::LibraryPlace;
use super::schema::FORMAT;
use crate::base::{DATABASE_HEAD_BYTES, Error, ErrorKind, Result, database_head};

/// What every SQLite database begins with.
const SQLITE_HEAD: &[u8] = b"SQLite format 3\0";

/// A file at a library's path that does not begin as one does.
pub struct Foreign {
    /// What is wrong, with what to do where the file is not ours.
    pub error: Error,
    /// Whether it is a damaged library of ours, which may be set aside.
    pub is_damaged: bool,
}

/// What is wrong with a file that does not begin as a library does.
pub fn foreign(place: &LibraryPlace, head: &[u8]) -> Foreign {
    let is_database = head.len() == DATABASE_HEAD_BYTES && head.starts_with(SQLITE_HEAD);
    let is_damaged = !is_database && place.is_default();
    let what = if is_database {
        "is the database of another program, or of a project; choose another path for the library"
    } else if is_damaged {
        "is damaged: its header cannot be read"
    } else {
        "is not a Sonobrush library; choose another path for the library"
    };
    Foreign { error: Error::new(ErrorKind::Malformed, what).at(place.database()), is_damaged }
}

/// Refuses a path at which something other than a library lies, before anything beside it is opened.
///
/// # Errors
/// One sentence, with what to do.
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
    let Foreign { error, is_damaged } = foreign(place, &head);
    // In the state folder what is damaged is set aside later.
    if is_damaged { Ok(()) } else { Err(error) }
}
