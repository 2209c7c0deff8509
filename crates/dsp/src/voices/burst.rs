//! Band-limited noise bursts for drum notes, made of sines at random frequencies within the band.

use super::chance::{chance, unit};
use super::{Adsr, Timbre, TimbrePartial};

/// A drum: a burst of 80 ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// Name of the timbre.
    name: &'static str,
    /// MIDI pitch at which the timbre's partials fall into `band_hz`.
    pub pitch: f64,
    /// Range of the partials. The attack spreads their power beyond it.
    band_hz: [f64; 2],
    n_partials: usize,
    attack_secs: f64,
    /// Release, included in the 80 ms.
    release_secs: f64,
    /// Whether each burst has different noise. Below 120 Hz, 80 ms contain so few periods that bursts would differ
    /// fourfold in level.
    is_random: bool,
}

/// Bursts below 120 Hz, of 1 to 5 kHz, above 6 kHz, and of 0.3 to 3 kHz.
const BURSTS: [Burst; 4] = [
    Burst {
        name: "burst_low",
        pitch: 36.0,
        band_hz: [30.0, 85.0],
        n_partials: 8,
        attack_secs: 0.008,
        release_secs: 0.03,
        is_random: false,
    },
    Burst {
        name: "burst_mid",
        pitch: 96.0,
        band_hz: [1_100.0, 4_900.0],
        n_partials: 128,
        attack_secs: 0.002,
        release_secs: 0.02,
        is_random: true,
    },
    Burst {
        name: "burst_high",
        pitch: 117.0,
        band_hz: [6_300.0, 15_000.0],
        n_partials: 128,
        attack_secs: 0.001,
        release_secs: 0.02,
        is_random: true,
    },
    Burst {
        name: "burst_wide",
        pitch: 84.0,
        band_hz: [350.0, 2_950.0],
        n_partials: 128,
        attack_secs: 0.002,
        release_secs: 0.02,
        is_random: true,
    },
];

impl Burst {
    /// Duration of a burst, including its release.
    const SECS: f64 = 0.08;

    /// The burst for a drum: a key of General MIDI's channel 10.
    pub fn of_drum(key: u8) -> Burst {
        let [low, mid, high, wide] = BURSTS;
        match key {
            35 | 36 => low,
            37..=40 => mid,
            42..=46 => high,
            _ => wide,
        }
    }

    pub(super) fn named(name: &str) -> Option<Burst> {
        BURSTS.into_iter().find(|burst| burst.name == name)
    }

    /// The burst with a timbre; `None` for other timbres.
    pub fn of_timbre(timbre: &Timbre) -> Option<Burst> {
        BURSTS.into_iter().find(|burst| burst.n_partials == timbre.partials.len() && burst.timbre() == *timbre)
    }

    /// The duration of the burst's note, without the release.
    pub fn note_secs(self) -> f64 {
        Burst::SECS - self.release_secs
    }

    /// The timbre of the burst.
    pub fn timbre(self) -> Timbre {
        let base_hz = 440.0 * ((self.pitch - 69.0) / 12.0).exp2();
        let [low_hz, high_hz] = self.band_hz;
        let partial = |k: usize| {
            let place = (k as f64 + unit(chance(&[7, self.pitch as u64, k as u64]))) / self.n_partials as f64;
            TimbrePartial { ratio: (low_hz + (high_hz - low_hz) * place) / base_hz, level: 1.0, life: 1.0 }
        };
        Timbre {
            partials: (0..self.n_partials).map(partial).collect(),
            // Falls by 60 dB in 0.2 s, and so by some 20 dB before the release.
            adsr: Adsr {
                attack_secs: self.attack_secs,
                decay_secs: 0.2,
                sustain: 0.0,
                release_secs: self.release_secs,
            },
            bright: 0.0,
            random_phase: self.is_random,
            ..Timbre::default()
        }
    }
}

impl Timbre {
    /// The names of the bursts for drums.
    pub const BURSTS: [&str; 4] = [BURSTS[0].name, BURSTS[1].name, BURSTS[2].name, BURSTS[3].name];
}
