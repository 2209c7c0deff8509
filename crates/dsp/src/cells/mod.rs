//! Cells of a spectrogram: regions in polar form, pooled buffers, frequency axes and amplitude scales.
//! May touch: `numeric` and the peaks of `pitch`. No transforms, no kernels.

pub(super) mod amplitude_scale;
pub mod axis;
pub mod box_measures;
pub mod planes;
pub mod polar;
pub mod region;
