//! The mask of a stroke being drawn: the cost of each new segment depends on the cells that it reaches, not on the
//! length of the stroke.

use super::shapes::{Lattice, SelectionOn, StrokeOn, for_each_in_reach};
use super::tiles::Tiles;
use super::{Mask, bounds_around, off_dc};
use crate::strokes::stroke::profile;
use crate::{Axis, CellRect, Grid, Point, Selection, Stroke};
use rayon::prelude::*;

/// Initial value of tiles of squared distances, in squared radii: at this distance a segment has no effect.
const FAR_DISTANCE_SQUARED: f64 = 1.0;

/// Number of segments per call of `Tiles::change`, which builds a list of the tiles that they reach.
const SEGMENTS_AT_ONCE: usize = 256;

/// The mask of a growing stroke. [`evaluate`](StrokeMask::evaluate) gives the same bits as [`super::evaluate`] of the
/// whole stroke: both take the maximum over all segments, which does not depend on their order.
#[derive(Debug, Clone)]
pub struct StrokeMask {
    grid: Grid,
    axis: Axis,
    radius: [f64; 2],
    hardness: f64,
    strength: f64,
    /// Axis units divided by the radius, for each bin of the grid.
    bin_units: Vec<f64>,
    /// Seconds and axis units divided by the radius, and pressure.
    points: Vec<[f64; 3]>,
    last: Option<Point>,
    /// Bounding rectangle of all cells in reach; may include DC even on a log axis.
    reached: CellRect,
    /// Whether all points have the same pressure. Tiles then contain the squared distance to the nearest segment,
    /// otherwise the strongest effect of any segment.
    is_even: bool,
    tiles: Tiles<f64>,
    n_visits: u64,
}

impl StrokeMask {
    /// The mask of a stroke without points. `brush` gives the shape of the brush; its points are ignored.
    pub fn new(grid: &Grid, brush: &Stroke) -> StrokeMask {
        let unit = |bin: usize| brush.axis.units_from_hz(grid.hz_from_bin(bin as f64)) / brush.radius[1];
        StrokeMask {
            grid: grid.clone(),
            axis: brush.axis,
            radius: brush.radius,
            hardness: brush.hardness,
            strength: brush.strength,
            bin_units: (0..grid.n_bins()).map(unit).collect(),
            points: Vec::new(),
            last: None,
            reached: CellRect::default(),
            is_even: true,
            tiles: Tiles::new(FAR_DISTANCE_SQUARED),
            n_visits: 0,
        }
    }

    /// The mask of a whole stroke.
    pub fn of(grid: &Grid, stroke: &Stroke) -> StrokeMask {
        let mut mask = StrokeMask::new(grid, stroke);
        mask.extend(&stroke.points);
        mask
    }

    /// The grid of the mask.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The cells that the stroke can reach, as [`stroke_bounds`](super::stroke_bounds).
    pub fn bounds(&self) -> CellRect {
        off_dc(self.reached.clone(), self.axis)
    }

    /// Number of points of the stroke.
    pub fn n_points(&self) -> usize {
        self.points.len()
    }

    /// Number of pairs of segment and tile processed by all calls to [`extend`](StrokeMask::extend): a measure of work.
    pub fn n_visits(&self) -> u64 {
        self.n_visits
    }

    /// Adds points. Returns the cells whose value may have changed: those in reach of the new segments, or all cells of
    /// the stroke at the first point with a different pressure.
    pub fn extend(&mut self, points: &[Point]) -> CellRect {
        let Some(&last) = points.last() else { return CellRect::default() };
        let n_before = self.points.len();
        let (units, radius) = (|hz| self.axis.units_from_hz(hz), self.radius);
        let place = |point: &Point| [point.secs / radius[0], units(point.hz) / radius[1], point.pressure];
        self.points.extend(points.iter().map(place));
        let even_pressure = self.points[0][2];
        let was_even = self.is_even;
        self.is_even = was_even && self.points[n_before..].iter().all(|point| point[2] == even_pressure);
        let new = self.last.iter().chain(points).map(|point| [point.secs, point.hz]);
        let reached = bounds_around(&self.grid, new, self.radius, self.axis);
        self.last = Some(last);
        self.reached = self.reached.union(&reached);
        let has_turned = n_before > 0 && was_even != self.is_even;
        // A single point is drawn as a segment of length 0, which is erased when a second point follows.
        let first = if has_turned || n_before <= 1 { 0 } else { n_before - 1 };
        if first == 0 {
            self.tiles.clear(if self.is_even { FAR_DISTANCE_SQUARED } else { 0.0 });
        }
        self.draw(first);
        if has_turned { self.bounds() } else { off_dc(reached, self.axis) }
    }

    /// Draws the segments that start at point `first` or later.
    fn draw(&mut self, first: usize) {
        let n_segments = (self.points.len() - 1).max(1);
        let ends = |index: usize| [self.points[index], self.points[(index + 1).min(self.points.len() - 1)]];
        let (strength, hardness, is_even) = (self.strength, self.hardness, self.is_even);
        for start in (first..n_segments).step_by(SEGMENTS_AT_ONCE) {
            let indices = start..n_segments.min(start + SEGMENTS_AT_ONCE);
            let rects: Vec<CellRect> = indices.map(|index| self.in_reach(ends(index))).collect();
            let n_visits = self.tiles.change(&rects, |index, frame, bins, values| {
                let [a, b] = ends(start + index);
                let x = self.grid.secs_from_frame(frame as f64) / self.radius[0];
                for_each_in_reach(x, &self.bin_units[bins], [a, b], |bin, distance_squared, u| {
                    let value = &mut values[bin];
                    if is_even {
                        *value = value.min(distance_squared);
                    } else if distance_squared < 1.0 {
                        let pressure = a[2] + (b[2] - a[2]) * u;
                        *value = value.max(strength * pressure * profile(distance_squared.sqrt(), hardness));
                    }
                });
            });
            self.n_visits += n_visits as u64;
        }
    }

    /// A rectangle around the cells that a segment reaches.
    fn in_reach(&self, [a, b]: [[f64; 3]; 2]) -> CellRect {
        let frame = |x: f64| self.grid.frame_from_secs(x * self.radius[0]);
        let first = (frame(a[0].min(b[0]) - 1.0).floor() - 1.0).max(0.0) as usize;
        let end = (frame(a[0].max(b[0]) + 1.0).ceil() + 2.0).max(0.0) as usize;
        let low = self.bin_units.partition_point(|&y| y < a[1].min(b[1]) - 1.0);
        let high = self.bin_units.partition_point(|&y| y <= a[1].max(b[1]) + 1.0);
        let end = end.min(self.grid.n_frames());
        CellRect::new(first.min(end)..end, low..high.max(low))
    }

    /// The mask over `rect`: the current stroke times the selection.
    pub fn evaluate(&self, selection: Option<&Selection>, rect: &CellRect) -> Mask {
        let mut mask = Mask::zeros(rect.clone());
        if rect.is_empty() || self.points.is_empty() {
            return mask;
        }
        let lattice = Lattice::of_cells(&self.grid, rect);
        let selection = selection.map(|selection| SelectionOn::new(&lattice, selection));
        let n_bins = rect.bins.len();
        mask.values.par_chunks_mut(n_bins).enumerate().for_each_init(
            || (vec![0.0; n_bins], vec![0.0; n_bins]),
            |(exact, scratch), (row, values)| {
                self.tiles.read_row(rect.frames.start + row, rect.bins.start, exact);
                if self.is_even {
                    let effect = StrokeOn::even_effect(self.strength, self.points[0][2], self.hardness);
                    exact.iter_mut().for_each(|m| *m = if *m < 1.0 { effect(*m) } else { 0.0 });
                }
                if let Some(selection) = &selection
                    && exact.iter().any(|&m| m > 0.0)
                {
                    selection.fill_row(row, scratch);
                    exact.iter_mut().zip(&*scratch).for_each(|(m, selected)| *m *= selected);
                }
                values.iter_mut().zip(&*exact).for_each(|(value, m)| *value = *m as f32);
            },
        );
        mask
    }
}

/// The combined mask of many dabs, accumulated in order.
#[derive(Debug, Clone)]
pub struct SummedMask {
    tiles: Tiles<f32>,
    n_visits: u64,
}

impl Default for SummedMask {
    fn default() -> SummedMask {
        SummedMask { tiles: Tiles::new(0.0), n_visits: 0 }
    }
}

impl SummedMask {
    /// Adds the masks of dabs in order: under a dab, each value becomes `sum(current, mask)`.
    pub fn add(&mut self, masks: &[Mask], sum: impl Fn(f32, f32) -> f32 + Sync + Send) {
        let rects: Vec<CellRect> = masks.iter().map(|mask| mask.rect.clone()).collect();
        let n_visits = self.tiles.change(&rects, |index, frame, bins, values| {
            let mask = &masks[index];
            let start = (frame - mask.rect.frames.start) * mask.rect.bins.len() + bins.start - mask.rect.bins.start;
            values.iter_mut().zip(&mask.values[start..]).for_each(|(value, m)| *value = sum(*value, *m));
        });
        self.n_visits += n_visits as u64;
    }

    /// The current sum over `rect`.
    pub fn evaluate(&self, rect: &CellRect) -> Mask {
        let mut mask = Mask::zeros(rect.clone());
        let rows = mask.values.chunks_mut(rect.bins.len().max(1)).zip(rect.frames.clone());
        rows.for_each(|(values, frame)| self.tiles.read_row(frame, rect.bins.start, values));
        mask
    }

    /// Number of pairs of dab and tile processed by all calls: a measure of work.
    pub fn n_visits(&self) -> u64 {
        self.n_visits
    }
}
