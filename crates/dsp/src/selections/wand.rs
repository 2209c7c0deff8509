//! The magic wand: connected cells of similar level.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::{CellRect, Grid, Mask};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// Maximum size of the bounding rectangle of a wand's selection, in cells.
const MAX_CELLS: usize = 1 << 24;

/// Minimum size of a read, in frames and in samples spanned. Rows have short hops, but every read analyses whole
/// slices, so reads must span many samples.
const CHUNK_FRAMES: usize = 128;
const CHUNK_SAMPLES: usize = 1 << 15;

/// The mask (0 or 1) of the cells connected to the cell nearest `at` (seconds, hertz), by sides or corners, whose level
/// differs from that cell's by at most `tolerance_db`. A silent cell selects only silence. `magnitudes` returns [all
/// bins](Grid::all_bins) of a run of frames, frame-major; no frame is requested twice.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the bounding rectangle of the selected cells has over 16 million cells;
/// [`Cancelled`](ErrorKind::Cancelled), and those of `magnitudes`.
pub fn connected(
    grid: &Grid,
    at: [f64; 2],
    tolerance_db: f64,
    mut magnitudes: impl FnMut(Range<usize>) -> Result<Vec<f32>>,
    progress: &Progress,
) -> Result<Mask> {
    let nearest = |place: f64, of: &Range<usize>| (place.round().max(0.0) as usize).clamp(of.start, of.end - 1);
    let all = grid.all_bins(grid.frames_inside());
    let seed = [nearest(grid.frame_from_secs(at[0]), &all.frames), nearest(grid.bin_from_hz(at[1]), &all.bins)];
    let chunk_frames = grid.frames_in_samples(CHUNK_SAMPLES).max(CHUNK_FRAMES);
    let chunk_at = |index: usize| {
        let (start, end) = (index * chunk_frames, (index + 1) * chunk_frames);
        grid.all_bins(start.max(all.frames.start)..end.min(all.frames.end))
    };
    let place_in = |chunk: &CellRect, [frame, bin]: [usize; 2]| {
        (frame - chunk.frames.start) * chunk.bins.len() + bin - chunk.bins.start
    };
    let home = chunk_at(seed[0] / chunk_frames);
    let first = magnitudes(home.frames.clone())?;
    let ratio = 10f64.powf(tolerance_db / 20.0);
    let level = f64::from(first[place_in(&home, seed)]);
    // Slightly wider than the tolerance, against rounding: at 0 dB, cells of exactly the same level are selected.
    let range = [level / ratio * (1.0 - 1e-9), level * ratio * (1.0 + 1e-9)];
    let is_near = |&m: &f32| (range[0]..=range[1]).contains(&f64::from(m));
    // For each chunk read so far, the cells within the tolerance that have not been selected yet.
    let mut chunks: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    chunks.insert(seed[0] / chunk_frames, first.iter().map(is_near).collect());
    let mut taken: Vec<[usize; 2]> = Vec::new();
    let mut bounds = CellRect::default();
    let mut open = vec![seed];
    while let Some([frame, bin]) = open.pop() {
        let index = frame / chunk_frames;
        let rect = chunk_at(index);
        let chunk = match chunks.entry(index) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                progress.check()?;
                unknown.insert(magnitudes(rect.frames.clone())?.iter().map(is_near).collect())
            }
        };
        if !std::mem::take(&mut chunk[place_in(&rect, [frame, bin])]) {
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
        let around =
            |place: usize, of: &Range<usize>| place.saturating_sub(1).max(of.start)..=(place + 1).min(of.end - 1);
        let bins = around(bin, &all.bins);
        open.extend(around(frame, &all.frames).flat_map(|frame| bins.clone().map(move |bin| [frame, bin])));
    }
    let mut mask = Mask::zeros(bounds.clone());
    for [frame, bin] in taken {
        mask.values[(frame - bounds.frames.start) * bounds.bins.len() + bin - bounds.bins.start] = 1.0;
    }
    Ok(mask)
}
