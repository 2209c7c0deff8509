//! Loops on the widest vectors of the machine they run on.
//!
//! Compilers make vectors of plain loops, but only such as the oldest machine of its kind has. What runs in [`wide`] is
//! compiled once more for AVX2, and which of the two is taken is decided where it runs. Both do the same operations in
//! the same order (nothing is fused), so the bits are the same everywhere.

/// Runs a loop on this machine's vectors. It and what it calls must be `#[inline(always)]`, or they stay as they are.
#[inline]
pub(crate) fn wide<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}
