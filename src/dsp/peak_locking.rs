//! Peak locking: the phase that sound keeps while a warp stretches its time. Sequential from frame to frame and summed
//! in f64, so one function on the CPU that both engines call.
//!
//! Source: Laroche and Dolson, IEEE Transactions on Speech and Audio Processing 7(3), 1999 (identity phase locking).

use super::displacement::{Displacement, landed};
use super::{Region, StftParams};
use rayon::prelude::*;

/// A peak is louder than so many cells on each side.
const NEIGHBOURS: usize = 2;

/// Turns the cells that a warp `moved` (the field's rectangle) so that every tone keeps its own frequency where time is
/// stretched.
///
/// A cell read `d` frames earlier than it stands carries the phase of then; while `d` grows by `e` from one frame to
/// the next, a tone of `w` turns per frame falls back by `e w`. Each frame is divided into regions around its peaks, and
/// a whole region is turned on by its peak's `e w`, summed along the frames, so that what hangs together stays together.
/// `w` is what the sound itself does at the places read; `before` holds those. At the end of a run of acting cells phases
/// return to whole turns, but for runs that end with the grid, at `n_grid_frames`. DC and Nyquist stay real.
pub fn lock(params: &StftParams, field: &Displacement, before: &Region, moved: &mut Region, n_grid_frames: usize) {
    let rect = field.rect.clone();
    let n_bins = rect.bins.len();
    if n_bins == 0 || before.n_frames() < 2 || !field.stretches_time() {
        return;
    }
    let speeds = speeds(params, field, before);
    let owners: Vec<Vec<u32>> = moved.magnitude.par_chunks(n_bins).map(owners).collect();
    let delay = |i: usize| -(f64::from(field.whole_frames[i]) + f64::from(field.frame_fraction[i]));
    let mut turns = vec![0.0f64; field.acts.len()];
    for (frame, owners) in owners.iter().enumerate().skip(1) {
        for (bin, &owner) in owners.iter().enumerate() {
            let i = frame * n_bins + bin;
            if field.acts[i] == 0 || field.acts[i - n_bins] == 0 {
                continue;
            }
            let peak = frame * n_bins + owner as usize;
            // A peak that only now comes under the brush has nothing to go on from.
            let peak = if field.acts[peak] != 0 && field.acts[peak - n_bins] != 0 { peak } else { i };
            let more = delay(peak) - delay(peak - n_bins);
            let turned = turns[peak - n_bins] + (speeds[peak] + speeds[peak - n_bins]) / 2.0 * more;
            turns[i] = turned - turned.round();
        }
    }
    landed(&field.acts, n_bins, rect.frames.end == n_grid_frames, &mut turns);
    for (i, (phase, more)) in moved.phase.iter_mut().zip(&turns).enumerate() {
        let bin = rect.bins.start + i % n_bins;
        if *more != 0.0 && bin != 0 && bin != params.n_fft / 2 {
            let sum = f64::from(*phase) + more;
            let sum = (sum - sum.round()) as f32;
            *phase = if sum >= 0.5 { -0.5 } else { sum };
        }
    }
}

/// Turns per frame of the sound at the place that each acting cell is read from, in its nearest bin.
fn speeds(params: &StftParams, field: &Displacement, before: &Region) -> Vec<f64> {
    let n_bins = field.rect.bins.len();
    let last = before.n_bins() as i64 - 1;
    let speed = |i: usize| {
        if field.acts[i] == 0 {
            return 0.0;
        }
        let frame = (field.rect.frames.start + i / n_bins) as i64 + i64::from(field.whole_frames[i]);
        let bin = (field.rect.bins.start + i % n_bins) as i64 + i64::from(field.whole_bins[i]);
        let bin = bin + i64::from(field.bin_fraction[i] >= 0.5);
        let row = (frame - before.rect.frames.start as i64).clamp(0, before.n_frames() as i64 - 2) as usize;
        let column = (bin - before.rect.bins.start as i64).clamp(0, last) as usize;
        let at = row * before.n_bins() + column;
        let own = (before.rect.bins.start + column) as f64 * params.hop as f64 / params.n_fft as f64;
        let step = f64::from(before.phase[at + before.n_bins()]) - f64::from(before.phase[at]) - own;
        own + step - step.round()
    };
    (0..field.acts.len()).into_par_iter().with_min_len(4096).map(speed).collect()
}

/// For every cell of a frame the peak whose region it is in: regions meet at the least cell between two peaks.
fn owners(magnitude: &[f32]) -> Vec<u32> {
    let n = magnitude.len();
    let is_peak = |i: usize| {
        let around = &magnitude[i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(n)];
        magnitude[i] > 0.0 && around.iter().all(|m| *m <= magnitude[i])
    };
    let mut owners: Vec<u32> = (0..n as u32).collect();
    let mut start = 0;
    let mut peaks = (0..n).filter(|&i| is_peak(i)).peekable();
    while let Some(peak) = peaks.next() {
        let between = peaks.peek().map(|&next| (peak + 1..next).min_by(|&a, &b| magnitude[a].total_cmp(&magnitude[b])));
        let end = match between {
            None => n,
            Some(Some(least)) => least,
            Some(None) => peak + 1,
        };
        owners[start..end].fill(peak as u32);
        start = end;
    }
    owners
}
