//! The cells of a tone drawn along a stroke, in f64 on the CPU for both engines.
//!
//! `X[m,n] = (A/2) V(m - f N/sr) exp(2 pi i phi(n))`, with the transform `V` of the window, real since phases refer to
//! the frame's centre; for Hann `V(d) = (N/2) sinc(d) / (1 - d^2)`, for other windows a table. The phase is the integral
//! of the frequency, by Simpson's rule from frame to frame.

use super::brush::Tone;
use super::lobes::{REACH, WindowTransform};
use super::stroke::profile;
use super::{CellRect, Grid, Region, Stft, Stroke};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A tone laid out on a grid.
#[derive(Debug, Clone)]
pub struct ToneLine {
    grid: Grid,
    tone: Tone,
    first_frame: usize,
    frames: Vec<FrameTone>,
    window: Arc<WindowTransform>,
}

impl Tone {
    /// Frequency of a partial, counted from 1, over the first's.
    fn ratio(&self, partial: u32) -> f64 {
        let number = 1.0 + f64::from(partial - 1) * self.spacing;
        let stretch = |h: f64| (1.0 + self.inharmonicity * h * h).sqrt();
        number * stretch(number) / stretch(1.0)
    }

    /// Amplitude of a partial over the first's, by its ratio.
    fn gain(&self, ratio: f64) -> f64 {
        10f64.powf(self.slope_db * ratio.log2() / 20.0)
    }

    /// Frequency of each partial over the first's, and its amplitude, where 1 is full scale.
    pub fn partials(&self) -> Vec<(f64, f64)> {
        let level = 10f64.powf(self.level_db / 20.0);
        let ratios = (1..=self.harmonics).map(|partial| self.ratio(partial));
        ratios.map(|ratio| (ratio, level * self.gain(ratio))).collect()
    }
}

/// The first partial at a frame.
#[derive(Debug, Clone, Copy, Default)]
struct FrameTone {
    hz: f64,
    /// Cycles since the first frame.
    cycles: f64,
    amplitude: f64,
}

impl ToneLine {
    /// The tone along a stroke: at each time the frequency and the pressure of the last segment that passes there; held
    /// beyond the ends, where the brush's profile fades it out within one radius.
    pub fn new(grid: &Grid, stft: &Stft, stroke: &Stroke, tone: Tone) -> ToneLine {
        let at = |i: usize| stroke.points[i].secs;
        let n = stroke.points.len();
        let (start, end) = (0..n).map(at).fold((f64::MAX, f64::MIN), |(a, b), t| (a.min(t), b.max(t)));
        let last = grid.n_frames() as f64 - 1.0;
        let first_frame = grid.frame_from_secs(start - stroke.radius[0]).ceil().clamp(0.0, last + 1.0);
        let last_frame = grid.frame_from_secs(end + stroke.radius[0]).floor().clamp(-1.0, last);
        let n_frames = (last_frame - first_frame + 1.0).max(0.0) as usize;
        // Twice as fine as the frames, for Simpson's rule.
        let secs = |half: usize| grid.secs_from_frame(first_frame + half as f64 / 2.0);
        let line = rasterised(stroke, (2 * n_frames).saturating_sub(1), secs);
        let hz = |half: usize| stroke.axis.hz_from_units(line[half][0]);
        let level = 10f64.powf(tone.level_db / 20.0) * stroke.strength;
        let mut frames: Vec<FrameTone> = Vec::with_capacity(n_frames);
        for frame in 0..n_frames {
            let cycles = frames.last().map_or(0.0, |before| {
                let mean = (before.hz + 4.0 * hz(2 * frame - 1) + hz(2 * frame)) / 6.0;
                before.cycles + mean * grid.hop_secs()
            });
            let outside = (start - secs(2 * frame)).max(secs(2 * frame) - end).max(0.0) / stroke.radius[0];
            let amplitude = level * line[2 * frame][1] * profile(outside, stroke.hardness);
            frames.push(FrameTone { hz: hz(2 * frame), cycles, amplitude });
        }
        ToneLine {
            grid: grid.clone(),
            tone,
            first_frame: first_frame as usize,
            frames,
            window: stft.window_transform(),
        }
    }

    /// [`Tone::gains`].
    pub fn gains(&self) -> [f32; 2] {
        self.tone.gains().map(|gain| gain as f32)
    }

    /// A rectangle around every cell that is drawn.
    pub fn rect(&self) -> CellRect {
        let frames = self.first_frame..self.first_frame + self.frames.len();
        let [low, high] = [1, self.tone.harmonics].map(|k| self.tone.ratio(k));
        let mut bins = (f64::MAX, f64::MIN);
        for frame in self.frames.iter().filter(|frame| frame.amplitude > 0.0) {
            let [low, high] = [low, high].map(|ratio| self.grid.bin_from_hz(ratio * frame.hz));
            bins = (bins.0.min(low - REACH), bins.1.max(high + REACH));
        }
        let n_bins = self.grid.n_bins();
        let start = (bins.0.ceil().max(0.0) as usize).min(n_bins);
        let end = ((bins.1.floor() + 1.0).max(0.0) as usize).min(n_bins);
        CellRect::new(frames, start..end.max(start))
    }

    /// The cells of `rect`; 0 where nothing is drawn.
    pub fn cells(&self, rect: &CellRect) -> Region {
        let mut region = Region::zeros(rect.clone());
        let n_bins = rect.bins.len().max(1);
        let rows = region.magnitude.par_chunks_mut(n_bins).zip(region.phase.par_chunks_mut(n_bins));
        rows.enumerate().for_each_init(
            || vec![[0.0f64; 2]; rect.bins.len()],
            |row, (index, (magnitude, phase))| {
                let frame = (rect.frames.start + index).checked_sub(self.first_frame);
                let Some(frame) = frame.and_then(|frame| self.frames.get(frame)) else { return };
                row.fill([0.0; 2]);
                self.draw(frame, rect.bins.start, row);
                for (x, (magnitude, phase)) in row.iter().zip(magnitude.iter_mut().zip(phase)) {
                    *magnitude = x[0].hypot(x[1]) as f32;
                    let turns = (x[1].atan2(x[0]) / TAU) as f32;
                    *phase = if turns >= 0.5 { -0.5 } else { turns };
                }
            },
        );
        region
    }

    /// Adds all partials of a frame, and their mirror images below DC and above Nyquist, to a row of bins.
    fn draw(&self, frame: &FrameTone, first_bin: usize, row: &mut [[f64; 2]]) {
        if frame.amplitude <= 0.0 {
            return;
        }
        let mirror = 2.0 * self.grid.nyquist_bin() as f64;
        for ratio in (1..=self.tone.harmonics).map(|partial| self.tone.ratio(partial)) {
            let hz = ratio * frame.hz;
            if !(hz > 0.0 && hz < self.grid.nyquist_hz()) {
                continue;
            }
            let half = frame.amplitude / 2.0 * self.tone.gain(ratio);
            let (sin, cos) = (TAU * (ratio * frame.cycles).fract()).sin_cos();
            let bin = self.grid.bin_from_hz(hz);
            for (place, sign) in [(bin, 1.0), (-bin, -1.0), (mirror - bin, -1.0)] {
                let low = ((place - REACH).ceil().max(first_bin as f64)) as usize;
                let end = ((place + REACH).floor() + 1.0).clamp(0.0, (first_bin + row.len()) as f64) as usize;
                for m in low..end {
                    let v = half * self.window.at(m as f64 - place);
                    row[m - first_bin][0] += v * cos;
                    row[m - first_bin][1] += v * sin * sign;
                }
            }
        }
    }
}

/// Axis units and pressure of a stroke at so many times: of the last segment that passes there, and of the earliest and
/// latest place before and after all of them.
fn rasterised(stroke: &Stroke, n: usize, secs: impl Fn(usize) -> f64) -> Vec<[f64; 2]> {
    let mut line: Vec<Option<[f64; 2]>> = vec![None; n];
    let place = |i: usize| {
        let point = &stroke.points[i];
        (point.secs, [stroke.axis.units_from_hz(point.hz), point.pressure])
    };
    let last = stroke.points.len() - 1;
    for i in 0..=last {
        let ((t0, a), (t1, b)) = (place(i), place((i + 1).min(last)));
        let (low, high) = (t0.min(t1), t0.max(t1));
        let before = ((low - secs(0)) / (secs(1) - secs(0))).floor().max(0.0) as usize;
        for (half, entry) in line.iter_mut().enumerate().skip(before).take_while(|(half, _)| secs(*half) <= high) {
            if secs(half) < low {
                continue;
            }
            let u = if t1 == t0 { 1.0 } else { (secs(half) - t0) / (t1 - t0) };
            *entry = Some([a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u]);
        }
    }
    let by_time = |a: &usize, b: &usize| stroke.points[*a].secs.total_cmp(&stroke.points[*b].secs);
    let earliest = (0..=last).min_by(by_time).map_or([0.0; 2], |i| place(i).1);
    let mut held = earliest;
    let latest = (0..=last).max_by(by_time).map(place);
    let fill = |(half, entry): (usize, Option<[f64; 2]>)| {
        held = match (entry, latest) {
            (Some(entry), _) => entry,
            (None, Some((end, latest))) if secs(half) > end => latest,
            _ => held,
        };
        held
    };
    line.into_iter().enumerate().map(fill).collect()
}
