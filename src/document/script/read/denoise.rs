//! Noise reduction from JSON: a profile in full, or the range to learn it from.

use super::{At, Fields, shapes, transform_fields};
use crate::base::Result;
use crate::dsp::{Denoise, NoiseFrom, NoiseOf, NoiseProfile, NoiseSpectrum};
use serde_json::Value;
use std::sync::Arc;

/// The fields of the brush.
pub fn denoise(fields: &Fields) -> Result<Denoise> {
    let noise = match (fields.get("learn"), fields.get("profile")) {
        (Some(_), Some(profile)) => return profile.refuse("give either \"learn\" or \"profile\", not both"),
        (Some(learn), None) => range(&learn)?,
        (None, Some(at)) => NoiseFrom::Profile(Arc::new(profile(&at)?)),
        (None, None) => {
            return fields.at.refuse("denoise needs \"learn\": [from, to] in seconds of noise alone, or a \"profile\"");
        }
    };
    let default = Denoise::of(noise);
    Ok(Denoise {
        reduction_db: fields.or("reduction_db", default.reduction_db, |at| at.number_in(0.0, 80.0))?,
        margin_db: fields.or("margin_db", default.margin_db, |at| at.number_in(-12.0, 12.0))?,
        smoothing: fields.or("smoothing", default.smoothing, smoothing)?,
        noise: default.noise,
    })
}

/// Seconds alone, or an object of time and frequency.
fn range(at: &At) -> Result<NoiseFrom> {
    if let Value::Array(_) = at.value {
        return Ok(NoiseFrom::Range { secs: shapes::extent(at)?, hz: None });
    }
    let fields = at.fields()?;
    let range = NoiseFrom::Range {
        secs: shapes::extent(&fields.required("time")?)?,
        hz: fields.optional("frequency", shapes::extent)?,
    };
    fields.done()?;
    Ok(range)
}

fn profile(at: &At) -> Result<NoiseProfile> {
    let fields = at.fields()?;
    let stft = transform_fields(&fields)?;
    let sample_rate_hz = fields.required("rate")?.positive()?;
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

fn spectrum(at: &At, n_bins: usize) -> Result<(NoiseOf, NoiseSpectrum)> {
    let fields = at.fields()?;
    let of = fields.required("of")?;
    let of = match of.value {
        Value::String(_) => of.choice(&[("mid", NoiseOf::Mid), ("side", NoiseOf::Side)])?,
        _ => NoiseOf::Channel(of.whole()?),
    };
    let list = |name, low, high| -> Result<Vec<f32>> {
        let at = fields.required(name)?;
        let items = at.items()?;
        if items.len() != n_bins {
            return at.refuse(format!("has {} values; this transform has {n_bins} bins", items.len()));
        }
        items.iter().map(|item| Ok(item.number_in(low, high)? as f32)).collect()
    };
    let spectrum =
        NoiseSpectrum { levels_db: list("levels_db", -1000.0, 200.0)?, spread: list("spread", 0.0, 1000.0)? };
    fields.done()?;
    Ok((of, spectrum))
}

/// No wider than it takes a moment to compute.
fn smoothing(at: &At) -> Result<[f64; 2]> {
    let sigma = at.pair(At::not_negative)?;
    let [most_secs, most_hz] = Denoise::MOST_SMOOTHING;
    if sigma[0] > most_secs || sigma[1] > most_hz {
        return at.refuse(format!("must lie within {most_secs} s and {most_hz} Hz"));
    }
    Ok(sigma)
}
