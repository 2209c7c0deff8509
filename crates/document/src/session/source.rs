//! The source of a document's sound, and whether it is unchanged.

use super::damaged;
use crate::base::{
    Error, ErrorKind, Progress, Result, database_error, open_private_file, open_regular, path_bytes, path_from_bytes,
};
use crate::media::{FileStamp, Source};
use rusqlite::{Connection, params};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// BLAKE3 over all bytes of a file.
pub type Hash = [u8; 32];

/// Size of the pieces in which a file is stored in a database.
const PART_BYTES: usize = 1 << 20;
/// Inserted before the extension of an original that is kept beside the file saved over it.
pub const ORIGINAL: &str = ".original";
/// Maximum size of a file that is hashed even if size and time are unchanged.
const SMALL_BYTES: u64 = 64 << 20;

/// Where the sound comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceRef {
    /// Silence.
    Silence,
    /// A user's file.
    File {
        /// Its former path.
        path: PathBuf,
        /// Its size and time.
        stamp: FileStamp,
        /// Hash; `None` until it has been computed.
        hash: Option<Hash>,
    },
    /// A file contained in the project, or in the session's folder.
    Embedded {
        /// Its original path, of which only the name is used.
        path: PathBuf,
        /// Its size and time.
        stamp: FileStamp,
        /// Hash; `None` until it has been computed.
        hash: Option<Hash>,
    },
}

impl SourceRef {
    /// The source of an opened sound. `None` for sound without a file, which must be embedded.
    pub fn of(source: &Source) -> Option<SourceRef> {
        if source.is_silence() {
            return Some(SourceRef::Silence);
        }
        let (path, stamp) = (source.path()?.to_path_buf(), source.stamp()?);
        Some(SourceRef::File { path, stamp, hash: None })
    }

    /// The file's path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            SourceRef::Silence => None,
            SourceRef::File { path, .. } | SourceRef::Embedded { path, .. } => Some(path),
        }
    }

    /// Whether it is embedded in the project.
    pub fn is_embedded(&self) -> bool {
        matches!(self, SourceRef::Embedded { .. })
    }

    /// The hash; `None` until it is known.
    pub fn hash(&self) -> Option<Hash> {
        match self {
            SourceRef::Silence => None,
            SourceRef::File { hash, .. } | SourceRef::Embedded { hash, .. } => *hash,
        }
    }

    pub(super) fn stamp(&self) -> FileStamp {
        match self {
            SourceRef::Silence => FileStamp { n_bytes: 0, modified_ns: 0 },
            SourceRef::File { stamp, .. } | SourceRef::Embedded { stamp, .. } => *stamp,
        }
    }

    pub(super) fn with_hash(self, found: Hash) -> SourceRef {
        match self {
            SourceRef::Silence => SourceRef::Silence,
            SourceRef::File { path, stamp, .. } => SourceRef::File { path, stamp, hash: Some(found) },
            SourceRef::Embedded { path, stamp, .. } => SourceRef::Embedded { path, stamp, hash: Some(found) },
        }
    }
}

/// How to search for a source.
#[derive(Debug, Clone, Default)]
pub struct SourceSearch {
    /// Its current path, if it was moved.
    pub source: Option<PathBuf>,
    /// Whether a changed file is accepted, as long as it has the same length, rate and channels.
    pub may_have_changed: bool,
}

/// Reason that a source was not opened.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceError {
    /// The file is missing.
    Moved(PathBuf),
    /// The file has changed.
    Changed(PathBuf),
    /// Anything else.
    Failed(Error),
}

impl From<SourceError> for Error {
    fn from(lost: SourceError) -> Error {
        match lost {
            SourceError::Moved(path) => {
                let what = "is the source file and was not found; say where it is now";
                Error::new(ErrorKind::Io, what).at(&path)
            }
            SourceError::Changed(path) => {
                let what = "has changed since the edits were made; locate the original, or accept the change";
                Error::new(ErrorKind::Malformed, what).at(&path)
            }
            SourceError::Failed(error) => error,
        }
    }
}

impl From<Error> for SourceError {
    fn from(error: Error) -> SourceError {
        SourceError::Failed(error)
    }
}

/// Finds the file of a reference: at the path in `finding`, if given, otherwise at its former path, beside the project,
/// or as a kept original there; checked by size and hash. The flag is true if it has changed and that is allowed.
pub fn find(
    reference: &SourceRef,
    finding: &SourceSearch,
    beside: Option<&Path>,
    progress: &Progress,
) -> std::result::Result<(PathBuf, bool), SourceError> {
    let was_at = reference.path().unwrap_or(Path::new("")).to_path_buf();
    let stamp = reference.stamp();
    let mut places = vec![was_at.clone()];
    places.extend(beside.and_then(Path::parent).zip(was_at.file_name()).map(|(folder, name)| folder.join(name)));
    // The kept originals, in case another sound was saved back over the file.
    places.extend(places.clone().iter().map(|place| original_of(place)));
    if let Some(path) = &finding.source {
        places = vec![path.clone()];
    }
    let mut changed = None;
    for path in places {
        let Some(found) = FileStamp::at(&path) else { continue };
        let is_known = found == stamp && stamp.modified_ns != 0 && stamp.n_bytes > SMALL_BYTES;
        let is_same = is_known
            || found.n_bytes == stamp.n_bytes
                && match reference.hash() {
                    Some(hash) => hash_of(&path, progress)? == hash,
                    // The session ended before the file was hashed.
                    None => found == stamp,
                };
        if is_same {
            return Ok((path, false));
        }
        changed = changed.or(Some(path));
    }
    match changed {
        Some(path) if finding.may_have_changed => Ok((path, true)),
        Some(path) => Err(SourceError::Changed(path)),
        None => Err(SourceError::Moved(finding.source.clone().unwrap_or(was_at))),
    }
}

/// Path of a file's original, `NAME.original.EXT` beside it.
pub fn original_of(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(ORIGINAL);
    if let Some(ending) = file.extension() {
        name.push(".");
        name.push(ending);
    }
    file.with_file_name(name)
}

/// The hash of a file.
///
/// # Errors
/// Read errors, and cancelled.
pub fn hash_of(path: &Path, progress: &Progress) -> Result<Hash> {
    let mut hasher = blake3::Hasher::new();
    read_parts(path, progress, |part| {
        hasher.update(part);
        Ok(())
    })?;
    Ok(*hasher.finalize().as_bytes())
}

/// Passes a file to `take` in pieces of up to `PART_BYTES`; returns its size.
fn read_parts(path: &Path, progress: &Progress, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<u64> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let (mut file, n_bytes) = open_regular(path)?;
    let (mut part, mut n_read) = (Vec::with_capacity(PART_BYTES), 0);
    loop {
        part.clear();
        std::io::Read::by_ref(&mut file).take(PART_BYTES as u64).read_to_end(&mut part).map_err(io)?;
        if part.is_empty() {
            return Ok(n_read);
        }
        take(&part)?;
        n_read += part.len() as u64;
        progress.step(n_read, n_bytes)?;
    }
}

/// Writes a file to a database; returns its hash.
///
/// # Errors
/// Read and write errors, and if the file has changed since it was opened.
pub fn embed(
    connection: &Connection,
    file: &Path,
    stamp: FileStamp,
    database: &Path,
    progress: &Progress,
) -> Result<Hash> {
    let to_error = |error: rusqlite::Error| database_error(&error, "written", database);
    let mut insert = connection.prepare("INSERT INTO source_parts (id, bytes) VALUES (?1, ?2)").map_err(to_error)?;
    let (mut hasher, mut id) = (blake3::Hasher::new(), 0i64);
    let n_bytes = read_parts(file, progress, |part| {
        hasher.update(part);
        insert.execute(params![id, part]).map_err(to_error)?;
        id += 1;
        Ok(())
    })?;
    if n_bytes != stamp.n_bytes {
        return Err(Error::new(ErrorKind::Io, "was changed by another program since it was opened").at(file));
    }
    Ok(*hasher.finalize().as_bytes())
}

/// Passes the pieces of a file contained in a database to `take`, and checks that they are complete.
fn contained(
    connection: &Connection,
    reference: &SourceRef,
    progress: &Progress,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let gone = |error: rusqlite::Error| {
        tracing::warn!(%error, "a contained source");
        damaged("the audio it contains cannot be read")
    };
    let n_bytes = reference.stamp().n_bytes;
    let mut hasher = blake3::Hasher::new();
    let mut statement = connection.prepare("SELECT id, bytes FROM source_parts ORDER BY id").map_err(gone)?;
    let mut rows = statement.query([]).map_err(gone)?;
    let (mut n_read, mut next) = (0u64, 0i64);
    while let Some(row) = rows.next().map_err(gone)? {
        let id: i64 = row.get(0).map_err(gone)?;
        let bytes = row.get_ref(1).map_err(gone)?;
        let bytes = bytes.as_blob().map_err(|_| damaged("the audio it contains cannot be read"))?;
        n_read += bytes.len() as u64;
        if id != next || bytes.is_empty() || bytes.len() > PART_BYTES || n_read > n_bytes {
            return Err(damaged("the audio it contains is incomplete"));
        }
        next += 1;
        hasher.update(bytes);
        take(bytes)?;
        progress.step(n_read, n_bytes)?;
    }
    if n_read != n_bytes || reference.hash() != Some(*hasher.finalize().as_bytes()) {
        return Err(damaged("the audio it contains is incomplete"));
    }
    Ok(())
}

/// Extracts the file contained in a database to `target`.
///
/// # Errors
/// If it is damaged, and write errors.
pub fn extract(connection: &Connection, reference: &SourceRef, target: &Path, progress: &Progress) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", target);
    let mut file = open_private_file(target).map_err(io)?;
    file.set_len(0).map_err(io)?;
    contained(connection, reference, progress, |bytes| file.write_all(bytes).map_err(io))?;
    file.sync_all().map_err(io)
}

/// A path in its stored form: its raw bytes, if the system has them.
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    path_bytes(path)
}

/// The path from its stored form.
pub fn path_from(bytes: &[u8]) -> PathBuf {
    path_from_bytes(bytes)
}
