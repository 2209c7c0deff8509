//! Sounds that are listed before they are analysed, once their files have been hashed and opened. They can be found by
//! name, played and opened; all jobs of their files remain queued, so that a killed process loses none.

use super::clock::now_ns;
use super::text::{refresh_text, remove_orphans};
use super::work::analysis::{Digest, SoundShape};
use super::work::job_kind::NamedKind;
use super::work::queue::ClaimedFile;
use rusqlite::{Connection, OptionalExtension, params};

/// Whether a sound is listed but not analysed: neither its audio nor its picture has a hash.
pub const NOT_ANALYSED: &str = "sound.audio_hash IS NULL AND sound.ahash IS NULL";

/// Lists the sound of a file. Returns false if the file already has a sound, or was removed in the meantime.
pub fn list_ahead(
    connection: &Connection,
    file: &ClaimedFile,
    hash: &Digest,
    shape: Option<&SoundShape>,
) -> rusqlite::Result<bool> {
    if !connection.prepare_cached("SELECT 1 FROM file WHERE id = ?1 AND sound IS NULL")?.exists([file.id])? {
        return Ok(false);
    }
    let kind = if shape.is_some() { NamedKind::Sound } else { NamedKind::Picture };
    let sound = row_of_hash(connection, hash, kind)?;
    if let Some(shape) = shape {
        write_shape(connection, sound, shape)?;
    }
    connection.prepare_cached("UPDATE file SET sound = ?2 WHERE id = ?1")?.execute([file.id, sound])?;
    refresh_text(connection, sound)?;
    Ok(true)
}

/// Removes the sound of a file if it was only listed, since the file could not be analysed or is missing.
pub fn unlist(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    let text =
        format!("SELECT sound.id FROM file JOIN sound ON sound.id = file.sound WHERE file.id = ?1 AND {NOT_ANALYSED}");
    let listed: Option<i64> = connection.prepare_cached(&text)?.query_row([file], |row| row.get(0)).optional()?;
    let Some(sound) = listed else { return Ok(()) };
    connection.prepare_cached("UPDATE file SET sound = NULL WHERE id = ?1")?.execute([file])?;
    remove_orphans(connection, &[sound]).map(drop)
}

/// The row of a hash: a listed one, or a new one.
pub fn row_of_hash(connection: &Connection, hash: &Digest, kind: NamedKind) -> rusqlite::Result<i64> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO sound(file_hash, kind, first_seen_ns) VALUES (?1, ?2, ?3)
         ON CONFLICT(file_hash) DO UPDATE SET kind = excluded.kind RETURNING id",
    )?;
    insert.query_row(params![hash.as_slice(), kind.name(), now_ns()], |row| row.get(0))
}

/// Writes length, rate, channels and format of a sound.
pub fn write_shape(connection: &Connection, sound: i64, shape: &SoundShape) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE sound SET duration_secs = ?2, sample_rate = ?3, channels = ?4, format = ?5 WHERE id = ?1",
    )?;
    let n_channels = shape.n_channels as i64;
    update.execute(params![sound, shape.duration_secs, shape.sample_rate_hz, n_channels, shape.format]).map(drop)
}
