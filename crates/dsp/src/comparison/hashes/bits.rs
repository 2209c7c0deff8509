//! Size and bit order of a hash.

/// Side of the square of bits that makes up a hash.
pub(super) const SIDE_BITS: usize = 8;

/// A hash from its bits, the highest first.
pub(super) fn hash_from_bits(bits: impl Iterator<Item = bool>) -> u64 {
    bits.fold(0, |hash, bit| hash << 1 | u64::from(bit))
}
