//! Shapes evaluated at the positions of a mask.

use crate::strokes::stroke::profile;
use crate::{Axis, CellRect, Cells, Combine, Grid, Moments, Point, Selection, Shape, Stroke};

/// The positions of a mask: the centres of a rectangle of cells, or arbitrary ones.
#[derive(Debug, Clone)]
pub struct Lattice<'a> {
    /// Time of each row, ascending.
    pub secs: Vec<f64>,
    /// Frequency of each column, ascending.
    pub hz: Vec<f64>,
    /// The cells, so that a range between two centres selects the nearest cell; `None` for arbitrary positions.
    pub cells: Option<(&'a Grid, &'a CellRect)>,
}

impl<'a> Lattice<'a> {
    /// The centres of cells.
    pub fn of_cells(grid: &'a Grid, rect: &'a CellRect) -> Lattice<'a> {
        Lattice {
            secs: rect.frames.clone().map(|frame| grid.mask_secs(frame)).collect(),
            hz: rect.bins.clone().map(|bin| grid.hz_from_bin(bin as f64)).collect(),
            cells: Some((grid, rect)),
        }
    }
}

/// A selection prepared for a lattice.
pub struct SelectionOn(Vec<(Combine, ShapeOn)>);

impl SelectionOn {
    /// Prepares a selection, to be read row by row.
    pub fn new(lattice: &Lattice, selection: &Selection) -> SelectionOn {
        SelectionOn(selection.shapes.iter().map(|(combine, shape)| (*combine, ShapeOn::new(lattice, shape))).collect())
    }

    /// Writes the values of a row to `out`.
    pub fn fill_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        let mut values = vec![0.0; out.len()];
        for (combine, shape) in &self.0 {
            shape.fill_row(row, &mut values);
            for (before, &shape) in out.iter_mut().zip(&values) {
                *before = match combine {
                    Combine::Add => before.max(shape),
                    Combine::Subtract => *before * (1.0 - shape),
                    Combine::Intersect => *before * shape,
                };
            }
        }
    }
}

enum ShapeOn {
    /// One profile per axis.
    Product(Profiles),
    Stroke(StrokeOn),
    Polygon(PolygonOn),
    Cells(CellsOn),
    Group(SelectionOn),
    Nothing,
}

impl ShapeOn {
    fn new(lattice: &Lattice, shape: &Shape) -> ShapeOn {
        match shape {
            Shape::Rectangle { .. } | Shape::Harmonics { .. } => ShapeOn::Product(Profiles::new(lattice, shape)),
            Shape::Moments(moments) => ShapeOn::Product(Profiles::of_moments(lattice, moments)),
            Shape::Stroke(stroke) => ShapeOn::Stroke(StrokeOn::new(lattice, stroke)),
            Shape::Polygon { points, feather, axis } => {
                ShapeOn::Polygon(PolygonOn::new(lattice, points, *feather, *axis))
            }
            Shape::Cells(cells) => ShapeOn::Cells(CellsOn::new(lattice, cells)),
            Shape::Group(group) => ShapeOn::Group(SelectionOn::new(lattice, group)),
            Shape::Wand { .. } | Shape::Find(_) => ShapeOn::Nothing,
        }
    }

    fn fill_row(&self, row: usize, out: &mut [f64]) {
        match self {
            ShapeOn::Product(profiles) => {
                let frame = profiles.frames[row];
                out.iter_mut().zip(&profiles.bins).for_each(|(m, bin)| *m = frame * bin);
            }
            ShapeOn::Stroke(stroke) => {
                out.fill(0.0);
                let mut nearest = vec![0.0; out.len()];
                stroke.paint_row(row, &mut nearest, out);
            }
            ShapeOn::Polygon(polygon) => polygon.fill_row(row, out),
            ShapeOn::Cells(cells) => cells.fill_row(row, out),
            ShapeOn::Group(group) => group.fill_row(row, out),
            ShapeOn::Nothing => out.fill(0.0),
        }
    }
}

/// A stroke's polyline and the positions of a lattice's rows and columns, all in coordinates divided by the radius.
pub struct StrokeOn {
    points: Vec<[f64; 3]>,
    row_units: Vec<f64>,
    bin_units: Vec<f64>,
    hardness: f64,
    strength: f64,
}

impl StrokeOn {
    /// Prepares a stroke, to be read row by row.
    pub fn new(lattice: &Lattice, stroke: &Stroke) -> StrokeOn {
        let place = |point: &Point| {
            let [x, y] = stroke.scaled(point.secs, point.hz);
            [x, y, point.pressure]
        };
        StrokeOn {
            points: stroke.points.iter().map(place).collect(),
            row_units: lattice.secs.iter().map(|secs| secs / stroke.radius[0]).collect(),
            bin_units: lattice.hz.iter().map(|&hz| stroke.axis.units_from_hz(hz) / stroke.radius[1]).collect(),
            hardness: stroke.hardness,
            strength: stroke.strength,
        }
    }

    /// Writes the strongest effect of any segment at each cell of a row to `out`, which must contain zeros. `nearest`
    /// is a scratch buffer of the row's length.
    pub fn paint_row(&self, row: usize, nearest: &mut [f64], out: &mut [f64]) {
        let x = self.row_units[row];
        // With one pressure all along, the strongest segment is the nearest: one profile per cell, not one per segment.
        let even_pressure = self.points[0][2];
        let is_even = self.points.iter().all(|point| point[2] == even_pressure);
        nearest.fill(1.0);
        let single = [self.points[0], self.points[0]];
        let segments: &mut dyn Iterator<Item = &[[f64; 3]]> =
            if self.points.len() == 1 { &mut std::iter::once(&single[..]) } else { &mut self.points.windows(2) };
        for segment in segments {
            let [a, b] = [segment[0], segment[1]];
            for_each_in_reach(x, &self.bin_units, [a, b], |bin, distance_squared, u| {
                if is_even {
                    nearest[bin] = nearest[bin].min(distance_squared);
                } else if distance_squared < 1.0 {
                    let pressure = a[2] + (b[2] - a[2]) * u;
                    // Maximum, not sum: a slow stroke must not paint more than a fast one.
                    out[bin] = out[bin].max(self.strength * pressure * profile(distance_squared.sqrt(), self.hardness));
                }
            });
        }
        if is_even {
            let effect = StrokeOn::even_effect(self.strength, even_pressure, self.hardness);
            for (m, distance_squared) in out.iter_mut().zip(nearest).filter(|(_, distance)| **distance < 1.0) {
                *m = effect(*distance_squared);
            }
        }
    }

    /// The effect of a stroke of constant pressure, as a function of the squared distance to its nearest segment in
    /// radii.
    pub fn even_effect(strength: f64, pressure: f64, hardness: f64) -> impl Fn(f64) -> f64 {
        move |distance_squared| strength * pressure * profile(distance_squared.sqrt(), hardness)
    }
}

/// Calls a function with the cells of a row that a segment may reach: column, squared distance to the segment, and
/// position of its nearest point along the segment, 0 to 1. All coordinates are divided by the radius.
#[inline]
pub fn for_each_in_reach(x: f64, bin_units: &[f64], [a, b]: [[f64; 3]; 2], mut call: impl FnMut(usize, f64, f64)) {
    if x <= a[0].min(b[0]) - 1.0 || x >= a[0].max(b[0]) + 1.0 {
        return;
    }
    let low = bin_units.partition_point(|&y| y < a[1].min(b[1]) - 1.0);
    let high = bin_units.partition_point(|&y| y <= a[1].max(b[1]) + 1.0);
    let along = [b[0] - a[0], b[1] - a[1]];
    let length_squared = along[0] * along[0] + along[1] * along[1];
    let per_length = if length_squared > 0.0 { 1.0 / length_squared } else { 0.0 };
    for (bin, units) in bin_units.iter().enumerate().take(high).skip(low) {
        let from = [x - a[0], units - a[1]];
        let u = ((from[0] * along[0] + from[1] * along[1]) * per_length).clamp(0.0, 1.0);
        let off = [from[0] - u * along[0], from[1] - u * along[1]];
        call(bin, off[0] * off[0] + off[1] * off[1], u);
    }
}

/// Minimum feather if it is 0 on only one axis: a nanosecond, or a billionth of a unit.
const MIN_FEATHER: f64 = 1e-9;

/// A polygon in seconds and axis units.
struct PolygonOn {
    corners: Vec<[f64; 2]>,
    row_secs: Vec<f64>,
    bin_units: Vec<f64>,
    /// Its outline as a stroke whose profile is the soft edge; `None` if it is hard.
    edge: Option<StrokeOn>,
}

impl PolygonOn {
    fn new(lattice: &Lattice, points: &[[f64; 2]], feather: [f64; 2], axis: Axis) -> PolygonOn {
        let edge = feather.iter().any(|&width| width > 0.0).then(|| {
            let closed = points.iter().chain(points.first());
            let points = closed.map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
            let radius = feather.map(|width| width.max(MIN_FEATHER));
            StrokeOn::new(lattice, &Stroke { points, axis, radius, hardness: 0.0, strength: 1.0, build_up: false })
        });
        PolygonOn {
            corners: points.iter().map(|&[secs, hz]| [secs, axis.units_from_hz(hz)]).collect(),
            row_secs: lattice.secs.clone(),
            bin_units: lattice.hz.iter().map(|&hz| axis.units_from_hz(hz)).collect(),
            edge,
        }
    }

    fn fill_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        if let Some(edge) = &self.edge {
            let mut nearest = vec![0.0; out.len()];
            edge.paint_row(row, &mut nearest, out);
        }
        for [low, high] in self.inside_at(self.row_secs[row]) {
            let first = self.bin_units.partition_point(|&y| y < low);
            let end = self.bin_units.partition_point(|&y| y <= high);
            if first < end {
                out[first..end].fill(1.0);
            }
        }
    }

    /// The closed ranges of axis units inside the polygon or on its outline at a time.
    fn inside_at(&self, secs: f64) -> Vec<[f64; 2]> {
        let mut ranges = Vec::new();
        let mut crossings: Vec<(f64, i32)> = Vec::new();
        for (i, &a) in self.corners.iter().enumerate() {
            let b = self.corners[(i + 1) % self.corners.len()];
            if secs < a[0].min(b[0]) || secs > a[0].max(b[0]) {
                continue;
            }
            if a[0] == b[0] {
                ranges.push([a[1].min(b[1]), a[1].max(b[1])]);
                continue;
            }
            let at = a[1] + (b[1] - a[1]) * ((secs - a[0]) / (b[0] - a[0]));
            ranges.push([at, at]);
            // Half open, so that a corner between two lines counts once.
            if (a[0] <= secs) != (b[0] <= secs) {
                crossings.push((at, if a[0] <= secs { 1 } else { -1 }));
            }
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut winding = 0;
        for pair in crossings.windows(2) {
            winding += pair[0].1;
            if winding != 0 {
                ranges.push([pair[0].0, pair[1].0]);
            }
        }
        ranges
    }
}

/// An array, with the index of its frame for each lattice row and of its bin for each column; `None` outside the array.
struct CellsOn {
    cells: Cells,
    frames: Vec<Option<usize>>,
    bins: Vec<Option<usize>>,
}

impl CellsOn {
    fn new(lattice: &Lattice, cells: &Cells) -> CellsOn {
        CellsOn {
            frames: lattice.secs.iter().map(|&secs| place_in(secs, cells.secs, cells.size[0])).collect(),
            bins: lattice.hz.iter().map(|&hz| bin_of(cells, hz)).collect(),
            cells: cells.clone(),
        }
    }

    fn fill_row(&self, row: usize, out: &mut [f64]) {
        let Some(frame) = self.frames[row] else { return out.fill(0.0) };
        let values = &self.cells.values[frame * self.cells.size[1]..];
        for (m, bin) in out.iter_mut().zip(&self.bins) {
            *m = bin.map_or(0.0, |bin| f64::from(values[bin]));
        }
    }
}

/// The bin of an array at a frequency; `None` outside the array.
pub fn bin_of(cells: &Cells, hz: f64) -> Option<usize> {
    let units = |hz: f64| cells.axis.units_from_hz(hz);
    place_in(units(hz), cells.hz.map(units), cells.size[1])
}

/// The index of a position among `n` equal parts of a range; `None` outside the range.
pub fn place_in(at: f64, range: [f64; 2], n: usize) -> Option<usize> {
    let part = (at - range[0]) / (range[1] - range[0]) * n as f64;
    (part >= 0.0 && part < n as f64).then_some(part as usize)
}

/// Two soft profiles over the rows and columns of a lattice, whose product is a rectangle, or a comb of bands.
pub struct Profiles {
    /// Value of each row.
    pub frames: Vec<f64>,
    /// Value of each column.
    pub bins: Vec<f64>,
}

impl Profiles {
    /// Profiles of a rectangle or of harmonics; 1 everywhere for other shapes, which have none.
    pub fn new(lattice: &Lattice, shape: &Shape) -> Profiles {
        let (secs, bands, feather, axis) = match shape {
            Shape::Rectangle { secs, hz, feather, axis } => (secs, hz.map(|hz| vec![hz]), feather, *axis),
            Shape::Harmonics { f0_hz, count, width_hz, secs, feather, axis } => {
                let half = width_hz / 2.0;
                let band = |k: usize| [(f0_hz * k as f64 - half).max(0.0), f0_hz * k as f64 + half];
                (secs, Some((1..=*count).map(band).collect()), feather, *axis)
            }
            _ => (&None, None, &[0.0; 2], Axis::Linear),
        };
        let frames = match secs {
            None => vec![1.0; lattice.secs.len()],
            Some(range) => frame_profile(lattice, *range, feather[0]),
        };
        let mut bins = vec![if bands.is_none() { 1.0 } else { 0.0 }; lattice.hz.len()];
        for band in bands.unwrap_or_default() {
            raise_by_band(lattice, band, feather[1], axis, &mut bins);
        }
        Profiles { frames, bins }
    }

    /// Profiles of moments, each extended by its `reach_secs` on both sides.
    pub fn of_moments(lattice: &Lattice, moments: &Moments) -> Profiles {
        let mut frames = vec![0.0f64; lattice.secs.len()];
        let feather = moments.feather_secs;
        for range in moments.heard() {
            let taken = frame_taken(lattice, range);
            let first = lattice.secs.partition_point(|&secs| secs < range[0] - feather);
            let end = lattice.secs.partition_point(|&secs| secs <= range[1] + feather);
            for row in (first..end).chain(taken) {
                frames[row] = frames[row].max(soft(lattice.secs[row], range, feather, taken == Some(row)));
            }
        }
        Profiles { frames, bins: vec![1.0; lattice.hz.len()] }
    }
}

/// The row of the frame nearest to a range that lies between two frame centres; `None` for other ranges.
fn frame_taken(lattice: &Lattice, range: [f64; 2]) -> Option<usize> {
    let (grid, rect) = lattice.cells?;
    // Frames beyond the ends of the sound only hold its tails, so a range there selects none of them.
    if grid.row_table().is_some() && (range[1] < 0.0 || range[0] > grid.duration_secs()) {
        return None;
    }
    let ends = [0, grid.n_frames() - 1].map(|frame| grid.secs_from_frame(frame as f64));
    let centre =
        |frame: i64| (frame >= 0 && frame < grid.n_frames() as i64).then(|| grid.secs_from_frame(frame as f64));
    let near = grid.frame_from_secs(range[0]).floor() as i64;
    let row = nearest_if_none_inside(range, ends, near, centre)?.checked_sub(rect.frames.start)?;
    (row < lattice.secs.len()).then_some(row)
}

fn frame_profile(lattice: &Lattice, range: [f64; 2], feather: f64) -> Vec<f64> {
    let taken = frame_taken(lattice, range);
    lattice.secs.iter().enumerate().map(|(row, &secs)| soft(secs, range, feather, taken == Some(row))).collect()
}

fn raise_by_band(lattice: &Lattice, band: [f64; 2], feather: f64, axis: Axis, bins: &mut [f64]) {
    let range = band.map(|hz| axis.units_from_hz(hz));
    let taken = lattice.cells.and_then(|(grid, rect)| {
        let units = |bin: usize| axis.units_from_hz(grid.hz_from_bin(bin as f64));
        let on_axis = |bin: i64| {
            (bin >= 0 && bin < grid.n_bins() as i64).then(|| units(bin as usize)).filter(|units| units.is_finite())
        };
        let ends = [units(usize::from(axis == Axis::Log)), units(grid.n_bins() - 1)];
        let near = grid.bin_from_hz(band[0]).floor() as i64;
        nearest_if_none_inside(range, ends, near, on_axis)?.checked_sub(rect.bins.start)
    });
    for (bin, (value, &hz)) in bins.iter_mut().zip(&lattice.hz).enumerate() {
        let at = axis.units_from_hz(hz);
        if at.is_finite() {
            *value = value.max(soft(at, range, feather, taken == Some(bin)));
        }
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

/// The cell assigned to a range inside the spectrogram but between two centres: the one nearest its middle, the lower
/// of ties. `near` is a cell at or just below the range's start, `centre` returns a cell's position.
fn nearest_if_none_inside(
    range: [f64; 2],
    ends: [f64; 2],
    near: i64,
    centre: impl Fn(i64) -> Option<f64>,
) -> Option<usize> {
    if range[1] < ends[0] || range[0] > ends[1] {
        return None;
    }
    // Prevents integer overflow if a range starts far below the grid.
    let near = near.max(-2);
    let neighbours = || (near - 1..=near + 2).filter_map(|cell| centre(cell).map(|at| (cell, at)));
    if neighbours().any(|(_, at)| at >= range[0] && at <= range[1]) || !range[0].is_finite() && range[1] >= ends[0] {
        return None;
    }
    let middle = (range[0] + range[1]) / 2.0;
    let nearest = neighbours().min_by(|a, b| (a.1 - middle).abs().total_cmp(&(b.1 - middle).abs()).then(a.0.cmp(&b.0)));
    nearest.map(|(cell, _)| cell as usize)
}
