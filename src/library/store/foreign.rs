//! What lies at a library's path and is none.

use super::place::LibraryPlace;
use super::schema::FORMAT;
use crate::base::{DATABASE_HEAD_BYTES, Error, ErrorKind, Result, database_head};

/// What every SQLite database begins with.
const SQLITE_HEAD: &[u8] = b"SQLite format 3\0";

/// What is wrong with a file that does not begin as a library does.
pub fn foreign(place: &LibraryPlace, head: &[u8]) -> String {
    if head.len() == DATABASE_HEAD_BYTES && head.starts_with(SQLITE_HEAD) {
        return "is the database of another program, or of a project; choose another path for the library".into();
    }
    match place.is_default() {
        true => "is damaged: its header cannot be read".into(),
        false => "is not a Sonobrush library; choose another path for the library".into(),
    }
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
    let error = Error::new(ErrorKind::Malformed, foreign(place, &head)).at(path);
    // In the state folder what is damaged is set aside later.
    if error.message().contains(';') { Err(error) } else { Ok(()) }
}
