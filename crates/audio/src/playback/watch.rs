//! Distinguishes a device that has failed from a slow one.

use std::time::{Duration, Instant};

/// Duration of a series of errors without a callback after which the device counts as failed.
const RECOVERY_TIME: Duration = Duration::from_millis(500);
/// Time without errors after which the next error starts a new series; idle devices are checked every 0.2 s.
const ERROR_SERIES_GAP: Duration = Duration::from_millis(300);
/// Minimum gap between two checks that is attributed to a suspend or a debugger: the device's time limit then starts
/// again.
const SUSPEND_GAP: Duration = Duration::from_millis(500);

/// Time limits without a callback after which a device counts as dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallbackTimeouts {
    /// Limit after opening, and after an underrun, when ALSA's plug-in for PulseAudio reopens its stream.
    pub first: Duration,
    /// Limit after each callback.
    pub next: Duration,
}

impl CallbackTimeouts {
    /// Maximum start-up time of a sound server's device: an idle sink of PulseAudio first plays out 2 s of silence.
    pub const STARTUP_TIMEOUT: Duration = Duration::from_secs(4);

    /// The same limit in all states.
    pub const fn always(time: Duration) -> CallbackTimeouts {
        CallbackTimeouts { first: time, next: time }
    }
}

/// Activity and errors of a device since the last check.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DeviceSigns {
    /// Number of callbacks since the device was opened.
    pub n_callbacks: u64,
    /// Code of an error after which there are no more callbacks, if any.
    pub broken: Option<u32>,
    /// Whether errors occurred that may be temporary.
    pub is_troubled: bool,
    /// Whether the device restarted after an underrun or overrun.
    pub has_restarted: bool,
}

/// Faults of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceFault {
    /// The device reported an error with this code; 0 for continuing errors.
    Failed(u32),
    /// No callback within the time limit.
    Silent,
}

/// Detects failures of an open device.
#[derive(Debug)]
pub(crate) struct DeviceWatch {
    timeouts: Option<CallbackTimeouts>,
    began_at: Instant,
    looked_at: Instant,
    n_callbacks: u64,
    answered_at: Instant,
    /// First and last check that found errors without a callback.
    failing: Option<[Instant; 2]>,
}

impl DeviceWatch {
    /// Watches a device that was just opened; without `timeouts`, callbacks may be missing indefinitely.
    pub(crate) fn new(timeouts: Option<CallbackTimeouts>) -> DeviceWatch {
        let now = Instant::now();
        DeviceWatch { timeouts, began_at: now, looked_at: now, n_callbacks: 0, answered_at: now, failing: None }
    }

    /// Restarts the time limit for the next callback.
    pub(crate) fn start_again(&mut self) {
        self.answered_at = Instant::now();
    }

    /// Whether the device reported errors recently, without a callback since.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// Checks the device; returns the current fault, if any.
    pub(crate) fn look(&mut self, now: Instant, signs: DeviceSigns) -> Option<DeviceFault> {
        let was_away = now.duration_since(self.looked_at) > SUSPEND_GAP;
        self.looked_at = now;
        let has_called = signs.n_callbacks != self.n_callbacks;
        self.n_callbacks = signs.n_callbacks;
        if has_called || was_away {
            (self.answered_at, self.failing) = (now, None);
        }
        if signs.has_restarted {
            self.began_at = now;
        }
        self.failing = self.failing.filter(|[_, last]| now.duration_since(*last) <= ERROR_SERIES_GAP);
        if signs.is_troubled {
            self.failing = Some([self.failing.map_or(now, |[first, _]| first), now]);
        }
        if let Some(code) = signs.broken {
            return Some(DeviceFault::Failed(code));
        }
        if self.failing.is_some_and(|[first, last]| last.duration_since(first) > RECOVERY_TIME) {
            return Some(DeviceFault::Failed(0));
        }
        let is_silent = self.timeouts.is_some_and(|timeouts| {
            let has_begun = now.duration_since(self.began_at) > timeouts.first;
            has_begun && now.duration_since(self.answered_at) > timeouts.next
        });
        is_silent.then_some(DeviceFault::Silent)
    }
}
