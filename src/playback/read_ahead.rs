//! The feeder: a thread that reads snapshots ahead, so that a slow disk is not heard. It serves one lane per thing to
//! be played: the sound now, and for a moment the one that it is about to be swapped for.

use super::sound::Sound;
use crate::base::{Error, ErrorKind, Result, lock, trace};
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How far a lane is read ahead.
const AHEAD_SECS: f64 = 2.0;
/// Frames of one read; the first of a lane is shorter, since someone waits for it.
const CHUNK_FRAMES: u64 = 4096;
const FIRST_CHUNK_FRAMES: u64 = 1024;

/// What to play: from a sample on, to the end of a range, and perhaps again from its start. Backwards, samples lie
/// before the place that is given, and the range ends at its start.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub sound: Sound,
    pub from: u64,
    pub range: Range<u64>,
    pub looping: bool,
    /// How many times as fast, negative backwards; not 0.
    pub pace: i32,
}

impl Route {
    pub(super) fn is_backwards(&self) -> bool {
        self.pace < 0
    }

    /// Samples of the document per second of playing.
    pub(super) fn paced_hz(&self) -> f64 {
        self.sound.sample_rate_hz() * f64::from(self.pace.unsigned_abs())
    }

    /// The place `n` samples further on the way.
    pub(super) fn further(&self, at: u64, n: u64) -> u64 {
        if self.is_backwards() { at.saturating_sub(n) } else { at + n }
    }

    /// Where a route that has come to `at` goes on; none at its end.
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
}

/// A run of frames without a jump inside.
#[derive(Debug)]
pub(super) struct FeedChunk {
    /// Sample of the document at its start.
    pub document: u64,
    /// Interleaved.
    pub samples: Vec<f32>,
}

#[derive(Debug, Default)]
struct LaneState {
    chunks: VecDeque<FeedChunk>,
    n_frames_ahead: u64,
    /// Where the next chunk starts.
    next: Option<u64>,
    error: Option<Error>,
    n_chunks_read: u64,
}

/// One route being read.
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

    /// Frames that can be taken now, and whether those are the last.
    pub(super) fn ready(&self) -> (u64, bool) {
        let state = lock(&self.state);
        (state.n_frames_ahead, state.next.is_none())
    }

    /// What stopped the reading; the frames before it can still be taken.
    pub(super) fn take_error(&self) -> Option<Error> {
        lock(&self.state).error.take()
    }

    fn n_channels(&self) -> usize {
        self.route.sound.n_channels()
    }

    fn wants(&self) -> Option<u64> {
        let state = lock(&self.state);
        let most = (AHEAD_SECS * self.route.paced_hz()) as u64;
        (state.next.is_some() && state.n_frames_ahead < most).then_some(state.n_frames_ahead)
    }

    fn read_chunk(&self) {
        let (start, n_read) = {
            let state = lock(&self.state);
            (state.next, state.n_chunks_read)
        };
        let Some(start) = start else { return };
        let most = if n_read == 0 { FIRST_CHUNK_FRAMES } else { CHUNK_FRAMES };
        let left =
            if self.route.is_backwards() { start - self.route.range.start } else { self.route.range.end - start };
        let n_frames = most.min(left) as usize;
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

    /// Reading panicked: what was read before can still be taken.
    fn give_up(&self) {
        let mut state = lock(&self.state);
        state.error = Some(Error::new(ErrorKind::Internal, "the sound could not be read; play it again, see the log"));
        state.next = None;
    }

    /// In the order in which they are played.
    fn interleaved(&self, start: u64, n_frames: usize) -> Result<Vec<f32>> {
        let is_backwards = self.route.is_backwards();
        let first = if is_backwards { start as i64 - n_frames as i64 } else { start as i64 };
        let n_channels = self.n_channels();
        let mut interleaved = vec![0.0; n_frames * n_channels];
        let mut planar = vec![0.0; n_frames];
        for channel in 0..n_channels {
            self.route.sound.read(channel, first, &mut planar)?;
            if is_backwards {
                planar.reverse();
            }
            for (frame, &sample) in interleaved.chunks_exact_mut(n_channels).zip(&planar) {
                frame[channel] = sample;
            }
        }
        Ok(interleaved)
    }

    /// Takes up to `n_frames` frames without a jump inside; the document's sample at their start.
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

/// The thread and its lanes.
#[derive(Debug)]
pub(super) struct Feeder {
    shared: Arc<(Mutex<Work>, Condvar)>,
}

impl Feeder {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system's, when it has no more threads.
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
                        // The one that is least ahead: someone waits for it.
                        let hungriest = work.lanes.iter().filter_map(|lane| Some((lane.wants()?, lane)));
                        if let Some((_, lane)) = hungriest.min_by_key(|(ahead, _)| *ahead) {
                            break lane.clone();
                        }
                        work = wake.wait(work).unwrap_or_else(PoisonError::into_inner);
                    }
                };
                // What one sound does to its reader is not the next one's fault.
                if catch_unwind(AssertUnwindSafe(|| lane.read_chunk())).is_err() {
                    lane.give_up();
                }
            }
        })?;
        Ok(Feeder { shared })
    }

    /// Begins to read a route.
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

    /// Takes up to `n_frames` frames of a lane without a jump inside, appending them interleaved: the document's
    /// sample at their start, and how many they are.
    pub(super) fn take(&self, lane: &FeedLane, n_frames: u64, out: &mut Vec<f32>) -> Option<(u64, u64)> {
        let taken = lane.take(n_frames, out);
        // Under the lock of the work, so that the feeder is either looking or waiting.
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
