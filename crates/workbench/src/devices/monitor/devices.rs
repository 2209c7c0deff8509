//! Playback devices, for the card that offers them.

/// Available and chosen devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Names of devices.
    pub devices: Vec<String>,
    /// The chosen device; `None`: the system's default.
    pub device: Option<String>,
    /// Frames per callback.
    pub buffer_frames: u32,
}
