//! Noise profiles, in the format of scripts and files.

use super::fields::{read_rate_hz, read_stft, short_number, stft_fields};
use super::samples::{samples_from_text, text_from_samples};
use crate::base::{JsonAt, Result};
use crate::dsp::{NoiseProfile, NoiseSignal, NoiseSpectrum};
use serde_json::{Value, json};

/// Reads a profile.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script), with the position of the invalid value.
pub(crate) fn profile(at: &JsonAt) -> Result<NoiseProfile> {
    let fields = at.fields()?;
    let stft = read_stft(&fields)?;
    let sample_rate_hz = read_rate_hz(&fields.required("rate")?)?;
    let spectra_at = fields.required("spectra")?;
    let spectra = spectra_at.items()?.iter().map(|at| spectrum(at, stft.n_bins())).collect::<Result<Vec<_>>>()?;
    if spectra.is_empty() {
        return spectra_at.refuse("a profile needs at least one spectrum");
    }
    if let Some(i) = (1..spectra.len()).find(|&i| spectra[..i].iter().any(|(of, _)| *of == spectra[i].0)) {
        return spectra_at.items()?[i].refuse("this signal already has a spectrum");
    }
    fields.done()?;
    Ok(NoiseProfile { stft, sample_rate_hz, spectra })
}

fn spectrum(at: &JsonAt, n_bins: usize) -> Result<(NoiseSignal, NoiseSpectrum)> {
    let fields = at.fields()?;
    let of = fields.required("of")?;
    let of = match of.value {
        Value::String(_) => of.choice(&[("mid", NoiseSignal::Mid), ("side", NoiseSignal::Side)])?,
        _ => NoiseSignal::Channel(of.index()?),
    };
    let list = |name, low, high| -> Result<Vec<f32>> {
        let at = fields.required(name)?;
        let values = match at.value {
            Value::String(text) => match samples_from_text(text) {
                Some(values) if values.iter().all(|value| (low..=high).contains(&f64::from(*value))) => values,
                Some(_) => return at.refuse(format!("has a number outside {low} to {high}")),
                None => return at.refuse("must be numbers, or little-endian 32-bit floats as base64"),
            },
            _ => at.items()?.iter().map(|item| Ok(item.number_in(low, high)? as f32)).collect::<Result<_>>()?,
        };
        match values.len() == n_bins {
            true => Ok(values),
            false => at.refuse(format!("has {} values; this transform has {n_bins} bins", values.len())),
        }
    };
    let spectrum =
        NoiseSpectrum { levels_db: list("levels_db", -1000.0, 200.0)?, spread: list("spread", 0.0, 1000.0)? };
    fields.done()?;
    Ok((of, spectrum))
}

/// How the levels and spreads of a profile are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListForm {
    /// A list of numbers.
    Numbers,
    /// Little-endian 32-bit floats as base64.
    Base64,
}

/// Writes a profile in the format that [`profile`] reads.
pub(crate) fn noise_profile(profile: &NoiseProfile, form: ListForm) -> Value {
    // Learnt values are multiples of `1 / parts`, and are written with few digits, not with all those of an `f32` as an
    // `f64`.
    let rounded = |values: &[f32], parts: f64| -> Value {
        match form {
            ListForm::Numbers => values.iter().map(|value| short_number(*value, parts)).collect(),
            ListForm::Base64 => text_from_samples(values).into(),
        }
    };
    let spectrum = |(of, spectrum): &(NoiseSignal, NoiseSpectrum)| {
        let of = match of {
            NoiseSignal::Channel(channel) => json!(channel),
            NoiseSignal::Mid => json!("mid"),
            NoiseSignal::Side => json!("side"),
        };
        let (levels_db, spread) = (rounded(&spectrum.levels_db, 100.0), rounded(&spectrum.spread, 1000.0));
        json!({"of": of, "levels_db": levels_db, "spread": spread})
    };
    let mut object = stft_fields(&profile.stft);
    object["rate"] = json!(profile.sample_rate_hz);
    object["spectra"] = profile.spectra.iter().map(spectrum).collect();
    object
}
