//! Imports libraries from other machines: known sounds stay unchanged, and files that were waiting or had failed there
//! get the same state here. Files are identified by size and time, so that the next scan does not analyse them again.

use super::foreign::refuse_foreign;
use super::open::LibraryStore;
use super::place::LibraryPlace;
use super::schema::{HASH_BYTES, WORDS_VERSION};
use crate::base::{Error, ErrorKind, Progress, Result, path_bytes, path_from_bytes};
use crate::library::descriptors::{DESCRIPTOR_VERSION, Reading, stored};
use crate::store::files::queue_jobs;
use crate::store::folders::FolderRow;
use crate::store::listed::{NOT_ANALYSED, row_of_hash};
use crate::store::results::sound_of_hash;
use crate::store::scan::is_picture_name;
use crate::store::tag_line::TagLine;
use crate::store::text::{insert_tag, name_of, refresh_text, remove_orphans};
use crate::store::user_tags::{USER, UserTags};
use crate::store::work::analysis::Digest;
use crate::store::work::job_kind::{JobKinds, NamedKind};
use crate::store::work::lock::LibraryLock;
use rusqlite::types::{Type, Value as SqlValue, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use std::path::{Component, Path, PathBuf};

/// Number of sounds or files per transaction.
const ROWS_PER_TRANSACTION: usize = 256;

/// Result of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Libraries imported.
    pub shards: u64,
    /// New sounds.
    pub sounds: u64,
    /// Files whose sounds were already in the library.
    pub known: u64,
    /// Files that are new, or had not been analysed.
    pub files: u64,
    /// Of these, files that could not be analysed.
    pub failed: u64,
    /// Of these, files that have not been analysed.
    pub waiting: u64,
}

impl ImportReport {
    /// Adds the counts of another library.
    pub fn add(&mut self, other: ImportReport) {
        self.shards += other.shards;
        self.sounds += other.sounds;
        self.known += other.known;
        self.files += other.files;
        self.failed += other.failed;
        self.waiting += other.waiting;
    }
}

/// A file's row in this library.
struct OwnRow {
    id: i64,
    is_new: bool,
    /// The sound currently linked to the file: only listed so far, or with jobs to be run again.
    listed: Option<i64>,
}

/// A file of a shard.
struct ShardFile {
    path: PathBuf,
    bytes: i64,
    modified_ns: i64,
    /// The sound's id in the shard, if it was analysed.
    sound: Option<i64>,
    /// The reason that it could not be analysed.
    failure: Option<(String, i64)>,
}

impl LibraryStore {
    /// Imports another library. With `root`, its only folder is mapped to that path. An import that ends early keeps
    /// the files imported so far; importing the same library again continues it.
    ///
    /// # Errors
    /// If the library cannot be read, is damaged, is this one, or has several folders and `root` is given; write
    /// errors; cancelled.
    pub fn import(
        &self,
        shard: &LibraryPlace,
        root: Option<&Path>,
        _lock: &LibraryLock,
        progress: &Progress,
    ) -> Result<ImportReport> {
        let path = shard.database();
        let is_same = |a: &Path, b: &Path| std::fs::canonicalize(a).ok().zip(std::fs::canonicalize(b).ok());
        if is_same(path, self.place().database()).is_some_and(|(a, b)| a == b) {
            return Err(Error::new(ErrorKind::Script, "is this library itself; name another one").at(path));
        }
        refuse_foreign(shard)?;
        if LibraryLock::is_held(shard) {
            return Err(Error::new(ErrorKind::Io, "is still being written; wait for it to end").at(path));
        }
        let theirs = LibraryStore::open_to_read(shard)?;
        let mut report = ImportReport { shards: 1, ..ImportReport::default() };
        let moved = moved(&theirs.folders()?, root, path)?;
        moved.iter().try_for_each(|(_, to)| self.add_folder(to).map(drop))?;
        let mut folders = self.folders()?;
        // Innermost first, since a file belongs to the innermost folder.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.path.components().count()));
        let files = theirs.present_files()?;
        let tags = UserTags::load(self.place())?;
        for (at, ids) in files.chunks(ROWS_PER_TRANSACTION).enumerate() {
            progress.step((at * ROWS_PER_TRANSACTION) as u64, files.len() as u64)?;
            // A sound is imported with its first file, so that no sound is ever without a file.
            self.in_transaction_with_tags(|connection| {
                let (moved, folders) = (moved.as_slice(), folders.as_slice());
                let import = Import { theirs: &theirs, ours: self, connection, moved, folders, tags: &tags };
                let mut taken = Taken { report: &mut report, tags: Vec::new() };
                ids.iter().try_for_each(|&id| import.take_file(id, &mut taken))?;
                Ok(taken.tags)
            })?;
        }
        Ok(report)
    }

    fn present_files(&self) -> Result<Vec<i64>> {
        let read = || {
            let mut select =
                self.connection().prepare_cached("SELECT id FROM file WHERE missing_since_ns IS NULL ORDER BY id")?;
            select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()
        };
        read().map_err(|error| self.unread(&error))
    }
}

/// Maps folders of a shard to their paths here.
fn moved(folders: &[FolderRow], root: Option<&Path>, shard: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let Some(root) = root else {
        return Ok(folders.iter().map(|folder| (folder.path.clone(), folder.path.clone())).collect());
    };
    let root = std::fs::canonicalize(root).map_err(|error| Error::io(&error, "read", root))?;
    match folders {
        [folder] => Ok(vec![(folder.path.clone(), root)]),
        _ => {
            let n = folders.len();
            let sentence = format!("has {n} folders, and --root is the place of one; import it without --root");
            Err(Error::new(ErrorKind::Script, sentence).at(shard))
        }
    }
}

/// An import from one library into another, within a transaction.
struct Import<'a> {
    theirs: &'a LibraryStore,
    ours: &'a LibraryStore,
    connection: &'a Connection,
    /// Folders of the other library, and their paths here.
    moved: &'a [(PathBuf, PathBuf)],
    /// Folders of this library, innermost first.
    folders: &'a [FolderRow],
    /// The user's own tags, including those of sounds that were forgotten here.
    tags: &'a UserTags,
}

/// Receives the counts and user tags of a transaction.
struct Taken<'a> {
    report: &'a mut ImportReport,
    /// User tags of the imported sounds, to be appended to the tag file.
    tags: Vec<TagLine>,
}

impl Import<'_> {
    /// Records a file with its sound, unless the file has a sound here already, or differs in size or time.
    fn take_file(&self, id: i64, taken: &mut Taken) -> Result<()> {
        let write = |error: rusqlite::Error| self.ours.unwritten(&error);
        let file = shard_file(self.theirs.connection(), id, self.moved).map_err(|error| self.theirs.unread(&error))?;
        let Some(own) = self.own_row(&file).map_err(write)? else { return Ok(()) };
        taken.report.files += u64::from(own.is_new || file.sound.is_some());
        match file.sound {
            Some(theirs) => {
                let (sound, is_new) = self.sound_of(theirs, &mut taken.tags)?;
                taken.report.sounds += u64::from(is_new);
                taken.report.known += u64::from(!is_new);
                self.link(own, sound).map_err(write)
            }
            // The file is known here, and was not analysed there either.
            None if !own.is_new => Ok(()),
            None => self.queue(own, &file, taken.report).map_err(write),
        }
    }

    /// The row of a file here, created if needed; `None` if it must not change.
    fn own_row(&self, file: &ShardFile) -> rusqlite::Result<Option<OwnRow>> {
        let Some(folder) = self.folders.iter().find(|folder| file.path.starts_with(&folder.path)) else {
            return Ok(None);
        };
        let path = file.path.strip_prefix(&folder.path).unwrap_or(&file.path);
        let bytes = path_bytes(path);
        let select = "SELECT id, bytes, modified_ns, file.sound, EXISTS (SELECT 1 FROM job WHERE job.file = file.id)
                      FROM file WHERE folder = ?1 AND path = ?2";
        let known = self
            .connection
            .prepare_cached(select)?
            .query_row(params![folder.id, bytes.as_ref()], |row| {
                let row_of = OwnRow { id: row.get(0)?, is_new: false, listed: row.get(3)? };
                Ok((row_of, [row.get::<_, i64>(1)?, row.get(2)?], row.get::<_, bool>(4)?))
            })
            .optional()?;
        match known {
            Some((row, stamp, has_jobs)) => {
                let is_requested = stamp == [file.bytes, file.modified_ns] && (has_jobs || row.listed.is_none());
                Ok(is_requested.then_some(row))
            }
            None => {
                let row = params![folder.id, bytes.as_ref(), name_of(path), file.bytes, file.modified_ns];
                let mut insert = self.connection.prepare_cached(
                    "INSERT INTO file(folder, path, name, bytes, modified_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?;
                Ok(Some(OwnRow { id: insert.insert(row)?, is_new: true, listed: None }))
            }
        }
    }

    fn link(&self, own: OwnRow, sound: i64) -> rusqlite::Result<()> {
        self.connection.prepare_cached("UPDATE file SET sound = ?2 WHERE id = ?1")?.execute([own.id, sound])?;
        self.connection.prepare_cached("DELETE FROM job WHERE file = ?1")?.execute([own.id])?;
        if let Some(listed) = own.listed.filter(|listed| *listed != sound) {
            remove_orphans(self.connection, &[listed])?;
        }
        refresh_text(self.connection, sound)
    }

    /// Queues or fails a file as in the other library.
    fn queue(&self, own: OwnRow, file: &ShardFile, report: &mut ImportReport) -> rusqlite::Result<()> {
        let kind = if is_picture_name(&file.path) { NamedKind::Picture } else { NamedKind::Sound };
        queue_jobs(self.connection, own.id, JobKinds::of_new(kind))?;
        let Some((error, attempts)) = &file.failure else {
            report.waiting += 1;
            return Ok(());
        };
        report.failed += 1;
        let mut update = self
            .connection
            .prepare_cached("UPDATE job SET state = 'failed', error = ?2, attempts = ?3 WHERE file = ?1")?;
        update.execute(params![own.id, error, attempts]).map(drop)
    }

    /// The id here of a sound of the other library, which is copied if unknown, and whether it was copied. Its user
    /// tags are added to `kept`.
    fn sound_of(&self, id: i64, kept: &mut Vec<TagLine>) -> Result<(i64, bool)> {
        let Import { theirs, ours, connection, .. } = *self;
        let read = |error: rusqlite::Error| theirs.unread(&error);
        let write = |error: rusqlite::Error| ours.unwritten(&error);
        let (hash, kind) = head_of(theirs.connection(), id).map_err(read)?;
        if let Some(known) = sound_of_hash(connection, &hash).map_err(write)? {
            return Ok((known, false));
        }
        let head = head_values(theirs.connection(), id).map_err(read)?;
        let description = description(theirs.connection(), id).map_err(read)?;
        let words = words_of(theirs.connection(), id).map_err(read)?;
        let mut tags = tags_of(theirs.connection(), id).map_err(read)?;
        // Tags that the user set here before the sound was removed take precedence.
        let is_ours = |name: &str| self.tags.of(&hash).any(|(ours, _)| ours == name);
        tags.retain(|[name, _, source]| source != USER || !is_ours(name));
        let insert = || {
            let sound = row_of_hash(connection, &hash, kind)?;
            let update = format!("UPDATE sound SET ({HEAD}) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?");
            let values = head.into_iter().chain([SqlValue::Integer(sound)]);
            connection.prepare_cached(&update)?.execute(params_from_iter(values))?;
            if let Some(values) = description {
                let places = vec!["?"; values.len() + 1].join(", ");
                let columns = description_columns().join(", ");
                let insert = format!("INSERT OR REPLACE INTO descriptor(sound, {columns}) VALUES ({places})");
                let values = [SqlValue::Integer(sound)].into_iter().chain(values);
                connection.prepare_cached(&insert)?.execute(params_from_iter(values))?;
            }
            if let Some((version, words)) = words {
                let insert = "INSERT OR REPLACE INTO words(sound, version, words) VALUES (?1, ?2, ?3)";
                connection.prepare_cached(insert)?.execute(params![sound, version, words])?;
            }
            for [name, value, source] in &tags {
                insert_tag(connection, sound, name, value, source)?;
            }
            for (name, value) in self.tags.of(&hash) {
                insert_tag(connection, sound, name, value, USER)?;
            }
            Ok(sound)
        };
        let sound = insert().map_err(write)?;
        let own = tags.iter().filter(|[_, _, source]| source == USER);
        kept.extend(own.map(|[name, value, _]| TagLine::new(&hash, name, Some(value))));
        Ok((sound, true))
    }
}

fn head_of(connection: &Connection, id: i64) -> rusqlite::Result<(Digest, NamedKind)> {
    connection.prepare_cached("SELECT file_hash, kind FROM sound WHERE id = ?1")?.query_row([id], |row| {
        let (hash, kind): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
        let hash = hash.try_into().map_err(|_| wrong(0, Type::Blob))?;
        Ok((hash, if kind == NamedKind::Picture.name() { NamedKind::Picture } else { NamedKind::Sound }))
    })
}

/// Columns of a sound, except its hash and kind.
const HEAD: &str = "audio_hash, duration_secs, sample_rate, channels, format, ahash, dhash, whash, picture_secs";

fn head_values(connection: &Connection, id: i64) -> rusqlite::Result<Vec<SqlValue>> {
    connection.prepare_cached(&format!("SELECT {HEAD} FROM sound WHERE id = ?1"))?.query_row([id], |row| {
        let mut values = vec![blob(row, 0, HASH_BYTES)?, number(row, 1)?, number(row, 2)?, number(row, 3)?];
        values.push(text(row, 4)?);
        values.extend([number(row, 5)?, number(row, 6)?, number(row, 7)?, number(row, 8)?]);
        Ok(values)
    })
}

/// Version and bytes of a recording's words.
fn words_of(connection: &Connection, id: i64) -> rusqlite::Result<Option<(i64, Vec<u8>)>> {
    let select = "SELECT version, words FROM words WHERE sound = ?1 AND length(words) % 4 = 0";
    let row = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.min(WORDS_VERSION), row.get(1)?));
    connection.prepare_cached(select)?.query_row([id], row).optional()
}

/// Column names of a description, except that of its sound.
fn description_columns() -> Vec<&'static str> {
    ["version"].into_iter().chain(stored().map(|row| row.name)).collect()
}

/// The values of a description, in the order of its columns.
fn description(connection: &Connection, id: i64) -> rusqlite::Result<Option<Vec<SqlValue>>> {
    let select = format!("SELECT {} FROM descriptor WHERE sound = ?1", description_columns().join(", "));
    connection
        .prepare_cached(&select)?
        .query_row([id], |row| {
            // Capped at this program's version, even if a newer one measured the values.
            let version = SqlValue::Integer(row.get::<_, i64>(0)?.min(DESCRIPTOR_VERSION));
            let values = stored().zip(1..).map(|(descriptor, at)| match descriptor.reading {
                Reading::Numbers(n, _) => blob(row, at, n * size_of::<f32>()),
                Reading::Text(_) => text(row, at),
                Reading::Number(_) | Reading::Count(_) | Reading::Truth(_) => number(row, at),
            });
            [Ok(version)].into_iter().chain(values).collect()
        })
        .optional()
}

fn tags_of(connection: &Connection, id: i64) -> rusqlite::Result<Vec<[String; 3]>> {
    let mut select = connection.prepare_cached("SELECT name, value, source FROM tag WHERE sound = ?1")?;
    select.query_map([id], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?.collect()
}

fn shard_file(connection: &Connection, id: i64, moved: &[(PathBuf, PathBuf)]) -> rusqlite::Result<ShardFile> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT folder.path, file.path, bytes, modified_ns,
           (SELECT id FROM sound WHERE sound.id = file.sound AND NOT ({NOT_ANALYSED})),
           (SELECT min(error) FROM job WHERE job.file = file.id AND state = 'failed'),
           (SELECT max(attempts) FROM job WHERE job.file = file.id AND state = 'failed')
         FROM file JOIN folder ON folder.id = file.folder WHERE file.id = ?1"
    ))?;
    select.query_row([id], |row| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
        let (folder, path) = (path_from_bytes(&folder), path_from_bytes(&path));
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let to = moved.iter().find(|(from, _)| *from == folder).map(|(_, to)| to);
        let (Some(to), true) = (to, is_inside) else { return Err(wrong(1, Type::Blob)) };
        let (error, attempts): (Option<String>, Option<i64>) = (row.get(5)?, row.get(6)?);
        Ok(ShardFile {
            path: to.join(path),
            bytes: row.get(2)?,
            modified_ns: row.get(3)?,
            sound: row.get(4)?,
            failure: attempts.map(|n| (error.unwrap_or_default(), n)),
        })
    })
}

fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<SqlValue> {
    match row.get_ref(at)? {
        ValueRef::Null => Ok(SqlValue::Null),
        ValueRef::Integer(number) => Ok(SqlValue::Integer(number)),
        ValueRef::Real(number) => Ok(SqlValue::Real(number)),
        other => Err(wrong(at, other.data_type())),
    }
}

fn text(row: &Row<'_>, at: usize) -> rusqlite::Result<SqlValue> {
    let text: Option<String> = row.get(at)?;
    Ok(text.map_or(SqlValue::Null, SqlValue::Text))
}

/// A blob of `n` bytes, or NULL.
fn blob(row: &Row<'_>, at: usize, n: usize) -> rusqlite::Result<SqlValue> {
    let blob: Option<Vec<u8>> = row.get(at)?;
    match blob {
        Some(blob) if blob.len() != n => Err(wrong(at, Type::Blob)),
        blob => Ok(blob.map_or(SqlValue::Null, SqlValue::Blob)),
    }
}

fn wrong(at: usize, found: Type) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(at, "a value of another library".into(), found)
}
