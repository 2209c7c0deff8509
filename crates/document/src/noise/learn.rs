//! Learns a noise profile from a range of noise alone.

use crate::base::{Error, ErrorKind, Progress, Result, clock_from_secs};
use crate::dsp::kernels::Blurring;
use crate::dsp::repair::denoise::{db_from_density, spread_of_noise};
use crate::dsp::{Denoise, Grid, NoiseProfile, NoiseSignal, NoiseSource, NoiseSpectrum, StftParams, Transform};
use crate::engine::Plans;
use crate::{Channels, SavedNoise, Signal, Snapshot};
use std::sync::Arc;

/// Maximum number of cells used, from the start of the range: some 40 s at 44.1 kHz.
const MAX_CELLS: usize = 1 << 22;

/// Maximum ratio of a cell's power to the mean of its bin; higher ratios count as this one.
const MAX_RATIO: f32 = 100.0;

/// The sound that an edit is applied to, and how the edit analyses it.
pub struct EditSound<'a> {
    /// The sound.
    pub snapshot: &'a Snapshot,
    /// The edit's channels.
    pub channels: &'a Channels,
    /// The edit's transform.
    pub transform: &'a Transform,
    /// Plans of transforms.
    pub plans: &'a Plans,
    /// Progress of the analysis.
    pub progress: &'a Progress,
}

/// Learns the noise of every channel, and of mid and side of stereo: the mean power of each bin over the frames
/// entirely within `secs`, and its deviation. Outside the band `hz` the noise is zero.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the range is shorter than a frame or silent, [`Cancelled`](ErrorKind::Cancelled),
/// and read errors of the source.
pub fn learn_noise(
    snapshot: &Snapshot,
    secs: [f64; 2],
    hz: Option<[f64; 2]>,
    transform: impl Into<Transform>,
    plans: &Plans,
    progress: &Progress,
) -> Result<NoiseProfile> {
    let mut signals = Signal::of(&Channels::All, snapshot.n_channels())?;
    if snapshot.n_channels() == 2 {
        signals.extend([Signal::Mid, Signal::Side]);
    }
    learn(snapshot, secs, hz, transform.into(), &signals, (plans, progress))
}

/// The profile of a noise: learnt if it is given as a range, read if it is given as a file; `None` if it already is a
/// profile.
///
/// # Errors
/// As [`learn_noise`] and [`SavedNoise::read_file`].
pub(crate) fn learnt_noise(noise: &NoiseSource, sound: &EditSound<'_>) -> Result<Option<NoiseSource>> {
    let (secs, hz) = match noise {
        NoiseSource::Profile(_) => return Ok(None),
        NoiseSource::Kept(file) => return Ok(Some(NoiseSource::Profile(SavedNoise::read_file(file)?.profile))),
        NoiseSource::Range { secs, hz } => (*secs, *hz),
    };
    let signals = Signal::of(sound.channels, sound.snapshot.n_channels())?;
    let profile = learn(sound.snapshot, secs, hz, sound.transform.clone(), &signals, (sound.plans, sound.progress))?;
    Ok(Some(NoiseSource::Profile(Arc::new(profile))))
}

fn learn(
    snapshot: &Snapshot,
    secs: [f64; 2],
    hz: Option<[f64; 2]>,
    transform: Transform,
    signals: &[Signal],
    (plans, progress): (&Plans, &Progress),
) -> Result<NoiseProfile> {
    // A profile for rows is learnt on an STFT too: its levels are densities, which apply to any transform.
    let params = match plans.validated(transform)? {
        Transform::Stft(params) => params,
        Transform::Rows(_) => StftParams::for_rate(snapshot.sample_rate_hz()),
    };
    let grid = snapshot.grid(params);
    let half_secs = grid.window_secs() / 2.0;
    let end_secs = secs[1].min(grid.duration_secs());
    // The tolerance of a thousandth of a frame compensates for rounding.
    let first = (grid.frame_from_secs(secs[0].max(0.0) + half_secs) - 1e-3).ceil() as usize;
    let last = (grid.frame_from_secs(end_secs - half_secs) + 1e-3).floor();
    if last < first as f64 {
        return Err(Error::new(
            ErrorKind::Script,
            format!(
                "noise cannot be learnt from {:.3} s at FFT size {}; select at least {:.3} s of noise alone",
                (end_secs - secs[0].max(0.0)).max(0.0),
                params.window_len(),
                4.0 * half_secs
            ),
        ));
    }
    let n_frames = (last as usize + 1 - first).min((MAX_CELLS / grid.n_bins()).max(1));
    let rect = grid.all_bins(first..first + n_frames);
    let stft = plans.get(params);
    let power = stft.window_power();
    // Two steps of the progress per signal.
    let n_steps = 2 * signals.len() as u64;
    let spectrum = |(index, signal): (usize, &Signal)| -> Result<(NoiseSignal, NoiseSpectrum)> {
        progress.step(2 * index as u64, n_steps)?;
        let mut samples = vec![0.0; grid.n_samples_under(n_frames)];
        signal.read(snapshot, grid.first_sample_under(first), &mut samples)?;
        let magnitude = stft.analyse(&samples, &rect).into_magnitude();
        progress.step(2 * index as u64 + 1, n_steps)?;
        Ok((signal.noise_of(), spectrum_of(&grid, magnitude, power, hz)))
    };
    let spectra = signals.iter().enumerate().map(spectrum).collect::<Result<Vec<_>>>()?;
    let is_silent = |(_, spectrum): &(NoiseSignal, NoiseSpectrum)| {
        spectrum.levels_db.iter().all(|&db| db <= NoiseSpectrum::SILENCE_DB)
    };
    if spectra.iter().all(is_silent) {
        return Err(Error::outcome(format!(
            "no noise between {} and {}, which is silent; select a passage of noise",
            clock_from_secs(secs[0]),
            clock_from_secs(secs[1])
        )));
    }
    Ok(NoiseProfile { stft: params, sample_rate_hz: grid.sample_rate_hz, spectra })
}

/// The noise spectrum of cells with these magnitudes, silent outside the band `hz`; `window_power` is `sum(w^2)`.
fn spectrum_of(grid: &Grid, magnitude: Vec<f32>, window_power: f64, hz: Option<[f64; 2]>) -> NoiseSpectrum {
    let n_bins = grid.n_bins();
    let n_frames = (magnitude.len() / n_bins) as f64;
    let mut means = vec![0.0f64; n_bins];
    for row in magnitude.chunks_exact(n_bins) {
        means.iter_mut().zip(row).for_each(|(mean, m)| *mean += f64::from(*m).powi(2) / n_frames);
    }
    let mut ratio = magnitude;
    for row in ratio.chunks_exact_mut(n_bins) {
        for (value, mean) in row.iter_mut().zip(&means) {
            *value = if *mean > 0.0 { ((f64::from(*value).powi(2) / mean) as f32).min(MAX_RATIO) } else { 1.0 };
        }
    }
    let cells = [grid.frames_in_secs(Denoise::SMOOTHING[0]), grid.bin_from_hz(Denoise::SMOOTHING[1])];
    let blurring = Blurring::of_sigma(cells);
    blurring.run(&mut ratio, n_bins);
    let (mut sums, mut squares) = (vec![0.0f64; n_bins], vec![0.0f64; n_bins]);
    for row in ratio.chunks_exact(n_bins) {
        for ((sum, square), &value) in sums.iter_mut().zip(&mut squares).zip(row) {
            *sum += f64::from(value) / n_frames;
            *square += f64::from(value).powi(2) / n_frames;
        }
    }
    let variance = |(square, sum): (&f64, &f64)| (square - sum * sum).max(0.0) as f32;
    let mut variances: Vec<f32> = squares.iter().zip(&sums).map(variance).collect();
    Blurring { reach: [0, blurring.reach[1]] }.run(&mut variances, n_bins);
    // At least the spread of Gaussian noise, rounded to thousandths, so that scripts store exactly the same number.
    let min = spread_of_noise(Denoise::SMOOTHING);
    let spread = |variance: &f32| ((f64::from(*variance).sqrt().max(min) * 1e3).round() / 1e3) as f32;
    let level = |(bin, &mean): (usize, &f64)| {
        let at = grid.hz_from_bin(bin as f64);
        let is_inside = hz.is_none_or(|[low, high]| (low..=high).contains(&at));
        if is_inside { db_from_density(mean / window_power) } else { NoiseSpectrum::SILENCE_DB }
    };
    NoiseSpectrum {
        levels_db: means.iter().enumerate().map(level).collect(),
        spread: variances.iter().map(spread).collect(),
    }
}
