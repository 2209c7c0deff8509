//! The fraction of speech in each cell.

use super::frames::SpeechCells;
use super::{FRAME_SAMPLES, N_BINS, N_FILTERED, RATE_HZ, STEP_SAMPLES};
use crate::dsp::{Axis, Cells, Combine, Selection, Shape};
use std::sync::Arc;

/// Number of bins that share a value above the filtered ones: about a quarter of the narrowest band there.
const SHARED_BINS: usize = 4;
/// Number of shared values per frame.
const N_SHARED: usize = (N_BINS - N_FILTERED).div_ceil(SHARED_BINS);
/// Hertz from a bin to the next, and seconds from a frame to the next.
const BIN_HZ: f64 = RATE_HZ / FRAME_SAMPLES as f64;
const STEP_SECS: f64 = STEP_SAMPLES as f64 / RATE_HZ;
/// Maximum number of frames sampled from a range; the largest fraction among them counts.
const MAX_SAMPLED_FRAMES: usize = 8;

/// The fraction of each magnitude of a frame that is speech, in percent.
#[derive(Debug, Clone)]
pub struct SpeechShares {
    /// Percentages of the filtered bins.
    filtered: [u8; N_FILTERED],
    /// Percentages of the bins above, where several bins share a value.
    shared: [u8; N_SHARED],
}

impl SpeechShares {
    /// The fraction of speech, from the cells of linked channels and of their speech.
    pub(super) fn new(cells: &[SpeechCells], speech: &[SpeechCells]) -> SpeechShares {
        let power = |channels: &[SpeechCells], first: usize, n: usize| -> f32 {
            let of_channel =
                |cells: &SpeechCells| cells.iter().skip(first).take(n).map(|cell| cell.norm_sqr()).sum::<f32>();
            channels.iter().map(of_channel).sum()
        };
        let share = |first: usize, n: usize| {
            let all = power(cells, first, n);
            let part = if all > 0.0 { (power(speech, first, n) / all).sqrt().min(1.0) } else { 0.0 };
            (100.0 * part).round() as u8
        };
        SpeechShares {
            filtered: std::array::from_fn(|bin| share(bin, 1)),
            shared: std::array::from_fn(|i| share(N_FILTERED + i * SHARED_BINS, SHARED_BINS)),
        }
    }
}

/// The fractions of all frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechMap {
    first_frame: usize,
    n_frames: usize,
    filtered: Vec<u8>,
    shared: Vec<u8>,
}

impl SpeechMap {
    /// Maximum number of frames in a [`shape`](SpeechMap::shape), almost half an hour: in scripts, a mask has at most
    /// 2^24 values.
    pub const MAX_FRAMES: usize = (1 << 24) / N_SHARED;
    /// Percentage below which nothing counts as speech.
    const MIN_PERCENT: u8 = 10;

    /// An empty map, given the number of its first frame from the start of the sound.
    pub fn new(first_frame: usize) -> SpeechMap {
        SpeechMap { first_frame, n_frames: 0, filtered: Vec::new(), shared: Vec::new() }
    }

    /// Adds the next frame.
    pub fn push(&mut self, shares: &SpeechShares) {
        self.n_frames += 1;
        self.filtered.extend(shares.filtered);
        self.shared.extend(shares.shared);
    }

    /// The largest share of the frames in a range of time at a frequency, 0 to 1; 0 beyond the map.
    pub fn share(&self, secs: [f64; 2], hz: f64) -> f32 {
        let bin = (hz / BIN_HZ).round();
        if !(0.0..N_BINS as f64).contains(&bin) {
            return 0.0;
        }
        let bin = bin as usize;
        let (values, row, n) = match bin.checked_sub(N_FILTERED) {
            None => (&self.filtered, bin, N_FILTERED),
            Some(above) => (&self.shared, above / SHARED_BINS, N_SHARED),
        };
        let [first, last] = secs.map(|secs| (secs / STEP_SECS).round() - self.first_frame as f64);
        if last < 0.0 || first >= self.n_frames as f64 {
            return 0.0;
        }
        let frames = first.max(0.0) as usize..(last as usize + 1).min(self.n_frames);
        let every = frames.len().div_ceil(MAX_SAMPLED_FRAMES).max(1);
        let seen = frames.step_by(every).filter_map(|frame| values.get(frame * n + row));
        f32::from(seen.max().copied().unwrap_or(0)) / 100.0
    }

    /// The map as two arrays, each with a constant frequency step, up to the Nyquist frequency. `None` without speech.
    pub fn shape(&self, nyquist_hz: f64) -> Option<Shape> {
        if !self.filtered.iter().chain(&self.shared).any(|share| *share >= Self::MIN_PERCENT) {
            return None;
        }
        // A frame covers half a step on each side of its centre, and a bin half a bin's width on each side of its
        // frequency.
        let ends = [self.first_frame, self.first_frame + self.n_frames];
        let secs = ends.map(|frame| (frame as f64 - 0.5) * STEP_SECS);
        let cells = |[first_bin, step, n]: [usize; 3], rows: std::slice::ChunksExact<'_, u8>| {
            let hz = [first_bin, first_bin + n * step].map(|bin| (bin as f64 - 0.5) * BIN_HZ);
            let values: Vec<f32> = rows.flat_map(|row| &row[..n]).map(|share| f32::from(*share) / 100.0).collect();
            Shape::Cells(Cells { secs, hz, axis: Axis::Linear, size: [self.n_frames, n], values: Arc::from(values) })
        };
        let filtered = cells([0, 1, N_FILTERED], self.filtered.chunks_exact(N_FILTERED));
        let mut shapes = vec![(Combine::Add, filtered)];
        let n_bins = (nyquist_hz / BIN_HZ).ceil() as usize + 1;
        let n_shared = n_bins.saturating_sub(N_FILTERED).div_ceil(SHARED_BINS).min(N_SHARED);
        if n_shared > 0 {
            let shared = cells([N_FILTERED, SHARED_BINS, n_shared], self.shared.chunks_exact(N_SHARED));
            shapes.push((Combine::Add, shared));
        }
        Some(Shape::Group(Selection { shapes }))
    }
}
