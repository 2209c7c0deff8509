//! The user's own tags: in the database, and one per line in a file beside it, from which a new database restores them.

use super::database::open::LibraryStore;
use super::database::place::LibraryPlace;
use super::database::side_files::refuse_foreign_files;
use super::tag_line::{TAGS_MARK, TagLine, tag_of};
use super::text::{insert_tag, refresh_text};
use super::work::analysis::Digest;
use crate::base::{Error, ErrorKind, Result, append_lines, open_private_file, open_regular, shown_json, take_back};
use rusqlite::Connection;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;

/// Source of tags set by the user.
pub const USER: &str = "user";
/// Maximum length of a tag's name and value, in characters.
const MAX_CHARS: usize = 1_000;

/// The tags of each sound, by the hash of its file.
#[derive(Debug, Default)]
pub struct UserTags(HashMap<Digest, Vec<(String, String)>>);

impl UserTags {
    /// Reads the file, skipping damaged lines.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if it is not a regular file.
    pub fn load(place: &LibraryPlace) -> Result<UserTags> {
        let path = place.tags_file();
        let absent = std::fs::symlink_metadata(&path);
        if absent.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(UserTags::default());
        }
        let (file, _) = open_regular(&path)?;
        let mut tags = UserTags::default();
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(|error| Error::io(&error, "read", &path))?;
            if let Some((hash, line)) = tag_of(&line) {
                let of_sound = tags.0.entry(hash).or_default();
                of_sound.retain(|(name, _)| *name != line.name);
                of_sound.extend(line.value.map(|value| (line.name, value)));
            }
        }
        Ok(tags)
    }

    /// The tags of a sound: names and values.
    pub fn of(&self, hash: &Digest) -> impl Iterator<Item = (&str, &str)> {
        self.0.get(hash).into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl LibraryStore {
    /// Sets a tag of a sound, or removes it if there is no value. The change is on disk when this returns.
    ///
    /// # Errors
    /// For a sound that the library does not have, or an empty name; write errors.
    pub fn set_tag(&self, sound: i64, name: &str, value: Option<&str>) -> Result<()> {
        let name = name.trim().to_lowercase();
        let is_long = |text: &str| text.chars().nth(MAX_CHARS).is_some();
        if name.is_empty() || is_long(&name) || value.is_some_and(is_long) {
            let sentence = format!("a tag needs a name, and at most {MAX_CHARS} letters on either side of the =");
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        self.in_transaction_with_tags(|connection| {
            let io = |error: rusqlite::Error| self.unwritten(&error);
            let hash = self.file_hash(sound)?;
            let mut delete =
                connection.prepare("DELETE FROM tag WHERE sound = ?1 AND name = ?2 AND source = 'user'").map_err(io)?;
            delete.execute((sound, &name)).map_err(io)?;
            if let Some(value) = value {
                insert_tag(connection, sound, &name, value, USER).map_err(io)?;
            }
            refresh_text(connection, sound).map_err(io)?;
            Ok(vec![TagLine::new(&hash, &name, value)])
        })
    }

    /// As [`in_transaction`](LibraryStore::in_transaction), for work that sets user tags: the lines it returns are also
    /// appended to the tag file, which is synced to disk before the commit.
    ///
    /// # Errors
    /// As [`in_transaction`](LibraryStore::in_transaction), and errors of the file; then neither is changed.
    pub(super) fn in_transaction_with_tags(
        &self,
        work: impl FnOnce(&Connection) -> Result<Vec<TagLine>>,
    ) -> Result<()> {
        let mut added = None;
        let done = self.in_transaction(|connection| {
            added = append(self.place(), &work(connection)?)?;
            Ok(())
        });
        if let (Err(_), Some(added)) = (&done, &added) {
            // A tag that was not set must not be restored into the next library.
            let path = self.place().tags_file();
            if let Err(error) = open_private_file(&path).and_then(|file| take_back(&file, added)) {
                tracing::warn!(%error, "a tag that was not set stays in {}", path.display());
            }
        }
        done
    }

    /// The hash of a sound's file.
    ///
    /// # Errors
    /// If the library does not have the sound.
    pub(crate) fn file_hash(&self, sound: i64) -> Result<Digest> {
        let requested =
            self.connection().query_row("SELECT file_hash FROM sound WHERE id = ?1", [sound], |row| row.get(0));
        requested.map_err(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => {
                Error::new(ErrorKind::Script, format!("the library has no sound {sound}"))
            }
            error => self.unread(&error),
        })
    }
}

/// Appends lines to the tag file and syncs it to disk. Returns the range of bytes appended, if any.
///
/// # Errors
/// [`Io`](ErrorKind::Io); if the file is not a tag file. Nothing was appended then.
fn append(place: &LibraryPlace, lines: &[TagLine]) -> Result<Option<Range<u64>>> {
    if lines.is_empty() {
        return Ok(None);
    }
    refuse_foreign_files(place)?;
    let path = place.tags_file();
    let io = |error: std::io::Error| Error::io(&error, "written", &path);
    let mut file = open_private_file(&path).map_err(io)?;
    let is_new = file.metadata().map_err(io)?.len() == 0;
    let mut text = Vec::new();
    for line in lines {
        let line = serde_json::to_string(line)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
        text.extend_from_slice(shown_json(&line).as_bytes());
        text.push(b'\n');
    }
    if is_new {
        text.splice(..1, TAGS_MARK.iter().copied());
    }
    // Only one process writes at a time, since the database's transaction is open.
    append_lines(&mut file, &text).map(Some).map_err(io)
}
