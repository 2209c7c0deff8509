//! The plan of a grid: computes cells from samples, and sample differences from changed cells.

use super::rows::{Excerpt, RowBank, RowChange, RowGroup, RowReading};
use crate::base::{Error, ErrorKind, Result};
use crate::{CellRect, DifferenceSum, Grid, Region, SampleDifference, Stft};
use std::ops::Range;
use std::sync::Arc;

/// Tables and FFTs of a grid. Cheap to clone.
#[derive(Debug, Clone)]
pub enum GridPlan {
    /// A plan of an STFT.
    Stft(Arc<Stft>),
    /// A plan of a group of rows.
    Rows(RowsPlan),
}

/// Tables and FFTs of a group of rows. Its cells are amplitudes: a full-scale sine has magnitude 1 on any row, so that
/// kernels can compare rows.
#[derive(Debug, Clone)]
pub struct RowsPlan {
    /// All rows.
    pub bank: Arc<RowBank>,
    group: GroupSource,
}

#[derive(Debug, Clone)]
enum GroupSource {
    /// A group of the bank.
    Bank(usize),
    /// A group with another hop or other slices.
    Own(Arc<OwnGroup>),
}

/// Rows of several groups on one grid.
#[derive(Debug)]
struct OwnGroup {
    group: RowGroup,
    /// The rows of `group`, split by the bank's groups, with the same hop but slices of their own lengths. Differences
    /// are synthesised on these slices, so that they extend only as far as the changed rows require, not as far as the
    /// lowest row of `group` would.
    parts: Vec<RowGroup>,
}

impl From<Arc<Stft>> for GridPlan {
    fn from(stft: Arc<Stft>) -> GridPlan {
        GridPlan::Stft(stft)
    }
}

impl GridPlan {
    /// The STFT plan, where an STFT is required.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) for rows, which brushes must reject beforehand.
    pub fn stft(&self) -> Result<&Arc<Stft>> {
        match self {
            GridPlan::Stft(stft) => Ok(stft),
            GridPlan::Rows(_) => Err(Error::new(ErrorKind::Internal, "this needs an STFT")),
        }
    }

    /// The plan of rows; `None` for an STFT.
    pub fn rows(&self) -> Option<&RowsPlan> {
        match self {
            GridPlan::Stft(_) => None,
            GridPlan::Rows(rows) => Some(rows),
        }
    }

    /// The samples on which the cells of `rect` depend; may extend beyond the signal.
    pub fn samples_read(&self, rect: &CellRect) -> Range<i64> {
        match self {
            GridPlan::Stft(stft) => stft.samples_under(&rect.frames),
            GridPlan::Rows(rows) => rows.reading(rect).samples_under(),
        }
    }

    /// The cells of `rect`, computed from the samples that it [depends on](GridPlan::samples_read).
    pub fn analyse(&self, samples: &[f32], rect: &CellRect) -> Region {
        match self {
            GridPlan::Stft(stft) => stft.analyse(samples, rect),
            GridPlan::Rows(rows) => rows.analyse(samples, rect),
        }
    }

    /// The difference in samples between two regions. `before` includes the cells of `after`; cells outside `after`
    /// count as unchanged.
    pub fn difference(&self, before: &Region, after: &Region) -> SampleDifference {
        match self {
            GridPlan::Stft(stft) => stft.difference(before, after),
            GridPlan::Rows(rows) => rows.difference(before, after),
        }
    }

    /// The mean square of a bin's magnitude in white noise of variance 1.
    pub fn noise_power(&self, bin: usize) -> f64 {
        match self {
            GridPlan::Stft(stft) => stft.window_power(),
            GridPlan::Rows(rows) => rows.bank.noise_power(bin) / rows.bank.rows()[bin].peak.powi(2),
        }
    }

    /// An empty sum for differences of this plan on its grid; for rows, also for those of other groups of the same
    /// transform.
    pub fn sum(&self, grid: &Grid) -> DifferenceSum {
        DifferenceSum::new(match self {
            GridPlan::Stft(stft) => Some((stft.clone(), grid.n_frames())),
            GridPlan::Rows(_) => None,
        })
    }
}

impl RowsPlan {
    /// The plans of all groups, in order of frequency.
    pub fn of_groups(bank: &Arc<RowBank>) -> Vec<RowsPlan> {
        (0..bank.groups().len()).map(|at| RowsPlan { bank: bank.clone(), group: GroupSource::Bank(at) }).collect()
    }

    /// The plan for moving sound in these rows: see [`RowBank::group_for_moves`].
    pub fn for_moves(bank: &Arc<RowBank>, rows: Range<usize>) -> RowsPlan {
        let group = bank.group_for_moves(rows);
        let parts = bank.groups_beside(&group);
        RowsPlan { bank: bank.clone(), group: GroupSource::Own(Arc::new(OwnGroup { group, parts })) }
    }

    /// The group of rows that the plan reads.
    pub fn group(&self) -> &RowGroup {
        match &self.group {
            GroupSource::Bank(at) => &self.bank.groups()[*at],
            GroupSource::Own(own) => &own.group,
        }
    }

    /// The groups on whose slices changes are synthesised.
    fn parts(&self) -> &[RowGroup] {
        match &self.group {
            GroupSource::Bank(at) => std::slice::from_ref(&self.bank.groups()[*at]),
            GroupSource::Own(own) => &own.parts,
        }
    }

    /// The cells of a rectangle, ready to be analysed.
    pub fn reading(&self, rect: &CellRect) -> RowReading<'_> {
        RowReading::new(&self.bank, self.group(), rect.clone())
    }

    fn analyse(&self, samples: &[f32], rect: &CellRect) -> Region {
        let reading = self.reading(rect);
        let mut region = reading.analyse(&Excerpt { first: reading.samples_under().start, samples });
        self.scale(&mut region, |peak| 1.0 / peak);
        region
    }

    fn difference(&self, before: &Region, after: &Region) -> SampleDifference {
        let changed = self.changed_rows(&after.rect);
        let parts: Vec<ChangedPart<'_>> =
            changed.into_iter().map(|rows| self.changed_part(rows, before, after)).collect();
        let changes: Vec<RowChange<'_>> = parts.iter().map(ChangedPart::change).collect();
        let difference = self.bank.difference(&changes);
        let mut touched = vec![false; after.n_frames()];
        for (part, columns) in parts.iter().zip(&difference.touched) {
            let n_before = part.rows.rect.frames.start - after.rect.frames.start;
            touched[n_before..].iter_mut().zip(columns).for_each(|(all, own)| *all |= own);
        }
        SampleDifference { touched, ranges: difference.ranges, first: difference.first, samples: difference.samples }
    }

    /// The cells of a rectangle that may change samples, split by the group on whose slices they are synthesised.
    pub fn changed_rows(&self, rect: &CellRect) -> Vec<ChangedRows<'_>> {
        self.parts().iter().filter_map(|group| self.changed_in(group, rect)).collect()
    }

    fn changed_in<'g>(&self, group: &'g RowGroup, rect: &CellRect) -> Option<ChangedRows<'g>> {
        let bins = group.rows().start.max(rect.bins.start)..group.rows().end.min(rect.bins.end);
        // Column 0 of a group is a quarter of its slice before the sound, and slices of this group may be shorter than
        // those of the plan. Plan columns before its column 0 have no cells in this group.
        let earlier = self.group().first_column_inside() - group.first_column_inside();
        let frames = rect.frames.start.max(earlier)..rect.frames.end;
        if bins.start >= bins.end || frames.start >= frames.end {
            return None;
        }
        let columns = frames.start - earlier..frames.end - earlier;
        Some(ChangedRows { group, rect: CellRect::new(frames, bins), columns })
    }

    /// The cells before and after the change, multiplied by each row's peak and indexed by columns of the group.
    fn changed_part<'p>(&self, rows: ChangedRows<'p>, before: &Region, after: &Region) -> ChangedPart<'p> {
        let [before, after] = [before, after].map(|region| {
            let mut region = region.crop(&rows.rect);
            self.scale(&mut region, |peak| peak);
            region.rect.frames = rows.columns.clone();
            region
        });
        ChangedPart { rows, before, after }
    }

    /// Multiplies every row by a function of its peak, the value for a unit sine.
    fn scale(&self, region: &mut Region, factor: impl Fn(f64) -> f64) {
        let rows = &self.bank.rows()[region.rect.bins.clone()];
        let factors: Vec<f32> = rows.iter().map(|row| factor(row.peak) as f32).collect();
        for column in region.magnitude.chunks_exact_mut(factors.len().max(1)) {
            column.iter_mut().zip(&factors).for_each(|(magnitude, factor)| *magnitude *= factor);
        }
    }
}

/// The rows of a change that are synthesised on one group's slices.
#[derive(Debug, Clone)]
pub struct ChangedRows<'a> {
    /// The group.
    pub group: &'a RowGroup,
    /// The cells, on the plan's grid.
    pub rect: CellRect,
    /// The columns of these cells, counted in `group`.
    pub columns: Range<usize>,
}

/// The cells of changed rows.
struct ChangedPart<'a> {
    rows: ChangedRows<'a>,
    before: Region,
    after: Region,
}

impl ChangedPart<'_> {
    fn change(&self) -> RowChange<'_> {
        RowChange { group: self.rows.group, before: Some(&self.before), after: &self.after }
    }
}
