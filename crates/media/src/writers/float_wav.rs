//! Writes WAV files of sounds that are computed during writing.

use super::sample_writer::{Planes, SampleWriter, WavLayout};
use super::wav_header::Chunk;
use super::wav_writer::{WavShape, WavWriter};
use crate::base::{Progress, Result, check_room, write_atomic};
use crate::samples::resampled::ReadInputSamples;
use std::path::Path;

/// Number of frames held in memory at a time.
const BLOCK_FRAMES: u64 = 1 << 16;

/// Properties of the file to write, which has 32-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatWav<'a> {
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Number of channels, which are interleaved in the file.
    pub n_channels: usize,
    /// Samples of each channel.
    pub n_frames: u64,
    /// Speaker mask of the channels, if any.
    pub channel_mask: Option<u32>,
    /// Chunks besides format and samples.
    pub chunks: &'a [Chunk],
}

/// Writes a WAV file atomically from the samples that successive calls of `next` return.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io); [`DiskFull`](crate::base::ErrorKind::DiskFull), before anything is written;
/// errors of `next`; [`Cancelled`](crate::base::ErrorKind::Cancelled). On any error, `path` is unchanged.
pub fn write_float_wav(
    path: &Path,
    wav: &FloatWav<'_>,
    next: &mut ReadInputSamples<'_>,
    progress: &Progress,
) -> Result<()> {
    let FloatWav { sample_rate_hz, n_channels, n_frames, channel_mask, chunks } = *wav;
    let layout = WavLayout::Float32;
    let shape = WavShape { layout, sample_rate_hz, n_channels, n_frames, channel_mask, chunks };
    let folder = path.parent().unwrap_or(Path::new("."));
    check_room(folder, shape.file_bytes()).map_err(|error| error.at(path))?;
    write_atomic(path, |out| {
        let mut writer = Box::new(WavWriter::new(out, &shape)?);
        for first in (0..n_frames).step_by(BLOCK_FRAMES as usize) {
            progress.step(first, n_frames)?;
            let n = BLOCK_FRAMES.min(n_frames - first) as usize;
            writer.write(&Planes::Float32(next(n)?), n)?;
        }
        writer.finish()
    })
}
