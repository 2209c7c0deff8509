//! Resampling filters: Kaiser-windowed sincs, tabulated at the required positions.

use crate::base::lock;
use crate::dsp::numeric::vectors::vectorized;
use std::f64::consts::PI;
use std::sync::{Arc, Mutex};

/// Maximum number of phases per sample for which every phase has its own filter row.
const MAX_PHASES: u64 = 1_024;
/// Number of filter rows per sample if there are more phases. Cubic interpolation between four of them is accurate to
/// 160 dB.
const POINTS: usize = 128;
/// Number of products summed in parallel: with exact rows, and with interpolated rows or at the end of an exact one.
/// The number of taps is a multiple of the latter.
const LANES: usize = 16;
const MIN_LANES: usize = 8;
/// Maximum number of cached tables, some 100 kB each.
const MAX_CACHED_TABLES: usize = 32;

/// The response of a low-pass filter. Edges are fractions of half its input rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Band {
    /// Passband edge.
    pub(super) pass: f64,
    /// Stopband edge.
    pub(super) stop: f64,
    /// Attenuation in the stopband, in dB.
    pub(super) stop_db: f64,
}

/// A Kaiser-windowed sinc, as a function of time in input samples.
pub(super) struct Lowpass {
    cutoff: f64,
    /// Half the length, in input samples.
    pub(super) half_width: f64,
    beta: f64,
    /// Value at the window's centre before normalisation.
    peak: f64,
}

impl Lowpass {
    /// Designs a filter by Kaiser's formulas.
    pub(super) fn new(band: Band) -> Lowpass {
        let n_taps = (band.stop_db - 7.95) / (2.285 * PI * (band.stop - band.pass));
        let cutoff = f64::midpoint(band.pass, band.stop);
        let beta = 0.1102 * (band.stop_db - 8.7);
        Lowpass { cutoff, half_width: n_taps / 2.0, beta, peak: bessel_i0(beta) }
    }

    /// The filter with a window extended to `half_width`, so that it uses all taps: otherwise short filters would miss
    /// their attenuation by some decibels.
    pub(super) fn widened(self, half_width: f64) -> Lowpass {
        Lowpass { half_width, ..self }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        let from_middle = time / self.half_width;
        if from_middle.abs() >= 1.0 {
            return 0.0;
        }
        let window = bessel_i0(self.beta * (1.0 - from_middle * from_middle).sqrt()) / self.peak;
        let angle = PI * self.cutoff * time;
        self.cutoff * window * if angle == 0.0 { 1.0 } else { angle.sin() / angle }
    }
}

/// The modified Bessel function of the first kind, order 0, computed as a power series.
fn bessel_i0(x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= x * x / (4.0 * k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

/// A filter tabulated at positions between two samples, with a row of coefficients per position.
pub(super) struct FilterTable {
    rows: Vec<f32>,
    /// Half the number of taps: a row covers `reach` samples up to and including the one at or before the position, and
    /// `reach` samples after it.
    pub(super) reach: usize,
    /// Number of phases per sample, and whether each has its own row; otherwise rows are interpolated.
    pub(super) n_phases: u64,
    is_exact: bool,
}

impl FilterTable {
    /// The table of a filter for positions at multiples of `1 / n_phases` samples, cached.
    pub(super) fn of(band: Band, n_phases: u64) -> Arc<FilterTable> {
        type Key = ([u64; 3], u64);
        static TABLE_CACHE: Mutex<Vec<(Key, Arc<FilterTable>)>> = Mutex::new(Vec::new());
        let key = ([band.pass, band.stop, band.stop_db].map(f64::to_bits), n_phases);
        let mut kept = lock(&TABLE_CACHE);
        let found = kept.iter().position(|(of, _)| *of == key).map(|at| kept.remove(at));
        let (key, table) = found.unwrap_or_else(|| (key, Arc::new(FilterTable::new(band, n_phases))));
        if kept.len() >= MAX_CACHED_TABLES {
            kept.remove(0);
        }
        kept.push((key, table.clone()));
        table
    }

    fn new(band: Band, n_phases: u64) -> FilterTable {
        let lowpass = Lowpass::new(band);
        let reach = (lowpass.half_width.ceil() as usize).next_multiple_of(MIN_LANES / 2);
        let lowpass = lowpass.widened(reach as f64);
        let is_exact = n_phases <= MAX_PHASES;
        // The cubic needs one row before the first position, and two after the last.
        let (first, n_rows, per_sample) = match is_exact {
            true => (0.0, n_phases as usize, n_phases as usize),
            false => (-1.0, POINTS + 3, POINTS),
        };
        let mut rows = Vec::with_capacity(n_rows * 2 * reach);
        for row in 0..n_rows {
            let place = (reach - 1) as f64 + (first + row as f64) / per_sample as f64;
            rows.extend((0..2 * reach).map(|tap| lowpass.at(tap as f64 - place) as f32));
        }
        FilterTable { rows, reach, n_phases, is_exact }
    }

    /// Memory use in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    /// Number of samples read per position.
    pub(super) fn n_taps(&self) -> usize {
        2 * self.reach
    }

    /// The filtered signal at `phase / n_phases` samples after sample `reach - 1` of the `n_taps` values in
    /// `samples`.
    #[inline(always)]
    fn value(&self, samples: &[f32], phase: u64) -> f32 {
        let n_taps = self.n_taps();
        if self.is_exact {
            return dot(samples, &self.rows[phase as usize * n_taps..][..n_taps]);
        }
        let at = phase as f64 / self.n_phases as f64 * POINTS as f64;
        // Rounding may yield the position of the next sample, which has a row as well.
        let row = (at as usize).min(POINTS - 1);
        let t = (at - row as f64) as f32;
        let [before, behind, beyond] = [t + 1.0, t - 1.0, t - 2.0];
        let weights = [
            t * behind * beyond / -6.0,
            before * behind * beyond / 2.0,
            before * t * beyond / -2.0,
            before * t * behind / 6.0,
        ];
        let row = |k: usize| self.rows[(row + k) * n_taps..][..n_taps].as_chunks::<MIN_LANES>().0;
        let rows = row(0).iter().zip(row(1)).zip(row(2).iter().zip(row(3)));
        let mut lanes = [0.0f32; LANES];
        for (samples, ((first, second), (third, fourth))) in samples.as_chunks::<MIN_LANES>().0.iter().zip(rows) {
            let blended: [f32; MIN_LANES] = std::array::from_fn(|lane| {
                let early = weights[0] * first[lane] + weights[1] * second[lane];
                early + (weights[2] * third[lane] + weights[3] * fourth[lane])
            });
            add_products(&mut lanes, samples, &blended);
        }
        total(&lanes)
    }
}

/// A read position, as a sample index plus a phase, and the step from one position to the next in samples and phases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) at: usize,
    pub(super) phase: u64,
    pub(super) step: [u64; 2],
}

vectorized! {
    /// Appends the filtered signal at the next `n` positions. Returns the position after them.
    pub(super) fn read_places(table: &FilterTable, held: &[f32], places: Places, n: usize, made: &mut Vec<f32>) -> Places {
        let Places { mut at, mut phase, step } = places;
        for _ in 0..n {
            made.push(table.value(&held[at + 1 - table.reach..][..2 * table.reach], phase));
            at += step[0] as usize;
            phase += step[1];
            if phase >= table.n_phases {
                phase -= table.n_phases;
                at += 1;
            }
        }
        Places { at, phase, step }
    }
}

/// The sum of products, always in the same order: by lanes, which are then added in pairs.
#[inline(always)]
fn dot(samples: &[f32], row: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (samples, last_samples) = samples.as_chunks::<LANES>();
    let (row, last_row) = row.as_chunks::<LANES>();
    for (samples, row) in samples.iter().zip(row) {
        add_products(&mut lanes, samples, row);
    }
    let last = (last_samples.first_chunk::<MIN_LANES>(), last_row.first_chunk::<MIN_LANES>());
    if let (Some(samples), Some(row)) = last {
        add_products(&mut lanes, samples, row);
    }
    total(&lanes)
}

#[inline(always)]
fn add_products<const N: usize>(lanes: &mut [f32; LANES], samples: &[f32; N], factors: &[f32; N]) {
    if let Some(lanes) = lanes.first_chunk_mut::<N>() {
        *lanes = std::array::from_fn(|lane| lanes[lane] + samples[lane] * factors[lane]);
    }
}

/// The sum of the lanes. Not inlined: otherwise the compiler computes all products with vectors as narrow as in the
/// last additions here, which is twice as slow.
#[inline(never)]
fn total(lanes: &[f32; LANES]) -> f32 {
    let mut lanes = *lanes;
    let mut n = LANES;
    while n > 1 {
        n /= 2;
        let (into, from) = lanes.split_at_mut(n);
        into.iter_mut().zip(from).for_each(|(sum, other)| *sum += *other);
    }
    lanes[0]
}
