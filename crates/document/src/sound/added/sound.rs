//! A sound that a brush adds.

use crate::base::Result;
use crate::document::Signal;
use crate::engine::Engine;
use std::fmt::Debug;

/// Receives the first sample of each block, and its left and right channel.
pub type TakeRendered<'a> = dyn FnMut(u64, [&[f32]; 2]) -> Result<()> + 'a;

/// A sound that is rendered in order and added to the document.
pub trait AddedSound: Debug + Send + Sync {
    /// First sample in the document; it may lie before the start.
    fn first_sample(&self) -> i64;

    /// Length in samples.
    fn n_samples(&self) -> u64;

    /// Renders it block by block up to sample `until` of its own, in stereo, or as one channel and an empty one.
    /// Returns notices for the user, one sentence each.
    ///
    /// # Errors
    /// Errors of `take` and of the engine, and [`Script`](crate::base::ErrorKind::Script) for a sound that is too large
    /// to render.
    fn render(&self, engine: &Engine, is_stereo: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<Vec<String>>;

    /// The part of a rendered block that a signal gets: its side in stereo, the mean or half the difference of both for
    /// mid and side, and the only channel otherwise.
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
