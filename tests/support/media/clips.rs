//! The recordings of tests, as samples.

use base::Progress;
use media::Source;

/// Samples per second, and the channels of a recording.
pub fn recording(name: &str) -> (f64, Vec<Vec<f32>>) {
    let path = super::root().join("tests/clips").join(name);
    let source = Source::open(&path, &Progress::new()).unwrap().source;
    let read = |channel| {
        let mut samples = vec![0.0; source.info().n_samples as usize];
        source.read(channel, 0, &mut samples).unwrap();
        samples
    };
    (f64::from(source.info().sample_rate_hz), (0..source.info().n_channels).map(read).collect())
}
