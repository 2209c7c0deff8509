//! The common interface of the resampling stages.

/// A stage of resampling. Its output does not depend on the sizes of requests.
pub(super) trait Stage: Send {
    /// Number of additional input samples per channel that are needed for the next `n` output samples.
    fn n_wanted(&self, n: usize) -> usize;

    /// Buffer to which the samples of a channel are appended.
    fn input(&mut self, channel: usize) -> &mut Vec<f32>;

    /// Passes the next `n` samples of each channel to `give`, with the channel's number; exactly the required input
    /// must have been appended before.
    fn run(&mut self, n: usize, give: &mut dyn FnMut(usize, &[f32]));

    /// Size of its coefficients in bytes.
    fn table_bytes(&self) -> usize;
}
