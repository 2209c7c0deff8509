//! The pitch line of a sound, and its table.

use super::{Channels, Signal, Snapshot};
use crate::base::{Error, Progress, Result, write_atomic};
use crate::dsp::pitch_line::{PitchNetwork, PitchPoint, PitchTracker, RATE_HZ, STEP_SAMPLES};
use crate::media::Resampled;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

/// SwiftF0, made by `scripts/make_models.py`.
const WEIGHTS: &[u8] = include_bytes!("../../../assets/models/swiftf0.bin");
/// Samples at the network's rate read at a time.
const BLOCK_SAMPLES: u64 = 1 << 16;

/// The fundamental of a sound and its confidence, at equal steps from the first sample on.
#[derive(Debug, Clone, PartialEq)]
pub struct PitchLine {
    points: Vec<PitchPoint>,
}

impl PitchLine {
    /// Seconds between points; the first is at 0.
    pub const STEP_SECS: f64 = STEP_SAMPLES as f64 / RATE_HZ;

    /// The points, in order.
    pub fn points(&self) -> &[PitchPoint] {
        &self.points
    }

    /// A table of seconds, hertz and confidence, as CSV.
    pub fn csv(&self) -> String {
        let mut text = String::from("seconds,hertz,confidence\n");
        for (at, point) in self.points.iter().enumerate() {
            let secs = at as f64 * PitchLine::STEP_SECS;
            // Writing to a text cannot fail.
            _ = writeln!(text, "{secs:.3},{:.3},{:.4}", point.hz, point.confidence);
        }
        text
    }

    /// Writes the table.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.csv();
        write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
    }
}

/// The network, loaded on first use.
fn network() -> Result<&'static PitchNetwork> {
    static NETWORK: OnceLock<Result<PitchNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| PitchNetwork::read(WEIGHTS)).as_ref().map_err(Clone::clone)
}

/// Finds the pitch line of the mean of some channels.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for channels that are not there;
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for a sample rate that cannot be bridged, or a damaged model;
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and the source's.
pub fn find_pitch_line(snapshot: &Snapshot, channels: &Channels, progress: &Progress) -> Result<PitchLine> {
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let (network, rate_hz) = (network()?, snapshot.sample_rate_hz());
    let n_samples = (snapshot.n_samples() as f64 * RATE_HZ / rate_hz).round() as u64;
    let mut resampled = Resampled::new(rate_hz, RATE_HZ, 1)?;
    let scale = 1.0 / signals.len().max(1) as f32;
    let mut first = 0i64;
    let mut read = |n: usize| {
        let mut mean = vec![0.0; n];
        let mut samples = vec![0.0; n];
        for signal in &signals {
            signal.read(snapshot, first, &mut samples)?;
            mean.iter_mut().zip(&samples).for_each(|(mean, sample)| *mean += scale * sample);
        }
        first += n as i64;
        Ok(vec![mean])
    };
    let mut tracker = PitchTracker::new(network);
    for start in (0..n_samples).step_by(BLOCK_SAMPLES as usize) {
        progress.step(start, n_samples)?;
        let n = BLOCK_SAMPLES.min(n_samples - start) as usize;
        for channel in resampled.next(n, &mut read)? {
            tracker.push(&channel);
        }
    }
    Ok(PitchLine { points: tracker.finish() })
}
