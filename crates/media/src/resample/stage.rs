//! Common parts of the resampling steps.

/// A stage of resampling. Its output does not depend on the sizes of requests.
pub(super) trait Stage: Send {
    /// Samples of each channel that it needs for the next `n`.
    fn n_wanted(&self, n: usize) -> usize;

    /// Buffer to which the samples of a channel are appended.
    fn input(&mut self, channel: usize) -> &mut Vec<f32>;

    /// Passes the next `n` samples of each channel to `give` with its number; no more than the required input was
    /// appended before.
    fn run(&mut self, n: usize, give: &mut dyn FnMut(usize, &[f32]));

    /// Memory of its coefficients.
    fn table_bytes(&self) -> usize;
}
