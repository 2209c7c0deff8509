//! From an edit to kernels on rectangles of cells: which cells, in which pieces, with which tables.

use super::{Edit, Snapshot};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::brush::{Along, Butterworth, WarpMode};
use crate::dsp::displacement::{Displacement, PushField, dabs};
use crate::dsp::kernels::{Kernel, blur_radius, gaussian_taps, modulation_response, padded_length};
use crate::dsp::{Axis, Brush, CellRect, Grid, Mask, Shape, mask};

/// Largest reach of a blur, in cells.
const MAX_BLUR_CELLS: usize = 512;

/// Largest patch of a modulation filter, in cells after padding.
const MAX_PADDED_CELLS: usize = 1 << 26;

/// Largest warp: its field is made for all of it at once, some 40 bytes a cell.
const MAX_WARP_CELLS: usize = 1 << 25;

/// Longest push, in radii: two hours with a radius of 60 ms. Each takes eight passes over the cells under the brush.
const MAX_PUSH_RADII: f64 = 120_000.0;

/// Most cells that the dabs of one push may move, each counted as often as it is moved: some ten seconds' work.
const MAX_PUSHED_CELLS: usize = 1 << 29;

/// An edit laid out on the grid of a sound.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The grid that the edit works on.
    pub grid: Grid,
    edit: &'a Edit,
    /// Every cell that may change.
    bounds: CellRect,
    frames_per_piece: usize,
    /// What is the same for all pieces.
    recipe: Recipe,
}

#[derive(Debug)]
enum Recipe {
    /// Each piece has its own mask and the same kernel.
    Cells(Kernel),
    /// One patch, whose mask is already made.
    Patch(Kernel, Mask),
    /// Pieces of one field.
    Warp(Displacement),
}

/// One piece of an edit.
#[derive(Debug)]
pub struct Work {
    /// Cells that are written.
    pub rect: CellRect,
    /// Cells that are read.
    pub read: CellRect,
    /// The brush, made ready.
    pub kernel: Kernel,
    /// Over `rect`.
    pub mask: Mask,
}

impl<'a> Plan<'a> {
    /// The plan of an edit; none if it reaches no cell. No piece reads more than `max_cells`, where its brush allows
    /// pieces.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script): the edit is too large for its brush, or its transform is not allowed.
    pub fn new(snapshot: &Snapshot, edit: &'a Edit, max_cells: usize) -> Result<Option<Plan<'a>>> {
        let grid = grid_of(snapshot, edit)?;
        let (stroke, select) = (edit.stroke.as_ref(), edit.select.as_ref());
        let bounds = mask::bounds(&grid, stroke, select);
        if bounds.is_empty() {
            return Ok(None);
        }
        let (recipe, bounds) = match &edit.brush {
            Brush::ModulationFilter { along, filters } => {
                let Some((kernel, mask)) = modulation_patch(&grid, edit, &bounds, *along, filters)? else {
                    return Ok(None);
                };
                let patch = mask.rect.clone();
                (Recipe::Patch(kernel, mask), patch)
            }
            Brush::Warp(mode) => {
                let Some(field) = warp_field(&grid, edit, &bounds, *mode)? else { return Ok(None) };
                let rect = field.rect.clone();
                (Recipe::Warp(field), rect)
            }
            _ => (Recipe::Cells(cell_kernel(&grid, &edit.brush)?), bounds),
        };
        let halo = match &recipe {
            Recipe::Cells(kernel) => kernel.halo(),
            _ => [0, 0],
        };
        let frames_per_piece = match &recipe {
            Recipe::Patch(..) => bounds.frames.len(),
            _ => (max_cells / grid.n_bins()).saturating_sub(2 * halo[0]).max(64),
        };
        Ok(Some(Plan { grid, edit, bounds, frames_per_piece, recipe }))
    }

    /// How many pieces there are.
    pub fn n_pieces(&self) -> usize {
        self.bounds.frames.len().div_ceil(self.frames_per_piece)
    }

    /// The pieces in order of time. Made as they are asked for.
    pub fn pieces(&self) -> impl Iterator<Item = Result<Work>> + '_ {
        let starts = self.bounds.frames.clone().step_by(self.frames_per_piece);
        starts.map(|start| {
            let frames = start..(start + self.frames_per_piece).min(self.bounds.frames.end);
            self.piece(CellRect::new(frames, self.bounds.bins.clone()))
        })
    }

    fn piece(&self, rect: CellRect) -> Result<Work> {
        let all = CellRect::new(0..self.grid.n_frames(), 0..self.grid.n_bins());
        Ok(match &self.recipe {
            Recipe::Cells(kernel) => {
                let (stroke, select) = (self.edit.stroke.as_ref(), self.edit.select.as_ref());
                let mask = mask::evaluate(&self.grid, stroke, select, self.edit.strength, &rect);
                let [frames, bins] = kernel.halo();
                Work { read: rect.grown(frames, bins, &all), rect, kernel: kernel.clone(), mask }
            }
            Recipe::Patch(kernel, mask) => {
                Work { read: rect.clone(), rect, kernel: kernel.clone(), mask: mask.clone() }
            }
            Recipe::Warp(field) => {
                let displacement = field.crop(&rect);
                let sources = displacement.frames_read(self.grid.n_frames());
                let read = rect.union(&CellRect::new(sources, rect.bins.clone()));
                let values = displacement.acts.iter().map(|&acts| acts as f32).collect();
                let mask = Mask { rect: rect.clone(), values };
                let (overlap, nyquist_bin) =
                    ((self.grid.stft.n_fft / self.grid.stft.hop) as u32, self.grid.stft.n_fft as u32 / 2);
                let kernel = Kernel::Resample { displacement, overlap, nyquist_bin };
                Work { read: CellRect::new(read.frames, all.bins), rect, kernel, mask }
            }
        })
    }
}

/// The grid that an edit works on: its own transform, for warps with at least eight frames per window.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the transform is not allowed.
pub fn grid_of(snapshot: &Snapshot, edit: &Edit) -> Result<Grid> {
    let mut stft = edit.transform.validated()?;
    if matches!(edit.brush, Brush::Warp(_)) {
        stft.hop = stft.hop.min(stft.n_fft / 8);
    }
    Ok(Grid { stft, sample_rate_hz: snapshot.sample_rate_hz(), n_samples: snapshot.n_samples() })
}

/// The kernel of a brush that treats cells by themselves or with their neighbours: all but modulation filter and warp.
///
/// # Errors
/// [`Script`](ErrorKind::Script): a blur that reaches too far, or a brush of another kind.
pub fn cell_kernel(grid: &Grid, brush: &Brush) -> Result<Kernel> {
    match brush {
        Brush::Gain { gain_db } => Ok(Kernel::Gain { log2_gain: (gain_db / 20.0 * 10f64.log2()) as f32 }),
        Brush::Erase => Ok(Kernel::Erase),
        Brush::Blur { sigma } => {
            let cells = [grid.frame_from_secs(sigma[0]), grid.bin_from_hz(sigma[1])];
            if let Some(far) = cells.iter().map(|&sigma| blur_radius(sigma)).find(|&radius| radius > MAX_BLUR_CELLS) {
                return Err(Error::new(
                    ErrorKind::Script,
                    format!(
                        "this blur reaches {far} cells; at most {MAX_BLUR_CELLS} are allowed, so use a smaller sigma or another FFT size"
                    ),
                ));
            }
            Ok(Kernel::Blur { frame_taps: gaussian_taps(cells[0]), bin_taps: gaussian_taps(cells[1]) })
        }
        Brush::BandFilter(filter) => {
            let response = |bin: usize| filter.response(grid.hz_from_bin(bin as f64)) as f32;
            Ok(Kernel::BandFilter { response: (0..grid.n_bins()).map(response).collect() })
        }
        _ => Err(Error::new(ErrorKind::Internal, format!("{} has no kernel of single cells", brush.kind()))),
    }
}

/// The kernel of a modulation filter over a patch of `rect`.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the padded patch is too large.
pub fn modulation_kernel(grid: &Grid, along: Along, filters: &[Butterworth], rect: &CellRect) -> Result<Kernel> {
    let padded = [rect.frames.len(), rect.bins.len()].map(padded_length);
    let n_padded = match along {
        Along::Time => padded[0].saturating_mul(rect.bins.len()),
        Along::Frequency => padded[1].saturating_mul(rect.frames.len()),
        Along::Both => padded[0].saturating_mul(padded[1]),
    };
    if n_padded > MAX_PADDED_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "this modulation filter covers too large a patch (over 67 million cells); select less time or fewer frequencies",
        ));
    }
    let (hop, n_fft, rate) = (grid.stft.hop as f64, grid.stft.n_fft as f64, grid.sample_rate_hz);
    let time = |filter: &Butterworth| modulation_response(filter, padded[0], rate / (hop * padded[0] as f64));
    let frequency =
        |filter: &Butterworth| modulation_response(filter, padded[1], 1000.0 * n_fft / (rate * padded[1] as f64));
    let (frame_response, bin_response) = match (along, filters) {
        (Along::Time, [filter]) => (Some(time(filter)), None),
        (Along::Frequency, [filter]) => (None, Some(frequency(filter))),
        (Along::Both, [first, second]) => (Some(time(first)), Some(frequency(second))),
        _ => {
            return Err(Error::new(
                ErrorKind::Script,
                "a modulation filter along both axes needs two filters, along one axis one",
            ));
        }
    };
    Ok(Kernel::ModulationFilter { frame_response, bin_response })
}

fn modulation_patch(
    grid: &Grid,
    edit: &Edit,
    bounds: &CellRect,
    along: Along,
    filters: &[Butterworth],
) -> Result<Option<(Kernel, Mask)>> {
    // A mask is made for all of the bounds; larger ones could not pass the limit on the patch anyway.
    if bounds.n_cells() > MAX_PADDED_CELLS {
        modulation_kernel(grid, along, filters, bounds)?;
    }
    let mask = mask::evaluate(grid, edit.stroke.as_ref(), edit.select.as_ref(), edit.strength, bounds);
    let patch = mask.tight_bounds();
    if patch.is_empty() {
        return Ok(None);
    }
    Ok(Some((modulation_kernel(grid, along, filters, &patch)?, mask.crop(&patch))))
}

/// The axis in whose units an edit without its own is measured: its stroke's, else its first selection's.
pub fn axis_of(edit: &Edit) -> Axis {
    let of_selection = || {
        edit.select
            .as_ref()
            .and_then(|selection| selection.shapes.first())
            .map(|(_, Shape::Rectangle { axis, .. })| *axis)
    };
    edit.stroke.as_ref().map(|stroke| stroke.axis).or_else(of_selection).unwrap_or_default()
}

fn warp_field(grid: &Grid, edit: &Edit, bounds: &CellRect, mode: WarpMode) -> Result<Option<Displacement>> {
    if bounds.n_cells() > MAX_WARP_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "this warp covers too much at once (over 33 million cells); select less time or fewer frequencies",
        ));
    }
    let field = match (mode, &edit.stroke) {
        (WarpMode::Grab { shift }, stroke) => {
            let mask = mask::evaluate(grid, stroke.as_ref(), edit.select.as_ref(), edit.strength, bounds);
            Displacement::grab(grid, &mask, axis_of(edit), shift)
        }
        (WarpMode::Push, Some(stroke)) => {
            let places: Vec<[f64; 2]> = stroke.points.iter().map(|point| stroke.scaled(point.secs, point.hz)).collect();
            let way = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
            let length: f64 = places.windows(2).map(way).sum();
            if length.is_nan() || length > MAX_PUSH_RADII {
                return Err(Error::new(
                    ErrorKind::Script,
                    "this push is over 120,000 times as long as its radius; use a larger radius or several strokes",
                ));
            }
            let mut field = PushField::new(grid, stroke, edit.select.as_ref(), bounds);
            let dabs = dabs(stroke);
            if dabs.len().saturating_mul(field.cells_under_brush()) > MAX_PUSHED_CELLS {
                return Err(Error::new(
                    ErrorKind::Script,
                    "this push is too long for so large a radius; use a smaller radius or several strokes",
                ));
            }
            for pair in dabs.windows(2) {
                field.push(pair[0], pair[1]);
            }
            field.displacement(&field.rect().clone())
        }
        (WarpMode::Push, None) => return Err(Error::new(ErrorKind::Script, "warp with mode push needs a stroke")),
    };
    Ok(field.acts.contains(&1).then_some(field))
}
