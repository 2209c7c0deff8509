//! Common fields of scripts.

use crate::base::{JsonAt, JsonFields, Result};
use crate::dsp::{Axis, StftParams, Window};
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ};
use serde_json::{Value, json};

/// Version of the written format, and the newest that can be read.
pub(super) const VERSION: u64 = 1;

/// Reads a sample rate in hertz, and refuses one that no sound can have.
pub(crate) fn read_rate_hz(at: &JsonAt<'_>) -> Result<f64> {
    at.number_in(f64::from(MIN_RATE_HZ), f64::from(MAX_RATE_HZ))
}

/// The field `axis`.
pub(crate) fn read_axis(fields: &JsonFields<'_>) -> Result<Axis> {
    fields.or("axis", Axis::Linear, |at| at.choice(&Axis::ALL.map(|axis| (axis.name(), axis))))
}

/// Size, hop and window.
pub(crate) fn read_stft(fields: &JsonFields<'_>) -> Result<StftParams> {
    let default = StftParams::default();
    let n_fft = fields.or("n_fft", default.n_fft, JsonAt::index)?;
    let hop = fields.or("hop", n_fft / 4, JsonAt::index)?;
    let windows = Window::ALL.map(|window| (window.name(), window));
    let window = fields.or("window", default.window, |at| at.choice(&windows))?;
    StftParams { n_fft, hop, window }.validated().or_else(|error| fields.at.refuse(error.message()))
}

/// Size, hop and window in the format of scripts.
pub(crate) fn stft_fields(stft: &StftParams) -> Value {
    json!({"n_fft": stft.n_fft, "hop": stft.hop, "window": stft.window.name()})
}

/// The number as an `f64` that converts back to the same `f32`: rounded to a multiple of `1 / parts`, which has few
/// digits in JSON, if that is possible; otherwise the exact value.
pub(super) fn short_number(value: f32, parts: f64) -> f64 {
    let short = (f64::from(value) * parts).round() / parts;
    if short as f32 == value { short } else { f64::from(value) }
}
