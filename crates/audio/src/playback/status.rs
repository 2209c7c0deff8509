//! The state of a player, as the studio shows it.

use super::levels::Levels;
use crate::base::Error;

/// Playback status for the studio.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayerStatus {
    /// Whether sound is going out.
    pub playing: bool,
    /// Position of the playhead, in seconds of the document.
    pub position_secs: f64,
    /// Times the ring was found empty.
    pub underruns: u64,
    /// `48 kHz, 512 frames`, once a device is open.
    pub device: Option<String>,
    /// Whether sound has reached the device since playback failed last.
    pub has_sounded: bool,
    /// Why playback failed; cleared by the first query.
    pub fault: Option<Error>,
    /// Peak levels since the last query, before the monitor gain.
    pub levels: Levels,
}
