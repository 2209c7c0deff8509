//! Landmarks to snap to: onsets and spectral peaks.

use super::{Analysis, ChannelView, Plans, Viewport};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::pitch::onsets::{onset_transform, onsets};
use crate::dsp::{Grid, Lobe, Transform, peak_near};
use std::ops::Range;

/// Maximum distance for snapping to onsets and peaks, in points.
pub const SNAP_POINTS: f64 = 8.0;
/// Maximum number of frames searched for peaks. In longer views only every nth frame is searched.
const MAX_FRAMES: usize = 20_000;
/// Range below the loudest cell of a frame, in dB, within which peaks count.
const PEAK_RANGE_DB: f32 = 60.0;
/// Minimum magnitude of a peak, so that silence has none.
const MIN_MAGNITUDE: f32 = 1e-3;
const CHUNK_FRAMES: usize = 256;
/// Number of samples searched for onsets at a time, and their overlap with the next.
const CHUNK_SAMPLES: usize = 1 << 20;
const OVERLAP_SAMPLES: usize = 1 << 14;

/// Landmarks in a range of time.
#[derive(Debug, Clone, Default)]
pub struct Landmarks {
    /// Onsets in seconds, ascending.
    onsets: Vec<f64>,
    first_frame: usize,
    stride: usize,
    secs_per_frame: f64,
    /// Peaks in hertz, ascending, of every `stride`th frame.
    peaks: Vec<Vec<f32>>,
}

/// The sound and range of a search for landmarks.
#[derive(Debug, Clone)]
pub struct LandmarkQuery {
    /// The sound.
    pub snapshot: Snapshot,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// Start and end in seconds.
    pub secs: [f64; 2],
}

impl LandmarkQuery {
    /// Whether both searches are certain to find the same landmarks.
    pub fn is_same(&self, other: &LandmarkQuery) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (&self.transform, self.channels, self.secs) == (&other.transform, other.channels, other.secs)
    }

    /// Finds the landmarks.
    ///
    /// # Errors
    /// Read errors, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn find(&self, plans: &Plans, progress: &Progress) -> Result<Landmarks> {
        let analysis =
            Analysis::new(&self.snapshot, self.channels, plans.view(&self.transform, self.snapshot.sample_rate_hz())?)?;
        let grid = analysis.grid().clone();
        let frame = |secs: f64| (grid.frame_from_secs(secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
        let frames = frame(self.secs[0])..frame(self.secs[1]) + 1;
        let stride = frames.len().div_ceil(MAX_FRAMES).max(1);
        let lobe = Lobe::of(&self.transform);
        let hz_of = |cells: &[f32]| -> Vec<f32> {
            peaks_of(cells, &grid, &lobe).into_iter().map(|bin| grid.hz_from_bin(bin) as f32).collect()
        };
        let mut peaks = Vec::with_capacity(frames.len() / stride + 1);
        if stride == 1 {
            let mut start = frames.start;
            while start < frames.end {
                progress.check()?;
                let end = (start + CHUNK_FRAMES).min(frames.end);
                let region = analysis.region(start..end)?;
                peaks.extend(region.magnitude.chunks_exact(grid.n_bins()).map(hz_of));
                start = end;
            }
        } else {
            for frame in frames.clone().step_by(stride) {
                progress.check()?;
                peaks.extend(analysis.region(frame..frame + 1)?.magnitude.chunks_exact(grid.n_bins()).map(hz_of));
            }
        }
        Ok(Landmarks {
            onsets: onsets_of(&analysis, plans, self.secs, progress)?,
            first_frame: frames.start,
            stride,
            secs_per_frame: grid.hop_secs(),
            peaks,
        })
    }
}

impl Landmarks {
    /// The time of the onset near a position in a viewport.
    pub fn secs(&self, viewport: &Viewport, secs: f64) -> Option<f64> {
        let reach = SNAP_POINTS * viewport.secs_per_pixel();
        let nearest = |best: Option<f64>, at: f64| match best {
            Some(best) if (best - secs).abs() <= (at - secs).abs() => Some(best),
            _ => Some(at),
        };
        let near = self.onsets.iter().copied().filter(|at| (at - secs).abs() <= reach);
        near.fold(None, nearest)
    }

    /// The frequency of the peak near a position in a viewport, interpolated, from the frame nearest to its time.
    pub fn hz(&self, viewport: &Viewport, secs: f64, hz: f64) -> Option<f64> {
        let frame = (secs / self.secs_per_frame).round().max(0.0) as usize;
        let row = (frame.saturating_sub(self.first_frame) as f64 / self.stride.max(1) as f64).round() as usize;
        let y = viewport.y_from_hz(hz);
        let off = |peak: f64| (viewport.y_from_hz(peak) - y).abs();
        let near = self.peaks.get(row)?.iter().map(|&peak| f64::from(peak)).filter(|&peak| off(peak) <= SNAP_POINTS);
        near.min_by(|&a, &b| off(a).total_cmp(&off(b)))
    }

    /// A position in points, snapped to an onset and to a peak if there are any nearby.
    pub fn place(&self, viewport: &Viewport, at: [f64; 2]) -> [f64; 2] {
        let secs = viewport.secs_from_x(at[0]);
        let x = self.secs(viewport, secs).map_or(at[0], |secs| viewport.x_from_secs(secs));
        let peak = self.hz(viewport, secs, viewport.hz_from_y(at[1]));
        [x, peak.map_or(at[1], |hz| viewport.y_from_hz(hz))]
    }
}

/// Fractional bins of all peaks of a frame, ascending.
fn peaks_of(cells: &[f32], grid: &Grid, lobe: &Lobe) -> Vec<f64> {
    let loudest = cells.iter().copied().fold(0.0f32, f32::max);
    let min = (loudest * 10f32.powf(-PEAK_RANGE_DB / 20.0)).max(MIN_MAGNITUDE);
    let is_peak = |&bin: &usize| cells[bin] >= min && cells[bin] > cells[bin - 1] && cells[bin] >= cells[bin + 1];
    let all = (1..cells.len().saturating_sub(1)).filter(is_peak);
    all.filter_map(|bin| peak_near(cells, bin, &lobe.around(grid, bin))).map(|(bin, _)| bin).collect()
}

fn onsets_of(analysis: &Analysis, plans: &Plans, secs: [f64; 2], progress: &Progress) -> Result<Vec<f64>> {
    let snapshot = analysis.snapshot();
    let rate_hz = snapshot.sample_rate_hz();
    let stft = plans.get(onset_transform(rate_hz));
    let clamp = |secs: f64| ((secs * rate_hz).round().max(0.0) as usize).min(snapshot.n_samples() as usize);
    // An onset at the view's edge is only detected together with the samples before it.
    let all = clamp(secs[0]).saturating_sub(OVERLAP_SAMPLES)..clamp(secs[1]);
    let signals = analysis.signals();
    let mut found: Vec<f64> = Vec::new();
    let mut start = all.start;
    while start < all.end {
        progress.check()?;
        let chunk: Range<usize> = start..(start + CHUNK_SAMPLES).min(all.end);
        let mut sum = vec![0.0f32; chunk.len()];
        for signal in &signals {
            let samples = analysis.samples(*signal, chunk.start as i64, chunk.len())?;
            sum.iter_mut().zip(&samples).for_each(|(sum, sample)| *sum += sample / signals.len() as f32);
        }
        // The start of a chunk is not an onset, except at the start of the sound.
        let margin = if chunk.start == 0 { 0 } else { OVERLAP_SAMPLES / 2 };
        let after = found.last().copied().unwrap_or(-1.0);
        let chunk_onsets = onsets(&stft, &sum, rate_hz).into_iter().filter(|&at| at >= margin);
        found.extend(chunk_onsets.map(|at| (chunk.start + at) as f64 / rate_hz).filter(|&secs| secs > after + 0.03));
        start = if chunk.end == all.end { all.end } else { chunk.end - OVERLAP_SAMPLES };
    }
    Ok(found)
}
