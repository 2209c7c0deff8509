//! The modes of the heal brush, and their distance to the sound: attenuate, gap, interpolate, pattern. May touch: what
//! `kernels` may. Shader twins are in `shaders/`, where a mode has one.

pub(super) mod attenuate;
pub(super) mod consistency;
pub(super) mod gap;
pub(super) mod gap_orders;
pub(super) mod interpolate;
pub(super) mod pattern;
