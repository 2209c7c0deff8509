//! Levels of sound for the meters.

/// Number of metered channels: the first two of the device.
pub(super) const METERED_CHANNELS: usize = 2;

/// Peak levels of a range of sound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Levels {
    /// Peak magnitude of left and right; 1 is full scale.
    pub peaks: [f32; METERED_CHANNELS],
    /// Whether any sample of left and right exceeded full scale.
    pub clipped: [bool; METERED_CHANNELS],
}

impl Levels {
    /// Updates the levels with interleaved frames. For a mono device, only the first meter is used.
    pub fn note(&mut self, frames: &[f32], n_channels: usize) {
        for frame in frames.chunks_exact(n_channels) {
            for (channel, sample) in frame.iter().take(METERED_CHANNELS).enumerate() {
                self.peaks[channel] = self.peaks[channel].max(sample.abs());
                self.clipped[channel] |= sample.abs() > 1.0;
            }
        }
    }

    /// The maximum of both peaks; clipped if either is.
    #[must_use]
    pub fn joined(&self, other: &Levels) -> Levels {
        Levels {
            peaks: std::array::from_fn(|channel| self.peaks[channel].max(other.peaks[channel])),
            clipped: std::array::from_fn(|channel| self.clipped[channel] | other.clipped[channel]),
        }
    }
}
