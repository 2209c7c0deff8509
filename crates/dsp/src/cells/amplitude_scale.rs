//! Scales magnitudes of displayed cells to amplitudes.

/// Factors from magnitudes to amplitudes, where 1 is a full-scale sine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmplitudeScale {
    /// Factor of the bins between the ends, where half of a sine's amplitude lies at the negative frequency.
    pub sine: f32,
    /// Factor at 0 Hz and at half the sample rate, where a bin holds the whole amplitude: a constant 1, or alternating
    /// 1 and -1, has amplitude 1.
    pub ends: f32,
    /// Bin at half the sample rate.
    pub last_bin: usize,
}

impl AmplitudeScale {
    /// Factor 1, for cells that already hold amplitudes.
    pub const ONE: AmplitudeScale = AmplitudeScale { sine: 1.0, ends: 1.0, last_bin: 0 };

    /// The factor for a bin: `ends` for the first and the last, otherwise `sine`.
    pub fn of(&self, bin: usize) -> f32 {
        if bin == 0 || bin == self.last_bin { self.ends } else { self.sine }
    }

    /// Scales the first and the last bin of each frame to the magnitude that a sine of the same amplitude has in other
    /// bins. Frames must contain all bins.
    pub fn level_ends(&self, magnitudes: &mut [f32]) {
        if self.ends != self.sine {
            let share = self.ends / self.sine;
            for frame in magnitudes.chunks_mut(self.last_bin + 1) {
                frame[0] *= share;
                if let Some(last) = frame.get_mut(self.last_bin) {
                    *last *= share;
                }
            }
        }
    }
}
