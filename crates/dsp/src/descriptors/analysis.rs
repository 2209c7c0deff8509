//! Frame sizes and silence threshold shared by all frame-by-frame measurements.

/// Sample rate at which sounds are analysed.
pub const RATE_HZ: u32 = 44_100;
/// Frame size in samples.
pub const FRAME_SAMPLES: usize = 2_048;
/// Samples between frames.
pub const STEP_SAMPLES: usize = 512;
/// Number of bins of a frame's spectrum.
pub const N_BINS: usize = FRAME_SAMPLES / 2 + 1;
/// RMS, without a window, below which a frame is silent.
const SILENT_RMS: f64 = 1e-3;

/// A frame to measure.
#[derive(Debug, Clone, Copy)]
pub struct FrameReading<'a> {
    /// `|X|^2` by bin.
    pub power: &'a [f64],
    /// `|X|` by bin.
    pub magnitude: &'a [f64],
    /// Whether the frame is loud enough to count.
    pub is_loud: bool,
}

impl FrameReading<'_> {
    /// Whether a frame with these samples counts.
    pub fn is_loud(samples: &[f32]) -> bool {
        let squares: f64 = samples.iter().map(|&sample| f64::from(sample) * f64::from(sample)).sum();
        (squares / samples.len() as f64).sqrt() >= SILENT_RMS
    }
}

/// The frequency of a bin.
pub(super) fn hz_from_bin(bin: usize) -> f64 {
    bin as f64 * f64::from(RATE_HZ) / FRAME_SAMPLES as f64
}

/// The values of the loud frames, or of all frames if none is loud.
pub(super) fn counted(values: &[f64], is_loud: &[bool]) -> Vec<f64> {
    let loud: Vec<f64> = values.iter().zip(is_loud).filter(|&(_, is_loud)| *is_loud).map(|(&value, _)| value).collect();
    if is_loud.contains(&true) { loud } else { values.to_vec() }
}
