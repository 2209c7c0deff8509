//! The shape of a hash.

/// Side of the square of bits.
pub(super) const SIDE_BITS: usize = 8;

/// A hash from its bits, the highest first.
pub(super) fn hash_from_bits(bits: impl Iterator<Item = bool>) -> u64 {
    bits.fold(0, |hash, bit| hash << 1 | u64::from(bit))
}
