//! What a brush states about how it sounds while a hand holds it, before there is an edit.

use std::fmt::Debug;

/// A place that is held: the pen of a stroke, or a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldPoint {
    /// Which pen or key; another number is another note.
    pub key: u64,
    /// The pitch.
    pub hz: f64,
    /// 0 to 1.
    pub pressure: f64,
}

/// A sound that is played by hand. It begins at once, follows what is held, and fades once that is let go.
pub trait LiveSound: Debug + Send {
    /// Makes it ready to be rendered. Called once, before everything else.
    fn begin(&mut self, sample_rate_hz: f64, is_stereo: bool);

    /// Takes over what is held from the next sample on: keys that are new begin, known ones move, missing ones end.
    fn follow(&mut self, held: &[HeldPoint]);

    /// Renders the next samples on this thread, and waits for no other: as many as `left` has. `right` has the same
    /// length, or is empty for mono.
    fn render(&mut self, left: &mut [f32], right: &mut [f32]);

    /// Whether all of it has faded.
    fn is_silent(&self) -> bool;
}
