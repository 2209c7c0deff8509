//! Brushes as data: what a stroke does to the cells under it.

use super::Denoise;
use super::heal::Heal;
use super::{Axis, Clip};

/// Which frequencies a band filter keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// Below the cutoff.
    Low,
    /// Above the cutoff.
    High,
    /// Between two cutoffs.
    Band,
    /// Outside two cutoffs.
    Notch,
}

/// Butterworth magnitude response of an order at one cutoff (low, high) or two (band, notch).
#[derive(Debug, Clone, PartialEq)]
pub struct Butterworth {
    /// Which side is kept.
    pub pass: Pass,
    /// One or two cutoffs, ascending, above 0.
    pub cutoff: Vec<f64>,
    /// 1 to 8.
    pub order: u32,
}

impl Butterworth {
    /// The response at `f`, in the cutoffs' unit, 0 to 1.
    pub fn response(&self, f: f64) -> f64 {
        let power = 2 * self.order as i32;
        let low = |q: f64| 1.0 / (1.0 + q.powi(power)).sqrt();
        match (self.pass, self.cutoff.as_slice()) {
            (Pass::Low, &[fc]) => low(f / fc),
            (Pass::High, &[fc]) if f > 0.0 => low(fc / f),
            (Pass::High, _) => 0.0,
            (Pass::Band, &[f1, f2]) if f > 0.0 => low((f * f - f1 * f2) / (f * (f2 - f1))),
            (Pass::Band, _) => 0.0,
            (Pass::Notch, &[f1, f2]) if f > 0.0 => {
                let q = (f * f - f1 * f2) / (f * (f2 - f1));
                if q == 0.0 { 0.0 } else { low(1.0 / q) }
            }
            (Pass::Notch | Pass::Low, _) => 1.0,
        }
    }
}

/// Which axes of the magnitude patch a modulation filter runs along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Across frames: cutoffs in hertz.
    Time,
    /// Across bins: cutoffs in cycles per kilohertz.
    Frequency,
    /// Both: the product of two filters.
    Both,
}

/// How a warp moves what is under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarpMode {
    /// Everything under the mask moves by `shift`: seconds, axis units.
    Grab {
        /// Seconds, and units of the edit's axis.
        shift: [f64; 2],
    },
    /// What is under the pointer moves with it.
    Push,
}

/// A tone with harmonics, drawn along a stroke.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tone {
    /// Level of the first partial; 0 dB is a full-scale sine.
    pub level_db: f64,
    /// How many partials, 1 to 128. Those at Nyquist and above are left out.
    pub harmonics: u32,
    /// Harmonic numbers from one partial to the next: partial `k` has number `h = 1 + (k - 1) spacing`.
    pub spacing: f64,
    /// Stretch `B` of stiff strings: partial `h` stands at `h sqrt((1 + B h^2) / (1 + B))` times the first.
    pub inharmonicity: f64,
    /// Decibels per octave above the first partial.
    pub slope_db: f64,
    /// In a stereo sound from the left, -1, to the right, 1: the side that it leaves grows quieter to silence. Elsewhere,
    /// and on mid and side, it does nothing.
    pub pan: f64,
}

impl Tone {
    /// The factors for the left and the right channel.
    pub fn gains(&self) -> [f64; 2] {
        [(1.0 - self.pan).min(1.0), (1.0 + self.pan).min(1.0)]
    }
}

/// A clip put down somewhere, added to what is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Paste {
    /// What is put down.
    pub clip: Clip,
    /// From where it was taken to where it goes: seconds (to the nearest sample), and units of `axis`.
    pub offset: [f64; 2],
    /// Linear moves all of it by the same hertz, log by the same interval.
    pub axis: Axis,
}

/// Gains of tones and of hits, told apart by how long and how wide they are.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HarmonicPercussive {
    /// Of what goes on in time, -120 to +24 dB.
    pub harmonic_db: f64,
    /// Of what goes across frequencies, -120 to +24 dB.
    pub percussive_db: f64,
    /// Over how long tones, and over how wide a band hits, must go on: seconds and hertz, above 0.
    pub reach: [f64; 2],
}

impl HarmonicPercussive {
    /// The default: 31 frames and 17 bins at 44.1 kHz with an FFT size of 2,048 and a quarter of it as hop.
    pub const REACH: [f64; 2] = [0.35, 350.0];
}

/// A brush with its parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Brush {
    /// Louder or quieter.
    Gain {
        /// -120 to +24.
        gain_db: f64,
    },
    /// To silence.
    Erase,
    /// Gaussian blur of the magnitude.
    Blur {
        /// Standard deviations in seconds and hertz.
        sigma: [f64; 2],
        /// Whether phases are made anew from the blurred magnitude instead of kept.
        rebuild_phase: bool,
    },
    /// Butterworth filter over frequency.
    BandFilter(Butterworth),
    /// Butterworth filter over the speed of change along time, frequency or both.
    ModulationFilter {
        /// Which axes; `Both` uses the two filters in the order time, frequency.
        along: Along,
        /// One filter, or two for `Both`.
        filters: Vec<Butterworth>,
        /// Whether phases are made anew from the filtered magnitude instead of kept.
        rebuild_phase: bool,
    },
    /// Moves sound in time and frequency.
    Warp {
        /// How.
        mode: WarpMode,
        /// Whether tones keep their frequency where time is stretched ([`peak_locking`](super::peak_locking)), instead
        /// of taking the phase of wherever they come from.
        peak_locking: bool,
    },
    /// Brings out what differs from its surroundings: `S + amount (S - G)`, never below 0.
    Sharpen {
        /// Standard deviations of the Gaussian `G` in seconds and hertz.
        sigma: [f64; 2],
        /// 0 to 16.
        amount: f64,
    },
    /// White noise, added where the brush acts.
    Noise {
        /// Its power mean as a spectrogram shows it; 0 dB is a full-scale sine.
        level_db: f64,
        /// Whose noise.
        seed: u64,
    },
    /// Sound from elsewhere in the plane.
    Clone {
        /// From a cell to its source: seconds, and units of the edit's axis.
        offset: [f64; 2],
    },
    /// A tone along the stroke, added.
    Tone(Tone),
    /// Drags sound along, dab by dab, like wet paint.
    Smudge,
    /// A clip from elsewhere, added. Takes no stroke.
    Paste(Paste),
    /// Silence added at the end of the sound: no brush of the hand, and the one edit that changes the length.
    Lengthen {
        /// How much, above 0.
        secs: f64,
    },
    /// Fills a hole from its surroundings.
    Heal(Heal),
    /// Pulls down a noise that was learnt.
    Denoise(Denoise),
    /// Louder or quieter, what is steady and what is brief each by itself.
    HarmonicPercussive(HarmonicPercussive),
    /// Makes phases anew from the magnitude, which stays. A phase is either kept or made anew, so it acts in full
    /// wherever it acts at all.
    RebuildPhase {
        /// Steps of Griffin-Lim after the integration, 0 to [`MOST_STEPS`](super::phase::MOST_STEPS).
        steps: u32,
    },
}

impl Brush {
    /// Whether it works on a grid of at least eight frames per window, since it moves sound through time.
    pub fn is_on_fine_grid(&self) -> bool {
        matches!(self, Brush::Warp { .. } | Brush::Smudge)
    }

    /// Whether it can act once per dab ([`Stroke::build_up`](super::Stroke::build_up)).
    pub fn builds_up(&self) -> bool {
        !matches!(
            self,
            Brush::Warp { .. }
                | Brush::Tone(_)
                | Brush::Smudge
                | Brush::RebuildPhase { .. }
                | Brush::Paste(_)
                | Brush::Lengthen { .. }
        )
    }

    /// Whether it takes no stroke.
    pub fn is_without_stroke(&self) -> bool {
        matches!(self, Brush::Paste(_) | Brush::Lengthen { .. })
    }

    /// Whether it makes sound where there is none.
    pub fn makes_sound(&self) -> bool {
        matches!(self, Brush::Noise { .. } | Brush::Clone { .. } | Brush::Tone(_) | Brush::Paste(_))
    }

    /// The steps after which it leaves phases made anew from magnitudes; none if it keeps or moves those there are.
    pub fn phase_steps(&self) -> Option<u32> {
        match self {
            Brush::RebuildPhase { steps } => Some(*steps),
            Brush::Blur { rebuild_phase: true, .. } | Brush::ModulationFilter { rebuild_phase: true, .. } => {
                Some(super::phase::DEFAULT_STEPS)
            }
            Brush::Heal(Heal::Attenuate(around)) if around.rebuild_phase => Some(super::phase::DEFAULT_STEPS),
            _ => None,
        }
    }

    /// The name of its kind in scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Brush::Gain { .. } => "gain",
            Brush::Erase => "erase",
            Brush::Blur { .. } => "blur",
            Brush::BandFilter(_) => "band_filter",
            Brush::ModulationFilter { .. } => "modulation_filter",
            Brush::Warp { .. } => "warp",
            Brush::Sharpen { .. } => "sharpen",
            Brush::Noise { .. } => "noise",
            Brush::Clone { .. } => "clone",
            Brush::Tone(_) => "tone",
            Brush::Smudge => "smudge",
            Brush::Paste(_) => "paste",
            Brush::Lengthen { .. } => "lengthen",
            Brush::Heal(_) => "heal",
            Brush::Denoise(_) => "denoise",
            Brush::HarmonicPercussive(_) => "harmonic_percussive",
            Brush::RebuildPhase { .. } => "rebuild_phase",
        }
    }
}
