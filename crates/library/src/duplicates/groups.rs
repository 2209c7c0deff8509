//! Groups of sounds that are the same.

use crate::base::Result;
use crate::library::features::StoredPath;
use crate::library::store::LibraryStore;
use crate::library::words::RecordingMatch;
use rusqlite::Connection;
use serde::Serialize;

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
    /// A part of the same recording, less than half of either: the sounds are not the same.
    Overlap,
}

impl DuplicateLevel {
    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            DuplicateLevel::File => "file",
            DuplicateLevel::Audio => "audio",
            DuplicateLevel::Recording => "recording",
            DuplicateLevel::Picture => "picture",
            DuplicateLevel::Overlap => "overlap",
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
    /// How far it is from the first sound: bits of pictures, the share of wrong bits of recordings, else 0.
    pub distance: Option<f64>,
    /// Seconds into the first sound at which it begins, of recordings and overlaps.
    pub offset_secs: Option<f64>,
    /// Seconds that it shares with the first sound, of overlaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap_secs: Option<f64>,
}

/// Sounds that are the same, or overlap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DuplicateGroup {
    /// The weakest level at which one of them is the same as the first.
    pub level: DuplicateLevel,
    /// The sounds, the one to keep first. Each is the same as that one, or overlaps with it.
    pub sounds: Vec<DuplicateSound>,
    /// The one with most bits a sample, then the highest rate, then known longest. None of sounds that overlap: none of
    /// them can be spared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<i64>,
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
    /// None of what has no pitch, or was not described.
    f0_hz: Option<f64>,
    centroid_hz: Option<f64>,
    pub n_files: i64,
    /// What is best is first: bits, rate, and when it was seen.
    quality: (i64, i64, i64),
}

/// How much the durations of two sounds with the same picture may differ.
const MOST_DURATION_RATIO: f64 = 1.1;
/// Below this the picture of a sound has too few columns to identify it: a tom looks like one an octave lower.
const SHORT_SECS: f64 = 2.0;
/// How much the pitches of two short sounds may differ, in octaves: a semitone.
const MOST_F0_OCTAVES: f64 = 1.0 / 12.0;
/// The same of their spectral centroids.
const MOST_CENTROID_OCTAVES: f64 = 1.0 / 3.0;
/// Tolerance for the rounding of descriptors.
const ROUNDING: f64 = 1e-9;

impl KnownSound {
    /// Its place among sounds of which one is kept.
    pub fn order(&self) -> ((i64, i64, i64), i64) {
        (self.quality, self.id)
    }

    /// Whether what their pictures do not show says that two sounds are the same: durations without silent ends, and of
    /// short sounds pitch and brightness. What one of them does not have says nothing.
    pub fn may_be(&self, other: &KnownSound) -> bool {
        let (shorter, longer) = (self.picture_secs.min(other.picture_secs), self.picture_secs.max(other.picture_secs));
        if self.is_picture != other.is_picture || longer > MOST_DURATION_RATIO * shorter {
            return false;
        }
        let agree = |a: Option<f64>, b: Option<f64>, most_octaves: f64| {
            a.zip(b).is_none_or(|(a, b)| (a / b).log2().abs() <= most_octaves + ROUNDING)
        };
        self.is_picture
            || shorter >= SHORT_SECS
            || agree(self.f0_hz, other.f0_hz, MOST_F0_OCTAVES)
                && agree(self.centroid_hz, other.centroid_hz, MOST_CENTROID_OCTAVES)
    }
}

/// The sounds that have a file that is there.
pub fn known_sounds(connection: &Connection) -> rusqlite::Result<Vec<KnownSound>> {
    let mut select = connection.prepare(
        "SELECT sound.id, audio_hash, ahash, dhash, whash, coalesce(picture_secs, 0), coalesce(silent, 0), kind,
           format, coalesce(sample_rate, 0), first_seen_ns,
           (SELECT count(*) FROM file WHERE file.sound = sound.id AND missing_since_ns IS NULL) AS n_files,
           f0_hz, centroid_hz
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
            f0_hz: row.get(12)?,
            centroid_hz: row.get(13)?,
            n_files: row.get(11)?,
            quality: (-bits_of(&format.unwrap_or_default()), row.get::<_, i64>(9)?.saturating_neg(), row.get(10)?),
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

/// Sounds of a group, by their indices.
pub struct Joined {
    pub level: DuplicateLevel,
    /// The one to keep is first. Where each lies in that one, if that was compared.
    pub members: Vec<(usize, Option<RecordingMatch>)>,
}

impl DuplicateGroup {
    /// A group with its paths and distances.
    pub fn of(store: &LibraryStore, joined: &Joined, sounds: &[KnownSound]) -> Result<DuplicateGroup> {
        let level = joined.level;
        let first = joined.members[0].0;
        let sound = |&(at, matched): &(usize, Option<RecordingMatch>)| {
            let is_placed = matches!(level, DuplicateLevel::Recording | DuplicateLevel::Overlap);
            let matched = matched.filter(|_| is_placed);
            let bits = sounds[first].hashes.zip(sounds[at].hashes).map(|(a, b)| f64::from(distance_of(&a, &b)));
            Ok(DuplicateSound {
                id: sounds[at].id,
                paths: store.sound(sounds[at].id)?.paths,
                distance: match level {
                    DuplicateLevel::Picture => bits,
                    _ => Some(matched.map_or(0.0, |matched| matched.error_rate)),
                },
                // What was not compared has the same samples.
                offset_secs: is_placed.then(|| matched.map_or(0.0, |matched| matched.offset_secs)),
                overlap_secs: matched.filter(|_| level == DuplicateLevel::Overlap).map(|matched| matched.overlap_secs),
            })
        };
        let keep = (level != DuplicateLevel::Overlap).then_some(sounds[first].id);
        let sounds = joined.members.iter().map(sound).collect::<Result<_>>()?;
        Ok(DuplicateGroup { level, sounds, keep })
    }
}
