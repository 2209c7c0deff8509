//! Follows a tone and its harmonics from frame to frame while its pitch glides.

use crate::strokes::stroke::profile;
use crate::{CellRect, Cells, Grid, Lobe, Mask, peak_near};

/// Maximum speed of a pitch glide, in octaves per second: a voice jumps an octave in a sixth of a second.
const MAX_OCTAVES_PER_SEC: f64 = 6.0;
/// Minimum distance in bins within which a peak counts as the same tone, even for the slowest glide.
const MIN_REACH_BINS: f64 = 1.5;
/// Maximum number of harmonics that refine the fundamental.
const N_REFINING_HARMONICS: usize = 16;
/// Maximum deviation of a steady pitch, in bins: the accuracy of a peak in noise.
const STEADY_BINS: f64 = 0.05;

/// The frequency and level of a tone in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TonePlace {
    /// Frequency of the fundamental; 0 at a frame without the tone.
    pub hz: f64,
    /// Magnitude of the fundamental's peak.
    pub level: f64,
}

/// Finds a tone and its harmonics in frames of a grid.
#[derive(Debug)]
pub struct ToneFinder<'a> {
    grid: &'a Grid,
    lobe: Lobe,
    count: usize,
}

impl<'a> ToneFinder<'a> {
    /// A finder of tones with up to `count` harmonics, including the fundamental.
    pub fn new(grid: &'a Grid, count: usize) -> ToneFinder<'a> {
        ToneFinder { grid, lobe: Lobe::of(grid.transform()), count }
    }

    /// The tone near a frequency, given all bins of a frame; `None` if there is no peak.
    pub fn first(&self, magnitude: &[f32], hz: f64) -> Option<TonePlace> {
        self.near(magnitude, hz, 0.0)
    }

    /// The tone in the next frame, given all its bins and the tone in the frames `before` it, the latest last; `None`
    /// if there is no peak.
    pub fn next(&self, magnitude: &[f32], before: &[TonePlace]) -> Option<TonePlace> {
        let (hz, slope) = match before {
            [.., first, last] => (last.hz, last.hz / first.hz),
            [last] => (last.hz, 1.0),
            [] => return None,
        };
        let max = (MAX_OCTAVES_PER_SEC * self.grid.hop_secs()).exp2();
        self.near(magnitude, hz * slope.clamp(1.0 / max, max), max - 1.0)
    }

    /// The tone near an expected frequency, from which it may differ by the fraction `part`.
    fn near(&self, magnitude: &[f32], hz: f64, part: f64) -> Option<TonePlace> {
        let reach = (hz * part).max(MIN_REACH_BINS * self.grid.step_hz_at(hz)).min(hz / 3.0);
        let [low, high] = [hz - reach, hz + reach].map(|hz| self.grid.bin_from_hz(hz));
        let bins = (low.ceil().max(1.0) as usize)..=(high.floor().max(1.0) as usize).min(magnitude.len() - 1);
        let start = bins.max_by(|&a, &b| magnitude[a].total_cmp(&magnitude[b]))?;
        let (bin, level) = peak_near(magnitude, start, &self.lobe.around(self.grid, start))?;
        if bin < low - 1.0 || bin > high + 1.0 {
            return None;
        }
        Some(TonePlace { hz: self.refined(magnitude, self.grid.hz_from_bin(bin), level), level })
    }

    /// The fundamental that best fits the peaks of all harmonics, weighted by power.
    fn refined(&self, magnitude: &[f32], f0_hz: f64, level: f64) -> f64 {
        let mut sums = [level * level * f0_hz, level * level];
        for k in 2..=self.count.min(N_REFINING_HARMONICS) {
            let (number, hz) = (k as f64, k as f64 * sums[0] / sums[1]);
            if hz >= self.grid.nyquist_hz() {
                break;
            }
            let start = (self.grid.bin_from_hz(hz).round() as usize).min(magnitude.len() - 1);
            let Some((bin, level)) = peak_near(magnitude, start, &self.lobe.around(self.grid, start)) else { continue };
            let found = self.grid.hz_from_bin(bin);
            if (found - hz).abs() <= self.grid.step_hz_at(hz) {
                sums = [sums[0] + level * level * number * found, sums[1] + (level * number).powi(2)];
            }
        }
        sums[0] / sums[1]
    }
}

/// The course of a tone over a run of frames.
#[derive(Debug, Clone)]
pub struct ToneCourse {
    /// The first frame.
    pub first_frame: usize,
    /// The tone in each frame.
    pub places: Vec<TonePlace>,
}

impl ToneCourse {
    /// Whether bands of `width_hz` around the first `count` multiples of `f0_hz` contain the tone's harmonics over its
    /// whole course, that is, whether the weighted RMS deviation of its pitch from `f0_hz` keeps the highest harmonic
    /// within its band.
    pub fn is_steady(&self, grid: &Grid, f0_hz: f64, count: usize, width_hz: f64) -> bool {
        // Weighted by level^4, so that noise followed after the end of the tone hardly counts.
        let weigh = |place: &TonePlace| (place.level.powi(4), (place.hz - f0_hz).powi(2));
        let sums =
            self.places.iter().map(weigh).fold([0.0; 2], |sums, (w, square)| [sums[0] + w, sums[1] + w * square]);
        let max = (width_hz / 2.0 / count as f64).max(STEADY_BINS * grid.step_hz_at(f0_hz));
        sums[1] <= sums[0] * max * max
    }

    /// Replaces each frequency by the median of itself and its two neighbours, which removes jumps of single frames.
    #[must_use]
    pub fn without_jumps(self) -> ToneCourse {
        let middle = |trio: [f64; 3]| trio[0].max(trio[1]).min(trio[0].min(trio[1]).max(trio[2]));
        let mut places = self.places.clone();
        for (place, trio) in places.iter_mut().skip(1).zip(self.places.windows(3)) {
            place.hz = middle([trio[0].hz, trio[1].hz, trio[2].hz]);
        }
        ToneCourse { places, ..self }
    }

    /// The cells of bands around `count` harmonics, `width_hz` wide plus the smearing of the glide over a window, with
    /// soft edges of two bins; `None` if there are none.
    pub fn cells(&self, grid: &Grid, count: usize, width_hz: f64) -> Option<Cells> {
        let frames = self.first_frame..self.first_frame + self.places.len();
        let mut mask = Mask::zeros(CellRect::new(frames, 0..grid.n_bins()));
        let n_bins = grid.n_bins().max(1);
        for (i, row) in mask.values.chunks_exact_mut(n_bins).enumerate() {
            if self.places[i].hz <= 0.0 {
                continue;
            }
            let glide = self.hz_per_sec(grid, i);
            for k in 1..=count {
                let hz = k as f64 * self.places[i].hz;
                if hz >= grid.nyquist_hz() {
                    break;
                }
                let half = width_hz / 2.0 + k as f64 * glide.abs() * window_secs(grid, hz) / 4.0;
                paint_band(grid, row, hz, half);
            }
        }
        Cells::from_mask(grid, &mask)
    }

    /// Rate of change of the fundamental at a frame, in hertz per second.
    fn hz_per_sec(&self, grid: &Grid, i: usize) -> f64 {
        let sounds = |at: &usize| self.places.get(*at).is_some_and(|place| place.hz > 0.0);
        let from = Some(i.saturating_sub(1)).filter(sounds).unwrap_or(i);
        let to = Some(i + 1).filter(sounds).unwrap_or(i);
        let secs = (to - from).max(1) as f64 * grid.hop_secs();
        (self.places[to].hz - self.places[from].hz) / secs
    }
}

/// Length of the window at a frequency.
fn window_secs(grid: &Grid, hz: f64) -> f64 {
    match grid.row_table() {
        None => grid.n_samples_under(1) as f64 / grid.sample_rate_hz,
        Some(table) => {
            let row = (grid.bin_from_hz(hz).round().max(0.0) as usize).min(table.rows().len() - 1);
            // The main lobe of a Hann window of length T is 4 / T wide from null to null.
            4.0 / table.rows()[row].width_hz
        }
    }
}

/// Raises `row` in a band around a frequency, with soft edges of two bins; the nearest bin is always inside.
fn paint_band(grid: &Grid, row: &mut [f32], hz: f64, half_hz: f64) {
    let feather = 2.0 * grid.step_hz_at(hz);
    let [low, high] = [-1.0, 1.0].map(|side| grid.bin_from_hz((hz + side * (half_hz + feather)).max(0.0)));
    let nearest = grid.bin_from_hz(hz).round();
    let end = (high.ceil() as usize + 1).min(row.len());
    for (bin, value) in row.iter_mut().enumerate().take(end).skip(low.floor() as usize) {
        let outside = ((grid.hz_from_bin(bin as f64) - hz).abs() - half_hz).max(0.0) / feather;
        let inside = if bin as f64 == nearest { 1.0 } else { profile(outside, 0.0) };
        *value = value.max(inside as f32);
    }
}
