//! Identifies, by content, which files beside a library's database are the program's own, so that a user's file with
//! such a name is never written, removed or locked.

use super::place::LibraryPlace;
use super::schema::FORMAT;
use crate::base::{Error, ErrorKind, Result, database_head, open_immutable_database, read_at, read_head, shown_path};
use crate::store::tag_line::{begins_as, is_tags_text};
use serde_json::{Map, Value};
use std::fs::File;
use std::path::{Path, PathBuf};

/// First bytes of a lock file; the id of the process that holds it follows.
pub const LOCK_MARK: &[u8] = b"sonobrush library lock ";
/// The value of the first field of a heartbeat.
pub const HEARTBEAT_MARK: &str = "library heartbeat";
const HEARTBEAT_HEAD: &[u8] = b"{\"sonobrush\":\"library heartbeat\"";
/// Maximum number of digits of a process id, which is all that a lock of an older version contains.
const MAX_DIGITS: usize = 10;
/// Number of bytes read to identify a file: a whole heartbeat, and the start of the tags.
const HEAD_BYTES: usize = 8_192;
/// Maximum size of a heartbeat.
pub const MAX_HEARTBEAT_BYTES: usize = 4_096;

/// Fields of a heartbeat, in this version and older ones.
const HEARTBEAT_FIELDS: [&str; 13] = [
    "sonobrush",
    "host",
    "process",
    "doing",
    "done",
    "queued",
    "failed",
    "per_second",
    "memory_bytes",
    "budget_bytes",
    "since_boot_secs",
    "silent_secs",
    "is_stalled",
];
/// Position of SQLite's write and read versions in a database, and their values until it is opened as a library.
const WRITE_VERSION: std::ops::Range<usize> = 18..20;
const UNOPENED_MARK: &[u8] = &[1, 1];
/// Maximum size of a library without rows.
const MAX_NEW_BYTES: u64 = 256 << 10;
/// Tables that have rows once a library contains any data of the user.
const TABLES_OF_USER: [&str; 3] = ["folder", "sound", "tag"];

/// A file beside the database: its path, its description, a check of whether its first bytes are the program's own, and
/// whether an empty file is.
type SideFile = (PathBuf, &'static str, fn(&[u8]) -> bool, bool);

/// Refuses a path beside which another program's file has the name of one of ours.
///
/// # Errors
/// One sentence, with advice.
pub fn refuse_foreign_files(place: &LibraryPlace) -> Result<()> {
    // In the state folder every file is ours, damaged ones too.
    if place.is_default() {
        return refuse_other_kinds(place);
    }
    let is_locked = has_lock_text(&place.lock_file());
    let files: [SideFile; 4] = [
        (place.lock_file(), "a lock", is_lock_text, true),
        (place.heartbeat_file(), "a heartbeat", is_heartbeat_text, is_locked),
        (place.new_heartbeat_file(), "a heartbeat", is_heartbeat_text, is_locked),
        (place.tags_file(), "your tags", is_tags_text, true),
    ];
    for (path, what, is_ours, may_be_empty) in files {
        let Some(n_bytes) = size_of_file(&path, what)? else { continue };
        let Some(head) = unless_gone(&path, read_head(&path, HEAD_BYTES))? else { continue };
        let is_ours = if n_bytes == 0 || head.is_empty() { may_be_empty } else { is_ours(&head) };
        if !is_ours {
            return Err(not_ours(&path, what));
        }
    }
    // The temporary path is used only to create a library. If the library exists, a finished one there does no harm.
    let is_made = std::fs::metadata(place.database()).is_ok_and(|found| found.len() > 0);
    refuse_other_new(place, is_made, is_locked)
}

/// Refuses to create a library if a finished one is at its temporary path.
///
/// # Errors
/// One sentence, with advice.
pub fn refuse_finished_library(place: &LibraryPlace) -> Result<()> {
    if place.is_default() { Ok(()) } else { refuse_other_new(place, false, has_lock_text(&place.lock_file())) }
}

/// Refuses anything other than regular files, such as pipes, links and folders.
fn refuse_other_kinds(place: &LibraryPlace) -> Result<()> {
    let files = [
        (place.lock_file(), "a lock"),
        (place.heartbeat_file(), "a heartbeat"),
        (place.new_heartbeat_file(), "a heartbeat"),
        (place.new_database(), NEW_LIBRARY),
        (place.tags_file(), "your tags"),
    ];
    files.iter().try_for_each(|(path, what)| size_of_file(path, what).map(drop))
}

const NEW_LIBRARY: &str = "a new library";

fn not_ours(path: &Path, what: &str) -> Error {
    let sentence = format!(
        "is no file of Sonobrush, and the library keeps {what} under that name; move it, or choose another path for the \
         library"
    );
    Error::new(ErrorKind::Io, sentence).at(path)
}

/// Size of a file that may be the program's own; `None` if it does not exist.
///
/// # Errors
/// If it is not a regular file. Links are not followed.
fn size_of_file(path: &Path, what: &str) -> Result<Option<u64>> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(&error, "read", path)),
        Ok(found) if !found.is_file() => Err(not_ours(path, what)),
        Ok(found) => Ok(Some(found.len())),
    }
}

/// The result of a read; `None` if the process working on the library has moved the file in the meantime.
fn unless_gone<T>(path: &Path, read: Result<T>) -> Result<Option<T>> {
    let is_gone = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    match read {
        Err(_) if std::fs::symlink_metadata(path).is_err_and(is_gone) => Ok(None),
        read => read.map(Some),
    }
}

/// Whether there is a lock file with the program's mark, once held by a process. Beside such a lock, empty files were
/// left by a process that ended too early; without it, they count as the user's.
fn has_lock_text(path: &Path) -> bool {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_file && read_head(path, HEAD_BYTES).is_ok_and(|text| !text.is_empty() && is_lock_text(&text))
}

/// Refuses anything at the temporary path of a library except an incomplete library or, with `may_be_finished`, a
/// finished one.
fn refuse_other_new(place: &LibraryPlace, may_be_finished: bool, is_locked: bool) -> Result<()> {
    let new = place.new_database();
    let Some(n_bytes) = size_of_file(&new, NEW_LIBRARY)? else { return Ok(()) };
    // Read with `database_head`, since closing the file of a library in use would drop its locks.
    let Some(head) = unless_gone(&new, database_head(&new))? else { return Ok(()) };
    match () {
        () if head.is_empty() && is_locked => Ok(()),
        () if !FORMAT.is_head(&head) => Err(not_ours(&new, NEW_LIBRARY)),
        () if may_be_finished || is_half_made(&new, &head, n_bytes) => Ok(()),
        () => {
            let sentence = format!(
                "is a library of its own, and {} would be made under that name; move it, or choose another path for the \
                 library",
                shown_path(place.database())
            );
            Err(Error::new(ErrorKind::Io, sentence).at(&new))
        }
    }
}

/// Whether the database was left half-made by this program: never opened as a library, and empty. If left in the middle
/// of a write, its tables can't be read.
fn is_half_made(path: &Path, head: &[u8], n_bytes: u64) -> bool {
    if head.get(WRITE_VERSION) != Some(UNOPENED_MARK) || n_bytes > MAX_NEW_BYTES {
        return false;
    }
    let Ok(connection) = open_immutable_database(path) else { return true };
    let has_rows = |table: &&str| {
        let requested = format!("SELECT EXISTS(SELECT 1 FROM {table})");
        connection.query_row(&requested, [], |row| row.get(0)).unwrap_or(false)
    };
    !TABLES_OF_USER.iter().any(has_rows)
}

/// Whether text is a lock: the mark and a process id, or only the id as in older versions. A full disk may have
/// truncated the mark.
fn is_lock_text(text: &[u8]) -> bool {
    match text.strip_prefix(LOCK_MARK) {
        None if begins_as(text, LOCK_MARK) => true,
        number => {
            let number = number.unwrap_or(text);
            number.len() <= MAX_DIGITS && number.iter().all(u8::is_ascii_digit)
        }
    }
}

/// Whether an open lock file is the program's own.
pub fn is_lock(file: &File) -> bool {
    let n_bytes = file.metadata().map_or(0, |found| found.len()).min((LOCK_MARK.len() + MAX_DIGITS) as u64 + 1);
    let mut text = vec![0; n_bytes as usize];
    read_at(file, &mut text, 0).is_ok() && is_lock_text(&text)
}

/// The process id in a lock.
pub fn process_of_lock(text: &[u8]) -> Option<u32> {
    str::from_utf8(text.strip_prefix(LOCK_MARK).unwrap_or(text)).ok()?.trim().parse().ok()
}

/// Whether text is a heartbeat: an object that has only known fields, including those of older versions; or the
/// beginning of one, truncated by a full disk.
fn is_heartbeat_text(text: &[u8]) -> bool {
    if text.len() > MAX_HEARTBEAT_BYTES {
        return false;
    }
    match serde_json::from_slice::<Map<String, Value>>(text) {
        Ok(sign) => {
            let is_number = |name: &str, is_it: fn(&Value) -> bool| sign.get(name).is_some_and(is_it);
            has_our_fields(&sign)
                && is_number("process", Value::is_u64)
                && is_number("since_boot_secs", Value::is_number)
        }
        Err(_) => is_half_a_sign(text),
    }
}

fn has_our_fields(sign: &Map<String, Value>) -> bool {
    sign.keys().all(|name| HEARTBEAT_FIELDS.contains(&name.as_str()))
        && sign.get("sonobrush").is_none_or(|mark| mark == HEARTBEAT_MARK)
}

/// Whether text is a truncated heartbeat: the mark or a part of it, or known complete fields after it and the beginning
/// of the next.
fn is_half_a_sign(text: &[u8]) -> bool {
    let Some(fields) = text.strip_prefix(HEARTBEAT_HEAD) else { return begins_as(text, HEARTBEAT_HEAD) };
    let is_comma = |&at: &usize| fields[at] == b',';
    fields.is_empty()
        || (0..fields.len()).rev().filter(is_comma).any(|at| {
            let whole = [HEARTBEAT_HEAD, &fields[..at], b"}"].concat();
            serde_json::from_slice(&whole).is_ok_and(|sign| has_our_fields(&sign))
                && begins_our_field(&fields[at + 1..])
        })
}

/// Whether text begins a known field: a part of its name, or the name and a part of its value.
fn begins_our_field(text: &[u8]) -> bool {
    HEARTBEAT_FIELDS.iter().any(|name| {
        let name = format!("\"{name}\":");
        name.as_bytes().starts_with(text) || text.strip_prefix(name.as_bytes()).is_some_and(begins_a_value)
    })
}

/// Whether text is part of one JSON string or number.
fn begins_a_value(text: &[u8]) -> bool {
    match text.strip_prefix(b"\"") {
        Some(letters) => letters.iter().take(letters.len().saturating_sub(1)).all(|letter| !b"\"\n".contains(letter)),
        None => text.iter().all(|letter| letter.is_ascii_alphanumeric() || b".+-".contains(letter)),
    }
}
