//! Parameters of brushes that are used in signal processing: filters, tones, clips, gains of parts.

use crate::{Axis, Clip, Selection};

/// The frequencies that a band filter passes.
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
    /// The frequencies passed.
    pub pass: Pass,
    /// One or two cutoffs, ascending, above 0.
    pub cutoff: Vec<f64>,
    /// Order, 1 to 8.
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

/// The axes of the magnitude patch along which a modulation filter runs.
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

/// How a warp moves sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarpMode {
    /// Everything under the mask moves by `shift`.
    Grab {
        /// Shift in seconds and units of the edit's axis.
        shift: [f64; 2],
    },
    /// Sound under the pointer moves with it.
    Push,
}

/// A tone with harmonics, drawn along a stroke.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tone {
    /// Level of the first partial; 0 dB is a full-scale sine.
    pub level_db: f64,
    /// Number of partials, 1 to 128. Those at Nyquist and above are left out.
    pub harmonics: u32,
    /// Difference in harmonic number between successive partials: partial `k` has number `h = 1 + (k - 1) spacing`.
    pub spacing: f64,
    /// Stretch `B` of stiff strings: partial `h` is at `h sqrt((1 + B h^2) / (1 + B))` times the first.
    pub inharmonicity: f64,
    /// Decibels per octave above the first partial.
    pub slope_db: f64,
    /// Pan in a stereo file, from -1 (left) to 1 (right): attenuates the opposite channel, down to silence. Has no
    /// effect in files that are not stereo, nor on the mid and side signals.
    pub pan: f64,
    /// Length of the fades at both ends, in seconds, up to [`MAX_FADE_SECS`](Tone::MAX_FADE_SECS): the tone sounds
    /// from the stroke's first time to its last. With 0 it fades out within a radius beyond both ends, in frames of the
    /// transform.
    #[serde(default = "Tone::usual_fade_secs")]
    pub fade_secs: f64,
}

impl Tone {
    /// Maximum length of the fades, in seconds.
    pub const MAX_FADE_SECS: f64 = 0.01;

    /// The fade of tones drawn by hand, in seconds.
    pub fn usual_fade_secs() -> f64 {
        0.005
    }

    /// The factors for the left and the right channel.
    pub fn gains(&self) -> [f64; 2] {
        [(1.0 - self.pan).min(1.0), (1.0 + self.pan).min(1.0)]
    }
}

/// A clip pasted at a position, added to the sound or replacing it.
#[derive(Debug, Clone, PartialEq)]
pub struct Paste {
    /// The pasted clip.
    pub clip: Clip,
    /// Offset from its origin: seconds (to the nearest sample), and units of `axis`.
    pub offset: [f64; 2],
    /// On a linear axis everything moves by the same hertz, on a log axis by the same interval.
    pub axis: Axis,
    /// Whether it replaces the sound rather than being added.
    pub replaces: bool,
    /// Origin of a clip of stretched sound.
    pub stretch: Option<StretchedFrom>,
}

/// Origin of stretched sound.
#[derive(Debug, Clone, PartialEq)]
pub struct StretchedFrom {
    /// Length in percent of the original.
    pub percent: f64,
    /// The original, which is erased before the result is placed; `None` if it is kept.
    pub clears: Option<Selection>,
}

/// Separate gains for tonal and percussive sound, distinguished by their extent in time and frequency.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HarmonicPercussive {
    /// Gain of tonal sound, continuous in time, -120 to +24 dB.
    pub harmonic_db: f64,
    /// Gain of percussive sound, continuous in frequency, -120 to +24 dB.
    pub percussive_db: f64,
    /// Length of median filters along time and frequency: seconds and hertz, above 0.
    pub reach: [f64; 2],
}

impl HarmonicPercussive {
    /// The default of scripts: about 31 frames and 17 bins at 44.1 kHz with an FFT size of 2,048 and a quarter of it as
    /// hop.
    pub const REACH: [f64; 2] = [0.35, 350.0];

    /// The default of the user interface; with a longer reach, fast notes would count as percussive.
    pub const STUDIO_REACH: [f64; 2] = [0.5, 350.0];
}
