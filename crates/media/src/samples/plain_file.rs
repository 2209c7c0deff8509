//! Plain samples that stay in the user's file and are read on demand. The file is never mapped into memory, since the
//! program would then crash if another program truncated the file.

use super::format::SampleFormat;
use super::stored_bytes::Plain;
use super::values::{Original, f32_from_integer, finite_f32, finite_f64, full_scale};
use crate::base::{Error, ErrorKind, Result, read_at};
use std::fs::{File, Metadata};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

/// Bytes read at a time, rounded down to whole frames.
const READ_BYTES: usize = 1 << 17;

/// Positions of a sound's bytes in a file, in order: usually a single run, but many in a movie file. Every run consists
/// of whole frames.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileRuns {
    runs: Vec<Run>,
    n_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    /// Start in the sound, in bytes as stored.
    first: u64,
    /// Start in the file; `None` for silence.
    at: Option<u64>,
}

/// A part of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Start in the file; `None` for silence.
    pub(crate) at: Option<u64>,
    pub(crate) n_bytes: u64,
}

impl FileRuns {
    /// A single run, the range `place` of the file.
    pub(crate) fn one(place: Range<u64>) -> FileRuns {
        let mut runs = FileRuns::default();
        runs.push(Some(place.start), place.end.saturating_sub(place.start));
        runs
    }

    /// Appends a run that starts at `at` in the file, or is silent if `None`. A run that continues the last one is
    /// joined with it.
    pub(crate) fn push(&mut self, at: Option<u64>, n_bytes: u64) {
        let goes_on = self.runs.last().is_some_and(|last| match (last.at, at) {
            (Some(last_at), Some(at)) => last_at.checked_add(self.n_bytes - last.first) == Some(at),
            (last_at, at) => last_at == at,
        });
        if !goes_on && n_bytes > 0 {
            self.runs.push(Run { first: self.n_bytes, at });
        }
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
    }

    /// Total number of bytes.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// The positions of `n` bytes from byte `first` of the sound on, or up to its end.
    pub(crate) fn parts(&self, first: u64, n: u64) -> impl Iterator<Item = Part> + '_ {
        let end = first.saturating_add(n).min(self.n_bytes);
        let index = self.runs.partition_point(|run| run.first <= first).saturating_sub(1);
        self.runs[index.min(self.runs.len())..].iter().enumerate().map_while(move |(i, run)| {
            let run_end = self.runs.get(index + i + 1).map_or(self.n_bytes, |next| next.first);
            let (start, end) = (run.first.max(first), run_end.min(end));
            (start < end).then(|| Part { at: run.at.map(|at| at + (start - run.first)), n_bytes: end - start })
        })
    }
}

/// Layout of interleaved samples in the file.
#[derive(Debug, Clone)]
pub(crate) struct PlainLayout {
    pub(crate) runs: FileRuns,
    pub(crate) n_frames: u64,
    pub(crate) n_channels: usize,
    pub(crate) coding: Plain,
}

impl PlainLayout {
    fn stored_bytes(&self) -> usize {
        self.coding.stored_bytes() * self.n_channels
    }

    /// Size of the samples in memory, in bytes.
    pub(crate) fn decoded_bytes(&self) -> u64 {
        let of_sample = match self.coding.format {
            SampleFormat::Float64 => 8,
            SampleFormat::Pcm { .. } if self.coding.container_bits <= 16 => 2,
            _ => 4,
        };
        self.n_frames.saturating_mul(self.n_channels as u64 * of_sample)
    }
}

/// Size and modification time of a file, to detect changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    n_bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(found: &Metadata) -> Stamp {
        Stamp { n_bytes: found.len(), modified: found.modified().ok() }
    }
}

/// An open file of plain samples, and the errors and notices so far.
#[derive(Debug)]
pub(crate) struct PlainFile {
    file: File,
    path: PathBuf,
    stamp: Stamp,
    layout: PlainLayout,
    /// Number of NaN and infinite values read so far; repeated reads count them again.
    not_finite: AtomicU64,
    has_reported_not_finite: AtomicBool,
    fault: OnceLock<Error>,
    has_reported_fault: AtomicBool,
}

impl PlainFile {
    /// Wraps an open file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub(crate) fn new(file: File, path: &Path, layout: PlainLayout) -> Result<PlainFile> {
        let found = file.metadata().map_err(|error| Error::io(&error, "read", path))?;
        Ok(PlainFile {
            file,
            path: path.to_path_buf(),
            stamp: Stamp::of(&found),
            layout,
            not_finite: AtomicU64::new(0),
            has_reported_not_finite: AtomicBool::new(false),
            fault: OnceLock::new(),
            has_reported_fault: AtomicBool::new(false),
        })
    }

    pub(crate) fn n_frames(&self) -> u64 {
        self.layout.n_frames
    }

    /// The reason why the file can no longer be read; `None` while it can.
    pub(crate) fn fault(&self) -> Option<&Error> {
        self.fault.get()
    }

    /// Number of NaN and infinite values read so far.
    pub(crate) fn n_not_finite(&self) -> u64 {
        self.not_finite.load(Relaxed)
    }

    /// The next notice for the user, one sentence, which is returned only once; `None` if there is none.
    pub(crate) fn take_notice(&self) -> Option<String> {
        if let Some(fault) = self.fault.get()
            && !self.has_reported_fault.swap(true, Relaxed)
        {
            return Some(fault.message().into());
        }
        let has_bad = self.not_finite.load(Relaxed) > 0 && !self.has_reported_not_finite.swap(true, Relaxed);
        has_bad.then(|| "holds samples that are not finite numbers (NaN or infinity), read as 0".into())
    }

    /// Fills `out` with samples of a channel from frame `first` on, all of which must exist.
    pub(crate) fn read(&self, channel: usize, first: u64, out: &mut [f32]) -> Result<()> {
        let bits = self.layout.coding.container_bits;
        let mut n_bad = 0;
        let mut done = 0;
        self.frames(first, out.len(), |bytes| {
            let values = Values { bytes, channel, n_channels: self.layout.n_channels };
            let n = bytes.len() / (bits as usize / 8 * self.layout.n_channels);
            let out = &mut out[done..done + n];
            done += n;
            let scale = (1.0 / full_scale(bits)) as f32;
            match (self.layout.coding.format, bits) {
                (SampleFormat::Float64, _) => {
                    values.put(out, |bytes| finite_f64(f64::from_le_bytes(bytes), &mut n_bad) as f32);
                }
                (SampleFormat::Pcm { .. }, 8) => values.put(out, |[byte]| f32::from(i16::from(byte) - 128) * scale),
                (SampleFormat::Pcm { .. }, 16) => values.put(out, |bytes| f32::from(i16::from_le_bytes(bytes)) * scale),
                (SampleFormat::Pcm { .. }, 24) => values.put(out, |bytes| f32_from_integer(from_24(bytes), bits)),
                (SampleFormat::Pcm { .. }, _) => {
                    values.put(out, |bytes| f32_from_integer(i32::from_le_bytes(bytes), bits));
                }
                _ => values.put(out, |bytes| finite_f32(f32::from_le_bytes(bytes), &mut n_bad)),
            }
        })?;
        self.count(n_bad);
        Ok(())
    }

    /// The stored values of `n` frames of a channel from frame `first` on, all of which must exist.
    pub(crate) fn original(&self, channel: usize, first: u64, n: usize) -> Result<Original> {
        let bits = self.layout.coding.container_bits;
        let mut n_bad = 0;
        let mut original = match self.layout.coding.format {
            SampleFormat::Pcm { .. } => Original::Integers(Vec::with_capacity(n)),
            SampleFormat::Float64 => Original::Doubles(Vec::with_capacity(n)),
            _ => Original::Floats(Vec::with_capacity(n)),
        };
        self.frames(first, n, |bytes| {
            let values = Values { bytes, channel, n_channels: self.layout.n_channels };
            match (&mut original, bits) {
                (Original::Integers(all), 8) => values.add(all, |[byte]| i32::from(byte) - 128),
                (Original::Integers(all), 16) => values.add(all, |bytes| i32::from(i16::from_le_bytes(bytes))),
                (Original::Integers(all), 24) => values.add(all, from_24),
                (Original::Integers(all), _) => values.add(all, i32::from_le_bytes),
                (Original::Floats(all), _) => {
                    values.add(all, |bytes| finite_f32(f32::from_le_bytes(bytes), &mut n_bad));
                }
                (Original::Doubles(all), _) => {
                    values.add(all, |bytes| finite_f64(f64::from_le_bytes(bytes), &mut n_bad));
                }
            }
        })?;
        self.count(n_bad);
        Ok(original)
    }

    fn count(&self, n_bad: u64) {
        if n_bad > 0 {
            self.not_finite.fetch_add(n_bad, Relaxed);
        }
    }

    /// Passes `n` frames from `first` on to `call`, in blocks of whole frames and in WAV's sample layout.
    fn frames(&self, first: u64, n: usize, mut call: impl FnMut(&[u8])) -> Result<()> {
        let frame_bytes = self.layout.stored_bytes();
        let per_read = (READ_BYTES / frame_bytes).max(1);
        let mut buffer = vec![0; per_read.min(n) * frame_bytes];
        for start in (0..n).step_by(per_read) {
            let bytes = &mut buffer[..per_read.min(n - start) * frame_bytes];
            let at = (first + start as u64) * frame_bytes as u64;
            let mut filled = 0;
            for part in self.layout.runs.parts(at, bytes.len() as u64) {
                // Parts never exceed the requested bytes.
                let into = &mut bytes[filled..][..part.n_bytes as usize];
                filled += into.len();
                match part.at {
                    Some(at) => self.read_unchanged(into, at)?,
                    None => into.fill(self.layout.coding.silence()),
                }
            }
            call(&self.layout.coding.as_in_wav(bytes));
        }
        Ok(())
    }

    /// Reads bytes, and then checks that the file is unchanged since it was opened. After a change, all reads fail.
    fn read_unchanged(&self, bytes: &mut [u8], at: u64) -> Result<()> {
        if let Some(fault) = self.fault.get() {
            return Err(fault.clone());
        }
        let read = read_at(&self.file, bytes, at);
        let found = self.file.metadata();
        match (read, found) {
            (Ok(()), Ok(found)) if Stamp::of(&found) == self.stamp => Ok(()),
            (Err(error), Ok(found)) if found.len() == self.stamp.n_bytes => Err(Error::io(&error, "read", &self.path)),
            (_, Err(error)) => Err(Error::io(&error, "read", &self.path)),
            (_, Ok(found)) => {
                let how = if found.len() < self.stamp.n_bytes { "cut short" } else { "changed" };
                let sentence =
                    format!("was {how} by another program while it was open and can no longer be read; open it again");
                let fault = Error::new(ErrorKind::SourceChanged, sentence).at(&self.path);
                Err(self.fault.get_or_init(|| fault).clone())
            }
        }
    }
}

fn from_24([low, middle, high]: [u8; 3]) -> i32 {
    i32::from_le_bytes([0, low, middle, high]) >> 8
}

/// One channel of interleaved values.
struct Values<'a> {
    bytes: &'a [u8],
    channel: usize,
    n_channels: usize,
}

impl<'a> Values<'a> {
    fn each<const N: usize>(&self) -> impl Iterator<Item = [u8; N]> + use<'a, N> {
        let at = self.channel * N;
        self.bytes.chunks_exact(N * self.n_channels).map(move |frame| {
            let mut value = [0; N];
            value.copy_from_slice(&frame[at..at + N]);
            value
        })
    }

    fn put<const N: usize>(&self, out: &mut [f32], mut value: impl FnMut([u8; N]) -> f32) {
        out.iter_mut().zip(self.each()).for_each(|(out, bytes)| *out = value(bytes));
    }

    fn add<const N: usize, T>(&self, all: &mut Vec<T>, value: impl FnMut([u8; N]) -> T) {
        all.extend(self.each().map(value));
    }
}
