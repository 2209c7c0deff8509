//! Groups of sounds that are the same.

use crate::base::Result;
use crate::library::features::StoredPath;
use crate::library::store::LibraryStore;
use crate::library::words::RecordingMatch;
use rusqlite::Connection;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// In which way sounds are the same, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DuplicateLevel {
    /// The same bytes.
    File,
    /// The same samples.
    Audio,
    /// The same recording, at another level, bitrate or place.
    Recording,
    /// The same picture.
    Picture,
}

impl DuplicateLevel {
    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            DuplicateLevel::File => "file",
            DuplicateLevel::Audio => "audio",
            DuplicateLevel::Recording => "recording",
            DuplicateLevel::Picture => "picture",
        }
    }
}

/// A sound of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DuplicateSound {
    /// Its number.
    pub id: i64,
    /// Its files that are there.
    pub paths: Vec<StoredPath>,
    /// How far it is from the sound to keep: bits of pictures, the share of wrong bits of recordings, else 0. None where
    /// only a third sound joins the two.
    pub distance: Option<f64>,
    /// Seconds into the sound to keep at which it begins, of recordings.
    pub offset_secs: Option<f64>,
}

/// Sounds that are the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DuplicateGroup {
    /// The weakest level that was needed to join them.
    pub level: DuplicateLevel,
    /// The sounds, the one to keep first.
    pub sounds: Vec<DuplicateSound>,
    /// The one with most bits a sample, then the highest rate, then known longest.
    pub keep: i64,
}

/// What is needed of each sound.
#[derive(Debug, Clone)]
pub struct KnownSound {
    pub id: i64,
    pub audio_hash: Option<[u8; 32]>,
    pub hashes: Option<[u64; 3]>,
    /// 0 of pictures.
    pub picture_secs: f64,
    pub is_silent: bool,
    is_picture: bool,
    n_files: i64,
    /// What is best is first: bits, rate, and when it was seen.
    quality: (i64, i64, i64),
}

impl KnownSound {
    /// Pictures first, then sounds from the shortest on.
    pub fn in_order_of_duration(&self, other: &KnownSound) -> Ordering {
        other.is_picture.cmp(&self.is_picture).then(self.picture_secs.total_cmp(&other.picture_secs))
    }

    /// Whether two durations, without silent ends, are about the same.
    pub fn lasts_as_long_as(&self, other: &KnownSound, most_ratio: f64) -> bool {
        let (shorter, longer) = (self.picture_secs.min(other.picture_secs), self.picture_secs.max(other.picture_secs));
        self.is_picture == other.is_picture && longer <= most_ratio * shorter
    }
}

/// The sounds that have a file that is there.
pub fn known_sounds(connection: &Connection) -> rusqlite::Result<Vec<KnownSound>> {
    let mut select = connection.prepare(
        "SELECT sound.id, audio_hash, ahash, dhash, whash, coalesce(picture_secs, 0), coalesce(silent, 0), kind,
           format, coalesce(sample_rate, 0), first_seen_ns,
           (SELECT count(*) FROM file WHERE file.sound = sound.id AND missing_since_ns IS NULL) AS n_files
         FROM sound LEFT JOIN descriptor ON descriptor.sound = sound.id WHERE n_files > 0 ORDER BY sound.id",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        let audio: Option<Vec<u8>> = row.get(1)?;
        let hashes: [Option<i64>; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
        let kind: String = row.get(7)?;
        let format: Option<String> = row.get(8)?;
        Ok(KnownSound {
            id: row.get(0)?,
            audio_hash: audio.and_then(|hash| hash.try_into().ok()),
            hashes: match hashes {
                [Some(a), Some(d), Some(w)] => Some([a, d, w].map(i64::cast_unsigned)),
                _ => None,
            },
            picture_secs: row.get(5)?,
            is_silent: row.get(6)?,
            is_picture: kind == "picture",
            n_files: row.get(11)?,
            quality: (-bits_of(&format.unwrap_or_default()), -row.get::<_, i64>(9)?, row.get(10)?),
        })
    };
    select.query_map([], row)?.collect()
}

/// Bits a sample, from `WAV, 24 bit`; 0 of formats that lose some.
fn bits_of(format: &str) -> i64 {
    let before = format.split(" bit").next().filter(|before| before.len() < format.len());
    before.and_then(|before| before.rsplit(' ').next()).and_then(|bits| bits.parse().ok()).unwrap_or(0)
}

/// Bits that two pictures differ by.
pub fn distance_of(a: &[u64; 3], b: &[u64; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Which sounds are joined: a forest of indices.
pub struct SoundSets {
    parents: Vec<usize>,
    /// Of a root: the weakest level that was needed.
    levels: Vec<DuplicateLevel>,
}

/// The indices of a group.
pub struct Joined {
    pub level: DuplicateLevel,
    pub members: Vec<usize>,
}

impl SoundSets {
    /// Each by itself.
    pub fn new(n_sounds: usize) -> SoundSets {
        SoundSets { parents: (0..n_sounds).collect(), levels: vec![DuplicateLevel::File; n_sounds] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Whether two are in one set.
    pub fn are_joined(&mut self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }

    /// Makes one set of two.
    pub fn join(&mut self, a: usize, b: usize, level: DuplicateLevel) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let (first, second) = (a.min(b), a.max(b));
            self.parents[second] = first;
            self.levels[first] = self.levels[first].max(self.levels[second]).max(level);
        }
    }

    /// Sets of several sounds; of one sound if it has several files and these are asked for.
    pub fn groups(mut self, sounds: &[KnownSound], has_files: bool) -> Vec<Joined> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..sounds.len() {
            members.entry(self.root(at)).or_default().push(at);
        }
        let is_group = |members: &Vec<usize>| members.len() > 1 || has_files && sounds[members[0]].n_files > 1;
        let groups = members.into_iter().filter(|(_, members)| is_group(members));
        groups.map(|(root, members)| Joined { level: self.levels[root], members }).collect()
    }
}

impl DuplicateGroup {
    /// A group with its paths and distances. `recording` compares two sounds by their words.
    pub fn of(
        store: &LibraryStore,
        level: DuplicateLevel,
        members: &[usize],
        sounds: &[KnownSound],
        recording: &dyn Fn(usize, usize) -> Option<RecordingMatch>,
    ) -> Result<DuplicateGroup> {
        let mut members = members.to_vec();
        members.sort_by_key(|&at| (sounds[at].quality, sounds[at].id));
        let keep = members[0];
        let sound = |&at: &usize| {
            let matched = if level == DuplicateLevel::Recording { recording(keep, at) } else { None };
            let bits = sounds[keep].hashes.zip(sounds[at].hashes).map(|(a, b)| f64::from(distance_of(&a, &b)));
            Ok(DuplicateSound {
                id: sounds[at].id,
                paths: store.sound(sounds[at].id)?.paths,
                distance: match level {
                    DuplicateLevel::File | DuplicateLevel::Audio => Some(0.0),
                    DuplicateLevel::Recording => matched.map(|matched| matched.error_rate),
                    DuplicateLevel::Picture => bits,
                },
                offset_secs: matched.map(|matched| matched.offset_secs),
            })
        };
        let sounds_of_group = members.iter().map(sound).collect::<Result<_>>()?;
        Ok(DuplicateGroup { level, sounds: sounds_of_group, keep: sounds[keep].id })
    }
}
