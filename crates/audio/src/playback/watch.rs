//! Distinguishes a device that has failed from a slow one.

use std::time::{Duration, Instant};

/// Errors that go on for this long, and no callback among them, are a failure.
const RECOVERS_WITHIN: Duration = Duration::from_millis(500);
/// Errors after a pause of this length begin another time; idle devices are looked at every 0.2 s.
const PAUSE: Duration = Duration::from_millis(300);
/// Longer gaps between two checks mean a suspend or a debugger, after which the device gets its full time again.
const AWAY: Duration = Duration::from_millis(500);

/// How long a device may go without a callback before it counts as dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From its opening on, and from an underrun on, after which ALSA's plug-in for PulseAudio opens its stream again.
    pub first: Duration,
    /// From each callback on.
    pub next: Duration,
}

impl Patience {
    /// What a sound server's device may take to begin: an idle sink of PulseAudio holds 2 s of silence, which it ends
    /// first.
    pub const BEGINNING: Duration = Duration::from_secs(4);

    /// The same time at any time.
    pub const fn always(time: Duration) -> Patience {
        Patience { first: time, next: time }
    }
}

/// What the callbacks of a device have left since the last check.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DeviceSigns {
    /// Callbacks so far.
    pub n_callbacks: u64,
    /// The code of an error after which no callback comes.
    pub broken: Option<u32>,
    /// Whether errors came that may pass.
    pub is_troubled: bool,
    /// Whether it began again after an underrun.
    pub has_restarted: bool,
}

/// What is wrong with a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceFault {
    /// It reported an error with this code; 0 where errors went on and on.
    Failed(u32),
    /// It does not call.
    Silent,
}

/// Watches an open device.
#[derive(Debug)]
pub(crate) struct DeviceWatch {
    patience: Option<Patience>,
    began_at: Instant,
    looked_at: Instant,
    n_callbacks: u64,
    answered_at: Instant,
    /// The first and the last look at errors that no callback followed.
    failing: Option<[Instant; 2]>,
}

impl DeviceWatch {
    /// Watches a device that was just opened; without patience it may be silent for any time.
    pub(crate) fn new(patience: Option<Patience>) -> DeviceWatch {
        let now = Instant::now();
        DeviceWatch { patience, began_at: now, looked_at: now, n_callbacks: 0, answered_at: now, failing: None }
    }

    /// Gives the device its time again.
    pub(crate) fn start_again(&mut self) {
        self.answered_at = Instant::now();
    }

    /// Whether it reports errors and does not call.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// What is wrong, if anything is.
    pub(crate) fn look(&mut self, now: Instant, signs: DeviceSigns) -> Option<DeviceFault> {
        let was_away = now.duration_since(self.looked_at) > AWAY;
        self.looked_at = now;
        let has_called = signs.n_callbacks != self.n_callbacks;
        self.n_callbacks = signs.n_callbacks;
        if has_called || was_away {
            (self.answered_at, self.failing) = (now, None);
        }
        if signs.has_restarted {
            self.began_at = now;
        }
        self.failing = self.failing.filter(|[_, last]| now.duration_since(*last) <= PAUSE);
        if signs.is_troubled {
            self.failing = Some([self.failing.map_or(now, |[first, _]| first), now]);
        }
        if let Some(code) = signs.broken {
            return Some(DeviceFault::Failed(code));
        }
        if self.failing.is_some_and(|[first, last]| last.duration_since(first) > RECOVERS_WITHIN) {
            return Some(DeviceFault::Failed(0));
        }
        let is_silent = self.patience.is_some_and(|patience| {
            let has_begun = now.duration_since(self.began_at) > patience.first;
            has_begun && now.duration_since(self.answered_at) > patience.next
        });
        is_silent.then_some(DeviceFault::Silent)
    }
}
