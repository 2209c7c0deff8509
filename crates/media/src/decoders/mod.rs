//! Decoders of coded sound: symphonia and libopus behind one loop, with repaired headers and exact times.
//! May touch: `formats`, `probe`, `samples`, and headers of `writers`. Trusts no size that a file states.

pub(super) mod decode;
pub(super) mod decoded;
pub mod opus_streams;
pub(super) mod repaired;
pub(super) mod timing;
pub(super) mod watched;
