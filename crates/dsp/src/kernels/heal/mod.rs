//! The modes of the heal brush (attenuate, gap, interpolate, pattern), and the consistency of painted cells. May touch
//! the same modules as `kernels`. Shader twins, where there are any, are in `shaders/`.

pub(super) mod attenuate;
pub(super) mod consistency;
pub(super) mod gap;
pub(super) mod gap_orders;
pub(super) mod interpolate;
pub(super) mod pattern;
