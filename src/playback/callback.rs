//! The audio callback. It copies from a ring of frames, without locks, allocation, freeing or waiting. Missing frames
//! are silent and counted.

use super::format::OutputFormat;
use super::levels::{Levels, METERED_CHANNELS};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*, fence};
use std::time::{Duration, Instant};

/// Length of the fade before frames are dropped.
pub(super) const FADE_SECS: f64 = 0.006;

/// State shared by the callback, the error callback and the player. Frames of the ring are numbered from 0, and numbers
/// are never reused.
#[derive(Debug)]
pub struct CallbackMeter {
    /// The generation: frames before this one are faded out and dropped.
    discard_before: AtomicU64,
    /// Whether an empty ring is an underrun.
    expecting: AtomicBool,
    /// End of the sound: no frame from this one on will be written.
    ends_at: AtomicU64,
    /// Frames taken out of the ring, played or dropped.
    taken: AtomicU64,
    callbacks: AtomicU64,
    underruns: AtomicU64,
    /// Largest number of frames requested by one callback.
    largest_request: AtomicU64,
    /// Set by the device's error callback, which may come 900,000 times a second.
    broken: AtomicU32,
    epoch: Instant,
    /// Odd while the two below are being written.
    heard_version: AtomicU64,
    heard_frame: AtomicU64,
    heard_at_nanos: AtomicU64,
    /// Bits of the peak magnitude per channel since the last query; the bits of non-negative floats sort like the
    /// floats.
    peaks: [AtomicU32; METERED_CHANNELS],
    clipped: [AtomicBool; METERED_CHANNELS],
}

impl Default for CallbackMeter {
    fn default() -> CallbackMeter {
        CallbackMeter {
            discard_before: AtomicU64::new(0),
            expecting: AtomicBool::new(false),
            ends_at: AtomicU64::new(u64::MAX),
            taken: AtomicU64::new(0),
            callbacks: AtomicU64::new(0),
            underruns: AtomicU64::new(0),
            largest_request: AtomicU64::new(0),
            broken: AtomicU32::new(0),
            epoch: Instant::now(),
            heard_version: AtomicU64::new(0),
            heard_frame: AtomicU64::new(0),
            heard_at_nanos: AtomicU64::new(0),
            peaks: Default::default(),
            clipped: Default::default(),
        }
    }
}

impl CallbackMeter {
    /// Drops every frame written so far after a short fade. `written` is the number of frames written.
    pub(super) fn discard_before(&self, written: u64) {
        self.expecting.store(false, Release);
        self.ends_at.store(u64::MAX, Release);
        self.discard_before.store(written, Release);
    }

    pub(super) fn expect_frames(&self) {
        self.expecting.store(true, Release);
    }

    pub(super) fn expect_none_from(&self, frame: u64) {
        self.ends_at.store(frame, Release);
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Acquire)
    }

    /// Number of callbacks so far.
    pub fn callbacks(&self) -> u64 {
        self.callbacks.load(Relaxed)
    }

    /// Number of underruns.
    pub fn underruns(&self) -> u64 {
        self.underruns.load(Relaxed)
    }

    pub(super) fn largest_request(&self) -> u64 {
        self.largest_request.load(Relaxed)
    }

    /// Reports a device failure; the only thing an error callback may do. `code` is the device's error code, not 0.
    pub fn report_broken(&self, code: u32) {
        self.broken.store(code, Release);
    }

    pub(super) fn broken(&self) -> Option<u32> {
        match self.broken.load(Acquire) {
            0 => None,
            code => Some(code),
        }
    }

    /// Adds what was written to the ring.
    pub(super) fn note_levels(&self, levels: &Levels) {
        for channel in 0..METERED_CHANNELS {
            self.peaks[channel].fetch_max(levels.peaks[channel].to_bits(), Relaxed);
            self.clipped[channel].fetch_or(levels.clipped[channel], Relaxed);
        }
    }

    /// Peak levels since the last query.
    pub(super) fn take_levels(&self) -> Levels {
        Levels {
            peaks: std::array::from_fn(|channel| f32::from_bits(self.peaks[channel].swap(0, Relaxed))),
            clipped: std::array::from_fn(|channel| self.clipped[channel].swap(false, Relaxed)),
        }
    }

    fn publish_heard(&self, frame: u64, at: Instant) {
        let version = self.heard_version.load(Relaxed);
        self.heard_version.store(version + 1, Relaxed);
        fence(Release);
        self.heard_frame.store(frame, Relaxed);
        self.heard_at_nanos.store(at.saturating_duration_since(self.epoch).as_nanos() as u64, Relaxed);
        self.heard_version.store(version + 2, Release);
    }

    /// The fractional frame heard now, from the device's timestamps, never beyond the frames delivered. `None` before
    /// the first callback.
    pub(super) fn heard_frame(&self, rate_hz: f64) -> Option<f64> {
        for _ in 0..64 {
            let before = self.heard_version.load(Acquire);
            let (frame, at) = (self.heard_frame.load(Relaxed), self.heard_at_nanos.load(Relaxed));
            fence(Acquire);
            if before % 2 == 1 || before != self.heard_version.load(Relaxed) {
                std::hint::spin_loop();
                continue;
            }
            if before == 0 {
                return None;
            }
            let now = self.epoch.elapsed().as_nanos() as i64;
            let heard = frame as f64 + (now - at as i64) as f64 * 1e-9 * rate_hz;
            return Some(heard.clamp(0.0, self.taken() as f64));
        }
        None
    }
}

/// The callback's own state, created by the player and moved into the stream.
#[derive(Debug)]
pub struct Callback {
    frames: rtrb::Consumer<f32>,
    meter: std::sync::Arc<CallbackMeter>,
    format: OutputFormat,
    taken: u64,
    discard_before: u64,
    /// Frames of the fade still to come, and its length.
    fade: (u64, u64),
}

impl Callback {
    pub(super) fn new(
        frames: rtrb::Consumer<f32>,
        meter: std::sync::Arc<CallbackMeter>,
        format: OutputFormat,
    ) -> Callback {
        Callback { frames, meter, format, taken: 0, discard_before: 0, fade: (0, 0) }
    }

    /// What the error callback needs.
    pub fn meter(&self) -> std::sync::Arc<CallbackMeter> {
        self.meter.clone()
    }

    /// Number of complete frames in the ring to be played.
    pub fn n_ready(&self) -> u64 {
        let n_frames = (self.frames.slots() / self.format.n_channels) as u64;
        n_frames.saturating_sub(self.meter.discard_before.load(Acquire).saturating_sub(self.taken))
    }

    /// Whether the ring contains the last frames of the sound.
    pub fn has_all(&self) -> bool {
        self.meter.ends_at.load(Acquire) != u64::MAX
    }

    /// Fills `out`, interleaved, with the next frames; the first will be heard `until_heard` from now.
    pub fn run(&mut self, out: &mut [f32], until_heard: Duration) {
        let starts_at = Instant::now() + until_heard;
        let n_channels = self.format.n_channels;
        let n_frames = (out.len() / n_channels) as u64;
        self.meter.callbacks.fetch_add(1, Relaxed);
        self.meter.largest_request.fetch_max(n_frames, Relaxed);

        let boundary = self.meter.discard_before.load(Acquire);
        if boundary > self.discard_before {
            self.discard_before = boundary;
            if self.fade.0 == 0 {
                let length = ((FADE_SECS * self.format.rate_hz) as u64).min(boundary.saturating_sub(self.taken));
                self.fade = (length, length);
            }
        }

        let mut done = 0;
        // First frame of the ring, and of `out`, from which both advance together.
        let mut in_step = (self.taken, 0);
        while done < n_frames {
            let here = &mut out[(done as usize) * n_channels..];
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
        out[done as usize * n_channels..].fill(0.0);
        if done < n_frames && self.meter.expecting.load(Acquire) && self.taken < self.meter.ends_at.load(Acquire) {
            self.meter.underruns.fetch_add(1, Relaxed);
        }
        self.meter.taken.store(self.taken, Release);
        let in_step_at = starts_at + Duration::from_secs_f64(in_step.1 as f64 / self.format.rate_hz);
        self.meter.publish_heard(in_step.0, in_step_at);
    }

    /// Copies up to `n` frames, with an optional fade given as (frames left, length).
    fn take(&mut self, out: &mut [f32], n: u64, fade: Option<(u64, u64)>) -> u64 {
        let n_channels = self.format.n_channels;
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
        let n = n.min((self.frames.slots() / self.format.n_channels) as u64);
        let Ok(chunk) = self.frames.read_chunk(n as usize * self.format.n_channels) else { return 0 };
        chunk.commit_all();
        self.taken += n;
        n
    }
}
