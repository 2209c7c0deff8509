//! Sounds of the library by words, by what is known of them, and in order.

mod filter;
mod words;

pub use filter::SoundFilter;

use crate::base::{Error, ErrorKind, Progress, Result, path_from_bytes};
use crate::library::features::StoredPath;
use crate::library::store::{COLUMNS, LibraryStore};
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, params, params_from_iter};
use serde::Serialize;
use serde_json::{Map, Value};
use words::match_words;

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct SoundQuery {
    /// Words that names, paths and tags begin with, all of them.
    pub text: String,
    /// What must be true of a sound.
    pub filter: Option<SoundFilter>,
    /// The value to sort by; otherwise the best match is first, or, of more than [`MOST_RANKED`], the sound known longest.
    pub sort: Option<String>,
    /// Largest first.
    pub is_descending: bool,
    /// At most so many.
    pub most: Option<usize>,
}

/// A sound of the library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundSound {
    /// Its number.
    pub id: i64,
    /// The hash of its file, in hexadecimal.
    pub hash: String,
    /// `sound` or `picture`.
    pub kind: String,
    /// Its files that are there.
    pub paths: Vec<StoredPath>,
    /// The values of `COLUMNS`, null where there is none.
    #[serde(flatten)]
    pub values: Map<String, Value>,
}

/// Matches that are ranked. Words that more sounds have tell them apart too little to be worth the time: ranking reads
/// every match before the first is known.
pub const MOST_RANKED: usize = 10_000;
/// Rows between two looks whether a search is cancelled.
const CHECKED_ROWS: usize = 4_096;
/// That a sound has a file that is there.
const IS_THERE: &str = "EXISTS (SELECT 1 FROM file WHERE file.sound = sound.id AND file.missing_since_ns IS NULL)";

impl LibraryStore {
    /// The sounds that a query asks for; ties by their number.
    ///
    /// # Errors
    /// An unknown name to sort by; those of reading.
    pub fn search(&self, query: &SoundQuery) -> Result<Vec<FoundSound>> {
        let columns: Vec<String> = COLUMNS.iter().map(|(name, place)| format!("{}.{name}", place.table())).collect();
        let columns = format!("sound.id, sound.file_hash, sound.kind, {}", columns.join(", "));
        let (text, values) = self.select_of(query, &columns, IS_THERE)?;
        found(self.connection(), &text, values).map_err(|error| self.unread(&error))
    }

    /// The numbers of the sounds that a query asks for, without pictures, in the order of [`search`](Self::search). Made
    /// for lists of which only a part is read.
    ///
    /// # Errors
    /// As [`search`](Self::search); cancelled.
    pub fn sound_ids(&self, query: &SoundQuery, progress: &Progress) -> Result<Vec<i64>> {
        let (text, values) = self.select_of(query, "sound.id", &format!("sound.kind = 'sound' AND {IS_THERE}"))?;
        let read = || {
            let mut select = self.connection().prepare(&text)?;
            let mut rows = select.query(params_from_iter(values))?;
            let mut ids = Vec::new();
            while let Some(row) = rows.next()? {
                ids.push(row.get(0)?);
                if ids.len() % CHECKED_ROWS == 0 && progress.is_cancelled() {
                    break;
                }
            }
            Ok(ids)
        };
        let ids = read().map_err(|error| self.unread(&error))?;
        progress.check()?;
        Ok(ids)
    }

    /// One sound.
    ///
    /// # Errors
    /// That the library does not have it; those of reading.
    pub fn sound(&self, id: i64) -> Result<FoundSound> {
        let columns: Vec<String> = COLUMNS.iter().map(|(name, place)| format!("{}.{name}", place.table())).collect();
        let query = format!(
            "SELECT sound.id, sound.file_hash, sound.kind, {} FROM sound
             LEFT JOIN descriptor ON descriptor.sound = sound.id WHERE sound.id = ?",
            columns.join(", ")
        );
        let found = found(self.connection(), &query, vec![SqlValue::Integer(id)]);
        let first = found.map_err(|error| self.unread(&error))?.into_iter().next();
        first.ok_or_else(|| Error::new(ErrorKind::Script, format!("the library has no sound {id}")))
    }

    /// The SQL that selects columns of the sounds that a query asks for and a condition of ours holds for, and its
    /// parameters.
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
        let order = match (&query.sort, &words) {
            (Some(name), _) => {
                let direction = if query.is_descending { "DESC" } else { "ASC" };
                format!("{} {direction} NULLS LAST, sound.id", column_of(name)?)
            }
            // The name counts most, then tags, then the path.
            (None, Some(words)) if self.is_ranked(words)? => "bm25(text, 4.0, 1.0, 2.0), sound.id".into(),
            // The order in which the index gives them: reading stops at the limit.
            (None, Some(_)) => "text.rowid".into(),
            (None, None) => "sound.id".into(),
        };
        values.push(SqlValue::Integer(query.most.and_then(|most| i64::try_from(most).ok()).unwrap_or(-1)));
        let text = format!(
            "SELECT {columns} FROM sound LEFT JOIN descriptor ON descriptor.sound = sound.id{text} WHERE {}
             ORDER BY {order} LIMIT ?",
            conditions.join(" AND ")
        );
        Ok((text, values))
    }

    /// Whether few enough sounds have these words.
    fn is_ranked(&self, words: &str) -> Result<bool> {
        let text = "SELECT count(*) FROM (SELECT 1 FROM text WHERE text MATCH ?1 LIMIT ?2)";
        let n = self.connection().query_row(text, params![words, MOST_RANKED as i64 + 1], |row| row.get::<_, i64>(0));
        Ok(n.map_err(|error| self.unread(&error))? <= MOST_RANKED as i64)
    }
}

fn found(connection: &Connection, query: &str, values: Vec<SqlValue>) -> rusqlite::Result<Vec<FoundSound>> {
    let mut paths = connection.prepare(
        "SELECT folder.path, file.path FROM file JOIN folder ON folder.id = file.folder
         WHERE sound = ?1 AND missing_since_ns IS NULL ORDER BY file.id",
    )?;
    let path_row = |row: &rusqlite::Row<'_>| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
        Ok(StoredPath(path_from_bytes(&folder).join(path_from_bytes(&path))))
    };
    let mut select = connection.prepare(query)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let hash: Vec<u8> = row.get(1)?;
        let mut values = Map::new();
        for (at, (name, _)) in COLUMNS.iter().enumerate() {
            let value = match row.get_ref(3 + at)? {
                ValueRef::Integer(number) if *name == "silent" => Value::Bool(number != 0),
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                _ => Value::Null,
            };
            values.insert((*name).to_owned(), value);
        }
        found.push(FoundSound {
            id,
            hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            kind: row.get(2)?,
            paths: paths.query_map([id], path_row)?.collect::<rusqlite::Result<_>>()?,
            values,
        });
    }
    Ok(found)
}

/// The column of a name that was typed.
fn column_of(name: &str) -> Result<String> {
    let known = COLUMNS.iter().find(|(known, _)| *known == name);
    known.map(|(name, place)| format!("{}.{name}", place.table())).ok_or_else(|| filter::unknown_name(name))
}
