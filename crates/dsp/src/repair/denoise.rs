//! A noise profile, and how to reduce its noise: data of the denoise brush.
//!
//! A profile is stored with the transform with which it was learnt, and converted to any other: its levels are
//! densities, which do not depend on window or size, and its spreads refer to a smoothing in seconds and hertz.

use crate::kernels::{Blurring, NoiseReduction, memory_of_hop};
use crate::mels::mel_bands::MelBands;
use crate::{Grid, GridPlan, Stft, StftParams};
use std::f64::consts::PI;
use std::path::PathBuf;
use std::sync::Arc;

/// Noise reduction by a learnt profile: the MMSE log-spectral amplitude gain (Ephraim and Malah, IEEE TASSP 33(2),
/// 1985), with the decision-directed estimate run forwards and backwards in time. Cells that contain only noise are
/// attenuated by `reduction_db`.
#[derive(Debug, Clone, PartialEq)]
pub struct Denoise {
    /// Source of the noise profile.
    pub noise: NoiseSource,
    /// Maximum attenuation of pure noise, 0 to 80 dB.
    pub reduction_db: f64,
    /// Margin added to the learnt noise level, -12 to 12 dB.
    pub margin_db: f64,
    /// Standard deviations, in seconds and hertz, of the window in which sound must exceed the noise to be kept; if
    /// either is 0, each cell is decided separately, which causes musical noise.
    pub smoothing: [f64; 2],
    /// Whether bins share their gains with their neighbours, as in
    /// [`NoiseReduction::is_even`](crate::kernels::NoiseReduction::is_even). True in new edits, false in older ones,
    /// whose result must not change.
    pub even_gains: bool,
}

/// The hop for which the memory of the estimate was tuned: 512 samples at 44.1 kHz.
const REFERENCE_HOP_SECS: f64 = 512.0 / 44_100.0;

/// Source of a noise profile.
#[derive(Debug, Clone, PartialEq)]
pub enum NoiseSource {
    /// A range of the sound that contains only noise; the profile is learnt when the edit is applied.
    Range {
        /// Start and end in seconds.
        secs: [f64; 2],
        /// Band of the noise, outside of which it is zero; `None` for all frequencies.
        hz: Option<[f64; 2]>,
    },
    /// A profile file, read when the edit is applied.
    Kept(PathBuf),
    /// A learnt profile.
    Profile(Arc<NoiseProfile>),
}

/// Noise spectra learnt from a sound, with the transform that they refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseProfile {
    /// The transform with which it was learnt.
    pub stft: StftParams,
    /// Sample rate of the sound from which it was learnt.
    pub sample_rate_hz: f64,
    /// One spectrum for each learnt signal; at least one.
    pub spectra: Vec<(NoiseSignal, NoiseSpectrum)>,
}

/// The signal from which a spectrum was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseSignal {
    /// One channel.
    Channel(usize),
    /// `(L + R) / 2`.
    Mid,
    /// `(L - R) / 2`.
    Side,
}

/// The noise of one signal, per bin of the profile's transform.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseSpectrum {
    /// `10 log10(mean |X|^2 / sum(w^2))`: for white noise the variance of its samples. [`NoiseSpectrum::SILENCE_DB`]
    /// and below means no noise.
    pub levels_db: Vec<f32>,
    /// Standard deviation of `|X|^2 / mean |X|^2` after [`Denoise::SMOOTHING`]: how far the noise itself exceeds its
    /// mean.
    pub spread: Vec<f32>,
}

impl Denoise {
    /// The smoothing with which profiles are learnt, and the default if gains are not even.
    pub const SMOOTHING: [f64; 2] = [0.048, 500.0];
    /// Maximum smoothing.
    pub const MAX_SMOOTHING: [f64; 2] = [10.0, 24_000.0];
    /// Default maximum attenuation in dB.
    pub const REDUCTION_DB: f64 = 30.0;
    /// Default margin in dB if gains are not even.
    pub const MARGIN_DB: f64 = 2.0;
    /// The smoothing of new edits.
    pub const EVEN_SMOOTHING: [f64; 2] = [0.1, 500.0];
    /// The margin of new edits in dB.
    pub const EVEN_MARGIN_DB: f64 = 1.0;

    /// A reduction with the defaults of scripts and sessions.
    pub fn of(noise: NoiseSource) -> Denoise {
        Denoise {
            noise,
            reduction_db: Denoise::REDUCTION_DB,
            margin_db: Denoise::MARGIN_DB,
            smoothing: Denoise::SMOOTHING,
            even_gains: false,
        }
    }

    /// A reduction with the defaults of new edits.
    pub fn even(noise: NoiseSource) -> Denoise {
        Denoise {
            margin_db: Denoise::EVEN_MARGIN_DB,
            smoothing: Denoise::EVEN_SMOOTHING,
            even_gains: true,
            ..Denoise::of(noise)
        }
    }

    /// The kernel for one signal on a grid.
    pub fn kernel(&self, profile: &NoiseProfile, of: NoiseSignal, grid: &Grid, plan: &GridPlan) -> NoiseReduction {
        // At a higher sample rate, the same density per hertz amounts to more power.
        let scale = |bin: usize| plan.noise_power(bin) * grid.sample_rate_hz / profile.sample_rate_hz;
        // STFT frames count as one reference hop apart, regardless of their actual hop; for rows, the actual hop is
        // used.
        let apart = match plan {
            GridPlan::Stft(_) => 1.0,
            GridPlan::Rows(_) => grid.hop_secs() / REFERENCE_HOP_SECS,
        };
        let noise = NoiseOnGrid::new(profile, of, grid);
        self.kernel_on(&noise, apart, |bin| noise.density(bin) * scale(bin))
    }

    /// The kernel for noise with the given cell power in each bin, on frames `apart` reference hops apart.
    fn kernel_on(&self, noise: &NoiseOnGrid<'_>, apart: f64, power: impl Fn(usize) -> f64) -> NoiseReduction {
        let grid = noise.grid;
        let learnt = spread_of_noise(Denoise::SMOOTHING);
        let own = spread_of_noise(self.smoothing);
        let bins = (0..grid.n_bins()).map(|bin| (power(bin), noise.spread(bin) / learnt, own));
        self.reduction(apart, [grid.frames_in_secs(self.smoothing[0]), grid.bins_in_hz(self.smoothing[1])], bins)
    }

    /// The kernel for one signal on frames of a grid other than an STFT: `window_power` is the power of a cell under
    /// white noise of variance 1, and `leaks` how the frames' window spreads a tone.
    pub fn kernel_of_frames(
        &self,
        profile: &NoiseProfile,
        of: NoiseSignal,
        grid: &Grid,
        window_power: f64,
        leaks: &WindowLeaks,
    ) -> NoiseReduction {
        let scale = window_power * grid.sample_rate_hz / profile.sample_rate_hz;
        let noise = NoiseOnGrid::new(profile, of, grid);
        self.kernel_on(&noise, 1.0, |bin| noise.leaked(bin, leaks) * scale)
    }

    /// The kernel for one signal on mel bands of an STFT's grid: the smoothing in hertz is converted to a number of
    /// bands at the middle band.
    pub fn kernel_of_bands(
        &self,
        profile: &NoiseProfile,
        of: NoiseSignal,
        grid: &Grid,
        stft: &Stft,
        bands: &MelBands,
    ) -> NoiseReduction {
        let noise = NoiseOnGrid::new(profile, of, grid);
        let scale = stft.window_power() * grid.sample_rate_hz / profile.sample_rate_hz;
        let power: Vec<f64> = (0..grid.n_bins()).map(|bin| noise.density(bin) * scale).collect();
        let likeness = stft.likeness_of_bins();
        let learnt = spread_of_noise(Denoise::SMOOTHING);
        let sigma_bands = self.smoothing[1] / bands.step_hz(bands.n_bands() / 2);
        let of_band = |band: usize| {
            let own = spread_of_noise([self.smoothing[0], sigma_bands * bands.step_hz(band)]);
            let bin = (grid.bin_from_hz(bands.hz()[band]).round() as usize).min(grid.n_bins() - 1);
            (bands.noise_power(band, &power, &likeness), noise.spread(bin) / learnt, own)
        };
        let cells = [grid.frames_in_secs(self.smoothing[0]), sigma_bands];
        self.reduction(1.0, cells, (0..bands.n_bands()).map(of_band))
    }

    /// The kernel for frames `apart` reference hops apart, smoothed over `smoothing_cells` frames and bins. `rows`
    /// yields for each bin the mean square of the noise, its spread relative to that of white noise, and the spread of
    /// white noise after the smoothing.
    fn reduction(
        &self,
        apart: f64,
        smoothing_cells: [f64; 2],
        rows: impl Iterator<Item = (f64, f64, f64)>,
    ) -> NoiseReduction {
        let (memory, settle_frames) = memory_of_hop(apart);
        let is_gated = self.smoothing.iter().all(|&sigma| sigma > 0.0);
        let mut reduction = NoiseReduction {
            inverse_noise: Vec::new(),
            presence: Vec::new(),
            blurring: if is_gated { Blurring::of_sigma(smoothing_cells) } else { Blurring::none() },
            margin: 10f64.powf(-self.margin_db / 10.0) as f32,
            floor: 10f64.powf(-self.reduction_db / 20.0) as f32,
            memory,
            settle_frames,
            is_even: self.even_gains,
        };
        // Distances from the mean of the noise, in standard deviations, from which presence rises above 0, and at which
        // it reaches 1.
        let deviations = if self.even_gains { [5.0, 6.0] } else { [4.0, 8.0] };
        for (noise, spread, own) in rows {
            reduction.inverse_noise.push(if noise > 0.0 { (1.0 / noise).min(f64::from(f32::MAX)) as f32 } else { 0.0 });
            let spread = (spread * own).max(own);
            let presence = if is_gated { deviations.map(|times| 1.0 + times * spread) } else { [-2.0, -1.0] };
            reduction.presence.push(presence.map(|ratio| ratio as f32));
        }
        reduction
    }
}

/// How a window spreads the power of a tone over bins: its power response at equally spaced distances from the tone,
/// scaled so that white noise keeps its level.
#[derive(Debug, Clone)]
pub struct WindowLeaks(Vec<f64>);

impl WindowLeaks {
    /// Steps per bin, and bins on each side: side lobes of a hum reach far into the surrounding hiss.
    const STEPS: usize = 4;
    const REACH_BINS: usize = 40;

    /// The leakage of a symmetrical window.
    pub fn of(window: &[f32]) -> WindowLeaks {
        let (n, middle) = (window.len() as f64, (window.len() as f64 - 1.0) / 2.0);
        let response = |step: usize| {
            let turn = 2.0 * PI * step as f64 / (WindowLeaks::STEPS as f64 * n);
            let cosines = window.iter().enumerate().map(|(i, w)| f64::from(*w) * (turn * (i as f64 - middle)).cos());
            cosines.sum::<f64>().powi(2)
        };
        let mut leaks: Vec<f64> = (0..=WindowLeaks::STEPS * WindowLeaks::REACH_BINS).map(response).collect();
        let all = leaks[0] + 2.0 * leaks[1..].iter().sum::<f64>();
        leaks.iter_mut().for_each(|leak| *leak /= all);
        WindowLeaks(leaks)
    }

    /// Offsets from the tone in bins, on both sides, each with its share of the power.
    fn steps(&self) -> impl Iterator<Item = (f64, f64)> {
        let both = |(step, leak): (usize, &f64)| {
            let bins = step as f64 / WindowLeaks::STEPS as f64;
            let sides: &[f64] = if step == 0 { &[1.0] } else { &[1.0, -1.0] };
            sides.iter().map(move |side| (side * bins, *leak)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(both)
    }
}

/// A profile of one signal, sampled at the bins of a grid.
struct NoiseOnGrid<'a> {
    grid: &'a Grid,
    from: Grid,
    densities: Vec<f64>,
    spreads: Vec<f64>,
}

impl NoiseOnGrid<'_> {
    fn new<'a>(profile: &NoiseProfile, of: NoiseSignal, grid: &'a Grid) -> NoiseOnGrid<'a> {
        let spectrum = profile.spectrum(of);
        NoiseOnGrid {
            grid,
            from: Grid::new(profile.stft, profile.sample_rate_hz, 0),
            densities: spectrum.levels_db.iter().map(|&db| density_from_db(db)).collect(),
            spreads: spectrum.spread.iter().map(|&spread| f64::from(spread)).collect(),
        }
    }

    /// Mean power over `sum(w^2)`, at the profile's rate.
    fn density(&self, bin: usize) -> f64 {
        self.around(&self.densities, bin)
    }

    /// The density including the power that a window leaks from other frequencies.
    fn leaked(&self, bin: usize, leaks: &WindowLeaks) -> f64 {
        let density = |(off, part): (f64, f64)| {
            let hz = self.grid.hz_from_bin(bin as f64 + off).abs();
            part * mean_around(&self.densities, self.from.bin_from_hz(hz), 0.0)
        };
        leaks.steps().map(density).sum()
    }

    fn spread(&self, bin: usize) -> f64 {
        self.around(&self.spreads, bin)
    }

    fn around(&self, values: &[f64], bin: usize) -> f64 {
        let at = self.from.bin_from_hz(self.grid.hz_from_bin(bin as f64));
        mean_around(values, at, self.from.bins_in_hz(self.grid.hz_around_bin(bin)))
    }
}

impl NoiseProfile {
    /// The spectrum of a signal. A missing one is derived from the channels: mid and side of uncorrelated channels have
    /// half their mean power, any other channel has their mean power. If no channel was learnt, it is the mean of all
    /// spectra.
    pub fn spectrum(&self, of: NoiseSignal) -> NoiseSpectrum {
        if let Some((_, spectrum)) = self.spectra.iter().find(|(learnt, _)| *learnt == of) {
            return spectrum.clone();
        }
        let is_channel = |of: &NoiseSignal| matches!(of, NoiseSignal::Channel(_));
        let channels: Vec<&NoiseSpectrum> =
            self.spectra.iter().filter(|(of, _)| is_channel(of)).map(|(_, spectrum)| spectrum).collect();
        let (parts, share) = match (is_channel(&of), channels.is_empty()) {
            (_, true) => (self.spectra.iter().map(|(_, spectrum)| spectrum).collect(), 1.0),
            (false, _) => (channels, 0.5),
            (true, _) => (channels, 1.0),
        };
        let n = parts.len().max(1) as f64;
        let mean = |bin: usize| {
            let power: f64 = parts.iter().map(|part| density_from_db(part.levels_db[bin])).sum();
            db_from_density(share * power / n)
        };
        let widest = |bin: usize| parts.iter().map(|part| part.spread[bin]).fold(0.0, f32::max);
        let bins = 0..self.stft.n_bins();
        NoiseSpectrum { levels_db: bins.clone().map(mean).collect(), spread: bins.map(widest).collect() }
    }

    /// The noise on the scale of an STFT spectrogram, averaged over the channels: for each bin of `grid` the RMS level
    /// of its cells in dB, 0 dB being a full-scale sine; minus infinity for zero. `None` for a transform with rows.
    pub fn shown_db(&self, grid: &Grid) -> Option<Vec<f32>> {
        let [sum, power] = grid.transform().as_stft()?.window_sums();
        // No channel has this number, so the mean of all is used.
        let noise = NoiseOnGrid::new(self, NoiseSignal::Channel(usize::MAX), grid);
        let scale = power * grid.sample_rate_hz / self.sample_rate_hz * (2.0 / sum).powi(2);
        let level = |bin: usize| match noise.density(bin) * scale {
            mean if mean > 0.0 => (10.0 * mean.log10()) as f32,
            _ => f32::NEG_INFINITY,
        };
        Some((0..grid.n_bins()).map(level).collect())
    }
}

impl NoiseSpectrum {
    /// Level in dB that counts as silence.
    pub const SILENCE_DB: f32 = -200.0;
}

/// Standard deviation of the smoothed power of Gaussian noise with mean 1: one over the root of the number of
/// independent cells in a Gaussian of these standard deviations.
pub fn spread_of_noise(smoothing: [f64; 2]) -> f64 {
    1.0 / (4.0 * PI * smoothing[0] * smoothing[1]).sqrt().max(1e-3)
}

/// The level of a density, as in [`NoiseSpectrum::levels_db`].
pub fn db_from_density(density: f64) -> f32 {
    let db = 10.0 * density.max(1e-30).log10();
    // Rounded to hundredths, so that a script stores the same number.
    ((db.max(f64::from(NoiseSpectrum::SILENCE_DB)) * 100.0).round() / 100.0) as f32
}

fn density_from_db(db: f32) -> f64 {
    if db <= NoiseSpectrum::SILENCE_DB { 0.0 } else { 10f64.powf(f64::from(db) / 10.0) }
}

/// The mean of the linearly interpolated values over a window of `width` bins centred on `at`, ignoring the part of the
/// window outside `values`; 0 if `at` is beyond the last bin.
fn mean_around(values: &[f64], at: f64, width: f64) -> f64 {
    let last = values.len() as f64 - 1.0;
    let value = |at: f64| {
        let low = (at as usize).min(values.len() - 1);
        let high = (low + 1).min(values.len() - 1);
        values[low] + (values[high] - values[low]) * (at - low as f64)
    };
    if at > last + 0.5 {
        return 0.0;
    }
    if width <= 1.0 {
        return value(at.clamp(0.0, last));
    }
    let n = (2.0 * width).ceil() as usize;
    let places = (0..n).map(|i| at + width * ((i as f64 + 0.5) / n as f64 - 0.5));
    let (sum, n) =
        places.filter(|at| (0.0..=last).contains(at)).fold((0.0, 0), |(sum, n), at| (sum + value(at), n + 1));
    if n == 0 { 0.0 } else { sum / f64::from(n) }
}
