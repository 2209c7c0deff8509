//! Counts the bytes read back from the device, by kind.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kinds of data read back from the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadBack {
    /// Samples of a difference or of voices.
    Samples,
    /// Flags that state which frames a difference touches.
    Flags,
    /// Magnitudes and phases of cells.
    Cells,
    /// Partial sums of squares.
    Sums,
    /// Hashes of pictures, the pixels left to the CPU, and pairs of hashes.
    Hashes,
    /// Planes of frames, and mels of segments.
    Planes,
    /// Loudest cells of the levels of a picture.
    Peaks,
}

impl ReadBack {
    /// All kinds.
    pub const ALL: [ReadBack; 7] = [
        ReadBack::Samples,
        ReadBack::Flags,
        ReadBack::Cells,
        ReadBack::Sums,
        ReadBack::Hashes,
        ReadBack::Planes,
        ReadBack::Peaks,
    ];
}

/// Bytes read back so far, by kind.
#[derive(Debug, Default)]
pub(in crate::gpu) struct ReadCounts([AtomicU64; ReadBack::ALL.len()]);

impl ReadCounts {
    pub fn add(&self, what: ReadBack, n_bytes: u64) {
        self.0[what as usize].fetch_add(n_bytes, Relaxed);
    }

    pub fn bytes(&self, what: ReadBack) -> u64 {
        self.0[what as usize].load(Relaxed)
    }
}
