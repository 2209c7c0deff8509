//! What the steps of resampling have in common.

/// A stage of resampling. Its output does not depend on the sizes of requests.
pub(super) trait Stage: Send {
    /// Samples of each channel that it needs for the next `n`.
    fn n_wanted(&self, n: usize) -> usize;

    /// Where the samples of a channel are appended.
    fn input(&mut self, channel: usize) -> &mut Vec<f32>;

    /// Gives the next `n` of each channel, which is given by its number; no more than what they want was appended
    /// before.
    fn run(&mut self, n: usize, give: &mut dyn FnMut(usize, &[f32]));

    /// Memory of its coefficients.
    fn table_bytes(&self) -> usize;
}
