//! Scales magnitudes of displayed cells to amplitudes.

/// Factors from magnitudes to amplitudes, where 1 is a full-scale sine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmplitudeScale {
    /// Factor of a sine, which has half its amplitude at the negative frequency.
    pub sine: f32,
    /// Factor at 0 Hz and at half the sample rate, where a bin has the whole amplitude: a constant 1, or 1 and -1 in
    /// alternation, has amplitude 1.
    pub ends: f32,
    /// Bin at half the sample rate.
    pub last_bin: usize,
}

impl AmplitudeScale {
    /// Factor 1, for cells that are amplitudes.
    pub const ONE: AmplitudeScale = AmplitudeScale { sine: 1.0, ends: 1.0, last_bin: 0 };

    /// The factor of a bin.
    pub fn of(&self, bin: usize) -> f32 {
        if bin == 0 || bin == self.last_bin { self.ends } else { self.sine }
    }

    /// Corrects the magnitudes at both ends of frames, each with all its bins, to those of a sine of the same
    /// amplitude.
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
