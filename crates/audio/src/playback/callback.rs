//! The audio callback. It copies from the playback ring and adds interactive sound from a second ring, without locking,
//! allocating, freeing memory or blocking. Missing frames are silent and counted.

use super::format::OutputFormat;
use super::levels::{Levels, METERED_CHANNELS};
use super::monitor::MonitorGain;
use super::ring::{RingReader, RingState};
use super::watch::DeviceSigns;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*, fence};
use std::time::{Duration, Instant};

/// Maximum number of interactive frames added at a time.
const MIX_FRAMES: usize = 512;

/// State shared by the callback, the error callback and the player.
#[derive(Debug)]
pub struct CallbackMeter {
    /// State of the playback ring.
    clip: Arc<RingState>,
    callbacks: AtomicU64,
    underruns: AtomicU64,
    /// Largest number of frames requested by one callback.
    largest_request: AtomicU64,
    /// Error code, or 0 while the device works. Set by the device's error callback, which may be called 900,000 times a
    /// second.
    broken: AtomicU32,
    /// Also set by the error callback, for errors that may be temporary.
    is_troubled: AtomicBool,
    /// Also set by the error callback, for an underrun after which the device restarts.
    has_restarted: AtomicBool,
    epoch: Instant,
    /// Odd while `audible_frame` and `heard_at_nanos` are being written.
    position_version: AtomicU64,
    audible_frame: AtomicU64,
    heard_at_nanos: AtomicU64,
    /// Peak magnitude per channel since the last query, as the bits of an `f32`: as integers, these have the same order
    /// as the values, which are not negative.
    peaks: [AtomicU32; METERED_CHANNELS],
    clipped: [AtomicBool; METERED_CHANNELS],
}

impl CallbackMeter {
    pub(super) fn new(clip: Arc<RingState>) -> CallbackMeter {
        CallbackMeter {
            clip,
            callbacks: AtomicU64::new(0),
            underruns: AtomicU64::new(0),
            largest_request: AtomicU64::new(0),
            broken: AtomicU32::new(0),
            is_troubled: AtomicBool::new(false),
            has_restarted: AtomicBool::new(false),
            epoch: Instant::now(),
            position_version: AtomicU64::new(0),
            audible_frame: AtomicU64::new(0),
            heard_at_nanos: AtomicU64::new(0),
            peaks: Default::default(),
            clipped: Default::default(),
        }
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

    /// Reports a device failure after which there are no more callbacks. `code` is the device's error code, not 0.
    pub fn report_broken(&self, code: u32) {
        self.broken.store(code, Release);
    }

    /// Reports an underrun after which the device restarts.
    pub fn report_restart(&self) {
        self.has_restarted.store(true, Release);
    }

    /// Reports an error after which callbacks may continue. An error callback must do nothing but report.
    pub fn report_trouble(&self) {
        self.is_troubled.store(true, Release);
    }

    pub(super) fn broken(&self) -> Option<u32> {
        match self.broken.load(Acquire) {
            0 => None,
            code => Some(code),
        }
    }

    /// Activity and errors for the device watch; the flags for temporary errors and restarts are then cleared.
    pub(super) fn signs(&self) -> DeviceSigns {
        let is_troubled = self.is_troubled.swap(false, AcqRel);
        let has_restarted = self.has_restarted.swap(false, AcqRel);
        DeviceSigns { n_callbacks: self.callbacks(), broken: self.broken(), is_troubled, has_restarted }
    }

    /// Merges in the levels of the frames written to the ring.
    pub(super) fn note_levels(&self, levels: &Levels) {
        for channel in 0..METERED_CHANNELS {
            self.peaks[channel].fetch_max(levels.peaks[channel].to_bits(), Relaxed);
            self.clipped[channel].fetch_or(levels.clipped[channel], Relaxed);
        }
    }

    /// The levels since the last query, which are then reset.
    pub(super) fn take_levels(&self) -> Levels {
        Levels {
            peaks: std::array::from_fn(|channel| f32::from_bits(self.peaks[channel].swap(0, Relaxed))),
            clipped: std::array::from_fn(|channel| self.clipped[channel].swap(false, Relaxed)),
        }
    }

    fn publish_heard(&self, frame: u64, at: Instant) {
        let version = self.position_version.load(Relaxed);
        self.position_version.store(version + 1, Relaxed);
        fence(Release);
        self.audible_frame.store(frame, Relaxed);
        self.heard_at_nanos.store(at.saturating_duration_since(self.epoch).as_nanos() as u64, Relaxed);
        self.position_version.store(version + 2, Release);
    }

    /// The fractional frame that is audible now, according to the device's timestamps, and at most the number of
    /// delivered frames. `None` before the first callback.
    pub(super) fn audible_frame(&self, rate_hz: f64) -> Option<f64> {
        for _ in 0..64 {
            let before = self.position_version.load(Acquire);
            let (frame, at) = (self.audible_frame.load(Relaxed), self.heard_at_nanos.load(Relaxed));
            fence(Acquire);
            if before % 2 == 1 || before != self.position_version.load(Relaxed) {
                std::hint::spin_loop();
                continue;
            }
            if before == 0 {
                return None;
            }
            let now = self.epoch.elapsed().as_nanos() as i64;
            let heard = frame as f64 + (now - at as i64) as f64 * 1e-9 * rate_hz;
            return Some(heard.clamp(0.0, self.clip.taken() as f64));
        }
        None
    }
}

/// The callback's own state, created by the player and moved into the stream.
#[derive(Debug)]
pub struct Callback {
    clip: RingReader,
    hand: RingReader,
    /// Buffer for interactive frames.
    added: Vec<f32>,
    /// Limits the sum of both rings; each part is already limited separately.
    limiter: MonitorGain,
    meter: Arc<CallbackMeter>,
    format: OutputFormat,
}

impl Callback {
    pub(super) fn new([clip, hand]: [RingReader; 2], meter: Arc<CallbackMeter>, format: OutputFormat) -> Callback {
        let added = vec![0.0; MIX_FRAMES * format.n_channels];
        Callback { clip, hand, added, limiter: MonitorGain::new(format.rate_hz), meter, format }
    }

    /// The meter shared with the error callback.
    pub fn meter(&self) -> Arc<CallbackMeter> {
        self.meter.clone()
    }

    /// Number of complete frames available in the fuller of the two rings.
    pub fn n_ready(&self) -> u64 {
        self.clip.n_ready().max(self.hand.n_ready())
    }

    /// Number of playback frames that will fade out and be dropped.
    pub fn n_to_drop(&self) -> u64 {
        self.clip.n_to_drop()
    }

    /// Whether each ring has `n` frames or its last ones, and at least one has any.
    pub fn is_ready(&self, n: u64) -> bool {
        self.n_ready() > 0 && self.clip.is_ready(n) && self.hand.is_ready(n)
    }

    /// Fills `out` with the next interleaved frames, the first of which will be audible `until_heard` from now.
    pub fn run(&mut self, out: &mut [f32], until_heard: Duration) {
        let starts_at = Instant::now() + until_heard;
        let n_channels = self.format.n_channels;
        let n_frames = (out.len() / n_channels) as u64;
        self.meter.callbacks.fetch_add(1, Relaxed);
        self.meter.largest_request.fetch_max(n_frames, Relaxed);

        let read = self.clip.read(out);
        out[read.n_frames as usize * n_channels..].fill(0.0);
        let is_hand_dry = self.add_hand(out);
        self.limiter.process(out, n_channels);
        if read.is_dry || is_hand_dry {
            self.meter.underruns.fetch_add(1, Relaxed);
        }
        let (in_step, in_step_at) = read.in_step;
        let in_step_at = starts_at + Duration::from_secs_f64(in_step_at as f64 / self.format.rate_hz);
        self.meter.publish_heard(in_step, in_step_at);
    }

    /// Adds the interactive sound; where there is none, samples are unchanged. Returns whether part of it is missing.
    fn add_hand(&mut self, out: &mut [f32]) -> bool {
        for out in out.chunks_mut(self.added.len()) {
            let added = &mut self.added[..out.len()];
            let read = self.hand.read(added);
            let n_samples = read.n_frames as usize * self.format.n_channels;
            out[..n_samples].iter_mut().zip(added).for_each(|(out, added)| *out += *added);
            if n_samples < out.len() {
                return read.is_dry;
            }
        }
        false
    }
}
