//! Mel bands of the STFT: edits defined on a mel spectrogram, applied to its cells.
//!
//! A mel spectrogram cannot be inverted, an STFT can: a brush edits the bands as a region of magnitudes, and each cell
//! is multiplied by a weighted mean of the ratios by which its bands have changed; phases are kept.
//! `docs/transforms.md` has the definition.

use crate::base::{Error, ErrorKind, Result};
use crate::cells::planes;
use crate::{Axis, CellRect, FftPlans, Grid, Kernel, Mask, Region, StftParams};
use rayon::prelude::*;
use std::ops::{Range, RangeInclusive};

/// The notice for a [mask that is one band wide](is_one_band_wide).
pub const ONE_BAND_NOTICE: &str = "mel bands overlap: a single one can be lowered by some 8 dB";

/// Maximum factor on a cell: 24 dB.
const MAX_RATIO: f32 = 15.848_932;

/// Lower limit of a band's magnitude when it is a divisor.
const MIN_BAND_POWER: f32 = 1e-12;

/// Weights below this are rounding errors.
const MIN_WEIGHT: f64 = 1e-9;

/// Triangles over the bins of an STFT, at equal steps of Slaney's mel between 0 Hz and half the sample rate. Each is 1
/// at its centre and 0 at those of its neighbours, so that between the first and the last centre their sum is 1.
///
/// Regions of bands are [`Region`]s whose bins are bands, counted from 0, and whose phases are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct MelBands {
    /// Centres in hertz.
    hz: Vec<f64>,
    bins: Vec<BinShares>,
    /// The bins in which each band has weight.
    bins_of_bands: Vec<Range<usize>>,
}

/// The weights of a bin in two adjacent bands; either or both may be 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct BinShares {
    /// The lower of the two bands.
    band: usize,
    /// Weights `W`.
    weights: [f32; 2],
    /// `W` divided by the sum of both; 0 without any weight.
    shares: [f32; 2],
}

impl BinShares {
    /// The bands in which the bin has weight.
    fn bands(&self) -> Range<usize> {
        let [low, high] = self.weights.map(|weight| weight > 0.0);
        self.band + usize::from(!low)..self.band + 1 + usize::from(high)
    }
}

impl MelBands {
    /// Permitted numbers of bands.
    pub const ALLOWED: RangeInclusive<usize> = 8..=512;

    /// `n_bands` bands over the bins of an STFT's grid.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the number is not allowed, or the bands lie closer than the bins.
    pub fn new(grid: &Grid, n_bands: usize) -> Result<MelBands> {
        if !MelBands::ALLOWED.contains(&n_bands) {
            return Err(Error::new(ErrorKind::Script, format!("bands {n_bands} is not 8 to 512")));
        }
        let step = Axis::Mel.units_from_hz(grid.nyquist_hz()) / (n_bands + 1) as f64;
        check_step(grid, n_bands, Axis::Mel.hz_from_units(step))?;
        let hz = (1..=n_bands).map(|band| Axis::Mel.hz_from_units(step * band as f64)).collect();
        let bin = |bin: usize| bin_shares(Axis::Mel.units_from_hz(grid.hz_from_bin(bin as f64)) / step, n_bands);
        let bins: Vec<BinShares> = (0..grid.n_bins()).map(bin).collect();
        let mut bins_of_bands = vec![0..0; n_bands];
        for (m, shares) in bins.iter().enumerate() {
            for band in shares.bands() {
                let of_band: &mut Range<usize> = &mut bins_of_bands[band];
                *of_band = if of_band.start == of_band.end { m } else { of_band.start }..m + 1;
            }
        }
        Ok(MelBands { hz, bins, bins_of_bands })
    }

    /// Number of bands.
    pub fn n_bands(&self) -> usize {
        self.hz.len()
    }

    /// Centres in hertz, where masks of bands are [evaluated](crate::selections::mask::evaluate_at).
    pub fn hz(&self) -> &[f64] {
        &self.hz
    }

    /// Bands per unit of [`Axis::Mel`].
    pub fn bands_per_mel(&self) -> f64 {
        1.0 / Axis::Mel.units_from_hz(self.hz[0])
    }

    /// The distance from a band's centre to the next, in hertz; to the previous one for the last.
    pub fn step_hz(&self, band: usize) -> f64 {
        let low = band.min(self.n_bands() - 2);
        self.hz[low + 1] - self.hz[low]
    }

    /// The mean square of a band's magnitude in Gaussian noise. `power_of_bins` holds the mean square magnitude of
    /// every bin; `likeness[d]` is the squared correlation `|r|^2` between bins that are `d` apart, 1 for `d = 0`, and
    /// taken as 0 beyond the end.
    pub fn noise_power(&self, band: usize, power_of_bins: &[f64], likeness: &[f64]) -> f64 {
        let weight = |bin: usize| {
            let shares = &self.bins[bin];
            band.checked_sub(shares.band).and_then(|i| shares.weights.get(i)).map_or(0.0, |w| f64::from(*w))
        };
        let bins = self.bins_of_bands[band].clone();
        let levels: Vec<f64> = bins.map(|bin| weight(bin) * power_of_bins[bin].sqrt()).collect();
        // Magnitudes are Rayleigh-distributed: the square of their mean is pi/4 of the power, and the rest is their
        // variance.
        let mean_share = std::f64::consts::FRAC_PI_4;
        let mean: f64 = levels.iter().sum();
        let product = |i: usize, apart: usize| levels[i] * levels.get(i + apart).copied().unwrap_or(0.0);
        let pairs = |apart: usize| (0..levels.len()).map(|i| product(i, apart)).sum::<f64>();
        let both_sides = |apart: usize| if apart == 0 { 1.0 } else { 2.0 };
        let variance: f64 =
            likeness.iter().enumerate().map(|(apart, alike)| both_sides(apart) * alike * pairs(apart)).sum();
        mean_share * mean * mean + (1.0 - mean_share) * variance
    }

    /// The bins in which these bands have weight.
    pub fn bins_under(&self, bands: &Range<usize>) -> Range<usize> {
        match self.bins_of_bands.get(bands.clone()) {
            Some([first, .., last]) => first.start..last.end,
            Some([only]) => only.clone(),
            _ => 0..0,
        }
    }

    /// The bands that have weight in these bins.
    pub fn bands_over(&self, bins: &Range<usize>) -> Range<usize> {
        let with_weight = self.bins.get(bins.clone()).unwrap_or_default().iter().map(BinShares::bands);
        let all = with_weight.filter(|bands| !bands.is_empty());
        all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// The rectangle of cells to read before writing `rect`, for a kernel with a halo of frames and bands on each side.
    pub fn read(&self, rect: &CellRect, halo: [usize; 2], grid: &Grid) -> CellRect {
        let all_bands = CellRect::new(grid.all_cells().frames, 0..self.n_bands());
        let bands = CellRect::new(rect.frames.clone(), self.bands_over(&rect.bins)).grown(halo[0], halo[1], &all_bands);
        CellRect::new(bands.frames, self.bins_under(&bands.bins)).union(rect)
    }

    /// The magnitudes of bands: `E_b[n] = sum_m W[b, m] |X[m, n]|`. `cells` contains all bins
    /// [under](MelBands::bins_under) them.
    pub fn magnitudes(&self, cells: &Region, bands: &Range<usize>) -> Region {
        let mut region = Region::zeros(CellRect::new(cells.rect.frames.clone(), bands.clone()));
        let (bins, n_bands) = (self.bins_under(bands), bands.len());
        if n_bands == 0 {
            return region;
        }
        let rows = region.magnitude.par_chunks_mut(n_bands).zip(cells.rect.frames.clone()).with_min_len(16);
        rows.for_each(|(out, frame)| {
            let first = cells.index(frame, bins.start);
            for (shares, magnitude) in self.bins[bins.clone()].iter().zip(&cells.magnitude[first..]) {
                for (band, weight) in (shares.band..).zip(shares.weights) {
                    if let Some(sum) = band.checked_sub(bands.start).and_then(|band| out.get_mut(band)) {
                        *sum += weight * magnitude;
                    }
                }
            }
        });
        region
    }

    /// Runs a kernel on the bands and returns the edited cells of `rect`. `mask` covers the frames of `rect` and all
    /// bands [over](MelBands::bands_over) its bins. `before` contains the cells to [read](MelBands::read) for these. A
    /// cell whose bands all have a mask of 0 is bit-identical; no cell is raised by more than 24 dB.
    pub fn paint(&self, plans: &FftPlans, kernel: &Kernel, before: &Region, mask: &Mask, rect: &CellRect) -> Region {
        let bands = self.magnitudes(before, &self.bands_within(&before.rect.bins));
        let after = kernel.run_with(plans, &bands, mask);
        self.apply(before, rect, &ratios(&bands, &after, mask))
    }

    /// The cells of `rect`, each times `1 + sum_b W[b, m] (r_b - 1) / sum_b W[b, m]`, where the values of `ratios` are
    /// `r_b`. Bit-identical where all are 1.
    pub fn apply(&self, before: &Region, rect: &CellRect, ratios: &Mask) -> Region {
        let mut after = before.crop(rect);
        let bands = &ratios.rect.bins;
        let ratio = |row: &[f32], band: usize| {
            band.checked_sub(bands.start).and_then(|band| row.get(band)).map_or(0.0, |ratio| ratio - 1.0)
        };
        let rows = after.magnitude.par_chunks_mut(rect.bins.len().max(1));
        rows.zip(ratios.values.par_chunks(bands.len().max(1))).with_min_len(16).for_each(|(magnitudes, ratios)| {
            for (magnitude, shares) in magnitudes.iter_mut().zip(&self.bins[rect.bins.clone()]) {
                let [low, high] = [0, 1].map(|i| shares.shares[i] * ratio(ratios, shares.band + i));
                // In this order of additions a cell whose bands are all erased becomes exactly 0.
                let gain = (1.0 + low + high).max(0.0);
                *magnitude = if gain == 1.0 { *magnitude } else { *magnitude * gain };
            }
        });
        after
    }

    /// A mask above 0 on every cell of `rect` that an edit under a mask of bands may change.
    pub fn cell_mask(&self, mask: &Mask, rect: &CellRect) -> Mask {
        let mut cells = Mask::zeros(rect.clone());
        let first = mask.rect.bins.start;
        for (frame, row) in rect.frames.clone().zip(cells.values.chunks_exact_mut(rect.bins.len().max(1))) {
            let of_frame = frame.checked_sub(mask.rect.frames.start).unwrap_or(usize::MAX);
            let Some(bands) = mask.values.chunks_exact(mask.rect.bins.len().max(1)).nth(of_frame) else { continue };
            for (value, shares) in row.iter_mut().zip(&self.bins[rect.bins.clone()]) {
                let of_bands = shares.bands().filter_map(|band| bands.get(band.checked_sub(first)?));
                *value = of_bands.fold(0.0, |max, m| m.max(max));
            }
        }
        cells
    }

    /// The bands whose bins are all in `bins`.
    pub fn bands_within(&self, bins: &Range<usize>) -> Range<usize> {
        let is_within = |of_band: &Range<usize>| bins.start <= of_band.start && of_band.end <= bins.end;
        let start = self.bins_of_bands.iter().position(is_within).unwrap_or(0);
        let n = self.bins_of_bands[start..].iter().take_while(|of_band| is_within(of_band)).count();
        start..start + n
    }
}

/// The weights of a bin at `place`, its distance from 0 Hz in steps between bands.
fn bin_shares(place: f64, n_bands: usize) -> BinShares {
    let weight = |band: usize| {
        let weight = 1.0 - (place - (band + 1) as f64).abs();
        if weight < MIN_WEIGHT { 0.0 } else { weight }
    };
    // Below the first centre and above the last there is one band only.
    let band = ((place - 1.0).floor().max(0.0) as usize).min(n_bands - 2);
    let exact = [weight(band), weight(band + 1)];
    let sum = exact[0] + exact[1];
    if sum == 0.0 {
        return BinShares { band, ..BinShares::default() };
    }
    let low = (exact[0] / sum) as f32;
    BinShares { band, weights: exact.map(|weight| weight as f32), shares: [low, 1.0 - low] }
}

/// Checks that bands are at least as far apart as bins.
///
/// # Errors
/// If the first step between bands is smaller than that between bins.
fn check_step(grid: &Grid, n_bands: usize, step_hz: f64) -> Result<()> {
    let bin_hz = grid.hz_from_bin(1.0);
    if step_hz >= bin_hz {
        return Ok(());
    }
    let fft_size = (2 * grid.nyquist_bin()) * ((bin_hz / step_hz).ceil() as usize).next_power_of_two();
    let why = if StftParams::SIZES.contains(&fft_size) {
        format!("{n_bands} bands need an FFT size of at least {fft_size}")
    } else {
        format!("{n_bands} bands lie closer than the bins of any FFT size at this sample rate; use fewer bands")
    };
    Err(Error::new(ErrorKind::Script, why))
}

/// The ratio of `after` to `before` for each band of a mask: at most 24 dB, and exactly 1 where the mask is 0.
pub fn ratios(before: &Region, after: &Region, mask: &Mask) -> Mask {
    let n_bands = mask.rect.bins.len();
    let mut values = planes::take(mask.values.len());
    let rows = values.chunks_exact_mut(n_bands.max(1)).zip(mask.rect.frames.clone());
    for ((out, frame), m) in rows.zip(mask.values.chunks_exact(n_bands.max(1))) {
        let [old, new] = [before, after].map(|region| &region.magnitude[region.index(frame, mask.rect.bins.start)..]);
        for ((ratio, m), (old, new)) in out.iter_mut().zip(m).zip(old.iter().zip(new)) {
            *ratio = if *m > 0.0 { (new / old.max(MIN_BAND_POWER)).clamp(0.0, MAX_RATIO) } else { 1.0 };
        }
    }
    Mask { rect: mask.rect.clone(), values }
}

/// Whether a mask of bands is above 0 somewhere, but in no frame for two adjacent bands.
pub fn is_one_band_wide(mask: &Mask) -> bool {
    let mut rows = mask.values.chunks_exact(mask.rect.bins.len().max(1));
    let has_pair = |row: &[f32]| row.windows(2).any(|pair| pair[0] > 0.0 && pair[1] > 0.0);
    mask.values.iter().any(|m| *m > 0.0) && !rows.any(has_pair)
}
