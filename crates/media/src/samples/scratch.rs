//! Decoded samples of sounds too long for memory, in an unnamed temporary file that disappears with the process.
//!
//! The file grows during decoding, and samples can be read as soon as they are written. Silence, whether decoded or
//! inserted later, is recorded rather than written, since a few bytes can encode days of it. Part of the disk is left
//! free ([`OpenOptions::reserve_bytes`]).

use super::planar::PlanarSamples;
use super::values::{Original, f32_from_integer, full_scale};
use crate::base::{Error, ErrorKind, Result, Space, lock, read_at, shown_path, space_of, write_at};
use crate::probe::options::OpenOptions;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Number of frames per block. A block stores its channels one after another.
const BLOCK_FRAMES: u64 = 16_384;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Int16,
    Int32,
    Float32,
    Float64,
}

/// Samples in a temporary file, which can be read while more are appended.
#[derive(Debug)]
pub(crate) struct Scratch {
    file: File,
    place: PathBuf,
    value: Value,
    n_channels: usize,
    state: RwLock<State>,
    room: Mutex<DiskBudget>,
}

/// Disk space available to decoded sound.
#[derive(Debug, Clone)]
pub(crate) struct DiskBudget {
    folder: PathBuf,
    reserve: Option<u64>,
    /// Disk space to assume in tests, instead of the real space.
    pretended: Option<Space>,
    written: u64,
    /// Bytes that may be written before the free space is queried again.
    granted: u64,
}

/// Number of bytes after which the free space is queried again, since other programs write to the disk, too.
const SPACE_CHECK_BYTES: u64 = 16 << 20;

impl DiskBudget {
    pub(crate) fn of(options: &OpenOptions) -> DiskBudget {
        let (reserve, pretended) = (options.reserve_bytes, options.space);
        DiskBudget { folder: options.scratch_folder.clone(), reserve, pretended, written: 0, granted: 0 }
    }

    /// Free bytes, and how many bytes must stay free; `None` if the system does not report them.
    fn free_and_reserve(&self) -> Option<[u64; 2]> {
        let space = match self.pretended {
            Some(space) => Space { free: space.free.saturating_sub(self.written), ..space },
            None => space_of(&self.folder)?,
        };
        Some([space.free, self.reserve.unwrap_or_else(|| space.reserve())])
    }

    /// Whether `n_bytes` more fit at present; true if the free space is unknown.
    pub(crate) fn holds(&self, n_bytes: u64) -> bool {
        self.free_and_reserve().is_none_or(|[free, reserve]| n_bytes <= free.saturating_sub(reserve))
    }

    /// Claims `n_bytes` of the disk space. `stated_bytes`, the stated size of the whole sound, is only used in the
    /// error.
    fn claim(&mut self, n_bytes: u64, stated_bytes: u64) -> Result<()> {
        if n_bytes > self.granted {
            let max = self.free_and_reserve().map_or(u64::MAX, |[free, reserve]| free.saturating_sub(reserve));
            if n_bytes > max {
                return Err(self.refusal(stated_bytes));
            }
            self.granted = max.min(n_bytes.max(SPACE_CHECK_BYTES));
        }
        self.granted -= n_bytes;
        self.written += n_bytes;
        Ok(())
    }

    /// The error for a sound that is refused. The stated size may be wrong, so it is mentioned only if it explains the
    /// refusal.
    pub(crate) fn refusal(&self, stated_bytes: u64) -> Error {
        let mb = |bytes: u64| bytes / 1_000_000;
        let [free, reserve] = self.free_and_reserve().unwrap_or_default();
        let before = free.saturating_add(self.written);
        let needed = match stated_bytes {
            stated if stated.saturating_add(reserve) > before => format!("the {} MB of its samples do", mb(stated)),
            _ => "its decoded audio does".into(),
        };
        let sentence = format!(
            "{needed} not fit on the disk of {}, which has {} MB free and keeps {} MB in reserve (scratch_reserve_mb); \
             free some space there, or split the file into parts",
            shown_path(&self.folder),
            mb(before),
            mb(reserve),
        );
        Error::new(ErrorKind::DiskFull, sentence)
    }
}

#[derive(Debug, Default)]
struct State {
    /// Contiguous runs, without gaps.
    runs: Vec<Run>,
    n_stored: u64,
    is_complete: bool,
    is_revised: bool,
}

/// A contiguous run of frames.
#[derive(Debug, Clone)]
struct Run {
    frames: Range<u64>,
    /// Index of its first frame among the frames stored in the file; `None` for silence.
    stored: Option<u64>,
}

impl State {
    fn len(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.frames.end)
    }
}

impl Scratch {
    /// An empty file in the folder of `room`, created if needed, for values of the type of `like`.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub(crate) fn new(room: DiskBudget, like: &PlanarSamples, n_channels: usize) -> Result<Scratch> {
        let folder: &Path = &room.folder;
        let io = |error: std::io::Error| Error::io(&error, "used for temporary data", folder);
        std::fs::create_dir_all(folder).map_err(io)?;
        let file = tempfile::tempfile_in(folder).map_err(io)?;
        let value = match like {
            PlanarSamples::Int16(_) => Value::Int16,
            PlanarSamples::Int32(_) => Value::Int32,
            PlanarSamples::Float64(_) => Value::Float64,
            PlanarSamples::Float32(_) => Value::Float32,
        };
        let (place, state) = (folder.to_path_buf(), RwLock::default());
        Ok(Scratch { file, place, value, n_channels, state, room: Mutex::new(room) })
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of frames that can be read.
    pub(crate) fn len(&self) -> u64 {
        self.state().len()
    }

    /// Whether no more frames will follow.
    pub(crate) fn is_complete(&self) -> bool {
        self.state().is_complete
    }

    /// Whether silence was inserted before frames that were already readable.
    pub(crate) fn is_revised(&self) -> bool {
        self.state().is_revised
    }

    /// Appends all frames of `tail` and clears it; `stated_bytes`, the stated total size of the sound, is only used in
    /// errors.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull) if the reserve would be used, and [`Io`](ErrorKind::Io).
    pub(crate) fn take(&self, tail: &mut PlanarSamples, stated_bytes: u64) -> Result<()> {
        let n = tail.len();
        let block = |from: usize| from..n.min(from + BLOCK_FRAMES as usize);
        let mut from = 0;
        while from < n {
            let is_silent = tail.is_silent(block(from));
            let mut to = block(from).end;
            while to < n && tail.is_silent(block(to)) == is_silent {
                to = block(to).end;
            }
            if is_silent {
                self.add((to - from) as u64, None);
            } else {
                self.write(tail, from..to, stated_bytes)?;
            }
            from = to;
        }
        tail.clear();
        Ok(())
    }

    /// Writes a range of the frames of `tail`.
    fn write(&self, tail: &PlanarSamples, frames: Range<usize>, stated_bytes: u64) -> Result<()> {
        let n_bytes = frames.len() * self.n_channels * tail.value_bytes();
        lock(&self.room).claim(n_bytes as u64, stated_bytes)?;
        let first = self.state().n_stored;
        for channel in 0..self.n_channels {
            match tail {
                PlanarSamples::Int16(channels) => self.store(channel, first, &channels[channel][frames.clone()])?,
                PlanarSamples::Int32(channels) => self.store(channel, first, &channels[channel][frames.clone()])?,
                PlanarSamples::Float32(channels) => self.store(channel, first, &channels[channel][frames.clone()])?,
                PlanarSamples::Float64(channels) => self.store(channel, first, &channels[channel][frames.clone()])?,
            }
        }
        self.add(frames.len() as u64, Some(first));
        Ok(())
    }

    /// Makes `n` more frames readable: those from stored frame `stored` on, or silence if `None`.
    fn add(&self, n: u64, stored: Option<u64>) {
        let mut state = self.state_mut();
        let start = state.len();
        if stored.is_some() {
            state.n_stored += n;
        }
        let goes_on = state.runs.last().is_some_and(|last| match (last.stored, stored) {
            (Some(at), Some(first)) => at + (last.frames.end - last.frames.start) == first,
            (None, None) => true,
            _ => false,
        });
        match state.runs.last_mut() {
            Some(last) if goes_on => last.frames.end += n,
            _ => state.runs.push(Run { frames: start..start + n, stored }),
        }
    }

    /// The end of the known silence that contains a frame; the frame itself if it is not in silence. Once the sound is
    /// complete, everything after the last frame counts as silence.
    pub(crate) fn silent_until(&self, first: u64) -> u64 {
        let state = self.state();
        let at = state.runs.partition_point(|run| run.frames.end <= first);
        match state.runs[at..].iter().find(|run| run.stored.is_some()) {
            Some(run) => run.frames.start.max(first),
            None if state.is_complete => u64::MAX,
            None => state.len().max(first),
        }
    }

    fn store<T: bytemuck::Pod>(&self, channel: usize, first: u64, values: &[T]) -> Result<()> {
        let mut done = 0;
        while done < values.len() {
            let frame = first + done as u64;
            let n = ((BLOCK_FRAMES - frame % BLOCK_FRAMES) as usize).min(values.len() - done);
            let bytes = bytemuck::cast_slice(&values[done..done + n]);
            write_at(&self.file, bytes, self.place_of::<T>(channel, frame))
                .map_err(|error| Error::io(&error, "used for temporary data", &self.place))?;
            done += n;
        }
        Ok(())
    }

    fn place_of<T>(&self, channel: usize, frame: u64) -> u64 {
        let in_block = channel as u64 * BLOCK_FRAMES + frame % BLOCK_FRAMES;
        (frame / BLOCK_FRAMES * BLOCK_FRAMES * self.n_channels as u64 + in_block) * size_of::<T>() as u64
    }

    /// Inserts `n` frames of silence before frame `at`, which must not exceed the length.
    pub(crate) fn insert_silence(&self, at: u64, n: u64) {
        let mut state = self.state_mut();
        let length = state.len();
        state.is_revised |= at < length;
        let mut runs = Vec::with_capacity(state.runs.len() + 2);
        for run in state.runs.drain(..) {
            let split = at.clamp(run.frames.start, run.frames.end);
            let later = run.stored.map(|stored| stored + (split - run.frames.start));
            if run.frames.start < split {
                runs.push(Run { frames: run.frames.start..split, stored: run.stored });
            }
            if split < run.frames.end {
                runs.push(Run { frames: split + n..run.frames.end + n, stored: later });
            }
        }
        let place = runs.partition_point(|run| run.frames.start < at);
        runs.insert(place, Run { frames: at..at + n, stored: None });
        state.runs = runs;
    }

    /// Marks the sound as complete: no more frames will follow, and only the first `n` remain readable.
    pub(crate) fn finish(&self, n: u64) {
        let mut state = self.state_mut();
        state.runs.retain(|run| run.frames.start < n);
        if let Some(run) = state.runs.last_mut() {
            run.frames.end = run.frames.end.min(n);
        }
        state.is_complete = true;
    }

    /// Fills `out` with samples of a channel from frame `first` on; those not available yet are 0.
    pub(crate) fn read(&self, channel: usize, first: u64, bits: u32, out: &mut [f32]) -> Result<()> {
        out.fill(0.0);
        for (place, stored) in self.pieces(first, out.len()) {
            let out = &mut out[place];
            match self.value {
                Value::Float32 => self.load(channel, stored, out)?,
                Value::Int16 => {
                    let scale = (1.0 / full_scale(bits)) as f32;
                    self.convert(channel, stored, out, |value: i16| f32::from(value) * scale)?;
                }
                Value::Int32 => self.convert(channel, stored, out, |value: i32| f32_from_integer(value, bits))?,
                Value::Float64 => self.convert(channel, stored, out, |value: f64| value as f32)?,
            }
        }
        Ok(())
    }

    /// The values as they were decoded; those not available yet are 0.
    pub(crate) fn original(&self, channel: usize, first: u64, n: usize) -> Result<Original> {
        let mut original = match self.value {
            Value::Int16 | Value::Int32 => Original::Integers(vec![0; n]),
            Value::Float32 => Original::Floats(vec![0.0; n]),
            Value::Float64 => Original::Doubles(vec![0.0; n]),
        };
        for (place, stored) in self.pieces(first, n) {
            match (&mut original, self.value) {
                (Original::Integers(all), Value::Int16) => {
                    self.convert(channel, stored, &mut all[place], |value: i16| i32::from(value))?;
                }
                (Original::Integers(all), _) => self.load(channel, stored, &mut all[place])?,
                (Original::Floats(all), _) => self.load(channel, stored, &mut all[place])?,
                (Original::Doubles(all), _) => self.load(channel, stored, &mut all[place])?,
            }
        }
        Ok(original)
    }

    /// The parts of a range that are stored, relative to `first`, and the stored frame at which each begins.
    fn pieces(&self, first: u64, n: usize) -> Vec<(Range<usize>, u64)> {
        let end = first + n as u64;
        let state = self.state();
        let from = state.runs.partition_point(|run| run.frames.end <= first);
        let over = state.runs[from..].iter().take_while(|run| run.frames.start < end);
        over.filter_map(|run| {
            let (start, end) = (run.frames.start.max(first), run.frames.end.min(end));
            let stored = run.stored? + (start - run.frames.start);
            Some(((start - first) as usize..(end - first) as usize, stored))
        })
        .collect()
    }

    fn load<T: bytemuck::Pod>(&self, channel: usize, first: u64, out: &mut [T]) -> Result<()> {
        let mut done = 0;
        while done < out.len() {
            let frame = first + done as u64;
            let n = ((BLOCK_FRAMES - frame % BLOCK_FRAMES) as usize).min(out.len() - done);
            let bytes = bytemuck::cast_slice_mut(&mut out[done..done + n]);
            read_at(&self.file, bytes, self.place_of::<T>(channel, frame))
                .map_err(|error| Error::io(&error, "read back", &self.place))?;
            done += n;
        }
        Ok(())
    }

    fn convert<T: bytemuck::Pod, U>(
        &self,
        channel: usize,
        first: u64,
        out: &mut [U],
        value: impl Fn(T) -> U,
    ) -> Result<()> {
        let mut values = vec![T::zeroed(); out.len().min(BLOCK_FRAMES as usize)];
        for (index, out) in out.chunks_mut(BLOCK_FRAMES as usize).enumerate() {
            let values = &mut values[..out.len()];
            self.load(channel, first + index as u64 * BLOCK_FRAMES, values)?;
            out.iter_mut().zip(values).for_each(|(out, found)| *out = value(*found));
        }
        Ok(())
    }
}
