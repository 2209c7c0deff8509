//! Control values: phase, step and level of every oscillator at the edges of blocks, computed in f64 for both engines.

use super::chance::{chance, unit, with_key};
use super::score::SILENT_ABOVE;
use super::start::OscillatorsMut;
use super::{BLOCK, MAX_PARTIALS, Score, ScoreNote, Timbre};
use crate::dsp::kernels::StructLayout;
use crate::dsp::numeric::vectors::vectorized;
use bytemuck::{Pod, Zeroable};
use std::f64::consts::PI;

/// Fraction of the Nyquist frequency above which partials fade.
const FADES_ABOVE: f64 = 0.9;

/// The factor that keeps partials below the Nyquist frequency: 1, falling to 0 as the frequency relative to Nyquist
/// goes from 0.90 to 0.98.
#[inline(always)]
pub(super) fn fade_near_nyquist(height: f64) -> f64 {
    if height >= SILENT_ABOVE {
        0.0
    } else if height > FADES_ABOVE {
        let part = (height - FADES_ABOVE) / (SILENT_ABOVE - FADES_ABOVE);
        (1.0 + (PI * part).cos()) / 2.0
    } else {
        1.0
    }
}

/// One turn in units of a u32 phase.
pub(super) const FULL_TURN: f64 = 4_294_967_296.0;
/// Maximum step from sample to sample: half a turn.
pub(super) const MAX_STEP: f64 = 2_147_483_647.0;

/// One oscillator at the start of one block. At sample `i` of the block its phase is `phase + i step + i (i - 1) / 2
/// slope`, modulo 2^32, in 2^-32 turns, and its level is linear up to that of the next block.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct ControlPoint {
    /// Phase of the block's first sample.
    pub phase: u32,
    /// Advance of the phase from the first sample to the second.
    pub step: u32,
    /// Increase of the step per sample, in two's complement.
    pub slope: u32,
    /// Amplitude at the block's first sample.
    pub level: f32,
}

/// A voice within a chunk: `rows` of `partials` control points from `offset` on, one row for each block edge.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct VoiceRun {
    /// The sample of the first edge, counted from the chunk's first; above -64.
    pub first: i32,
    /// Number of edges, one more than blocks.
    pub rows: u32,
    /// Number of oscillators.
    pub partials: u32,
    /// Index of its first row in the chunk's control points.
    pub offset: u32,
    /// Gains for the left and the right channel.
    pub gain: [f32; 2],
}

impl VoiceRun {
    /// Number of control points of all rows.
    pub(super) fn n_points(&self) -> usize {
        self.rows as usize * self.partials as usize
    }
}

/// Layouts of the structs that shaders read, for comparison with the shaders' own.
pub fn layouts() -> [StructLayout; 2] {
    macro_rules! members {
        ($of:ident: $($member:ident),+) => {
            StructLayout {
                name: stringify!($of),
                size: size_of::<$of>(),
                members: vec![$((stringify!($member), std::mem::offset_of!($of, $member))),+],
            }
        };
    }
    [members!(ControlPoint: phase, step, slope, level), members!(VoiceRun: first, rows, partials, offset, gain)]
}

/// A sounding voice: one unison part of a note, in one or both channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct SoundingVoice {
    /// Index of the note.
    pub note: u32,
    /// Index of its unison voice.
    pub unison: u32,
    /// The only channel in which the voice sounds, 0 left or 1 right, if the channel gains of the note change;
    /// otherwise `None`.
    pub side: Option<usize>,
    /// Index of its first sample in the score.
    pub start: u64,
    /// Its duration in blocks.
    pub n_blocks: usize,
    /// Index of its first oscillator.
    pub oscillator: usize,
    /// Number of oscillators.
    pub n_partials: usize,
    /// Frequency factor of its unison part.
    pub detune: f64,
    /// Gains for the left and the right channel.
    pub gain: [f32; 2],
}

impl SoundingVoice {
    /// The voices of a unison part: one, or one for each channel if the channel gains of the note change.
    pub fn of_part(
        score: &Score,
        note: usize,
        unison: u32,
        rate_hz: f64,
        is_stereo: bool,
    ) -> impl Iterator<Item = SoundingVoice> {
        let voice = SoundingVoice::new(score, note, unison, rate_hz, is_stereo);
        let [left, right] = voice.gain;
        let first = if is_stereo && score.notes[note].wanders() {
            SoundingVoice { side: Some(0), gain: [left, 0.0], ..voice }
        } else {
            voice
        };
        let second = SoundingVoice { side: Some(1), gain: [0.0, right], ..voice };
        [first, second].into_iter().take(if first.side.is_some() { 2 } else { 1 })
    }

    fn new(score: &Score, note: usize, unison: u32, rate_hz: f64, is_stereo: bool) -> SoundingVoice {
        let of = &score.notes[note];
        let timbre = &score.timbres[of.timbre];
        let place = match timbre.unison {
            1 => 0.0,
            n => 2.0 * f64::from(unison) / f64::from(n - 1) - 1.0,
        };
        let pan = (of.pan + place * timbre.spread).clamp(-1.0, 1.0);
        // If the channel gains of a note change, its levels include them.
        let side = |channel: usize| if of.wanders() { 1.0 } else { of.side_at(channel, 0.0) };
        let gain = [side(0) * 1f64.min(1.0 - pan), side(1) * 1f64.min(1.0 + pan)];
        SoundingVoice {
            note: note as u32,
            unison,
            side: None,
            start: of.first_sample(rate_hz),
            n_blocks: of.n_blocks(timbre, rate_hz),
            oscillator: 0,
            n_partials: timbre.n_partials(),
            detune: (place * timbre.detune_cents / 1200.0).exp2(),
            gain: if is_stereo { gain.map(|gain| gain as f32) } else { [1.0, 1.0] },
        }
    }

    /// The sample after its last block.
    pub fn end(&self) -> u64 {
        self.start + (self.n_blocks * BLOCK) as u64
    }

    /// Its blocks in the chunk `first..end`, first and last; `None` if it is silent there.
    pub fn blocks_in(&self, first: u64, end: u64) -> Option<[usize; 2]> {
        let (from, to) = (first.max(self.start), end.min(self.end()));
        (from < to).then(|| [from, to - 1].map(|sample| (sample - self.start) as usize / BLOCK))
    }
}

/// The score and the sample rate from which control points are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ControlMaker<'a> {
    pub score: &'a Score,
    pub rate_hz: f64,
}

impl ControlMaker<'_> {
    /// Fills the rows of one voice from `first_block` on, and sets its oscillators' phases to those at `next_block`.
    pub fn fill(
        &self,
        voice: &SoundingVoice,
        oscillators: OscillatorsMut<'_>,
        points: &mut [ControlPoint],
        first_block: usize,
        next_block: usize,
    ) {
        fill_rows(self, voice, &oscillators, points, first_block);
        chain_phases(oscillators.phase, points, next_block - first_block);
    }
}

vectorized! {
    /// Computes the steps and levels of all rows.
    fn fill_rows(
        maker: &ControlMaker<'_>,
        voice: &SoundingVoice,
        oscillators: &OscillatorsMut<'_>,
        points: &mut [ControlPoint],
        first_block: usize,
    ) {
        let n = voice.n_partials;
        let note = &maker.score.notes[voice.note as usize];
        let timbre = &maker.score.timbres[note.timbre];
        let breath = chance(&[maker.score.seed, 1, u64::from(voice.note), u64::from(voice.unison)]);
        let (mut hz, mut levels) = ([0.0; MAX_PARTIALS], [0.0; MAX_PARTIALS]);
        let (hz, levels) = (&mut hz[..n], &mut levels[..n]);
        for (row, points) in points.chunks_exact_mut(n).enumerate() {
            let block = first_block + row;
            let secs = (BLOCK * block) as f64 / maker.rate_hz;
            let edge = Edge {
                secs,
                hz: note.hz_at(timbre, maker.score.tuning_hz, secs),
                level: note.level_at(timbre, secs) * voice.side.map_or(1.0, |side| note.side_at(side, secs)),
                detune: voice.detune,
                rate_hz: maker.rate_hz,
            };
            edge.steps_and_levels(oscillators, points, hz, levels);
            edge.fade(hz, levels);
            edge.shape(note, timbre, oscillators, hz, levels);
            if timbre.breath > 0.0 {
                for (k, level) in levels.iter_mut().enumerate() {
                    let noise = unit(with_key(with_key(breath, k as u64), block as u64));
                    *level *= 1.0 - timbre.breath + timbre.breath * 3f64.sqrt() * (2.0 * noise - 1.0);
                }
            }
            points.iter_mut().zip(&*levels).for_each(|(point, level)| point.level = *level as f32);
        }
    }
}

/// Common values of a voice's oscillators at one edge.
struct Edge {
    secs: f64,
    /// Frequency of the note, without unison.
    hz: f64,
    /// Envelope and pressure.
    level: f64,
    detune: f64,
    rate_hz: f64,
}

impl Edge {
    #[inline(always)]
    fn steps_and_levels(
        &self,
        oscillators: &OscillatorsMut<'_>,
        points: &mut [ControlPoint],
        hz: &mut [f64],
        levels: &mut [f64],
    ) {
        for (hz, ratio) in hz.iter_mut().zip(oscillators.ratio) {
            *hz = ratio * self.hz * self.detune;
        }
        for (point, hz) in points.iter_mut().zip(&*hz) {
            // The value is positive, so the conversion rounds down.
            point.step = (hz / self.rate_hz * FULL_TURN + 0.5).min(MAX_STEP) as u32;
        }
        for (out, level) in levels.iter_mut().zip(oscillators.level) {
            *out = level * self.level;
        }
    }

    /// Applies the fade near the Nyquist frequency.
    #[inline(always)]
    fn fade(&self, hz: &[f64], levels: &mut [f64]) {
        let nyquist_hz = self.rate_hz / 2.0;
        let highest_hz = hz.iter().fold(0.0, |highest: f64, hz| if *hz > highest { *hz } else { highest });
        if highest_hz / nyquist_hz <= FADES_ABOVE {
            return;
        }
        for (level, hz) in levels.iter_mut().zip(hz) {
            *level *= fade_near_nyquist(hz / nyquist_hz);
        }
    }

    /// Applies the decay and the low-pass filter, or the levels of a measured timbre instead.
    #[inline(always)]
    fn shape(
        &self,
        note: &ScoreNote,
        timbre: &Timbre,
        oscillators: &OscillatorsMut<'_>,
        hz: &[f64],
        levels: &mut [f64],
    ) {
        if timbre.measured.is_some() {
            return self.shape_as_measured(note, timbre, hz, levels);
        }
        if timbre.decay_secs > 0.0 {
            levels.iter_mut().zip(oscillators.decay).for_each(|(level, rate)| *level *= (-self.secs * rate).exp());
        }
        let Some(cutoff) = &timbre.cutoff else { return };
        // Avoids 0 / 0 for a filter with a time constant of 0.
        let remaining = if cutoff.secs > 0.0 { (-self.secs / cutoff.secs).exp() } else { 0.0 };
        let cutoff_hz = self.hz * (cutoff.end + (cutoff.start - cutoff.end) * remaining);
        let mut powers = [1.0f64; MAX_PARTIALS];
        let powers = &mut powers[..hz.len()];
        for _ in 0..cutoff.order {
            for (power, hz) in powers.iter_mut().zip(hz) {
                let height = hz / cutoff_hz;
                *power *= height * height;
            }
        }
        levels.iter_mut().zip(powers).for_each(|(level, power)| *level /= (1.0 + *power).sqrt());
    }

    fn shape_as_measured(&self, note: &ScoreNote, timbre: &Timbre, hz: &[f64], levels: &mut [f64]) {
        let Some(measured) = &timbre.measured else { return };
        let note_secs = note.duration_secs + timbre.adsr.release_secs;
        let Some(time) = measured.time_at(self.secs, note_secs, timbre.stretch_time) else {
            return levels.fill(0.0);
        };
        let mut recorded = [0.0; MAX_PARTIALS];
        let recorded = &mut recorded[..levels.len()];
        measured.levels_at(time, recorded);
        let formants = timbre.formants;
        for (k, level) in levels.iter_mut().enumerate() {
            let mut db = recorded[k];
            if formants > 0.0 {
                db = (1.0 - formants) * db + formants * measured.envelope_db(recorded, hz[k]);
            }
            *level *= measured.amplitude(db);
        }
    }
}

/// Computes the phases and slopes of all rows from their steps. `phases` holds those of the first row, and is set to
/// those of row `next`.
fn chain_phases(phases: &mut [u32], points: &mut [ControlPoint], next: usize) {
    const SAMPLES: u32 = BLOCK as u32;
    let n = phases.len();
    for (point, phase) in points.iter_mut().zip(&*phases) {
        point.phase = *phase;
    }
    let n_rows = points.len() / n;
    for row in 1..n_rows {
        let (before, after) = points[(row - 1) * n..(row + 1) * n].split_at_mut(n);
        for (before, after) in before.iter_mut().zip(after) {
            let slope = (after.step as i32).wrapping_sub(before.step as i32) / BLOCK as i32;
            before.slope = slope as u32;
            let of_steps = before.step.wrapping_mul(SAMPLES);
            let of_slope = before.slope.wrapping_mul(SAMPLES * (SAMPLES - 1) / 2);
            after.phase = before.phase.wrapping_add(of_steps).wrapping_add(of_slope);
        }
    }
    points[(n_rows - 1) * n..].iter_mut().for_each(|point| point.slope = 0);
    for (phase, point) in phases.iter_mut().zip(&points[next * n..]) {
        *phase = point.phase;
    }
}
