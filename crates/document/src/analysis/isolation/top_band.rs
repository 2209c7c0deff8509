//! The highest frequencies of a sound, which resampling removes: their gain is that of a band just below.

use super::FRAMES_PER_SEC;
use crate::dsp::repair::isolation::{FRAME_SAMPLES, RATE_HZ, SpeechCells};
use std::ops::Range;

/// The band that determines their gain, as fractions of the Nyquist frequency.
const REFERENCE_BAND: [f64; 2] = [0.9, 0.96];
/// Centre of the frequencies that resampling removes, as a fraction of the Nyquist frequency.
const CUTOFF_CENTRE: f64 = 0.99;

/// The gain of the highest frequencies in consecutive frames.
pub struct TopBand {
    bins: Range<usize>,
    /// Bin at the centre of the frequencies that resampling removes.
    top_bin: usize,
    first_frame: usize,
    gains: Vec<f32>,
}

impl TopBand {
    /// A top band for a sound of `rate_hz`, without gains yet. The first gain will belong to `first_frame`, counted
    /// from the start of the sound.
    pub fn new(rate_hz: f64, first_frame: usize) -> TopBand {
        let bin = |part: f64| (part * rate_hz / 2.0 * FRAME_SAMPLES as f64 / RATE_HZ) as usize;
        let [start, end] = REFERENCE_BAND.map(bin);
        TopBand { bins: start..end + 1, top_bin: bin(CUTOFF_CENTRE), first_frame, gains: Vec::new() }
    }

    /// Adds the gain of the next frame, given its cells, the change added to them at full effect, and the mask of the
    /// change.
    pub fn push(&mut self, cells: &[SpeechCells], change: &[SpeechCells], mask: Option<&[f32]>) {
        let (mut before, mut after) = (0.0f32, 0.0f32);
        for (cells, change) in cells.iter().zip(change) {
            for (cell, change) in cells[self.bins.clone()].iter().zip(&change[self.bins.clone()]) {
                before += cell.norm_sqr();
                after += (cell + change).norm_sqr();
            }
        }
        let gain = if before > 0.0 { (after / before).sqrt().min(1.0) } else { 1.0 };
        let part = mask.map_or(1.0, |mask| mask[self.top_bin]);
        self.gains.push(1.0 + (gain - 1.0) * part);
    }

    /// The gain at a time, interpolated between frames.
    pub fn gain_at(&self, secs: f64) -> f32 {
        let at = (secs * FRAMES_PER_SEC as f64 - self.first_frame as f64).max(0.0);
        let gain = |frame: usize| self.gains.get(frame).or(self.gains.last()).copied().unwrap_or(1.0);
        let (before, after) = (gain(at as usize), gain(at as usize + 1));
        before + (after - before) * at.fract() as f32
    }
}
