//! A tone drawn along a stroke, as samples: it sounds from the stroke's first time to its last.
//!
//! Frequency and amplitude are evaluated at the edges of blocks and interpolated linearly between them, so the phase is
//! quadratic within a block. Edges lie at multiples of the block length in the document, so a sample has the same bits
//! in any rendered range.

use super::brush::Tone;
use crate::{Axis, Stroke};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// Samples between two edges.
const BLOCK: usize = 64;

/// Samples that one task renders: whole blocks.
const SAMPLES_PER_TASK: usize = 64 * BLOCK;

/// The stroke at an edge.
#[derive(Debug, Clone, Copy, Default)]
struct Edge {
    /// Frequency of the first partial.
    hz: f64,
    /// Phase of the first partial since the first edge, in cycles.
    cycles: f64,
    /// 0 to 1: pressure times strength.
    amplitude: f64,
}

/// The sound of a tone with its own fades.
#[derive(Debug, Clone)]
pub struct ToneSound {
    rate_hz: f64,
    /// Frequency of each partial relative to the first, and its amplitude, where 1 is full scale.
    partials: Vec<(f64, f64)>,
    /// Seconds in the document, from the first sample that sounds to the last.
    secs: [f64; 2],
    fade_secs: f64,
    /// The first edge is at sample `first_block * BLOCK` of the document.
    first_block: i64,
    edges: Vec<Edge>,
}

impl ToneSound {
    /// Maximum number of edges of a stroke: 93 minutes at 48 kHz.
    const MAX_EDGES: f64 = (1 << 22) as f64;

    /// The tone along a stroke: at each edge the frequency and the pressure of the last segment passing there. Radius
    /// and hardness are not used. A stroke shorter than both fades sounds for their duration. `None` for a stroke
    /// without points, and for one that is too long.
    pub fn of(stroke: &Stroke, tone: &Tone, rate_hz: f64) -> Option<ToneSound> {
        let times = stroke.points.iter().map(|point| point.secs);
        let [start, end] = times.fold([f64::MAX, f64::MIN], |[a, b], secs| [a.min(secs), b.max(secs)]);
        let secs = [start, end.max(start + 2.0 * tone.fade_secs)];
        let block_secs = BLOCK as f64 / rate_hz;
        let (first, last) = ((secs[0] / block_secs).floor(), (secs[1] / block_secs).ceil());
        if stroke.points.is_empty() || last - first > ToneSound::MAX_EDGES || first.abs() > 1e12 {
            return None;
        }
        let first_block = first as i64;
        let places = places(stroke, first_block, (last - first) as usize + 1, block_secs);
        let edges = edges(&places, stroke, block_secs);
        Some(ToneSound { rate_hz, partials: tone.partials(), secs, fade_secs: tone.fade_secs, first_block, edges })
    }

    /// Duration, in seconds, at the end of an unfinished stroke in which further points may still change the sound.
    pub fn unsettled_secs(rate_hz: f64) -> f64 {
        2.0 * Tone::MAX_FADE_SECS + BLOCK as f64 / rate_hz
    }

    /// The samples of the document in which it sounds.
    pub fn samples(&self) -> Range<i64> {
        let [start, end] = self.secs.map(|secs| secs * self.rate_hz);
        start.ceil() as i64..end.floor() as i64 + 1
    }

    /// Writes the samples from sample `first` of the document on; 0 where it is silent.
    pub fn render(&self, first: i64, out: &mut [f32]) {
        // Samples before the first edge are rendered separately, so that all parallel tasks begin at an edge.
        let n_before = (-first).rem_euclid(BLOCK as i64) as usize;
        let (before, rest) = out.split_at_mut(n_before.min(out.len()));
        self.render_task(first, before);
        let from = first + n_before as i64;
        rest.par_chunks_mut(SAMPLES_PER_TASK)
            .enumerate()
            .for_each(|(i, out)| self.render_task(from + (i * SAMPLES_PER_TASK) as i64, out));
    }

    fn render_task(&self, first: i64, out: &mut [f32]) {
        let mut at = first;
        let mut rest = out;
        while !rest.is_empty() {
            let block = at.div_euclid(BLOCK as i64);
            let from = at.rem_euclid(BLOCK as i64) as usize;
            let (part, later) = rest.split_at_mut(rest.len().min(BLOCK - from));
            self.render_block(block, from, part);
            at += part.len() as i64;
            rest = later;
        }
    }

    /// Samples `from..` of a block.
    fn render_block(&self, block: i64, from: usize, out: &mut [f32]) {
        out.fill(0.0);
        let pair = usize::try_from(block - self.first_block).ok().and_then(|at| self.edges.get(at..at + 2));
        let Some(&[start, end]) = pair else { return };
        let mut sums = [0.0f64; BLOCK];
        for &(ratio, level) in &self.partials {
            let [a, b] = [start, end].map(|edge| level * self.amplitude(edge, ratio));
            if a == 0.0 && b == 0.0 {
                continue;
            }
            // From one sample to the next, the phasor `turn` is multiplied by `step`, and `step` by `bend`.
            let (hz, bent) =
                (ratio * start.hz / self.rate_hz, ratio * (end.hz - start.hz) / (self.rate_hz * BLOCK as f64));
            let [mut turn, mut step] = [ratio * start.cycles, hz + bent / 2.0].map(phasor);
            let bend = phasor(bent);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += (a + (b - a) * (i as f64 / BLOCK as f64)) * turn[0];
                turn = product(turn, step);
                step = product(step, bend);
            }
        }
        let first = block * BLOCK as i64 + from as i64;
        for (i, (sample, sum)) in out.iter_mut().zip(&sums[from..]).enumerate() {
            *sample = (sum * self.fade((first + i as i64) as f64 / self.rate_hz)) as f32;
        }
    }

    /// Amplitude of a partial relative to its level; 0 at half the sample rate and above.
    fn amplitude(&self, edge: Edge, ratio: f64) -> f64 {
        let hz = ratio * edge.hz;
        if hz > 0.0 && hz < self.rate_hz / 2.0 { edge.amplitude } else { 0.0 }
    }

    /// The gain of the fades at both ends, 0 to 1.
    fn fade(&self, secs: f64) -> f64 {
        let [start, end] = self.secs;
        let within = (secs - start).min(end - secs);
        if within >= self.fade_secs {
            1.0
        } else if within <= 0.0 {
            0.0
        } else {
            0.5 - 0.5 * (PI * within / self.fade_secs).cos()
        }
    }
}

/// Axis units and pressure of a stroke.
type Place = [f64; 2];

/// The stroke at `n` edges: the values of the last segment passing there, and before and after the stroke those of its
/// earliest and latest point.
fn places(stroke: &Stroke, first_block: i64, n: usize, block_secs: f64) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = vec![None; n];
    let (mut earliest, mut latest) = ((f64::MAX, [0.0; 2]), (f64::MIN, [0.0; 2]));
    let mut before: Option<(f64, Place)> = None;
    for point in &stroke.points {
        let to = (point.secs, [stroke.axis.units_from_hz(point.hz), point.pressure]);
        if to.0 < earliest.0 {
            earliest = to;
        }
        if to.0 >= latest.0 {
            latest = to;
        }
        let from = before.replace(to).unwrap_or(to);
        let ends = [from.0.min(to.0), from.0.max(to.0)];
        let [low, high] = [(ends[0] / block_secs).ceil(), (ends[1] / block_secs).floor()];
        for block in low as i64..=high as i64 {
            let Some(place) = usize::try_from(block - first_block).ok().and_then(|at| places.get_mut(at)) else {
                continue;
            };
            let part = if to.0 == from.0 { 1.0 } else { (block as f64 * block_secs - from.0) / (to.0 - from.0) };
            *place = Some([0, 1].map(|k| from.1[k] + (to.1[k] - from.1[k]) * part));
        }
    }
    let mut held = earliest.1;
    let at = |(i, place): (usize, Option<Place>)| {
        let secs = (first_block + i as i64) as f64 * block_secs;
        held = place.unwrap_or(if secs > latest.0 { latest.1 } else { held });
        held
    };
    places.into_iter().enumerate().map(at).collect()
}

/// The edges with the phase of the first partial, the integral of its frequency.
fn edges(places: &[Place], stroke: &Stroke, block_secs: f64) -> Vec<Edge> {
    let axis: Axis = stroke.axis;
    let mut edges: Vec<Edge> = Vec::with_capacity(places.len());
    for [units, pressure] in places {
        let hz = axis.hz_from_units(*units);
        let cycles = edges.last().map_or(0.0, |last| last.cycles + (last.hz + hz) / 2.0 * block_secs);
        edges.push(Edge { hz, cycles, amplitude: pressure * stroke.strength });
    }
    edges
}

type Phasor = [f64; 2];

fn phasor(turns: f64) -> Phasor {
    let (sin, cos) = (TAU * (turns - turns.round())).sin_cos();
    [cos, sin]
}

fn product([a, b]: Phasor, [c, d]: Phasor) -> Phasor {
    [a * c - b * d, a * d + b * c]
}
