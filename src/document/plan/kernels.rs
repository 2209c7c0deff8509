//! The kernels of brushes, in cells of a grid.

use super::{MAX_BLUR_CELLS, MAX_MEDIAN_CELLS, MAX_PADDED_CELLS};
use crate::base::{Error, ErrorKind, Result};
use crate::document::Edit;
use crate::document::stroke::Drawn;
use crate::dsp::brush::{Along, Butterworth};
use crate::dsp::kernels::{
    BandKernel, BlurKernel, EraseKernel, GainKernel, HarmonicPercussiveKernel, Kernel, SharpenKernel, blur_radius,
    gaussian_taps, median_window, modulation_response, padded_length,
};
use crate::dsp::{Brush, CellRect, Grid, Mask};

/// The kernel of a brush that works on single cells or their neighbourhoods: gain, erase, blur, sharpen, band filter,
/// and harmonic and percussive gain.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a blur or a median that reaches too far, or another kind of brush.
pub fn cell_kernel(grid: &Grid, brush: &Brush) -> Result<Kernel> {
    match brush {
        Brush::Gain { gain_db } => Ok(GainKernel::of_db(*gain_db).into()),
        Brush::Erase => Ok(EraseKernel.into()),
        Brush::Blur { sigma, .. } | Brush::Sharpen { sigma, .. } => {
            let cells = [grid.frames_in_secs(sigma[0]), grid.bin_from_hz(sigma[1])];
            if let Some(far) = cells.iter().map(|&sigma| blur_radius(sigma)).find(|&radius| radius > MAX_BLUR_CELLS) {
                return Err(Error::new(
                    ErrorKind::Script,
                    format!(
                        "this {} covers {far} cells; at most {MAX_BLUR_CELLS} are allowed, so use a smaller sigma or \
                         another FFT size",
                        brush.kind()
                    ),
                ));
            }
            let [frame_taps, bin_taps] = cells.map(gaussian_taps);
            Ok(match brush {
                Brush::Sharpen { amount, .. } => SharpenKernel { frame_taps, bin_taps, amount: *amount as f32 }.into(),
                _ => BlurKernel { frame_taps, bin_taps }.into(),
            })
        }
        Brush::HarmonicPercussive(parts) => {
            let windows = [grid.frames_in_secs(parts.reach[0]), grid.bin_from_hz(parts.reach[1])].map(median_window);
            if let Some(window) = windows.iter().find(|&&window| window > MAX_MEDIAN_CELLS) {
                return Err(Error::new(
                    ErrorKind::Script,
                    format!(
                        "this reach covers {window} cells; at most {MAX_MEDIAN_CELLS} are allowed, so use a smaller \
                         reach or another FFT size"
                    ),
                ));
            }
            let gains = [parts.harmonic_db, parts.percussive_db].map(|db| 10f64.powf(db / 20.0) as f32);
            Ok(HarmonicPercussiveKernel { windows, gains }.into())
        }
        Brush::BandFilter(filter) => {
            let response = |bin: usize| filter.response(grid.hz_from_bin(bin as f64)) as f32;
            Ok(BandKernel { response: (0..grid.n_bins()).map(response).collect() }.into())
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
            "this modulation filter covers too large an area (over 67 million cells); select less time or fewer \
             frequencies",
        ));
    }
    let time = |filter: &Butterworth| modulation_response(filter, padded[0], grid.frame_rate_hz() / padded[0] as f64);
    let frequency = |filter: &Butterworth| {
        modulation_response(filter, padded[1], 1000.0 / (grid.hz_from_bin(1.0) * padded[1] as f64))
    };
    let (frame_response, bin_response) = match (along, filters) {
        (Along::Time, [filter]) => (Some(time(filter)), None),
        (Along::Frequency, [filter]) => (None, Some(frequency(filter))),
        (Along::Both, [first, second]) => (Some(time(first)), Some(frequency(second))),
        _ => {
            return Err(Error::new(
                ErrorKind::Script,
                "a modulation filter needs two filters along both axes and one along a single axis",
            ));
        }
    };
    Ok(Kernel::ModulationFilter { frame_response, bin_response })
}

pub(super) fn modulation_patch(
    grid: &Grid,
    edit: &Edit,
    drawn: Option<&Drawn>,
    bounds: &CellRect,
    along: Along,
    filters: &[Butterworth],
) -> Result<Option<(Kernel, Mask)>> {
    // A mask is made for all of the bounds; larger ones could not pass the limit on the patch anyway.
    if bounds.n_cells() > MAX_PADDED_CELLS {
        modulation_kernel(grid, along, filters, bounds)?;
    }
    let mask = super::painted(grid, edit, drawn, bounds);
    let patch = mask.tight_bounds();
    if patch.is_empty() {
        return Ok(None);
    }
    Ok(Some((modulation_kernel(grid, along, filters, &patch)?, mask.crop(&patch))))
}
