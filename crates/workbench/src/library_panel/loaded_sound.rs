//! Sounds that were read from the library.

use crate::document::Snapshot;
use crate::dsp::Clip;

/// A sound to play.
#[derive(Debug, Clone)]
pub struct PreviewedSound {
    /// Its samples.
    pub snapshot: Snapshot,
    /// Playback gain, which matches loudness without clipping if requested.
    pub gain_db: f64,
}

/// Position at which to paste a library sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PasteAt {
    /// Id of the document.
    pub document: u64,
    /// Start in seconds.
    pub secs: f64,
    /// Target pitch in hertz; `None`: unchanged.
    pub hz: Option<f64>,
}

/// A library sound to be pasted.
#[derive(Debug, Clone)]
pub struct PastedSound {
    /// Its samples, from 0 s on.
    pub clip: Clip,
    /// Its fundamental frequency, if it has a pitch.
    pub own_hz: Option<f64>,
}
