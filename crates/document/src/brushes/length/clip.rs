//! Clips in scripts, and their conversion to a sound's format.

use crate::base::{Error, ErrorKind, JsonAt, Result, khz_from_hz};
use crate::document::Signal;
use crate::document::scripts::script::fields::read_rate_hz;
use crate::document::scripts::script::samples::{samples_from_text, text_from_samples};
use crate::dsp::Clip;
use serde_json::{Value, json};

/// Maximum number of channels of a sound.
const MAX_CHANNELS: usize = 32;

/// A clip as a JSON value for scripts.
pub(in crate::brushes) fn clip_to_value(clip: &Clip) -> Value {
    let channels: Vec<String> = clip.channels.iter().map(|samples| text_from_samples(samples)).collect();
    json!({"rate": clip.sample_rate_hz, "first_sample": clip.first_sample, "channels": channels})
}

/// Checks the sample rate of a clip.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it differs from the sound's.
pub(in crate::brushes) fn check_rate(clip: &Clip, rate_hz: f64) -> Result<()> {
    if clip.sample_rate_hz == rate_hz {
        return Ok(());
    }
    let what = format!(
        "this clip is at {} and the sound at {}; resample one of them",
        khz_from_hz(clip.sample_rate_hz),
        khz_from_hz(rate_hz)
    );
    Err(Error::new(ErrorKind::Script, what))
}

/// Reads a clip from a script.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the invalid value.
pub(in crate::brushes) fn clip(at: &JsonAt) -> Result<Clip> {
    let fields = at.fields()?;
    let sample_rate_hz = read_rate_hz(&fields.required("rate")?)?;
    let first_at = fields.or("first_sample", 0, |at| match at.value.as_i64() {
        Some(first) => Ok(first),
        None => at.refuse("must be a whole number"),
    })?;
    let channels_at = fields.required("channels")?;
    let items = channels_at.items()?;
    if items.is_empty() || items.len() > MAX_CHANNELS {
        return channels_at.refuse(format!("must have 1 to {MAX_CHANNELS} channels"));
    }
    let mut channels: Vec<Vec<f32>> = Vec::with_capacity(items.len());
    for item in &items {
        let samples = match samples_from_text(item.text()?) {
            Some(samples) if samples.iter().all(|sample| sample.is_finite()) => samples,
            Some(_) => return item.refuse("has samples that are not finite"),
            None => return item.refuse("must be little-endian 32-bit floats as base64"),
        };
        if channels.first().is_some_and(|first| first.len() != samples.len()) || samples.is_empty() {
            return item.refuse("every channel must have the same number of samples, at least one");
        }
        channels.push(samples);
    }
    fields.done()?;
    Ok(Clip { sample_rate_hz, first_sample: first_at, channels: channels.into() })
}

/// The part of a clip added to a signal: its channel, mid or side if the clip has as many channels as the sound; the
/// only channel of a mono clip; otherwise the mean of all channels.
pub(in crate::brushes) fn samples_for(
    clip: &Clip,
    signal: Signal,
    n_channels: usize,
    first: i64,
    n: usize,
) -> Vec<f32> {
    let channel = |channel: usize| {
        let mut samples = vec![0.0; n];
        clip.read(channel, first, &mut samples);
        samples
    };
    let n_held = clip.channels.len();
    let weights: Vec<f32> = match signal {
        _ if n_held == 1 => return channel(0),
        Signal::Channel(one) if n_held == n_channels => return channel(one),
        Signal::Mid if n_held == 2 => vec![0.5, 0.5],
        Signal::Side if n_held == 2 => vec![0.5, -0.5],
        _ => vec![1.0 / n_held as f32; n_held],
    };
    let mut sum = vec![0.0; n];
    for (i, weight) in weights.into_iter().enumerate() {
        sum.iter_mut().zip(channel(i)).for_each(|(sum, sample)| *sum += weight * sample);
    }
    sum
}
