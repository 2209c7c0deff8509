//! Ranges of values. The window's controls offer these ranges and acts are clamped to them, so that other drivers
//! cannot set values that the window would not allow.

/// Fractions: strength, hardness, opacity, sensitivity.
pub const PARTS: [f64; 2] = [0.0, 1.0];
/// Fraction of the canvas's height for the phase pane.
pub const PHASE_PARTS: [f64; 2] = [0.05, 0.95];
/// Width in points of the panels at a side of the window.
pub const PANEL_POINTS: [f64; 2] = [220.0, 640.0];
/// Width and height of the window, in points at a scale of 1.
pub const WINDOW_POINTS: [f64; 2] = [320.0, 16_384.0];
/// Levels at the ends of the colour map, in decibels.
pub const RANGE_DB: [f64; 2] = [-160.0, 24.0];
/// Minimum distance from the darkest to the brightest level, in decibels.
pub const MIN_RANGE_DB: f32 = 6.0;
/// Length of an empty canvas or of added silence, in seconds: up to a day.
pub const CANVAS_SECS: [f64; 2] = [0.001, 86_400.0];
/// Buffer size of the sound output, in frames per callback.
pub const BUFFER_FRAMES: [u32; 2] = [512, 1024];
/// Pitch shift of pasted sound in units of its axis, such as octaves. Does not apply to the linear axis.
pub const PASTE_UNITS: [f64; 2] = [-32.0, 32.0];

/// Pitch shift of a selection, in semitones.
pub const SEMITONES: [f64; 2] = crate::document::brushes::PitchShift::SEMITONES;
/// Length of a stretched selection, in percent.
pub const STRETCH_PERCENT: [f64; 2] = crate::document::STRETCH_PERCENT;
/// Padding of each exported range, in seconds.
pub const PAD_SECS: [f64; 2] = [0.0, crate::document::labels::PartChoice::MAX_PAD_SECS];
/// Fades of exported ranges, in milliseconds.
pub const FADE_MS: [f64; 2] = [0.0, crate::document::PartsOrder::MAX_FADE_MS];
/// Target pitch of a pasted sound, in hertz.
pub const PLACE_HZ: [f64; 2] = [1.0, 192_000.0];

/// A brush's radius in points.
pub const RADIUS_POINTS: [f64; 2] = [2.0, 400.0];
/// A brush's radius in seconds.
pub const RADIUS_SECS: [f64; 2] = [1e-4, 60.0];
/// A brush's radius in octaves.
pub const RADIUS_OCTAVES: [f64; 2] = [0.001, 10.0];
/// Level tolerance of the magic wand, in decibels.
pub const TOLERANCE_DB: [f64; 2] = [0.0, 120.0];
/// Number of selected harmonics.
pub const HARMONICS: [usize; 2] = [1, 512];
/// Bandwidth of each selected harmonic, in hertz.
pub const HARMONIC_HZ: [f64; 2] = [0.0, 5000.0];
/// Cutoffs of the band filter in hertz.
pub const BAND_HZ: [f64; 2] = [0.1, 96_000.0];
/// Cutoffs of the modulation filter, in hertz and in cycles per kilohertz.
pub const MODULATION: [f64; 2] = [0.001, 1000.0];
/// Order of the band filter and the modulation filter.
pub const ORDER: [u32; 2] = [1, 8];
/// Context that heal learns from on each side, in seconds.
pub const HEAL_SECS: [f64; 2] = [0.001, crate::dsp::repair::heal::Heal::MAX_CONTEXT_SECS];
/// Context that heal compares with on each side, in hertz.
pub const HEAL_HZ: [f64; 2] = [1.0, 20_000.0];
/// Search distance of pattern healing, in seconds.
pub const HEAL_REACH_SECS: [f64; 2] = [0.1, crate::dsp::repair::heal::Heal::MAX_REACH_SECS];

/// A number clamped to a range; `otherwise` if it is not finite.
pub fn held(value: f64, [min, max]: [f64; 2], otherwise: f64) -> f64 {
    if value.is_finite() { value.clamp(min, max) } else { otherwise }
}

/// [`held`] in single precision.
pub fn held_single(value: f32, limits: [f64; 2], otherwise: f32) -> f32 {
    held(f64::from(value), limits, f64::from(otherwise)) as f32
}

/// Two ascending numbers clamped to a range; `otherwise` if they are not finite or not ascending.
pub fn held_range(range: [f64; 2], limits: [f64; 2], otherwise: [f64; 2]) -> [f64; 2] {
    if !are_finite(&range) || range[0] >= range[1] {
        return otherwise;
    }
    let [low, high] = range.map(|value| value.clamp(limits[0], limits[1]));
    match low < high {
        true => [low, high],
        // Both were clamped to the same end.
        false if low > limits[0] => [high / 1.01, high],
        false => [low, low * 1.01],
    }
}

/// Whether all numbers are finite.
pub fn are_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}
