//! A ring of frames from the control thread to the callback. Frames are numbered from 0, and numbers are never reused.

use super::format::OutputFormat;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

/// Length of the fade-out before frames are dropped.
pub(super) const FADE_SECS: f64 = 0.006;

/// State shared by both ends.
#[derive(Debug)]
pub(super) struct RingState {
    /// Start of the current generation: earlier frames are faded out and dropped.
    discard_before: AtomicU64,
    /// Whether an empty ring counts as an underrun.
    expecting: AtomicBool,
    /// End of the sound: no frame from this one on will be written. `u64::MAX` while unknown.
    ends_at: AtomicU64,
    /// Total number of frames taken from the ring, played or dropped.
    taken: AtomicU64,
}

impl RingState {
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Acquire)
    }
}

/// Writing end of the ring.
#[derive(Debug)]
pub(super) struct RingWriter {
    frames: rtrb::Producer<f32>,
    state: Arc<RingState>,
    n_channels: usize,
    /// Total number of frames written.
    written: u64,
    /// The reader drops frames before this one.
    discarded: u64,
}

/// The reading end, which never locks, allocates, frees memory or blocks.
#[derive(Debug)]
pub(super) struct RingReader {
    frames: rtrb::Consumer<f32>,
    state: Arc<RingState>,
    n_channels: usize,
    fade_frames: u64,
    taken: u64,
    discard_before: u64,
    /// Number of remaining frames of the fade-out, and its length in frames.
    fade: (u64, u64),
}

/// Result of a read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadFrames {
    /// Frames written to the output; the rest is unchanged.
    pub n_frames: u64,
    /// A frame of the ring, and its position in the output: from there on, output frames are consecutive frames of the
    /// ring.
    pub in_step: (u64, u64),
    /// Whether expected frames are missing.
    pub is_dry: bool,
}

/// A ring of `capacity_frames`: its writing end and its reading end.
pub(super) fn ring(format: OutputFormat, capacity_frames: usize) -> (RingWriter, RingReader) {
    let n_channels = format.n_channels;
    let (producer, consumer) = rtrb::RingBuffer::new(capacity_frames * n_channels);
    let state = Arc::new(RingState {
        discard_before: AtomicU64::new(0),
        expecting: AtomicBool::new(false),
        ends_at: AtomicU64::new(u64::MAX),
        taken: AtomicU64::new(0),
    });
    let writer = RingWriter { frames: producer, state: state.clone(), n_channels, written: 0, discarded: 0 };
    let fade_frames = (FADE_SECS * format.rate_hz) as u64;
    (writer, RingReader { frames: consumer, state, n_channels, fade_frames, taken: 0, discard_before: 0, fade: (0, 0) })
}

impl RingWriter {
    /// Total number of frames written.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Total number of frames that the device has taken.
    pub(super) fn taken(&self) -> u64 {
        self.state.taken()
    }

    /// Whether all written frames were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.state.taken() >= self.written
    }

    /// Number of frames that can be written up to a fill of `target`, leaving `spare` frames free.
    pub(super) fn room(&self, target: u64, spare: u64) -> u64 {
        let in_ring = self.written - self.state.taken().max(self.discarded);
        let free = (self.frames.slots() / self.n_channels) as u64;
        target.saturating_sub(in_ring).min(free.saturating_sub(spare))
    }

    /// Writes interleaved frames and clears `block`. The caller must ensure that they fit.
    pub(super) fn write(&mut self, block: &mut Vec<f32>) {
        let (_, left) = self.frames.push_partial_slice(block);
        debug_assert!(left.is_empty());
        self.written += (block.len() / self.n_channels) as u64;
        block.clear();
    }

    /// Drops every frame written so far after a short fade.
    pub(super) fn discard(&mut self) {
        self.discarded = self.written;
        self.state.expecting.store(false, Release);
        self.state.ends_at.store(u64::MAX, Release);
        self.state.discard_before.store(self.written, Release);
    }

    /// From now on, an empty ring counts as an underrun.
    pub(super) fn expect_frames(&self) {
        self.state.expecting.store(true, Release);
    }

    /// Cancels [`expect_none`](RingWriter::expect_none): more frames will follow.
    pub(super) fn expect_more(&self) {
        self.state.ends_at.store(u64::MAX, Release);
    }

    /// Marks the end of the sound after the frames written so far.
    pub(super) fn expect_none(&self) {
        self.state.ends_at.store(self.written, Release);
    }
}

impl RingReader {
    pub(super) fn state(&self) -> Arc<RingState> {
        self.state.clone()
    }

    /// Number of complete frames to be played.
    pub(super) fn n_ready(&self) -> u64 {
        let n_frames = (self.frames.slots() / self.n_channels) as u64;
        n_frames.saturating_sub(self.n_to_drop())
    }

    /// Number of frames that will fade out and be dropped before the next ones are played.
    pub(super) fn n_to_drop(&self) -> u64 {
        self.state.discard_before.load(Acquire).saturating_sub(self.taken)
    }

    /// Whether `n` frames are available, or the last frames of the sound, or no frames are expected.
    pub(super) fn is_ready(&self, n: u64) -> bool {
        let n_ready = self.n_ready();
        let has_all = self.state.ends_at.load(Acquire) != u64::MAX;
        n_ready >= n || (n_ready > 0 && has_all) || (n_ready == 0 && !self.is_expected())
    }

    fn is_expected(&self) -> bool {
        self.state.expecting.load(Acquire) && self.taken < self.state.ends_at.load(Acquire)
    }

    /// Copies available frames to `out`, interleaved, until it is full; frames to be dropped fade out first.
    pub(super) fn read(&mut self, out: &mut [f32]) -> ReadFrames {
        let n_frames = (out.len() / self.n_channels) as u64;
        let boundary = self.state.discard_before.load(Acquire);
        if boundary > self.discard_before {
            self.discard_before = boundary;
            if self.fade.0 == 0 {
                let length = self.fade_frames.min(boundary.saturating_sub(self.taken));
                self.fade = (length, length);
            }
        }
        let mut done = 0;
        let mut in_step = (self.taken, 0);
        while done < n_frames {
            let here = &mut out[(done as usize) * self.n_channels..];
            let n_to_drop = self.discard_before.saturating_sub(self.taken);
            if n_to_drop == 0 {
                self.fade = (0, 0);
                let n = self.take(here, n_frames - done, None);
                if n == 0 {
                    break;
                }
                done += n;
            } else if self.fade.0 > 0 {
                let fade = self.fade;
                let n = self.take(here, fade.0.min(n_to_drop).min(n_frames - done), Some(fade));
                if n == 0 {
                    self.fade = (0, 0);
                }
                self.fade.0 -= n.min(self.fade.0);
                done += n;
            } else {
                if self.skip(n_to_drop) == 0 {
                    break;
                }
                in_step = (self.taken, done);
            }
        }
        let is_dry = done < n_frames && self.is_expected();
        self.state.taken.store(self.taken, Release);
        ReadFrames { n_frames: done, in_step, is_dry }
    }

    /// Copies up to `n` frames, with an optional fade-out given as (frames left, length in frames). Returns the number
    /// of frames copied.
    fn take(&mut self, out: &mut [f32], n: u64, fade: Option<(u64, u64)>) -> u64 {
        let n_channels = self.n_channels;
        let n = n.min((self.frames.slots() / n_channels) as u64);
        let Ok(chunk) = self.frames.read_chunk(n as usize * n_channels) else { return 0 };
        let (first, second) = chunk.as_slices();
        out[..first.len()].copy_from_slice(first);
        out[first.len()..first.len() + second.len()].copy_from_slice(second);
        chunk.commit_all();
        if let Some((left, length)) = fade {
            for (frame, samples) in out.chunks_exact_mut(n_channels).take(n as usize).enumerate() {
                let gain = (left - frame as u64) as f32 / (length + 1) as f32;
                samples.iter_mut().for_each(|sample| *sample *= gain);
            }
        }
        self.taken += n;
        n
    }

    fn skip(&mut self, n: u64) -> u64 {
        let n = n.min((self.frames.slots() / self.n_channels) as u64);
        let Ok(chunk) = self.frames.read_chunk(n as usize * self.n_channels) else { return 0 };
        chunk.commit_all();
        self.taken += n;
        n
    }
}
