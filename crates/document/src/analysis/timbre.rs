//! Measures the timbre of a tone in a sound.

use crate::base::{Error, Progress, Result};
use crate::dsp::FftPlans;
use crate::dsp::voices::{Adsr, MeasuredTimbre, Timbre, fundamental, measure};
use crate::{Channels, Signal, Snapshot};
use std::sync::Arc;

/// Maximum duration of the measured sound.
const MAX_SECS: f64 = 30.0;

/// Envelope applied to a measured timbre: only a release, since the recording has its own attack and decay.
const ADSR: Adsr = Adsr { attack_secs: 0.0, decay_secs: 0.0, sustain: 1.0, release_secs: 0.05 };

/// Position of a tone, and its known properties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToneAt {
    /// Start and end in seconds.
    pub secs: [f64; 2],
    /// A band that contains its fundamental, in hertz; `None` if unknown.
    pub hz: Option<[f64; 2]>,
    /// Its fundamental in hertz, if known.
    pub f0_hz: Option<f64>,
}

/// Measures the timbre of a tone, in the mean of some channels.
///
/// # Errors
/// [`Limit`](crate::base::ErrorKind::Limit) if the sound is too short for the fundamental,
/// [`Script`](crate::base::ErrorKind::Script) if no fundamental is found and for channels that the sound lacks,
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn take_timbre(snapshot: &Snapshot, tone: ToneAt, channels: &Channels, progress: &Progress) -> Result<Timbre> {
    let rate_hz = snapshot.sample_rate_hz();
    let last = snapshot.n_samples() as f64;
    let [first, end] = tone.secs.map(|secs| (secs * rate_hz).round().clamp(0.0, last));
    let n_samples = (end - first).clamp(0.0, MAX_SECS * rate_hz) as usize;
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let mut mono = vec![0.0f32; n_samples];
    let mut own = vec![0.0f32; n_samples];
    for signal in &signals {
        progress.check()?;
        signal.read(snapshot, first as i64, &mut own)?;
        mono.iter_mut().zip(&own).for_each(|(sum, sample)| *sum += sample / signals.len() as f32);
    }
    let none = || Error::outcome("no tone found; select a narrow band around its fundamental");
    let ffts = FftPlans::default();
    let f0_hz = tone.f0_hz.or_else(|| fundamental(&mono, rate_hz, tone.hz, &ffts)).ok_or_else(none)?;
    progress.check()?;
    let measured: MeasuredTimbre = measure(&mono, rate_hz, f0_hz, &ffts)?;
    if !measured.peak_db().is_finite() || measured.peak_db() <= SILENT_DB {
        return Err(Error::outcome("the selection is silent; select a tone"));
    }
    // Soft notes are not darkened, so that the timbre sounds as recorded.
    Ok(Timbre { measured: Some(Arc::new(measured)), adsr: ADSR, bright: 0.0, ..Timbre::default() })
}

/// Level below which a tone counts as silence.
const SILENT_DB: f64 = -90.0;
