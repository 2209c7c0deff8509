//! Measures the amount and the distribution of energy in a box of cells, frame by frame.

use crate::pitch::peaks::{Lobe, peak_near};
use std::ops::RangeInclusive;

/// Fractions of the energy below each quantile.
const SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Position of a box of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxGrid {
    /// Bins of the box.
    pub bins: RangeInclusive<usize>,
    /// Spacing of bins.
    pub bin_hz: f64,
    /// Spacing of frames; frame 0 is at 0 s.
    pub hop_secs: f64,
    /// Time range of the box, which limits quantiles.
    pub secs: [f64; 2],
    /// Frequency range of the box.
    pub hz: [f64; 2],
}

/// Measurements of a box; `None` for silence, which has no levels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BoxMeasures {
    /// Frequencies below which 5, 25, 50, 75 and 95 % of the energy lie.
    pub hz: Option<[f64; 5]>,
    /// Times before which 5, 25, 50, 75 and 95 % of the energy lie.
    pub secs: Option<[f64; 5]>,
    /// Frequency, time and level of the peak at the loudest cell; 0 dB is a full-scale sine.
    pub peak: Option<[f64; 3]>,
    /// Energy in dB; 0 dB is a second of a full-scale sine.
    pub energy_db: Option<f64>,
    /// Mean power of its frames in dB; 0 dB is a full-scale sine.
    pub inband_db: Option<f64>,
    /// Entropy of the energy over the bins, in bits.
    pub aggregate_entropy: Option<f64>,
    /// Mean entropy of the frames that are not silent, in bits.
    pub average_entropy: Option<f64>,
    /// Mean frequency, weighted by power.
    pub centroid_hz: Option<f64>,
    /// Mean power of its frames; a full-scale sine has 0.5.
    pub power: f64,
}

/// Measures a box from its frames, passed in order.
#[derive(Debug)]
pub struct BoxMeter {
    grid: BoxGrid,
    /// Energy of the bins.
    of_bins: Vec<f64>,
    /// Energy of the frames.
    of_frames: Vec<f64>,
    first_frame: i64,
    entropies: (f64, usize),
    /// Power, frame and index in the box's bins of the largest cell; `around` holds the powers of its frame in the box.
    largest: (f64, i64, usize),
    around: Vec<f64>,
}

impl BoxMeter {
    /// Creates a meter for a box that begins at `first_frame`.
    pub fn new(grid: BoxGrid, first_frame: i64) -> BoxMeter {
        let n_bins = grid.bins.clone().count();
        BoxMeter {
            grid,
            of_bins: vec![0.0; n_bins],
            of_frames: Vec::new(),
            first_frame,
            entropies: (0.0, 0),
            largest: (0.0, first_frame, 0),
            around: Vec::new(),
        }
    }

    /// Processes the next frame, given the power of all its bins.
    pub fn push(&mut self, power: &[f64]) {
        let cells = &power[self.grid.bins.clone()];
        let sum: f64 = cells.iter().sum();
        let frame = self.first_frame + self.of_frames.len() as i64;
        self.of_frames.push(sum);
        self.of_bins.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        if sum > 0.0 {
            self.entropies.0 += entropy(cells, sum);
            self.entropies.1 += 1;
        }
        let largest = cells.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((at, cell)) = largest
            && *cell > self.largest.0
        {
            self.largest = (*cell, frame, at);
            self.around.clear();
            self.around.extend_from_slice(cells);
        }
    }

    /// The result. `amplitude` converts the power of a cell to the amplitude of a sine.
    pub fn finish(&self, lobe: &Lobe, amplitude: impl Fn(f64) -> f64) -> BoxMeasures {
        let total: f64 = self.of_frames.iter().sum();
        let n_frames = self.of_frames.len();
        if total <= 0.0 || n_frames == 0 {
            return BoxMeasures::default();
        }
        let BoxGrid { bin_hz, hop_secs, .. } = self.grid;
        let first_bin = *self.grid.bins.start();
        let moment: f64 =
            self.of_bins.iter().enumerate().map(|(at, energy)| energy * (first_bin + at) as f64 * bin_hz).sum();
        let power = total / n_frames as f64;
        let magnitudes: Vec<f32> = self.around.iter().map(|power| amplitude(*power) as f32).collect();
        let peak = peak_near(&magnitudes, self.largest.2, lobe).map(|(bin, level)| {
            let hz = (first_bin as f64 + bin) * bin_hz;
            [hz, self.largest.1 as f64 * hop_secs, 20.0 * level.log10()]
        });
        BoxMeasures {
            hz: Some(quantiles(&self.of_bins, first_bin as f64, bin_hz, self.grid.hz)),
            secs: Some(quantiles(&self.of_frames, self.first_frame as f64, hop_secs, self.grid.secs)),
            peak,
            energy_db: Some(10.0 * (2.0 * total * hop_secs).log10()),
            inband_db: Some(10.0 * (2.0 * power).log10()),
            aggregate_entropy: Some(entropy(&self.of_bins, total)),
            average_entropy: (self.entropies.1 > 0).then(|| self.entropies.0 / self.entropies.1 as f64),
            centroid_hz: Some(moment / total),
            power,
        }
    }
}

/// Entropy of a distribution in bits.
fn entropy(cells: &[f64], sum: f64) -> f64 {
    let bits = |cell: &f64| {
        let share = cell / sum;
        if share > 0.0 { -share * share.log2() } else { 0.0 }
    };
    cells.iter().map(bits).sum()
}

/// Positions below which [`SHARES`] of the energy lie. The energy of each cell is spread evenly over its width;
/// positions are clamped to `within`.
fn quantiles(energy: &[f64], first: f64, step: f64, within: [f64; 2]) -> [f64; 5] {
    let total: f64 = energy.iter().sum();
    let edge = |at: usize| (first + at as f64 - 0.5) * step;
    let (mut below, mut at) = (0.0, 0);
    SHARES.map(|share| {
        let wanted = share * total;
        while at + 1 < energy.len() && below + energy[at] < wanted {
            below += energy[at];
            at += 1;
        }
        let part = if energy[at] > 0.0 { ((wanted - below) / energy[at]).clamp(0.0, 1.0) } else { 0.0 };
        (edge(at) + part * step).clamp(within[0], within[1])
    })
}
