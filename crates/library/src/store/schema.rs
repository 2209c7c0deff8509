//! The tables and their version.

use crate::base::DatabaseFormat;

/// The version of descriptors: sounds that were described by an older one are described again.
pub const DESCRIPTOR_VERSION: i64 = 2;
/// The version of words.
pub const WORDS_VERSION: i64 = 2;
/// Bytes of a file's or an audio's hash.
pub const HASH_BYTES: usize = 32;

const VERSION: u32 = 1;

/// `SnBl` in its header.
pub const FORMAT: DatabaseFormat = DatabaseFormat {
    application_id: 0x536e_426c,
    version: VERSION,
    tables_of,
    page_bytes: 4_096,
    is_vacuumed: false,
    name: "library",
};

fn tables_of(version: u32) -> Option<&'static str> {
    (version == VERSION).then_some(TABLES)
}

/// Tables of this version. Paths are bytes as the system has them; a file's is relative to its folder. Times are in
/// nanoseconds since 1970.
const TABLES: &str = "
CREATE TABLE folder(
  id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, watched INTEGER NOT NULL, scanned_ns INTEGER);
CREATE TABLE sound(
  id INTEGER PRIMARY KEY AUTOINCREMENT, file_hash BLOB NOT NULL UNIQUE, audio_hash BLOB, kind TEXT NOT NULL,
  duration_secs REAL, sample_rate INTEGER, channels INTEGER, format TEXT,
  ahash INTEGER, dhash INTEGER, whash INTEGER, picture_secs REAL, first_seen_ns INTEGER NOT NULL);
CREATE INDEX sound_audio ON sound(audio_hash);
CREATE TABLE file(
  id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE, path BLOB NOT NULL,
  name TEXT NOT NULL, bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, inode INTEGER,
  sound INTEGER REFERENCES sound, missing_since_ns INTEGER, UNIQUE(folder, path));
CREATE INDEX file_sound ON file(sound);
CREATE TABLE descriptor(
  sound INTEGER PRIMARY KEY REFERENCES sound ON DELETE CASCADE, version INTEGER NOT NULL, silent INTEGER NOT NULL,
  lufs REAL, true_peak_dbtp REAL, loudness_range REAL, stereo_width REAL, phase_correlation REAL, crest_db REAL,
  sub_bass REAL, bass REAL, low_mid REAL, mid REAL, upper_mid REAL, presence REAL, air REAL, bass_mid_db REAL,
  silence_ratio REAL, centroid_hz REAL, centroid_std_hz REAL, rolloff_hz REAL, flatness REAL, harmonic_ratio REAL,
  f0_hz REAL, voiced_ratio REAL, pitch_stability REAL, chroma_strength REAL, key TEXT, key_strength REAL,
  tempo_bpm REAL, rhythm_stability REAL, onset_strength_mean REAL, onsets_per_second REAL,
  crest_variation_db REAL, level_variation_db REAL, peak_consistency REAL, chroma BLOB, vector BLOB);
CREATE TABLE words(
  sound INTEGER PRIMARY KEY REFERENCES sound ON DELETE CASCADE, version INTEGER NOT NULL, words BLOB NOT NULL);
CREATE TABLE tag(
  sound INTEGER NOT NULL REFERENCES sound ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
  source TEXT NOT NULL, PRIMARY KEY(sound, name, value)) WITHOUT ROWID;
CREATE VIRTUAL TABLE text USING fts5(
  name, path, tags, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TABLE job(
  file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, kind TEXT NOT NULL, priority INTEGER NOT NULL,
  state TEXT NOT NULL, attempts INTEGER NOT NULL, owner TEXT, since_ns INTEGER, error TEXT,
  PRIMARY KEY(file, kind)) WITHOUT ROWID;
CREATE INDEX job_next ON job(state, priority DESC, file);
CREATE TABLE stats(
  run TEXT NOT NULL, kind TEXT NOT NULL, engine TEXT NOT NULL, batches INTEGER, items INTEGER, failed INTEGER,
  fallbacks INTEGER, shrunk INTEGER, busy_ms REAL, largest_batch INTEGER, sound_secs REAL,
  PRIMARY KEY(run, kind, engine));
CREATE TABLE routes(
  kind TEXT, adapter TEXT, version TEXT, cpu_per_s REAL, gpu_per_s REAL, measured_ns INTEGER,
  PRIMARY KEY(kind, adapter, version));
CREATE TABLE scale(version INTEGER PRIMARY KEY, n_sounds INTEGER, centre BLOB, spread BLOB);
";

/// Where a value of a sound is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnPlace {
    /// A number of the table `sound`.
    SoundNumber,
    /// A text of the table `sound`.
    SoundText,
    /// A number of the table `descriptor`.
    DescriptorNumber,
    /// A text of the table `descriptor`.
    DescriptorText,
}

impl ColumnPlace {
    /// The table, as queries call it.
    pub fn table(self) -> &'static str {
        match self {
            ColumnPlace::SoundNumber | ColumnPlace::SoundText => "sound",
            ColumnPlace::DescriptorNumber | ColumnPlace::DescriptorText => "descriptor",
        }
    }

    /// Whether its values are text.
    pub fn is_text(self) -> bool {
        matches!(self, ColumnPlace::SoundText | ColumnPlace::DescriptorText)
    }
}

use ColumnPlace::{DescriptorNumber, DescriptorText, SoundNumber, SoundText};

/// The values by which sounds are filtered, sorted and exported: those of `DESCRIPTOR_NAMES` that are one value, by the
/// same names, and the file's format. All but `format` are columns of the same name.
pub const COLUMNS: [(&str, ColumnPlace); 39] = [
    ("duration_secs", SoundNumber),
    ("sample_rate", SoundNumber),
    ("channels", SoundNumber),
    ("format", SoundText),
    ("picture_secs", SoundNumber),
    ("silent", DescriptorNumber),
    ("lufs", DescriptorNumber),
    ("true_peak_dbtp", DescriptorNumber),
    ("loudness_range", DescriptorNumber),
    ("stereo_width", DescriptorNumber),
    ("phase_correlation", DescriptorNumber),
    ("crest_db", DescriptorNumber),
    ("sub_bass", DescriptorNumber),
    ("bass", DescriptorNumber),
    ("low_mid", DescriptorNumber),
    ("mid", DescriptorNumber),
    ("upper_mid", DescriptorNumber),
    ("presence", DescriptorNumber),
    ("air", DescriptorNumber),
    ("bass_mid_db", DescriptorNumber),
    ("silence_ratio", DescriptorNumber),
    ("centroid_hz", DescriptorNumber),
    ("centroid_std_hz", DescriptorNumber),
    ("rolloff_hz", DescriptorNumber),
    ("flatness", DescriptorNumber),
    ("harmonic_ratio", DescriptorNumber),
    ("f0_hz", DescriptorNumber),
    ("voiced_ratio", DescriptorNumber),
    ("pitch_stability", DescriptorNumber),
    ("chroma_strength", DescriptorNumber),
    ("key", DescriptorText),
    ("key_strength", DescriptorNumber),
    ("tempo_bpm", DescriptorNumber),
    ("rhythm_stability", DescriptorNumber),
    ("onset_strength_mean", DescriptorNumber),
    ("onsets_per_second", DescriptorNumber),
    ("crest_variation_db", DescriptorNumber),
    ("level_variation_db", DescriptorNumber),
    ("peak_consistency", DescriptorNumber),
];
