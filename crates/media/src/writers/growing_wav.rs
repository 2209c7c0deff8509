//! WAV files of 32-bit floats that grow during a recording. An unfinished file states no length in its header, which
//! readers take to mean "to the end of the file": after a crash, everything written can be read.

use super::riff_head::{SIZES_BYTES, long_head, put_chunk, riff_head};
use super::sample_writer::WavLayout;
use super::wav_writer::WavShape;
use crate::base::{Error, ErrorKind, Result, open_new_private_file, open_regular, read_at, write_at};
use crate::probe::look::MAX_CHANNELS;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest size that RIFF can state, minus a margin for padding.
const RIFF_LIMIT: u64 = u32::MAX as u64 - 16;
const SAMPLE_BYTES: u64 = size_of::<f32>() as u64;
/// Number of silent samples written at a time, all channels together.
const SILENT_SAMPLES: usize = 1 << 15;

/// A WAV file being recorded.
#[derive(Debug)]
pub struct GrowingWav {
    file: File,
    path: PathBuf,
    shape: Shape,
    n_frames: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    sample_rate_hz: u32,
    n_channels: usize,
}

impl GrowingWav {
    /// Creates a file without samples. Never replaces an existing file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if the file exists; [`DiskFull`](ErrorKind::DiskFull).
    pub fn create(path: &Path, sample_rate_hz: u32, n_channels: usize) -> Result<GrowingWav> {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        GrowingWav::begin(file, path, sample_rate_hz, n_channels)
    }

    /// As [`create`](GrowingWav::create), but only this user can read the file.
    ///
    /// # Errors
    /// As [`create`](GrowingWav::create).
    pub fn create_private(path: &Path, sample_rate_hz: u32, n_channels: usize) -> Result<GrowingWav> {
        GrowingWav::begin(open_new_private_file(path), path, sample_rate_hz, n_channels)
    }

    fn begin(file: std::io::Result<File>, path: &Path, sample_rate_hz: u32, n_channels: usize) -> Result<GrowingWav> {
        let shape = Shape { sample_rate_hz, n_channels: n_channels.clamp(1, MAX_CHANNELS) };
        let file = file.map_err(|error| failed(&error, path))?;
        write_at(&file, &shape.head(None), 0).map_err(|error| failed(&error, path))?;
        Ok(GrowingWav { file, path: path.to_path_buf(), shape, n_frames: 0 })
    }

    /// Opens a file that a process left unfinished, and cuts off a partial last frame.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); [`Malformed`](ErrorKind::Malformed) if it is not such a file.
    pub fn left(path: &Path) -> Result<GrowingWav> {
        // Reading a pipe or device might never return.
        drop(open_regular(path)?);
        let mut file = File::options().read(true).write(true).open(path).map_err(|error| failed(&error, path))?;
        let mut head = Vec::new();
        file.by_ref().take(128).read_to_end(&mut head).map_err(|error| Error::io(&error, "read", path))?;
        let shape = Shape::of(&head).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, "is no recording of Sonobrush, or its first bytes are damaged").at(path)
        })?;
        let n_bytes = file.metadata().map_err(|error| Error::io(&error, "read", path))?.len();
        let n_frames = n_bytes.saturating_sub(shape.data_at()) / shape.frame_bytes();
        let wav = GrowingWav { file, path: path.to_path_buf(), shape, n_frames };
        wav.cut_to_frames()?;
        Ok(wav)
    }

    /// Number of frames written so far.
    pub fn n_frames(&self) -> u64 {
        self.n_frames
    }

    /// Appends interleaved frames.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) and [`DiskFull`](ErrorKind::DiskFull); the whole frames that could be written are kept.
    pub fn append(&mut self, frames: &[f32]) -> Result<()> {
        let n = (frames.len() / self.shape.n_channels) as u64;
        let at = self.shape.data_at() + self.n_frames * self.shape.frame_bytes();
        match write_at(&self.file, &le_bytes(frames), at) {
            Ok(()) => {
                self.n_frames += n;
                Ok(())
            }
            Err(error) => {
                let n_bytes = self.file.metadata().map_or(0, |found| found.len());
                let n_there = n_bytes.saturating_sub(self.shape.data_at()) / self.shape.frame_bytes();
                self.n_frames = n_there.clamp(self.n_frames, self.n_frames + n);
                self.cut_to_frames().ok();
                Err(failed(&error, &self.path))
            }
        }
    }

    /// Appends silent frames.
    ///
    /// # Errors
    /// As [`append`](GrowingWav::append).
    pub fn append_silence(&mut self, n_frames: u64) -> Result<()> {
        let silence = vec![0.0; (SILENT_SAMPLES / self.shape.n_channels).max(1) * self.shape.n_channels];
        let mut n_left = n_frames;
        while n_left > 0 {
            let n = n_left.min((silence.len() / self.shape.n_channels) as u64);
            self.append(&silence[..n as usize * self.shape.n_channels])?;
            n_left -= n;
        }
        Ok(())
    }

    /// Inserts silent frames before frame `at`, which moves everything after it; meant for positions near the end. If
    /// the process ends meanwhile, the file may have some of this silence at its end, or some samples twice, but no
    /// sample is lost.
    ///
    /// # Errors
    /// As [`append`](GrowingWav::append).
    pub fn insert_silence(&mut self, at: u64, n_frames: u64) -> Result<()> {
        let frame_bytes = self.shape.frame_bytes();
        let at = at.min(self.n_frames);
        let at_byte = self.shape.data_at() + at * frame_bytes;
        let n_silent = (n_frames * frame_bytes) as usize;
        if n_silent == 0 {
            return Ok(());
        }
        let mut tail = vec![0; ((self.n_frames - at) * frame_bytes) as usize];
        read_at(&self.file, &mut tail, at_byte).map_err(|error| Error::io(&error, "read", &self.path))?;
        self.append_silence(n_frames)?;
        let write = |bytes: &[u8], at| write_at(&self.file, bytes, at).map_err(|error| failed(&error, &self.path));
        // From the end on, and no more at once than the distance it moves: what a write replaces was moved before.
        for (i, piece) in tail.rchunks(n_silent).enumerate() {
            let end = (tail.len() - i * n_silent) as u64;
            write(piece, at_byte + n_silent as u64 + end - piece.len() as u64)?;
        }
        write(&vec![0; n_silent], at_byte)
    }

    /// Truncates the file to at most `max_frames`.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn cut(&mut self, max_frames: u64) -> Result<()> {
        if self.n_frames <= max_frames {
            return Ok(());
        }
        self.n_frames = max_frames;
        self.cut_to_frames()
    }

    /// Another handle to the file, with which another thread can sync it to disk.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn handle(&self) -> Result<File> {
        self.file.try_clone().map_err(|error| failed(&error, &self.path))
    }

    /// Writes the length into the header, and waits until the whole file is on disk. Returns the number of frames.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); the file can still be read.
    pub fn finish(self) -> Result<u64> {
        write_at(&self.file, &self.shape.head(Some(self.n_frames)), 0).map_err(|error| failed(&error, &self.path))?;
        self.file.sync_all().map_err(|error| failed(&error, &self.path))?;
        Ok(self.n_frames)
    }

    fn cut_to_frames(&self) -> Result<()> {
        let n_bytes = self.shape.data_at() + self.n_frames * self.shape.frame_bytes();
        self.file.set_len(n_bytes).map_err(|error| failed(&error, &self.path))
    }
}

impl Shape {
    fn frame_bytes(self) -> u64 {
        SAMPLE_BYTES * self.n_channels as u64
    }

    fn data_at(self) -> u64 {
        self.head(None).len() as u64
    }

    /// The header before the samples, whose length does not depend on the number of frames. `n_frames` is `None` until
    /// the recording is finished.
    fn head(self, n_frames: Option<u64>) -> Vec<u8> {
        let Shape { sample_rate_hz, n_channels } = self;
        let layout = WavLayout::Float32;
        let frames = n_frames.unwrap_or(0);
        let format = WavShape { layout, sample_rate_hz, n_channels, n_frames: frames, channel_mask: None, chunks: &[] };
        let mut inner = Vec::new();
        put_chunk(&mut inner, b"fmt ", &format.format());
        let stated = n_frames.map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX));
        put_chunk(&mut inner, b"fact", &stated.to_le_bytes());
        let data = frames.saturating_mul(self.frame_bytes());
        let riff = (4 + 8 + SIZES_BYTES + inner.len() + 8) as u64 + data;
        if n_frames.is_some() && riff > RIFF_LIMIT {
            return long_head([riff, data, frames], &inner);
        }
        // Reserve space for 64-bit sizes, for files that become too large for 32-bit ones.
        let mut chunks = Vec::new();
        put_chunk(&mut chunks, b"JUNK", &[0; SIZES_BYTES]);
        chunks.append(&mut inner);
        let sizes = if n_frames.is_some() { [riff, data].map(|size| size as u32) } else { [u32::MAX; 2] };
        riff_head(&chunks, sizes)
    }

    /// The format stated in a header; `None` if this program did not write it.
    fn of(head: &[u8]) -> Option<Shape> {
        // The format follows the RIFF header and the space for 64-bit sizes.
        let format = 12 + 8 + SIZES_BYTES + 8;
        let n_channels = usize::from(u16::from_le_bytes(head.get(format + 2..format + 4)?.try_into().ok()?));
        let sample_rate_hz = u32::from_le_bytes(head.get(format + 4..format + 8)?.try_into().ok()?);
        if !(1..=MAX_CHANNELS).contains(&n_channels) {
            return None;
        }
        let shape = Shape { sample_rate_hz, n_channels };
        // Compare everything except the sizes and the RIFF or RF64 id.
        let ours = shape.head(None);
        let is_ours = head.get(format - 8..ours.len() - 16)? == &ours[format - 8..ours.len() - 16]
            && head.get(8..12)? == b"WAVE"
            && head.get(ours.len() - 8..ours.len() - 4)? == b"data";
        is_ours.then_some(shape)
    }
}

fn le_bytes(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

fn failed(error: &std::io::Error, path: &Path) -> Error {
    Error::io(error, "written", path)
}
