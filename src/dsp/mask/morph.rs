//! Masks made wider, narrower and softer, cell by cell.

use super::super::{CellRect, Cells, Grid};
use super::Mask;
use std::sync::Arc;

/// The mask grown by so many frames and bins: each cell takes the maximum around it. Clipped to `all`.
#[must_use]
pub fn dilated(mask: &Mask, frames: usize, bins: usize, all: &CellRect) -> Mask {
    around(mask, frames, bins, all, |_| 1.0)
}

/// The mask with soft edges of so many frames and bins outside what it holds: each cell takes the maximum around it
/// times a raised cosine of the distance, 0 at the edge's width. Clipped to `all`.
#[must_use]
pub fn feathered(mask: &Mask, frames: f64, bins: f64, all: &CellRect) -> Mask {
    let weight = |[dx, dy]: [f64; 2]| {
        let part = |d: f64, width: f64| if d == 0.0 { 0.0 } else { d / width };
        let distance = part(dx, frames).hypot(part(dy, bins));
        if distance >= 1.0 { 0.0 } else { 0.5 * (1.0 + (std::f64::consts::PI * distance).cos()) as f32 }
    };
    around(mask, frames.ceil() as usize, bins.ceil() as usize, all, weight)
}

/// The mask shrunk by so many frames and bins: each cell takes the minimum around it. Beyond `all` everything counts
/// as selected, so that a selection of everything stays one.
#[must_use]
pub fn eroded(mask: &Mask, frames: usize, bins: usize, all: &CellRect) -> Mask {
    let grown = mask.rect.grown(frames, bins, all);
    let mut inverse = on(mask, &grown);
    inverse.values.iter_mut().for_each(|m| *m = 1.0 - *m);
    // Outside the mask but inside the spectrogram nothing is selected: a frame of ones around it.
    let mut shrunk = dilated(&inverse, frames, bins, all).crop(&mask.rect);
    shrunk.values.iter_mut().for_each(|m| *m = 1.0 - *m);
    shrunk
}

/// The same mask over a larger rectangle.
fn on(mask: &Mask, rect: &CellRect) -> Mask {
    let mut larger = Mask::zeros(rect.clone());
    let (n_old, n_new) = (mask.rect.bins.len(), rect.bins.len());
    if n_old == 0 {
        return larger;
    }
    let first = mask.rect.bins.start - rect.bins.start;
    for (row, frame) in mask.values.chunks_exact(n_old).zip(mask.rect.frames.clone()) {
        let at = (frame - rect.frames.start) * n_new + first;
        larger.values[at..at + n_old].copy_from_slice(row);
    }
    larger
}

fn around(mask: &Mask, frames: usize, bins: usize, all: &CellRect, weight: impl Fn([f64; 2]) -> f32) -> Mask {
    let rect = mask.rect.grown(frames, bins, all);
    let from = on(mask, &rect);
    let mut to = Mask::zeros(rect.clone());
    let (n_frames, n_bins) = (rect.frames.len(), rect.bins.len());
    for dx in 0..=frames {
        for dy in 0..=bins {
            let weight = weight([dx as f64, dy as f64]);
            if weight <= 0.0 {
                continue;
            }
            for row in 0..n_frames {
                for source in [row.checked_sub(dx), Some(row + dx).filter(|&row| row < n_frames)].into_iter().flatten()
                {
                    let source = &from.values[source * n_bins..][..n_bins];
                    let target = &mut to.values[row * n_bins..][..n_bins];
                    if dy < n_bins {
                        let raise = |(m, value): (&mut f32, &f32)| *m = m.max(weight * value);
                        target[dy..].iter_mut().zip(source).for_each(raise);
                        target.iter_mut().zip(&source[dy..]).for_each(raise);
                    }
                }
            }
        }
    }
    to
}

impl Cells {
    /// A mask as a shape: each cell reaches halfway to its neighbours. None if nothing is above 0.
    pub fn from_mask(grid: &Grid, mask: &Mask) -> Option<Cells> {
        let tight = mask.tight_bounds();
        if tight.is_empty() {
            return None;
        }
        let mask = mask.crop(&tight);
        let edges = |range: &std::ops::Range<usize>| [range.start as f64 - 0.5, range.end as f64 - 0.5];
        Some(Cells {
            secs: edges(&tight.frames).map(|frame| grid.secs_from_frame(frame)),
            hz: edges(&tight.bins).map(|bin| grid.hz_from_bin(bin)),
            size: [tight.frames.len(), tight.bins.len()],
            values: Arc::from(mask.values),
        })
    }
}
