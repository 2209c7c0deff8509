//! Computes cells from samples: one FFT per slice, and per row a window, a fold and a short inverse FFT.

use super::bank::RowBank;
use super::cells::{fold, polar_column};
use super::group::RowGroup;
use super::plans::{ON_CPU, SliceScratch, SliceScratchPool, first};
use crate::base::trace;
use crate::dsp::{CellRect, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::cmp::Reverse;
use std::ops::Range;

/// A run of a sound's samples; samples outside it count as 0.
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'a> {
    /// Index in the sound of the first sample; negative before the sound.
    pub first: i64,
    /// The samples.
    pub samples: &'a [f32],
}

impl Excerpt<'_> {
    /// Copies the samples from `start` on to `out`, with zeros outside the excerpt.
    fn copy_to(&self, start: i64, out: &mut [f32]) {
        let len = self.samples.len() as i64;
        let from = (start - self.first).clamp(0, len);
        let to = (start - self.first + out.len() as i64).clamp(from, len);
        let place = (self.first + from - start).clamp(0, out.len() as i64) as usize;
        let n = (to - from) as usize;
        out[..place].fill(0.0);
        out[place..place + n].copy_from_slice(&self.samples[from as usize..to as usize]);
        out[place + n..].fill(0.0);
    }
}

/// The cells of a region that one slice owns.
struct SlicePart<'a> {
    group: &'a RowGroup,
    slice: usize,
    rows: Range<usize>,
    /// Places of the cells in the slice.
    places: Range<usize>,
    magnitude: &'a mut [f32],
    phase: &'a mut [f32],
}

impl SlicePart<'_> {
    /// Parts with equal keys share the spectrum of their slice. The longest come first, since they take longest.
    fn key(&self) -> (Reverse<usize>, usize) {
        (Reverse(self.group.slice_len()), self.slice)
    }

    /// Computes its cells from the spectrum of the slice.
    fn fill(
        &mut self,
        spectrum: &[Complex32],
        cells: &mut Vec<Complex32>,
        column: &mut Vec<Complex32>,
        fft: &mut [Complex32],
    ) {
        let (n_places, n_rows) = (self.group.n_places(), self.rows.len());
        let cells = first(cells, n_rows * n_places);
        cells.fill(Complex32::default());
        for (row, places) in self.rows.clone().zip(cells.chunks_exact_mut(n_places)) {
            let (first_bin, window) = self.group.window(row);
            fold(spectrum, first_bin, window, places);
        }
        self.group.plans().places.inverse.process_with_scratch(cells, fft);
        let column = first(column, n_rows);
        let out = self.magnitude.chunks_exact_mut(n_rows).zip(self.phase.chunks_exact_mut(n_rows));
        for (place, (magnitude, phase)) in self.places.clone().zip(out) {
            for (value, places) in column.iter_mut().zip(cells.chunks_exact(n_places)) {
                *value = places[place];
            }
            if self.group.is_real() {
                column.iter_mut().for_each(|value| value.im = 0.0);
            }
            polar_column(column, magnitude, phase);
        }
    }
}

impl RowGroup {
    /// Analyses the cells of `rect`: columns of a sound, and rows of this group. `excerpt` must contain the samples
    /// [under](RowGroup::samples_under) the columns.
    ///
    /// # Panics
    /// If a row is not of this group.
    pub fn analyse(&self, excerpt: &Excerpt<'_>, rect: &CellRect) -> Region {
        let mut region = Region::unwritten(rect.clone());
        let mut parts = Vec::new();
        self.part(&mut region, &mut parts);
        fill(parts, excerpt, self.scratch());
        region
    }

    /// Splits a region into parts, slice by slice, and appends them to `parts`.
    fn part<'a>(&'a self, region: &'a mut Region, parts: &mut Vec<SlicePart<'a>>) {
        let CellRect { frames, bins } = region.rect.clone();
        if frames.is_empty() || bins.is_empty() {
            return;
        }
        assert!(self.rows().start <= bins.start && bins.end <= self.rows().end, "rows of the group");
        let per_slice = self.columns_per_slice();
        let (mut magnitude, mut phase) = (&mut region.magnitude[..], &mut region.phase[..]);
        let mut column = frames.start;
        while column < frames.end {
            let slice = column / per_slice;
            let end = frames.end.min((slice + 1) * per_slice);
            let n_cells = (end - column) * bins.len();
            let (own_magnitude, other_magnitude) = magnitude.split_at_mut(n_cells);
            let (own_phase, other_phase) = phase.split_at_mut(n_cells);
            (magnitude, phase) = (other_magnitude, other_phase);
            // The owned half begins a quarter into the slice.
            let place = column - slice * per_slice + per_slice / 2;
            let (rows, places) = (bins.clone(), place..place + end - column);
            parts.push(SlicePart { group: self, slice, rows, places, magnitude: own_magnitude, phase: own_phase });
            column = end;
        }
    }
}

impl RowBank {
    /// The cells of a whole sound, group by group. Groups with slices of the same length share their FFTs.
    pub fn analyse(&self, samples: &[f32]) -> Vec<Region> {
        let all = |group: &RowGroup| CellRect::new(0..group.n_columns(samples.len() as u64), group.rows());
        let mut regions: Vec<Region> = self.groups().iter().map(|group| Region::unwritten(all(group))).collect();
        let mut parts = Vec::new();
        self.groups().iter().zip(&mut regions).for_each(|(group, region)| group.part(region, &mut parts));
        fill(parts, &Excerpt { first: 0, samples }, self.scratch());
        regions
    }
}

/// Computes all parts, slices in parallel.
fn fill(mut parts: Vec<SlicePart<'_>>, excerpt: &Excerpt<'_>, pool: &SliceScratchPool) {
    let _span = trace::span(ON_CPU);
    parts.sort_by_key(SlicePart::key);
    parts.par_chunk_by_mut(|a, b| a.key() == b.key()).for_each_init(
        || pool.borrow(),
        |borrowed, parts| {
            let Some((slice, group)) = parts.first().map(|part| (part.slice, part.group)) else { return };
            let SliceScratch { samples, spectrum, cells, column, fft } = &mut borrowed.scratch;
            let (len, plan) = (group.slice_len(), &group.plans().samples.forward);
            let samples = first(samples, len);
            excerpt.copy_to((slice as i64 - 1) * (len as i64 / 2), samples);
            let spectrum = first(spectrum, len / 2 + 1);
            plan.process_with_scratch(samples, spectrum, first(fft, plan.get_scratch_len())).ok();
            for part in parts {
                let n = part.group.plans().places.inverse.get_inplace_scratch_len();
                part.fill(spectrum, cells, column, first(fft, n));
            }
        },
    );
}
