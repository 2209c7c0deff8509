//! Stream formats of output devices.

/// Format of an output stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputFormat {
    /// Frames per second.
    pub rate_hz: f64,
    /// Samples per frame.
    pub n_channels: usize,
    /// Frames per callback, if the device guarantees a fixed number.
    pub buffer_frames: Option<u32>,
}
