//! Spectra of the sound shown: the slice at a moment, before and after all edits, and mean and maximum over what is
//! selected. Found in jobs, one at a time, whenever place, sound, selection or transform have changed.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::documents::OpenDocument;
use crate::dsp::{AmplitudeScale, CellRect, Grid, Lobe, NoiseProfile, Region, Selection, Transform, mask, peak_near};
use crate::services::{Job, Jobs};
use crate::view::{Analysis, ChannelView, Plans, db_from_amplitude};
use std::sync::Arc;

/// Frames that are looked at together.
const CHUNK_FRAMES: usize = 256;
/// Bins around a peak in which nothing is louder: side lobes are no peaks.
const PEAK_BINS: usize = 3;
/// Peaks further below the loudest are not listed.
const PEAK_RANGE_DB: f64 = 70.0;
/// Quieter peaks are silence: rounding of 24-bit samples, and what an edit in 32-bit float leaves.
const LEAST_PEAK_DB: f64 = -140.0;

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
    /// The middle of its frame.
    pub secs: f64,
    /// The grid that it is a frame of.
    pub grid: Grid,
    /// With all edits.
    pub after: Vec<f32>,
    /// As the file was opened; none without edits.
    pub before: Option<Vec<f32>>,
    /// Of `after`, the loudest first.
    pub peaks: Vec<Peak>,
    /// The noise that was learnt, as this grid shows it; none on rows, and before one was learnt.
    pub noise: Option<Vec<f32>>,
}

/// Spectra over a selection. Levels in dB by bin; minus infinity where nothing is selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// The grid that was looked at.
    pub grid: Grid,
    /// Mean of the power, weighted by how far each cell is selected.
    pub mean: Vec<f32>,
    /// Loudest cell of those selected by half at least.
    pub most: Vec<f32>,
}

#[derive(Clone)]
struct SliceOf {
    after: Snapshot,
    before: Option<Snapshot>,
    transform: Transform,
    channels: ChannelView,
    frame: usize,
    noise: Option<Arc<NoiseProfile>>,
}

#[derive(Clone)]
struct ExtentOf {
    selection: Selection,
    snapshot: Snapshot,
    transform: Transform,
    channels: ChannelView,
}

impl SliceOf {
    fn is_same(&self, other: &SliceOf) -> bool {
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
}

impl ExtentOf {
    fn is_same(&self, other: &ExtentOf) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (&self.transform, self.channels) == (&other.transform, other.channels)
            && self.selection == other.selection
    }
}

/// Keeps the spectra up to date.
#[derive(Default)]
pub struct Spectrum {
    slice_job: Option<(SliceOf, Job<Slice>)>,
    slice: Option<(SliceOf, Arc<Slice>)>,
    /// What could not be read, and is not asked for again and again.
    unreadable: Option<SliceOf>,
    extent_job: Option<(ExtentOf, Job<Extent>)>,
    extent: Option<(ExtentOf, Result<Arc<Extent>>)>,
    copying: Option<Job<String>>,
    plans: Plans,
}

impl Spectrum {
    /// Nothing yet, with the plans of an engine.
    pub fn with(plans: &Plans) -> Spectrum {
        Spectrum { plans: plans.clone(), ..Spectrum::default() }
    }

    /// Whether a spectrum is being found.
    pub fn is_busy(&self) -> bool {
        self.slice_job.is_some() || self.extent_job.is_some() || self.copying.is_some()
    }

    /// The slice that is shown: of the place asked for, or of the one before until that is known.
    pub fn slice(&self) -> Option<&Arc<Slice>> {
        self.slice.as_ref().map(|(_, slice)| slice)
    }

    /// Mean and maximum over what is selected, once they are known.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.extent.as_ref().and_then(|(_, extent)| extent.as_ref().ok())
    }

    /// Once a frame: takes answers, and asks for what is not known at `secs`, beside the noise that was learnt.
    pub fn follow(
        &mut self,
        document: Option<&OpenDocument>,
        noise: Option<&Arc<NoiseProfile>>,
        secs: f64,
        jobs: &Jobs,
    ) {
        let Some(document) = document else {
            (self.slice_job, self.slice, self.unreadable) = (None, None, None);
            (self.extent_job, self.extent) = (None, None);
            return;
        };
        self.follow_slice(document, noise, secs, jobs);
        self.follow_extent(document, jobs);
    }

    fn follow_slice(&mut self, document: &OpenDocument, noise: Option<&Arc<NoiseProfile>>, secs: f64, jobs: &Jobs) {
        if let Some((of, job)) = &mut self.slice_job
            && let Some(answer) = job.poll()
        {
            match answer {
                Ok(slice) => self.slice = Some((of.clone(), Arc::new(slice))),
                Err(_) => self.unreadable = Some(of.clone()),
            }
            self.slice_job = None;
        }
        let after = document.beneath().clone();
        let transform = document.view().transform.clone();
        let grid = crate::view::grid_of(&after, &transform);
        let frame = (grid.frame_from_secs(secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
        let before = (document.history().position() > 0).then(|| document.history().original().clone());
        let of = SliceOf { after, before, transform, channels: document.view().channels, frame, noise: noise.cloned() };
        let is_known = self
            .slice
            .as_ref()
            .map(|(known, _)| known)
            .into_iter()
            .chain(&self.unreadable)
            .any(|known| known.is_same(&of));
        if !is_known && self.slice_job.is_none() {
            let (plans, theirs) = (self.plans.clone(), of.clone());
            self.slice_job = Some((of, jobs.spawn("spectrum", move |_| slice(&theirs, &plans))));
        }
    }

    fn follow_extent(&mut self, document: &OpenDocument, jobs: &Jobs) {
        let Some(selection) = document.selection().cloned() else {
            (self.extent_job, self.extent) = (None, None);
            return;
        };
        let of = ExtentOf {
            selection,
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
        };
        if let Some((asked, job)) = &mut self.extent_job {
            if !asked.is_same(&of) {
                self.extent_job = None;
            } else if let Some(answer) = job.poll() {
                self.extent = Some((asked.clone(), answer.map(Arc::new)));
                self.extent_job = None;
            }
        }
        let is_known = self.extent.as_ref().is_some_and(|(known, _)| known.is_same(&of));
        if !is_known && self.extent_job.is_none() {
            let (plans, theirs) = (self.plans.clone(), of.clone());
            self.extent_job = Some((of, jobs.spawn("spectra", move |progress| extent(&theirs, &plans, progress))));
        }
    }

    /// Writes what is shown as comma-separated values, in a job: a long transform has many lines.
    pub fn copy(&mut self, jobs: &Jobs) {
        let Some(slice) = self.slice().cloned() else { return };
        let extent = self.extent().cloned();
        self.copying = Some(jobs.spawn("copy", move |_| Ok(csv(&slice, extent.as_deref()))));
    }

    /// What is to be copied, once it is written.
    pub fn take_copy(&mut self) -> Option<String> {
        let answer = self.copying.as_mut()?.poll()?;
        self.copying = None;
        answer.ok()
    }
}

fn slice(of: &SliceOf, plans: &Plans) -> Result<Slice> {
    let plan = plans.view(&of.transform, of.after.sample_rate_hz())?;
    let scale = plan.amplitude_scale();
    let column = |snapshot: &Snapshot| -> Result<(Grid, Vec<f32>)> {
        let analysis = Analysis::new(snapshot, of.channels, plan.clone())?;
        let grid = analysis.grid().clone();
        // Beyond its end a shorter sound is silent.
        let frames = of.frame.min(grid.n_frames())..(of.frame + 1).min(grid.n_frames());
        let region: Region = analysis.region(frames)?;
        let mut magnitude = region.into_magnitude();
        magnitude.resize(grid.n_bins(), 0.0);
        Ok((grid, magnitude))
    };
    let db = |magnitude: &[f32]| {
        magnitude.iter().enumerate().map(|(bin, cell)| level(cell * scale.of(bin))).collect::<Vec<f32>>()
    };
    let (grid, after) = column(&of.after)?;
    let before = of.before.as_ref().map(column).transpose()?.map(|(_, before)| db(&before));
    let peaks = peaks(&after, &grid, scale);
    let noise = of.noise.as_ref().and_then(|noise| noise.shown_db(&grid));
    Ok(Slice { secs: grid.secs_from_frame(of.frame as f64), grid, after: db(&after), before, peaks, noise })
}

fn level(amplitude: f32) -> f32 {
    if amplitude > 0.0 { db_from_amplitude(amplitude) } else { f32::NEG_INFINITY }
}

/// The peaks of a column of magnitudes, the loudest first.
pub fn peaks(magnitude: &[f32], grid: &Grid, scale: AmplitudeScale) -> Vec<Peak> {
    let lobe = Lobe::of(grid.transform());
    let is_peak = |bin: usize| {
        let around = bin.saturating_sub(PEAK_BINS)..(bin + PEAK_BINS + 1).min(magnitude.len());
        // The first of equals.
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
    peaks.retain(|peak| peak.db >= floor_db.max(LEAST_PEAK_DB));
    peaks
}

fn extent(of: &ExtentOf, plans: &Plans, progress: &Progress) -> Result<Extent> {
    let analysis = Analysis::new(&of.snapshot, of.channels, plans.view(&of.transform, of.snapshot.sample_rate_hz())?)?;
    let grid = analysis.grid().clone();
    let n_bins = grid.n_bins();
    let bounds = mask::bounds(&grid, None, Some(&of.selection));
    if bounds.frames.is_empty() {
        return Err(Error::new(ErrorKind::Unsupported, "nothing is selected"));
    }
    let (mut power, mut weight, mut most) = (vec![0.0f64; n_bins], vec![0.0f64; n_bins], vec![0.0f32; n_bins]);
    let mut start = bounds.frames.start;
    while start < bounds.frames.end {
        progress.step((start - bounds.frames.start) as u64, bounds.frames.len() as u64)?;
        let frames = start..(start + CHUNK_FRAMES).min(bounds.frames.end);
        let rect = CellRect::new(frames.clone(), 0..n_bins);
        let mask = mask::evaluate(&grid, None, Some(&of.selection), 1.0, &rect);
        let region = analysis.region(frames.clone())?;
        for (cells, mask) in region.magnitude.chunks_exact(n_bins).zip(mask.values.chunks_exact(n_bins)) {
            for (bin, (&cell, &m)) in cells.iter().zip(mask).enumerate().filter(|(_, (_, m))| **m > 0.0) {
                power[bin] += f64::from(m) * f64::from(cell).powi(2);
                weight[bin] += f64::from(m);
                if m >= 0.5 {
                    most[bin] = most[bin].max(cell);
                }
            }
        }
        start = frames.end;
    }
    let scale = analysis.amplitude_scale();
    let mean = power.iter().zip(&weight).enumerate().map(|(bin, (&power, &weight))| {
        if weight > 0.0 { level((power / weight).sqrt() as f32 * scale.of(bin)) } else { f32::NEG_INFINITY }
    });
    let most = most.into_iter().enumerate().map(|(bin, cell)| level(cell * scale.of(bin)));
    Ok(Extent { grid, mean: mean.collect(), most: most.collect() })
}

/// A heading and a line for each bin; what is not known stays empty, silence is `-inf`.
fn csv(slice: &Slice, extent: Option<&Extent>) -> String {
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
            selected(extent.map(|extent| extent.most.as_slice()), bin),
        ));
    }
    text
}
