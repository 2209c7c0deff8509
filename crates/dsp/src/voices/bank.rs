//! Many sines at fixed frequencies whose levels change: rendered like voices, from any sample on.

use super::chance::chance;
use super::control::{ControlPoint, FULL_TURN, MAX_STEP, VoiceRun, fade_near_nyquist};
use super::render::render_voices;
use super::{BLOCK, MAX_OSCILLATORS};
use rayon::prelude::*;

/// Samples rendered at a time: about 2 MB of control points for the maximum number of oscillators.
const SAMPLES_PER_TASK: usize = 16 * BLOCK;

/// Key of [`chance`] that separates these phases from other uses of the same seed.
const STREAM: u64 = 2;

/// Sines at fixed frequencies, each with a random phase at sample 0.
#[derive(Debug, Clone)]
pub struct SineBank {
    sines: Vec<BankSine>,
}

#[derive(Debug, Clone, Copy)]
struct BankSine {
    row: usize,
    phase: u32,
    step: u32,
    /// 1, or less near the Nyquist frequency.
    gain: f32,
}

impl SineBank {
    /// Maximum number of rows.
    pub const MAX_ROWS: usize = MAX_OSCILLATORS;

    /// A sine for each of the frequencies; gains fall from 1 at 0.90 to 0 at 0.98 of the Nyquist frequency.
    pub fn new(rows_hz: &[f64], seed: u64, rate_hz: f64) -> SineBank {
        let sine = |(row, hz): (usize, &f64)| BankSine {
            row,
            phase: (chance(&[seed, STREAM, row as u64]) >> 32) as u32,
            step: (hz / rate_hz * FULL_TURN + 0.5).clamp(0.0, MAX_STEP) as u32,
            gain: fade_near_nyquist(hz / (rate_hz / 2.0)) as f32,
        };
        SineBank { sines: rows_hz.iter().enumerate().map(sine).filter(|sine| sine.gain > 0.0).collect() }
    }

    /// Samples from `first` on. `level` returns the amplitude of a row at a sample that is a multiple of [`BLOCK`]; in
    /// between it is linear.
    pub fn render(&self, first: u64, out: &mut [f32], level: impl Fn(usize, u64) -> f32 + Sync) {
        out.fill(0.0);
        // Tasks begin at block edges, the first at the start of the block that contains `first`.
        let skipped = (first % BLOCK as u64) as usize;
        let (head, rest) = out.split_at_mut((SAMPLES_PER_TASK - skipped).min(out.len()));
        self.render_task(first - skipped as u64, skipped, head, &level);
        let first_of_rest = first - skipped as u64 + SAMPLES_PER_TASK as u64;
        rest.par_chunks_mut(SAMPLES_PER_TASK).enumerate().for_each(|(task, out)| {
            self.render_task(first_of_rest + (task * SAMPLES_PER_TASK) as u64, 0, out, &level);
        });
    }

    /// Renders samples, starting `skipped` samples after the block edge at sample `edge`.
    fn render_task(&self, edge: u64, skipped: usize, out: &mut [f32], level: &(impl Fn(usize, u64) -> f32 + Sync)) {
        if out.is_empty() {
            return;
        }
        let n_rows = (skipped + out.len()).div_ceil(BLOCK) + 1;
        let edges = |row: usize| edge + (row * BLOCK) as u64;
        let mut sounding = Vec::new();
        let mut levels = Vec::new();
        for sine in &self.sines {
            let before = levels.len();
            levels.extend((0..n_rows).map(|row| sine.gain * level(sine.row, edges(row))));
            if levels[before..].iter().any(|level| *level != 0.0) {
                sounding.push(*sine);
            } else {
                levels.truncate(before);
            }
        }
        if sounding.is_empty() {
            return;
        }
        let mut points = Vec::with_capacity(n_rows * sounding.len());
        for row in 0..n_rows {
            let since_start = edges(row) as u32;
            points.extend(sounding.iter().enumerate().map(|(index, sine)| ControlPoint {
                phase: sine.phase.wrapping_add(sine.step.wrapping_mul(since_start)),
                step: sine.step,
                slope: 0,
                level: levels[index * n_rows + row],
            }));
        }
        let run = VoiceRun {
            first: -(skipped as i32),
            rows: n_rows as u32,
            partials: sounding.len() as u32,
            offset: 0,
            gain: [1.0, 1.0],
        };
        render_voices(&[run], &points, 0, out, &mut []);
    }
}
