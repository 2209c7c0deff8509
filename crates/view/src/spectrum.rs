//! Spectra of a sound: a slice at one moment, before and after all edits, and mean and maximum over the selection.

use super::{Analysis, ChannelView, Plans, db_from_amplitude};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::dsp::selections::mask;
use crate::dsp::{AmplitudeScale, CellRect, Grid, Lobe, NoiseProfile, Region, Selection, Transform, peak_near};
use std::sync::Arc;

/// Number of frames analysed at a time.
const CHUNK_FRAMES: usize = 256;
/// Distance from a peak in bins within which no bin may be louder, to exclude side lobes.
const PEAK_BINS: usize = 3;
/// Range below the loudest peak, in dB, within which peaks are listed.
const PEAK_RANGE_DB: f64 = 70.0;
/// Minimum level of a peak, which excludes the rounding errors of 24-bit samples and of edits in 32-bit float.
const MIN_PEAK_DB: f64 = -140.0;

/// A peak, interpolated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Frequency.
    pub hz: f64,
    /// Level; 0 dB is a full-scale sine.
    pub db: f64,
}

/// The spectrum at one moment. Levels in dB by bin, from 0 Hz up; silence is minus infinity.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Centre of its frame.
    pub secs: f64,
    /// The grid of its frame.
    pub grid: Grid,
    /// Levels with all edits.
    pub after: Vec<f32>,
    /// Levels of the opened file; `None` without edits.
    pub before: Option<Vec<f32>>,
    /// Peaks of `after`, the loudest first.
    pub peaks: Vec<Peak>,
    /// The learnt noise on this grid; `None` for rows, and before noise was learnt.
    pub noise: Option<Vec<f32>>,
}

/// Spectra over a selection. Levels in dB by bin; minus infinity where nothing is selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// The grid of the spectra.
    pub grid: Grid,
    /// Mean power, weighted by the selection of each cell.
    pub mean: Vec<f32>,
    /// Maximum over cells that are at least half selected.
    pub max: Vec<f32>,
}

/// The sounds, grid and frame of a slice.
#[derive(Debug, Clone)]
pub struct SliceQuery {
    /// Sound with all edits.
    pub after: Snapshot,
    /// Sound of the opened file; `None` without edits.
    pub before: Option<Snapshot>,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// Index of the frame.
    pub frame: usize,
    /// The learnt noise.
    pub noise: Option<Arc<NoiseProfile>>,
}

/// The selection, sound and grid of a mean and maximum.
#[derive(Debug, Clone)]
pub struct ExtentQuery {
    /// The selection.
    pub selection: Selection,
    /// The sound.
    pub snapshot: Snapshot,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
}

impl SliceQuery {
    /// Whether both have the same result.
    pub fn is_same(&self, other: &SliceQuery) -> bool {
        let is_before_same = match (&self.before, &other.before) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is_same(b),
            _ => false,
        };
        let address = |noise: &Option<Arc<NoiseProfile>>| noise.as_ref().map(Arc::as_ptr);
        is_before_same
            && address(&self.noise) == address(&other.noise)
            && self.after.is_same(&other.after)
            && (&self.transform, self.channels, self.frame) == (&other.transform, other.channels, other.frame)
    }

    /// Computes the slice.
    ///
    /// # Errors
    /// Read errors.
    pub fn find(&self, plans: &Plans) -> Result<Slice> {
        let plan = plans.view(&self.transform, self.after.sample_rate_hz())?;
        let scale = plan.amplitude_scale();
        let column = |snapshot: &Snapshot| -> Result<(Grid, Vec<f32>)> {
            let analysis = Analysis::new(snapshot, self.channels, plan.clone())?;
            let grid = analysis.grid().clone();
            // Beyond its end a shorter sound is silent.
            let frames = self.frame.min(grid.n_frames())..(self.frame + 1).min(grid.n_frames());
            let region: Region = analysis.region(frames)?;
            let mut magnitude = region.into_magnitude();
            magnitude.resize(grid.n_bins(), 0.0);
            Ok((grid, magnitude))
        };
        let db = |magnitude: &[f32]| {
            magnitude.iter().enumerate().map(|(bin, cell)| level(cell * scale.of(bin))).collect::<Vec<f32>>()
        };
        let (grid, after) = column(&self.after)?;
        let before = self.before.as_ref().map(column).transpose()?.map(|(_, before)| db(&before));
        let peaks = peaks(&after, &grid, scale);
        let noise = self.noise.as_ref().and_then(|noise| noise.shown_db(&grid));
        Ok(Slice { secs: grid.secs_from_frame(self.frame as f64), grid, after: db(&after), before, peaks, noise })
    }
}

impl ExtentQuery {
    /// Whether both have the same result.
    pub fn is_same(&self, other: &ExtentQuery) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (&self.transform, self.channels) == (&other.transform, other.channels)
            && self.selection == other.selection
    }

    /// Computes mean and maximum.
    ///
    /// # Errors
    /// If nothing is selected; read errors; cancelled.
    pub fn find(&self, plans: &Plans, progress: &Progress) -> Result<Extent> {
        let analysis =
            Analysis::new(&self.snapshot, self.channels, plans.view(&self.transform, self.snapshot.sample_rate_hz())?)?;
        let grid = analysis.grid().clone();
        let n_bins = grid.n_bins();
        let bounds = mask::bounds(&grid, None, Some(&self.selection));
        if bounds.frames.is_empty() {
            return Err(Error::new(ErrorKind::Unsupported, "nothing is selected"));
        }
        let (mut power, mut weight, mut max) = (vec![0.0f64; n_bins], vec![0.0f64; n_bins], vec![0.0f32; n_bins]);
        let mut start = bounds.frames.start;
        while start < bounds.frames.end {
            progress.step((start - bounds.frames.start) as u64, bounds.frames.len() as u64)?;
            let frames = start..(start + CHUNK_FRAMES).min(bounds.frames.end);
            let rect = CellRect::new(frames.clone(), 0..n_bins);
            let mask = mask::evaluate(&grid, None, Some(&self.selection), 1.0, &rect);
            let region = analysis.region(frames.clone())?;
            for (cells, mask) in region.magnitude.chunks_exact(n_bins).zip(mask.values.chunks_exact(n_bins)) {
                for (bin, (&cell, &m)) in cells.iter().zip(mask).enumerate().filter(|(_, (_, m))| **m > 0.0) {
                    power[bin] += f64::from(m) * f64::from(cell).powi(2);
                    weight[bin] += f64::from(m);
                    if m >= 0.5 {
                        max[bin] = max[bin].max(cell);
                    }
                }
            }
            start = frames.end;
        }
        let scale = analysis.amplitude_scale();
        let mean = power.iter().zip(&weight).enumerate().map(|(bin, (&power, &weight))| {
            if weight > 0.0 { level((power / weight).sqrt() as f32 * scale.of(bin)) } else { f32::NEG_INFINITY }
        });
        let max = max.into_iter().enumerate().map(|(bin, cell)| level(cell * scale.of(bin)));
        Ok(Extent { grid, mean: mean.collect(), max: max.collect() })
    }
}

fn level(amplitude: f32) -> f32 {
    if amplitude > 0.0 { db_from_amplitude(amplitude) } else { f32::NEG_INFINITY }
}

/// The peaks of a column of magnitudes, the loudest first.
fn peaks(magnitude: &[f32], grid: &Grid, scale: AmplitudeScale) -> Vec<Peak> {
    let lobe = Lobe::of(grid.transform());
    let is_peak = |bin: usize| {
        let around = bin.saturating_sub(PEAK_BINS)..(bin + PEAK_BINS + 1).min(magnitude.len());
        // Of equally loud bins, only the first is a peak.
        magnitude[bin] > 0.0
            && around.into_iter().all(|other| {
                other == bin || magnitude[other] < magnitude[bin] || (other > bin && magnitude[other] == magnitude[bin])
            })
    };
    let at = |bin: usize| {
        let (place, magnitude) = peak_near(magnitude, bin, &lobe.around(grid, bin))?;
        Some(Peak { hz: grid.hz_from_bin(place), db: 20.0 * (magnitude * f64::from(scale.of(bin))).log10() })
    };
    let mut peaks: Vec<Peak> = (0..magnitude.len()).filter(|&bin| is_peak(bin)).filter_map(at).collect();
    peaks.sort_by(|a, b| b.db.total_cmp(&a.db));
    let floor_db = peaks.first().map_or(0.0, |loudest| loudest.db - PEAK_RANGE_DB);
    peaks.retain(|peak| peak.db >= floor_db.max(MIN_PEAK_DB));
    peaks
}

/// A header and a line for each bin; unknown values stay empty, silence is `-inf`.
pub fn spectrum_csv(slice: &Slice, extent: Option<&Extent>) -> String {
    let mut text = String::from("hz,after_db,before_db,selection_mean_db,selection_maximum_db\n");
    let extent = extent.filter(|extent| extent.grid.transform() == slice.grid.transform());
    let number = |curve: Option<&[f32]>, bin: usize| {
        curve.and_then(|curve| curve.get(bin)).map(|db| format!("{db:.2}")).unwrap_or_default()
    };
    // Bins outside the selection have no mean.
    let selected = |curve: Option<&[f32]>, bin: usize| {
        number(curve.filter(|curve| curve.get(bin).is_some_and(|db| db.is_finite())), bin)
    };
    for (bin, after) in slice.after.iter().enumerate() {
        text.push_str(&format!(
            "{:.3},{after:.2},{},{},{}\n",
            slice.grid.hz_from_bin(bin as f64),
            number(slice.before.as_deref(), bin),
            selected(extent.map(|extent| extent.mean.as_slice()), bin),
            selected(extent.map(|extent| extent.max.as_slice()), bin),
        ));
    }
    text
}
