//! Measures the levels of a sound, for an edit or an export.

use crate::base::Result;
use crate::dsp::signal::loudness::LoudnessMeter;
use crate::edits::selected_sound::SelectedSound;

/// Maximum error of the loudness; beyond it the loudness is measured again, since a gain can lift blocks above the
/// absolute gate.
const MAX_ERROR_LU: f64 = 0.01;
/// Maximum number of passes for a loudness gain.
pub(crate) const MAX_PASSES: usize = 5;

/// Peak and loudness of a sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundLevels {
    /// Level of the loudest sample, in dBFS.
    pub peak_db: f64,
    /// Integrated loudness by BS.1770; `None` if everything is below the gate.
    pub loudness_lufs: Option<f64>,
}

/// Receives the next samples of a sound, one vector per signal.
pub(crate) type MeasureBlock<'a> = dyn FnMut(&mut [Vec<f32>]) -> Result<()> + 'a;

/// A sound that can be measured repeatedly.
pub(crate) trait MeasuredSound {
    /// Samples per second.
    fn sample_rate_hz(&self) -> f64;
    /// Number of signals.
    fn n_signals(&self) -> usize;
    /// The speakers of the signals as a channel mask, if known.
    fn channel_mask(&self) -> Option<u32>;
    /// Passes all samples to `take`, in consecutive blocks from the start.
    fn each_block(&self, take: &mut MeasureBlock<'_>) -> Result<()>;
}

impl MeasuredSound for SelectedSound<'_> {
    fn sample_rate_hz(&self) -> f64 {
        SelectedSound::sample_rate_hz(self)
    }

    fn n_signals(&self) -> usize {
        SelectedSound::n_signals(self)
    }

    fn channel_mask(&self) -> Option<u32> {
        SelectedSound::channel_mask(self)
    }

    fn each_block(&self, take: &mut MeasureBlock<'_>) -> Result<()> {
        for piece in self.pieces() {
            self.check()?;
            let read = |signal| self.read(signal, piece.clone());
            take(&mut (0..SelectedSound::n_signals(self)).map(read).collect::<Result<Vec<_>>>()?)?;
        }
        Ok(())
    }
}

/// The largest magnitude of a sample in all signals.
pub(crate) fn peak_of(sound: &dyn MeasuredSound) -> Result<f64> {
    let mut peak = 0.0f32;
    sound.each_block(&mut |signals| {
        peak = signals.iter().flatten().fold(peak, |peak, sample| peak.max(sample.abs()));
        Ok(())
    })?;
    Ok(f64::from(peak))
}

/// The integrated loudness of all signals together after a gain; `None` if everything is below the gate.
pub(crate) fn lufs_of(sound: &dyn MeasuredSound, gain: f64) -> Result<Option<f64>> {
    let mut meter =
        LoudnessMeter::integrated(sound.sample_rate_hz().round() as u32, sound.n_signals(), sound.channel_mask())?;
    let of_finite = |sample: f32| if sample.is_finite() { (f64::from(sample) * gain) as f32 } else { 0.0 };
    sound.each_block(&mut |signals| {
        signals.iter_mut().flatten().for_each(|sample| *sample = of_finite(*sample));
        meter.push(&signals.iter().map(Vec::as_slice).collect::<Vec<_>>())
    })?;
    meter.integrated_lufs()
}

/// Peak and loudness; `None` for silence.
pub(crate) fn levels_of(sound: &dyn MeasuredSound) -> Result<Option<SoundLevels>> {
    let peak = peak_of(sound)?;
    if peak == 0.0 {
        return Ok(None);
    }
    Ok(Some(SoundLevels { peak_db: 20.0 * peak.log10(), loudness_lufs: lufs_of(sound, 1.0)? }))
}

/// The gain to a target loudness; `None` if the sound has no loudness even after the trial gain `first`.
pub(crate) fn gain_to_loudness(lufs: f64, sound: &dyn MeasuredSound, first: f64) -> Result<Option<f64>> {
    let mut gain = first;
    for pass in 0..MAX_PASSES {
        let Some(found) = lufs_of(sound, gain)? else { return Ok((pass > 0).then_some(gain)) };
        let off = lufs - found;
        gain *= 10f64.powf(off / 20.0);
        if off.abs() < MAX_ERROR_LU {
            break;
        }
    }
    Ok(Some(gain))
}
