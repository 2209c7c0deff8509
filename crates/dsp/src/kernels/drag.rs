//! Smudge brush: drags cells by whole frames and bins. On the device it is a [resampling](fn@super::resample) in which
//! all sources are whole cells.

use crate::dsp::cells::polar::{cos_sin_small, polar_from_parts};
use crate::dsp::warps::displacement::Displacement;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;

/// Parameters of a drag.
#[derive(Debug, Clone, PartialEq)]
pub struct DragKernel {
    /// Offset in frames and bins from a cell's source to the cell.
    pub step: [i64; 2],
    /// Phase added to the cells of each frame of the mask, in turns, [-0.5, 0.5).
    pub turns: Vec<f32>,
    /// `n_fft / hop`.
    pub overlap: u32,
    /// `n_fft / 2`: bins below 0 and above it are conjugate mirrors.
    pub nyquist_bin: u32,
}

impl DragKernel {
    /// Converts the drag to a displacement field.
    pub fn displacement(&self, mask: &Mask) -> Displacement {
        Displacement::drag(mask, self.step, &self.turns)
    }
}

/// Writes the dragged cells to `after`; cells with a mask of 0 are kept. Frames outside `before` are 0; bins outside 0
/// to Nyquist are conjugate mirrors; DC and Nyquist keep their real part.
pub(super) fn run(drag: &DragKernel, before: &Region, mask: &Mask, after: &mut Region) {
    let rect = mask.rect.clone();
    let n_bins = rect.bins.len().max(1);
    let first_bin = rect.bins.start as i64 - drag.step[1];
    let rows = after.magnitude.par_chunks_mut(n_bins).zip(after.phase.par_chunks_mut(n_bins));
    let rows = rows.zip(mask.values.par_chunks(n_bins)).enumerate().with_min_len(8);
    rows.for_each_init(
        || [vec![0.0; n_bins], vec![0.0; n_bins]],
        |[source, source_turns], (row, ((magnitude, phase), mask))| {
            let turns = drag.turns[row];
            let frame = (rect.frames.start + row) as i64 - drag.step[0];
            source_row(before, drag.nyquist_bin, frame, first_bin, source, source_turns);
            let cells = magnitude.iter_mut().zip(phase.iter_mut()).zip(source.iter().zip(&*source_turns));
            for (((magnitude, phase), (own, own_turns)), m) in cells.zip(mask) {
                let new = if *own == 0.0 { 0.0 } else { turned(*own_turns, turns) };
                *phase = if *m > 0.0 { new } else { *phase };
                *magnitude = if *m > 0.0 { *own } else { *magnitude };
            }
            for bin in [0, drag.nyquist_bin as usize].into_iter().filter(|bin| rect.bins.contains(bin)) {
                let i = bin - rect.bins.start;
                if mask[i] > 0.0 {
                    [magnitude[i], phase[i]] = real_part(source[i], turned(source_turns[i], turns));
                }
            }
        },
    );
}

/// The sum of two phases, [-0.5, 0.5).
#[inline(always)]
pub(super) fn turned(turns: f32, more: f32) -> f32 {
    let sum = turns + more;
    let sum = if sum >= 0.5 { sum - 1.0 } else { sum };
    if sum < -0.5 { sum + 1.0 } else { sum }
}

/// Magnitude and phase of the real part of a cell, which is all that DC and Nyquist keep.
pub(super) fn real_part(magnitude: f32, turns: f32) -> [f32; 2] {
    polar_from_parts(magnitude * cos_sin_small(turns)[0], 0.0)
}

/// Copies cells of a frame of the extended plane, from `first_bin` on.
fn source_row(before: &Region, nyquist_bin: u32, frame: i64, first_bin: i64, magnitude: &mut [f32], turns: &mut [f32]) {
    let n = magnitude.len() as i64;
    let held = before.rect.bins.start as i64..before.rect.bins.end as i64;
    let is_held = usize::try_from(frame).is_ok_and(|frame| before.rect.frames.contains(&frame));
    let low = held.start.clamp(first_bin, first_bin + n);
    let high = if is_held { held.end.clamp(low, first_bin + n) } else { low };
    if high > low {
        let from = before.index(frame as usize, low as usize);
        let (to, n) = ((low - first_bin) as usize, (high - low) as usize);
        magnitude[to..to + n].copy_from_slice(&before.magnitude[from..from + n]);
        turns[to..to + n].copy_from_slice(&before.phase[from..from + n]);
    }
    for bin in (first_bin..low).chain(high..first_bin + n) {
        let i = (bin - first_bin) as usize;
        [magnitude[i], turns[i]] = cell(before, nyquist_bin, frame, bin);
    }
}

/// Magnitude and phase of a cell of the extended plane, part of which is in `region`.
pub(super) fn cell(region: &Region, nyquist_bin: u32, frame: i64, bin: i64) -> [f32; 2] {
    let mirror = 2 * i64::from(nyquist_bin);
    let wrapped = bin.rem_euclid(mirror);
    let is_mirrored = wrapped > i64::from(nyquist_bin);
    let (frame, bin) = (frame.max(-1) as usize, if is_mirrored { mirror - wrapped } else { wrapped } as usize);
    if !(region.rect.frames.contains(&frame) && region.rect.bins.contains(&bin)) {
        return [0.0; 2];
    }
    let i = region.index(frame, bin);
    [region.magnitude[i], if is_mirrored { -region.phase[i] } else { region.phase[i] }]
}
