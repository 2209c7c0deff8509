//! What a recorder tells.

use super::format::InputFormat;
use crate::base::Error;
use std::path::PathBuf;

/// What a recorder does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CapturePhase {
    /// No device is open.
    #[default]
    Closed,
    /// A device is being opened.
    Opening,
    /// Levels are measured, nothing is kept.
    Listening,
    /// What comes in is written.
    Recording,
}

/// What to show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaptureStatus {
    /// What it does.
    pub phase: CapturePhase,
    /// Of the open device.
    pub format: Option<InputFormat>,
    /// Frames in the file so far.
    pub n_frames: u64,
    /// Frames of them that were lost and are silence.
    pub n_lost: u64,
    /// For how many seconds more there is room on the disk; none: the system does not tell.
    pub left_secs: Option<f64>,
    /// Why the device could not be opened, or was closed.
    pub fault: Option<Error>,
}

impl CaptureStatus {
    /// Whether what comes in is written, or is about to be.
    pub fn is_recording(&self) -> bool {
        self.phase == CapturePhase::Recording
    }

    /// Length of the file so far.
    pub fn secs(&self) -> f64 {
        self.format.map_or(0.0, |format| self.n_frames as f64 / f64::from(format.rate_hz))
    }
}

/// Frames that were lost: because nobody had emptied the ring, or before they reached us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropout {
    /// The frame before which they are missing.
    pub at: u64,
    /// How many.
    pub n_frames: u64,
}

/// How loud the input was, channel by channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputLevels {
    /// Peak magnitudes; 1 is full scale.
    pub peaks: Vec<f32>,
    /// Whether a sample reached full scale.
    pub clipped: Vec<bool>,
}

impl InputLevels {
    /// Adds what came later.
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
    /// It was stopped.
    Stopped,
    /// The device is gone, or answers no more.
    Lost(Error),
    /// The disk took no more.
    Disk(Error),
}

/// A recording that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// The file.
    pub path: PathBuf,
    /// Of the device that it was recorded from.
    pub format: InputFormat,
    /// Frames in it, silence in the place of lost ones among them.
    pub n_frames: u64,
    /// Frames that were lost and are silence: places in the file.
    pub dropouts: Vec<Dropout>,
    /// Frames that never reached us, and are silence: places in the file.
    pub gaps: Vec<Dropout>,
    /// Gaps that the system reported.
    pub n_reported: u64,
    /// Why it ended.
    pub end: CaptureEnd,
}

impl Captured {
    /// What else is to be said of it: a sentence each, without a full stop.
    pub fn notices(&self) -> Vec<String> {
        let rate_hz = f64::from(self.format.rate_hz);
        let n_lost = |dropouts: &[Dropout]| dropouts.iter().map(|dropout| dropout.n_frames).sum::<u64>();
        let places = |dropouts: &[Dropout]| {
            let first = dropouts.first().map(|first| crate::base::clock_from_secs(first.at as f64 / rate_hz))?;
            Some(match dropouts.len() {
                1 => format!("at {first}"),
                n => format!("in {n} places, the first at {first}"),
            })
        };
        let mut notices = Vec::new();
        if let Some(places) = places(&self.gaps) {
            let millis = (n_lost(&self.gaps) as f64 / rate_hz * 1e3).round();
            notices.push(format!(
                "{millis} ms of the input were lost by the sound system; they are silence {places}, and everything after \
                 them is in time"
            ));
        }
        if let Some(places) = places(&self.dropouts) {
            let n_lost = n_lost(&self.dropouts);
            notices.push(format!(
                "{n_lost} samples were lost because the disk was too slow; they are silence {places}, and everything \
                 after them is in time"
            ));
        }
        // Those that were measured are told already.
        let n_unknown = self.n_reported.saturating_sub(self.gaps.len() as u64);
        if n_unknown > 0 {
            let times = if n_unknown == 1 { "once".into() } else { format!("{n_unknown} times") };
            notices.push(format!("the sound system lost input {times}; what follows may be early by what was lost"));
        }
        match &self.end {
            CaptureEnd::Stopped => {}
            CaptureEnd::Lost(error) | CaptureEnd::Disk(error) => notices.push(error.message().to_owned()),
        }
        notices
    }
}
