//! Blur brush: a separable Gaussian of the magnitude, along frames, then along bins. Twin: `shaders/blur.wgsl`.

use super::cells::{CellKernel, CellProgram, ShaderPart};
use crate::dsp::cells::planes;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;

/// Replaces magnitudes by their Gaussian blur `G`: `|E| = lerp(|O|, G, M)`.
#[derive(Debug, Clone, PartialEq)]
pub struct BlurKernel {
    /// Taps `-r ..= r` along frames, summing to 1.
    pub frame_taps: Vec<f32>,
    /// Taps `-r ..= r` along bins, summing to 1.
    pub bin_taps: Vec<f32>,
}

impl BlurKernel {
    pub(super) const PROGRAM: CellProgram = CellProgram {
        name: "blur",
        source: include_str!("../../../../shaders/blur.wgsl"),
        parts: &[ShaderPart::Blurred, ShaderPart::BlurMix],
        layout: None,
    };
}

impl CellKernel for BlurKernel {
    fn program(&self) -> &'static CellProgram {
        &BlurKernel::PROGRAM
    }

    fn run(&self, before: &Region, mask: &Mask, after: &mut Region) {
        let blurred = blur(&self.frame_taps, &self.bin_taps, before, &mask.rect);
        let rows = after.magnitude.par_chunks_mut(4096).zip(blurred.par_chunks(4096)).zip(mask.values.par_chunks(4096));
        rows.for_each(|((magnitude, blurred), mask)| {
            for ((magnitude, blurred), m) in magnitude.iter_mut().zip(blurred).zip(mask) {
                let mixed = blur_mix(*magnitude, *blurred, *m);
                *magnitude = if *m != 0.0 { mixed } else { *magnitude };
            }
        });
        planes::give(blurred);
    }

    fn halo(&self) -> [usize; 2] {
        [self.frame_taps.len() / 2, self.bin_taps.len() / 2]
    }

    fn tables(&self) -> Vec<&[f32]> {
        vec![&self.bin_taps]
    }

    fn frame_taps(&self) -> Option<&[f32]> {
        Some(&self.frame_taps)
    }

    fn work_per_cell(&self) -> usize {
        self.bin_taps.len()
    }
}

/// Taps `-r ..= r` of a Gaussian cut at `r = floor(3 sigma + 0.5)` cells, summing to 1 (SciPy's `gaussian_filter1d`
/// with `truncate=3`).
pub fn gaussian_taps(sigma_cells: f64) -> Vec<f32> {
    let radius = blur_radius(sigma_cells) as i64;
    let weight = |k: i64| if sigma_cells > 0.0 { (-0.5 * (k as f64 / sigma_cells).powi(2)).exp() } else { 1.0 };
    let sum: f64 = (-radius..=radius).map(weight).sum();
    (-radius..=radius).map(|k| (weight(k) / sum) as f32).collect()
}

/// Radius of [`gaussian_taps`] in cells: the halo on each side.
pub fn blur_radius(sigma_cells: f64) -> usize {
    (3.0 * sigma_cells + 0.5).floor() as usize
}

/// The blurred magnitudes of the cells of `rect`; at the ends of `before` the last cell is repeated.
pub fn blur(frame_taps: &[f32], bin_taps: &[f32], before: &Region, rect: &CellRect) -> Vec<f32> {
    let (n_frames, n_bins) = (before.n_frames(), before.n_bins());
    let (frame_radius, bin_radius) = (frame_taps.len() / 2, bin_taps.len() / 2);
    let (first_frame, first_bin) =
        (rect.frames.start - before.rect.frames.start, rect.bins.start - before.rect.bins.start);
    // The bins that the second pass reads, clipped to `before`; the last bin is repeated only at the ends of `before`.
    let low = first_bin.saturating_sub(bin_radius);
    let high = (first_bin + rect.bins.len() + bin_radius).min(n_bins);
    let mut blurred = planes::take(rect.n_cells());
    blurred.par_chunks_mut(rect.bins.len().max(1)).enumerate().for_each_init(
        || vec![0.0; rect.bins.len() + 2 * bin_radius],
        |padded, (row, out)| {
            // Along frames.
            let along_frames = &mut padded[low + bin_radius - first_bin..][..high - low];
            along_frames.fill(0.0);
            for (tap, weight) in frame_taps.iter().enumerate() {
                let frame = (first_frame + row + tap).saturating_sub(frame_radius).min(n_frames - 1);
                for (sum, magnitude) in along_frames.iter_mut().zip(&before.magnitude[frame * n_bins + low..]) {
                    *sum += weight * magnitude;
                }
            }
            // Along bins, the ends repeated.
            let (start, end) = (low + bin_radius - first_bin, high + bin_radius - first_bin);
            let (first, last) = (padded[start], padded[end - 1]);
            padded[..start].fill(first);
            padded[end..].fill(last);
            out.fill(0.0);
            for (tap, weight) in bin_taps.iter().enumerate() {
                for (sum, magnitude) in out.iter_mut().zip(&padded[tap..]) {
                    *sum += weight * magnitude;
                }
            }
        },
    );
    blurred
}

/// The new magnitude of a cell: `|E| = lerp(|O|, G, M)`.
pub fn blur_mix(magnitude: f32, blurred: f32, mask: f32) -> f32 {
    magnitude + (blurred - magnitude) * mask
}
