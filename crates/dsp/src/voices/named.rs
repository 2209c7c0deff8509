//! Named timbres.

use super::burst::Burst;
use super::{Adsr, Cutoff, Timbre, TimbrePartial, Vibrato};
use std::f64::consts::PI;

/// Ratio, level and life of the bell's partials.
///
/// Source: Risset's bell, as in Dodge and Jerse, Computer Music (1997).
const BELL: [[f64; 3]; 11] = [
    [0.56, 1.0, 1.0],
    [0.563, 0.67, 0.9],
    [0.92, 1.0, 0.65],
    [0.923, 1.8, 0.55],
    [1.19, 2.67, 0.325],
    [1.7, 1.67, 0.35],
    [2.0, 1.46, 0.25],
    [2.74, 1.33, 0.2],
    [3.0, 1.33, 0.15],
    [3.76, 1.0, 0.1],
    [4.07, 1.33, 0.075],
];

/// Ratio and level of the organ's partials.
const ORGAN: [[f64; 2]; 9] =
    [[0.5, 0.5], [1.0, 1.0], [1.5, 0.4], [2.0, 0.7], [3.0, 0.35], [4.0, 0.4], [5.0, 0.15], [6.0, 0.2], [8.0, 0.25]];

impl Timbre {
    /// All names except those of bursts.
    pub const NAMES: [&str; 5] = ["pad", "pluck", "organ", "bell", "breath"];

    /// The timbre of a name in [`NAMES`](Timbre::NAMES) or [`BURSTS`](Timbre::BURSTS).
    pub fn named(name: &str) -> Option<Timbre> {
        match name {
            "pad" => Some(Timbre::pad()),
            "pluck" => Some(Timbre::pluck()),
            "organ" => Some(Timbre::organ()),
            "bell" => Some(Timbre::bell()),
            "breath" => Some(Timbre::breath()),
            _ => Burst::named(name).map(Burst::timbre),
        }
    }

    /// Soft and wide: three voices, a filter that opens.
    pub fn pad() -> Timbre {
        Timbre {
            partials: harmonics(16, |k| k.powf(-1.2)),
            unison: 3,
            detune_cents: 7.0,
            spread: 0.7,
            adsr: adsr(0.35, 0.6, 0.8, 0.8),
            cutoff: Some(Cutoff { start: 3.0, end: 9.0, secs: 1.2, order: 2 }),
            vibrato: Some(Vibrato { cents: 4.0, hz: 5.2, delay_secs: 0.4, fade_secs: 0.6 }),
            random_phase: true,
            ..Timbre::default()
        }
    }

    /// A plucked string.
    pub fn pluck() -> Timbre {
        Timbre {
            partials: harmonics(32, |k| (0.13 * PI * k).sin().abs() / k),
            adsr: adsr(0.002, 0.0, 1.0, 0.12),
            decay_secs: 3.0,
            damp: 0.7,
            stretch: 1e-4,
            ..Timbre::default()
        }
    }

    /// An organ with drawbars.
    pub fn organ() -> Timbre {
        Timbre {
            partials: ORGAN.map(|[ratio, level]| TimbrePartial { ratio, level, life: 1.0 }).to_vec(),
            adsr: adsr(0.012, 0.0, 1.0, 0.06),
            bright: 0.0,
            ..Timbre::default()
        }
    }

    /// Risset's bell.
    pub fn bell() -> Timbre {
        Timbre {
            partials: BELL.map(|[ratio, level, life]| TimbrePartial { ratio, level, life }).to_vec(),
            adsr: adsr(0.001, 0.0, 1.0, 0.4),
            decay_secs: 7.0,
            ..Timbre::default()
        }
    }

    /// A breathy voice.
    pub fn breath() -> Timbre {
        Timbre {
            partials: harmonics(24, |k| 1.0 / k),
            adsr: adsr(0.08, 0.2, 0.8, 0.25),
            vibrato: Some(Vibrato { cents: 12.0, hz: 5.0, delay_secs: 0.5, fade_secs: 0.5 }),
            random_phase: true,
            breath: 0.6,
            ..Timbre::default()
        }
    }
}

fn harmonics(n: usize, level: impl Fn(f64) -> f64) -> Vec<TimbrePartial> {
    let partial = |k: usize| TimbrePartial { ratio: k as f64, level: level(k as f64), life: 1.0 };
    (1..=n).map(partial).collect()
}

fn adsr(attack_secs: f64, decay_secs: f64, sustain: f64, release_secs: f64) -> Adsr {
    Adsr { attack_secs, decay_secs, sustain, release_secs }
}
