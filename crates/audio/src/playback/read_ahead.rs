//! The feeder: a thread that reads snapshots ahead, so that a slow disk causes no dropouts. Each sound has a lane: the
//! current one, and briefly the one that is about to replace it.

use super::ring::FADE_SECS;
use super::sound::Sound;
use crate::base::{Error, ErrorKind, Result, lock, trace};
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Duration of playback that is read ahead per lane.
const READ_AHEAD_SECS: f64 = 2.0;
/// Frames per read. The first read of a lane is shorter, to reduce latency.
const CHUNK_FRAMES: u64 = 4096;
const FIRST_CHUNK_FRAMES: u64 = 1024;

/// What a lane plays: from a sample to the end of a range, optionally looped. Backward playback runs from this sample
/// to the start of the range.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub sound: Sound,
    pub from: u64,
    pub range: Range<u64>,
    pub looping: bool,
    /// Speed factor, negative for backwards; never 0. Pitch follows it.
    pub pace: f64,
}

impl Route {
    pub(super) fn is_backwards(&self) -> bool {
        self.pace < 0.0
    }

    /// Samples of the document per second of playback.
    pub(super) fn paced_hz(&self) -> f64 {
        self.sound.sample_rate_hz() * self.pace.abs()
    }

    /// The position `n` samples further along the route.
    pub(super) fn further(&self, at: u64, n: u64) -> u64 {
        if self.is_backwards() { at.saturating_sub(n) } else { at + n }
    }

    /// The position at which playback continues after reaching `at`; `None` at the end of the route.
    pub(super) fn next(&self, at: u64) -> Option<u64> {
        let (is_inside, again) = match self.is_backwards() {
            false => (at < self.range.end, self.range.start),
            true => (at > self.range.start, self.range.end),
        };
        match is_inside {
            true => Some(at),
            false if self.looping && !self.range.is_empty() => Some(again),
            false => None,
        }
    }

    /// To avoid a click when a loop repeats, the end of the loop is crossfaded with the samples before its start
    /// (backwards: its start with the samples after its end). Returns the range to crossfade, and the offset from it to
    /// the other samples. The range is empty without a loop, or if there are no samples before (after) the loop.
    fn seam(&self) -> (Range<u64>, i64) {
        let Range { start, end } = self.range;
        let n_beyond = if self.is_backwards() { self.sound.n_samples().saturating_sub(end) } else { start };
        let turn = end.saturating_sub(start);
        let n = ((FADE_SECS * self.paced_hz()) as u64).min(turn / 2).min(n_beyond);
        match (self.looping, self.is_backwards()) {
            (false, _) => (start..start, 0),
            (true, false) => (end - n..end, -(turn as i64)),
            (true, true) => (start..start + n, turn as i64),
        }
    }
}

/// A contiguous run of frames.
#[derive(Debug)]
pub(super) struct FeedChunk {
    /// Sample of the document at its start.
    pub document: u64,
    /// Interleaved samples.
    pub samples: Vec<f32>,
}

#[derive(Debug, Default)]
struct LaneState {
    chunks: VecDeque<FeedChunk>,
    n_frames_ahead: u64,
    /// Start of the next chunk, in samples of the document; `None` after the last.
    next: Option<u64>,
    error: Option<Error>,
    n_chunks_read: u64,
}

/// A route being read.
#[derive(Debug)]
pub(super) struct FeedLane {
    route: Route,
    state: Mutex<LaneState>,
}

impl FeedLane {
    fn new(route: Route) -> FeedLane {
        let state = LaneState { next: route.next(route.from), ..LaneState::default() };
        FeedLane { route, state: Mutex::new(state) }
    }

    pub(super) fn route(&self) -> &Route {
        &self.route
    }

    /// Number of available frames, and whether no more will follow.
    pub(super) fn ready(&self) -> (u64, bool) {
        let state = lock(&self.state);
        (state.n_frames_ahead, state.next.is_none())
    }

    /// The error that stopped reading, returned once. Frames read before it are still available.
    pub(super) fn take_error(&self) -> Option<Error> {
        lock(&self.state).error.take()
    }

    fn n_channels(&self) -> usize {
        self.route.sound.n_channels()
    }

    fn wants(&self) -> Option<u64> {
        let state = lock(&self.state);
        let max = (READ_AHEAD_SECS * self.route.paced_hz()) as u64;
        (state.next.is_some() && state.n_frames_ahead < max).then_some(state.n_frames_ahead)
    }

    fn read_chunk(&self) {
        let (start, n_read) = {
            let state = lock(&self.state);
            (state.next, state.n_chunks_read)
        };
        let Some(start) = start else { return };
        let max = if n_read == 0 { FIRST_CHUNK_FRAMES } else { CHUNK_FRAMES };
        let left =
            if self.route.is_backwards() { start - self.route.range.start } else { self.route.range.end - start };
        let n_frames = max.min(left) as usize;
        let read = {
            let _span = trace::span("read ahead");
            self.interleaved(start, n_frames)
        };
        let mut state = lock(&self.state);
        state.n_chunks_read += 1;
        match read {
            Ok(samples) => {
                state.chunks.push_back(FeedChunk { document: start, samples });
                state.n_frames_ahead += n_frames as u64;
                state.next = self.route.next(self.route.further(start, n_frames as u64));
            }
            Err(error) => {
                state.error = Some(error);
                state.next = None;
            }
        }
    }

    /// Stops the lane after a panic while reading; frames read before are still available.
    fn give_up(&self) {
        let mut state = lock(&self.state);
        state.error =
            Some(Error::new(ErrorKind::Internal, "the sound could not be read; play it again, or see the log"));
        state.next = None;
    }

    /// Reads samples of the document and returns them interleaved, in playback order.
    fn interleaved(&self, start: u64, n_frames: usize) -> Result<Vec<f32>> {
        let is_backwards = self.route.is_backwards();
        let first = if is_backwards { start as i64 - n_frames as i64 } else { start as i64 };
        let n_channels = self.n_channels();
        let mut interleaved = vec![0.0; n_frames * n_channels];
        let mut planar = vec![0.0; n_frames];
        for channel in 0..n_channels {
            self.route.sound.read(channel, first, &mut planar)?;
            self.fade_seam(channel, first as u64, &mut planar)?;
            if is_backwards {
                planar.reverse();
            }
            for (frame, &sample) in interleaved.chunks_exact_mut(n_channels).zip(&planar) {
                frame[channel] = sample;
            }
        }
        Ok(interleaved)
    }

    /// Crossfades the part of `samples` that is in the [`seam`](Route::seam) of a loop. `first` is the document sample
    /// at their start.
    fn fade_seam(&self, channel: usize, first: u64, samples: &mut [f32]) -> Result<()> {
        let (seam, later_by) = self.route.seam();
        let faded = seam.start.max(first)..seam.end.min(first + samples.len() as u64);
        if faded.is_empty() {
            return Ok(());
        }
        let mut other = vec![0.0; (faded.end - faded.start) as usize];
        self.route.sound.read(channel, faded.start as i64 + later_by, &mut other)?;
        let n_seam = (seam.end - seam.start) as f32;
        for (at, other) in faded.zip(other) {
            let through = ((at - seam.start) as f32 + 0.5) / n_seam;
            let gain = if self.route.is_backwards() { 1.0 - through } else { through };
            let sample = &mut samples[(at - first) as usize];
            *sample += (other - *sample) * gain;
        }
        Ok(())
    }

    /// Appends up to `n_frames` contiguous frames to `out`. Returns the document sample at their start and their
    /// number; `None` if there are none.
    fn take(&self, n_frames: u64, out: &mut Vec<f32>) -> Option<(u64, u64)> {
        let n_channels = self.n_channels();
        let mut state = lock(&self.state);
        let chunk = state.chunks.front_mut()?;
        let document = chunk.document;
        let n = n_frames.min((chunk.samples.len() / n_channels) as u64);
        let n_samples = n as usize * n_channels;
        out.extend_from_slice(&chunk.samples[..n_samples]);
        if n_samples == chunk.samples.len() {
            state.chunks.pop_front();
        } else {
            chunk.samples.drain(..n_samples);
            chunk.document = self.route.further(chunk.document, n);
        }
        state.n_frames_ahead -= n;
        Some((document, n))
    }
}

#[derive(Debug, Default)]
struct Work {
    lanes: Vec<Arc<FeedLane>>,
    quit: bool,
}

/// The feeder's thread and its lanes.
#[derive(Debug)]
pub(super) struct Feeder {
    shared: Arc<(Mutex<Work>, Condvar)>,
}

impl Feeder {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system's error if no thread can be started.
    pub(super) fn start() -> std::io::Result<Feeder> {
        let shared = Arc::new((Mutex::new(Work::default()), Condvar::new()));
        let theirs = shared.clone();
        std::thread::Builder::new().name("feeder".into()).spawn(move || {
            let (work, wake) = &*theirs;
            loop {
                let lane = {
                    let mut work = lock(work);
                    loop {
                        if work.quit {
                            return;
                        }
                        // Serve the lane that is least ahead: its consumer needs it first.
                        let hungriest = work.lanes.iter().filter_map(|lane| Some((lane.wants()?, lane)));
                        if let Some((_, lane)) = hungriest.min_by_key(|(ahead, _)| *ahead) {
                            break lane.clone();
                        }
                        work = wake.wait(work).unwrap_or_else(PoisonError::into_inner);
                    }
                };
                // A panic caused by one sound must not affect the next.
                if catch_unwind(AssertUnwindSafe(|| lane.read_chunk())).is_err() {
                    lane.give_up();
                }
            }
        })?;
        Ok(Feeder { shared })
    }

    /// Starts reading a route.
    pub(super) fn open(&self, route: Route) -> Arc<FeedLane> {
        let lane = Arc::new(FeedLane::new(route));
        lock(&self.shared.0).lanes.push(lane.clone());
        self.shared.1.notify_one();
        lane
    }

    /// Stops reading a lane.
    pub(super) fn close(&self, lane: &Arc<FeedLane>) {
        lock(&self.shared.0).lanes.retain(|open| !Arc::ptr_eq(open, lane));
    }

    /// Appends up to `n_frames` contiguous frames of a lane to `out`, interleaved. Returns the document sample at their
    /// start and their number; `None` if there are none yet.
    pub(super) fn take(&self, lane: &FeedLane, n_frames: u64, out: &mut Vec<f32>) -> Option<(u64, u64)> {
        let taken = lane.take(n_frames, out);
        // Taking the lock ensures that the feeder is not between its check and its wait, so it cannot miss this
        // notification.
        drop(lock(&self.shared.0));
        self.shared.1.notify_one();
        taken
    }
}

impl Drop for Feeder {
    fn drop(&mut self) {
        lock(&self.shared.0).quit = true;
        self.shared.1.notify_one();
    }
}
