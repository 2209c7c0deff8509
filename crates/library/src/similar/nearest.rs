//! Exact search for the nearest sounds.

use super::scale::{VectorScale, vector_from_bytes};
use super::vector::{N_DIMENSIONS, SoundVector};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::library::describe::{Description, describe};
use crate::library::search::{FoundSound, SoundFilter};
use crate::library::similar::vector_of;
use crate::library::store::LibraryStore;
use crate::media::Source;
use rayon::prelude::*;
use rusqlite::types::Value as SqlValue;
use rusqlite::{OptionalExtension, params_from_iter};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Scaled elements are clamped to this number of deviations from the centre.
const MAX_DEVIATIONS: f32 = 5.0;
/// Factor applied to the texture weight for the MFCC deviations.
const TEXTURE_MFCC: f32 = 0.7;
/// Distance of one octave of pitch, in deviations.
const OCTAVE: f32 = 2.0;
/// The distance over which a score falls to 1/e.
const SCORE_DISTANCE: f32 = 4.0;
/// Number of sounds per part of a table, which one thread processes at a time.
const PART_SOUNDS: usize = 1 << 12;
/// Maximum value of a dial.
pub const MAX_DIAL: f32 = 4.0;

/// Weights of the parts of a distance: 0 to 4 each; defaults are 1, and 0 for pitch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarDials {
    /// The means of the MFCC.
    pub timbre: f32,
    /// Their deviations, flatness and harmonic ratio.
    pub texture: f32,
    /// Octaves between the pitches, where both have one.
    pub pitch: f32,
    /// Centroid and rolloff.
    pub brightness: f32,
    /// Duration, onsets and crest.
    pub time: f32,
}

impl Default for SimilarDials {
    fn default() -> SimilarDials {
        SimilarDials { timbre: 1.0, texture: 1.0, pitch: 0.0, brightness: 1.0, time: 1.0 }
    }
}

impl SimilarDials {
    /// Sets a dial by its name.
    ///
    /// # Errors
    /// For an unknown name, or a value outside 0 to 4.
    pub fn set(&mut self, name: &str, value: f32) -> Result<()> {
        let dial = match name {
            "timbre" => &mut self.timbre,
            "texture" => &mut self.texture,
            "pitch" => &mut self.pitch,
            "brightness" => &mut self.brightness,
            "time" => &mut self.time,
            _ => {
                let sentence =
                    format!("no weight is called {name:?}; they are timbre, texture, pitch, brightness, time");
                return Err(Error::new(ErrorKind::Script, sentence));
            }
        };
        if !(0.0..=MAX_DIAL).contains(&value) {
            return Err(Error::new(ErrorKind::Script, format!("the weight of {name} must be 0 to {MAX_DIAL}")));
        }
        *dial = value;
        Ok(())
    }

    /// Checks that at least one weight is positive.
    ///
    /// # Errors
    /// If none is.
    pub fn check(&self) -> Result<()> {
        let SimilarDials { timbre, texture, pitch, brightness, time } = *self;
        if [timbre, texture, pitch, brightness, time].iter().all(|weight| *weight == 0.0) {
            return Err(Error::new(
                ErrorKind::Script,
                "every weight is 0, so nothing is compared; give one more than 0",
            ));
        }
        Ok(())
    }

    /// The weight of each element of a vector.
    fn weights(&self) -> SoundVector {
        std::array::from_fn(|dimension| match dimension {
            0..20 => self.timbre,
            20..40 => self.texture * TEXTURE_MFCC,
            40 | 41 => self.brightness,
            42 | 43 => self.texture,
            45..=47 => self.time,
            _ => 1.0,
        })
    }
}

/// The reference sound of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarTo {
    /// Vector of the sound.
    pub vector: SoundVector,
    /// Pitch of the sound, if any.
    pub f0_hz: Option<f32>,
}

impl SimilarTo {
    /// A description as a query.
    ///
    /// # Errors
    /// If the sound is silent.
    pub fn of(description: &Description) -> Result<SimilarTo> {
        let vector = vector_of(description)
            .ok_or_else(|| Error::new(ErrorKind::Script, "the sound is silent, so nothing is like it"))?;
        let pitch = description.audible.as_ref().and_then(|audible| audible.pitch.as_ref());
        Ok(SimilarTo { vector, f0_hz: pitch.and_then(|pitch| pitch.f0_hz).map(|hz| hz as f32) })
    }

    /// A range of a file in seconds, or all of it, as a query.
    ///
    /// # Errors
    /// Read errors; a range outside the file; silence; cancelled.
    pub fn of_sound(source: &Source, secs: Option<[f64; 2]>, progress: &Progress) -> Result<SimilarTo> {
        let Some([from, to]) = secs else { return SimilarTo::of(&describe(source, progress)?) };
        let info = source.info();
        let rate = f64::from(info.sample_rate_hz);
        let sample = |secs: f64| ((secs * rate).round().max(0.0) as u64).min(info.n_samples);
        let (first, end) = (sample(from), sample(to));
        if first >= end {
            let length = info.n_samples as f64 / rate;
            let sentence = format!("nothing lies from {from} s to {to} s; the sound is {length:.3} s long");
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        let channel = |channel: usize| {
            let mut samples = vec![0.0; (end - first) as usize];
            source.read(channel, first as i64, &mut samples).map(|()| samples)
        };
        let channels = (0..info.n_channels).map(channel).collect::<Result<Vec<_>>>()?;
        SimilarTo::of(&describe(&Source::from_channels(channels, info.sample_rate_hz)?, progress)?)
    }
}

/// A sound and its similarity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimilarSound {
    /// Score: 100 for identical sounds, decreasing with distance.
    pub score: f64,
    /// Euclidean distance, in deviations.
    pub distance: f64,
    /// The sound.
    #[serde(flatten)]
    pub sound: FoundSound,
}

/// The scaled vectors of a library in contiguous parts. Clones share all parts except the last, which is copied when
/// one of them grows.
#[derive(Debug, Clone, Default)]
pub struct VectorTable {
    parts: Vec<Arc<VectorPart>>,
}

/// Up to [`PART_SOUNDS`] vectors.
#[derive(Debug, Clone, Default)]
struct VectorPart {
    ids: Vec<i64>,
    log2_f0: Vec<Option<f32>>,
    values: Vec<f32>,
}

impl VectorTable {
    /// Adds a sound, scaling its vector.
    pub fn push(&mut self, id: i64, vector: &SoundVector, f0_hz: Option<f32>, scale: &VectorScale) {
        if self.parts.last().is_none_or(|part| part.ids.len() == PART_SOUNDS) {
            self.parts.push(Arc::default());
        }
        if let Some(part) = self.parts.last_mut().map(Arc::make_mut) {
            part.ids.push(id);
            part.log2_f0.push(f0_hz.filter(|hz| *hz > 0.0).map(f32::log2));
            part.values.extend(scaled(vector, scale));
        }
    }

    /// The nearest sounds with their distances, nearest first, then by id.
    pub fn nearest(&self, query: &SimilarTo, scale: &VectorScale, dials: &SimilarDials, max: usize) -> Vec<(i64, f32)> {
        let weights = dials.weights();
        let target = scaled(&query.vector, scale);
        let log2_f0 = query.f0_hz.filter(|hz| *hz > 0.0).map(f32::log2);
        let ranked = |values: &[f32], id: i64, other_f0: Option<f32>| {
            let octaves = log2_f0.zip(other_f0).map_or(0.0, |(a, b)| (a - b) * OCTAVE * dials.pitch);
            Ranked { distance: (squared(values, &target, &weights) + octaves * octaves).sqrt(), id }
        };
        let nearest = self
            .parts
            .par_iter()
            .fold(BinaryHeap::new, |mut nearest, part| {
                let sounds = part.values.chunks_exact(N_DIMENSIONS).zip(&part.ids).zip(&part.log2_f0);
                sounds.for_each(|((values, id), f0)| keep(&mut nearest, ranked(values, *id, *f0), max));
                nearest
            })
            .reduce(BinaryHeap::new, |mut nearest, others| {
                others.into_iter().for_each(|sound| keep(&mut nearest, sound, max));
                nearest
            });
        nearest.into_sorted_vec().into_iter().map(|Ranked { distance, id }| (id, distance)).collect()
    }
}

/// A sound, ordered by its distance, then by its id.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    distance: f32,
    id: i64,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

/// Inserts a sound if it is among the nearest; the farthest of these is at the top of the heap.
fn keep(nearest: &mut BinaryHeap<Ranked>, sound: Ranked, max: usize) {
    if nearest.len() < max {
        nearest.push(sound);
    } else if let Some(mut farthest) = nearest.peek_mut()
        && sound < *farthest
    {
        *farthest = sound;
    }
}

/// The score of a distance: 100 for 0, decreasing.
pub(super) fn score_of(distance: f32) -> f64 {
    100.0 * f64::from((-distance / SCORE_DISTANCE).exp())
}

fn scaled(vector: &SoundVector, scale: &VectorScale) -> SoundVector {
    std::array::from_fn(|at| {
        ((vector[at] - scale.centre[at]) / scale.spread[at]).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
    })
}

/// The squared distance, in eight sums that the compiler can vectorise.
fn squared(values: &[f32], target: &SoundVector, weights: &SoundVector) -> f32 {
    let mut sums = [0.0f32; 8];
    for ((values, target), weights) in values.chunks_exact(8).zip(target.chunks_exact(8)).zip(weights.chunks_exact(8)) {
        for lane in 0..8 {
            let difference = (values[lane] - target[lane]) * weights[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum()
}

impl LibraryStore {
    /// The at most `max` sounds most similar to a reference, nearest first, excluding the sound with id `without`,
    /// usually the reference itself.
    ///
    /// # Errors
    /// Read errors.
    pub fn similar(
        &self,
        query: &SimilarTo,
        without: Option<i64>,
        dials: &SimilarDials,
        filter: Option<&SoundFilter>,
        max: usize,
    ) -> Result<Vec<SimilarSound>> {
        let scale = self.scale()?;
        let table = self.vector_table(&scale, filter, without)?;
        let nearest = table.nearest(query, &scale, dials, max);
        let similar = |(id, distance): (i64, f32)| {
            Ok(SimilarSound { score: score_of(distance), distance: f64::from(distance), sound: self.sound(id)? })
        };
        nearest.into_iter().map(similar).collect()
    }

    /// A sound of the library as a query.
    ///
    /// # Errors
    /// If it does not exist, is silent, or has not been analysed, in which case it will be analysed next.
    pub fn similar_to(&self, id: i64) -> Result<SimilarTo> {
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Option<Vec<u8>>>(0)?, row.get::<_, Option<f64>>(1)?));
        let text = "SELECT vector, f0_hz FROM descriptor WHERE sound = ?1";
        let found = self.connection().query_row(text, [id], row).optional().map_err(|error| self.unread(&error))?;
        let vector = found.as_ref().and_then(|found| vector_from_bytes(found.0.as_ref()?));
        let Some((vector, (_, f0_hz))) = vector.zip(found) else {
            self.file_hash(id)?;
            let sentence = match self.analyse_next(id)? {
                true => format!("sound {id} is not analysed yet; it is the next in the queue"),
                false => format!("sound {id} is silent or a picture, so nothing is like it"),
            };
            return Err(Error::new(ErrorKind::Script, sentence));
        };
        Ok(SimilarTo { vector, f0_hz: f0_hz.map(|hz| hz as f32) })
    }

    pub(super) fn vector_table(
        &self,
        scale: &VectorScale,
        filter: Option<&SoundFilter>,
        without: Option<i64>,
    ) -> Result<VectorTable> {
        let mut values = vec![SqlValue::Integer(without.unwrap_or(-1))];
        // Reads the table of descriptions in its own order, which is the order on disk.
        let wanted = filter.map_or_else(String::new, |filter| {
            let filter = filter.to_sql(&mut values);
            format!(" AND EXISTS (SELECT 1 FROM sound WHERE sound.id = descriptor.sound AND {filter})")
        });
        let text = format!(
            "SELECT descriptor.sound, descriptor.vector, descriptor.f0_hz FROM descriptor
             WHERE descriptor.vector IS NOT NULL AND descriptor.sound <> ? AND EXISTS
               (SELECT 1 FROM file WHERE file.sound = descriptor.sound AND file.missing_since_ns IS NULL){wanted}"
        );
        let read = || {
            let mut select = self.connection().prepare(&text)?;
            let mut rows = select.query(params_from_iter(values))?;
            let mut table = VectorTable::default();
            while let Some(row) = rows.next()? {
                let f0_hz: Option<f64> = row.get(2)?;
                let vector = row.get_ref(1)?.as_blob().ok().and_then(vector_from_bytes);
                if let Some(vector) = vector {
                    table.push(row.get(0)?, &vector, f0_hz.map(|hz| hz as f32), scale);
                }
            }
            Ok(table)
        };
        read().map_err(|error| self.unread(&error))
    }
}
