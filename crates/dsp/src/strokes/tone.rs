//! The cells of a tone drawn along a stroke, in f64 on the CPU for both engines.
//!
//! `X[m,n] = (A/2) V(m - f N/sr) exp(2 pi i phi(n))`, with the transform `V` of the window, real since phases refer to
//! the frame's centre; for Hann `V(d) = (N/2) sinc(d) / (1 - d^2)`, for other windows a table. The phase is the
//! integral of the frequency, by Simpson's rule from frame to frame.

use super::brush::Tone;
use super::stroke::profile;
use crate::transforms::lobes::{REACH, WindowTransform};
use crate::{Axis, CellRect, Grid, Point, Region, Stft, Stroke};
use rayon::prelude::*;
use std::collections::BTreeMap;
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
    /// Frequency of a partial, counted from 1, relative to the first.
    pub(crate) fn ratio(&self, partial: u32) -> f64 {
        let number = 1.0 + f64::from(partial - 1) * self.spacing;
        let stretch = |h: f64| (1.0 + self.inharmonicity * h * h).sqrt();
        number * stretch(number) / stretch(1.0)
    }

    /// Amplitude of a partial relative to the first, from its frequency ratio.
    pub(crate) fn gain(&self, ratio: f64) -> f64 {
        10f64.powf(self.slope_db * ratio.log2() / 20.0)
    }

    /// Frequency of each partial relative to the first, and its amplitude, where 1 is full scale.
    pub fn partials(&self) -> Vec<(f64, f64)> {
        let level = 10f64.powf(self.level_db / 20.0);
        let ratios = (1..=self.harmonics).map(|partial| self.ratio(partial));
        ratios.map(|ratio| (ratio, level * self.gain(ratio))).collect()
    }
}

/// The first partial at a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameTone {
    pub hz: f64,
    /// Cycles since the first frame.
    pub cycles: f64,
    pub amplitude: f64,
}

impl ToneLine {
    /// The tone along a stroke: at each time the frequency and the pressure of the last segment passing there; constant
    /// beyond the ends, where the brush's profile fades it out within one radius.
    pub fn new(grid: &Grid, stft: &Stft, stroke: &Stroke, tone: Tone) -> ToneLine {
        let mut track = ToneTrack::new(grid, stroke);
        track.extend(&stroke.points);
        ToneLine::of(&track, stft, stroke, tone)
    }

    /// [`new`](ToneLine::new) from the track of a stroke; the points of `brush` are not read.
    pub fn of(track: &ToneTrack, stft: &Stft, brush: &Stroke, tone: Tone) -> ToneLine {
        let (first_frame, frames) = track.frames(brush, tone);
        ToneLine { grid: track.grid.clone(), tone, first_frame, frames, window: stft.window_transform() }
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

    /// The cells of `rect`; 0 outside the stroke.
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

/// Axis units and pressure of a stroke at a time.
type Place = [f64; 2];

/// A growing stroke over time, sampled at every frame and halfway between frames. Adding a segment takes time
/// proportional to the frames that it passes.
#[derive(Debug, Clone)]
pub struct ToneTrack {
    grid: Grid,
    axis: Axis,
    /// The value of the last segment passing each half frame.
    halves: BTreeMap<i64, Place>,
    last: Option<(f64, Place)>,
    earliest: (f64, Place),
    latest: (f64, Place),
    /// Times of the earliest and the latest point.
    span_secs: [f64; 2],
}

impl ToneTrack {
    /// A track without points, on the axis of `brush`, whose points are ignored.
    pub fn new(grid: &Grid, brush: &Stroke) -> ToneTrack {
        ToneTrack {
            grid: grid.clone(),
            axis: brush.axis,
            halves: BTreeMap::new(),
            last: None,
            earliest: (f64::MAX, [0.0; 2]),
            latest: (f64::MIN, [0.0; 2]),
            span_secs: [f64::MAX, f64::MIN],
        }
    }

    /// Continues the stroke through more points.
    pub fn extend(&mut self, points: &[Point]) {
        for point in points {
            let place = (point.secs, [self.axis.units_from_hz(point.hz), point.pressure]);
            if let Some(from) = self.last.replace(place) {
                let passed: Vec<(i64, Place)> = self.passed(from, place).collect();
                self.halves.extend(passed);
            }
            if place.0.total_cmp(&self.earliest.0).is_lt() {
                self.earliest = place;
            }
            if place.0.total_cmp(&self.latest.0).is_ge() {
                self.latest = place;
            }
            self.span_secs = [self.span_secs[0].min(place.0), self.span_secs[1].max(place.0)];
        }
    }

    /// The first frame that the brush reaches, and the first partial at each frame from there on. The points of `brush`
    /// are ignored.
    pub(crate) fn frames(&self, brush: &Stroke, tone: Tone) -> (usize, Vec<FrameTone>) {
        let (grid, [start, end]) = (&self.grid, self.span_secs);
        let last = grid.n_frames() as f64 - 1.0;
        let first_frame = grid.frame_from_secs(start - brush.radius[0]).ceil().clamp(0.0, last + 1.0);
        let last_frame = grid.frame_from_secs(end + brush.radius[0]).floor().clamp(-1.0, last);
        let n_frames = (last_frame - first_frame + 1.0).max(0.0) as usize;
        // Twice as fine as the frames, for Simpson's rule.
        let secs = |half: usize| grid.secs_from_frame(first_frame + half as f64 / 2.0);
        let line = self.line(2 * first_frame as i64, (2 * n_frames).saturating_sub(1));
        let hz = |half: usize| brush.axis.hz_from_units(line[half][0]);
        let level = 10f64.powf(tone.level_db / 20.0) * brush.strength;
        let mut frames: Vec<FrameTone> = Vec::with_capacity(n_frames);
        for frame in 0..n_frames {
            let cycles = frames.last().map_or(0.0, |before| {
                let mean = (before.hz + 4.0 * hz(2 * frame - 1) + hz(2 * frame)) / 6.0;
                before.cycles + mean * grid.hop_secs()
            });
            let outside = (start - secs(2 * frame)).max(secs(2 * frame) - end).max(0.0) / brush.radius[0];
            let amplitude = level * line[2 * frame][1] * profile(outside, brush.hardness);
            frames.push(FrameTone { hz: hz(2 * frame), cycles, amplitude });
        }
        (first_frame as usize, frames)
    }

    fn secs(&self, half: i64) -> f64 {
        self.grid.secs_from_frame(half as f64 / 2.0)
    }

    /// The half frames that a segment passes, with its axis units and pressure at each.
    fn passed(&self, (t0, a): (f64, Place), (t1, b): (f64, Place)) -> impl Iterator<Item = (i64, Place)> + '_ {
        let (low, high) = (t0.min(t1), t0.max(t1));
        let end = 2 * self.grid.n_frames() as i64;
        let first = ((2.0 * self.grid.frame_from_secs(low)).floor() - 1.0).clamp(0.0, end as f64) as i64;
        let within = (first..end).take_while(move |half| self.secs(*half) <= high);
        within.filter(move |half| self.secs(*half) >= low).map(move |half| {
            let u = if t1 == t0 { 1.0 } else { (self.secs(half) - t0) / (t1 - t0) };
            (half, [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u])
        })
    }

    /// The values at `n` half frames: of the last segment passing there, and before and after the stroke those of its
    /// earliest and latest point.
    fn line(&self, first: i64, n: usize) -> Vec<Place> {
        // The last point counts as a segment of length 0.
        let end: BTreeMap<i64, Place> = self.last.iter().flat_map(|last| self.passed(*last, *last)).collect();
        let mut held = self.earliest.1;
        let at = |half: i64| {
            let entry = end.get(&half).or_else(|| self.halves.get(&half));
            held = match entry {
                Some(entry) => *entry,
                None if self.secs(half) > self.latest.0 => self.latest.1,
                None => held,
            };
            held
        };
        (first..first + n as i64).map(at).collect()
    }
}
