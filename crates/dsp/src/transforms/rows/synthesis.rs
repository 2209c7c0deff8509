//! Computes sample differences from changed cells: the adjoint of the analysis, which is its inverse as the windows are
//! tight.

use super::bank::RowBank;
use super::cells::{complex_column, differ, subtract_column, unfold};
use super::group::RowGroup;
use super::plans::{ON_CPU, SliceScratch, SliceScratchPool, first};
use crate::base::trace;
use crate::dsp::Region;
use crate::dsp::cells::planes;
use crate::dsp::transforms::difference::merged;
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::ops::Range;

/// The cells of a group before and after a change.
#[derive(Debug, Clone, Copy)]
pub struct RowChange<'a> {
    /// The group of the cells: one of the bank, or one [with another hop](RowBank::group_on).
    pub group: &'a RowGroup,
    /// The existing cells; `None` for silence. Contains all cells of `after`.
    pub before: Option<&'a Region>,
    /// The cells afterwards. Cells outside count as unchanged.
    pub after: &'a Region,
}

/// The sample difference of changed cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowsDifference {
    /// For each change, per column of its region: whether at least one cell changed.
    pub touched: Vec<Vec<bool>>,
    /// Runs of samples that change, ascending and disjoint; may extend beyond the sound.
    pub ranges: Vec<Range<i64>>,
    /// Index in the sound of the first of `samples`.
    pub first: i64,
    /// The difference from there to the end of the last range; 0 between ranges.
    pub samples: Vec<f32>,
}

/// Columns compared per task.
const COLUMNS_PER_TASK: usize = 64;

/// Samples summed per task.
const SAMPLES_PER_TASK: usize = 1 << 14;

impl RowChange<'_> {
    fn n_rows(&self) -> usize {
        self.after.rect.bins.len()
    }

    /// Position of a column's rows in the planes of a region.
    fn place(&self, region: &Region, column: usize) -> Range<usize> {
        let start = region.index(column, self.after.rect.bins.start);
        start..start + self.n_rows()
    }

    /// For each column, whether any of its cells changed.
    fn touched(&self) -> Vec<bool> {
        let is_touched = |column: usize| {
            let after = self.place(self.after, column);
            let Some(before) = self.before else {
                return self.after.magnitude[after].iter().any(|magnitude| *magnitude != 0.0);
            };
            let place = self.place(before, column);
            let before = [&before.magnitude[place.clone()], &before.phase[place]];
            differ(before, [&self.after.magnitude[after.clone()], &self.after.phase[after]])
        };
        if self.n_rows() == 0 {
            return vec![false; self.after.n_frames()];
        }
        let columns = self.after.rect.frames.clone();
        columns.into_par_iter().with_min_len(COLUMNS_PER_TASK).map(is_touched).collect()
    }

    /// The first and the last place in a slice with a changed cell; `None` without one.
    fn places(&self, touched: &[bool], slice: usize) -> Option<(usize, usize)> {
        let (frames, per_slice) = (&self.after.rect.frames, self.group.columns_per_slice());
        let (start, end) = ((slice * per_slice).max(frames.start), ((slice + 1) * per_slice).min(frames.end));
        let own = touched.get(start.checked_sub(frames.start)?..end.checked_sub(frames.start)?)?;
        let place = |i: usize| start + i - slice * per_slice + per_slice / 2;
        Some((place(own.iter().position(|t| *t)?), place(own.iter().rposition(|t| *t)?)))
    }

    /// Adds the differences of a slice's cells between two places to its spectrum.
    fn unfold(&self, slice: usize, places: (usize, usize), scratch: &mut CellScratch<'_>, spectrum: &mut [Complex32]) {
        let (n_places, n_rows) = (self.group.n_places(), self.n_rows());
        let CellScratch { cells, column, fft } = scratch;
        let cells = first(cells, n_rows * n_places);
        cells.fill(Complex32::default());
        let line = first(column, n_rows);
        let factor = self.group.synthesis_factor();
        let per_slice = self.group.columns_per_slice();
        for place in places.0..=places.1 {
            let at = slice * per_slice + place - per_slice / 2;
            let own = self.place(self.after, at);
            complex_column(&self.after.magnitude[own.clone()], &self.after.phase[own], factor, line);
            if let Some(before) = self.before {
                let own = self.place(before, at);
                subtract_column(&before.magnitude[own.clone()], &before.phase[own], factor, line);
            }
            if self.group.is_real() {
                line.iter_mut().for_each(|value| value.im = 0.0);
            }
            for (value, places) in line.iter().zip(cells.chunks_exact_mut(n_places)) {
                places[place] = *value;
            }
        }
        let plan = &self.group.plans().places.forward;
        plan.process_with_scratch(cells, first(fft, plan.get_inplace_scratch_len()));
        for (row, places) in self.after.rect.bins.clone().zip(cells.chunks_exact(n_places)) {
            let (first_bin, window) = self.group.window(row);
            unfold(places, first_bin, window, self.group.is_real(), spectrum);
        }
    }
}

/// Buffers for the cells of a slice.
struct CellScratch<'a> {
    cells: &'a mut Vec<Complex32>,
    column: &'a mut Vec<Complex32>,
    fft: &'a mut Vec<Complex32>,
}

/// The changes on slices of one length: they share the inverse FFTs.
struct Level<'a> {
    changes: Vec<(&'a RowChange<'a>, &'a [bool])>,
    slice_len: usize,
}

/// The sample difference of a level.
struct LevelSamples {
    first: i64,
    samples: Vec<f32>,
    ranges: Vec<Range<i64>>,
}

impl Level<'_> {
    /// The samples of the sound that a slice changes; `None` without a changed cell.
    fn range(&self, slice: usize) -> Option<Range<i64>> {
        let of_change = |(change, touched): &(&RowChange<'_>, &[bool])| {
            Some(change.group.samples_around(slice, change.places(touched, slice)?))
        };
        // The union has no gaps, since the range of each group contains the middle of the slice or ends there.
        self.changes.iter().filter_map(of_change).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
    }

    fn samples(&self, pool: &SliceScratchPool) -> Option<LevelSamples> {
        let half = self.slice_len / 2;
        let slices_of = |(change, touched): &(&RowChange<'_>, &[bool])| {
            let slice = |i: usize| (change.after.rect.frames.start + i) / change.group.columns_per_slice();
            Some((slice(touched.iter().position(|t| *t)?), slice(touched.iter().rposition(|t| *t)?)))
        };
        let slices = self.changes.iter().filter_map(slices_of).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let mut samples = planes::zeros((slices.1 - slices.0 + 2) * half);
        // Slices overlap only their neighbours: all even slices are computed in parallel, then all odd ones, so that
        // the order of sums is fixed.
        for odd in [0, 1] {
            samples[odd * half..].par_chunks_mut(self.slice_len).enumerate().for_each_init(
                || pool.borrow(),
                |borrowed, (i, out)| {
                    let slice = slices.0 + odd + 2 * i;
                    if slice <= slices.1
                        && let Some(range) = self.range(slice)
                    {
                        let start = (slice as i64 - 1) * half as i64;
                        let own = (range.start - start) as usize..(range.end - start) as usize;
                        self.add_slice(slice, own, &mut borrowed.scratch, out);
                    }
                },
            );
        }
        let first = (slices.0 as i64 - 1) * half as i64;
        let ranges = (slices.0..=slices.1).filter_map(|slice| self.range(slice)).collect();
        Some(LevelSamples { first, samples, ranges })
    }

    /// Adds the samples of a slice within `range` to `out`, which begins with the slice.
    fn add_slice(&self, slice: usize, range: Range<usize>, scratch: &mut SliceScratch, out: &mut [f32]) {
        let SliceScratch { samples, spectrum, cells, column, fft } = scratch;
        let spectrum = first(spectrum, self.slice_len / 2 + 1);
        spectrum.fill(Complex32::default());
        let mut plan = None;
        for (change, touched) in &self.changes {
            if let Some(places) = change.places(touched, slice) {
                change.unfold(slice, places, &mut CellScratch { cells, column, fft }, spectrum);
                plan = Some(&change.group.plans().samples.inverse);
            }
        }
        let Some(plan) = plan else { return };
        // DC and Nyquist are sums of conjugate pairs, and real except for rounding.
        spectrum[0].im = 0.0;
        spectrum[self.slice_len / 2].im = 0.0;
        let samples = first(samples, self.slice_len);
        plan.process_with_scratch(spectrum, samples, first(fft, plan.get_scratch_len())).ok();
        for (out, sample) in out[range.clone()].iter_mut().zip(&samples[range]) {
            *out += sample;
        }
    }
}

impl RowBank {
    /// The sample difference of changed cells. Slices without a changed cell are not computed; a slice changes samples
    /// only within a [reach](RowGroup::reach) of its changed cells.
    pub fn difference(&self, changes: &[RowChange<'_>]) -> RowsDifference {
        let _span = trace::span(ON_CPU);
        let touched: Vec<Vec<bool>> = changes.iter().map(RowChange::touched).collect();
        let mut lengths: Vec<usize> = changes.iter().map(|change| change.group.slice_len()).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        let level = |slice_len: usize| {
            let of_it = changes.iter().zip(&touched).filter(|(change, _)| change.group.slice_len() == slice_len);
            Level { changes: of_it.map(|(change, touched)| (change, &touched[..])).collect(), slice_len }
        };
        let levels: Vec<LevelSamples> =
            lengths.into_par_iter().filter_map(|slice_len| level(slice_len).samples(self.scratch())).collect();
        let ranges = merged(levels.iter().flat_map(|level| level.ranges.iter().cloned()));
        let (Some(first), Some(end)) = (ranges.first().map(|range| range.start), ranges.last().map(|range| range.end))
        else {
            return RowsDifference { touched, ..RowsDifference::default() };
        };
        let mut samples = vec![0.0; (end - first) as usize];
        samples.par_chunks_mut(SAMPLES_PER_TASK).enumerate().for_each(|(i, out)| {
            let start = first + (i * SAMPLES_PER_TASK) as i64;
            levels.iter().for_each(|level| level.add_to(start, out));
        });
        levels.into_iter().for_each(|level| planes::give(level.samples));
        RowsDifference { touched, ranges, first, samples }
    }

    /// The sound of the cells of all groups, as returned by [`analyse`](RowBank::analyse).
    pub fn synthesise(&self, regions: &[Region], n_samples: usize) -> Vec<f32> {
        let change = |(group, after)| RowChange { group, before: None, after };
        let changes: Vec<RowChange<'_>> = self.groups().iter().zip(regions).map(change).collect();
        let mut samples = vec![0.0; n_samples];
        self.difference(&changes).add_to(0, &mut samples);
        samples
    }
}

impl LevelSamples {
    /// Adds the samples that overlap a run starting at sample `start`.
    fn add_to(&self, start: i64, out: &mut [f32]) {
        add_overlap(self.first, &self.samples, start, out);
    }
}

impl RowsDifference {
    /// Adds the difference to a run of the sound's samples, the first of which is sample `start`.
    pub fn add_to(&self, start: i64, out: &mut [f32]) {
        for range in &self.ranges {
            let own = (range.start - self.first) as usize..(range.end - self.first) as usize;
            add_overlap(range.start, &self.samples[own], start, out);
        }
    }
}

/// Adds one run of samples to another where they overlap.
fn add_overlap(first: i64, samples: &[f32], start: i64, out: &mut [f32]) {
    let from = first.max(start);
    let to = (first + samples.len() as i64).min(start + out.len() as i64);
    if from < to {
        let out = &mut out[(from - start) as usize..(to - start) as usize];
        for (out, sample) in out.iter_mut().zip(&samples[(from - first) as usize..]) {
            *out += sample;
        }
    }
}
