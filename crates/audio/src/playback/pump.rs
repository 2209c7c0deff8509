//! Moves frames from a feeder's lane, and interactive sound, to their rings, with crossfades, channel mixing and
//! resampling. Runs on the audio control thread.

use super::callback::CallbackMeter;
use super::fold::ChannelFold;
use super::format::OutputFormat;
use super::hand::Hand;
use super::levels::Levels;
use super::monitor::MonitorGain;
use super::playhead::Playhead;
use super::read_ahead::{FeedLane, Feeder, Route};
use super::ring::{FADE_SECS, RingWriter};
use crate::base::{Result, lock, trace};
use crate::media::Resampler;
use std::sync::{Arc, Mutex};

/// Target fill of a ring, unless the device requests more at once. It determines the latency of a swap: 40 ms with the
/// crossfade.
const RING_SECS: f64 = 0.034;
/// Maximum number of frames per step, unless resampled.
const BLOCK_FRAMES: u64 = 256;

/// The writing ends of the rings.
pub(super) struct Pump {
    clip: Outlet,
    /// Ring of interactive sound over playback.
    over: Outlet,
    meter: Arc<CallbackMeter>,
    format: OutputFormat,
    playhead: Arc<Mutex<Playhead>>,
    run: Option<Run>,
    /// The interactive sound, which replaces playback or is mixed over it, and its channel mixing.
    hand: Option<(Hand, ChannelFold)>,
}

/// The writing end of a ring, and its gain.
struct Outlet {
    ring: RingWriter,
    monitor: MonitorGain,
}

/// One playback in progress.
struct Run {
    lane: Arc<FeedLane>,
    /// The lane to crossfade to, and `n_taken` at the time when it was opened.
    incoming: Option<(Arc<FeedLane>, u64)>,
    fold: ChannelFold,
    resampler: Option<Resampler>,
    /// Frames of the ring per frame of the document.
    ratio: f64,
    /// Frame of the ring at which the run starts.
    began_at: u64,
    /// Document frames taken from the lane.
    n_taken: u64,
    /// Frames produced by the resampler.
    n_given: u64,
    /// Document position after the last frame taken from the lane.
    document: u64,
    /// Frames in the device's channels at the document's rate, not yet resampled.
    folded: Vec<f32>,
    /// Number of remaining frames of the fade-in, and its length in frames.
    fade_in: (u64, u64),
    /// Levels of the frames taken since the last query.
    levels: Levels,
    filled_once: bool,
    ended: bool,
}

impl Pump {
    pub(super) fn new(
        rings: [RingWriter; 2],
        meter: Arc<CallbackMeter>,
        format: OutputFormat,
        playhead: Arc<Mutex<Playhead>>,
    ) -> Pump {
        let [clip, over] = rings.map(|ring| Outlet { ring, monitor: MonitorGain::new(format.rate_hz) });
        Pump { clip, over, meter, format, playhead, run: None, hand: None }
    }

    /// Starts playing a route; frames already in the ring fade out.
    pub(super) fn start(&mut self, route: Route, feeder: &Feeder) -> Result<()> {
        let was_playing = self.stop(feeder);
        let rate_hz = route.paced_hz();
        let n_channels = self.format.n_channels;
        let resampler = if rate_hz == self.format.rate_hz {
            None
        } else {
            Some(Resampler::new(rate_hz, self.format.rate_hz, n_channels)?)
        };
        let ratio = self.format.rate_hz / rate_hz;
        let fade_in = if was_playing { (FADE_SECS * rate_hz) as u64 } else { 0 };
        lock(&self.playhead).begin(route.sound.sample_rate_hz(), if route.is_backwards() { -ratio } else { ratio });
        self.run = Some(Run {
            fold: ChannelFold::new(route.sound.n_channels(), n_channels),
            document: route.from,
            lane: feeder.open(route),
            incoming: None,
            resampler,
            ratio,
            began_at: self.clip.ring.written(),
            n_taken: 0,
            n_given: 0,
            folded: Vec::new(),
            fade_in: (fade_in, fade_in),
            levels: Levels::default(),
            filled_once: false,
            ended: false,
        });
        Ok(())
    }

    /// Starts interactive sound in place of any other; scrubbing also replaces playback.
    pub(super) fn take_hand(&mut self, hand: Hand, feeder: &Feeder) {
        let is_over_playback = hand.is_over_playback();
        if !is_over_playback || self.hand().is_some_and(|hand| !hand.is_over_playback()) {
            self.stop(feeder);
        }
        self.stop_held();
        let outlet = if is_over_playback { &self.over } else { &self.clip };
        outlet.ring.expect_more();
        let fold = ChannelFold::new(hand.n_channels(), self.format.n_channels);
        self.hand = Some((hand, fold));
    }

    /// The device's sample rate.
    pub(super) fn rate_hz(&self) -> f64 {
        self.format.rate_hz
    }

    /// The current interactive sound, if any.
    pub(super) fn hand(&mut self) -> Option<&mut Hand> {
        self.hand.as_mut().map(|(hand, _)| hand)
    }

    /// Fades out playback and scrubbing; returns whether anything was playing.
    pub(super) fn stop(&mut self, feeder: &Feeder) -> bool {
        let had_hand = self.hand.take_if(|(hand, _)| !hand.is_over_playback()).is_some();
        match self.run.take() {
            Some(run) => {
                feeder.close(&run.lane);
                if let Some((lane, _)) = &run.incoming {
                    feeder.close(lane);
                }
            }
            None if had_hand => {}
            None => return false,
        }
        self.clip.ring.discard();
        true
    }

    /// Fades out interactive sound over playback.
    pub(super) fn stop_held(&mut self) {
        if self.hand.take_if(|(hand, _)| hand.is_over_playback()).is_some() {
            self.over.ring.discard();
        }
    }

    /// Crossfades to a changed route, with another snapshot of the same shape or another loop setting, once enough of
    /// it has been read. Returns false if nothing is playing.
    pub(super) fn swap(&mut self, change: impl FnOnce(&mut Route), feeder: &Feeder) -> bool {
        let Some(run) = self.run.as_mut().filter(|run| !run.ended) else { return false };
        let mut route = match &run.incoming {
            Some((lane, _)) => lane.route().clone(),
            None => run.lane.route().clone(),
        };
        change(&mut route);
        route.from = run.document;
        if let Some((lane, _)) = run.incoming.take() {
            feeder.close(&lane);
        }
        run.incoming = Some((feeder.open(route), run.n_taken));
        true
    }

    /// Sets the monitor gain.
    pub(super) fn set_gain(&mut self, gain: f32) {
        self.clip.monitor.set_gain(gain);
        self.over.monitor.set_gain(gain);
    }

    /// Whether the callback has played the last frame.
    pub(super) fn has_ended(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.ended) && self.clip.ring.is_empty()
    }

    /// Whether a route is being played.
    pub(super) fn is_playing(&self) -> bool {
        self.run.is_some()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.run.is_none() && self.hand.is_none()
    }

    /// Total number of frames of sound that the device has taken.
    pub(super) fn n_taken(&self) -> u64 {
        self.clip.ring.taken() + self.over.ring.taken()
    }

    /// Fills the ring with interactive sound up to its target.
    fn follow_hand(&mut self) -> Result<()> {
        loop {
            let Some((hand, fold)) = &mut self.hand else { return Ok(()) };
            let outlet = if hand.is_over_playback() { &mut self.over } else { &mut self.clip };
            let room = outlet.room(&self.meter, self.format).min(BLOCK_FRAMES);
            if room == 0 {
                return Ok(());
            }
            let made = hand.next(room as usize, self.format.rate_hz)?;
            let mut block = Vec::new();
            fold.append(&made, &mut block);
            let mut levels = Levels::default();
            levels.note(&block, self.format.n_channels);
            self.meter.note_levels(&levels);
            outlet.write(&mut block, self.format.n_channels);
            outlet.ring.expect_frames();
            if let Some(requested_nanos) = hand.take_requested_nanos() {
                trace::record_since("voices.first_sample", requested_nanos);
            }
            if hand.has_faded() {
                outlet.ring.expect_none();
                self.hand = None;
            }
        }
    }

    /// Fills the rings up to their target.
    ///
    /// # Errors
    /// Read errors of the lane, after which the run must be stopped.
    pub(super) fn tick(&mut self, feeder: &Feeder) -> Result<()> {
        self.follow_hand()?;
        loop {
            let room = self.clip.room(&self.meter, self.format);
            let Some(run) = self.run.as_mut().filter(|run| !run.ended) else { return Ok(()) };
            let before = self.clip.ring.written();
            let is_full = match &run.resampler {
                Some(resampler) => room < resampler.block_frames() as u64,
                None => room == 0,
            };
            if !is_full {
                let mut block = run.next_block(room, &self.playhead, feeder)?;
                self.meter.note_levels(&std::mem::take(&mut run.levels));
                self.clip.write(&mut block, self.format.n_channels);
            }
            let stalled = self.clip.ring.written() == before;
            if (is_full || run.ended) && !run.filled_once {
                run.filled_once = true;
                self.clip.ring.expect_frames();
            }
            if run.ended {
                self.clip.ring.expect_none();
            }
            if stalled {
                if let Some(error) = run.lane.take_error() {
                    return Err(error);
                }
                return Ok(());
            }
        }
    }
}

impl Outlet {
    /// Number of frames that can be written now.
    fn room(&self, meter: &CallbackMeter, format: OutputFormat) -> u64 {
        let target = ((RING_SECS * format.rate_hz) as u64).max(2 * meter.largest_request());
        // Space for a crossfade is kept free: it is always written completely, even beyond the target.
        self.ring.room(target, (2.0 * FADE_SECS * format.rate_hz) as u64)
    }

    /// Applies the monitor gain to interleaved frames, writes them to the ring, and clears `block`.
    fn write(&mut self, block: &mut Vec<f32>, n_channels: usize) {
        self.monitor.process(block, n_channels);
        self.ring.write(block);
    }
}

impl Run {
    /// The next frames for the ring, at most `room`; empty if the feeder is late.
    fn next_block(&mut self, room: u64, playhead: &Mutex<Playhead>, feeder: &Feeder) -> Result<Vec<f32>> {
        let n_channels = self.fold.n_to();
        let Some(mut resampler) = self.resampler.take() else {
            self.take(room.min(BLOCK_FRAMES), playhead, feeder);
            self.ended = self.is_dry();
            return Ok(std::mem::take(&mut self.folded));
        };
        let wanted = resampler.frames_wanted();
        while self.folded.len() < wanted * n_channels {
            let missing = wanted - self.folded.len() / n_channels;
            if !self.take(missing as u64, playhead, feeder) {
                break;
            }
        }
        let mut block = Vec::new();
        if self.is_dry() && self.folded.len() < wanted * n_channels {
            self.folded.resize(wanted * n_channels, 0.0);
        }
        if self.folded.len() >= wanted * n_channels {
            let n_input = wanted * n_channels;
            block.extend_from_slice(resampler.process(&self.folded[..n_input])?);
            self.folded.drain(..n_input);
            self.n_given += (block.len() / n_channels) as u64;
            if self.is_dry() {
                let n_all = (self.n_taken as f64 * self.ratio).round() as u64;
                let n_over = self.n_given.saturating_sub(n_all);
                self.ended = self.n_given >= n_all;
                block.truncate(block.len() - (n_over as usize * n_channels).min(block.len()));
            }
        }
        self.resampler = Some(resampler);
        Ok(block)
    }

    /// Whether all frames of the lane have been taken.
    fn is_dry(&self) -> bool {
        self.incoming.is_none() && self.lane.ready() == (0, true)
    }

    /// Appends up to `n` mixed frames of the document to `folded`; returns false if none are available yet.
    fn take(&mut self, n: u64, playhead: &Mutex<Playhead>, feeder: &Feeder) -> bool {
        if self.incoming.is_some() && self.take_over(playhead, feeder) {
            return true;
        }
        let mut samples = Vec::new();
        let lane = self.lane.clone();
        self.take_from(&lane, n, &mut samples, playhead, feeder);
        if self.fade_in.0 > 0 && !samples.is_empty() {
            let n_channels = self.lane.route().sound.n_channels();
            for frame in samples.chunks_exact_mut(n_channels) {
                let gain = 1.0 - self.fade_in.0 as f32 / (self.fade_in.1 + 1) as f32;
                frame.iter_mut().for_each(|sample| *sample *= gain);
                self.fade_in.0 = self.fade_in.0.saturating_sub(1);
                if self.fade_in.0 == 0 {
                    break;
                }
            }
        }
        self.fold_in(&samples);
        !samples.is_empty()
    }

    /// Converts document frames to the device's channels and appends them to the pending frames.
    fn fold_in(&mut self, samples: &[f32]) {
        let n_before = self.folded.len();
        self.fold.append(samples, &mut self.folded);
        self.levels.note(&self.folded[n_before..], self.fold.n_to());
    }

    /// Appends up to `n` frames of a lane to `out`, and records jumps in the document. Returns the number of frames
    /// taken.
    fn take_from(
        &mut self,
        lane: &FeedLane,
        n: u64,
        out: &mut Vec<f32>,
        playhead: &Mutex<Playhead>,
        feeder: &Feeder,
    ) -> u64 {
        let Some((document, n)) = feeder.take(lane, n, out) else { return 0 };
        if document != self.document || self.n_taken == 0 {
            let ring = self.began_at as f64 + self.n_taken as f64 * self.ratio;
            lock(playhead).jump(ring, document as f64);
        }
        self.document = lane.route().further(document, n);
        self.n_taken += n;
        n
    }

    /// Crossfades to the incoming lane once enough of it has been read, after skipping the frames played since it was
    /// opened. Returns whether frames were appended.
    fn take_over(&mut self, playhead: &Mutex<Playhead>, feeder: &Feeder) -> bool {
        let Some((incoming, from)) = self.incoming.clone() else { return false };
        let fade = (FADE_SECS * incoming.route().paced_hz()) as u64;
        let behind = self.n_taken - from;
        let (n_ready, is_all) = incoming.ready();
        if n_ready < behind + fade && !is_all {
            return false;
        }
        let mut passed = Vec::new();
        let mut n_passed = 0;
        while n_passed < behind {
            match feeder.take(&incoming, behind - n_passed, &mut passed) {
                Some((_, n)) => n_passed += n,
                None => break,
            }
        }
        let mut old = Vec::new();
        let mut n_old = 0;
        while n_old < fade {
            match feeder.take(&self.lane, fade - n_old, &mut old) {
                Some((_, n)) => n_old += n,
                None => break,
            }
        }
        let mut new = Vec::new();
        let mut n_new = 0;
        while n_new < n_old {
            match self.take_from(&incoming, n_old - n_new, &mut new, playhead, feeder) {
                0 => break,
                n => n_new += n,
            }
        }
        // The crossfade is linear, since both sounds are nearly the same: equal power would be too loud.
        let n_channels = incoming.route().sound.n_channels();
        for (frame, (new, old)) in new.chunks_exact_mut(n_channels).zip(old.chunks_exact(n_channels)).enumerate() {
            let part = (frame + 1) as f32 / (n_old + 1) as f32;
            new.iter_mut().zip(old).for_each(|(new, &old)| *new = old + (*new - old) * part);
        }
        self.fold_in(&new);
        feeder.close(&self.lane);
        self.lane = incoming;
        self.incoming = None;
        n_new > 0
    }
}
