//! Onset detection: spectral flux gives the approximate time, the rise of energy the exact sample.

use crate::{Grid, Stft, StftParams, Window};

/// Minimum distance between onsets.
const MIN_SEPARATION_SECS: f64 = 0.03;
/// Length over which the energies before and after a sample are compared.
const EDGE_SECS: f64 = 0.003;
/// Minimum flux of an onset, relative to the mean around it.
const MIN_FLUX_RATIO: f32 = 1.6;
/// Half the duration over which this mean is taken.
const CONTEXT_SECS: f64 = 0.15;

/// Lag in frames: flux compares each frame with the one this many frames earlier.
pub const FLUX_FRAMES_BACK: usize = 2;
/// Gain before compression: flux uses `ln(1 + FLUX_GAIN |X| / n)`, with `n` samples per frame.
pub const FLUX_GAIN: f32 = 1000.0;

/// The transform for onset detection.
pub fn onset_transform(rate_hz: f64) -> StftParams {
    let size = (2f64.powf((0.023 * rate_hz).log2().round()) as usize).clamp(64, 8192);
    StftParams::of_size(size, 4, Window::Hann)
}

/// Samples at which a sound begins, ascending. `stft` must have the parameters of [`onset_transform`] for the rate.
/// Sound outside `samples` counts as silence, so the start of the slice may be an onset.
pub fn onsets(stft: &Stft, samples: &[f32], rate_hz: f64) -> Vec<usize> {
    onsets_of_flux(stft.params(), samples, &onset_flux(stft, samples), rate_hz)
}

/// The [`onsets`] of samples whose [flux](onset_flux) is known.
pub fn onsets_of_flux(params: StftParams, samples: &[f32], flux: &[f32], rate_hz: f64) -> Vec<usize> {
    let grid = Grid::new(params, rate_hz, samples.len() as u64);
    let size = grid.n_samples_under(1);
    let mut found: Vec<usize> = Vec::new();
    for frame in flux_peaks(flux, grid.frames_in_secs(1.0)) {
        // Windows cut off by the end of the samples would show false onsets.
        let centre = grid.centre_sample(frame) as usize;
        if centre + size / 2 > samples.len() {
            break;
        }
        let at = steepest(samples, centre, size, rate_hz);
        let min = (MIN_SEPARATION_SECS * rate_hz) as usize;
        if found.last().is_none_or(|&last| at >= last + min) {
            found.push(at);
        }
    }
    found
}

/// Frames of onsets, ascending: the peaks of `flux`, which must not be negative, that stand out from the mean around
/// them.
pub fn flux_peaks(flux: &[f32], frames_per_sec: f64) -> impl Iterator<Item = usize> {
    let frames_in = |secs: f64| ((secs * frames_per_sec).round() as usize).max(1);
    let (around, apart) = (frames_in(CONTEXT_SECS), frames_in(MIN_SEPARATION_SECS));
    let loudest = flux.iter().copied().fold(0.0f32, f32::max);
    flux.iter().enumerate().filter_map(move |(frame, &rise)| {
        let near = |reach: usize| frame.saturating_sub(reach)..(frame + reach + 1).min(flux.len());
        let mean = flux[near(around)].iter().sum::<f32>() / near(around).len() as f32;
        // Of several equal maxima, only the first is a peak.
        let is_peak = near(apart.max(2)).all(|at| flux[at] < rise || (flux[at] == rise && at >= frame));
        (is_peak && rise > MIN_FLUX_RATIO * mean && rise > 0.02 * loudest && rise > 0.0).then_some(frame)
    })
}

/// The grid of the frames of [`onset_flux`]. Frames are counted in samples, so any sample rate gives the same ones.
fn flux_grid(params: StftParams, n_samples: usize) -> Grid {
    Grid::new(params, 1.0, n_samples as u64)
}

/// Number of frames of the [flux](onset_flux) of `n_samples`.
pub fn n_flux_frames(params: StftParams, n_samples: usize) -> usize {
    flux_grid(params, n_samples).n_frames()
}

/// Spectral flux of each frame: the increase of log-compressed magnitudes since [two frames before](FLUX_FRAMES_BACK),
/// summed over all bins. Frames are those of the [grid](Grid::new) of the samples; outside `samples` is silence.
pub fn onset_flux(stft: &Stft, samples: &[f32]) -> Vec<f32> {
    const CHUNK: usize = 256;
    let grid = flux_grid(stft.params(), samples.len());
    let (n_frames, n_bins, size) = (grid.n_frames(), grid.n_bins(), grid.n_samples_under(1));
    let mut padded = vec![0.0; grid.n_samples_under(n_frames)];
    padded[size / 2..size / 2 + samples.len()].copy_from_slice(samples);
    let scale = FLUX_GAIN / size as f32;
    let mut before: Vec<Vec<f32>> = vec![vec![0.0; n_bins]; FLUX_FRAMES_BACK];
    let mut flux = Vec::with_capacity(n_frames);
    let mut start = 0;
    while start < n_frames {
        let frames = start..(start + CHUNK).min(n_frames);
        let first = grid.centre_sample(start) as usize;
        let rect = grid.all_bins(frames.clone());
        let region = stft.analyse(&padded[first..first + grid.n_samples_under(frames.len())], &rect);
        for row in region.magnitude.chunks_exact(n_bins) {
            let row: Vec<f32> = row.iter().map(|m| (1.0 + scale * m).ln()).collect();
            flux.push(row.iter().zip(&before[0]).map(|(now, then)| (now - then).max(0.0)).sum());
            before.rotate_left(1);
            before[FLUX_FRAMES_BACK - 1] = row;
        }
        start = frames.end;
    }
    flux
}

/// The sample near `about` with the highest ratio of energy after it to energy before it.
fn steepest(samples: &[f32], about: usize, reach: usize, rate_hz: f64) -> usize {
    let edge = ((EDGE_SECS * rate_hz).round() as usize).max(4);
    // Flux compares with two frames before, so the onset may lie before the frame's centre.
    let (from, to) = (about.saturating_sub(reach), (about + reach / 2).min(samples.len()));
    if from >= to {
        return about.min(samples.len());
    }
    let first = from.saturating_sub(edge);
    let end = (to + edge).min(samples.len());
    let mut sums = Vec::with_capacity(end - first + 1);
    sums.push(0.0f64);
    for &sample in &samples[first..end] {
        sums.push(sums[sums.len() - 1] + f64::from(sample) * f64::from(sample));
    }
    let energy = |a: usize, b: usize| {
        let clamp = |at: usize| at.clamp(first, end) - first;
        sums[clamp(b)] - sums[clamp(a)]
    };
    let max = (from..to).map(|at| energy(at, at + edge)).fold(0.0, f64::max);
    let floor = 1e-3 * max + 1e-15;
    let ratio = |at: usize| (energy(at, at + edge) + floor) / (energy(at.saturating_sub(edge), at) + floor);
    (from..to).max_by(|&a, &b| ratio(a).total_cmp(&ratio(b))).unwrap_or(about)
}
