//! The descriptors of a sound, one row each. The library's columns, the names in conditions, JSON and exports, and the
//! table in `docs/library.md` are generated from the rows: a new descriptor needs only a row and its measurement.

use super::describe::{AudibleDescriptors, Description};
use super::similar::{N_DIMENSIONS, vector_of};
use crate::dsp::descriptors::{
    BandDescriptors, ChromaDescriptors, LevelDescriptors, MfccDescriptors, N_MFCC, PitchDescriptors, RhythmDescriptors,
    SpectrumDescriptors,
};
use Reading::{Count, Number, Numbers, Text, Truth};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A descriptor: its name, its measurement, and where it is stored.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// Name in lower case.
    pub name: &'static str,
    /// Unit of its numbers; empty without one.
    pub unit: &'static str,
    /// Explanation for `docs/library.md`.
    pub meaning: &'static str,
    /// Its type, and its field in a description.
    pub reading: Reading,
    /// Where the library stores it.
    pub place: DescriptorPlace,
    /// Whether it is shown in descriptions.
    pub is_described: bool,
    /// The descriptor version from which it is measured in this way.
    pub version: i64,
}

/// Type of a descriptor, and its field in a description; `None` if the sound has no value.
#[derive(Debug, Clone, Copy)]
pub enum Reading {
    /// A real number.
    Number(fn(&Description) -> Option<f64>),
    /// A whole number, which every sound has.
    Count(fn(&Description) -> u64),
    /// A boolean, which every sound has.
    Truth(fn(&Description) -> bool),
    /// A text.
    Text(fn(&Description) -> Option<String>),
    /// A list of this length, stored as 32-bit floats.
    Numbers(usize, fn(&Description) -> Option<Vec<f64>>),
}

/// Where the library stores a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptorPlace {
    /// In the table `sound`, with the other facts found when the file is opened.
    Sound,
    /// In the table `descriptor`, since this version of the library's tables.
    Description(u32),
    /// Not stored: it is measured on request.
    Nowhere,
}

impl Descriptor {
    /// The value as JSON; null if the sound has none.
    pub fn json(&self, of: &Description) -> Value {
        match self.reading {
            Number(read) => read(of).into(),
            Count(read) => read(of).into(),
            Truth(read) => read(of).into(),
            Text(read) => read(of).into(),
            Numbers(_, read) => read(of).into(),
        }
    }

    /// Whether it is a text.
    pub const fn is_text(&self) -> bool {
        matches!(self.reading, Text(_))
    }

    /// Whether it is a list of numbers.
    pub const fn is_list(&self) -> bool {
        matches!(self.reading, Numbers(..))
    }

    /// Its column in queries.
    pub fn column(&self) -> String {
        let table = if self.place == DescriptorPlace::Sound { "sound" } else { "descriptor" };
        format!("{table}.{}", self.name)
    }

    /// Whether sounds can be filtered, sorted and listed by it.
    const fn is_column(&self) -> bool {
        !self.is_list() && !matches!(self.place, DescriptorPlace::Nowhere)
    }

    const fn in_sound(self) -> Descriptor {
        Descriptor { place: DescriptorPlace::Sound, ..self }
    }

    /// Sets the descriptor version from which it is measured in this way.
    const fn since(self, version: i64) -> Descriptor {
        Descriptor { version, ..self }
    }

    /// Sets the versions of tables and descriptors that added it.
    const fn added(self, tables: u32, version: i64) -> Descriptor {
        Descriptor { place: DescriptorPlace::Description(tables), version, ..self }
    }

    const fn unstored(self) -> Descriptor {
        Descriptor { place: DescriptorPlace::Nowhere, ..self }
    }

    const fn undescribed(self) -> Descriptor {
        Descriptor { is_described: false, ..self }
    }
}

impl Description {
    /// Every name with its value, in order.
    pub fn entries(&self) -> [(&'static str, Value); DESCRIBED.len()] {
        DESCRIBED.map(|row| (row.name, row.json(self)))
    }
}

impl Serialize for Description {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries())
    }
}

/// A row with a column since the first version of the tables, measured in this way since descriptor version 2.
const fn row(name: &'static str, unit: &'static str, reading: Reading, meaning: &'static str) -> Descriptor {
    Descriptor { name, unit, meaning, reading, place: DescriptorPlace::Description(1), is_described: true, version: 2 }
}

fn audible(of: &Description) -> Option<&AudibleDescriptors> {
    of.audible.as_ref()
}

fn levels(of: &Description) -> Option<&LevelDescriptors> {
    audible(of)?.levels.as_ref()
}

fn bands(of: &Description) -> Option<&BandDescriptors> {
    audible(of)?.bands.as_ref()
}

fn spectrum(of: &Description) -> Option<&SpectrumDescriptors> {
    audible(of)?.spectrum.as_ref()
}

fn pitch(of: &Description) -> Option<&PitchDescriptors> {
    audible(of)?.pitch.as_ref()
}

fn chroma(of: &Description) -> Option<&ChromaDescriptors> {
    audible(of)?.chroma.as_ref()
}

fn rhythm(of: &Description) -> Option<&RhythmDescriptors> {
    audible(of)?.rhythm.as_ref()
}

fn mfcc(of: &Description) -> Option<&MfccDescriptors> {
    audible(of)?.mfcc.as_ref()
}

/// All rows, in the order of listing.
pub const DESCRIPTORS: &[Descriptor] = &[
    row("duration_secs", "s", Number(|of| Some(of.format.duration_secs)), "length").in_sound(),
    row("sample_rate", "Hz", Count(|of| of.format.sample_rate.into()), "samples per second of each channel").in_sound(),
    row("channels", "", Count(|of| of.format.channels as u64), "number of channels").in_sound(),
    row("format", "", Text(|_| None), "container and bits per sample: `WAV, 24 bit`").in_sound().undescribed(),
    row("picture_secs", "s", Number(|_| None), "length without the silence at both ends").in_sound().undescribed(),
    row("silent", "", Truth(|of| of.format.silent), "whether the RMS is under -100 dB"),
    row("lufs", "LUFS", Number(|of| of.loudness.lufs), "integrated loudness of all channels"),
    row("true_peak_dbtp", "dBTP", Number(|of| of.loudness.true_peak_dbtp), "highest level between samples"),
    row("loudness_range", "LU", Number(|of| of.loudness.loudness_range), "loudness range, from 3 s on"),
    row("stereo_width", "", Number(|of| Some(of.stereo.stereo_width)), "share of the side in the energy: 0 is mono"),
    row("phase_correlation", "", Number(|of| Some(of.stereo.phase_correlation)), "of the first two channels, -1 to 1"),
    row("crest_db", "dB", Number(|of| Some(levels(of)?.crest_db)), "peak over RMS"),
    row("sub_bass", "", Number(|of| Some(bands(of)?.sub_bass)), "share of the energy from 20 to 60 Hz"),
    row("bass", "", Number(|of| Some(bands(of)?.bass)), "from 60 to 200 Hz"),
    row("low_mid", "", Number(|of| Some(bands(of)?.low_mid)), "from 200 to 500 Hz"),
    row("mid", "", Number(|of| Some(bands(of)?.mid)), "from 500 Hz to 2 kHz"),
    row("upper_mid", "", Number(|of| Some(bands(of)?.upper_mid)), "from 2 to 4 kHz"),
    row("presence", "", Number(|of| Some(bands(of)?.presence)), "from 4 to 8 kHz"),
    row("air", "", Number(|of| Some(bands(of)?.air)), "from 8 kHz on"),
    row("bass_mid_db", "dB", Number(|of| bands(of)?.bass_mid_db), "energy below 200 Hz over that from 500 Hz to 2 kHz"),
    row("silence_ratio", "", Number(|of| Some(spectrum(of)?.silence_ratio)), "share of frames under -60 dB RMS"),
    row("centroid_hz", "Hz", Number(|of| spectrum(of)?.centroid_hz), "mean frequency, weighted by magnitude"),
    row("centroid_std_hz", "Hz", Number(|of| spectrum(of)?.centroid_std_hz), "deviation of the frames' centroids"),
    row(
        "bandwidth_hz",
        "Hz",
        Number(|of| spectrum(of)?.bandwidth_hz),
        "mean of the frames' deviation from their centroid",
    )
    .added(2, 3),
    row("rolloff_hz", "Hz", Number(|of| spectrum(of)?.rolloff_hz), "85 % of the magnitude lie below"),
    row("flatness", "", Number(|of| spectrum(of)?.flatness), "1 of white noise, near 0 of a tone"),
    row("harmonic_ratio", "", Number(|of| audible(of)?.harmonic_ratio), "how steady rather than struck, 0 to 1"),
    row("f0_hz", "Hz", Number(|of| pitch(of)?.f0_hz), "median pitch of the voiced frames"),
    row("voiced_ratio", "", Number(|of| pitch(of)?.voiced_ratio), "share of the loud frames with a pitch"),
    row("pitch_stability", "", Number(|of| pitch(of)?.pitch_stability), "1 / (1 + its deviation in semitones)"),
    row("chroma", "", Numbers(12, |of| Some(chroma(of)?.chroma.to_vec())), "12 numbers: each note from C up"),
    row(
        "chroma_strength",
        "",
        Number(|of| Some(chroma(of)?.chroma_strength)),
        "0 if all notes are alike, 1 if there is one",
    ),
    row("key", "", Text(|of| Some(chroma(of)?.key?.to_string())), "most likely key: `A minor`").since(4),
    row("key_strength", "", Number(|of| chroma(of)?.key_strength), "how well the key fits, at most 1").since(4),
    row("tempo_bpm", "BPM", Number(|of| rhythm(of)?.tempo_bpm), "tempo, from 3 s on").since(5),
    row("rhythm_stability", "", Number(|of| rhythm(of)?.rhythm_stability), "how regular the tempo is, 0 to 1").since(5),
    row("onset_strength_mean", "dB", Number(|of| rhythm(of)?.onset_strength_mean), "mean rise of a mel per frame"),
    row("onsets_per_second", "", Number(|of| audible(of)?.onsets_per_second), "sounds that begin in a second"),
    row("crest_variation_db", "dB", Number(|of| levels(of)?.crest_variation_db), "deviation of the seconds' crest"),
    row("level_variation_db", "dB", Number(|of| levels(of)?.level_variation_db), "deviation of the seconds' RMS"),
    row("peak_consistency", "", Number(|of| levels(of)?.peak_consistency), "how alike the seconds' peaks are, 0 to 1"),
    row("mfcc_mean", "dB", Numbers(N_MFCC, |of| Some(mfcc(of)?.mfcc_mean.to_vec())), "20 numbers: MFCC 1 to 20")
        .unstored(),
    row("mfcc_std", "dB", Numbers(N_MFCC, |of| Some(mfcc(of)?.mfcc_std.to_vec())), "20 numbers: their deviations")
        .unstored(),
    row("vector", "", Numbers(N_DIMENSIONS, vector), "48 numbers that `similar` compares").undescribed(),
];

fn vector(of: &Description) -> Option<Vec<f64>> {
    Some(vector_of(of)?.map(f64::from).to_vec())
}

/// A subset of the rows.
#[derive(Debug, Clone, Copy)]
enum Part {
    Columns,
    Described,
}

const fn is_in(row: &Descriptor, part: Part) -> bool {
    match part {
        Part::Columns => row.is_column(),
        Part::Described => row.is_described,
    }
}

const fn n_in(part: Part) -> usize {
    let (mut at, mut n) = (0, 0);
    while at < DESCRIPTORS.len() {
        n += is_in(&DESCRIPTORS[at], part) as usize;
        at += 1;
    }
    n
}

const fn rows_in<const N: usize>(part: Part) -> [&'static Descriptor; N] {
    let mut rows = [&DESCRIPTORS[0]; N];
    let (mut at, mut n) = (0, 0);
    while at < DESCRIPTORS.len() {
        if is_in(&DESCRIPTORS[at], part) {
            rows[n] = &DESCRIPTORS[at];
            n += 1;
        }
        at += 1;
    }
    rows
}

/// The scalar descriptors by which sounds are filtered, sorted and exported.
pub const COLUMNS: [&Descriptor; n_in(Part::Columns)] = rows_in(Part::Columns);
/// The descriptors shown in a [`Description`], in order.
pub const DESCRIBED: [&Descriptor; n_in(Part::Described)] = rows_in(Part::Described);

/// The columns of the table `descriptor` added in a version of the library's tables: scalars, then lists.
pub fn stored_since(version: u32) -> impl Iterator<Item = &'static Descriptor> {
    let those = |is_list: bool| {
        let is_one =
            move |row: &&Descriptor| row.place == DescriptorPlace::Description(version) && row.is_list() == is_list;
        DESCRIPTORS.iter().filter(is_one)
    };
    those(false).chain(those(true))
}

/// The columns of the table `descriptor`, in order.
pub fn stored() -> impl Iterator<Item = &'static Descriptor> {
    (1..=TABLES_VERSION).flat_map(stored_since)
}

/// The version of the library's tables; a row with a new column raises it.
pub const TABLES_VERSION: u32 = {
    let (mut at, mut newest) = (0, 1);
    while at < DESCRIPTORS.len() {
        if let DescriptorPlace::Description(since) = DESCRIPTORS[at].place
            && since > newest
        {
            newest = since;
        }
        at += 1;
    }
    newest
};

/// The version of descriptors; sounds described by an older one are described again.
pub const DESCRIPTOR_VERSION: i64 = {
    let (mut at, mut newest) = (0, 1);
    while at < DESCRIPTORS.len() {
        if DESCRIPTORS[at].version > newest {
            newest = DESCRIPTORS[at].version;
        }
        at += 1;
    }
    newest
};
