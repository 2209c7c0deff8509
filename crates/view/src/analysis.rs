//! Cells of a snapshot under a transform and a choice of channels, the source of tiles, pictures and readouts.

use super::levels::entry_parts::EntryParts;
use super::levels::footprint::Level;
use super::levels::peaks::{Peaks, PhaseSteps, steps_of};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::{Channels, Signal, Snapshot};
use crate::dsp::cells::planes;
use crate::dsp::transforms::rows::DrawnRows;
use crate::dsp::{AmplitudeScale, Grid, Region, Transform, ViewPlan};
use std::ops::Range;

/// The displayed channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChannelView {
    /// The channel with the larger magnitude in each cell, with its phase.
    #[default]
    All,
    /// One channel.
    One(usize),
    /// `(L + R) / 2`.
    Mid,
    /// `(L - R) / 2`.
    Side,
}

impl ChannelView {
    /// The channels that a brush edits in this view.
    pub fn edited(self) -> Channels {
        match self {
            ChannelView::All => Channels::All,
            ChannelView::One(channel) => Channels::List(vec![channel]),
            ChannelView::Mid => Channels::Mid,
            ChannelView::Side => Channels::Side,
        }
    }
}

/// Number of frames analysed at a time, so that memory does not grow with the view.
const RUN_FRAMES: usize = 256;

/// A snapshot seen through a transform and a choice of channels. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Analysis {
    snapshot: Snapshot,
    channels: ChannelView,
    plan: ViewPlan,
    grid: Grid,
    has_phases: bool,
}

impl Analysis {
    /// Prepares the analysis of a snapshot; cells are computed on request.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a channel that does not exist, and for mid or side unless the sound
    /// is stereo.
    pub fn new(snapshot: &Snapshot, channels: ChannelView, plan: impl Into<ViewPlan>) -> Result<Analysis> {
        let n_channels = snapshot.n_channels();
        match channels {
            ChannelView::One(channel) if channel >= n_channels => {
                let what = format!("there is no channel {channel}: the sound has {n_channels}, counted from 0");
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            ChannelView::Mid | ChannelView::Side if n_channels != 2 => {
                let what = format!("mid and side need two channels, and the sound has {n_channels}");
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            _ => {}
        }
        let plan = plan.into();
        let grid = plan.grid(snapshot.sample_rate_hz(), snapshot.n_samples());
        Ok(Analysis { snapshot: snapshot.clone(), channels, plan, grid, has_phases: false })
    }

    /// Sets whether its [peaks](Analysis::peaks) have phases. If so, magnitudes and phases are analysed instead of
    /// magnitudes only.
    #[must_use]
    pub fn with_phases(self, has_phases: bool) -> Analysis {
        Analysis { has_phases, ..self }
    }

    /// Whether its peaks have phases.
    pub(crate) fn has_phases(&self) -> bool {
        self.has_phases
    }

    /// The grid of cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The sound.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The factor from a magnitude to an amplitude, where 1 is a full-scale sine.
    pub fn amplitude_scale(&self) -> AmplitudeScale {
        self.plan.amplitude_scale()
    }

    /// The transform's tables.
    pub fn plan(&self) -> &ViewPlan {
        &self.plan
    }

    /// The signals of this view, each of which is edited separately.
    pub fn signals(&self) -> Vec<Signal> {
        match self.channels {
            ChannelView::All => (0..self.snapshot.n_channels()).map(Signal::Channel).collect(),
            ChannelView::One(channel) => vec![Signal::Channel(channel)],
            ChannelView::Mid => vec![Signal::Mid],
            ChannelView::Side => vec![Signal::Side],
        }
    }

    /// `n` samples of a signal starting at `first`, 0 beyond the ends.
    pub fn samples(&self, signal: Signal, first: i64, n: usize) -> Result<Vec<f32>> {
        let mut samples = vec![0.0; n];
        signal.read(&self.snapshot, first, &mut samples)?;
        Ok(samples)
    }

    /// All bins of one signal over `frames`.
    pub fn signal_region(&self, signal: Signal, frames: Range<usize>) -> Result<Region> {
        let rect = self.grid.all_bins(frames.clone());
        if frames.is_empty() {
            return Ok(Region::zeros(rect));
        }
        let read = self.plan.samples_read(&rect);
        Ok(self.plan.analyse(&self.samples(signal, read.start, (read.end - read.start) as usize)?, &rect))
    }

    /// All bins of the view over `frames`; with several signals, the louder one per cell.
    pub fn region(&self, frames: Range<usize>) -> Result<Region> {
        let rect = self.grid.all_bins(frames);
        if rect.frames.is_empty() {
            return Ok(Region::zeros(rect));
        }
        self.louder_cells(&self.plan.samples_read(&rect), |samples| self.plan.analyse(samples, &rect))
    }

    /// As [`region`](Analysis::region), but only the magnitudes.
    fn magnitudes(&self, frames: Range<usize>) -> Result<Vec<f32>> {
        let rect = self.grid.all_bins(frames);
        self.louder(&self.plan.samples_read(&rect), |samples| self.plan.magnitudes(samples, &rect))
    }

    /// As [`magnitudes`](Analysis::magnitudes), with the first and last bin [scaled](AmplitudeScale::level_ends)
    /// like the others.
    fn levelled_magnitudes(&self, frames: Range<usize>) -> Result<Vec<f32>> {
        let mut magnitudes = self.magnitudes(frames)?;
        self.amplitude_scale().level_ends(&mut magnitudes);
        Ok(magnitudes)
    }

    /// Computes values from the samples of each signal of the view, and keeps the louder per cell.
    fn louder(&self, read: &Range<i64>, magnitudes: impl Fn(&[f32]) -> Vec<f32>) -> Result<Vec<f32>> {
        let mut all: Option<Vec<f32>> = None;
        for signal in self.signals() {
            let magnitudes = magnitudes(&self.samples(signal, read.start, (read.end - read.start) as usize)?);
            match &mut all {
                None => all = Some(magnitudes),
                Some(all) => {
                    all.iter_mut().zip(&magnitudes).for_each(|(max, other)| *max = max.max(*other));
                    planes::give(magnitudes);
                }
            }
        }
        Ok(all.unwrap_or_default())
    }

    /// Computes cells from the samples of each signal of the view, and keeps the louder per cell.
    fn louder_cells(&self, read: &Range<i64>, cells: impl Fn(&[f32]) -> Region) -> Result<Region> {
        let mut all: Option<Region> = None;
        for signal in self.signals() {
            let cells = cells(&self.samples(signal, read.start, (read.end - read.start) as usize)?);
            match &mut all {
                None => all = Some(cells),
                Some(all) => all.keep_louder(&cells),
            }
        }
        Ok(all.unwrap_or_default())
    }

    /// Cells with the first and last bin [scaled](AmplitudeScale::level_ends) like the others; without phases unless
    /// peaks have them.
    fn levelled_cells(&self, frames: Range<usize>) -> Result<Region> {
        if !self.has_phases {
            let rect = self.grid.all_bins(frames.clone());
            return Ok(Region { rect, magnitude: self.levelled_magnitudes(frames)?, phase: Vec::new() });
        }
        let mut cells = self.region(frames)?;
        self.amplitude_scale().level_ends(&mut cells.magnitude);
        Ok(cells)
    }

    /// The phase of a cell in 256 steps per turn, relative to its bin's rotation and raw.
    fn steps_at(&self, cells: &Region, frame: usize, bin: usize) -> PhaseSteps {
        steps_of(cells.phase[cells.index(frame, bin)], self.grid.turns_of_bin(frame, bin))
    }

    /// The first frame from `frame` on that may not be silent, judging by silence that is known without reading
    /// samples; `usize::MAX` if all the rest is silent.
    pub(crate) fn skip_silence(&self, frame: usize) -> usize {
        let first = self.grid.first_sample_under(frame).max(0) as u64;
        let ends = self.signals().into_iter().map(|signal| signal.silent_until(&self.snapshot, first));
        match ends.min() {
            Some(u64::MAX) => usize::MAX,
            // The frame after the last one that ends within the silence.
            Some(end) => self.grid.last_frame_before(end).map_or(frame, |last| frame.max(last + 1)),
            None => frame,
        }
    }

    /// Single frames in the row layout of a level, frame-major: `frames.len() * n_rows` amplitudes. A row transform is
    /// [approximated by an STFT](crate::dsp::transforms::rows::RowSketch), without phases, as each exact frame would
    /// take FFTs of whole slices.
    ///
    /// # Errors
    /// [`Cancelled`](ErrorKind::Cancelled) and read errors.
    pub fn probes(&self, level: &Level, frames: &[usize], progress: &Progress) -> Result<Peaks<f32>> {
        let (n_rows, per_row) = (level.n_rows(), level.bins_per_row());
        let scale = self.amplitude_scale();
        let has_phases = self.has_phases && matches!(self.plan, ViewPlan::Stft(_));
        let mut peaks = Peaks::silent(frames.len() * n_rows, has_phases);
        for (first, &frame) in (0..).step_by(n_rows).zip(frames) {
            progress.check()?;
            match &self.plan {
                ViewPlan::Stft(_) => {
                    let cells = self.levelled_cells(frame..frame + 1)?;
                    peaks.raise_to_frame(first, &cells.magnitude, per_row, |bin| self.steps_at(&cells, frame, bin));
                }
                ViewPlan::Rows(rows) => {
                    let sketch = rows.sketch();
                    let read = sketch.samples_read(self.grid.centre_sample(frame));
                    let magnitudes = self.louder(&read, |samples| sketch.magnitudes(samples))?;
                    peaks.raise_to_frame(first, &magnitudes, per_row, |_| PhaseSteps::default());
                }
            }
        }
        peaks.values.iter_mut().for_each(|peak| *peak *= scale.sine);
        Ok(peaks)
    }

    /// Entries of a level of the pyramid, entry-major: the loudest frame and bin in each of `entries.len() *
    /// level.n_rows()` cells, as amplitudes, where 1 is 0 dB, [with phases](Analysis::with_phases) if requested.
    ///
    /// # Errors
    /// [`Cancelled`](ErrorKind::Cancelled) and read errors.
    pub fn peaks(&self, level: &Level, entries: Range<usize>, progress: &Progress) -> Result<Peaks<f32>> {
        if let ViewPlan::Rows(rows) = &self.plan {
            return self.peaks_of_rows(rows, level, entries, progress);
        }
        let (n_rows, per_entry, per_row) = (level.n_rows(), level.frames_per_entry(), level.bins_per_row());
        let mut peaks = Peaks::silent(entries.len() * n_rows, self.has_phases);
        let last = (entries.end * per_entry).min(self.grid.n_frames());
        let mut start = entries.start * per_entry;
        while start < last {
            progress.check()?;
            let heard = self.skip_silence(start).min(last);
            if heard > start {
                start = heard;
                continue;
            }
            let frames = start..(start + RUN_FRAMES).min(last);
            let cells = self.levelled_cells(frames.clone())?;
            for (magnitude, frame) in cells.magnitude.chunks(self.grid.n_bins()).zip(frames.clone()) {
                let first = (frame / per_entry - entries.start) * n_rows;
                peaks.raise_to_frame(first, magnitude, per_row, |bin| self.steps_at(&cells, frame, bin));
            }
            start = frames.end;
        }
        let scale = self.amplitude_scale();
        peaks.values.iter_mut().for_each(|peak| *peak *= scale.sine);
        Ok(peaks)
    }
}

impl Analysis {
    /// As [`peaks`](Analysis::peaks), for a row transform: from cells of the coarsest level that is not coarser than
    /// `level` and whose entries are short enough to be read at once.
    fn peaks_of_rows(
        &self,
        rows: &DrawnRows,
        level: &Level,
        entries: Range<usize>,
        progress: &Progress,
    ) -> Result<Peaks<f32>> {
        let parts = EntryParts::of(rows, level, entries.clone());
        let (n_rows, per_row) = (level.n_rows(), level.bins_per_row());
        let mut peaks = Peaks::silent(entries.len() * n_rows, self.has_phases);
        for run in parts.runs(usize::MAX) {
            progress.check()?;
            let run = self.grid.all_bins(run);
            let read = rows.samples_read(parts.level, &run);
            let cells = self.louder_cells(&read, |samples| rows.analyse(parts.level, &run, samples))?;
            for (magnitude, part) in cells.magnitude.chunks(self.grid.n_bins()).zip(run.frames) {
                let first = (part / parts.per_entry - entries.start) * n_rows;
                // Phases of rows are already relative to their rotation.
                let steps = |bin| steps_of(cells.phase[cells.index(part, bin)], 0.0);
                peaks.raise_to_frame(first, magnitude, per_row, steps);
            }
        }
        Ok(peaks)
    }
}

/// Number of frames from the start that do not depend on samples still being decoded; all frames of a complete sound.
pub fn frames_ready(snapshot: &Snapshot, grid: &Grid) -> usize {
    let (n_ready, n_samples) = (snapshot.n_ready(), snapshot.n_samples());
    if n_ready == n_samples {
        return grid.n_frames();
    }
    grid.last_frame_before(n_ready).map_or(0, |last| last + 1)
}

/// The grid of a transform over a snapshot.
pub fn grid_of(snapshot: &Snapshot, transform: impl Into<Transform>) -> Grid {
    snapshot.grid(transform)
}
