//! The typical spread of each element of a vector, by which differences are scaled.

use super::vector::{N_DIMENSIONS, SoundVector};
use crate::base::Result;
use crate::library::store::LibraryStore;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;

/// Minimum number of sounds for a scale of the library's own.
const MIN_SOUNDS: usize = 64;
/// Elements with a smaller spread are nearly constant; they get a spread of 1, so that they are not amplified.
const MIN_SPREAD: f32 = 1e-3;
/// The standard deviation of a normal distribution divided by its median absolute deviation.
const DEVIATION_OF_MAD: f32 = 1.4826;
/// The shipped scale, computed from pieces of `tests/clips` by `scripts/make_library_scale.py`.
const DEFAULT_SCALE_JSON: &str = include_str!("../../../../assets/library_scale.json");

/// Centre and typical deviation of each element.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorScale {
    /// Medians.
    pub centre: SoundVector,
    /// Median absolute deviations, converted to standard deviations.
    pub spread: SoundVector,
}

#[derive(Deserialize)]
struct ShippedScale {
    centre: Vec<f32>,
    spread: Vec<f32>,
}

impl VectorScale {
    /// The scale of many vectors; `None` if there are too few.
    pub fn of(vectors: &[SoundVector]) -> Option<VectorScale> {
        if vectors.len() < MIN_SOUNDS {
            return None;
        }
        let mut scale = VectorScale { centre: [0.0; N_DIMENSIONS], spread: [0.0; N_DIMENSIONS] };
        for dimension in 0..N_DIMENSIONS {
            let mut values: Vec<f32> = vectors.iter().map(|vector| vector[dimension]).collect();
            let centre = median(&mut values);
            values.iter_mut().for_each(|value| *value = (*value - centre).abs());
            let spread = DEVIATION_OF_MAD * median(&mut values);
            scale.centre[dimension] = centre;
            scale.spread[dimension] = if spread < MIN_SPREAD { 1.0 } else { spread };
        }
        Some(scale)
    }

    /// The default scale for small libraries.
    pub fn shipped() -> VectorScale {
        let shipped: Option<ShippedScale> = serde_json::from_str(DEFAULT_SCALE_JSON).ok();
        let values = |of: fn(&ShippedScale) -> &Vec<f32>, default: f32| {
            let values = shipped.as_ref().and_then(|scale| SoundVector::try_from(of(scale).as_slice()).ok());
            values.unwrap_or([default; N_DIMENSIONS])
        };
        VectorScale { centre: values(|scale| &scale.centre, 0.0), spread: values(|scale| &scale.spread, 1.0) }
    }
}

/// The median; for an even number the mean of the middle two.
fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f32::total_cmp);
    let upper = *upper;
    match below.iter().copied().reduce(f32::max) {
        Some(lower) if is_even => (lower + upper) / 2.0,
        _ => upper,
    }
}

/// A vector from its little-endian bytes; `None` if their number is wrong.
pub fn vector_from_bytes(bytes: &[u8]) -> Option<SoundVector> {
    let values: Vec<f32> =
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
    SoundVector::try_from(values.as_slice()).ok()
}

fn bytes_of(vector: &SoundVector) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

impl LibraryStore {
    /// The current scale: the library's own, or the shipped one.
    ///
    /// # Errors
    /// Read errors.
    pub(super) fn scale(&self) -> Result<VectorScale> {
        let stored = stored(self.connection()).map_err(|error| self.unread(&error))?;
        Ok(stored.map_or_else(VectorScale::shipped, |(_, scale)| scale))
    }

    /// Recomputes the scale if the library has doubled since the last time.
    ///
    /// # Errors
    /// Write errors.
    pub fn refresh_scale(&self) -> Result<()> {
        let io = |error: rusqlite::Error| self.unwritten(&error);
        let n_before = self
            .connection()
            .query_row("SELECT n_sounds FROM scale ORDER BY version DESC LIMIT 1", [], |row| row.get::<_, i64>(0))
            .optional()
            .map_err(io)?;
        let count = "SELECT count(*) FROM descriptor WHERE vector IS NOT NULL";
        let n_now: i64 = self.connection().query_row(count, [], |row| row.get(0)).map_err(io)?;
        if n_now < MIN_SOUNDS as i64 || n_before.is_some_and(|before| n_now < 2 * before) {
            return self.check_in_place();
        }
        let vectors = vectors(self.connection()).map_err(io)?;
        let Some(scale) = VectorScale::of(&vectors) else { return Ok(()) };
        self.in_transaction(|connection| {
            let row = params![vectors.len() as i64, bytes_of(&scale.centre), bytes_of(&scale.spread)];
            let insert = "INSERT INTO scale(version, n_sounds, centre, spread)
                          SELECT coalesce(max(version), 0) + 1, ?1, ?2, ?3 FROM scale";
            connection.execute(insert, row).map(drop).map_err(io)
        })
    }
}

fn stored(connection: &Connection) -> rusqlite::Result<Option<(i64, VectorScale)>> {
    let row = |row: &rusqlite::Row<'_>| {
        let [centre, spread]: [Vec<u8>; 2] = [row.get(1)?, row.get(2)?];
        let scale = vector_from_bytes(&centre).zip(vector_from_bytes(&spread));
        Ok(scale.map(|(centre, spread)| VectorScale { centre, spread }).zip(Some(row.get(0)?)))
    };
    let text = "SELECT version, centre, spread FROM scale ORDER BY version DESC LIMIT 1";
    let found = connection.query_row(text, [], row).optional()?;
    Ok(found.flatten().map(|(scale, version)| (version, scale)))
}

fn vectors(connection: &Connection) -> rusqlite::Result<Vec<SoundVector>> {
    let mut select = connection.prepare("SELECT vector FROM descriptor WHERE vector IS NOT NULL")?;
    let rows = select.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    rows.filter_map(|bytes| bytes.map(|bytes| vector_from_bytes(&bytes)).transpose()).collect()
}
