//! The words by which sounds are found: names, paths and tags, in Unicode's composed form, as in queries.

use crate::base::path_from_bytes;
use rusqlite::{Connection, params};
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// A file's name as text, with U+FFFD for invalid parts.
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Adds a tag; a user's own tag replaces one of the same name from a file.
pub fn insert_tag(connection: &Connection, sound: i64, name: &str, value: &str, source: &str) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO tag(sound, name, value, source) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET source = 'user' WHERE excluded.source = 'user'",
    )?;
    insert.execute(params![sound, name, value, source]).map(drop)
}

/// Writes the words by which a sound is found: names and paths of its files, and its tags.
pub fn refresh_text(connection: &Connection, sound: i64) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(
        "SELECT folder.path, file.path FROM file JOIN folder ON folder.id = file.folder WHERE sound = ?1 ORDER BY file.id",
    )?;
    let row = |row: &rusqlite::Row<'_>| Ok([row.get::<_, Vec<u8>>(0)?, row.get(1)?]);
    let files = select.query_map([sound], row)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let (mut names, mut paths) = (String::new(), String::new());
    for [folder, path] in &files {
        let path = path_from_bytes(path);
        names.extend([name_of(&path).as_str(), "\n"]);
        // Of the library folder's path, only the last name counts.
        let root = name_of(&path_from_bytes(folder));
        paths.extend([root.as_str(), "/", path.to_string_lossy().as_ref(), "\n"]);
    }
    let mut select = connection.prepare_cached("SELECT name, value FROM tag WHERE sound = ?1")?;
    let tags = select.query_map([sound], |row| Ok([row.get::<_, String>(0)?, row.get(1)?]))?;
    let tags = tags.collect::<rusqlite::Result<Vec<_>>>()?;
    let tags: String = tags.iter().map(|tag| tag.join(" ") + "\n").collect();
    connection.prepare_cached("DELETE FROM text WHERE rowid = ?1")?.execute([sound])?;
    let mut insert = connection.prepare_cached("INSERT INTO text(rowid, name, path, tags) VALUES (?1, ?2, ?3, ?4)")?;
    let [names, paths, tags] = [names, paths, tags].map(|text| text.nfc().collect::<String>());
    insert.execute(params![sound, names, paths, tags]).map(drop)
}

/// Removes those of the given sounds that have no file left, and refreshes the words of the others. Returns the number
/// removed.
pub fn remove_orphans(connection: &Connection, sounds: &[i64]) -> rusqlite::Result<usize> {
    let mut n_removed = 0;
    for &sound in sounds {
        let mut delete = connection
            .prepare_cached("DELETE FROM sound WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE sound = ?1)")?;
        if delete.execute([sound])? > 0 {
            connection.prepare_cached("DELETE FROM text WHERE rowid = ?1")?.execute([sound])?;
            n_removed += 1;
        } else {
            refresh_text(connection, sound)?;
        }
    }
    Ok(n_removed)
}
