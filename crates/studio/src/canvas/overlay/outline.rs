//! The outlines of selections: marching ants where they are half selected, and dots where soft edges begin.

use super::marks::{DASH, GAP, dark};
use crate::dsp::selections::mask;
use crate::dsp::{Cells, Combine, Moments, Selection, Shape as Selected};
use crate::view::{Viewport, contours};
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT};
use egui::{Painter, Pos2, Rect, Shape, Stroke, pos2};
use std::sync::Arc;

/// Distance in points at which a selection is sampled for its outline.
const OUTLINE_STEP: f32 = 3.0;

/// The outlines of selections, cached while neither they nor the view change.
#[derive(Debug, Default)]
pub struct Outlines(Vec<Outline>);

#[derive(Debug)]
struct Outline {
    selection: Selection,
    viewport: Viewport,
    inner: Vec<Vec<Pos2>>,
    /// Outer limits of soft edges.
    outer: Vec<Vec<Pos2>>,
}

impl Outlines {
    /// Draws a selection's outline, where it is half selected, and the outer limits of soft edges. `ants` is the offset
    /// of the dashes, in points; none for a selection in progress, which is solid.
    pub fn draw(
        &mut self,
        painter: &Painter,
        viewport: &Viewport,
        pane: Rect,
        selection: &Selection,
        ants: Option<f32>,
    ) {
        let is_same = |known: &Outline| known.viewport == *viewport && known.selection == *selection;
        if !self.0.iter().any(is_same) {
            // Enough for two panes, each with and without a selection in progress.
            if self.0.len() >= 4 {
                self.0.remove(0);
            }
            self.0.push(Outline::new(viewport, pane, selection));
        }
        let Some(outline) = self.0.iter().find(|known| is_same(known)) else { return };
        if ants.is_some() {
            for line in &outline.outer {
                painter.add(Shape::line(line.clone(), Stroke::new(3.0, dark(0.35))));
                let light = Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(0.5));
                painter.extend(Shape::dashed_line(line, light, 1.0, 3.0));
            }
        }
        for line in &outline.inner {
            painter.add(Shape::line(line.clone(), Stroke::new(3.0, dark(0.55))));
            painter.add(Shape::line(line.clone(), Stroke::new(1.5, CANVAS_DARK)));
            match ants {
                None => _ = painter.add(Shape::line(line.clone(), Stroke::new(1.0, CANVAS_LIGHT))),
                Some(offset) => {
                    let light = Stroke::new(1.5, CANVAS_LIGHT);
                    painter.extend(Shape::dashed_line_with_offset(line, light, &[DASH], &[GAP], offset));
                }
            }
        }
    }
}

impl Outline {
    fn new(viewport: &Viewport, pane: Rect, selection: &Selection) -> Outline {
        let (inner, outer) = match selection.shapes.as_slice() {
            [(Combine::Add, Selected::Rectangle { secs, hz, feather, axis })] => {
                // A single box is outlined exactly at its edges, without sampling.
                let rect =
                    |grow: f64| outline(rectangle(viewport, pane, *secs, *hz, feather.map(|by| grow * by), *axis));
                let is_soft = feather.iter().any(|&width| width > 0.0);
                (vec![rect(0.0)], if is_soft { vec![rect(1.0)] } else { Vec::new() })
            }
            _ => contoured(viewport, pane, selection),
        };
        Outline { selection: selection.clone(), viewport: *viewport, inner, outer }
    }
}

fn rectangle(
    viewport: &Viewport,
    pane: Rect,
    secs: Option<[f64; 2]>,
    hz: Option<[f64; 2]>,
    grow: [f64; 2],
    axis: crate::dsp::Axis,
) -> Rect {
    let time = secs.map_or([pane.left() - 2.0, pane.right() + 2.0], |[from, to]| {
        [from - grow[0], to + grow[0]].map(|secs| viewport.x_from_secs(secs) as f32)
    });
    let band = hz.map_or([pane.bottom() + 2.0, pane.top() - 2.0], |[low, high]| {
        let edge = |hz: f64, by: f64| {
            let grown = axis.hz_from_units(axis.units_from_hz(hz) + by);
            viewport.y_from_hz(grown).clamp(-1e5, 1e5) as f32
        };
        [edge(low, -grow[1]), edge(high, grow[1])]
    });
    Rect::from_two_pos(pos2(time[0], band[0]), pos2(time[1], band[1]))
}

/// Contours of the sampled selection at 0.5, and, if it has soft edges, at 0.02.
pub fn contoured(viewport: &Viewport, pane: Rect, selection: &Selection) -> (Vec<Vec<Pos2>>, Vec<Vec<Pos2>>) {
    let area = pane.expand(2.0 * OUTLINE_STEP);
    let n = |length: f32| (length / OUTLINE_STEP).ceil() as usize + 1;
    let (n_rows, n_columns) = (n(area.width()), n(area.height()));
    let x = |row: f32| area.left() + row * OUTLINE_STEP;
    let y = |column: f32| area.bottom() - column * OUTLINE_STEP;
    let secs: Vec<f64> = (0..n_rows).map(|row| viewport.secs_from_x(f64::from(x(row as f32)))).collect();
    let hz: Vec<f64> = (0..n_columns).map(|column| viewport.hz_from_y(f64::from(y(column as f32)))).collect();
    let values = mask::sample(&seen_from_afar(selection, viewport), &secs, &hz);
    let lines = |level: f32| {
        let lines = contours(&values, n_rows, n_columns, level).into_iter();
        lines.map(|line| line.into_iter().map(|[row, column]| pos2(x(row), y(column))).collect()).collect()
    };
    let is_soft = values.iter().any(|value| (0.02..0.98).contains(value));
    (lines(0.5), if is_soft { lines(0.02) } else { Vec::new() })
}

fn outline(rect: Rect) -> Vec<Pos2> {
    vec![rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()]
}

/// Minimum size of an outlined part in points, so that none falls between two samples.
const MIN_VISIBLE_SIZE: f64 = 2.0 * OUTLINE_STEP as f64;
/// Larger arrays are sampled without pooling.
const MAX_POOLED_CELLS: usize = 2 << 20;

/// The selection with thin parts, except subtracted ones, widened to a visible size.
fn seen_from_afar(selection: &Selection, viewport: &Viewport) -> Selection {
    let widened = |(combine, shape): &(Combine, Selected)| match combine {
        Combine::Subtract => (*combine, shape.clone()),
        _ => (*combine, shape_seen(shape, viewport)),
    };
    Selection { shapes: selection.shapes.iter().map(widened).collect() }
}

fn shape_seen(shape: &Selected, viewport: &Viewport) -> Selected {
    match shape {
        Selected::Rectangle { secs, hz, feather, axis } => Selected::Rectangle {
            secs: secs.map(|secs| secs_seen(secs, viewport)),
            hz: hz.map(|hz| hz_seen(hz, viewport)),
            feather: *feather,
            axis: *axis,
        },
        Selected::Harmonics { f0_hz, count, width_hz, secs, feather, axis } => {
            let band = |k: usize| {
                let middle = k as f64 * f0_hz;
                let hz = Some([(middle - width_hz / 2.0).max(0.0), middle + width_hz / 2.0]);
                let band = Selected::Rectangle { secs: *secs, hz, feather: *feather, axis: *axis };
                (Combine::Add, shape_seen(&band, viewport))
            };
            Selected::Group(Selection { shapes: (1..=*count).map(band).collect() })
        }
        Selected::Moments(moments) => {
            let reach_secs = moments.reach_secs.max(MIN_VISIBLE_SIZE / 2.0 * viewport.secs_per_pixel());
            Selected::Moments(Moments { reach_secs, ..moments.clone() })
        }
        Selected::Cells(cells) => Selected::Cells(cells_seen(cells, viewport)),
        Selected::Group(group) => Selected::Group(seen_from_afar(group, viewport)),
        _ => shape.clone(),
    }
}

fn secs_seen(secs: [f64; 2], viewport: &Viewport) -> [f64; 2] {
    let [left, right] = secs.map(|secs| viewport.x_from_secs(secs));
    let more = ((MIN_VISIBLE_SIZE - (right - left)) / 2.0).max(0.0);
    if more > 0.0 { [viewport.secs_from_x(left - more), viewport.secs_from_x(right + more)] } else { secs }
}

fn hz_seen(hz: [f64; 2], viewport: &Viewport) -> [f64; 2] {
    let [bottom, top] = hz.map(|hz| viewport.y_from_hz(hz));
    let more = ((MIN_VISIBLE_SIZE - (bottom - top)) / 2.0).max(0.0);
    if more > 0.0 && bottom.is_finite() {
        [viewport.hz_from_y(bottom + more), viewport.hz_from_y(top - more)]
    } else {
        hz
    }
}

/// Where cells are smaller than [`MIN_VISIBLE_SIZE`], replaces each value by the maximum of its neighbours within that
/// size.
fn cells_seen(cells: &Cells, viewport: &Viewport) -> Cells {
    let [n_frames, n_bins] = cells.size;
    let lengths = [
        viewport.x_from_secs(cells.secs[1]) - viewport.x_from_secs(cells.secs[0]),
        viewport.y_from_hz(cells.hz[0].max(1.0)) - viewport.y_from_hz(cells.hz[1]),
    ];
    let reach = [0, 1].map(|i| {
        let cell = lengths[i] / cells.size[i] as f64;
        if cell > 0.0 && cell < MIN_VISIBLE_SIZE {
            (MIN_VISIBLE_SIZE / cell / 2.0).ceil().min(cells.size[i] as f64) as usize
        } else {
            0
        }
    });
    if reach == [0, 0] || n_frames * n_bins > MAX_POOLED_CELLS {
        return cells.clone();
    }
    let along_bins = |row: &[f32]| largest_around(row, reach[1]);
    let mut values: Vec<f32> = cells.values.chunks_exact(n_bins).flat_map(along_bins).collect();
    if reach[0] > 0 {
        for bin in 0..n_bins {
            let column: Vec<f32> = values[bin..].iter().step_by(n_bins).copied().collect();
            for (value, max) in values[bin..].iter_mut().step_by(n_bins).zip(largest_around(&column, reach[0])) {
                *value = max;
            }
        }
    }
    Cells { values: Arc::from(values), ..cells.clone() }
}

/// The maximum of each value and its `reach` neighbours on both sides, in one pass with a monotonic queue.
pub fn largest_around(values: &[f32], reach: usize) -> Vec<f32> {
    let mut falling = std::collections::VecDeque::new();
    let mut largest = Vec::with_capacity(values.len());
    for end in 0..values.len() + reach {
        if let Some(value) = values.get(end) {
            while falling.back().is_some_and(|&i: &usize| values[i] <= *value) {
                falling.pop_back();
            }
            falling.push_back(end);
        }
        if end >= reach {
            let at = end - reach;
            while falling.front().is_some_and(|&i| i + reach < at) {
                falling.pop_front();
            }
            largest.push(falling.front().map_or(0.0, |&i| values[i]));
        }
    }
    largest
}
