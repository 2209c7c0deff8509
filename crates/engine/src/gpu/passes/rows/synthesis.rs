//! Computes the samples that change with cells of rows, on the device: flags the changed columns, then computes the
//! bins of each row, the spectra of slices and their inverse FFTs, and adds these up.

use super::pieces::{GroupCells, RowSum};
use crate::base::Result;
use crate::dsp::{CellRect, ChangedRows, RowsPlan, SampleDifference, merged};
use crate::gpu::batch::{Batch, Bind, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::row_tables::RowTables;
use crate::gpu::buffers::tables::Table;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::device_fft::DeviceFft;
use crate::gpu::layout::{Frames, RowPart, RowSamples, RowSources};
use crate::gpu::passes::stft::{batches, check};
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a result that is computed and read back whole, together with the flags: a second wait, for the
/// changed part alone, would take longer.
const READ_AT_ONCE_BYTES: usize = 1 << 20;

/// Number of samples summed on the device and read back at a time.
const READ_SAMPLES: i64 = 4 << 20;

/// The changed rows on slices of one length, which share the inverse FFTs.
struct SliceLevel<'a> {
    changes: Vec<RowsOfLevel<'a>>,
    fft: DeviceFft,
    /// Slices that own any of the columns.
    slices: Range<usize>,
    /// Index of the first of them among the slices of all levels.
    first_slice: usize,
}

struct RowsOfLevel<'a> {
    cells: GroupCells<'a>,
    rect: CellRect,
    tables: Arc<RowTables>,
}

/// The regions before and after a change, and its flags on the device: one per frame, then two per slice of each level.
struct DeviceChange<'a> {
    before: &'a GpuRegion,
    after: &'a GpuRegion,
    flags: Lease,
    n_slices: usize,
}

/// Buffers for a batch of slices.
struct SliceBuffers {
    bins: Lease,
    packed: Lease,
    other: Lease,
}

impl SliceLevel<'_> {
    fn half(&self) -> i64 {
        self.slice_len() as i64 / 2
    }

    fn slice_len(&self) -> usize {
        self.changes[0].cells.group.slice_len()
    }

    /// The range of samples that these slices cover.
    fn samples(&self, slices: &Range<usize>) -> Range<i64> {
        (slices.start as i64 - 1) * self.half()..slices.end as i64 * self.half()
    }

    /// The slices that hold any of these samples.
    fn slices_over(&self, samples: &Range<i64>) -> Range<usize> {
        let half = self.half();
        let start = samples.start.div_euclid(half).max(self.slices.start as i64);
        let end = ((samples.end - 1).div_euclid(half) + 2).min(self.slices.end as i64);
        start as usize..end.max(start) as usize
    }

    /// The first and last changed place of a slice; `None` if no place changed.
    fn places(&self, bounds: &[u32], slice: usize) -> Option<(usize, usize)> {
        let at = 2 * (self.first_slice + slice - self.slices.start);
        let n_places = self.changes[0].cells.group.n_places();
        (bounds[at] > 0).then(|| (n_places - bounds[at] as usize, bounds[at + 1] as usize - 1))
    }

    /// The ranges of samples that the changed slices affect.
    fn changed<'s>(&'s self, bounds: &'s [u32]) -> impl Iterator<Item = Range<i64>> + 's {
        let group = self.changes[0].cells.group;
        self.slices.clone().filter_map(move |slice| Some(group.samples_around(slice, self.places(bounds, slice)?)))
    }
}

impl Gpu {
    /// Why the device does not compute the [difference](Gpu::rows_difference) of these cells; `None` if it does.
    pub fn why_not_synthesised(plan: &RowsPlan, rect: &CellRect) -> Option<&'static str> {
        plan.changed_rows(rect).iter().find_map(|rows| cells_of(rows).why_on_cpu())
    }

    /// Twin of [`GridPlan::difference`](crate::dsp::GridPlan::difference) on rows. Waits for the result, so never call
    /// it on a UI thread. Only samples and flags are read back.
    ///
    /// # Errors
    /// As [`analyse_rows`](Gpu::analyse_rows), for what it [does not](Gpu::why_not_synthesised) compute.
    pub fn rows_difference(&self, plan: &RowsPlan, before: &GpuRegion, after: &GpuRegion) -> Result<SampleDifference> {
        check(before.rect.contains(&after.rect), "a region is compared with one that does not contain it")?;
        let changed = plan.changed_rows(&after.rect);
        let n_frames = after.rect.frames.len();
        if changed.is_empty() {
            return Ok(SampleDifference { touched: vec![false; n_frames], ..SampleDifference::default() });
        }
        self.guarded(|| {
            let levels = self.levels(plan, &changed)?;
            let n_slices = levels.iter().map(|level| level.slices.len()).sum();
            let flags = self.lease(n_frames + 2 * n_slices)?;
            let change = DeviceChange { before, after, flags, n_slices };
            let mut batch = Batch::new(self)?;
            self.flag_changes(&mut batch, &levels, &change)?;
            let all = levels.iter().map(|level| level.samples(&level.slices));
            let all = all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
            let mut flags = vec![0u32; n_frames + 2 * n_slices];
            if 4 * (all.end - all.start) as usize <= READ_AT_ONCE_BYTES {
                let mut sum = vec![0.0f32; (all.end - all.start) as usize];
                let samples = self.add_levels(&mut batch, &levels, &change, &all, None)?;
                batch.submit();
                let (flag_bytes, bytes) = (bytemuck::cast_slice_mut(&mut flags), bytemuck::cast_slice_mut(&mut sum));
                self.read_pieces(&mut [
                    ReadPiece { what: ReadBack::Flags, lease: &change.flags, first: 0, bytes: flag_bytes },
                    ReadPiece { what: ReadBack::Samples, lease: &samples, first: 0, bytes },
                ])?;
                let mut found = difference(&levels, &flags, n_frames);
                let from = (found.first - all.start).max(0) as usize;
                found.samples.iter_mut().zip(&sum[from.min(sum.len())..]).for_each(|(to, from)| *to = *from);
                return Ok(found);
            }
            batch.submit();
            self.read(ReadBack::Flags, &change.flags, 0, &mut flags)?;
            let mut found = difference(&levels, &flags, n_frames);
            for piece in found.ranges.iter().flat_map(pieces) {
                let samples = self.add_levels(&mut batch, &levels, &change, &piece, Some(&flags[n_frames..]))?;
                batch.submit();
                let own = (piece.start - found.first) as usize..(piece.end - found.first) as usize;
                self.read(ReadBack::Samples, &samples, 0, &mut found.samples[own])?;
            }
            Ok(found)
        })
    }

    /// The changed rows by the length of their slices, the longest first.
    fn levels<'a>(&self, plan: &RowsPlan, changed: &[ChangedRows<'a>]) -> Result<Vec<SliceLevel<'a>>> {
        let mut lengths: Vec<usize> = changed.iter().map(|rows| rows.group.slice_len()).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        let mut levels = Vec::with_capacity(lengths.len());
        let mut first_slice = 0;
        for slice_len in lengths {
            let of_it = changed.iter().filter(|rows| rows.group.slice_len() == slice_len);
            let changes = of_it.map(|rows| {
                let tables = self.row_tables(&plan.bank, rows.group)?;
                Ok(RowsOfLevel { cells: cells_of(rows), rect: rows.rect.clone(), tables })
            });
            let changes = changes.collect::<Result<Vec<_>>>()?;
            let slices = changes.iter().map(|change| change.cells.slices());
            let slices = slices.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
            let n_slices = slices.len();
            levels.push(SliceLevel { changes, fft: self.fft(slice_len)?, slices, first_slice });
            first_slice += n_slices;
        }
        Ok(levels)
    }

    /// Flags the changed frames, and for each slice the first and last changed place.
    fn flag_changes(&self, batch: &mut Batch<'_>, levels: &[SliceLevel<'_>], change: &DeviceChange<'_>) -> Result<()> {
        let n_flags = change.n_flags();
        batch.clear(&change.flags, n_flags);
        for level in levels {
            for of in &level.changes {
                let part = change.part(level, of);
                let mut bindings = change.bindings(of, &part);
                bindings.push((7, words(&change.flags, n_flags)));
                batch.dispatch(
                    Program::file("row_touched", "row_touched"),
                    &bindings,
                    groups_of_256(of.rect.n_cells()),
                )?;
            }
        }
        Ok(())
    }

    /// Adds up the samples of all levels in the range `run`. With `bounds`, skips batches in which no slice changed.
    fn add_levels(
        &self,
        batch: &mut Batch<'_>,
        levels: &[SliceLevel<'_>],
        change: &DeviceChange<'_>,
        run: &Range<i64>,
        bounds: Option<&[u32]>,
    ) -> Result<Lease> {
        let n_samples = (run.end - run.start) as usize;
        let samples = self.lease(n_samples)?;
        batch.clear(&samples, n_samples);
        for level in levels {
            let slices = level.slices_over(run);
            let at_once = level.changes.iter().map(|of| of.cells.slices_at_once(&level.fft)).min();
            let n_batch = at_once.unwrap_or(1).min(slices.len());
            if n_batch == 0 {
                continue;
            }
            let n_values = level.changes.iter().map(|of| of.cells.n_values()).max().unwrap_or(0);
            let n_packed = n_batch * level.slice_len();
            let buffers = SliceBuffers {
                bins: self.lease(2 * n_batch * n_values)?,
                packed: self.lease(n_packed)?,
                other: self.lease(n_packed)?,
            };
            for part in batches(slices.len(), n_batch) {
                let own = slices.start + part.start..slices.start + part.end;
                let is_changed = |slice: usize| bounds.is_none_or(|bounds| level.places(bounds, slice).is_some());
                if own.clone().any(is_changed) {
                    self.add_slices(batch, level, change, (&own, &buffers), (run, &samples))?;
                    batch.submit();
                }
            }
        }
        Ok(samples)
    }

    /// Adds the samples of a batch of slices to a run of samples.
    fn add_slices(
        &self,
        batch: &mut Batch<'_>,
        level: &SliceLevel<'_>,
        change: &DeviceChange<'_>,
        (slices, buffers): (&Range<usize>, &SliceBuffers),
        (run, samples): (&Range<i64>, &Lease),
    ) -> Result<()> {
        let slice_len = level.slice_len();
        let frames = level.fft.frames(slices.start - level.slices.start, slices.len(), slice_len / 2);
        for (i, of) in level.changes.iter().enumerate() {
            self.sum_rows(batch, level, change, (of, i > 0), (&frames, buffers))?;
        }
        let ones = Table::Ones(slice_len);
        let window = self.table(ones)?;
        let ends = [&buffers.packed, &buffers.other];
        let windowed = level.fft.inverse(batch, &frames, (&window, ones.len()), ends)?;
        let all = level.samples(slices);
        let own = all.start.max(run.start)..all.end.min(run.end);
        let n_samples = (run.end - run.start) as usize;
        let sum = RowSamples {
            first: (own.start - run.start) as u32,
            in_slices: (own.start - all.start) as u32,
            n: (own.end - own.start).max(0) as u32,
            n_places: level.changes[0].cells.group.n_places() as u32,
            first_flag: change.first_flag(level),
        };
        batch.dispatch(
            Program::file("row_add", "row_add"),
            &[
                (0, uniform(&frames)),
                (1, uniform(&sum)),
                (2, words(windowed, slices.len() * slice_len)),
                (3, words(&change.flags, change.n_flags())),
                (4, words(samples, n_samples)),
            ],
            groups_of_256(sum.n as usize),
        )
    }

    /// Computes the bins of a group's rows in a batch of slices, and writes them to the packed spectra, or adds them if
    /// `adds`.
    fn sum_rows(
        &self,
        batch: &mut Batch<'_>,
        level: &SliceLevel<'_>,
        change: &DeviceChange<'_>,
        (of, adds): (&RowsOfLevel<'_>, bool),
        (frames, buffers): (&Frames, &SliceBuffers),
    ) -> Result<()> {
        let (part, n_slices) = (change.part(level, of), frames.n_frames as usize);
        let (n_places, slice_len) = (of.cells.group.n_places(), level.slice_len());
        let roots = Table::Twiddles(n_places);
        let root_values = self.table(roots)?;
        let n_bins = 2 * n_slices * part.n_values as usize;
        let mut bindings = change.bindings(of, &part);
        bindings.extend([
            (0, uniform(frames)),
            (7, words(&of.tables.windows, of.tables.n_windows)),
            (8, words(&root_values, roots.len())),
            (9, words(&buffers.bins, n_bins)),
        ]);
        batch.dispatch(Program::file("row_bins", "row_bins"), &bindings, of.cells.groups(&part, n_slices))?;
        let sources = &of.tables.sources;
        let parameters = RowSources {
            first_value: part.first_value,
            n_values: part.n_values,
            first_bin: sources.bins.start as u32,
            n_bins: sources.bins.len() as u32,
            adds: adds.into(),
        };
        batch.dispatch(
            Program::file("row_spectrum", "row_spectrum"),
            &[
                (0, uniform(frames)),
                (1, uniform(&parameters)),
                (2, words(&buffers.bins, n_bins)),
                (3, words(&sources.starts, sources.bins.len() + 1)),
                (4, words(&sources.values, sources.n_values)),
                (5, words(&level.fft.twiddles, level.fft.n_twiddles())),
                (6, words(&buffers.packed, n_slices * slice_len)),
            ],
            [(slice_len / 4 + 1).div_ceil(64) as u32, n_slices as u32],
        )
    }
}

impl DeviceChange<'_> {
    fn n_flags(&self) -> usize {
        self.after.rect.frames.len() + 2 * self.n_slices
    }

    /// Index of the first flag of a level's slices; the flags of frames come before those of slices.
    fn first_flag(&self, level: &SliceLevel<'_>) -> u32 {
        (self.after.rect.frames.len() + 2 * level.first_slice) as u32
    }

    /// The shader parameters of changed rows, with their position in both regions.
    fn part(&self, level: &SliceLevel<'_>, of: &RowsOfLevel<'_>) -> RowPart {
        let (rect, before, after) = (&of.rect, &self.before.rect, &self.after.rect);
        RowPart {
            frame: (rect.frames.start - after.frames.start) as u32,
            first_bin: (rect.bins.start - after.bins.start) as u32,
            n_bins: after.bins.len() as u32,
            before_frame: (rect.frames.start - before.frames.start) as u32,
            before_first_bin: (rect.bins.start - before.bins.start) as u32,
            before_n_bins: before.bins.len() as u32,
            first_flag: self.first_flag(level),
            ..of.cells.part(&of.tables, RowSum::Places, level.slices.start)
        }
    }

    /// See `shaders/common/row_change.wgsl`.
    fn bindings<'b>(&'b self, of: &'b RowsOfLevel<'_>, part: &'b RowPart) -> Vec<(u32, Bind<'b>)> {
        let (before, after) = (&self.before, &self.after);
        vec![
            (1, uniform(part)),
            (2, words(&of.tables.rows, of.tables.n_row_words())),
            (3, words(&before.magnitude, before.rect.n_cells())),
            (4, words(&before.phase, before.rect.n_cells())),
            (5, words(&after.magnitude, after.rect.n_cells())),
            (6, words(&after.phase, after.rect.n_cells())),
        ]
    }
}

fn cells_of<'a>(rows: &ChangedRows<'a>) -> GroupCells<'a> {
    GroupCells { group: rows.group, rows: rows.rect.bins.clone(), columns: rows.columns.clone() }
}

/// The changed frames and ranges of samples, from the flags; the samples are still 0.
fn difference(levels: &[SliceLevel<'_>], flags: &[u32], n_frames: usize) -> SampleDifference {
    let (touched, bounds) = flags.split_at(n_frames);
    let touched = touched.iter().map(|flag| *flag != 0).collect();
    let ranges = merged(levels.iter().flat_map(|level| level.changed(bounds)));
    let (Some(first), Some(end)) = (ranges.first().map(|range| range.start), ranges.last().map(|range| range.end))
    else {
        return SampleDifference { touched, ..SampleDifference::default() };
    };
    SampleDifference { touched, ranges, first, samples: vec![0.0; (end - first) as usize] }
}

/// Splits a range into pieces of at most [`READ_SAMPLES`].
fn pieces(range: &Range<i64>) -> Vec<Range<i64>> {
    let starts = (range.start..range.end).step_by(READ_SAMPLES as usize);
    starts.map(|start| start..range.end.min(start + READ_SAMPLES)).collect()
}
