//! Oscillators of voices: their phases, and values that are constant over a voice.

use super::chance::chance;
use super::{Score, Timbre};
use std::ops::Range;

/// A 60 dB decay as an exponent: `3 ln 10`.
const DECAY: f64 = 3.0 * std::f64::consts::LN_10;

/// Oscillators of all sounding voices, concatenated. Capacity is allocated once.
#[derive(Debug)]
pub(super) struct Oscillators {
    /// Phase at the start of the voice's next block, in 2^-32 turns.
    pub phase: Vec<u32>,
    /// Frequency as a multiple of the note's, without the detuning of unison.
    pub ratio: Vec<f64>,
    /// Level before envelopes.
    pub level: Vec<f64>,
    /// Decay rate in nepers per second.
    pub decay: Vec<f64>,
}

/// Mutable oscillators of one or several voices.
#[derive(Debug)]
pub(super) struct OscillatorsMut<'a> {
    pub phase: &'a mut [u32],
    pub ratio: &'a [f64],
    pub level: &'a [f64],
    pub decay: &'a [f64],
}

impl Oscillators {
    pub fn with_capacity(n: usize) -> Oscillators {
        Oscillators { phase: vec![0; n], ratio: vec![0.0; n], level: vec![0.0; n], decay: vec![0.0; n] }
    }

    /// Copies a voice's oscillators from another position.
    pub fn copy(&mut self, to: usize, from: &Oscillators, range: Range<usize>) {
        self.phase[to..][..range.len()].copy_from_slice(&from.phase[range.clone()]);
        self.ratio[to..][..range.len()].copy_from_slice(&from.ratio[range.clone()]);
        self.level[to..][..range.len()].copy_from_slice(&from.level[range.clone()]);
        self.decay[to..][..range.len()].copy_from_slice(&from.decay[range]);
    }

    /// Resizes for at least `n` oscillators.
    pub fn make_room(&mut self, n: usize) {
        let n = n.max(self.phase.len());
        self.phase.resize(n, 0);
        for values in [&mut self.ratio, &mut self.level, &mut self.decay] {
            values.resize(n, 0.0);
        }
    }

    /// Moves oscillators to a lower index.
    pub fn move_down(&mut self, to: usize, range: Range<usize>) {
        self.phase.copy_within(range.clone(), to);
        for values in [&mut self.ratio, &mut self.level, &mut self.decay] {
            values.copy_within(range.clone(), to);
        }
    }

    /// Starts the voice of a note and a unison part at an offset.
    pub fn start(&mut self, to: usize, score: &Score, note: usize, unison: u32) {
        let timbre = &score.timbres[score.notes[note].timbre];
        let velocity = score.notes[note].velocity;
        let loudness =
            10f64.powf(score.level_db / 20.0) * velocity * velocity / f64::from(timbre.unison).sqrt() / norm(timbre);
        let darkness = -timbre.bright * (1.0 - velocity);
        for k in 0..timbre.n_partials() {
            let ratio = timbre.ratio(k);
            let above = ratio.max(1.0);
            let (level, life) = match &timbre.measured {
                Some(_) => (1.0, None),
                None => (timbre.partials[k].level, Some(timbre.partials[k].life)),
            };
            self.ratio[to + k] = ratio;
            self.level[to + k] = loudness * level * above.powf(darkness);
            self.decay[to + k] = match life {
                Some(life) if timbre.decay_secs > 0.0 => DECAY / (timbre.decay_secs * life * above.powf(-timbre.damp)),
                _ => 0.0,
            };
            let keys = [score.seed, 0, note as u64, u64::from(unison), k as u64];
            self.phase[to + k] = if timbre.random_phase { (chance(&keys) >> 32) as u32 } else { 0 };
        }
    }

    /// The first `n` oscillators.
    pub fn first_mut(&mut self, n: usize) -> OscillatorsMut<'_> {
        OscillatorsMut {
            phase: &mut self.phase[..n],
            ratio: &self.ratio[..n],
            level: &self.level[..n],
            decay: &self.decay[..n],
        }
    }
}

impl<'a> OscillatorsMut<'a> {
    pub fn split_at(self, n: usize) -> (OscillatorsMut<'a>, OscillatorsMut<'a>) {
        let (phase, phase_after) = self.phase.split_at_mut(n);
        let (ratio, ratio_after) = self.ratio.split_at(n);
        let (level, level_after) = self.level.split_at(n);
        let (decay, decay_after) = self.decay.split_at(n);
        let after = OscillatorsMut { phase: phase_after, ratio: ratio_after, level: level_after, decay: decay_after };
        (OscillatorsMut { phase, ratio, level, decay }, after)
    }
}

/// The root of the sum of the partials' squared levels; 1 for a measured timbre, which is normalised by its own peak.
fn norm(timbre: &Timbre) -> f64 {
    match &timbre.measured {
        Some(_) => 1.0,
        None => timbre.partials.iter().map(|partial| partial.level * partial.level).sum::<f64>().sqrt(),
    }
}
