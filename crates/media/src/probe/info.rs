//! The output of `sonobrush info`.

use crate::Source;
use crate::base::{Progress, Result};
use serde::Serialize;
use std::path::Path;

/// Basic properties of a sound file; the fields are those of `info --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileInfo {
    /// Samples per channel.
    pub frames: u64,
    /// Samples per second.
    pub sample_rate: u32,
    /// Number of channels.
    pub channels: usize,
    /// For display: `WAV, 24 bit`, `FLAC, 16 bit`, `MP3`.
    pub format: String,
    /// `frames / sample_rate`.
    pub duration_secs: f64,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

impl FileInfo {
    /// Opens and decodes a file, so that the information is reliable.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn of(path: &Path, progress: &Progress) -> Result<FileInfo> {
        let opened = Source::open(path, progress)?;
        Ok(FileInfo::of_source(&opened.source, opened.notices))
    }

    /// Information on an opened sound.
    pub fn of_source(source: &Source, notices: Vec<String>) -> FileInfo {
        let info = source.info();
        FileInfo {
            frames: info.n_samples,
            sample_rate: info.sample_rate_hz,
            channels: info.n_channels,
            format: info.description.clone(),
            duration_secs: info.n_samples as f64 / f64::from(info.sample_rate_hz),
            notices,
        }
    }
}
