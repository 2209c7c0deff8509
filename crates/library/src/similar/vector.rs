//! Vectors by which sounds are compared.

use crate::library::describe::Description;

/// Number of elements.
pub const N_DIMENSIONS: usize = 48;

/// An unscaled vector: 20 MFCC means, 20 MFCC deviations, `log2` of the centroid and of the rolloff in hertz, `log10`
/// of the flatness, harmonic and voiced ratio, `log2` of the duration in seconds, mean onset strength, crest / 6 dB.
pub type SoundVector = [f32; N_DIMENSIONS];

const MIN_HZ: f64 = 20.0;
const MIN_FLATNESS: f64 = 1e-10;
const MIN_SECS: f64 = 0.01;
const CREST_UNIT_DB: f64 = 6.0;

/// The vector of a sound; `None` for a silent one.
pub fn vector_of(description: &Description) -> Option<SoundVector> {
    let audible = description.audible.as_ref()?;
    let mfcc = audible.mfcc.as_ref()?;
    let spectrum = audible.spectrum.as_ref()?;
    let pitch = audible.pitch.as_ref();
    let rest = [
        spectrum.centroid_hz.unwrap_or_default().max(MIN_HZ).log2(),
        spectrum.rolloff_hz.unwrap_or_default().max(MIN_HZ).log2(),
        spectrum.flatness.unwrap_or_default().max(MIN_FLATNESS).log10(),
        audible.harmonic_ratio.unwrap_or_default(),
        pitch.and_then(|pitch| pitch.voiced_ratio).unwrap_or_default(),
        description.format.duration_secs.max(MIN_SECS).log2(),
        audible.rhythm.and_then(|rhythm| rhythm.onset_strength_mean).unwrap_or_default(),
        audible.levels.map_or(0.0, |levels| levels.crest_db) / CREST_UNIT_DB,
    ];
    let mut vector = [0.0; N_DIMENSIONS];
    let values = mfcc.mfcc_mean.iter().chain(&mfcc.mfcc_std).chain(&rest);
    vector.iter_mut().zip(values).for_each(|(place, value)| *place = *value as f32);
    Some(vector)
}
