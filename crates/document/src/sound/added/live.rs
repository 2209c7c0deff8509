//! A brush's live sound during a stroke, before there is an edit.

use std::fmt::Debug;

/// A held position: the pen of a stroke, or a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldPoint {
    /// Identifies the pen or key; another number is another note.
    pub key: u64,
    /// Pitch in hertz.
    pub hz: f64,
    /// Pressure, 0 to 1.
    pub pressure: f64,
}

/// A sound that is played by hand. It begins at once, follows the held points, and fades after their release.
pub trait LiveSound: Debug + Send {
    /// Prepares it for rendering. Called once, before everything else.
    fn begin(&mut self, sample_rate_hz: f64, is_stereo: bool);

    /// Updates the held points from the next sample on: new keys begin, known ones move, missing ones end.
    fn follow(&mut self, held: &[HeldPoint]);

    /// Renders the next samples, as many as `left` has, on this thread without waiting for others. `right` has the same
    /// length, or is empty for mono.
    fn render(&mut self, left: &mut [f32], right: &mut [f32]);

    /// Whether all of it has faded.
    fn is_silent(&self) -> bool;
}
