//! Groups of duplicates.

use crate::base::Result;
use crate::library::features::StoredPath;
use crate::library::identity::words::RecordingMatch;
use crate::library::store::LibraryStore;
use rusqlite::Connection;
use serde::Serialize;

/// Level at which sounds are duplicates, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DuplicateLevel {
    /// The same bytes.
    File,
    /// The same samples.
    Audio,
    /// The same recording, at another level, bit rate or position.
    Recording,
    /// The same picture.
    Picture,
    /// A shared part of a recording, less than half of either: the sounds are not duplicates.
    Overlap,
}

impl DuplicateLevel {
    /// Name in commands.
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
    /// Id of the sound.
    pub id: i64,
    /// Paths of its existing files.
    pub paths: Vec<StoredPath>,
    /// Distance from the first sound: differing bits for pictures, fraction of wrong bits for recordings, otherwise 0.
    pub distance: Option<f64>,
    /// Start in the first sound in seconds, for recordings and overlaps.
    pub offset_secs: Option<f64>,
    /// Overlap with the first sound in seconds, for overlaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap_secs: Option<f64>,
}

/// Sounds that are duplicates, or overlap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DuplicateGroup {
    /// The weakest level at which any of them duplicates the first.
    pub level: DuplicateLevel,
    /// The sounds, the one to keep first. Each of the others duplicates or overlaps with it.
    pub sounds: Vec<DuplicateSound>,
    /// Id of the sound to keep: the one with the most bits per sample, then the highest sample rate, then the oldest in
    /// the library. `None` for overlapping sounds, none of which is redundant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<i64>,
}

/// Properties of a sound that decide which duplicate to keep.
#[derive(Debug, Clone)]
pub struct KnownSound {
    pub id: i64,
    pub audio_hash: Option<[u8; 32]>,
    pub hashes: Option<[u64; 3]>,
    /// Length for comparing pictures, without silent ends, in seconds; 0 for pictures.
    pub picture_secs: f64,
    pub is_silent: bool,
    is_picture: bool,
    /// `None` for sounds without pitch or description.
    f0_hz: Option<f64>,
    centroid_hz: Option<f64>,
    pub n_files: i64,
    /// Sort key, best first: bits, sample rate, age in the library.
    quality: (i64, i64, i64),
}

/// Maximum ratio of the durations of two sounds with the same picture.
const MAX_DURATION_RATIO: f64 = 1.1;
/// Length in seconds below which a picture has too few columns to identify a sound: a tom looks like one an octave
/// lower.
const SHORT_SECS: f64 = 2.0;
/// Maximum distance of the pitches of two short sounds, in octaves: a semitone.
const MAX_F0_OCTAVES: f64 = 1.0 / 12.0;
/// Maximum distance of their spectral centroids, in octaves.
const MAX_CENTROID_OCTAVES: f64 = 1.0 / 3.0;
/// Tolerance for the rounding of descriptors.
const ROUNDING: f64 = 1e-9;

impl KnownSound {
    /// Sort key by which the sound to keep comes first.
    pub fn order(&self) -> ((i64, i64, i64), i64) {
        (self.quality, self.id)
    }

    /// Whether the properties that pictures do not show agree: durations without silent ends, and for short sounds
    /// pitch and brightness. A missing value agrees with any.
    pub fn may_be(&self, other: &KnownSound) -> bool {
        let (shorter, longer) = (self.picture_secs.min(other.picture_secs), self.picture_secs.max(other.picture_secs));
        if self.is_picture != other.is_picture || longer > MAX_DURATION_RATIO * shorter {
            return false;
        }
        let agree = |a: Option<f64>, b: Option<f64>, max_octaves: f64| {
            a.zip(b).is_none_or(|(a, b)| (a / b).log2().abs() <= max_octaves + ROUNDING)
        };
        self.is_picture
            || shorter >= SHORT_SECS
            || agree(self.f0_hz, other.f0_hz, MAX_F0_OCTAVES)
                && agree(self.centroid_hz, other.centroid_hz, MAX_CENTROID_OCTAVES)
    }
}

/// The sounds that have an existing file.
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

/// Bits per sample, from `WAV, 24 bit`; 0 for lossy formats.
fn bits_of(format: &str) -> i64 {
    let before = format.split(" bit").next().filter(|before| before.len() < format.len());
    before.and_then(|before| before.rsplit(' ').next()).and_then(|bits| bits.parse().ok()).unwrap_or(0)
}

/// Number of bits in which two pictures differ.
pub fn distance_of(a: &[u64; 3], b: &[u64; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Sounds of a group, by their indices.
pub struct Joined {
    pub level: DuplicateLevel,
    /// Members of the group, the one to keep first, each with its position in that one if they were compared.
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
                // Members that were not compared have the same samples as the first.
                offset_secs: is_placed.then(|| matched.map_or(0.0, |matched| matched.offset_secs)),
                overlap_secs: matched.filter(|_| level == DuplicateLevel::Overlap).map(|matched| matched.overlap_secs),
            })
        };
        let keep = (level != DuplicateLevel::Overlap).then_some(sounds[first].id);
        let sounds = joined.members.iter().map(sound).collect::<Result<_>>()?;
        Ok(DuplicateGroup { level, sounds, keep })
    }
}
