//! Cells of a spectrogram: regions and their polar form, buffers, axes and amplitudes of what is shown.
//! May touch: `numeric` and the peaks of `pitch`. No transforms, no kernels.

pub(super) mod amplitude_scale;
pub mod axis;
pub mod box_measures;
pub mod planes;
pub mod polar;
pub mod region;
