//! The devices that can play, as data.

/// What there is, and what is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Names of devices.
    pub devices: Vec<String>,
    /// None: the system's default.
    pub device: Option<String>,
    /// Frames per callback.
    pub buffer_frames: u32,
}
