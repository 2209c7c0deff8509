//! The same sound again: copies, the same audio in other files, the same recording, and pictures that look alike.

mod candidates;
mod groups;
mod pairs;

pub use candidates::candidate_pairs;
pub use groups::{DuplicateGroup, DuplicateLevel, DuplicateSound};

use crate::base::{Progress, Result};
use crate::library::batches::BatchEngine;
use crate::library::features::StoredPath;
use crate::library::store::LibraryStore;
use crate::library::words::{RecordingMatch, WordIndex, match_recordings, words_in};
use groups::{Joined, KnownSound, SoundSets};
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Bits that three hashes of two pictures may differ by, added up.
pub const PICTURE_THRESHOLD: u32 = 20;
/// The largest such sum that can be asked for.
pub const MOST_PICTURE_THRESHOLD: u32 = 64;
/// Seconds from a sound's start in which five words of another must stand, for the two to be compared as recordings.
pub const FINGERPRINT_SECS: u32 = 120;
/// The fewest and the most such seconds that can be asked for: words of 3 s are the fewest that are compared.
pub const FINGERPRINT_RANGE_SECS: RangeInclusive<i64> = 3..=86_400;
/// How much the durations of two sounds with the same picture may differ.
const MOST_DURATION_RATIO: f64 = 1.1;

/// Which duplicates are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateOrder {
    /// One level, or all.
    pub level: Option<DuplicateLevel>,
    /// For pictures.
    pub threshold: u32,
    /// For recordings.
    pub fingerprint_secs: u32,
}

impl Default for DuplicateOrder {
    fn default() -> DuplicateOrder {
        DuplicateOrder { level: None, threshold: PICTURE_THRESHOLD, fingerprint_secs: FINGERPRINT_SECS }
    }
}

/// A sound of the library in which another was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdentifiedSound {
    /// Its number.
    pub id: i64,
    /// Its files.
    pub paths: Vec<StoredPath>,
    /// Seconds into it at which the other begins; below 0 if it begins later.
    pub offset_secs: f64,
    /// The share of bits that differ.
    pub error_rate: f64,
}

impl LibraryStore {
    /// Groups of the same sound, each with the level that joined it; the largest level last, then by the sound to keep.
    ///
    /// # Errors
    /// Those of reading; of a device that was asked for; cancelled.
    pub fn duplicates(
        &self,
        order: DuplicateOrder,
        batches: &mut BatchEngine,
        progress: &Progress,
    ) -> Result<Vec<DuplicateGroup>> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let sounds = groups::known_sounds(self.connection()).map_err(io)?;
        let mut sets = SoundSets::new(sounds.len());
        let asks = |level: DuplicateLevel| order.level.is_none_or(|asked| asked == level);
        let mut words = HashMap::new();
        if asks(DuplicateLevel::Audio) {
            join_equal_audio(&sounds, &mut sets);
        }
        progress.check()?;
        if asks(DuplicateLevel::Recording) {
            words = all_words(self.connection(), progress).map_err(io)?;
            progress.check()?;
            join_recordings(&sounds, &words, order.fingerprint_secs, &mut sets, progress)?;
        }
        if asks(DuplicateLevel::Picture) {
            join_pictures(&sounds, order.threshold, &mut sets, batches, progress)?;
        }
        let joined = sets.groups(&sounds, asks(DuplicateLevel::File));
        let mut groups = Vec::new();
        for Joined { level, members } in joined {
            progress.check()?;
            let recording = |a: usize, b: usize| {
                let (a, b) = (words.get(&sounds[a].id)?, words.get(&sounds[b].id)?);
                match_recordings(a, b)
            };
            groups.push(DuplicateGroup::of(self, level, &members, &sounds, &recording)?);
        }
        groups.sort_by(|a, b| a.level.cmp(&b.level).then(a.keep.cmp(&b.keep)));
        Ok(groups)
    }

    /// The sounds in which a recording is found, the best first.
    ///
    /// # Errors
    /// Those of reading; cancelled.
    pub fn identify(&self, query: &[u32], progress: &Progress) -> Result<Vec<IdentifiedSound>> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let mut found: Vec<(i64, RecordingMatch)> = Vec::new();
        let index = WordIndex::of(query);
        // One sound's words at a time are in memory.
        each_words(self.connection(), &mut |id, words| {
            found.extend(index.find_in(&words).map(|matched| (id, matched)));
            !progress.is_cancelled()
        })
        .map_err(io)?;
        progress.check()?;
        found.sort_by(|a, b| a.1.error_rate.total_cmp(&b.1.error_rate).then(a.0.cmp(&b.0)));
        let sound = |(id, matched): (i64, RecordingMatch)| {
            let paths = self.sound(id)?.paths;
            let RecordingMatch { offset_secs, error_rate } = matched;
            Ok(IdentifiedSound { id, paths, offset_secs, error_rate })
        };
        let identified: Vec<IdentifiedSound> = found.into_iter().map(sound).collect::<Result<_>>()?;
        Ok(identified.into_iter().filter(|sound| !sound.paths.is_empty()).collect())
    }
}

/// The words of every sound that has some; of a few only if it is cancelled.
fn all_words(connection: &Connection, progress: &Progress) -> rusqlite::Result<HashMap<i64, Vec<u32>>> {
    let mut all = HashMap::new();
    each_words(connection, &mut |id, words| {
        all.insert(id, words);
        !progress.is_cancelled()
    })?;
    Ok(all)
}

/// Calls with the words of each sound that has some until told to stop.
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

fn join_equal_audio(sounds: &[KnownSound], sets: &mut SoundSets) {
    let mut first: HashMap<[u8; 32], usize> = HashMap::new();
    for (at, sound) in sounds.iter().enumerate() {
        if let Some(hash) = sound.audio_hash {
            let other = *first.entry(hash).or_insert(at);
            sets.join(other, at, DuplicateLevel::Audio);
        }
    }
}

fn join_recordings(
    sounds: &[KnownSound],
    words: &HashMap<i64, Vec<u32>>,
    fingerprint_secs: u32,
    sets: &mut SoundSets,
    progress: &Progress,
) -> Result<()> {
    let with_words = sounds.iter().enumerate().filter_map(|(at, sound)| Some((at, words.get(&sound.id)?.as_slice())));
    let (members, words): (Vec<usize>, Vec<&[u32]>) = with_words.unzip();
    for (a, b) in candidate_pairs(&words, words_in(fingerprint_secs), progress)? {
        progress.check()?;
        let [first, second] = [members[a], members[b]];
        if !sets.are_joined(first, second) && match_recordings(words[a], words[b]).is_some() {
            sets.join(first, second, DuplicateLevel::Recording);
        }
    }
    Ok(())
}

fn join_pictures(
    sounds: &[KnownSound],
    threshold: u32,
    sets: &mut SoundSets,
    batches: &mut BatchEngine,
    progress: &Progress,
) -> Result<()> {
    // Of sounds with equal hashes one stands for all with its duration: many empty pictures would be very many pairs.
    let mut distinct: HashMap<[u64; 3], Vec<usize>> = HashMap::new();
    for (at, sound) in sounds.iter().enumerate() {
        if let Some(hashes) = sound.hashes.filter(|_| !sound.is_silent) {
            distinct.entry(hashes).or_default().push(at);
        }
    }
    let mut lists: Vec<([u64; 3], Vec<usize>)> = distinct.into_iter().collect();
    lists.sort_by_key(|(_, members)| members[0]);
    for (_, members) in &mut lists {
        members.sort_by(|&a, &b| sounds[a].in_order_of_duration(&sounds[b]));
        members.windows(2).for_each(|pair| join_as_long(sounds, pair[0], pair[1], sets));
    }
    let hashes: Vec<[u64; 3]> = lists.iter().map(|(hashes, _)| *hashes).collect();
    let mut join = |a: usize, b: usize| join_lists(sounds, [&lists[a].1, &lists[b].1], sets);
    pairs::each_alike(&hashes, threshold, batches, progress, &mut join)
}

/// Joins the sounds of two lists, each in order of duration and joined in itself, as far as they last as long.
fn join_lists(sounds: &[KnownSound], lists: [&[usize]; 2], sets: &mut SoundSets) {
    let [fewer, more] = if lists[0].len() <= lists[1].len() { lists } else { [lists[1], lists[0]] };
    for &one in fewer {
        // Those that last as long are joined with these two already.
        let at = more.partition_point(|&other| sounds[other].in_order_of_duration(&sounds[one]).is_lt());
        for &other in &more[at.saturating_sub(1)..(at + 1).min(more.len())] {
            join_as_long(sounds, one, other, sets);
        }
    }
}

fn join_as_long(sounds: &[KnownSound], a: usize, b: usize, sets: &mut SoundSets) {
    if sounds[a].lasts_as_long_as(&sounds[b], MOST_DURATION_RATIO) {
        sets.join(a, b, DuplicateLevel::Picture);
    }
}
