//! Names of the library's sounds, accepted by commands in place of a file: `library:17`, or `library:` and the hash of
//! the file.

use super::identity::recordings::file_digest;
use super::store::LibraryStore;
use crate::base::{Error, ErrorKind, Progress, Result, path_from_bytes, shown_path};
use crate::media::FileStamp;
use std::fmt;
use std::path::{Path, PathBuf};

/// Prefix of such a name.
const PREFIX: &str = "library:";
/// Minimum number of hash digits that name a sound.
const MIN_DIGITS: usize = 12;
/// Number of digits of a full hash.
const MAX_DIGITS: usize = 64;

/// A sound of the library, as users and scripts name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SoundName {
    /// By its id in this library.
    Number(i64),
    /// By the first 12 or more digits of the hash of its file, in lower case; the same in every library.
    Hash(String),
}

impl SoundName {
    /// The sound that a path names; `None` for a path without `library:`, or an existing file.
    ///
    /// # Errors
    /// If the rest is neither a number nor the beginning of a hash.
    pub fn of_path(path: &Path) -> Result<Option<SoundName>> {
        match path.to_str().and_then(|text| text.strip_prefix(PREFIX)) {
            Some(name) if !path.exists() => SoundName::parse(name).map(Some),
            _ => Ok(None),
        }
    }

    /// Parses the name after `library:`.
    fn parse(name: &str) -> Result<SoundName> {
        let is_all = |is: fn(&char) -> bool| !name.is_empty() && name.chars().all(|letter| is(&letter));
        if name.len() < MIN_DIGITS && is_all(char::is_ascii_digit) {
            return name.parse().map(SoundName::Number).map_err(|_| unnamed(name));
        }
        if (MIN_DIGITS..=MAX_DIGITS).contains(&name.len()) && is_all(char::is_ascii_hexdigit) {
            return Ok(SoundName::Hash(name.to_ascii_lowercase()));
        }
        Err(unnamed(name))
    }
}

fn unnamed(name: &str) -> Error {
    let what = format!(
        "{PREFIX}{name} names no sound; write {PREFIX} and a sound's number, or {MIN_DIGITS} or more digits of its \
         file's hash"
    );
    Error::new(ErrorKind::Script, what)
}

impl fmt::Display for SoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SoundName::Number(id) => write!(f, "{PREFIX}{id}"),
            SoundName::Hash(hash) => write!(f, "{PREFIX}{hash}"),
        }
    }
}

/// The columns of a sound needed to find its file.
struct NamedSound {
    id: i64,
    hash: Vec<u8>,
    kind: String,
}

impl LibraryStore {
    /// The id of a named sound.
    ///
    /// # Errors
    /// If the library has no such sound, or more than one; read errors.
    pub fn id_named(&self, name: &SoundName) -> Result<i64> {
        self.named(name).map(|sound| sound.id)
    }

    /// A file with exactly the bytes of a named sound. A file whose size or time has changed is hashed again.
    ///
    /// # Errors
    /// As [`id_named`](Self::id_named); if it is a picture, or its files are missing or have changed; cancelled.
    pub fn file_named(&self, name: &SoundName, progress: &Progress) -> Result<PathBuf> {
        let sound = self.named(name)?;
        if sound.kind != "sound" {
            return Err(Error::new(ErrorKind::Unsupported, format!("{name} is a picture; name a sound")));
        }
        let files = self.files_of(sound.id)?;
        for (path, stamp) in &files {
            let is_same = match FileStamp::at(path) {
                None => false,
                Some(found) if found == *stamp => true,
                Some(_) => match file_digest(path, progress) {
                    Ok(digest) => digest[..] == sound.hash[..],
                    Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                    Err(_) => false,
                },
            };
            if is_same {
                return Ok(path.clone());
            }
        }
        let changed = files.iter().find(|(path, _)| path.is_file());
        let Some((path, _)) = changed.or(files.first()) else {
            let what = format!("{name} has no file any more; add the folder that it is in now");
            return Err(Error::new(ErrorKind::Io, what));
        };
        let shown = shown_path(path);
        let what = match changed {
            Some(_) => format!("{name} was {shown}, which was changed since; add its folder again, and search for it"),
            None => format!("{name} was {shown}, which is gone; add the folder that it is in now"),
        };
        Err(Error::new(ErrorKind::SourceChanged, what))
    }

    fn named(&self, name: &SoundName) -> Result<NamedSound> {
        // Hashes that begin with these digits lie between the digits padded with 0 and those padded with f.
        let filled = |hash: &str, digit: &str| digest_of(&format!("{hash}{}", digit.repeat(MAX_DIGITS - hash.len())));
        let (condition, values) = match name {
            SoundName::Number(id) => ("id = ?1 AND ?1 = ?2", [(*id).into(), (*id).into()]),
            SoundName::Hash(hash) => (
                "file_hash BETWEEN ?1 AND ?2",
                [filled(hash, "0"), filled(hash, "f")].map(rusqlite::types::Value::Blob),
            ),
        };
        let list = || {
            let text = format!("SELECT id, file_hash, kind FROM sound WHERE {condition} LIMIT 2");
            let mut select = self.connection().prepare(&text)?;
            let row =
                |row: &rusqlite::Row<'_>| Ok(NamedSound { id: row.get(0)?, hash: row.get(1)?, kind: row.get(2)? });
            select.query_map(values, row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        let mut found = list().map_err(|error| self.unread(&error))?;
        match (found.len(), found.pop()) {
            (1, Some(sound)) => Ok(sound),
            (0, _) => {
                let what = format!("the library has no sound {name}; sonobrush library search lists what it has");
                Err(Error::new(ErrorKind::Script, what))
            }
            _ => {
                let what = format!("the hashes of several sounds begin as {name} does; write more digits");
                Err(Error::new(ErrorKind::Script, what))
            }
        }
    }

    /// The files of a sound, with their last known size and time, those found by the last scan first.
    fn files_of(&self, id: i64) -> Result<Vec<(PathBuf, FileStamp)>> {
        let list = || {
            let mut select = self.connection().prepare(
                "SELECT folder.path, file.path, bytes, modified_ns FROM file JOIN folder ON folder.id = file.folder
                 WHERE sound = ?1 ORDER BY missing_since_ns IS NOT NULL, file.id",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
                let n_bytes: i64 = row.get(2)?;
                let stamp = FileStamp { n_bytes: n_bytes.unsigned_abs(), modified_ns: row.get(3)? };
                Ok((path_from_bytes(&folder).join(path_from_bytes(&path)), stamp))
            };
            select.query_map([id], row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        list().map_err(|error| self.unread(&error))
    }
}

/// Bytes of hexadecimal digits.
fn digest_of(digits: &str) -> Vec<u8> {
    digits.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}
