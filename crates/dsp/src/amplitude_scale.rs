//! Amplitudes of displayed cells.

/// Factors from magnitudes to amplitudes, where 1 is a full-scale sine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmplitudeScale {
    /// Factor of a sine, which has half its amplitude at the negative frequency.
    pub sine: f32,
    /// At 0 Hz and at half the rate, where all of it is in one bin: a constant of 1, or 1 and -1 in turn, has amplitude
    /// 1.
    pub ends: f32,
    /// The bin at half the rate.
    pub last_bin: usize,
}

impl AmplitudeScale {
    /// Factor 1, for cells that are amplitudes.
    pub const ONE: AmplitudeScale = AmplitudeScale { sine: 1.0, ends: 1.0, last_bin: 0 };

    /// The factor of a bin.
    pub fn of(&self, bin: usize) -> f32 {
        if bin == 0 || bin == self.last_bin { self.ends } else { self.sine }
    }

    /// Corrects magnitudes at the ends of frames, with all bins of each, to those of a sine of the same amplitude.
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
