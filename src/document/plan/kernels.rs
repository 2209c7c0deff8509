//! The kernels of brushes, in cells of a grid.

use super::MAX_PADDED_CELLS;
use crate::base::{Error, ErrorKind, Result};
use crate::document::Edit;
use crate::document::brushes::Brush;
use crate::document::stroke::Drawn;
use crate::dsp::brush::{Along, Butterworth};
use crate::dsp::kernels::{Kernel, modulation_response, padded_length};
use crate::dsp::{CellRect, Grid, Mask};

/// The kernel of a brush that works on single cells or their neighbourhoods.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a blur or a median that reaches too far, or another kind of brush.
pub fn cell_kernel(grid: &Grid, brush: &Brush) -> Result<Kernel> {
    brush.cell_kernel(grid)
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
