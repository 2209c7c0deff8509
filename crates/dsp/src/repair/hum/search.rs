//! Searches for the fundamental of a hum.

use super::decimate::{Decimated, factor_for};
use super::fit::MIN_FRAMES;
use super::frames::{FrameGrid, Frames, PhaseTrack};
use super::tracking::{Blocks, Gains, REACH};
use rayon::prelude::*;

/// Number of lines that identify the fundamental.
const LINES: usize = 8;
/// The blocks in which the gains of fundamentals are computed.
const BLOCKS: Blocks = Blocks { secs: 2.0, n_lines: LINES, is_sloped: false };

/// Fundamentals within a range, with the gain of their lines in a passage, best first and each at least a hundredth
/// away from any earlier one.
pub fn hum_fundamentals(channels: &[Vec<f32>], rate_hz: f64, f0_hz: [f64; 2]) -> Vec<(f64, f64)> {
    let factor = factor_for(rate_hz, (LINES as f64 + 1.0) * f0_hz[1]);
    let sounds: Vec<Decimated> = channels.iter().map(|channel| Decimated::new(channel, factor)).collect();
    let Some(n_samples) = sounds.first().map(|sound| sound.samples.len()) else { return Vec::new() };
    let rate_hz = rate_hz / factor as f64;
    let gain_near = |hz: f64| {
        let grid = FrameGrid::new(n_samples, rate_hz, hz, MIN_FRAMES)?;
        let track = PhaseTrack::along(&vec![hz; grid.n_frames], &grid);
        let frames: Vec<Frames> = sounds.iter().map(|sound| Frames::new(sound, &grid, &track, LINES)).collect();
        Some(Gains::new(&frames, &grid, hz, BLOCKS).steadiest())
    };
    let n_steps = ((f0_hz[1] / f0_hz[0]).ln() / (1.0 + REACH).ln()).ceil().max(0.0) as i32;
    let all = (0..=n_steps).into_par_iter().map(|i| (f0_hz[0] * (1.0 + REACH).powi(i)).min(f0_hz[1]));
    let mut found: Vec<(f64, f64)> =
        all.filter_map(gain_near).filter(|(hz, _)| (f0_hz[0]..=f0_hz[1]).contains(hz)).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut apart: Vec<(f64, f64)> = Vec::new();
    for (hz, gain) in found {
        if apart.iter().all(|(other, _)| (hz / other).ln().abs() > REACH / 1.2) {
            apart.push((hz, gain));
        }
    }
    apart
}
