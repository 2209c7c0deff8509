//! Data passed between layers.

use rayon::prelude::*;

/// Frames computed per task of a layer.
const FRAMES_PER_TASK: usize = 32;

/// An array `[frames, bands, channels]`, in which channels vary fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerFrames {
    n_bands: usize,
    n_channels: usize,
    values: Vec<f32>,
}

impl LayerFrames {
    /// Frames of `n_bands` and `n_channels`, both above 0. `values` are whole frames.
    pub fn new([n_bands, n_channels]: [usize; 2], values: Vec<f32>) -> LayerFrames {
        debug_assert!(values.len().is_multiple_of(n_bands * n_channels));
        LayerFrames { n_bands, n_channels, values }
    }

    /// Frames of zeros.
    pub fn zeros(n_frames: usize, [n_bands, n_channels]: [usize; 2]) -> LayerFrames {
        LayerFrames { n_bands, n_channels, values: vec![0.0; n_frames * n_bands * n_channels] }
    }

    /// Number of bands per frame.
    pub fn n_bands(&self) -> usize {
        self.n_bands
    }

    /// Number of channels per band.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Number of values per frame.
    pub fn frame_len(&self) -> usize {
        self.n_bands * self.n_channels
    }

    /// Number of frames.
    pub fn n_frames(&self) -> usize {
        self.values.len() / self.frame_len()
    }

    /// All values.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The values of a frame.
    pub fn frame(&self, frame: usize) -> &[f32] {
        &self.values[frame * self.frame_len()..][..self.frame_len()]
    }

    /// The same values, divided into other bands and channels.
    #[must_use]
    pub fn shaped(self, [n_bands, n_channels]: [usize; 2]) -> LayerFrames {
        debug_assert!(n_bands * n_channels == self.frame_len());
        LayerFrames { n_bands, n_channels, values: self.values }
    }

    /// Adds other frames elementwise.
    #[must_use]
    pub fn plus(mut self, other: &LayerFrames) -> LayerFrames {
        self.values.iter_mut().zip(&other.values).for_each(|(value, other)| *value += other);
        self
    }

    /// Prepends the frames `before`, then stores the same number of frames from the end of the result in `before`, as
    /// context for the next block.
    #[must_use]
    pub fn behind(&self, before: &mut LayerFrames) -> LayerFrames {
        let mut values = std::mem::take(&mut before.values);
        let n_kept = values.len();
        values.extend_from_slice(&self.values);
        before.values = values[values.len() - n_kept..].to_vec();
        LayerFrames { values, ..*self }
    }

    /// Pads with `n_frames` frames of zeros at each end.
    #[must_use]
    pub fn padded(&self, n_frames: usize) -> LayerFrames {
        let n = n_frames * self.frame_len();
        let mut values = vec![0.0; self.values.len() + 2 * n];
        values[n..n + self.values.len()].copy_from_slice(&self.values);
        LayerFrames { values, ..*self }
    }

    /// The lowest `n_bands` bands of all frames.
    #[must_use]
    pub fn lowest(&self, n_bands: usize) -> LayerFrames {
        let n = n_bands * self.n_channels;
        let values = self.values.chunks_exact(self.frame_len()).flat_map(|frame| &frame[..n]).copied().collect();
        LayerFrames { n_bands, values, ..*self }
    }

    /// Appends the channels of other frames with the same bands.
    #[must_use]
    pub fn beside(&self, other: &LayerFrames) -> LayerFrames {
        debug_assert!(self.n_bands == other.n_bands && self.n_frames() == other.n_frames());
        let n_channels = self.n_channels + other.n_channels;
        let mut values = Vec::with_capacity(self.values.len() + other.values.len());
        for (own, others) in self.values.chunks_exact(self.n_channels).zip(other.values.chunks_exact(other.n_channels))
        {
            values.extend_from_slice(own);
            values.extend_from_slice(others);
        }
        LayerFrames { n_channels, values, ..*self }
    }

    /// Computes frames in parallel; `make` fills a block of frames, given the index of its first frame.
    pub(super) fn made(
        n_frames: usize,
        shape: [usize; 2],
        make: impl Fn(usize, &mut [f32]) + Sync + Send,
    ) -> LayerFrames {
        let mut made = LayerFrames::zeros(n_frames, shape);
        let per_task = FRAMES_PER_TASK * made.frame_len();
        made.values
            .par_chunks_mut(per_task)
            .enumerate()
            .for_each(|(task, values)| make(task * FRAMES_PER_TASK, values));
        made
    }
}
