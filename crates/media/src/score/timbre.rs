//! A timbre in JSON: a name, or an object whose fields override those of a named one.

use crate::base::{JsonAt, Result};
use crate::dsp::voices::{Adsr, Cutoff, MeasuredTimbre, Timbre, TimbrePartial, Vibrato};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Default envelope of a measured timbre.
const MEASURED_ADSR: Adsr = Adsr { attack_secs: 0.0, decay_secs: 0.0, sustain: 1.0, release_secs: 0.05 };

/// Reads a timbre.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script), with the position of the error.
pub(super) fn read(value: &JsonAt<'_>) -> Result<Timbre> {
    if value.value.is_string() {
        return named(value);
    }
    let fields = value.fields()?;
    let like = fields.get("like").map(|like| named(&like)).transpose()?;
    let measured = fields.get("measured").map(|measured| measured_timbre(&measured)).transpose()?;
    let partials = fields.get("partials").map(|list| list.items()?.iter().map(partial).collect()).transpose()?;
    let mut timbre = like.unwrap_or_default();
    if measured.is_some() {
        timbre.adsr = MEASURED_ADSR;
    }
    if let Some(partials) = partials {
        timbre.partials = partials;
    }
    let unison = fields.or("unison", u64::from(timbre.unison), JsonAt::whole)?;
    let timbre = Timbre {
        unison: u32::try_from(unison).unwrap_or(u32::MAX),
        detune_cents: fields.or("detune", timbre.detune_cents, JsonAt::number)?,
        spread: fields.or("spread", timbre.spread, JsonAt::number)?,
        adsr: fields.or("adsr", timbre.adsr, adsr)?,
        decay_secs: fields.or("decay", timbre.decay_secs, JsonAt::number)?,
        damp: fields.or("damp", timbre.damp, JsonAt::number)?,
        cutoff: fields.or("cutoff", timbre.cutoff, |value| cutoff(value).map(Some))?,
        vibrato: fields.or("vibrato", timbre.vibrato, |value| vibrato(value).map(Some))?,
        bright: fields.or("bright", timbre.bright, JsonAt::number)?,
        stretch: fields.or("stretch", timbre.stretch, JsonAt::number)?,
        random_phase: fields.or("random_phase", timbre.random_phase, JsonAt::flag)?,
        breath: fields.or("breath", timbre.breath, JsonAt::number)?,
        formants: fields.or("formants", timbre.formants, JsonAt::number)?,
        stretch_time: fields.or("stretch_time", timbre.stretch_time, JsonAt::flag)?,
        measured: measured.map(Arc::new),
        partials: timbre.partials,
    };
    fields.done()?;
    match timbre.problem() {
        Some((field, what)) => JsonAt::new(value.value, format!("{}.{field}", value.place)).refuse(what),
        None => Ok(timbre),
    }
}

fn named(value: &JsonAt<'_>) -> Result<Timbre> {
    let name = value.text()?;
    let known = || {
        let names: Vec<&str> = Timbre::NAMES.into_iter().chain(Timbre::BURSTS).collect();
        format!("the timbre {name:?} is unknown; use {}", names.join(", "))
    };
    Timbre::named(name).ok_or_else(|| value.error(known()))
}

/// Reads a partial: `[ratio, level, life]`, or `[ratio, level]` with a life of 1.
fn partial(value: &JsonAt<'_>) -> Result<TimbrePartial> {
    let items = value.items()?;
    let numbers: Vec<f64> = items.iter().map(JsonAt::number).collect::<Result<_>>()?;
    match numbers[..] {
        [ratio, level, life] => Ok(TimbrePartial { ratio, level, life }),
        [ratio, level] => Ok(TimbrePartial { ratio, level, life: 1.0 }),
        _ => value.refuse("must be a list of ratio, level and life"),
    }
}

fn adsr(value: &JsonAt<'_>) -> Result<Adsr> {
    let [attack_secs, decay_secs, sustain, release_secs] = value.numbers()?;
    Ok(Adsr { attack_secs, decay_secs, sustain, release_secs })
}

fn cutoff(value: &JsonAt<'_>) -> Result<Cutoff> {
    let [start, end, secs, order] = value.numbers()?;
    if order.fract() != 0.0 || !(1.0..=8.0).contains(&order) {
        return value.refuse("the order must be a whole number from 1 to 8");
    }
    Ok(Cutoff { start, end, secs, order: order as u32 })
}

fn vibrato(value: &JsonAt<'_>) -> Result<Vibrato> {
    let [cents, hz, delay_secs, fade_secs] = value.numbers()?;
    Ok(Vibrato { cents, hz, delay_secs, fade_secs })
}

fn measured_timbre(value: &JsonAt<'_>) -> Result<MeasuredTimbre> {
    let fields = value.fields()?;
    let (f0_hz, step_secs) = (fields.required("f0")?.number()?, fields.required("step")?.number()?);
    let list = |value: &JsonAt<'_>| value.items()?.iter().map(JsonAt::number).collect::<Result<Vec<f64>>>();
    let ratios = list(&fields.required("ratios")?)?;
    let rows = fields.required("levels")?.items()?;
    let levels = |row: &JsonAt<'_>| Ok(list(row)?.into_iter().map(|level| level as f32).collect());
    let levels_db = rows.iter().map(levels).collect::<Result<Vec<Vec<f32>>>>()?;
    fields.done()?;
    MeasuredTimbre::new(f0_hz, step_secs, ratios, levels_db).map_err(|error| value.error(error.message()))
}

/// A timbre as an object with all of its fields.
pub(super) fn written(timbre: &Timbre) -> Json {
    let partials: Vec<Json> = timbre.partials.iter().map(|of| json!([of.ratio, of.level, of.life])).collect();
    let adsr = &timbre.adsr;
    let mut json = json!({
        "partials": partials,
        "unison": timbre.unison,
        "detune": timbre.detune_cents,
        "spread": timbre.spread,
        "adsr": [adsr.attack_secs, adsr.decay_secs, adsr.sustain, adsr.release_secs],
        "decay": timbre.decay_secs,
        "damp": timbre.damp,
        "bright": timbre.bright,
        "stretch": timbre.stretch,
        "random_phase": timbre.random_phase,
        "breath": timbre.breath,
    });
    if let Some(Cutoff { start, end, secs, order }) = timbre.cutoff {
        json["cutoff"] = json!([start, end, secs, order]);
    }
    if let Some(Vibrato { cents, hz, delay_secs, fade_secs }) = timbre.vibrato {
        json["vibrato"] = json!([cents, hz, delay_secs, fade_secs]);
    }
    if let Some(measured) = &timbre.measured {
        // Levels are written in tenths of a decibel, so that a value such as 0.1 is not written with the digits of the
        // f32.
        let tenths = |level: &f32| Json::from((f64::from(*level) * 10.0).round() / 10.0);
        let levels: Vec<Vec<Json>> = measured.levels_db().iter().map(|row| row.iter().map(tenths).collect()).collect();
        json["measured"] = json!({
            "f0": measured.f0_hz(),
            "step": measured.step_secs(),
            "ratios": measured.ratios(),
            "levels": levels,
        });
    }
    // Without a measured timbre these fields have no effect.
    let usual = Timbre::default();
    if timbre.measured.is_some() || timbre.formants != usual.formants || timbre.stretch_time != usual.stretch_time {
        json["formants"] = timbre.formants.into();
        json["stretch_time"] = timbre.stretch_time.into();
    }
    json
}
