//! The requested and the actual format of an input.

/// The requested device and format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputRequest {
    /// Device name or a part of it; `None` is the system default.
    pub device: Option<String>,
    /// Frames per second; `None` is the device's own rate.
    pub rate_hz: Option<u32>,
    /// Number of channels to record, counted from the device's first; `None` records all.
    pub n_channels: Option<usize>,
}

/// The actual format of an open input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputFormat {
    /// Frames per second.
    pub rate_hz: u32,
    /// Samples per frame of the device.
    pub n_device_channels: usize,
    /// Number of recorded channels, counted from the device's first.
    pub n_channels: usize,
}
