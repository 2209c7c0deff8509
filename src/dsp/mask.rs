//! How strongly an edit acts on each cell: strokes and selections evaluated on a grid, in f64, then f32.
//!
//! Both engines take the mask made here, so they agree on it to the bit.

use super::selection::{Combine, Shape};
use super::stroke::profile;
use super::{Axis, CellRect, Grid, Selection, Stroke};
use rayon::prelude::*;
use std::ops::Range;

/// The mask `M` over a rectangle of cells, 0 outside it. Frame-major, as [`Region`](super::Region).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mask {
    /// Which cells of the grid.
    pub rect: CellRect,
    /// 0 to 1.
    pub values: Vec<f32>,
}

impl Mask {
    /// 0 everywhere.
    pub fn zeros(rect: CellRect) -> Mask {
        let values = vec![0.0; rect.n_cells()];
        Mask { rect, values }
    }

    /// The least rectangle that holds every cell above 0.
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

/// A rectangle that holds every cell at which stroke and selection are both above 0; tight but for soft corners.
/// Without either it is the whole grid.
pub fn bounds(grid: &Grid, stroke: Option<&Stroke>, selection: Option<&Selection>) -> CellRect {
    let mut rect = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
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
    let n_bins = rect.bins.len();
    let mut mask = Mask::zeros(rect.clone());
    if rect.is_empty() {
        return mask;
    }
    let painter = stroke.map(|stroke| StrokeOnGrid::new(grid, stroke, &rect.bins));
    let shapes: Vec<_> = selection.map_or(&[][..], |selection| &selection.shapes).iter().collect();
    let profiles: Vec<_> = shapes.iter().map(|(combine, shape)| (*combine, Profiles::new(grid, shape, rect))).collect();
    mask.values.par_chunks_mut(n_bins).enumerate().for_each_init(
        || (vec![0.0; n_bins], vec![0.0; n_bins]),
        |(exact, nearest), (row, values)| {
            exact.fill(if painter.is_some() { 0.0 } else { strength });
            if let Some(painter) = &painter {
                painter.paint_row(grid.secs_from_frame((rect.frames.start + row) as f64), nearest, exact);
            }
            if selection.is_some() {
                for (bin, m) in exact.iter_mut().enumerate().filter(|(_, m)| **m > 0.0) {
                    *m *= profiles.iter().fold(0.0, |before, (combine, profiles)| {
                        let shape = profiles.frames[row] * profiles.bins[bin];
                        match combine {
                            Combine::Add => f64::max(before, shape),
                            Combine::Subtract => before * (1.0 - shape),
                            Combine::Intersect => before * shape,
                        }
                    });
                }
            }
            for (value, m) in values.iter_mut().zip(&*exact) {
                *value = *m as f32;
            }
        },
    );
    mask
}

/// The cells that a stroke can reach.
pub fn stroke_bounds(grid: &Grid, stroke: &Stroke) -> CellRect {
    let mut rect = CellRect::default();
    for point in &stroke.points {
        let units = stroke.axis.units_from_hz(point.hz);
        let frames = [-1.0, 1.0].map(|side| grid.frame_from_secs(point.secs + side * stroke.radius[0]));
        let bins = [-1.0, 1.0].map(|side| grid.bin_from_hz(stroke.axis.hz_from_units(units + side * stroke.radius[1])));
        rect = rect.union(&CellRect::new(cells_around(frames, grid.n_frames()), cells_around(bins, grid.n_bins())));
    }
    if stroke.axis == Axis::Log {
        rect.bins.start = rect.bins.start.max(1).min(rect.bins.end);
    }
    rect
}

/// The whole cells from one fractional place to another, and one more on each side against rounding.
fn cells_around(ends: [f64; 2], n: usize) -> Range<usize> {
    let start = (ends[0].floor().max(0.0) as usize).min(n.saturating_sub(1));
    let end = (ends[1].ceil().max(0.0) as usize).saturating_add(1).min(n);
    start..end.max(start)
}

fn selection_bounds(grid: &Grid, selection: &Selection) -> CellRect {
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    selection.shapes.iter().fold(CellRect::default(), |rect, (combine, shape)| {
        let Shape::Rectangle { .. } = shape;
        let support = |profile: Vec<f64>| {
            let start = profile.iter().position(|&p| p > 0.0).unwrap_or(0);
            start..profile.iter().rposition(|&p| p > 0.0).map_or(start, |last| last + 1)
        };
        let near = rectangle_neighbourhood(grid, shape).intersect(&all);
        let profiles = Profiles::new(grid, shape, &near);
        let (frames, bins) = (support(profiles.frames), support(profiles.bins));
        let offset = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        let shape = CellRect::new(offset(frames, near.frames.start), offset(bins, near.bins.start));
        match combine {
            Combine::Add => rect.union(&shape),
            Combine::Subtract => rect,
            Combine::Intersect => rect.intersect(&shape),
        }
    })
}

/// A few cells more than a rectangle and its soft edges, so that profiles need not run over the whole file.
fn rectangle_neighbourhood(grid: &Grid, shape: &Shape) -> CellRect {
    let Shape::Rectangle { secs, feather, .. } = shape;
    let frames = match secs {
        None => 0..grid.n_frames(),
        Some([start, end]) => {
            let first = grid.frame_from_secs(start - feather[0]).floor() - 2.0;
            let last = grid.frame_from_secs(end + feather[0]).ceil() + 3.0;
            let first = (first.max(0.0) as usize).min(grid.n_frames());
            first..(last.max(0.0) as usize).min(grid.n_frames()).max(first)
        }
    };
    CellRect::new(frames, 0..grid.n_bins())
}

/// A stroke's polyline in coordinates divided by its radius, and where bins lie in them.
struct StrokeOnGrid {
    points: Vec<[f64; 3]>,
    secs_per_radius: f64,
    bin_units: Vec<f64>,
    hardness: f64,
    strength: f64,
}

impl StrokeOnGrid {
    fn new(grid: &Grid, stroke: &Stroke, bins: &Range<usize>) -> StrokeOnGrid {
        let place = |point: &super::Point| {
            let [x, y] = stroke.scaled(point.secs, point.hz);
            [x, y, point.pressure]
        };
        let unit = |bin: usize| stroke.axis.units_from_hz(grid.hz_from_bin(bin as f64)) / stroke.radius[1];
        StrokeOnGrid {
            points: stroke.points.iter().map(place).collect(),
            secs_per_radius: stroke.radius[0],
            bin_units: bins.clone().map(unit).collect(),
            hardness: stroke.hardness,
            strength: stroke.strength,
        }
    }

    /// Raises one frame's row by every segment in reach. `nearest` is scratch of the row's length.
    fn paint_row(&self, secs: f64, nearest: &mut [f64], row: &mut [f64]) {
        let x = secs / self.secs_per_radius;
        // With one pressure all along, the strongest segment is the nearest: one profile per cell, not one per segment.
        let even_pressure = self.points[0][2];
        let is_even = self.points.iter().all(|point| point[2] == even_pressure);
        nearest.fill(1.0);
        let single = [self.points[0], self.points[0]];
        let segments: &mut dyn Iterator<Item = &[[f64; 3]]> =
            if self.points.len() == 1 { &mut std::iter::once(&single[..]) } else { &mut self.points.windows(2) };
        for segment in segments {
            let [a, b] = [segment[0], segment[1]];
            if x <= a[0].min(b[0]) - 1.0 || x >= a[0].max(b[0]) + 1.0 {
                continue;
            }
            let low = self.bin_units.partition_point(|&y| !(y >= a[1].min(b[1]) - 1.0));
            let high = self.bin_units.partition_point(|&y| !(y > a[1].max(b[1]) + 1.0));
            let along = [b[0] - a[0], b[1] - a[1]];
            let length_squared = along[0] * along[0] + along[1] * along[1];
            let per_length = if length_squared > 0.0 { 1.0 / length_squared } else { 0.0 };
            for bin in low..high {
                let from = [x - a[0], self.bin_units[bin] - a[1]];
                let u = ((from[0] * along[0] + from[1] * along[1]) * per_length).clamp(0.0, 1.0);
                let off = [from[0] - u * along[0], from[1] - u * along[1]];
                let distance_squared = off[0] * off[0] + off[1] * off[1];
                if is_even {
                    nearest[bin] = nearest[bin].min(distance_squared);
                } else if distance_squared < 1.0 {
                    let pressure = a[2] + (b[2] - a[2]) * u;
                    // Maximum, not sum: a slow hand must not paint more than a fast one.
                    row[bin] = row[bin].max(self.strength * pressure * profile(distance_squared.sqrt(), self.hardness));
                }
            }
        }
        if is_even {
            for (m, distance_squared) in row.iter_mut().zip(nearest).filter(|(_, distance)| **distance < 1.0) {
                *m = self.strength * even_pressure * profile(distance_squared.sqrt(), self.hardness);
            }
        }
    }
}

/// A rectangle's two soft profiles over the frames and bins of a piece of the grid.
struct Profiles {
    frames: Vec<f64>,
    bins: Vec<f64>,
}

impl Profiles {
    fn new(grid: &Grid, shape: &Shape, rect: &CellRect) -> Profiles {
        let Shape::Rectangle { secs, hz, feather, axis } = shape;
        let frames = match secs {
            None => vec![1.0; rect.frames.len()],
            Some(range) => {
                let ends = [0, grid.n_frames() - 1].map(|frame| grid.secs_from_frame(frame as f64));
                let centre = |frame: i64| {
                    (frame >= 0 && frame < grid.n_frames() as i64).then(|| grid.secs_from_frame(frame as f64))
                };
                let near = grid.frame_from_secs(range[0]).floor() as i64;
                let taken = nearest_if_none_inside(*range, ends, near, centre);
                let value =
                    |frame: usize| soft(grid.secs_from_frame(frame as f64), *range, feather[0], taken == Some(frame));
                rect.frames.clone().map(value).collect()
            }
        };
        let bins = match hz {
            None => vec![1.0; rect.bins.len()],
            Some([low, high]) => {
                let units = |bin: usize| axis.units_from_hz(grid.hz_from_bin(bin as f64));
                let range = [low, high].map(|hz| axis.units_from_hz(*hz));
                let on_axis = |bin: i64| {
                    (bin >= 0 && bin < grid.n_bins() as i64)
                        .then(|| units(bin as usize))
                        .filter(|units| units.is_finite())
                };
                let first = usize::from(*axis == Axis::Log);
                let ends = [units(first), units(grid.n_bins() - 1)];
                let near = grid.bin_from_hz(*low).floor() as i64;
                let taken = nearest_if_none_inside(range, ends, near, on_axis);
                let value = |bin: usize| {
                    let at = units(bin);
                    if at.is_finite() { soft(at, range, feather[1], taken == Some(bin)) } else { 0.0 }
                };
                rect.bins.clone().map(value).collect()
            }
        };
        Profiles { frames, bins }
    }
}

/// 1 inside a closed range, a raised cosine outside it down to 0 at the feather's width.
fn soft(at: f64, range: [f64; 2], feather: f64, taken: bool) -> f64 {
    let outside = (range[0] - at).max(at - range[1]);
    if taken || outside <= 0.0 {
        1.0
    } else if outside >= feather {
        0.0
    } else {
        0.5 * (1.0 + (std::f64::consts::PI * outside / feather).cos())
    }
}

/// The cell that a range takes when it lies inside the spectrogram but between two centres: the one nearest its
/// middle, the lower of two. `near` is a cell at or just below the range's start, `centre` gives a cell's place.
fn nearest_if_none_inside(
    range: [f64; 2],
    ends: [f64; 2],
    near: i64,
    centre: impl Fn(i64) -> Option<f64>,
) -> Option<usize> {
    if range[1] < ends[0] || range[0] > ends[1] {
        return None;
    }
    let neighbours = || (near - 1..=near + 2).filter_map(|cell| centre(cell).map(|at| (cell, at)));
    if neighbours().any(|(_, at)| at >= range[0] && at <= range[1]) || !range[0].is_finite() && range[1] >= ends[0] {
        return None;
    }
    let middle = (range[0] + range[1]) / 2.0;
    let nearest = neighbours().min_by(|a, b| (a.1 - middle).abs().total_cmp(&(b.1 - middle).abs()).then(a.0.cmp(&b.0)));
    nearest.map(|(cell, _)| cell as usize)
}
