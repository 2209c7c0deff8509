//! What a brush states about a sound that it adds.

use crate::base::Result;
use crate::engine::Engine;
use std::fmt::Debug;

/// Gets the first sample of each block, and its left and right channel.
pub type TakeRendered<'a> = dyn FnMut(u64, [&[f32]; 2]) -> Result<()> + 'a;

/// A sound that is rendered in order and added to what is there.
pub trait AddedSound: Debug + Send + Sync {
    /// Where it begins in the document, in samples; it may lie before the document.
    fn first_sample(&self) -> i64;

    /// Its length in samples.
    fn n_samples(&self) -> u64;

    /// Renders it block by block up to sample `until` of its own, in stereo, or one channel and an empty one.
    ///
    /// # Errors
    /// Those of `take` and of the engine, and [`Script`](crate::base::ErrorKind::Script) for more than can be rendered.
    fn render(&self, engine: &Engine, is_stereo: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<RenderedBy>;
}

/// How a sound was rendered.
#[derive(Debug)]
pub struct RenderedBy {
    /// `gpu` or `cpu`.
    pub engine: &'static str,
    /// One sentence each.
    pub notices: Vec<String>,
}
