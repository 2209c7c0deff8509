//! The magic wand: the cells that hang together with one and are about as loud.

use super::{CellRect, Grid, Mask};
use crate::base::{Error, ErrorKind, Progress, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// Largest rectangle that a wand may fill.
const MAX_CELLS: usize = 1 << 24;

/// Frames that are looked at together.
const CHUNK_FRAMES: usize = 128;

/// The mask (0 or 1) of the cells that are connected to the one nearest `at` (seconds, hertz), over sides and corners,
/// and whose level differs from its level by at most `tolerance_db`. From silence it takes silence alone.
/// `magnitudes` gives all bins of a run of frames, frame-major; each frame is asked for once.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if over 16 million cells are reached; [`Cancelled`](ErrorKind::Cancelled), and those
/// of `magnitudes`.
pub fn connected(
    grid: &Grid,
    at: [f64; 2],
    tolerance_db: f64,
    mut magnitudes: impl FnMut(Range<usize>) -> Result<Vec<f32>>,
    progress: &Progress,
) -> Result<Mask> {
    let (n_frames, n_bins) = (grid.n_frames(), grid.n_bins());
    let nearest = |place: f64, n: usize| (place.round().max(0.0) as usize).min(n - 1);
    let seed = [nearest(grid.frame_from_secs(at[0]), n_frames), nearest(grid.bin_from_hz(at[1]), n_bins)];
    let frames_of = |index: usize| index * CHUNK_FRAMES..((index + 1) * CHUNK_FRAMES).min(n_frames);
    let home = seed[0] / CHUNK_FRAMES;
    let first = magnitudes(frames_of(home))?;
    let ratio = 10f64.powf(tolerance_db / 20.0);
    let level = f64::from(first[(seed[0] - home * CHUNK_FRAMES) * n_bins + seed[1]]);
    // A little wider than the tolerance, against rounding: a tolerance of 0 dB takes cells of the very same level.
    let range = [level / ratio * (1.0 - 1e-9), level * ratio * (1.0 + 1e-9)];
    let is_near = |&m: &f32| (range[0]..=range[1]).contains(&f64::from(m));
    // Of each chunk, which cells are near enough; a cell that was taken is near enough no more.
    let mut chunks: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    chunks.insert(home, first.iter().map(is_near).collect());
    let mut taken: Vec<[usize; 2]> = Vec::new();
    let mut bounds = CellRect::default();
    let mut open = vec![seed];
    while let Some([frame, bin]) = open.pop() {
        let index = frame / CHUNK_FRAMES;
        let chunk = match chunks.entry(index) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                progress.check()?;
                unknown.insert(magnitudes(frames_of(index))?.iter().map(is_near).collect())
            }
        };
        let cell = &mut chunk[(frame - index * CHUNK_FRAMES) * n_bins + bin];
        if !std::mem::take(cell) {
            continue;
        }
        taken.push([frame, bin]);
        bounds = bounds.union(&CellRect::new(frame..frame + 1, bin..bin + 1));
        if bounds.n_cells() > MAX_CELLS {
            return Err(Error::new(
                ErrorKind::Script,
                "the wand selects over 16 million cells; lower its tolerance, or select a range instead",
            ));
        }
        let around = |place: usize, n: usize| place.saturating_sub(1)..=(place + 1).min(n - 1);
        open.extend(around(frame, n_frames).flat_map(|frame| around(bin, n_bins).map(move |bin| [frame, bin])));
    }
    let mut mask = Mask::zeros(bounds.clone());
    for [frame, bin] in taken {
        mask.values[(frame - bounds.frames.start) * bounds.bins.len() + bin - bounds.bins.start] = 1.0;
    }
    Ok(mask)
}
