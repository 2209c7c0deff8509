//! The state of a player for the studio.

use super::levels::Levels;
use crate::base::Error;

/// Playback status for the studio.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayerStatus {
    /// Whether sound is being output.
    pub playing: bool,
    /// Position of the playhead, in seconds of the document.
    pub position_secs: f64,
    /// Number of times that the ring ran empty.
    pub underruns: u64,
    /// `48 kHz, 512 frames`; `None` before a device is open.
    pub device: Option<String>,
    /// Whether sound has reached the device since playback last failed.
    pub has_sounded: bool,
    /// Reason that playback failed; cleared by the first query.
    pub fault: Option<Error>,
    /// Peak levels since the last query, before the monitor gain.
    pub levels: Levels,
}
