//! Duplicates: copies, the same audio in other files, the same recording, and similar pictures; and overlapping
//! recordings.

mod candidates;
mod clusters;
mod groups;
mod pairs;

pub use candidates::candidate_pairs;
pub use groups::{DuplicateGroup, DuplicateLevel, DuplicateSound};

use crate::base::{Progress, Result};
use crate::library::batches::BatchEngine;
use crate::library::features::StoredPath;
use crate::library::identity::words::{RecordingMatch, WordIndex};
use crate::library::store::LibraryStore;
use clusters::Clusters;
use groups::KnownSound;
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Default maximum number of differing bits between two pictures, summed over their three hashes.
pub const PICTURE_THRESHOLD: u32 = 20;
/// Maximum of the picture threshold.
pub const MAX_PICTURE_THRESHOLD: u32 = 64;
/// Default length, in seconds from the start of each sound, that is searched for shared words. Two sounds are compared
/// as recordings if at least five words match there at about the same offset.
pub const FINGERPRINT_SECS: u32 = 120;
/// Range of that length; comparing takes at least 3 s of words.
pub const FINGERPRINT_RANGE_SECS: RangeInclusive<i64> = 3..=86_400;
/// Which duplicates to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateOrder {
    /// One level, or all.
    pub level: Option<DuplicateLevel>,
    /// Maximum number of differing bits for pictures.
    pub threshold: u32,
    /// Length for recordings in seconds; see [`FINGERPRINT_SECS`].
    pub fingerprint_secs: u32,
}

impl Default for DuplicateOrder {
    fn default() -> DuplicateOrder {
        DuplicateOrder { level: None, threshold: PICTURE_THRESHOLD, fingerprint_secs: FINGERPRINT_SECS }
    }
}

/// A sound of the library that contains another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdentifiedSound {
    /// Id of the sound.
    pub id: i64,
    /// Paths of its existing files.
    pub paths: Vec<StoredPath>,
    /// Start of the other sound in it, in seconds; negative if the other begins earlier.
    pub offset_secs: f64,
    /// Fraction of differing bits.
    pub error_rate: f64,
}

impl LibraryStore {
    /// Groups of duplicates, each with the level that joined it, sorted by level and then by the sound to keep. Sounds
    /// are kept greedily, the best first: a sound that duplicates a kept one joins that group, and any other is kept.
    /// Kept sounds that overlap form further groups.
    ///
    /// # Errors
    /// Read errors; errors of a chosen device; [`Limit`](crate::base::ErrorKind::Limit) if too many pictures are
    /// similar; cancelled.
    pub fn duplicates(
        &self,
        order: DuplicateOrder,
        batches: &mut BatchEngine,
        progress: &Progress,
    ) -> Result<Vec<DuplicateGroup>> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let sounds = groups::known_sounds(self.connection()).map_err(io)?;
        let asks = |level: DuplicateLevel| order.level.is_none_or(|requested| requested == level);
        let is_overlap = order.level == Some(DuplicateLevel::Overlap);
        // Copies of an overlapping sound overlap as well, so one sound of each class is enough.
        let classes = equal_audio(&sounds, is_overlap || asks(DuplicateLevel::Audio));
        progress.check()?;
        let mut clusters = Clusters::new(&sounds, &classes);
        if is_overlap || order.level.is_none() || asks(DuplicateLevel::Recording) {
            let words = all_words(self.connection(), progress).map_err(io)?;
            progress.check()?;
            clusters.compare_recordings(words, order.fingerprint_secs, progress)?;
        }
        if asks(DuplicateLevel::Picture) {
            clusters.compare_pictures(order.threshold, batches, progress)?;
        }
        clusters.find(progress)?;
        let joined = if is_overlap { Vec::new() } else { clusters.groups(asks(DuplicateLevel::File)) };
        let overlaps = if asks(DuplicateLevel::Overlap) { clusters.overlaps() } else { Vec::new() };
        let mut groups = Vec::new();
        for joined in joined.iter().chain(&overlaps) {
            progress.check()?;
            groups.push(DuplicateGroup::of(self, joined, &sounds)?);
        }
        groups.sort_by_key(|group| (group.level, group.sounds[0].id));
        Ok(groups)
    }

    /// The sounds that contain a recording, best first.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn identify(&self, query: &[u32], progress: &Progress) -> Result<Vec<IdentifiedSound>> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let mut found: Vec<(i64, RecordingMatch)> = Vec::new();
        let index = WordIndex::of(query);
        // Only one sound's words are in memory at a time.
        each_words(self.connection(), &mut |id, words| {
            found.extend(index.find_in(&words).map(|matched| (id, matched)));
            !progress.is_cancelled()
        })
        .map_err(io)?;
        progress.check()?;
        found.sort_by(|a, b| a.1.error_rate.total_cmp(&b.1.error_rate).then(a.0.cmp(&b.0)));
        let sound = |(id, matched): (i64, RecordingMatch)| {
            let paths = self.sound(id)?.paths;
            let RecordingMatch { offset_secs, error_rate, .. } = matched;
            Ok(IdentifiedSound { id, paths, offset_secs, error_rate })
        };
        let identified: Vec<IdentifiedSound> = found.into_iter().map(sound).collect::<Result<_>>()?;
        Ok(identified.into_iter().filter(|sound| !sound.paths.is_empty()).collect())
    }
}

/// The words of every sound that has any; incomplete if cancelled.
fn all_words(connection: &Connection, progress: &Progress) -> rusqlite::Result<HashMap<i64, Vec<u32>>> {
    let mut all = HashMap::new();
    each_words(connection, &mut |id, words| {
        all.insert(id, words);
        !progress.is_cancelled()
    })?;
    Ok(all)
}

/// Calls `take` with the words of each sound that has any, until it returns false.
fn each_words(connection: &Connection, take: &mut dyn FnMut(i64, Vec<u32>) -> bool) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT sound, words FROM words WHERE length(words) > 0")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let bytes = row.get_ref(1)?.as_blob()?;
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if !take(row.get(0)?, bytes.chunks_exact(4).map(word).collect()) {
            break;
        }
    }
    Ok(())
}

/// Groups sounds with the same samples, if `is_requested`; sorted by quality, between and within groups.
fn equal_audio(sounds: &[KnownSound], is_requested: bool) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sounds.len()).collect();
    order.sort_unstable_by_key(|&at| sounds[at].order());
    let mut place: HashMap<[u8; 32], usize> = HashMap::new();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let class = match sounds[at].audio_hash.filter(|_| is_requested) {
            Some(hash) => *place.entry(hash).or_insert(classes.len()),
            None => classes.len(),
        };
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(at);
    }
    classes
}
