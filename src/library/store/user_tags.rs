//! The user's own tags: in the database, and a line each in a file beside it, from which they come back when the database
//! is made anew.

use super::analysis::Digest;
use super::open::LibraryStore;
use super::place::LibraryPlace;
use super::text::{insert_tag, refresh_text};
use crate::base::{Error, ErrorKind, Result, open_private_file};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};

/// The source of the tags that the user set.
pub const USER: &str = "user";
/// Longest name and value of a tag.
const MOST_LETTERS: usize = 1_000;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct TagLine {
    /// The hash of the sound's file, in hexadecimal.
    file: String,
    name: String,
    /// None where the tag was removed.
    value: Option<String>,
}

impl TagLine {
    /// A tag of the sound of a file; without a value, that there is none.
    pub fn new(hash: &Digest, name: &str, value: Option<&str>) -> TagLine {
        let file = blake3::Hash::from_bytes(*hash).to_string();
        TagLine { file, name: name.to_owned(), value: value.map(str::to_owned) }
    }
}

/// The tags of each sound, by the hash of its file.
#[derive(Debug, Default)]
pub struct UserTags(HashMap<Digest, Vec<(String, String)>>);

impl UserTags {
    /// Reads the file; a line that is damaged is passed over.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn load(place: &LibraryPlace) -> Result<UserTags> {
        let path = place.tags_file();
        let file = match std::fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(UserTags::default()),
            Err(error) => return Err(Error::io(&error, "read", &path)),
        };
        let mut tags = UserTags::default();
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(|error| Error::io(&error, "read", &path))?;
            if let Ok(line) = serde_json::from_slice::<TagLine>(&line)
                && let Ok(hash) = blake3::Hash::from_hex(&line.file)
            {
                let of_sound = tags.0.entry(*hash.as_bytes()).or_default();
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
    /// Sets a tag of a sound, or removes it where there is no value. It is on the disk when this returns.
    ///
    /// # Errors
    /// A sound that the library does not have; a name that is empty; those of writing.
    pub fn set_tag(&self, sound: i64, name: &str, value: Option<&str>) -> Result<()> {
        let name = name.trim().to_lowercase();
        if name.is_empty() || name.len() > MOST_LETTERS || value.is_some_and(|value| value.len() > MOST_LETTERS) {
            let sentence = format!("a tag needs a name, and at most {MOST_LETTERS} letters on either side of the =");
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        self.in_transaction(|connection| {
            let io = |error: rusqlite::Error| self.unwritten(&error);
            let hash = self.file_hash(sound)?;
            let mut delete =
                connection.prepare("DELETE FROM tag WHERE sound = ?1 AND name = ?2 AND source = 'user'").map_err(io)?;
            delete.execute((sound, &name)).map_err(io)?;
            if let Some(value) = value {
                insert_tag(connection, sound, &name, value, USER).map_err(io)?;
            }
            refresh_text(connection, sound).map_err(io)?;
            append(self.place(), &[TagLine::new(&hash, &name, value)])
        })
    }

    /// The hash of a sound's file.
    ///
    /// # Errors
    /// A sound that the library does not have.
    pub(in crate::library) fn file_hash(&self, sound: i64) -> Result<Digest> {
        let asked = self.connection().query_row("SELECT file_hash FROM sound WHERE id = ?1", [sound], |row| row.get(0));
        asked.map_err(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => {
                Error::new(ErrorKind::Script, format!("the library has no sound {sound}"))
            }
            error => self.unread(&error),
        })
    }
}

/// Adds lines to the file, which is on the disk when this returns.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn append(place: &LibraryPlace, lines: &[TagLine]) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let path = place.tags_file();
    let io = |error: std::io::Error| Error::io(&error, "written", &path);
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
        text.push(b'\n');
    }
    let mut file = open_private_file(&path).map_err(io)?;
    // One process writes at a time: the database's transaction is open.
    file.seek(SeekFrom::End(0)).map_err(io)?;
    file.write_all(&text).map_err(io)?;
    file.sync_all().map_err(io)
}
