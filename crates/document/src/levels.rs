//! How loud what an edit works on is.

use super::selected_sound::SelectedSound;
use crate::base::Result;
use crate::dsp::loudness::LoudnessMeter;

/// How loud a sound is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundLevels {
    /// Of the loudest sample.
    pub peak_db: f64,
    /// Integrated, by BS.1770; none where all is too quiet to be gated.
    pub loudness_lufs: Option<f64>,
}

/// The loudest sample of all signals.
pub(super) fn peak_of(sound: &SelectedSound<'_>) -> Result<f64> {
    let mut peak = 0.0f32;
    for signal in 0..sound.n_signals() {
        sound.each_piece(signal, |samples| {
            peak = samples.iter().fold(peak, |peak, sample| peak.max(sample.abs()));
        })?;
    }
    Ok(f64::from(peak))
}

/// The integrated loudness of all signals together after a gain.
pub(super) fn lufs_of(sound: &SelectedSound<'_>, gain: f64) -> Result<Option<f64>> {
    let mut meter =
        LoudnessMeter::integrated(sound.sample_rate_hz().round() as u32, sound.n_signals(), sound.channel_mask())?;
    let of_finite = |sample: f32| if sample.is_finite() { (f64::from(sample) * gain) as f32 } else { 0.0 };
    for piece in sound.pieces() {
        sound.check()?;
        let mut signals = Vec::with_capacity(sound.n_signals());
        for signal in 0..sound.n_signals() {
            let mut samples = sound.read(signal, piece.clone())?;
            samples.iter_mut().for_each(|sample| *sample = of_finite(*sample));
            signals.push(samples);
        }
        meter.push(&signals.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    }
    meter.integrated_lufs()
}

/// Peak and loudness; none of silence.
pub(super) fn levels_of(sound: &SelectedSound<'_>) -> Result<Option<SoundLevels>> {
    let peak = peak_of(sound)?;
    if peak == 0.0 {
        return Ok(None);
    }
    Ok(Some(SoundLevels { peak_db: 20.0 * peak.log10(), loudness_lufs: lufs_of(sound, 1.0)? }))
}
