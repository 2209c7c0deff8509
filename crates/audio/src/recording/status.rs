//! The state of a recorder, and its results.

use super::format::InputFormat;
use crate::base::{Error, clock_from_secs, number};
use std::path::PathBuf;

/// Phase of a recorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CapturePhase {
    /// No device is open.
    #[default]
    Closed,
    /// A device is being opened.
    Opening,
    /// Levels are measured, nothing is recorded.
    Listening,
    /// Input is written to a file.
    Recording,
}

/// Recording status for display.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaptureStatus {
    /// Current phase.
    pub phase: CapturePhase,
    /// Format of the open device; `None` while no device is open.
    pub format: Option<InputFormat>,
    /// Frames in the file so far.
    pub n_frames: u64,
    /// Number of these frames that are silence in place of lost ones.
    pub n_lost: u64,
    /// Seconds of recording that the disk has room for; `None` if the system does not report it.
    pub left_secs: Option<f64>,
    /// The reason why the device could not be opened, or was closed, if any.
    pub fault: Option<Error>,
}

impl CaptureStatus {
    /// Whether input is being recorded.
    pub fn is_recording(&self) -> bool {
        self.phase == CapturePhase::Recording
    }

    /// Length of the file so far, in seconds.
    pub fn secs(&self) -> f64 {
        self.format.map_or(0.0, |format| self.n_frames as f64 / f64::from(format.rate_hz))
    }
}

/// A run of lost frames: the ring was full, or the system lost them before delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropout {
    /// Number of frames before the loss: in the ring, from the device, or in the file, as the source specifies.
    pub at: u64,
    /// Number of frames.
    pub n_frames: u64,
}

/// Input levels by channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputLevels {
    /// Peak magnitudes; 1 is full scale.
    pub peaks: Vec<f32>,
    /// Whether each channel reached full scale.
    pub clipped: Vec<bool>,
}

impl InputLevels {
    /// Merges in later levels.
    pub fn join(&mut self, other: &InputLevels) {
        let n_channels = self.peaks.len().max(other.peaks.len());
        self.peaks.resize(n_channels, 0.0);
        self.clipped.resize(n_channels, false);
        self.peaks.iter_mut().zip(&other.peaks).for_each(|(peak, other)| *peak = peak.max(*other));
        self.clipped.iter_mut().zip(&other.clipped).for_each(|(clipped, other)| *clipped |= other);
    }
}

/// Why a recording ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CaptureEnd {
    /// Stopped by the user, or at the maximum length.
    Stopped,
    /// The device was unplugged, or no longer responds.
    Lost(Error),
    /// The disk is full or failed.
    Disk(Error),
}

/// A recording that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// Path of the file.
    pub path: PathBuf,
    /// Format of the recorded device.
    pub format: InputFormat,
    /// Frames in the file, including the silence in place of lost ones.
    pub n_frames: u64,
    /// Frames lost because the ring was full, in order of their position in the file, where they are silence.
    pub dropouts: Vec<Dropout>,
    /// Frames lost before delivery, with their position in the file, where they are silence.
    pub gaps: Vec<Dropout>,
    /// Number of gaps reported by the system.
    pub n_reported: u64,
    /// Positions in the file, in frames, of the latest reported gaps, accurate to one callback.
    pub reported_at: Vec<u64>,
    /// The reason why the recording ended.
    pub end: CaptureEnd,
}

impl Captured {
    /// Notices for the user: one sentence each, without a full stop.
    pub fn notices(&self) -> Vec<String> {
        let n_lost = |dropouts: &[Dropout]| dropouts.iter().map(|dropout| dropout.n_frames).sum::<u64>();
        let mut notices = Vec::new();
        if !self.gaps.is_empty() {
            let (length, places) = (self.millis(n_lost(&self.gaps)), self.places(&self.gaps));
            notices.push(format!(
                "{length} of the input were lost by the sound system; they are silence {places}, and everything after \
                 them is in time"
            ));
        }
        if !self.dropouts.is_empty() {
            let (n_lost, places) = (n_lost(&self.dropouts), self.places(&self.dropouts));
            notices.push(format!(
                "{n_lost} samples were lost because the disk was too slow; they are silence {places}, and everything \
                 after them is in time"
            ));
        }
        // Reported gaps that were also measured are in `gaps`.
        let n_unknown = self.n_reported.saturating_sub(self.gaps.len() as u64);
        if n_unknown > 0 {
            let times = if n_unknown == 1 { "once".into() } else { format!("{n_unknown} times") };
            let places = self.unmeasured();
            let places = if places.is_empty() { String::new() } else { format!(", {}", at_each(places)) };
            notices.push(format!(
                "the sound system lost input {times}{places}; what follows may be early by what was lost"
            ));
        }
        match &self.end {
            CaptureEnd::Stopped => {}
            CaptureEnd::Lost(error) | CaptureEnd::Disk(error) => notices.push(error.message().to_owned()),
        }
        notices
    }

    /// The positions of losses in words; if there are several, each with its length.
    fn places(&self, dropouts: &[Dropout]) -> String {
        let place = |dropout: &Dropout| match dropouts.len() {
            1 => self.clock(dropout.at),
            _ => format!("{} ({})", self.clock(dropout.at), self.millis(dropout.n_frames)),
        };
        at_each(dropouts.iter().map(place).collect())
    }

    /// The positions of gaps that the system reported but that were not measured.
    fn unmeasured(&self) -> Vec<String> {
        let near = u64::from(self.format.rate_hz);
        let is_measured = |at: u64| {
            self.gaps.iter().any(|gap| (gap.at.saturating_sub(near)..=gap.at + gap.n_frames + near).contains(&at))
        };
        self.reported_at.iter().filter(|at| !is_measured(**at)).map(|at| self.clock(*at)).collect()
    }

    fn clock(&self, frame: u64) -> String {
        clock_from_secs(frame as f64 / f64::from(self.format.rate_hz))
    }

    fn millis(&self, n_frames: u64) -> String {
        let millis = n_frames as f64 / f64::from(self.format.rate_hz) * 1e3;
        format!("{} ms", number(millis, if millis < 10.0 { 1 } else { 0 }))
    }
}

/// Maximum number of positions listed in one notice.
const MAX_NAMED_PLACES: usize = 5;

/// Joins positions: `at 0:03.000`, `at 0:03.000 and 0:06.250`. Of many positions, only the first are listed.
fn at_each(mut places: Vec<String>) -> String {
    let n_more = places.len().saturating_sub(MAX_NAMED_PLACES);
    places.truncate(MAX_NAMED_PLACES);
    let last = match n_more {
        0 => places.pop().unwrap_or_default(),
        1 => "1 more place".into(),
        n => format!("{n} more places"),
    };
    match places.is_empty() {
        true => format!("at {last}"),
        false => format!("at {} and {last}", places.join(", ")),
    }
}
