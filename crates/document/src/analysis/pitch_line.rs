//! The pitch line of a sound, and its table.

use crate::base::{Error, Progress, Result, write_atomic};
use crate::dsp::pitch::pitch_line::{PitchNetwork, PitchPoint, PitchTracker, RATE_HZ, STEP_SAMPLES};
use crate::sound::mean_blocks::for_each_mean_block;
use crate::{Channels, Snapshot};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

/// SwiftF0, converted by `scripts/make_models.py`.
const WEIGHTS: &[u8] = include_bytes!("../../../../assets/models/swiftf0.bin");

/// The fundamental of a sound and its confidence, at equal steps from the first sample.
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

    /// The pitch line as a CSV table of seconds, hertz and confidence.
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
/// [`Script`](crate::base::ErrorKind::Script) for channels that do not exist;
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for a sample rate that cannot be bridged, or a damaged model;
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn find_pitch_line(snapshot: &Snapshot, channels: &Channels, progress: &Progress) -> Result<PitchLine> {
    let mut tracker = PitchTracker::new(network()?);
    for_each_mean_block(snapshot, channels, RATE_HZ, progress, |block| tracker.push(block))?;
    Ok(PitchLine { points: tracker.finish() })
}
