//! The pitch line of a sound, and its CSV table.

use crate::base::{Error, Progress, Result, write_atomic};
use crate::dsp::pitch::pitch_line::{PitchNetwork, PitchPoint, PitchTracker, RATE_HZ, STEP_SAMPLES, VOICED};
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

    /// Maximum distance of neighbouring pitches in one note, in octaves.
    pub const MAX_STEP_OCTAVES: f64 = 0.5;

    /// The points, in order.
    pub fn points(&self) -> &[PitchPoint] {
        &self.points
    }

    /// The pitch at a time, in hertz: interpolated on a logarithmic scale between two points of a note, otherwise that
    /// of the nearest point; `None` where the sound has no pitch.
    pub fn hz_at(&self, secs: f64) -> Option<f64> {
        let place = secs / PitchLine::STEP_SECS;
        let voiced = |at: f64| self.voiced_hz(at as usize).filter(|_| at >= 0.0);
        let (before, part) = (place.floor(), place - place.floor());
        match [before, before + 1.0].map(voiced) {
            [Some(from), Some(to)] if is_one_note(from, to) => Some(from * (to / from).powf(part)),
            [from, to] => {
                if part < 0.5 {
                    from
                } else {
                    to
                }
            }
        }
    }

    /// The points between two times, both excluded, as seconds and hertz in the order from the first time to the
    /// second; without those that have no pitch.
    pub fn between(&self, from_secs: f64, to_secs: f64) -> Vec<[f64; 2]> {
        let [first, last] = [from_secs.min(to_secs), from_secs.max(to_secs)].map(|secs| secs / PitchLine::STEP_SECS);
        let (start, end) = ((first.floor() + 1.0).max(0.0) as usize, last.ceil().max(0.0) as usize);
        let point = |at: usize| Some([at as f64 * PitchLine::STEP_SECS, self.voiced_hz(at)?]);
        let mut found: Vec<[f64; 2]> = (start..end.min(self.points.len())).filter_map(point).collect();
        if to_secs < from_secs {
            found.reverse();
        }
        found
    }

    /// Start and end, in seconds, of the note at a time: the run of voiced points around it without a step above
    /// [`MAX_STEP_OCTAVES`](PitchLine::MAX_STEP_OCTAVES). `None` where the sound has no pitch.
    pub fn note_secs(&self, secs: f64) -> Option<[f64; 2]> {
        let home = (secs / PitchLine::STEP_SECS).round().max(0.0) as usize;
        self.voiced_hz(home)?;
        let goes_on = |a: usize, b: usize| {
            let pair = self.voiced_hz(a).zip(self.voiced_hz(b));
            pair.is_some_and(|(from, to)| is_one_note(from, to))
        };
        let first = (1..=home).rev().take_while(|at| goes_on(at - 1, *at)).last().map_or(home, |at| at - 1);
        let last = (home..).take_while(|at| goes_on(*at, at + 1)).last().map_or(home, |at| at + 1);
        Some([first, last].map(|at| at as f64 * PitchLine::STEP_SECS))
    }

    fn voiced_hz(&self, at: usize) -> Option<f64> {
        self.points.get(at).filter(|point| point.confidence >= VOICED).map(|point| point.hz)
    }

    /// The pitch line as a CSV table of seconds, hertz and confidence.
    pub fn csv(&self) -> String {
        let mut text = String::from("seconds,hertz,confidence\n");
        for (at, point) in self.points.iter().enumerate() {
            let secs = at as f64 * PitchLine::STEP_SECS;
            // Writing to a string cannot fail.
            _ = writeln!(text, "{secs:.3},{:.3},{:.4}", point.hz, point.confidence);
        }
        text
    }

    /// Writes the pitch line to a CSV file.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.csv();
        write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
    }
}

/// Whether neighbouring pitches belong to one note.
fn is_one_note(from_hz: f64, to_hz: f64) -> bool {
    (to_hz / from_hz).log2().abs() <= PitchLine::MAX_STEP_OCTAVES
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
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for a sample rate that cannot be converted, or a damaged model;
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn find_pitch_line(snapshot: &Snapshot, channels: &Channels, progress: &Progress) -> Result<PitchLine> {
    let mut tracker = PitchTracker::new(network()?);
    for_each_mean_block(snapshot, channels, RATE_HZ, progress, |block| tracker.push(block))?;
    Ok(PitchLine { points: tracker.finish() })
}
