//! Every setting: command line over environment over file.

use serde::{Deserialize, Serialize};

/// Which engine the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    /// The GPU where there is a real one, else the CPU.
    #[default]
    Auto,
    /// The best adapter there is, a software one too; what cannot run there fails.
    Gpu,
    /// The CPU.
    Cpu,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Version of the file's layout.
    pub version: u32,
    /// Which engine computes.
    pub engine: EngineChoice,
    /// Number or part of the name of the adapter to use.
    pub adapter: Option<String>,
    /// Whether the CPU engine may take over where the GPU cannot.
    pub fallback_to_cpu: bool,
    /// Budget of the tile cache, in megabytes; none: 64 on software adapters, 256 on others.
    pub gpu_memory_mb: Option<u32>,
    /// Budget of the history in memory, in megabytes.
    pub history_mb: u32,
    /// Frames of one piece of a long edit.
    pub chunk_frames: u32,
    /// Name of the audio output; none: the system's default.
    pub audio_device: Option<String>,
    /// Frames per audio buffer, 512 to 1,024.
    pub audio_buffer_frames: u32,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub log_level: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            version: 1,
            engine: EngineChoice::Auto,
            adapter: None,
            fallback_to_cpu: true,
            gpu_memory_mb: None,
            history_mb: 512,
            chunk_frames: 1024,
            audio_device: None,
            audio_buffer_frames: 512,
            log_level: "info".into(),
        }
    }
}
