//! The recordings of tests, as samples.

use super::studio::{clip, open, samples};

/// Samples per second, and the channels of a recording.
pub fn recording(name: &str) -> (f64, Vec<Vec<f32>>) {
    let sound = open(&clip(name));
    (sound.sample_rate_hz(), (0..sound.n_channels()).map(|channel| samples(&sound, channel)).collect())
}
