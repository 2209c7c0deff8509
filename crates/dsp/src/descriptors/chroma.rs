//! Energy of a sound in the twelve pitch classes, and its key.
//!
//! The chroma has twelve bins per octave. The key is determined from three times as many, with three for each note, so
//! that it is also found in music that is tuned up to half a semitone off.

use super::analysis::RATE_HZ;
use super::key::MusicalKey;
use crate::dsp::FftPlans;
use crate::dsp::transforms::constant_q::{ConstantQ, PitchBins};
use crate::dsp::transforms::frame_stream::FrameCutter;
use std::sync::OnceLock;

const N_NOTES: usize = 12;
/// Bins from C1 upwards, seven octaves.
const CHROMA_BINS: PitchBins = PitchBins { lowest_hz: 32.703, per_octave: N_NOTES, n_bins: 7 * N_NOTES };
const BINS_PER_NOTE: usize = 3;
/// Bins from E2 upwards, four octaves; the first is a third of a semitone below E2. Lower bins would need a longer
/// frame.
const KEY_BINS: PitchBins =
    PitchBins { lowest_hz: 80.834, per_octave: BINS_PER_NOTE * N_NOTES, n_bins: 4 * BINS_PER_NOTE * N_NOTES };
/// Pitch class of E, in semitones above C.
const FIRST_KEY_NOTE: usize = 4;
/// Number of samples between columns.
const STEP_SAMPLES: usize = 2_048;
/// Fraction of the loudest column, -60 dB, below which columns are ignored.
const SILENT_SHARE: f32 = 1e-3;

/// Chroma and key of a sound that is not silent.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromaDescriptors {
    /// Means of columns, each scaled to a maximum of 1, from C upwards.
    pub chroma: [f64; N_NOTES],
    /// 0 if all pitch classes are equal, 1 if only one is present.
    pub chroma_strength: f64,
    /// The key that best matches the chroma; `None` if all pitch classes are equal.
    pub key: Option<MusicalKey>,
    /// Correlation with that key, at most 1.
    pub key_strength: Option<f64>,
}

/// Magnitudes of a frame, summed over octaves: a column for the chroma and one for the key, each from C upwards.
pub type ChromaFrame = [[f32; N_NOTES]; 2];

/// The columns of a sound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChromaColumns {
    /// One entry per frame.
    pub frames: Vec<ChromaFrame>,
}

impl ChromaColumns {
    /// Samples from frame to frame. The first is centred on the first sample; around the sound is silence.
    pub const STEP_SAMPLES: usize = STEP_SAMPLES;

    /// Number of frames of a sound.
    pub fn n_frames(n_samples: usize) -> usize {
        FrameCutter::n_frames(STEP_SAMPLES, n_samples as u64) as usize
    }

    /// Chroma and key of the sound; `None` for silence.
    pub fn describe(&self) -> Option<ChromaDescriptors> {
        let [chroma, notes] = [0, 1].map(|of| mean_column(self.frames.iter().map(move |frame| &frame[of])));
        let chroma = chroma?;
        let best = notes.and_then(|notes| MusicalKey::of_chroma(&notes));
        Some(ChromaDescriptors {
            chroma_strength: 1.0 - entropy(&chroma) / (N_NOTES as f64).ln(),
            key: best.map(|(key, _)| key),
            key_strength: best.map(|(_, strength)| strength),
            chroma,
        })
    }
}

/// The atoms of a frame's columns, for a device.
#[derive(Debug)]
pub struct ChromaAtoms {
    /// Samples of a frame.
    pub frame_samples: usize,
    /// Per atom its first bin, number of bins, first value, and which of the 24 values of a [`ChromaFrame`] it is part
    /// of.
    pub atoms: Vec<[u32; 4]>,
    /// Conjugate spectra, real and imaginary part.
    pub values: Vec<[f32; 2]>,
    /// Number of bins of a frame that atoms read, from DC.
    pub n_bins: usize,
}

impl ChromaAtoms {
    /// The atoms, computed on the first call.
    pub fn get() -> &'static ChromaAtoms {
        static ATOMS: OnceLock<ChromaAtoms> = OnceLock::new();
        ATOMS.get_or_init(|| {
            let transform = transform(&FftPlans::default());
            let (entries, values) = transform.flat();
            let of_key = |bin: usize| N_NOTES + (bin / BINS_PER_NOTE + FIRST_KEY_NOTE) % N_NOTES;
            let columns = (0..CHROMA_BINS.n_bins).map(|bin| bin % N_NOTES).chain((0..KEY_BINS.n_bins).map(of_key));
            let atoms: Vec<[u32; 4]> = entries
                .iter()
                .zip(columns)
                .map(|(&[first_bin, n_bins, first_value], column)| [first_bin, n_bins, first_value, column as u32])
                .collect();
            let n_bins = atoms.iter().map(|[first, n, ..]| (first + n) as usize).max().unwrap_or(0);
            ChromaAtoms { frame_samples: transform.frame_samples(), atoms, values, n_bins }
        })
    }
}

/// The transform of both columns, whose atoms are created on the first call.
fn transform(ffts: &FftPlans) -> ConstantQ {
    static TRANSFORM: OnceLock<ConstantQ> = OnceLock::new();
    TRANSFORM.get_or_init(|| ConstantQ::new(f64::from(RATE_HZ), &[CHROMA_BINS, KEY_BINS], ffts)).clone()
}

/// Measures the columns of a sound.
pub struct ChromaMeter {
    cutter: FrameCutter,
    transform: ConstantQ,
    magnitudes: Vec<f32>,
    columns: ChromaColumns,
}

impl ChromaMeter {
    /// Creates a meter. The first call computes the atoms of the transform, which later meters share.
    pub fn new(ffts: &FftPlans) -> ChromaMeter {
        let transform = transform(ffts);
        let cutter = FrameCutter::new(transform.frame_samples(), STEP_SAMPLES);
        let magnitudes = vec![0.0; CHROMA_BINS.n_bins + KEY_BINS.n_bins];
        ChromaMeter { cutter, transform, magnitudes, columns: ChromaColumns::default() }
    }

    /// Processes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        let ChromaMeter { cutter, transform, magnitudes, columns } = self;
        cutter.push(samples, &mut |frame| take(transform, magnitudes, columns, frame));
    }

    /// The columns of the sound; resets the meter for another.
    pub fn finish(&mut self) -> ChromaColumns {
        let ChromaMeter { cutter, transform, magnitudes, columns } = self;
        cutter.finish(&mut |frame| take(transform, magnitudes, columns, frame));
        std::mem::take(columns)
    }
}

/// Adds the columns of a frame.
fn take(transform: &mut ConstantQ, magnitudes: &mut [f32], columns: &mut ChromaColumns, frame: &[f32]) {
    transform.magnitudes(frame, magnitudes);
    let (of_chroma, of_key) = magnitudes.split_at(CHROMA_BINS.n_bins);
    let chroma = std::array::from_fn(|note| of_chroma.iter().skip(note).step_by(N_NOTES).sum());
    let mut notes = [0.0; N_NOTES];
    for (at, bins) in of_key.chunks_exact(BINS_PER_NOTE).enumerate() {
        notes[(at + FIRST_KEY_NOTE) % N_NOTES] += bins.iter().sum::<f32>();
    }
    columns.frames.push([chroma, notes]);
}

/// The mean of the columns that are not silent, each scaled by its largest note; `None` if all are silent.
fn mean_column<'c>(columns: impl Iterator<Item = &'c [f32; N_NOTES]> + Clone) -> Option<[f64; N_NOTES]> {
    let largest = |column: &[f32; N_NOTES]| column.iter().copied().fold(0.0, f32::max);
    let loudest = columns.clone().map(largest).fold(0.0, f32::max);
    let mut mean = [0.0; N_NOTES];
    let mut n_columns = 0;
    for column in columns {
        let largest = largest(column);
        if largest > 0.0 && largest >= SILENT_SHARE * loudest {
            mean.iter_mut().zip(column).for_each(|(sum, value)| *sum += f64::from(value / largest));
            n_columns += 1;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= f64::from(n_columns.max(1)));
    (n_columns > 0).then_some(mean)
}

/// The entropy of values as fractions of their sum.
fn entropy(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let shares = values.iter().map(|value| value / sum).filter(|share| *share > 0.0);
    -shares.map(|share| share * share.ln()).sum::<f64>()
}
