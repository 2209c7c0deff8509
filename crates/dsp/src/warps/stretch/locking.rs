//! Phase rotation of each region around a peak, from the input to the output.

use crate::dsp::warps::peak_locking::{LockedPeaks, Owners};
use rustfft::num_complex::{Complex32, Complex64};

/// The spectra of one frame of every channel, bins from 0 up, and those of the frame one step before it in the input.
pub struct FramePair {
    /// The frame, by channel.
    pub now: Vec<Vec<Complex32>>,
    /// The frame one step before in the input, by channel.
    pub before: Vec<Vec<Complex32>>,
}

/// Rotates consecutive frames, all channels alike, so that a partial's level and phase relations between channels are
/// preserved.
pub struct Locking {
    /// The previous output frame, by channel; empty before the first.
    given: Vec<Vec<Complex32>>,
    owners: Owners,
    power: Vec<f32>,
    turns: Vec<Complex32>,
}

impl Locking {
    /// A state before the first frame.
    pub fn new(n_bins: usize, peaks: LockedPeaks) -> Locking {
        let turns = vec![Complex32::new(1.0, 0.0); n_bins];
        Locking { given: Vec::new(), owners: Owners::new(n_bins, peaks), power: vec![0.0; n_bins], turns }
    }

    /// The spectra of the next frame in the output. The region of a peak whose bin is set in `begins` keeps its phases
    /// from the input; every other region continues the previous output frame by its peak's rotation over one step.
    pub fn next(&mut self, frame: FramePair, begins: Option<&[bool]>) -> &[Vec<Complex32>] {
        let FramePair { mut now, before } = frame;
        if !self.given.is_empty() {
            power_of(&now, &mut self.power);
            self.owners.find(&self.power);
            for peak in self.owners.peaks() {
                let bin = *peak as usize;
                let begins = begins.is_some_and(|begins| begins[bin]);
                self.turns[bin] = if begins { Complex32::new(1.0, 0.0) } else { turn(&self.given, &before, bin) };
            }
            let has_peak = !self.owners.peaks().is_empty();
            for channel in now.iter_mut().filter(|_| has_peak) {
                for (cell, owner) in channel.iter_mut().zip(self.owners.owners()) {
                    *cell *= self.turns[*owner as usize];
                }
            }
        }
        self.given = now;
        &self.given
    }
}

/// The rotation of a bin from the input frame one step earlier to the previous output frame, weighted by the channels'
/// levels.
fn turn(given: &[Vec<Complex32>], before: &[Vec<Complex32>], bin: usize) -> Complex32 {
    let wide = |cell: Complex32| Complex64::new(cell.re.into(), cell.im.into());
    let sum: Complex64 = given.iter().zip(before).map(|(y, x)| wide(y[bin]) * wide(x[bin]).conj()).sum();
    let norm = sum.norm();
    if norm > 0.0 { Complex32::new((sum.re / norm) as f32, (sum.im / norm) as f32) } else { Complex32::new(1.0, 0.0) }
}

/// The power of each bin, summed over all channels.
pub fn power_of(channels: &[Vec<Complex32>], power: &mut [f32]) {
    power.fill(0.0);
    for channel in channels {
        power.iter_mut().zip(channel).for_each(|(power, cell)| *power += cell.norm_sqr());
    }
}
