//! How much of a sound lies on each of the twelve notes, and its key.

use super::analysis::RATE_HZ;
use super::key::MusicalKey;
use crate::dsp::FftPlans;
use crate::dsp::constant_q::{BINS_PER_OCTAVE, ConstantQ};
use crate::dsp::frame_stream::FrameCutter;
use std::sync::OnceLock;

/// C1.
const LOWEST_HZ: f64 = 32.703;
const N_OCTAVES: usize = 7;
const N_BINS: usize = N_OCTAVES * BINS_PER_OCTAVE;
/// Samples from column to column.
const STEP_SAMPLES: usize = 2_048;
/// Columns under this share of the loudest are left out: -60 dB.
const SILENT_SHARE: f32 = 1e-3;

/// Of a sound that is not silent.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromaDescriptors {
    /// Means of columns whose largest is 1, from C up.
    pub chroma: [f64; BINS_PER_OCTAVE],
    /// 0 if all notes are alike, 1 if there is one.
    pub chroma_strength: f64,
    /// The key that the chroma is most like; `None` where all notes are alike.
    pub key: Option<MusicalKey>,
    /// How like, at most 1.
    pub key_strength: Option<f64>,
}

/// Measures a sound.
pub struct ChromaMeter {
    cutter: FrameCutter,
    transform: ConstantQ,
    magnitudes: Vec<f32>,
    columns: Vec<[f32; BINS_PER_OCTAVE]>,
}

impl ChromaMeter {
    /// Makes the atoms when it is first called.
    pub fn new(ffts: &FftPlans) -> ChromaMeter {
        static TRANSFORM: OnceLock<ConstantQ> = OnceLock::new();
        let make = || ConstantQ::new(f64::from(RATE_HZ), LOWEST_HZ, N_BINS, ffts);
        let transform = TRANSFORM.get_or_init(make).clone();
        let cutter = FrameCutter::new(transform.frame_samples(), STEP_SAMPLES);
        ChromaMeter { cutter, transform, magnitudes: vec![0.0; N_BINS], columns: Vec::new() }
    }

    /// Takes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        let ChromaMeter { cutter, transform, magnitudes, columns } = self;
        cutter.push(samples, &mut |frame| columns.push(column(transform, magnitudes, frame)));
    }

    /// The result; `None` of silence.
    pub fn finish(&mut self) -> Option<ChromaDescriptors> {
        let ChromaMeter { cutter, transform, magnitudes, columns } = self;
        cutter.finish(&mut |frame| columns.push(column(transform, magnitudes, frame)));
        let columns = std::mem::take(columns);
        let largest = |column: &[f32; BINS_PER_OCTAVE]| column.iter().copied().fold(0.0, f32::max);
        let loudest = columns.iter().map(largest).fold(0.0, f32::max);
        let mut chroma = [0.0; BINS_PER_OCTAVE];
        let mut n_columns = 0;
        for column in &columns {
            let largest = largest(column);
            if largest > 0.0 && largest >= SILENT_SHARE * loudest {
                chroma.iter_mut().zip(column).for_each(|(sum, value)| *sum += f64::from(value / largest));
                n_columns += 1;
            }
        }
        if n_columns == 0 {
            return None;
        }
        chroma.iter_mut().for_each(|sum| *sum /= f64::from(n_columns));
        let best = MusicalKey::of_chroma(&chroma);
        Some(ChromaDescriptors {
            chroma_strength: 1.0 - entropy(&chroma) / (BINS_PER_OCTAVE as f64).ln(),
            key: best.map(|(key, _)| key),
            key_strength: best.map(|(_, strength)| strength),
            chroma,
        })
    }
}

/// The octaves of a frame, summed.
fn column(transform: &mut ConstantQ, magnitudes: &mut [f32], frame: &[f32]) -> [f32; BINS_PER_OCTAVE] {
    transform.magnitudes(frame, magnitudes);
    std::array::from_fn(|note| magnitudes.iter().skip(note).step_by(BINS_PER_OCTAVE).sum())
}

/// Of values as shares of their sum.
fn entropy(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let shares = values.iter().map(|value| value / sum).filter(|share| *share > 0.0);
    -shares.map(|share| share * share.ln()).sum::<f64>()
}
