//! A recording in progress: writes the frames of the ring to a file, with silence in place of lost sound, and syncs the
//! file twice a second.

use super::callback::InputRing;

use super::format::InputFormat;
use super::space::RecordingSpace;
use super::status::{CaptureEnd, Captured, Dropout};
use crate::base::{Error, ErrorKind, Result};
use crate::media::GrowingWav;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Interval at which the file is synced to disk.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// A recording in progress.
pub(super) struct Take {
    wav: GrowingWav,
    path: PathBuf,
    format: InputFormat,
    room: RecordingSpace,
    dropouts: Vec<Dropout>,
    gaps: Vec<Dropout>,
    /// Number of frames received before the first one in the file.
    n_came_before: u64,
    reported_before: u64,
    /// Dropping it ends the thread that syncs the file.
    _syncing: Option<Sender<()>>,
}

impl Take {
    /// Starts a recording to a new file at `path` with the next frame received.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); [`DiskFull`](ErrorKind::DiskFull) if there is no space for one second of audio.
    pub(super) fn begin(path: &Path, room: RecordingSpace, format: InputFormat, ring: &mut InputRing) -> Result<Take> {
        let second_bytes = u64::from(format.rate_hz) * (size_of::<f32>() * format.n_channels) as u64;
        room.check(path.parent().unwrap_or(Path::new(".")), 0, second_bytes).map_err(|error| error.at(path))?;
        ring.discard(format.n_channels);
        let create = if room.is_private { GrowingWav::create_private } else { GrowingWav::create };
        let wav = create(path, format.rate_hz, format.n_channels)?;
        let syncing = sync_aside(&wav);
        Ok(Take {
            wav,
            path: path.to_path_buf(),
            format,
            room,
            dropouts: Vec::new(),
            gaps: Vec::new(),
            n_came_before: ring.n_known(),
            reported_before: ring.meter.reported(),
            _syncing: syncing,
        })
    }

    /// Frames in the file.
    pub(super) fn n_frames(&self) -> u64 {
        self.wav.n_frames()
    }

    /// Frames in the file that are silence in place of lost ones.
    pub(super) fn n_lost(&self) -> u64 {
        self.dropouts.iter().chain(&self.gaps).map(|dropout| dropout.n_frames).sum()
    }

    /// Frames left until the maximum length of the recording.
    fn frames_left(&self) -> u64 {
        self.room.max_frames.unwrap_or(u64::MAX).saturating_sub(self.n_frames())
    }

    /// Whether the recording has reached its maximum length.
    pub(super) fn is_complete(&self) -> bool {
        self.frames_left() == 0
    }

    /// Seconds of recording for which the disk has space; `None` if the system does not report it.
    pub(super) fn left_secs(&self) -> Option<f64> {
        let left = self.room.left_bytes(self.folder(), self.n_frames() * self.frame_bytes())?;
        Some(left as f64 / (self.frame_bytes() as f64 * f64::from(self.format.rate_hz)))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    fn frame_bytes(&self) -> u64 {
        size_of::<f32>() as u64 * self.format.n_channels as u64
    }

    /// Writes all pending frames.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull) and [`Io`](ErrorKind::Io); the frames written so far are kept.
    pub(super) fn drain(&mut self, ring: &mut InputRing) -> Result<()> {
        let n_channels = self.format.n_channels;
        let mut n_ready = ring.n_ready(n_channels);
        loop {
            let next = ring.next_dropout(n_ready);
            let n = next.map_or(n_ready, |dropout| dropout.at - ring.n_taken);
            self.write(ring, n)?;
            n_ready -= n;
            let Some(dropout) = next else { break };
            ring.pop_dropout();
            self.fill(dropout.n_frames)?;
        }
        while let Some(gap) = ring.next_gap() {
            self.insert(gap)?;
        }
        Ok(())
    }

    /// Inserts silence where the system lost frames, so that the frames recorded since move to their correct time. A
    /// recording with a maximum length is then truncated to it.
    fn insert(&mut self, gap: Dropout) -> Result<()> {
        let inserted: u64 = self.gaps.iter().map(|gap| gap.n_frames).sum();
        let Some(came) = gap.at.checked_sub(self.n_came_before).filter(|came| *came > 0) else { return Ok(()) };
        let at = (came + inserted).min(self.n_frames());
        let max = self.room.max_frames.unwrap_or(u64::MAX);
        let n_frames = gap.n_frames.min(max.saturating_sub(at));
        if n_frames == 0 {
            return Ok(());
        }
        self.room.check(self.folder(), self.n_frames() * self.frame_bytes(), n_frames * self.frame_bytes())?;
        self.wav.insert_silence(at, n_frames)?;
        self.wav.cut(max)?;
        let later = self.dropouts.iter_mut().filter(|dropout| dropout.at >= at);
        later.for_each(|dropout| dropout.at += n_frames);
        self.gaps.push(Dropout { at, n_frames });
        Ok(())
    }

    /// Converts `came`, a number of frames delivered by the device, to a position in the file, counting the silence
    /// inserted for earlier gaps. At most the length of the file.
    fn place_of(&self, came: u64) -> u64 {
        let came = came.saturating_sub(self.n_came_before);
        let place = self.gaps.iter().fold(came, |at, gap| if gap.at <= at { at + gap.n_frames } else { at });
        place.min(self.n_frames())
    }

    fn write(&mut self, ring: &mut InputRing, n_frames: u64) -> Result<()> {
        if n_frames == 0 {
            return Ok(());
        }
        let n_channels = self.format.n_channels;
        self.room.check(self.folder(), self.n_frames() * self.frame_bytes(), n_frames * self.frame_bytes())?;
        let Ok(chunk) = ring.frames.read_chunk(n_frames as usize * n_channels) else { return Ok(()) };
        let (first, second) = chunk.as_slices();
        let n_kept = n_frames.min(self.frames_left()) as usize * n_channels;
        let (first, second) = (&first[..first.len().min(n_kept)], &second[..n_kept.saturating_sub(first.len())]);
        // Appends whole frames only, even if the ring's memory wraps around inside a frame.
        let (whole, split) = first.split_at(first.len() / n_channels * n_channels);
        let rest: Vec<f32> = split.iter().chain(second).copied().collect();
        let written = self.wav.append(whole).and_then(|()| self.wav.append(&rest));
        chunk.commit_all();
        ring.n_taken += n_frames;
        written
    }

    /// Writes silence in place of lost frames. Before the first frame of the file, they are only counted.
    fn fill(&mut self, n_frames: u64) -> Result<()> {
        if self.n_frames() == 0 {
            self.n_came_before += n_frames;
            return Ok(());
        }
        let n_frames = n_frames.min(self.frames_left());
        if n_frames == 0 {
            return Ok(());
        }
        self.room.check(self.folder(), self.n_frames() * self.frame_bytes(), n_frames * self.frame_bytes())?;
        self.dropouts.push(Dropout { at: self.n_frames(), n_frames });
        self.wav.append_silence(n_frames)
    }

    /// Writes the remaining frames of the ring, and the file's length. If the frames cannot be written, this error
    /// becomes the reason for the end; if the length cannot be written, only in place of [`CaptureEnd::Stopped`].
    pub(super) fn finish(mut self, ring: &mut InputRing, end: CaptureEnd) -> Captured {
        let mut end = end;
        if !matches!(end, CaptureEnd::Disk(_)) {
            // No frame follows sound lost at the very end, so no dropout marks it.
            let drained = self.drain(ring).and_then(|()| self.fill(ring.n_lost_at_end()));
            let drained = drained.and_then(|()| ring.last_gap().map_or(Ok(()), |gap| self.insert(gap)));
            if let Err(error) = drained {
                end = CaptureEnd::Disk(stopped_by(&error));
            }
        }
        let n_reported = ring.meter.reported() - self.reported_before;
        let reported_at = ring.meter.reported_since(self.reported_before);
        let reported_at = reported_at.into_iter().map(|came| self.place_of(came)).collect();
        let Take { wav, path, format, dropouts, gaps, .. } = self;
        let n_frames = wav.n_frames();
        if let Err(error) = wav.finish() {
            tracing::warn!(%error, "the length of a recording could not be written");
            if end == CaptureEnd::Stopped {
                end = CaptureEnd::Disk(stopped_by(&error));
            }
        }
        Captured { path, format, n_frames, dropouts, gaps, n_reported, reported_at, end }
    }
}

/// The error reported for a recording that was stopped by a write error.
pub(super) fn stopped_by(error: &Error) -> Error {
    let why = match error.kind() {
        ErrorKind::DiskFull => "the disk is full".to_owned(),
        _ => format!("its file {}", error.message()),
    };
    let what = format!("the recording was stopped because {why}; everything up to there was kept");
    Error::new(error.kind(), what)
}

/// Starts a thread that regularly syncs the file to disk until the returned sender is dropped. It is separate since a
/// sync may block for long. `None` if no thread can be started: the system then decides when to write the file.
fn sync_aside(wav: &GrowingWav) -> Option<Sender<()>> {
    let file = wav.handle().ok()?;
    let (ended, is_ended) = channel();
    let sync = move || {
        while matches!(is_ended.recv_timeout(SYNC_INTERVAL), Err(RecvTimeoutError::Timeout)) {
            if let Err(error) = file.sync_data() {
                tracing::warn!(%error, "a recording could not be brought to the disk");
            }
        }
    };
    std::thread::Builder::new().name("recording sync".into()).spawn(sync).ok().map(|_| ended)
}
