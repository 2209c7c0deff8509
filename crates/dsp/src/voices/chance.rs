//! Random numbers as hashes of keys, independent of the order of rendering.

use crate::dsp::signal::noise::scrambled;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// 64 random bits for a list of keys.
pub fn chance(keys: &[u64]) -> u64 {
    keys.iter().fold(0, |state, &key| with_key(state, key))
}

/// The state of [`chance`] after one more key.
#[inline(always)]
pub(super) fn with_key(state: u64, key: u64) -> u64 {
    scrambled(state.wrapping_add(key).wrapping_add(GOLDEN))
}

/// A number in [0, 1) from the upper 53 bits.
#[inline(always)]
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
