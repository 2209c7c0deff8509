//! A sound that a brush adds.

use crate::base::Result;
use crate::document::Signal;
use crate::engine::Engine;
use std::fmt::Debug;

/// Receives each rendered block: the position of its first sample in the sound, and its left and right channel.
pub type TakeRendered<'a> = dyn FnMut(u64, [&[f32]; 2]) -> Result<()> + 'a;

/// A sound that is rendered in order and added to the document.
pub trait AddedSound: Debug + Send + Sync {
    /// Position of its first sample in the document; negative if it lies before the document's start.
    fn first_sample(&self) -> i64;

    /// Length in samples.
    fn n_samples(&self) -> u64;

    /// Renders its samples before `until` block by block: in stereo, or, if not `is_stereo`, into the left channel with
    /// an empty right one. Returns notices for the user, one sentence each.
    ///
    /// # Errors
    /// Errors of `take` and of the engine, and [`Script`](crate::base::ErrorKind::Script) for a sound that is too large
    /// to render.
    fn render(&self, engine: &Engine, is_stereo: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<Vec<String>>;

    /// The samples of a rendered block for a signal: in stereo the left or right channel, for mid and side the mean and
    /// half the difference of both, and in mono the only channel.
    fn part(&self, signal: Signal, [left, right]: [&[f32]; 2]) -> Vec<f32> {
        let halves = |sign: f32| left.iter().zip(right).map(|(left, right)| (left + sign * right) * 0.5).collect();
        match signal {
            Signal::Channel(1) if !right.is_empty() => right.to_vec(),
            Signal::Channel(_) => left.to_vec(),
            Signal::Mid => halves(1.0),
            Signal::Side => halves(-1.0),
        }
    }
}
