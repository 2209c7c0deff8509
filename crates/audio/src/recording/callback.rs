//! The input callback. It copies into a ring of frames, without locking, allocating, freeing memory or blocking. Frames
//! that do not fit are counted, with their position.

use super::format::InputFormat;
use super::input_clock::{Arrival, InputClock, InputMoment};
use super::status::{Dropout, InputLevels};
use crate::media::MAX_CHANNELS;
use crate::playback::DeviceSigns;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

/// Level from which samples count as clipped: full scale of 16-bit converters.
const CLIPPED: f32 = 32_767.0 / 32_768.0;
/// Capacity of the ring in seconds, to bridge disk stalls, and its maximum in bytes.
const RING_SECS: f64 = 8.0;
const RING_BYTES: usize = 32 << 20;
/// Maximum number of dropouts pending for the writer.
const MAX_DROPOUTS: usize = 256;
/// Number of reported gaps whose positions are kept; later gaps overwrite the oldest.
const MAX_REPORTED_GAPS: usize = 64;
/// Maximum number of callback times pending for the writer: 8 s of callbacks 1 ms apart.
const MAX_ARRIVALS: usize = 8192;

/// State shared by the callback, the error callback and the recorder.
#[derive(Debug)]
pub struct InputMeter {
    callbacks: AtomicU64,
    /// Frames that did not fit into the ring.
    lost: AtomicU64,
    /// Frames that the device delivered.
    given: AtomicU64,
    /// Number of gaps that the system reported, whose lengths are unknown.
    reported: AtomicU64,
    /// Value of `given` when each of the latest gaps was reported.
    reported_at: [AtomicU64; MAX_REPORTED_GAPS],
    /// Error code set by the device's error callback; 0 while the device works.
    broken: AtomicU32,
    /// Also set by the error callback, for errors that may be temporary.
    is_troubled: AtomicBool,
    /// Also set by the error callback, for an overrun after which the device restarts.
    has_restarted: AtomicBool,
    /// Peak magnitude per channel since the last query, as the bits of an `f32`: as integers, these have the same order
    /// as the values, which are not negative.
    peaks: [AtomicU32; MAX_CHANNELS],
    clipped: [AtomicBool; MAX_CHANNELS],
}

impl Default for InputMeter {
    fn default() -> InputMeter {
        InputMeter {
            callbacks: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            given: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            reported_at: [const { AtomicU64::new(0) }; MAX_REPORTED_GAPS],
            broken: AtomicU32::new(0),
            is_troubled: AtomicBool::new(false),
            has_restarted: AtomicBool::new(false),
            peaks: [const { AtomicU32::new(0) }; MAX_CHANNELS],
            clipped: [const { AtomicBool::new(false) }; MAX_CHANNELS],
        }
    }
}

impl InputMeter {
    /// Number of frames lost because the ring was full.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Acquire)
    }

    /// Reports a gap: sound that the system lost before delivering it.
    pub fn report_gap(&self) {
        let index = self.reported.load(Relaxed) as usize % MAX_REPORTED_GAPS;
        self.reported_at[index].store(self.given.load(Relaxed), Relaxed);
        self.reported.fetch_add(1, Release);
    }

    pub(super) fn reported(&self) -> u64 {
        self.reported.load(Acquire)
    }

    /// Positions, in received frames, of the latest reported gaps, without the first `before` ones.
    pub(super) fn reported_since(&self, before: u64) -> Vec<u64> {
        let n = self.reported();
        let first = before.max(n.saturating_sub(MAX_REPORTED_GAPS as u64));
        (first..n).map(|index| self.reported_at[index as usize % MAX_REPORTED_GAPS].load(Relaxed)).collect()
    }

    /// Reports a device failure after which there are no more callbacks. `code` is the device's error code, not 0.
    pub fn report_broken(&self, code: u32) {
        self.broken.store(code, Release);
    }

    /// Reports an overrun after which the device restarts.
    pub fn report_restart(&self) {
        self.has_restarted.store(true, Release);
    }

    /// Reports an error after which callbacks may continue.
    pub fn report_trouble(&self) {
        self.is_troubled.store(true, Release);
    }

    /// Activity and errors for the device watch; the flags for temporary errors and restarts are then cleared.
    pub(super) fn signs(&self) -> DeviceSigns {
        let broken = Some(self.broken.load(Acquire)).filter(|code| *code != 0);
        let is_troubled = self.is_troubled.swap(false, AcqRel);
        let has_restarted = self.has_restarted.swap(false, AcqRel);
        DeviceSigns { n_callbacks: self.callbacks.load(Relaxed), broken, is_troubled, has_restarted }
    }

    /// Levels of the first `n_channels` since the last query, which are then reset.
    pub(super) fn take_levels(&self, n_channels: usize) -> InputLevels {
        let channels = 0..n_channels.min(MAX_CHANNELS);
        InputLevels {
            peaks: channels.clone().map(|channel| f32::from_bits(self.peaks[channel].swap(0, Relaxed))).collect(),
            clipped: channels.map(|channel| self.clipped[channel].swap(false, Relaxed)).collect(),
        }
    }
}

/// The callback's own state, moved into the stream.
#[derive(Debug)]
pub struct InputCallback {
    frames: rtrb::Producer<f32>,
    dropouts: rtrb::Producer<Dropout>,
    arrivals: rtrb::Producer<Arrival>,
    meter: Arc<InputMeter>,
    format: InputFormat,
    /// Frames written to the ring.
    n_put: u64,
    /// Frames lost after the last one in the ring.
    n_lost: u64,
    /// Frames received.
    n_given: u64,
}

/// The recorder's end of the ring.
pub(super) struct InputRing {
    pub(super) frames: rtrb::Consumer<f32>,
    pub(super) dropouts: rtrb::Consumer<Dropout>,
    arrivals: rtrb::Consumer<Arrival>,
    clock: InputClock,
    pub(super) meter: Arc<InputMeter>,
    /// Frames taken from the ring.
    pub(super) n_taken: u64,
    /// Frames of the dropouts already removed with [`pop_dropout`](InputRing::pop_dropout).
    pub(super) n_reported: u64,
}

impl InputRing {
    /// Number of complete frames available.
    pub(super) fn n_ready(&self, n_channels: usize) -> u64 {
        (self.frames.slots() / n_channels) as u64
    }

    /// The next loss of frames, if at most `n_ready` frames in the ring precede it. To miss none, determine `n_ready`
    /// before this call.
    pub(super) fn next_dropout(&self, n_ready: u64) -> Option<Dropout> {
        self.dropouts.peek().ok().copied().filter(|dropout| dropout.at <= self.n_taken + n_ready)
    }

    /// Removes the next dropout, once its frames are written as silence.
    pub(super) fn pop_dropout(&mut self) {
        if let Ok(dropout) = self.dropouts.pop() {
            self.n_reported += dropout.n_frames;
        }
    }

    /// Frames lost after the last one in the ring.
    pub(super) fn n_lost_at_end(&self) -> u64 {
        self.meter.lost().saturating_sub(self.n_reported)
    }

    /// Number of frames delivered by the device and processed by the recorder, including lost ones.
    pub(super) fn n_known(&self) -> u64 {
        self.n_taken + self.n_reported
    }

    /// The next sound lost by the system, with its position in frames delivered by the device. Call this after taking
    /// frames from the ring: it considers only callbacks whose frames have been processed.
    pub(super) fn next_gap(&mut self) -> Option<Dropout> {
        let n_known = self.n_known();
        while self.arrivals.peek().is_ok_and(|arrival| arrival.n_frames <= n_known) {
            let gap = self.arrivals.pop().ok().and_then(|arrival| self.clock.observe(arrival));
            if gap.is_some() {
                return gap;
            }
        }
        None
    }

    /// A loss that was not yet certain when the recording ended, if any, detected with a shorter settling time.
    pub(super) fn last_gap(&mut self) -> Option<Dropout> {
        self.clock.end()
    }

    /// Discards everything captured so far.
    pub(super) fn discard(&mut self, n_channels: usize) {
        let n_frames = self.n_ready(n_channels);
        if let Ok(chunk) = self.frames.read_chunk(n_frames as usize * n_channels) {
            chunk.commit_all();
            self.n_taken += n_frames;
        }
        while self.next_dropout(0).is_some() {
            self.pop_dropout();
        }
        while self.next_gap().is_some() {}
    }
}

impl InputCallback {
    /// Creates the callback for a format, and the reading end of its ring.
    pub(super) fn new(format: InputFormat) -> (InputCallback, InputRing) {
        let rate_hz = f64::from(format.rate_hz);
        let max = RING_BYTES / (size_of::<f32>() * format.n_channels);
        let n_frames = ((RING_SECS * rate_hz) as usize).min(max).max((0.5 * rate_hz) as usize);
        let (put, take) = rtrb::RingBuffer::new(n_frames * format.n_channels);
        let (put_dropouts, take_dropouts) = rtrb::RingBuffer::new(MAX_DROPOUTS);
        let (put_arrivals, take_arrivals) = rtrb::RingBuffer::new(MAX_ARRIVALS);
        let meter = Arc::new(InputMeter::default());
        let ring = InputRing {
            frames: take,
            dropouts: take_dropouts,
            arrivals: take_arrivals,
            clock: InputClock::new(rate_hz),
            meter: meter.clone(),
            n_taken: 0,
            n_reported: 0,
        };
        let callback = InputCallback {
            frames: put,
            dropouts: put_dropouts,
            arrivals: put_arrivals,
            meter,
            format,
            n_put: 0,
            n_lost: 0,
            n_given: 0,
        };
        (callback, ring)
    }

    /// The meter shared with the error callback.
    pub fn meter(&self) -> Arc<InputMeter> {
        self.meter.clone()
    }

    /// Receives interleaved frames with all channels of the device.
    pub fn run(&mut self, input: &[f32]) {
        let InputFormat { n_device_channels, n_channels, .. } = self.format;
        let n_frames = input.len() / n_device_channels;
        self.meter.callbacks.fetch_add(1, Relaxed);
        self.n_given += n_frames as u64;
        self.meter.given.store(self.n_given, Relaxed);
        self.note_levels(input);
        let mut n_room = (self.frames.slots() / n_channels).min(n_frames);
        if self.n_lost > 0 && n_room > 0 {
            // After a loss, resume only once all frames of a callback fit, so that a busy machine causes few gaps, and
            // only if the position of the last gap can be queued.
            let dropout = Dropout { at: self.n_put, n_frames: self.n_lost };
            if n_room == n_frames && self.dropouts.push(dropout).is_ok() {
                self.n_lost = 0;
            } else {
                n_room = 0;
            }
        }
        if let Ok(mut chunk) = self.frames.write_chunk(n_room * n_channels) {
            let (first, second) = chunk.as_mut_slices();
            let kept = input.chunks_exact(n_device_channels).flat_map(|frame| &frame[..n_channels]);
            first.iter_mut().chain(second).zip(kept).for_each(|(out, sample)| *out = *sample);
            chunk.commit_all();
        } else {
            n_room = 0;
        }
        self.n_put += n_room as u64;
        let n_lost = (n_frames - n_room) as u64;
        self.n_lost += n_lost;
        self.meter.lost.fetch_add(n_lost, Release);
    }

    /// Records the times of the system's callback. Call this after [`run`](InputCallback::run) has received all its
    /// frames.
    pub fn note(&mut self, moment: InputMoment) {
        // If the queue is full, later entries make up for the missing one.
        self.arrivals.push(Arrival { n_frames: self.n_given, moment }).ok();
    }

    fn note_levels(&self, input: &[f32]) {
        let mut peaks = [0.0f32; MAX_CHANNELS];
        for frame in input.chunks_exact(self.format.n_device_channels) {
            for (peak, sample) in peaks.iter_mut().zip(&frame[..self.format.n_channels]) {
                *peak = peak.max(sample.abs());
            }
        }
        for (channel, peak) in peaks.iter().enumerate().take(self.format.n_channels) {
            self.meter.peaks[channel].fetch_max(peak.to_bits(), Relaxed);
            self.meter.clipped[channel].fetch_or(*peak >= CLIPPED, Relaxed);
        }
    }
}
