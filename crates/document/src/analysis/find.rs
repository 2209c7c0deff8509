//! Evaluates [`Find`] on a sound: finds damage, hum, speech, pauses and similar sounds.

use super::isolation::{SpeechSurvey, speech_cells, survey_speech};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::comparison::likeness::{LikenessSearch, SearchedCells};
use crate::dsp::selections::find::{
    AlikeMethod, ClickMethod, Find, HumSpectrum, Patch, clicks, clicks_by_repair, clipped_runs, hum_lines, matches,
    peak,
};
use crate::dsp::selections::selection::joined;
use crate::dsp::{Axis, CellRect, Combine, Moments, Selection, Shape, StftParams, Window};
use crate::edits::wand::ResolvingSound;
use std::ops::Range;

/// Samples analysed at a time.
const CHUNK_SAMPLES: usize = 1 << 19;
/// Number of surrounding samples used as reference: two blocks of the click finder.
const MARGIN_SAMPLES: usize = 4096;
/// Number of samples on both sides of a click that belong to it although their error is too small to detect: for clicks
/// located by prediction errors, and for those located by repair.
const CLICK_MARGIN: u64 = 2;
const REPAIR_MARGIN: u64 = 1;
/// Context of a click for the search by repair, in seconds: its own blocks, and those on which their models and errors
/// depend.
const REPAIR_REACH_SECS: f64 = 0.1;
/// Frames analysed at a time.
const CHUNK_FRAMES: usize = 256;
/// Maximum number of frames used to detect hum, spread over the file.
const HUM_FRAMES: usize = 400;

impl ResolvingSound<'_> {
    /// The shape of all matches; if there are none, a range of time before the start of any sound.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a pattern outside the sound, and for speech if the sample rate is too low or
    /// the sound too long; [`Cancelled`](ErrorKind::Cancelled), and read errors.
    pub(crate) fn find(&self, find: &Find, progress: &Progress) -> Result<Shape> {
        let grid = &self.grid;
        // Nine tenths of a window's energy lie within a quarter of its length on each side of its centre.
        let reach_secs = grid.window_secs() / 4.0;
        let feather = [grid.hop_secs(), grid.hz_from_bin(2.0)];
        let moments = |runs: Vec<Range<u64>>, more: u64| -> Shape {
            let secs = |at: u64| at as f64 / grid.sample_rate_hz;
            let wide =
                |run: &Range<u64>| [secs(run.start.saturating_sub(more)), secs((run.end + more).min(grid.n_samples))];
            let runs = joined(runs.iter().map(wide).collect());
            if runs.is_empty() {
                return union(Vec::new());
            }
            Shape::Moments(Moments { runs: runs.into(), reach_secs, feather_secs: feather[0] })
        };
        match *find {
            Find::Clicks { threshold, method: ClickMethod::Prediction } => {
                let found = |samples: &[f32], _| clicks(samples, threshold, grid.sample_rate_hz);
                Ok(moments(self.runs(progress, [0, 1], MARGIN_SAMPLES, found)?, CLICK_MARGIN))
            }
            Find::Clicks { threshold, method: ClickMethod::Repair } => {
                let around = MARGIN_SAMPLES.max((REPAIR_REACH_SECS * grid.sample_rate_hz) as usize);
                let found = |samples: &[f32], _| clicks_by_repair(samples, threshold, grid.sample_rate_hz);
                Ok(moments(self.runs(progress, [0, 1], around, found)?, REPAIR_MARGIN))
            }
            Find::Clipping { level } => {
                let peaks = self.peaks(progress, [0, 2])?;
                let found = |samples: &[f32], signal: usize| clipped_runs(samples, peaks[signal], level);
                Ok(moments(self.runs(progress, [1, 2], MARGIN_SAMPLES, found)?, 0))
            }
            Find::Hum { f0_hz, count, width_hz, prominence_db } => {
                let lines = hum_lines(&self.hum_spectrum(f0_hz[0], progress)?, f0_hz, count, prominence_db);
                // Never narrower than the resolution of the grid.
                let half = (width_hz / 2.0).max(grid.hz_from_bin(0.5));
                let bands = lines.iter().map(|hz| {
                    let band = [(hz - half).max(0.0), hz + half];
                    Shape::Rectangle { secs: None, hz: Some(band), feather: [0.0, feather[1]], axis: Axis::Linear }
                });
                Ok(union(bands.collect()))
            }
            Find::Alike { secs, hz, similarity, method } => {
                self.check_patch(secs)?;
                let away_secs = match method {
                    AlikeMethod::Bands => self.alike(secs, hz, similarity, progress)?,
                    AlikeMethod::Likeness => self.likeness(secs, hz, similarity, progress)?,
                };
                let rectangle = |away: f64| {
                    let secs = Some(secs.map(|secs| secs + away));
                    Shape::Rectangle { secs, hz, feather, axis: Axis::Linear }
                };
                Ok(union(away_secs.into_iter().map(rectangle).collect()))
            }
            Find::Speech => Ok(times(self.speech(progress)?.speech_secs)),
            Find::Pauses => Ok(times(self.speech(progress)?.pauses())),
            Find::SpeechCells => {
                let cells = speech_cells(self.snapshot, &self.signals, self.plans, progress)?;
                Ok(cells.unwrap_or_else(|| union(Vec::new())))
            }
        }
    }

    /// Reports progress of a pass over all signals, given the number of earlier passes and the total.
    fn step(&self, progress: &Progress, [before, passes]: [u64; 2], signal: usize, start: u64) -> Result<()> {
        let of_pass = self.grid.n_samples * self.signals.len() as u64;
        progress.step(before * of_pass + signal as u64 * self.grid.n_samples + start, passes * of_pass)
    }

    /// The sample ranges returned by `found` for all signals, ordered by start. `found` receives the index of the
    /// signal, and each piece with up to `around` more samples on both sides; only ranges that start within the piece
    /// itself are kept.
    fn runs(
        &self,
        progress: &Progress,
        passes: [u64; 2],
        around: usize,
        found: impl Fn(&[f32], usize) -> Vec<Range<usize>>,
    ) -> Result<Vec<Range<u64>>> {
        let mut runs = Vec::new();
        for (index, signal) in self.signals.iter().enumerate() {
            for start in (0..self.grid.n_samples).step_by(CHUNK_SAMPLES) {
                self.step(progress, passes, index, start)?;
                let end = (start + CHUNK_SAMPLES as u64).min(self.grid.n_samples);
                let (low, high) = (start.saturating_sub(around as u64), (end + around as u64).min(self.grid.n_samples));
                let mut samples = vec![0.0; (high - low) as usize];
                signal.read(self.snapshot, low as i64, &mut samples)?;
                let all = found(&samples, index).into_iter().map(|run| low + run.start as u64..low + run.end as u64);
                runs.extend(all.filter(|run| (start..end).contains(&run.start)));
            }
        }
        runs.sort_by_key(|run| run.start);
        Ok(runs)
    }

    /// The largest and the smallest sample of each signal.
    fn peaks(&self, progress: &Progress, passes: [u64; 2]) -> Result<Vec<[f32; 2]>> {
        let mut peaks = vec![[0.0f32; 2]; self.signals.len()];
        let mut samples = vec![0.0; CHUNK_SAMPLES];
        for (index, (signal, peaks)) in self.signals.iter().zip(&mut peaks).enumerate() {
            for start in (0..self.grid.n_samples).step_by(CHUNK_SAMPLES) {
                self.step(progress, passes, index, start)?;
                signal.read(self.snapshot, start as i64, &mut samples)?;
                let [high, low] = peak(&samples);
                *peaks = [peaks[0].max(high), peaks[1].min(low)];
            }
        }
        Ok(peaks)
    }

    /// The spectrum of at most [`HUM_FRAMES`] frames, long enough to resolve the harmonics of the lowest hum.
    fn hum_spectrum(&self, lowest_hz: f64, progress: &Progress) -> Result<HumSpectrum> {
        // Twelve bins or more from line to line: four for a line, and twice that for the gap between lines.
        let wanted = 12.0 * self.grid.sample_rate_hz / lowest_hz.max(1.0);
        let exponent = (wanted.log2().ceil() as u32).clamp(8, 15);
        let params = StftParams::of_size(1 << exponent, 2, Window::Hann);
        let grid = self.grid.with_transform(params);
        let stft = self.plans.get(params);
        // Hum lasts longer than any note, so a few whole windows, spread over the file, are enough.
        let (first, end) = (1, grid.n_frames().saturating_sub(2).max(2));
        let every = (end - first).div_ceil(HUM_FRAMES).max(1);
        let n_bins = ((grid.bin_from_hz(10_000.0) as usize) + 1).min(grid.n_bins());
        let mut magnitudes = Vec::new();
        for frame in (first..end).step_by(every) {
            progress.step((frame - first) as u64, (end - first) as u64)?;
            let rect = CellRect::new(frame..frame + 1, 0..n_bins);
            let mut loudest = vec![0.0f32; n_bins];
            let mut samples = vec![0.0; grid.n_samples_under(1)];
            for signal in &self.signals {
                signal.read(self.snapshot, grid.first_sample_under(frame), &mut samples)?;
                let found = stft.analyse(&samples, &rect).into_magnitude();
                loudest.iter_mut().zip(&found).for_each(|(loudest, &m)| *loudest = loudest.max(m));
            }
            magnitudes.extend(loudest);
        }
        Ok(HumSpectrum::new(&magnitudes, n_bins, grid.hz_from_bin(1.0)))
    }

    fn speech(&self, progress: &Progress) -> Result<SpeechSurvey> {
        survey_speech(self.snapshot, &self.signals, self.plans, progress)
    }

    fn check_patch(&self, secs: [f64; 2]) -> Result<()> {
        if secs[0] >= self.grid.duration_secs() || secs[1] <= 0.0 {
            return Err(Error::new(ErrorKind::Script, "the pattern to find is outside the sound"));
        }
        Ok(())
    }

    /// Start of each match relative to the pattern in seconds, ascending; includes the pattern itself, at 0.
    fn alike(&self, secs: [f64; 2], hz: Option<[f64; 2]>, similarity: f64, progress: &Progress) -> Result<Vec<f64>> {
        let grid = &self.grid;
        let cell = |at: f64, n: usize| (at.round().max(0.0) as usize).min(n - 1);
        let [first, last] = secs.map(|secs| cell(grid.frame_from_secs(secs), grid.n_frames()));
        let bins = match hz {
            None => 0..grid.n_bins(),
            Some(hz) => {
                let [low, high] = hz.map(|hz| cell(grid.bin_from_hz(hz), grid.n_bins()));
                low..high + 1
            }
        };
        let mut patch = Patch::default();
        for start in (0..grid.n_frames()).step_by(CHUNK_FRAMES) {
            progress.step(start as u64, grid.n_frames() as u64)?;
            let magnitudes = self.magnitudes(start..(start + CHUNK_FRAMES).min(grid.n_frames()))?;
            patch.push(&magnitudes, grid.n_bins(), bins.clone());
        }
        let found = matches(&patch, first, last + 1 - first, similarity);
        Ok(found.into_iter().map(|frame| grid.secs_in_frames(frame as f64 - first as f64)).collect())
    }

    /// As [`alike`](ResolvingSound::alike), but by likeness instead of band powers.
    fn likeness(&self, secs: [f64; 2], hz: Option<[f64; 2]>, similarity: f64, progress: &Progress) -> Result<Vec<f64>> {
        let grid = &self.grid;
        let magnitudes = |rect: &CellRect| {
            let all = self.magnitudes(rect.frames.clone())?;
            let rows = all.chunks_exact(grid.n_bins()).flat_map(|row| &row[rect.bins.clone()]);
            Ok(rows.copied().collect())
        };
        let cells = SearchedCells { grid, magnitudes: &magnitudes, sine: self.sine };
        let origin = Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear);
        let Some(search) = LikenessSearch::new(cells, &origin, similarity)? else { return Ok(vec![0.0]) };
        Ok(search.all(progress)?.into_iter().map(|frames| grid.secs_in_frames(frames as f64)).collect())
    }
}

/// Ranges of time, at all frequencies and with hard edges.
fn times(runs: Vec<[f64; 2]>) -> Shape {
    let range = |secs| Shape::Rectangle { secs: Some(secs), hz: None, feather: [0.0; 2], axis: Axis::Linear };
    match runs.is_empty() {
        true => union(Vec::new()),
        // A group even for one range: a bare rectangle would count as drawn by hand, and have no list of places to step
        // through.
        false => Shape::Group(Selection { shapes: runs.into_iter().map(|run| (Combine::Add, range(run))).collect() }),
    }
}

fn union(shapes: Vec<Shape>) -> Shape {
    match <[Shape; 1]>::try_from(shapes) {
        Ok([shape]) => shape,
        Err(shapes) if shapes.is_empty() => {
            Shape::Rectangle { secs: Some([-2.0, -1.0]), hz: None, feather: [0.0; 2], axis: Axis::Linear }
        }
        Err(shapes) => Shape::Group(Selection { shapes: shapes.into_iter().map(|s| (Combine::Add, s)).collect() }),
    }
}
