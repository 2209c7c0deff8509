//! Writes results, each together with the deletion of its jobs in the caller's transaction.

use super::database::schema::WORDS_VERSION;
use super::files::queue_jobs;
use super::listed::{NOT_ANALYSED, row_of_hash, write_shape};
use super::text::{insert_tag, refresh_text, remove_orphans};
use super::user_tags::{USER, UserTags};
use super::work::analysis::{Digest, SoundFacts};
use super::work::job_kind::{JobKinds, NamedKind};
use super::work::queue::{ClaimedFile, finish};
use crate::base::path_from_bytes;
use crate::library::describe::Description;
use crate::library::descriptors::{DESCRIPTOR_VERSION, stored};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde_json::Value;

/// The analysed sound with a hash.
pub fn sound_of_hash(connection: &Connection, hash: &Digest) -> rusqlite::Result<Option<i64>> {
    let text = format!("SELECT id FROM sound WHERE file_hash = ?1 AND NOT ({NOT_ANALYSED})");
    connection.prepare_cached(&text)?.query_row([hash.as_slice()], |row| row.get(0)).optional()
}

/// Writes the facts about a file whose sound is new to the library.
pub fn write_new(
    connection: &Connection,
    file: &ClaimedFile,
    hash: &Digest,
    facts: &SoundFacts,
    tags: &UserTags,
) -> rusqlite::Result<()> {
    if !exists(connection, file.id)? {
        return Ok(());
    }
    let kind = if facts.look.is_some() { NamedKind::Sound } else { NamedKind::Picture };
    let sound = row_of_hash(connection, hash, kind)?;
    write_facts(connection, sound, facts)?;
    for (name, value) in tags.of(hash) {
        insert_tag(connection, sound, name, value, USER)?;
    }
    link(connection, file, sound)
}

/// Writes the recomputed results of a known sound.
pub fn write_again(connection: &Connection, file: &ClaimedFile, facts: &SoundFacts) -> rusqlite::Result<()> {
    let Some(sound) = file.sound.filter(|_| file.kinds != JobKinds::default()) else {
        return finish(connection, file.id);
    };
    let mut known = connection.prepare_cached("SELECT 1 FROM sound WHERE id = ?1")?;
    if known.exists([sound])? {
        write_facts(connection, sound, facts)?;
        refresh_text(connection, sound)?;
    }
    finish(connection, file.id)
}

/// Links a file to a sound of the library. If the file was moved, the row of its old path is reused for the new one.
pub fn link(connection: &Connection, file: &ClaimedFile, sound: i64) -> rusqlite::Result<()> {
    finish(connection, file.id)?;
    if !exists(connection, file.id)? {
        return Ok(());
    }
    match moved_from(connection, file, sound)? {
        Some(old) => {
            let mut select =
                connection.prepare_cached("SELECT folder, path, name, modified_ns, inode FROM file WHERE id = ?1")?;
            let row = select.query_row([file.id], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, Vec<u8>>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, i64>(3)?,
                    row.get::<_, Option<i64>>(4)?,
                ))
            })?;
            connection.prepare_cached("DELETE FROM file WHERE id = ?1")?.execute([file.id])?;
            let (folder, path, name, modified_ns, inode) = row;
            let mut update = connection.prepare_cached(
                "UPDATE file SET folder = ?2, path = ?3, name = ?4, modified_ns = ?5, inode = ?6,
                   missing_since_ns = NULL WHERE id = ?1",
            )?;
            update.execute(params![old, folder, path, name, modified_ns, inode])?;
            connection.prepare_cached("DELETE FROM job WHERE file = ?1")?.execute([old])?;
            // The row counts as seen by the scan in progress.
            connection.prepare_cached("INSERT OR IGNORE INTO temp.seen(file) VALUES (?1)")?.execute([old])?;
        }
        None => {
            connection.prepare_cached("UPDATE file SET sound = ?2 WHERE id = ?1")?.execute([file.id, sound])?;
            if let Some(before) = file.sound.filter(|before| *before != sound) {
                remove_orphans(connection, &[before])?;
            }
        }
    }
    refresh_text(connection, sound)
}

/// The row of another file of the same sound if that file no longer exists on disk: the old path of a moved file.
fn moved_from(connection: &Connection, file: &ClaimedFile, sound: i64) -> rusqlite::Result<Option<i64>> {
    let mut select = connection.prepare_cached(
        "SELECT file.id, folder.path, file.path, missing_since_ns IS NOT NULL FROM file
         JOIN folder ON folder.id = file.folder WHERE sound = ?1 AND file.id <> ?2 ORDER BY file.id",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(1)?, row.get(2)?];
        Ok((row.get(0)?, path_from_bytes(&folder).join(path_from_bytes(&path)), row.get(3)?))
    };
    let others: Vec<(i64, std::path::PathBuf, bool)> =
        select.query_map([sound, file.id], row)?.collect::<rusqlite::Result<_>>()?;
    let is_gone = |path: &std::path::Path| {
        std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    Ok(others.into_iter().find(|(_, path, is_missing)| *is_missing || is_gone(path)).map(|(id, ..)| id))
}

fn exists(connection: &Connection, file: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM file WHERE id = ?1")?.exists([file])
}

fn write_facts(connection: &Connection, sound: i64, facts: &SoundFacts) -> rusqlite::Result<()> {
    if let Some(look) = &facts.look {
        write_shape(connection, sound, &look.shape)?;
        let mut update = connection.prepare_cached("UPDATE sound SET audio_hash = ?2 WHERE id = ?1")?;
        update.execute(params![sound, look.audio_hash.as_slice()])?;
        connection.prepare_cached("DELETE FROM tag WHERE sound = ?1 AND source <> 'user'")?.execute([sound])?;
        for tag in &look.tags {
            insert_tag(connection, sound, &tag.name, &tag.value, tag.source)?;
        }
    }
    if let Some((hashes, secs)) = &facts.picture {
        let mut update = connection
            .prepare_cached("UPDATE sound SET ahash = ?2, dhash = ?3, whash = ?4, picture_secs = ?5 WHERE id = ?1")?;
        let [ahash, dhash, whash] = [hashes.ahash, hashes.dhash, hashes.whash].map(u64::cast_signed);
        update.execute(params![sound, ahash, dhash, whash, secs])?;
    }
    if let Some(words) = &facts.words {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut insert =
            connection.prepare_cached("INSERT OR REPLACE INTO words(sound, version, words) VALUES (?1, ?2, ?3)")?;
        insert.execute(params![sound, WORDS_VERSION, bytes])?;
    }
    if let Some(description) = &facts.description {
        write_description(connection, sound, description)?;
    }
    Ok(())
}

fn write_description(connection: &Connection, sound: i64, description: &Description) -> rusqlite::Result<()> {
    let values = stored().map(|row| match row.json(description) {
        Value::Bool(is_set) => SqlValue::Integer(i64::from(is_set)),
        Value::String(text) => SqlValue::Text(text),
        Value::Array(values) => SqlValue::Blob(
            values.iter().flat_map(|value| (value.as_f64().unwrap_or_default() as f32).to_le_bytes()).collect(),
        ),
        value => value.as_f64().map_or(SqlValue::Null, SqlValue::Real),
    });
    let head = [SqlValue::Integer(sound), SqlValue::Integer(DESCRIPTOR_VERSION)];
    let values: Vec<SqlValue> = head.into_iter().chain(values).collect();
    let columns: String = stored().map(|row| format!(", {}", row.name)).collect();
    let places = vec!["?"; values.len()].join(", ");
    let text = format!("INSERT OR REPLACE INTO descriptor(sound, version{columns}) VALUES ({places})");
    connection.prepare_cached(&text)?.execute(params_from_iter(values))?;
    Ok(())
}

/// Queues all jobs of a file again.
pub fn queue_again(connection: &Connection, file: i64, is_picture: bool) -> rusqlite::Result<()> {
    queue_jobs(connection, file, JobKinds::of_new(if is_picture { NamedKind::Picture } else { NamedKind::Sound }))
}
