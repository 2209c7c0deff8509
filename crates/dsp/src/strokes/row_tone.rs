//! The cells of a tone drawn along a stroke on rows of a scale, in f64 on the CPU for both engines.
//!
//! `c_k[n] = A g_k(f(t)) exp(2 pi i phi(t))` at the time `t` of a cell's centre, with the row's window `g_k`; as
//! everywhere, cells hold `c_k / p_k`. The phase is the integral of the frequency on the finest hop of all rows, so
//! that the groups agree.

use super::brush::Tone;
use super::tone::{FrameTone, ToneTrack};
use crate::{CellRect, Grid, Region, RowsPlan, Stroke};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::ops::Range;

/// A tone laid out on a group of rows.
#[derive(Debug, Clone)]
pub struct RowTone {
    plan: RowsPlan,
    /// Grid of the group.
    grid: Grid,
    tone: Tone,
    /// Grid with the finest hop of all rows.
    fine: Grid,
    first_frame: usize,
    frames: Vec<FrameTone>,
}

impl RowTone {
    /// The tone along a stroke.
    pub fn new(plan: &RowsPlan, grid: &Grid, stroke: &Stroke, tone: Tone) -> RowTone {
        let bank = &plan.bank;
        let fine = Grid::of_group(bank, &bank.finest(), grid.n_samples);
        let hz = || stroke.points.iter().map(|point| point.hz);
        let (low, high) = (hz().fold(f64::MAX, f64::min), hz().fold(0.0, f64::max) * tone.ratio(tone.harmonics));
        let reached = rows_reached(plan, [low, high.min(grid.nyquist_hz())], grid.nyquist_hz());
        let own = grid.own_cells().bins;
        if reached.start >= own.end || reached.end <= own.start {
            return RowTone { plan: plan.clone(), grid: grid.clone(), tone, fine, first_frame: 0, frames: Vec::new() };
        }
        let mut track = ToneTrack::new(&fine, stroke);
        track.extend(&stroke.points);
        let (first_frame, frames) = track.frames(stroke, tone);
        RowTone { plan: plan.clone(), grid: grid.clone(), tone, fine, first_frame, frames }
    }

    /// A rectangle around every cell of the group that is drawn.
    pub fn rect(&self) -> CellRect {
        let secs = |frame: usize| self.fine.secs_from_frame(frame as f64);
        let (start, end) = (secs(self.first_frame), secs(self.first_frame + self.frames.len()));
        let columns = [start, end].map(|secs| self.grid.frame_from_secs(secs).max(0.0));
        let [low, high] = [1, self.tone.harmonics].map(|partial| self.tone.ratio(partial));
        let sounding = || self.frames.iter().filter(|frame| frame.amplitude > 0.0).map(|frame| frame.hz);
        let min = sounding().fold(f64::MAX, f64::min) * low;
        let max = (sounding().fold(0.0, f64::max) * high).min(self.grid.nyquist_hz());
        if min > max {
            return CellRect::default();
        }
        let rows = rows_reached(&self.plan, [min, max], self.grid.nyquist_hz());
        CellRect::new(columns[0].floor() as usize..columns[1].ceil() as usize + 1, rows)
            .intersect(&self.grid.own_cells())
    }

    /// The cells of `rect`; 0 outside the stroke.
    pub fn cells(&self, rect: &CellRect) -> Region {
        let mut region = Region::zeros(rect.clone());
        let n_rows = rect.bins.len().max(1);
        let columns = region.magnitude.par_chunks_mut(n_rows).zip(region.phase.par_chunks_mut(n_rows));
        columns.enumerate().for_each_init(
            || vec![[0.0f64; 2]; rect.bins.len()],
            |cells, (index, (magnitude, phase))| {
                let Some(frame) = self.frame_at(rect.frames.start + index) else { return };
                cells.fill([0.0; 2]);
                self.draw(frame, &rect.bins, cells);
                for (cell, (magnitude, phase)) in cells.iter().zip(magnitude.iter_mut().zip(phase)) {
                    *magnitude = cell[0].hypot(cell[1]) as f32;
                    let turns = (cell[1].atan2(cell[0]) / TAU) as f32;
                    *phase = if turns >= 0.5 { -0.5 } else { turns };
                }
            },
        );
        region
    }

    /// The tone at the centre of a column.
    fn frame_at(&self, column: usize) -> Option<&FrameTone> {
        let from_first = self.grid.centre_sample(column) - self.fine.centre_sample(0);
        // Every column of a group coincides with a frame of the finest grid.
        let frame = usize::try_from(from_first / self.fine.samples_in_frames(1)).ok()?;
        self.frames.get(frame.checked_sub(self.first_frame)?)
    }

    /// Adds all partials of a frame, and their mirror images at 0 Hz and half the sample rate, to the rows of a column.
    fn draw(&self, frame: &FrameTone, rows: &Range<usize>, cells: &mut [[f64; 2]]) {
        if frame.amplitude <= 0.0 {
            return;
        }
        let (bank, nyquist_hz) = (&self.plan.bank, self.grid.nyquist_hz());
        for ratio in (1..=self.tone.harmonics).map(|partial| self.tone.ratio(partial)) {
            let hz = ratio * frame.hz;
            if !(hz > 0.0 && hz < nyquist_hz) {
                continue;
            }
            let amplitude = frame.amplitude * self.tone.gain(ratio);
            let (sin, cos) = (TAU * (ratio * frame.cycles).fract()).sin_cos();
            for (image_hz, sign) in [(hz, 1.0), (-hz, -1.0), (2.0 * nyquist_hz - hz, -1.0)] {
                let near = bank.rows_near(image_hz);
                for row in near.start.max(rows.start)..near.end.min(rows.end) {
                    let spec = &bank.rows()[row];
                    if spec.is_real && sign < 0.0 {
                        continue;
                    }
                    let value = amplitude * bank.window(row, image_hz) / spec.peak;
                    let cell = &mut cells[row - rows.start];
                    cell[0] += value * cos;
                    // Real rows hold the sum of both images, whose imaginary parts cancel.
                    cell[1] += if spec.is_real { 0.0 } else { value * sin * sign };
                }
            }
        }
    }
}

/// A range that contains all rows that tones between two frequencies reach, including by their mirror images at 0 Hz
/// and at half the sample rate.
fn rows_reached(plan: &RowsPlan, [low_hz, high_hz]: [f64; 2], nyquist_hz: f64) -> Range<usize> {
    let bank = &plan.bank;
    let mirrored = bank.rows_near(-low_hz);
    let start = bank.rows_near(low_hz).start.min(if mirrored.is_empty() { usize::MAX } else { mirrored.start });
    start..bank.rows_near(high_hz).end.max(bank.rows_near(2.0 * nyquist_hz - high_hz).end)
}
