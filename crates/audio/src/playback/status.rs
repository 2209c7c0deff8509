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
    /// Number of callbacks for which expected frames were missing.
    pub underruns: u64,
    /// For display: `48 kHz, 512 frames`; `None` until a device has been opened.
    pub device: Option<String>,
    /// Whether sound has reached the device since playback last failed.
    pub has_sounded: bool,
    /// The reason why playback failed, which is returned once.
    pub fault: Option<Error>,
    /// Peak levels since the last query, before the monitor gain.
    pub levels: Levels,
}
