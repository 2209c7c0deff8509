//! Search for sounds of the library by words and values, with sorting.

mod filter;
mod words;

pub use filter::SoundFilter;

use crate::base::{Error, ErrorKind, Progress, Result, path_from_bytes};
use crate::library::descriptors::{COLUMNS, Reading};
use crate::library::features::StoredPath;
use crate::library::store::LibraryStore;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Row, Statement, params, params_from_iter};
use serde::Serialize;
use serde_json::{Map, Value};
use words::match_words;

/// A search query.
#[derive(Debug, Clone, Default)]
pub struct SoundQuery {
    /// Prefixes of words in names, paths and tags, all of which must match.
    pub text: String,
    /// Condition on a sound's values.
    pub filter: Option<SoundFilter>,
    /// Column to sort by, or `name` for the file's name; otherwise the best match comes first, or, with more than
    /// [`MAX_RANKED`] matches, the sound added first.
    pub sort: Option<String>,
    /// Sounds that do not meet this condition are sorted as having no value.
    pub sort_where: Option<SoundFilter>,
    /// Whether to sort in descending order.
    pub is_descending: bool,
    /// Maximum number of results; `None`: all.
    pub max: Option<usize>,
    /// Restricts the search to these ids.
    pub among: Option<Vec<i64>>,
}

/// A sound of the library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundSound {
    /// Id of the sound.
    pub id: i64,
    /// The hash of its file, in hexadecimal.
    pub hash: String,
    /// `sound` or `picture`.
    pub kind: String,
    /// Paths of its existing files.
    pub paths: Vec<StoredPath>,
    /// Tags from its files and from the user, sorted by name.
    pub tags: Vec<SoundTag>,
    /// The values of `COLUMNS`, null where missing.
    #[serde(flatten)]
    pub values: Map<String, Value>,
}

/// A tag of a sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SoundTag {
    /// Name in lower case, such as `title` or `genre`.
    pub name: String,
    /// Value of the tag.
    pub value: String,
    /// Its origin: `bext`, `id3`, or `user` for the user's own.
    pub source: String,
}

/// Maximum number of matches to rank. Ranking reads every match before the first result; words with more matches are
/// too unspecific to be worth the time.
pub const MAX_RANKED: usize = 10_000;
/// Number of rows between checks for cancellation.
const CHECKED_ROWS: usize = 4_096;
/// Number of sounds returned while the rest of a long list is still being read: more than a window has rows.
pub const FIRST_SOUNDS: usize = 256;
/// Whether a sound has an existing file.
const HAS_FILE: &str = "EXISTS (SELECT 1 FROM file WHERE file.sound = sound.id AND file.missing_since_ns IS NULL)";
/// The existing files of a sound.
const PATHS: &str = "SELECT folder.path, file.path FROM file JOIN folder ON folder.id = file.folder
                     WHERE sound = ?1 AND missing_since_ns IS NULL ORDER BY file.id";
/// The name of a sound's first existing file, compared without regard to case.
const NAME: &str = "(SELECT file.name FROM file WHERE file.sound = sound.id AND file.missing_since_ns IS NULL
                     ORDER BY file.id LIMIT 1) COLLATE NOCASE";
const TAGS: &str = "SELECT name, value, source FROM tag WHERE sound = ?1 ORDER BY name, value";

impl LibraryStore {
    /// The sounds that match a query; ties are sorted by id.
    ///
    /// # Errors
    /// For an unknown name to sort by; read errors.
    pub fn search(&self, query: &SoundQuery) -> Result<Vec<FoundSound>> {
        let (text, values) = self.select_of(query, &found_columns(), HAS_FILE)?;
        let read = || {
            let mut listed = Listed::of(self.connection())?;
            let mut select = self.connection().prepare(&text)?;
            let mut rows = select.query(params_from_iter(values))?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                all.push(found_sound(row, &mut listed)?);
            }
            Ok(all)
        };
        read().map_err(|error| self.unread(&error))
    }

    /// The ids of the sounds that match a query, without pictures, in the order of [`search`](Self::search). For lists
    /// that are read only in part: if there are more than [`FIRST_SOUNDS`], `first` receives these as soon as they are
    /// known.
    ///
    /// # Errors
    /// As [`search`](Self::search); cancelled.
    pub fn sound_ids(
        &self,
        query: &SoundQuery,
        progress: &Progress,
        first: &mut dyn FnMut(&[i64]),
    ) -> Result<Vec<i64>> {
        let (text, values) = self.select_of(query, "sound.id", &format!("sound.kind = 'sound' AND {HAS_FILE}"))?;
        self.ids_of(&text, &values, progress, first)
    }

    /// The ids of all sounds added after a given one, without pictures.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn sound_ids_after(&self, id: i64, progress: &Progress) -> Result<Vec<i64>> {
        let text = format!("SELECT id FROM sound WHERE id > ? AND kind = 'sound' AND {HAS_FILE} ORDER BY id");
        self.ids_of(&text, &[SqlValue::Integer(id)], progress, &mut |_| ())
    }

    fn ids_of(
        &self,
        text: &str,
        values: &[SqlValue],
        progress: &Progress,
        first: &mut dyn FnMut(&[i64]),
    ) -> Result<Vec<i64>> {
        let mut read = || {
            let mut select = self.connection().prepare(text)?;
            let mut rows = select.query(params_from_iter(values))?;
            let mut ids: Vec<i64> = Vec::new();
            while let Some(row) = rows.next()? {
                if ids.len() == FIRST_SOUNDS {
                    first(&ids);
                }
                ids.push(row.get(0)?);
                if ids.len().is_multiple_of(CHECKED_ROWS) && progress.is_cancelled() {
                    break;
                }
            }
            Ok(ids)
        };
        let ids = read().map_err(|error| self.unread(&error))?;
        progress.check()?;
        Ok(ids)
    }

    /// The sound with an id.
    ///
    /// # Errors
    /// If the library does not have it; read errors.
    pub fn sound(&self, id: i64) -> Result<FoundSound> {
        let found = self.sounds(&[id], &Progress::new())?.pop().flatten();
        found.ok_or_else(|| Error::new(ErrorKind::Script, format!("the library has no sound {id}")))
    }

    /// Sounds by id, in this order; `None` for ids that the library does not have.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn sounds(&self, ids: &[i64], progress: &Progress) -> Result<Vec<Option<FoundSound>>> {
        let text = format!(
            "SELECT {} FROM sound LEFT JOIN descriptor ON descriptor.sound = sound.id WHERE sound.id = ?",
            found_columns()
        );
        let prepared = self.connection().prepare(&text).and_then(|by_id| Ok((by_id, Listed::of(self.connection())?)));
        let (mut by_id, mut listed) = prepared.map_err(|error| self.unread(&error))?;
        let mut sound = |id: i64| by_id.query([id])?.next()?.map(|row| found_sound(row, &mut listed)).transpose();
        let read = |&id: &i64| {
            progress.check()?;
            sound(id).map_err(|error| self.unread(&error))
        };
        ids.iter().map(read).collect()
    }

    /// Prepares a check of a condition for individual sounds, which is faster than [`sound_ids`](Self::sound_ids) for a
    /// few sounds.
    ///
    /// # Errors
    /// Read errors.
    pub fn picker(&self, filter: Option<&SoundFilter>) -> Result<SoundPicker<'_>> {
        let mut values = vec![SqlValue::Integer(0)];
        let filter = filter.map(|filter| format!(" AND {}", filter.to_sql(&mut values))).unwrap_or_default();
        let text = format!(
            "SELECT 1 FROM sound LEFT JOIN descriptor ON descriptor.sound = sound.id
             WHERE sound.id = ? AND sound.kind = 'sound' AND {HAS_FILE}{filter}"
        );
        let select = self.connection().prepare(&text).map_err(|error| self.unread(&error))?;
        Ok(SoundPicker { store: self, select, values })
    }

    /// The SQL that selects columns of the sounds that match a query and an additional condition, and its parameters.
    fn select_of(&self, query: &SoundQuery, columns: &str, condition: &str) -> Result<(String, Vec<SqlValue>)> {
        let mut values: Vec<SqlValue> = Vec::new();
        let mut conditions = vec![condition.to_owned()];
        let words = match_words(&query.text);
        let text = if words.is_some() { " JOIN text ON text.rowid = sound.id" } else { "" };
        if let Some(words) = &words {
            conditions.push("text MATCH ?".into());
            values.push(SqlValue::Text(words.clone()));
        }
        if let Some(filter) = &query.filter {
            conditions.push(filter.to_sql(&mut values));
        }
        if let Some(among) = &query.among {
            let ids: Vec<String> = among.iter().map(i64::to_string).collect();
            conditions.push(format!("sound.id IN ({})", ids.join(", ")));
        }
        let order = match (&query.sort, &words) {
            (Some(name), _) => sorted_by(name, query, &mut values)?,
            // The name counts most, then tags, then the path.
            (None, Some(words)) if self.is_ranked(words)? => "bm25(text, 4.0, 1.0, 2.0), sound.id".into(),
            // The index's own order, so that reading stops at the limit.
            (None, Some(_)) => "text.rowid".into(),
            (None, None) => "sound.id".into(),
        };
        values.push(SqlValue::Integer(query.max.and_then(|max| i64::try_from(max).ok()).unwrap_or(-1)));
        let text = format!(
            "SELECT {columns} FROM sound LEFT JOIN descriptor ON descriptor.sound = sound.id{text} WHERE {}
             ORDER BY {order} LIMIT ?",
            conditions.join(" AND ")
        );
        Ok((text, values))
    }

    /// Whether at most [`MAX_RANKED`] sounds match these words.
    fn is_ranked(&self, words: &str) -> Result<bool> {
        let text = "SELECT count(*) FROM (SELECT 1 FROM text WHERE text MATCH ?1 LIMIT ?2)";
        let n = self.connection().query_row(text, params![words, MAX_RANKED as i64 + 1], |row| row.get::<_, i64>(0));
        Ok(n.map_err(|error| self.unread(&error))? <= MAX_RANKED as i64)
    }
}

/// Checks whether individual sounds exist, are not pictures, and meet a condition.
pub struct SoundPicker<'a> {
    store: &'a LibraryStore,
    select: Statement<'a>,
    /// The sound's id, and the constants of the condition.
    values: Vec<SqlValue>,
}

impl SoundPicker<'_> {
    /// Whether the sound meets the condition.
    ///
    /// # Errors
    /// Read errors.
    pub fn takes(&mut self, id: i64) -> Result<bool> {
        self.values[0] = SqlValue::Integer(id);
        let found = self.select.exists(params_from_iter(&self.values));
        found.map_err(|error| self.store.unread(&error))
    }
}

/// The columns that [`found_sound`] reads.
fn found_columns() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|row| row.column()).collect();
    format!("sound.id, sound.file_hash, sound.kind, {}", columns.join(", "))
}

/// Statements for the paths and tags of a sound, which may have several of each.
struct Listed<'a> {
    paths: Statement<'a>,
    tags: Statement<'a>,
}

impl Listed<'_> {
    fn of(connection: &Connection) -> rusqlite::Result<Listed<'_>> {
        Ok(Listed { paths: connection.prepare(PATHS)?, tags: connection.prepare(TAGS)? })
    }
}

fn found_sound(row: &Row<'_>, listed: &mut Listed<'_>) -> rusqlite::Result<FoundSound> {
    let tag_row = |row: &Row<'_>| Ok(SoundTag { name: row.get(0)?, value: row.get(1)?, source: row.get(2)? });
    let path_row = |row: &Row<'_>| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
        Ok(StoredPath(path_from_bytes(&folder).join(path_from_bytes(&path))))
    };
    let id: i64 = row.get(0)?;
    let hash: Vec<u8> = row.get(1)?;
    let mut values = Map::new();
    for (at, column) in COLUMNS.iter().enumerate() {
        let value = match row.get_ref(3 + at)? {
            ValueRef::Integer(number) if matches!(column.reading, Reading::Truth(_)) => Value::Bool(number != 0),
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
            _ => Value::Null,
        };
        values.insert(column.name.to_owned(), value);
    }
    Ok(FoundSound {
        id,
        hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        kind: row.get(2)?,
        paths: listed.paths.query_map([id], path_row)?.collect::<rusqlite::Result<_>>()?,
        tags: listed.tags.query_map([id], tag_row)?.collect::<rusqlite::Result<_>>()?,
        values,
    })
}

/// The SQL terms of `ORDER BY`. Constants of `sort_where` are appended to `values`, after those of the conditions.
fn sorted_by(name: &str, query: &SoundQuery, values: &mut Vec<SqlValue>) -> Result<String> {
    let value = if name == "name" { NAME.to_owned() } else { column_of(name)? };
    let value = match &query.sort_where {
        Some(filter) => format!("CASE WHEN {} THEN {value} END", filter.to_sql(values)),
        None => value,
    };
    let direction = if query.is_descending { "DESC" } else { "ASC" };
    Ok(format!("{value} {direction} NULLS LAST, sound.id"))
}

/// The column for a typed name.
fn column_of(name: &str) -> Result<String> {
    let known = COLUMNS.iter().find(|row| row.name == name);
    known.map(|row| row.column()).ok_or_else(|| filter::unknown_name(name))
}
