//! The requested format of an input, and its actual one.

/// The requested device and format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputWish {
    /// Part of the device's name; none: the system's default.
    pub device: Option<String>,
    /// Frames per second; none: the device's own.
    pub rate_hz: Option<u32>,
    /// Record the first `n_channels` of the device; none: all.
    pub n_channels: Option<usize>,
}

/// The actual format of an open input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputFormat {
    /// Frames per second.
    pub rate_hz: u32,
    /// Samples per frame of the device.
    pub n_device_channels: usize,
    /// Number of recorded channels, from the first on.
    pub n_channels: usize,
}
