//! Playing the document: from the cursor, or the selection, once or in a loop.

use super::state::OpenDocument;
use crate::document::Snapshot;
use crate::playback::{AudioOutput, Player, PlayerStatus};

/// The player, and what it was told.
pub struct Transport {
    player: Player,
    loaded: Option<(u64, Snapshot)>,
    /// Whether playing starts again at its end.
    pub looping: bool,
    /// As of this frame.
    pub status: PlayerStatus,
}

impl Transport {
    /// Nothing loaded.
    pub fn new(output: Box<dyn AudioOutput>) -> Transport {
        Transport { player: Player::new(output), loaded: None, looping: false, status: PlayerStatus::default() }
    }

    /// Once per frame: gives the player what is shown, and asks how it fares.
    pub fn follow(&mut self, document: Option<&OpenDocument>) {
        match document {
            Some(document) => {
                let shown = document.shown();
                let is_loaded = |(id, snapshot): &(u64, Snapshot)| *id == document.id && snapshot.is_same(shown);
                if !self.loaded.as_ref().is_some_and(is_loaded) {
                    if self.loaded.as_ref().is_some_and(|(id, _)| *id != document.id) {
                        self.player.stop();
                    }
                    self.player.load(Some(shown));
                    self.loaded = Some((document.id, shown.clone()));
                }
            }
            None if self.loaded.is_some() => {
                self.player.stop();
                self.player.load(None);
                self.loaded = None;
            }
            None => {}
        }
        self.status = self.player.status();
    }

    /// Plays the selected range of time, else from the cursor to the end.
    pub fn play(&mut self, document: &OpenDocument) {
        self.follow(Some(document));
        let snapshot = document.shown();
        let n_samples = snapshot.n_samples();
        let sample = |secs: f64| ((secs * snapshot.sample_rate_hz()).round().max(0.0) as u64).min(n_samples);
        let (from, range) = match document.selected_secs() {
            Some([start, end]) if sample(start) < sample(end) => (sample(start), sample(start)..sample(end)),
            _ => {
                let cursor = sample(document.cursor_secs);
                (if cursor < n_samples { cursor } else { 0 }, 0..n_samples)
            }
        };
        self.player.play(from, range, self.looping);
        self.status = self.player.status();
    }

    /// Silence. Where the sound was, if it was playing.
    pub fn stop(&mut self) -> Option<f64> {
        let was_at = self.status.playing.then_some(self.status.position_secs);
        self.player.stop();
        self.status = self.player.status();
        was_at
    }

    /// Turns the loop on or off, also while playing.
    pub fn toggle_loop(&mut self) {
        self.looping = !self.looping;
        self.player.set_looping(self.looping);
    }

    /// Where the playhead is; none while nothing plays.
    pub fn playhead_secs(&self) -> Option<f64> {
        self.status.playing.then_some(self.status.position_secs)
    }
}
