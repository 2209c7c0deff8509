//! The strength of an edit at each cell: strokes and selections evaluated on a grid, in f64, then stored as f32.
//!
//! Both engines use the mask computed here, so it is bit-identical for both.

mod drawn;
mod morph;
mod shapes;
mod tiles;

pub use drawn::{StrokeMask, SummedMask};
pub use morph::{dilated, eroded, feathered};

use super::selection::{Combine, Shape};
use crate::{Axis, CellRect, Cells, Grid, Selection, Stroke};
use rayon::prelude::*;
use shapes::{Lattice, Profiles, SelectionOn, StrokeOn, bin_of, place_in};
use std::ops::Range;

/// The mask `M` over a rectangle of cells, 0 outside it. Frame-major, as [`Region`](crate::Region).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mask {
    /// Cells of the grid.
    pub rect: CellRect,
    /// Values, 0 to 1.
    pub values: Vec<f32>,
}

impl Mask {
    /// A mask that is 0 everywhere.
    pub fn zeros(rect: CellRect) -> Mask {
        let values = vec![0.0; rect.n_cells()];
        Mask { rect, values }
    }

    /// The smallest rectangle that contains every cell above 0.
    pub fn tight_bounds(&self) -> CellRect {
        let n_bins = self.rect.bins.len();
        if n_bins == 0 {
            return CellRect::default();
        }
        let mut tight = CellRect::default();
        for (frame, row) in self.rect.frames.clone().zip(self.values.chunks_exact(n_bins)) {
            let Some(low) = row.iter().position(|&m| m > 0.0) else { continue };
            let high = row.iter().rposition(|&m| m > 0.0).unwrap_or(low);
            let first = self.rect.bins.start;
            tight = tight.union(&CellRect::new(frame..frame + 1, first + low..first + high + 1));
        }
        tight
    }

    /// The cells of `rect`, which must lie inside.
    #[must_use]
    pub fn crop(&self, rect: &CellRect) -> Mask {
        let (skip, n) = (rect.bins.start - self.rect.bins.start, rect.bins.len());
        let rows =
            self.values.chunks_exact(self.rect.bins.len().max(1)).skip(rect.frames.start - self.rect.frames.start);
        let values = rows.take(rect.frames.len()).flat_map(|row| &row[skip..skip + n]).copied().collect();
        Mask { rect: rect.clone(), values }
    }
}

/// A rectangle that contains every cell where stroke and selection are both above 0; tight except for soft corners.
/// Without either it is the whole grid.
pub fn bounds(grid: &Grid, stroke: Option<&Stroke>, selection: Option<&Selection>) -> CellRect {
    let mut rect = grid.all_cells();
    if let Some(stroke) = stroke {
        rect = rect.intersect(&stroke_bounds(grid, stroke));
    }
    if let Some(selection) = selection {
        rect = rect.intersect(&selection_bounds(grid, selection));
    }
    rect
}

/// The mask of an edit over `rect`: stroke times selection, or `strength` times selection without a stroke, or
/// `strength` without either.
pub fn evaluate(
    grid: &Grid,
    stroke: Option<&Stroke>,
    selection: Option<&Selection>,
    strength: f64,
    rect: &CellRect,
) -> Mask {
    if rect.is_empty() {
        return Mask::zeros(rect.clone());
    }
    Mask { rect: rect.clone(), values: values_on(&Lattice::of_cells(grid, rect), stroke, selection, strength) }
}

/// As [`evaluate`], at `secs.len()` times by `hz.len()` frequencies, row by row; both ascend. A range that falls
/// between two positions selects neither, since positions have no extent.
pub fn evaluate_at(
    secs: &[f64],
    hz: &[f64],
    stroke: Option<&Stroke>,
    selection: Option<&Selection>,
    strength: f64,
) -> Vec<f32> {
    let lattice = Lattice { secs: secs.to_vec(), hz: hz.to_vec(), cells: None };
    values_on(&lattice, stroke, selection, strength)
}

/// The values of an edit's mask on a lattice.
fn values_on(lattice: &Lattice<'_>, stroke: Option<&Stroke>, selection: Option<&Selection>, strength: f64) -> Vec<f32> {
    let n_bins = lattice.hz.len();
    let mut values = vec![0.0; lattice.secs.len() * n_bins];
    let painter = stroke.map(|stroke| StrokeOn::new(lattice, stroke));
    let selection = selection.map(|selection| SelectionOn::new(lattice, selection));
    values.par_chunks_mut(n_bins.max(1)).enumerate().for_each_init(
        || (vec![0.0; n_bins], vec![0.0; n_bins]),
        |(exact, scratch), (row, values)| {
            exact.fill(if painter.is_some() { 0.0 } else { strength });
            if let Some(painter) = &painter {
                painter.paint_row(row, scratch, exact);
            }
            if let Some(selection) = &selection
                && exact.iter().any(|&m| m > 0.0)
            {
                selection.fill_row(row, scratch);
                exact.iter_mut().zip(&*scratch).for_each(|(m, selected)| *m *= selected);
            }
            for (value, m) in values.iter_mut().zip(&*exact) {
                *value = *m as f32;
            }
        },
    );
    values
}

/// A selection at `secs.len()` times by `hz.len()` frequencies, row by row; both ascend. A range that falls between two
/// positions selects neither, since positions have no extent.
pub fn sample(selection: &Selection, secs: &[f64], hz: &[f64]) -> Vec<f32> {
    let lattice = Lattice { secs: secs.to_vec(), hz: hz.to_vec(), cells: None };
    let selection = SelectionOn::new(&lattice, selection);
    let mut values = vec![0.0; secs.len() * hz.len()];
    values.par_chunks_mut(hz.len().max(1)).enumerate().for_each_init(
        || vec![0.0; hz.len()],
        |exact, (row, values)| {
            selection.fill_row(row, exact);
            values.iter_mut().zip(&*exact).for_each(|(value, m)| *value = *m as f32);
        },
    );
    values
}

/// The cells that a stroke can reach.
pub fn stroke_bounds(grid: &Grid, stroke: &Stroke) -> CellRect {
    let places = stroke.points.iter().map(|point| [point.secs, point.hz]);
    off_dc(bounds_around(grid, places, stroke.radius, stroke.axis), stroke.axis)
}

/// The rectangle without the DC bin on a log axis, which does not include 0 Hz.
fn off_dc(mut rect: CellRect, axis: Axis) -> CellRect {
    if axis == Axis::Log {
        rect.bins.start = rect.bins.start.max(1).min(rect.bins.end);
    }
    rect
}

/// The cells within a distance of some positions.
fn bounds_around(grid: &Grid, places: impl Iterator<Item = [f64; 2]>, radius: [f64; 2], axis: Axis) -> CellRect {
    let mut rect = CellRect::default();
    for [secs, hz] in places {
        let units = axis.units_from_hz(hz);
        let frames = grid.mask_frames([-1.0, 1.0].map(|side| secs + side * radius[0]));
        let bins = [-1.0, 1.0].map(|side| grid.bin_from_hz(axis.hz_from_units(units + side * radius[1])));
        rect = rect.union(&CellRect::new(cells_around(frames, grid.n_frames()), cells_around(bins, grid.n_bins())));
    }
    rect
}

/// The cells between two fractional positions, rounded outwards.
fn cells_around(ends: [f64; 2], n: usize) -> Range<usize> {
    let start = (ends[0].floor().max(0.0) as usize).min(n.saturating_sub(1));
    let end = (ends[1].ceil().max(0.0) as usize).saturating_add(1).min(n);
    start..end.max(start)
}

fn selection_bounds(grid: &Grid, selection: &Selection) -> CellRect {
    selection.shapes.iter().fold(CellRect::default(), |rect, (combine, shape)| match combine {
        Combine::Add => rect.union(&shape_bounds(grid, shape)),
        Combine::Subtract => rect,
        Combine::Intersect => rect.intersect(&shape_bounds(grid, shape)),
    })
}

fn shape_bounds(grid: &Grid, shape: &Shape) -> CellRect {
    match shape {
        Shape::Rectangle { secs, feather, .. } | Shape::Harmonics { secs, feather, .. } => {
            let near = CellRect::new(frames_near(grid, *secs, feather[0]), 0..grid.n_bins());
            let profiles = Profiles::new(&Lattice::of_cells(grid, &near), shape);
            let is_reached = |profile: &[f64], i: usize| profile[i] > 0.0;
            CellRect::new(
                support(near.frames, |i| is_reached(&profiles.frames, i)),
                support(near.bins, |i| is_reached(&profiles.bins, i)),
            )
        }
        Shape::Moments(moments) => {
            let near = CellRect::new(frames_near(grid, moments.extent(), moments.feather_secs), 0..grid.n_bins());
            let profile = Profiles::of_moments(&Lattice::of_cells(grid, &near), moments);
            CellRect::new(support(near.frames, |i| profile.frames[i] > 0.0), 0..grid.n_bins())
        }
        Shape::Polygon { points, feather, axis } => {
            off_dc(bounds_around(grid, points.iter().copied(), *feather, *axis), *axis)
        }
        Shape::Stroke(stroke) => stroke_bounds(grid, stroke),
        Shape::Cells(cells) => cells_bounds(grid, cells),
        Shape::Group(group) => selection_bounds(grid, group),
        Shape::Wand { .. } | Shape::Find(_) => CellRect::default(),
    }
}

fn cells_bounds(grid: &Grid, cells: &Cells) -> CellRect {
    let frames = frames_near(grid, Some(cells.secs), 0.0);
    let (first, bins) = (frames.start, 0..grid.n_bins());
    let secs = |frame: usize| grid.mask_secs(first + frame);
    let hz = |bin: usize| grid.hz_from_bin(bin as f64);
    CellRect::new(
        support(frames, |frame| place_in(secs(frame), cells.secs, cells.size[0]).is_some()),
        support(bins, |bin| bin_of(cells, hz(bin)).is_some()),
    )
}

/// The smallest part of a range that contains all reached indices. `is_reached` receives the offset from the start.
fn support(range: Range<usize>, is_reached: impl Fn(usize) -> bool) -> Range<usize> {
    let start = (0..range.len()).find(|&i| is_reached(i)).unwrap_or(0);
    let end = (0..range.len()).rfind(|&i| is_reached(i)).map_or(start, |last| last + 1);
    range.start + start..range.start + end
}

/// The frames of a range with its soft edges and a small margin, so that profiles need not cover the whole file.
fn frames_near(grid: &Grid, secs: Option<[f64; 2]>, feather: f64) -> Range<usize> {
    let Some([start, end]) = secs else { return 0..grid.n_frames() };
    let [first, last] = grid.mask_frames([start - feather, end + feather]);
    let first = ((first.floor() - 2.0).max(0.0) as usize).min(grid.n_frames());
    first..((last.ceil() + 3.0).max(0.0) as usize).min(grid.n_frames()).max(first)
}
