//! The vectors of all sounds, kept between searches and extended with added sounds.

use super::nearest::{SimilarDials, SimilarTo, VectorTable, score_of};
use super::scale::{VectorScale, vector_from_bytes};
use crate::base::{Error, Progress, Result};
use crate::library::store::LibraryStore;
use rusqlite::{Connection, Row};
use std::sync::Arc;

/// Sounds between checks for cancellation.
const CHECKED_SOUNDS: usize = 4_096;
/// Columns read per sound: its id and, if it has a description, the sound id again, the vector and the pitch.
const COLUMNS: &str = "sound.id, descriptor.sound, descriptor.vector, descriptor.f0_hz FROM sound
                       LEFT JOIN descriptor ON descriptor.sound = sound.id";

/// The vectors of all sounds with their scale.
#[derive(Debug)]
pub struct SimilarIndex {
    mark: IndexMark,
    scale: VectorScale,
    table: VectorTable,
    /// Sounds listed but not yet described.
    undescribed: Vec<i64>,
}

/// The state of the library that an index covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IndexMark {
    last_sound: i64,
    /// Number of descriptions computed so far, including those computed again.
    n_described: i64,
    scale_version: i64,
}

impl SimilarIndex {
    /// The sounds most similar to another with their scores, at most `max`: best first, then by id.
    pub fn nearest(&self, query: &SimilarTo, dials: &SimilarDials, max: usize) -> Vec<(i64, f64)> {
        let nearest = self.table.nearest(query, &self.scale, dials, max);
        nearest.into_iter().map(|(id, distance)| (id, score_of(distance))).collect()
    }

    /// Adds a sound. Returns whether it has a description; that of a silent sound has no vector.
    fn take(&mut self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let id: i64 = row.get(0)?;
        if row.get::<_, Option<i64>>(1)?.is_none() {
            self.undescribed.push(id);
            return Ok(false);
        }
        let f0_hz: Option<f64> = row.get(3)?;
        if let Some(vector) = row.get_ref(2)?.as_blob().ok().and_then(vector_from_bytes) {
            self.table.push(id, &vector, f0_hz.map(|hz| hz as f32), &self.scale);
        }
        Ok(true)
    }

    /// Adds the sounds after the last indexed one, and those described in the meantime. Returns the number of sounds
    /// newly described.
    fn grow(&mut self, connection: &Connection, progress: &Progress) -> rusqlite::Result<i64> {
        let mut n_new = 0;
        let mut select = connection.prepare(&format!("SELECT {COLUMNS} WHERE sound.id = ?1"))?;
        for id in std::mem::take(&mut self.undescribed) {
            // A sound that no longer exists is dropped.
            if let Some(row) = select.query([id])?.next()? {
                n_new += i64::from(self.take(row)?);
            }
        }
        let text = format!("SELECT {COLUMNS} WHERE sound.id > ?1 AND sound.kind = 'sound' ORDER BY sound.id");
        let mut select = connection.prepare(&text)?;
        let mut rows = select.query([self.mark.last_sound])?;
        let mut n_read: usize = 0;
        while let Some(row) = rows.next()? {
            n_new += i64::from(self.take(row)?);
            n_read += 1;
            if n_read.is_multiple_of(CHECKED_SOUNDS) && progress.is_cancelled() {
                break;
            }
        }
        Ok(n_new)
    }
}

impl LibraryStore {
    /// The index of the current library: the previous one if it is still valid, extended by added sounds. May contain
    /// sounds that no longer exist.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn similar_index(&self, before: Option<Arc<SimilarIndex>>, progress: &Progress) -> Result<Arc<SimilarIndex>> {
        // In one transaction, so that all reads see the same state.
        let moment = self.connection().unchecked_transaction().map_err(|error| self.unread(&error))?;
        let mark = mark_of(&moment).map_err(|error| self.unread(&error))?;
        if let Some(before) = before.as_ref().filter(|before| before.mark == mark) {
            return Ok(before.clone());
        }
        let grown = |mut index: SimilarIndex| {
            let n_new = index.grow(&moment, progress).map_err(|error| self.unread(&error))?;
            progress.check()?;
            let n_described = mark.n_described - index.mark.n_described;
            index.mark = mark;
            Ok::<_, Error>((Arc::new(index), n_new, n_described))
        };
        if let Some(before) = before.filter(|before| before.mark.scale_version == mark.scale_version) {
            let kept = SimilarIndex {
                mark: before.mark,
                scale: before.scale.clone(),
                table: before.table.clone(),
                undescribed: before.undescribed.clone(),
            };
            let (index, n_new, n_described) = grown(kept)?;
            // With more descriptions than new sounds, sounds in the index were described again, and it is rebuilt.
            if n_described <= n_new {
                return Ok(index);
            }
        }
        let nothing = IndexMark { last_sound: 0, ..mark };
        let empty = SimilarIndex {
            mark: nothing,
            scale: self.scale()?,
            table: VectorTable::default(),
            undescribed: Vec::new(),
        };
        grown(empty).map(|(index, ..)| index)
    }
}

fn mark_of(connection: &Connection) -> rusqlite::Result<IndexMark> {
    let text = "SELECT (SELECT coalesce(max(id), 0) FROM sound),
                  (SELECT coalesce(sum(items), 0) FROM stats WHERE kind = 'describe'),
                  (SELECT coalesce(max(version), 0) FROM scale)";
    connection.query_row(text, [], |row| {
        Ok(IndexMark { last_sound: row.get(0)?, n_described: row.get(1)?, scale_version: row.get(2)? })
    })
}
