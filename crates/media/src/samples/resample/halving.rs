//! Halves a sample rate: every other sample after a half-band filter, in which every other coefficient is 0 and the
//! others are symmetric.

use super::filter::{Band, Lowpass};
use super::stage::Stage;
use crate::dsp::numeric::vectors::vectorized;

/// Number of samples computed in parallel.
const LANES: usize = 32;

/// Halves the rate of every channel; the first output sample is at the position of the first input sample.
pub(super) struct Halving {
    /// Coefficients at odd distances from the middle, nearest first.
    side: Vec<f32>,
    /// Input of each channel that is still needed. The filter is centred on samples at odd indices.
    held: Vec<Vec<f32>>,
    middle: Vec<f32>,
    outer: Vec<f32>,
    made: Vec<f32>,
}

impl Halving {
    /// `pass` is the passband edge as a fraction of half the input rate; the stopband begins at `1 - pass`.
    pub(super) fn new(pass: f64, stop_db: f64, n_channels: usize) -> Halving {
        let lowpass = Lowpass::new(Band { pass, stop: 1.0 - pass, stop_db });
        let n_side = (lowpass.half_width / 2.0).ceil() as usize;
        let lowpass = lowpass.widened(2.0 * n_side as f64);
        let side = (0..n_side).map(|k| lowpass.at((2 * k + 1) as f64) as f32).collect();
        // The sound is preceded by silence.
        let held = vec![vec![0.0; 2 * n_side - 1]; n_channels];
        Halving { side, held, middle: Vec::new(), outer: Vec::new(), made: Vec::new() }
    }
}

impl Stage for Halving {
    fn n_wanted(&self, n: usize) -> usize {
        let n_read = if n == 0 { 0 } else { 2 * n + 4 * self.side.len() - 3 };
        n_read.saturating_sub(self.held.first().map_or(0, Vec::len))
    }

    fn input(&mut self, channel: usize) -> &mut Vec<f32> {
        &mut self.held[channel]
    }

    fn run(&mut self, n: usize, give: &mut dyn FnMut(usize, &[f32])) {
        let n_side = self.side.len();
        for (channel, held) in self.held.iter_mut().enumerate() {
            self.outer.clear();
            self.middle.clear();
            let pairs = held.chunks_exact(2);
            self.outer.extend(held.iter().step_by(2));
            self.middle.extend(pairs.skip(n_side - 1).map(|pair| 0.5 * pair[1]));
            self.made.clear();
            self.made.extend_from_slice(&self.middle[..n]);
            add_sides(&self.side, &self.outer, &mut self.made);
            give(channel, &self.made);
            held.drain(..2 * n);
        }
    }

    fn table_bytes(&self) -> usize {
        size_of_val(self.side.as_slice())
    }
}

vectorized! {
    /// Adds the taps on both sides of the centre to each sum: every coefficient times the two samples at its distance
    /// before and after the centre.
    fn add_sides(side: &[f32], outer: &[f32], sums: &mut [f32]) {
        let n_side = side.len();
        let (whole, rest) = sums.as_chunks_mut::<LANES>();
        let first_of_rest = whole.len() * LANES;
        for (index, sums) in whole.iter_mut().enumerate() {
            let outer = &outer[index * LANES..];
            let mut lanes = *sums;
            for (k, coefficient) in side.iter().enumerate() {
                let [before, behind] = [n_side - 1 - k, n_side + k].map(|at| outer[at..].first_chunk::<LANES>());
                if let (Some(before), Some(behind)) = (before, behind) {
                    for ((sum, before), behind) in lanes.iter_mut().zip(before).zip(behind) {
                        *sum += coefficient * (before + behind);
                    }
                }
            }
            *sums = lanes;
        }
        for (index, sum) in rest.iter_mut().enumerate() {
            let outer = &outer[first_of_rest + index..];
            for (k, coefficient) in side.iter().enumerate() {
                *sum += coefficient * (outer[n_side - 1 - k] + outer[n_side + k]);
            }
        }
    }
}
