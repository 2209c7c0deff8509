//! Moves sound in pitch partial by partial, along an axis on which frequencies move by different amounts in hertz.
//! Sequential from frame to frame and summed in f64, so one CPU function serves both engines.
//!
//! If each cell were moved separately, the rows of one partial would be rotated at different speeds and cancel each
//! other. So each frame is divided into regions around its peaks, and a region moves as a whole, by the distance of its
//! peak, with one phase.
//!
//! Source: Laroche and Dolson, "New phase-vocoder techniques for pitch-shifting, harmonizing and other exotic effects",
//! IEEE WASPAA 1999.

use super::displacement::rounded;
use crate::cells::polar::{cos_sin_turns, polar_from_parts, turns_from_complex};
use crate::kernels::catmull_rom;
use crate::{Axis, Grid, Mask, Region, Stft};
use rayon::prelude::*;

/// Number of cells on each side that a peak must exceed, and the maximum distance that a partial moves from one frame
/// to the next.
const NEIGHBOURS: usize = 2;

/// Minimum ratio of an onset's peak to the loudest nearby cell of the previous frame.
const ONSET: f32 = 10.0;

/// State carried from frame to frame, and from piece to piece; empty at the beginning.
#[derive(Debug, Clone, Default)]
pub struct TrackState {
    /// Peaks of the last frame, and the rotation of each in turns; empty after a frame without a cell under the mask.
    peaks: Vec<(Peak, f64)>,
    /// Magnitudes of the last frame.
    magnitude: Vec<f32>,
    phase: Vec<f32>,
}

/// A peak and its region of influence: regions meet at the minimum between two peaks.
#[derive(Debug, Clone, Copy)]
struct Peak {
    bin: usize,
    /// First bin of its region, and the first one after.
    first: usize,
    end: usize,
    /// Fractional bin of the peak.
    place: f64,
}

/// The sound of `source` moved up by `units` of `axis`, each partial by the corresponding hertz at its own frequency,
/// over `mask.rect`; frames with a mask of 0 everywhere are silent.
///
/// `source` has the frames of the mask, and all bins. A region is moved by a fraction of a bin with Catmull-Rom
/// weights; overlapping regions are summed, gaps between regions stay empty, and parts that leave 0 to Nyquist are
/// dropped. A region is rotated by the hertz moved, summed along the frames: it continues the rotation of the previous
/// frame's region that contains its peak. An onset starts with the rotation that preserves its time, so that a click
/// stays a click. DC and Nyquist keep their real part.
pub fn shift(
    grid: &Grid,
    stft: &Stft,
    axis: Axis,
    units: f64,
    source: &Region,
    mask: &Mask,
    carried: &mut TrackState,
) -> Region {
    let (n, n_out) = (source.n_bins(), mask.rect.bins.len());
    if n == 0 || n_out == 0 {
        return Region::zeros(mask.rect.clone());
    }
    let way = PartialShift { grid, axis, units };
    let lobes = stft.side_lobes();
    let row_of = |row: usize| (&source.magnitude[row * n..(row + 1) * n], &source.phase[row * n..(row + 1) * n]);
    let acts = |row: usize| mask.values[row * n_out..(row + 1) * n_out].iter().any(|m| *m > 0.0);
    let peaks = |row: usize| if acts(row) { find_peaks(row_of(row).0, lobes) } else { Vec::new() };
    let peaks: Vec<Vec<Peak>> = (0..source.n_frames()).into_par_iter().with_min_len(4).map(peaks).collect();
    let mut turned = Vec::with_capacity(peaks.len());
    for (row, peaks) in peaks.into_iter().enumerate() {
        let (magnitude, phase) = row_of(row);
        let peaks: Vec<_> = peaks.iter().map(|peak| (*peak, way.turns(carried, peak, magnitude, phase))).collect();
        carried.peaks.clone_from(&peaks);
        if !peaks.is_empty() {
            carried.magnitude.clear();
            carried.magnitude.extend_from_slice(magnitude);
            carried.phase.clear();
            carried.phase.extend_from_slice(phase);
        }
        turned.push(peaks);
    }
    let mut moved = Region::zeros(mask.rect.clone());
    let rows = moved.magnitude.par_chunks_mut(n_out).zip(moved.phase.par_chunks_mut(n_out)).zip(&turned);
    let first_bin = mask.rect.bins.start;
    rows.enumerate().with_min_len(4).for_each(|(row, ((out, out_turns), peaks))| {
        if !peaks.is_empty() {
            let (magnitude, phase) = row_of(row);
            way.put(peaks, magnitude, phase, first_bin, out, out_turns);
        }
    });
    moved
}

/// The shift by which sound is moved.
struct PartialShift<'a> {
    grid: &'a Grid,
    axis: Axis,
    units: f64,
}

impl PartialShift<'_> {
    /// Shift in bins of a partial at `place`; `None` if it would leave 0 to Nyquist.
    fn bins(&self, place: f64) -> Option<f64> {
        let units = self.axis.units_from_hz(self.grid.hz_from_bin(place.max(0.0))) + self.units;
        let to = self.grid.bin_from_hz(self.axis.hz_from_units(units));
        (to.is_finite() && to >= 0.0 && to <= (self.grid.n_bins() - 1) as f64).then_some(to - place)
    }

    /// Rotation of a peak's region, [-0.5, 0.5].
    fn turns(&self, carried: &TrackState, peak: &Peak, magnitude: &[f32], phase: &[f32]) -> f64 {
        let at = carried.peaks.partition_point(|(before, _)| before.end <= peak.bin);
        let Some((before, turns)) = carried.peaks.get(at) else { return self.first_turns(peak, magnitude, phase) };
        let around = peak.bin.saturating_sub(NEIGHBOURS)..(peak.bin + NEIGHBOURS + 1).min(magnitude.len());
        let max = carried.magnitude[around].iter().fold(0.0, |max: f32, &m| max.max(m));
        if magnitude[peak.bin] > ONSET * max {
            return self.first_turns(peak, magnitude, phase);
        }
        let is_same = before.bin.abs_diff(peak.bin) <= NEIGHBOURS;
        let (bin, place) = if is_same { (before.bin, before.place) } else { (peak.bin, peak.place) };
        // The frequency between both frames: roughly the mean position of the peaks, refined by the phase advance.
        let mean = (place + peak.place) / 2.0;
        let frames_per_turn = self.grid.frames_per_turn() as f64;
        let step = f64::from(phase[peak.bin]) - f64::from(carried.phase[bin]) - mean / frames_per_turn;
        let off = (step - rounded(step)) * frames_per_turn;
        let mean = if off.abs() <= 1.0 { mean + off } else { mean };
        let turned = turns + self.bins(mean).unwrap_or(0.0) / frames_per_turn;
        turned - rounded(turned)
    }

    /// The rotation that preserves the time of an onset: its phases decrease from bin to bin in proportion to its
    /// delay, and must decrease at the same rate over the shift.
    fn first_turns(&self, peak: &Peak, magnitude: &[f32], phase: &[f32]) -> f64 {
        let (mut re, mut im) = (0.0, 0.0);
        for (low, high) in [(peak.bin.wrapping_sub(1), peak.bin), (peak.bin, peak.bin + 1)] {
            if let (Some(a), Some(b)) = (magnitude.get(low), magnitude.get(high)) {
                let [cos, sin] = cos_sin_turns(phase[high] - phase[low]);
                (re, im) = (re + a / magnitude[peak.bin] * b * cos, im + a / magnitude[peak.bin] * b * sin);
            }
        }
        let turns = f64::from(turns_from_complex(re, im)) * self.bins(peak.place).unwrap_or(0.0);
        turns - rounded(turns)
    }

    /// Adds the regions of a frame at their destinations.
    fn put(
        &self,
        peaks: &[(Peak, f64)],
        magnitude: &[f32],
        phase: &[f32],
        first_bin: usize,
        out: &mut [f32],
        out_turns: &mut [f32],
    ) {
        let n = magnitude.len() as i64;
        // All cells, with two more on each side from the conjugate mirror images.
        let cell = |bin: i64| {
            let held = if bin < 0 { -bin } else { bin.min(2 * (n - 1) - bin) };
            let (own, turns) = match usize::try_from(held) {
                Ok(i) if i < magnitude.len() => (magnitude[i], phase[i]),
                _ => (0.0, 0.0),
            };
            let [cos, sin] = cos_sin_turns(turns);
            [own * cos, if held == bin { own * sin } else { -own * sin }]
        };
        let cells: Vec<[f32; 2]> = (-2..n + 2).map(cell).collect();
        let mut sums = vec![[0.0f32; 2]; out.len()];
        for (peak, turns) in peaks {
            let Some(bins) = self.bins(peak.place) else { continue };
            let up = bins.ceil();
            let weights = catmull_rom((up - bins) as f32);
            let [cos, sin] = cos_sin_turns(*turns as f32);
            let [start, end] = [peak.first, peak.end].map(|bin| (bin as f64 - 0.5 + bins).ceil() as i64);
            let (low, high) = (first_bin as i64, (first_bin + out.len()) as i64);
            for bin in start.clamp(low, high)..end.clamp(low, high) {
                // The first of four taps lies one below the source, and the first cell two below bin 0.
                let Ok(tap) = usize::try_from(bin - up as i64 + 1) else { continue };
                let Some(taps) = cells.get(tap..tap + 4) else { continue };
                let (mut re, mut im) = (0.0, 0.0);
                for (weight, tap) in weights.iter().zip(taps) {
                    (re, im) = (re + weight * tap[0], im + weight * tap[1]);
                }
                let sum = &mut sums[(bin - low) as usize];
                *sum = [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos];
            }
        }
        for (i, [re, im]) in sums.into_iter().enumerate() {
            let is_real = first_bin + i == 0 || first_bin + i + 1 == magnitude.len();
            [out[i], out_turns[i]] = polar_from_parts(re, if is_real { 0.0 } else { im });
        }
    }
}

/// The peaks of a frame, ascending, except side lobes of other peaks.
fn find_peaks(magnitude: &[f32], lobes: &[f32]) -> Vec<Peak> {
    let n = magnitude.len();
    let at = |bin: usize, by: isize| bin.checked_add_signed(by).and_then(|bin| magnitude.get(bin)).copied();
    let is_peak = |bin: &usize| {
        let m = magnitude[*bin];
        let less = |by: isize| at(*bin, by).is_none_or(|other| other < m);
        let no_more = |by: isize| at(*bin, by).is_none_or(|other| other <= m);
        m > 0.0 && less(-2) && less(-1) && no_more(1) && no_more(2)
    };
    let all: Vec<usize> = (0..n).filter(is_peak).collect();
    let is_lobe = |(i, bin): (usize, &usize)| {
        let hides = |other: &&usize| magnitude[**other] * lobes[other.abs_diff(*bin)] > magnitude[*bin];
        let is_near = |other: &&usize| other.abs_diff(*bin) < lobes.len();
        all[..i].iter().rev().take_while(is_near).any(|other| hides(&other))
            || all[i + 1..].iter().take_while(is_near).any(|other| hides(&other))
    };
    let bins: Vec<usize> = all.iter().enumerate().filter(|of| !is_lobe(*of)).map(|(_, bin)| *bin).collect();
    let mut peaks: Vec<Peak> = Vec::with_capacity(bins.len());
    for (i, &bin) in bins.iter().enumerate() {
        let min = |next: &usize| {
            let (between, min) = (bin + 1..*next, |a: &usize, b: &usize| magnitude[*a].total_cmp(&magnitude[*b]));
            between.min_by(min).unwrap_or(*next)
        };
        let end = bins.get(i + 1).map_or(n, min);
        let first = peaks.last().map_or(0, |before| before.end);
        peaks.push(Peak { bin, first, end, place: bin as f64 + top(at(bin, -1), magnitude[bin], at(bin, 1)) });
    }
    peaks
}

/// Offset of the vertex of a parabola through three levels from the middle one, in bins, [-0.5, 0.5].
fn top(low: Option<f32>, middle: f32, high: Option<f32>) -> f64 {
    let (Some(low), Some(high)) = (low, high) else { return 0.0 };
    let level = |m: f32| f64::from(m.max(f32::MIN_POSITIVE)).ln();
    let (low, middle, high) = (level(low), level(middle), level(high));
    let bend = low - 2.0 * middle + high;
    if bend < 0.0 { (0.5 * (low - high) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}
