//! The files beside a library's database: what is ours among them by what it holds, so that nothing of the user's that bears
//! such a name is ever written, removed or locked.

use super::place::LibraryPlace;
use super::schema::FORMAT;
use super::tag_line::{begins_as, is_tags_text};
use crate::base::{Error, ErrorKind, Result, open_regular, read_at};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a lock begins with; the number of the process that holds it follows.
pub const LOCK_MARK: &[u8] = b"sonobrush library lock ";
/// The first field of a sign of life.
pub const HEARTBEAT_MARK: &str = "library heartbeat";
const HEARTBEAT_HEAD: &[u8] = b"{\"sonobrush\":\"library heartbeat\"";
/// Digits of the largest number of a process: all that the lock of an older version holds.
const MOST_DIGITS: usize = 10;
/// What is read of a file to tell what it is: all of a sign of life, and the first of the tags.
const HEAD_BYTES: usize = 8_192;

/// Whether a file beside the database is one of ours, by its first bytes.
type IsOurs = fn(&[u8]) -> bool;

/// Refuses a path beside which something else bears the name of a file that is kept there.
///
/// # Errors
/// One sentence, with what to do.
pub fn refuse_foreign_files(place: &LibraryPlace) -> Result<()> {
    // In the state folder every file is ours, damaged ones too.
    let files: [(&Path, &str, IsOurs); 5] = [
        (&place.lock_file(), "a lock", is_lock_text),
        (&place.heartbeat_file(), "a sign of life", is_heartbeat_text),
        (&place.new_heartbeat_file(), "a sign of life", is_heartbeat_text),
        (&place.new_database(), "a new library", is_new_database),
        (&place.tags_file(), "your tags", is_tags_text),
    ];
    files.into_iter().try_for_each(|(path, what, is_ours)| match is_ours_at(path, is_ours, place.is_default())? {
        true => Ok(()),
        false => Err(not_ours(path, what)),
    })
}

fn not_ours(path: &Path, what: &str) -> Error {
    let sentence = format!(
        "is no file of Sonobrush, and the library keeps {what} under that name; move it, or choose another path for the \
         library"
    );
    Error::new(ErrorKind::Io, sentence).at(path)
}

/// Whether what lies at a path is ours; nothing there is, too. A link leads elsewhere, and is not.
fn is_ours_at(path: &Path, is_ours: IsOurs, may_be_damaged: bool) -> Result<bool> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(Error::io(&error, "read", path)),
        Ok(found) if !found.is_file() => return Ok(false),
        Ok(_) if may_be_damaged => return Ok(true),
        Ok(_) => {}
    }
    let mut head = Vec::new();
    let (file, _) = open_regular(path)?;
    file.take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(|error| Error::io(&error, "read", path))?;
    // An empty file holds nothing of anybody's; a process that ended too early may have left it.
    Ok(head.is_empty() || is_ours(&head))
}

/// A lock: our mark, or the number that older versions wrote alone.
fn is_lock_text(text: &[u8]) -> bool {
    begins_as(text, LOCK_MARK) || text.len() <= MOST_DIGITS && text.iter().all(u8::is_ascii_digit)
}

/// Whether an open lock is one of ours.
pub fn is_lock(file: &File) -> bool {
    let n_bytes = file.metadata().map_or(0, |found| found.len()).min(LOCK_MARK.len() as u64 + MOST_DIGITS as u64);
    let mut text = vec![0; n_bytes as usize];
    read_at(file, &mut text, 0).is_ok() && is_lock_text(&text)
}

/// The number of the process in a lock.
pub fn process_of_lock(text: &[u8]) -> Option<u32> {
    str::from_utf8(text.strip_prefix(LOCK_MARK).unwrap_or(text)).ok()?.trim().parse().ok()
}

/// A sign of life: our mark, or the object that older versions wrote.
fn is_heartbeat_text(text: &[u8]) -> bool {
    let is_old = |text: &[u8]| {
        let object = serde_json::from_slice::<Map<String, Value>>(text);
        object.is_ok_and(|object| object.contains_key("process") && object.contains_key("since_boot_secs"))
    };
    begins_as(text, HEARTBEAT_HEAD) || is_old(text)
}

fn is_new_database(head: &[u8]) -> bool {
    FORMAT.is_head(head)
}
