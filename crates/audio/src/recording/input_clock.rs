//! Detects sound that was lost before delivery, by comparing the frames received with the time elapsed.
//!
//! A callback may be late, and later ones then catch up. Lost frames never arrive: after a loss, every callback is late
//! relative to the frames received, compared with all callbacks before the loss. Both the call time and the capture
//! time must show this, since each also jumps for other reasons: the call time when a server buffers more sound, the
//! capture time when the server reports another latency.

use super::status::Dropout;
use std::collections::VecDeque;

/// Duration of the window of earlier callbacks with which each new one is compared.
const BASELINE_SECS: f64 = 2.0;
/// Minimum duration of that window: until it is reached, no callback counts as late.
const MIN_CALM_SECS: f64 = 0.5;
/// Duration for which callbacks must be late before sound counts as lost.
const SETTLED_SECS: f64 = 1.0;
/// Replaces [`SETTLED_SECS`] at the end of a recording.
const SETTLED_AT_END_SECS: f64 = 0.25;
/// Minimum number of consecutive late callbacks before sound counts as lost.
const MIN_LATE_CALLBACKS: usize = 3;
/// Tolerated lateness of a callback, in addition to the duration of the longest callback in the window.
const JITTER_SECS: f64 = 0.02;
/// Maximum loss; a larger jump means that the clock was changed.
const MAX_LOST_SECS: f64 = 60.0;

/// Times of a callback, by the system's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputMoment {
    /// Time of the call, in seconds.
    pub called_secs: f64,
    /// Time at which the first of its frames was captured, in seconds.
    pub captured_secs: f64,
}

/// A callback's arrival.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// Frames received up to its end, since the device was opened.
    pub(super) n_frames: u64,
    pub(super) moment: InputMoment,
}

/// Detects lost sound from the times of a device's callbacks.
#[derive(Debug)]
pub(super) struct InputClock {
    rate_hz: f64,
    calm: VecDeque<Lateness>,
    late: Option<Late>,
    /// Frames received up to the last callback.
    n_before: u64,
    /// Frames known to be lost.
    n_lost: u64,
}

#[derive(Debug, Clone, Copy)]
struct Lateness {
    called_secs: f64,
    n_frames: u64,
    /// Expected minus received frames, up to a constant, according to the call time and to the capture time.
    frames: [f64; 2],
}

/// A run of callbacks that are later than all before it.
#[derive(Debug, Clone, Copy)]
struct Late {
    /// Number of frames received before the first of them.
    at: u64,
    since_secs: f64,
    until_secs: f64,
    min: [f64; 2],
    n_callbacks: usize,
}

impl InputClock {
    pub(super) fn new(rate_hz: f64) -> InputClock {
        InputClock { rate_hz, calm: VecDeque::new(), late: None, n_before: 0, n_lost: 0 }
    }

    /// Processes the next callback. Returns a loss once it is certain, about a second later: `at` is the number of
    /// frames received before it since the device was opened.
    pub(super) fn observe(&mut self, arrival: Arrival) -> Option<Dropout> {
        let InputMoment { called_secs, captured_secs } = arrival.moment;
        let n_before = std::mem::replace(&mut self.n_before, arrival.n_frames);
        let should = |secs: f64, n_frames: u64| secs * self.rate_hz - (n_frames + self.n_lost) as f64;
        let lateness = Lateness {
            called_secs,
            n_frames: arrival.n_frames - n_before,
            frames: [should(called_secs, arrival.n_frames), should(captured_secs, n_before)],
        };
        let longest = self.calm.iter().map(|calm| calm.n_frames).max().unwrap_or(0).max(lateness.n_frames);
        let is_settled = self.calm.front().is_some_and(|first| called_secs - first.called_secs >= MIN_CALM_SECS);
        if !is_settled || self.jump(lateness.frames) <= longest as f64 + JITTER_SECS * self.rate_hz {
            self.late = None;
            self.calm.push_back(lateness);
            while self.calm.front().is_some_and(|first| called_secs - first.called_secs > BASELINE_SECS) {
                self.calm.pop_front();
            }
            return None;
        }
        let late = self.late.get_or_insert(Late {
            at: n_before,
            since_secs: called_secs,
            until_secs: called_secs,
            min: lateness.frames,
            n_callbacks: 0,
        });
        late.until_secs = called_secs;
        late.n_callbacks += 1;
        late.min = [0, 1].map(|clock| late.min[clock].min(lateness.frames[clock]));
        self.lost_for(SETTLED_SECS)
    }

    /// The loss at the end of a recording, if any, with the shorter settling time, since no more callbacks follow.
    pub(super) fn end(&mut self) -> Option<Dropout> {
        self.lost_for(SETTLED_AT_END_SECS)
    }

    fn lost_for(&mut self, settled_secs: f64) -> Option<Dropout> {
        let is_certain =
            |late: &Late| late.until_secs - late.since_secs >= settled_secs && late.n_callbacks >= MIN_LATE_CALLBACKS;
        let late = self.late.take_if(|late| is_certain(late))?;
        let jump = self.jump(late.min);
        if jump > MAX_LOST_SECS * self.rate_hz {
            self.calm.clear();
            return None;
        }
        let n_frames = jump.round() as u64;
        self.n_lost += n_frames;
        Some(Dropout { at: late.at, n_frames })
    }

    /// Number of frames by which a callback is later than the earliest callback of the window, according to the call
    /// time or the capture time, whichever gives less.
    fn jump(&self, frames: [f64; 2]) -> f64 {
        let min = |clock: usize| self.calm.iter().map(|calm| calm.frames[clock]).fold(f64::INFINITY, f64::min);
        (frames[0] - min(0)).min(frames[1] - min(1))
    }
}
