//! Contents and choices of the recording card.

use super::meters::InputMeters;
use crate::base::Settings;
use crate::recording::{CaptureStatus, InputRequest};

/// Number of channels to record, starting with the input's first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordedChannels {
    /// The first channel.
    Mono,
    /// The first two channels.
    Stereo,
    /// All channels of the input.
    #[default]
    All,
}

impl RecordedChannels {
    /// In the order of the menu.
    pub const ALL: [RecordedChannels; 3] = [RecordedChannels::Mono, RecordedChannels::Stereo, RecordedChannels::All];

    /// Name for display.
    pub fn label(self) -> &'static str {
        match self {
            RecordedChannels::Mono => "Mono",
            RecordedChannels::Stereo => "Stereo",
            RecordedChannels::All => "All",
        }
    }

    fn number(self) -> Option<u32> {
        match self {
            RecordedChannels::Mono => Some(1),
            RecordedChannels::Stereo => Some(2),
            RecordedChannels::All => None,
        }
    }

    fn of_number(number: Option<u32>) -> RecordedChannels {
        RecordedChannels::ALL.into_iter().find(|channels| channels.number() == number).unwrap_or_default()
    }
}

/// Settings of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordOptions {
    /// Names of the available inputs.
    pub devices: Vec<String>,
    /// The chosen input; `None`: the system's default.
    pub device: Option<String>,
    /// The channels to record.
    pub channels: RecordedChannels,
    /// Frames per second; `None`: the input's own.
    pub rate_hz: Option<u32>,
}

impl RecordOptions {
    pub(super) fn input(&self) -> InputRequest {
        let n_channels = self.channels.number().map(|number| number as usize);
        InputRequest { device: self.device.clone(), rate_hz: self.rate_hz, n_channels }
    }

    /// The choice stored in the settings.
    pub(super) fn remembered(settings: &Settings) -> RecordOptions {
        RecordOptions {
            devices: Vec::new(),
            device: settings.audio_input.clone(),
            channels: RecordedChannels::of_number(settings.audio_input_channels),
            rate_hz: settings.audio_input_rate_hz,
        }
    }

    /// Stores the choice in the settings.
    pub(super) fn remember(self, settings: &mut Settings) {
        settings.audio_input = self.device;
        settings.audio_input_channels = self.channels.number();
        settings.audio_input_rate_hz = self.rate_hz;
    }
}

/// A choice on the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAnswer {
    /// Select another input, number of channels or sample rate.
    Choose(RecordOptions),
    /// Start recording.
    Start,
    /// Stop, and open the recording.
    Stop,
    /// Stop and open the recording, then quit after asking whether to keep it.
    StopAndQuit,
    /// Clear the clip lights.
    ClearClips,
    /// Close the card. A recording continues.
    PutAway,
}

/// The displayed state of a recording.
#[derive(Debug, Clone, Copy)]
pub struct RecordingShown<'a> {
    /// Status of the recorder.
    pub status: &'a CaptureStatus,
    /// Levels of the input.
    pub meters: &'a InputMeters,
    /// Whether a recording is running or about to start.
    pub is_recording: bool,
}
