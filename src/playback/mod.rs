//! Sound out: the audio callback, the feeder that keeps its ring full, the thread that owns the device.

use crate::base::Error;
use crate::document::Snapshot;
use std::ops::Range;

/// Where sound goes: the system's audio, or a recording in tests.
pub trait AudioOutput: Send {}

/// What the studio shows of playback.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayerStatus {
    /// Whether sound is going out.
    pub playing: bool,
    /// What is heard now, in seconds of the document.
    pub position_secs: f64,
    /// Times the ring was found empty.
    pub underruns: u64,
    /// `48 kHz, 512 frames`, once a device is open.
    pub device: Option<String>,
    /// Why nothing is heard; taken by the first who asks.
    pub fault: Option<Error>,
}

/// Plays snapshots. Never blocks its caller.
#[derive(Debug)]
pub struct Player {}

impl Player {
    /// A player on an output; the device is opened at the first play.
    pub fn new(output: Box<dyn AudioOutput>) -> Player {
        let _ = output;
        unimplemented!()
    }

    /// What is heard from now on, also in mid-play: crossfades over 5 to 8 ms. None unloads.
    pub fn load(&self, snapshot: Option<&Snapshot>) {
        let _ = snapshot;
        unimplemented!()
    }

    /// Plays from `from` to the end of `range` (both in samples of the document); in a loop, again from its start.
    pub fn play(&self, from: u64, range: Range<u64>, looping: bool) {
        let _ = (from, range, looping);
        unimplemented!()
    }

    /// Turns looping on or off while playing.
    pub fn set_looping(&self, looping: bool) {
        let _ = looping;
        unimplemented!()
    }

    /// Silence, after a short fade.
    pub fn stop(&self) {
        unimplemented!()
    }

    /// What to show.
    pub fn status(&self) -> PlayerStatus {
        unimplemented!()
    }
}
