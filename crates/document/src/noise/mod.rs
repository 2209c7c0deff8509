//! Noise profiles: learnt from a range, saved by name, and referenced in scripts.
//! May touch: `sound`, for reading, edits in scripts, and the user's folder of profiles.

pub(super) mod kept_noise;
pub(super) mod learn;
pub(super) mod named_noise;
