//! Brushes that shape levels: gain, gate, contrast, filters, blur, fades, mel bands, normalise.
//! May touch: what a brush may: its parameters, and kernels of `dsp`.

pub(super) mod band_filter;
pub(super) mod blur;
pub(super) mod contrast;
pub(super) mod erase;
pub(super) mod fade;
pub(super) mod filters;
pub(super) mod gain;
pub(super) mod gate;
pub(super) mod harmonic_percussive;
pub(super) mod mel_bands;
pub(super) mod modulation_filter;
pub(super) mod normalise;
pub(super) mod sharpen;
