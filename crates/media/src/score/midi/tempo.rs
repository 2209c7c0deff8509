//! Conversion of ticks to seconds.

use midly::{Fps, Timing};

const DEFAULT_MICROS_PER_BEAT: u32 = 500_000;

/// Converts ticks in ascending order, applying each tempo change as it is reached.
#[derive(Debug)]
pub struct TickClock {
    /// `None` for SMPTE timing, where ticks are fractions of a second at any tempo.
    ticks_per_beat: Option<f64>,
    secs_per_tick: f64,
    /// Tick of the last tempo change.
    from_tick: u64,
    from_secs: f64,
}

impl TickClock {
    /// Creates the clock for a header's timing; `None` if it states 0 ticks.
    pub fn new(timing: Timing) -> Option<TickClock> {
        let (ticks_per_beat, secs_per_tick) = match timing {
            Timing::Metrical(ticks) => {
                let ticks = f64::from(ticks.as_int());
                (Some(ticks), f64::from(DEFAULT_MICROS_PER_BEAT) / 1e6 / ticks)
            }
            Timing::Timecode(frames, ticks) => {
                let frames_per_sec = match frames {
                    Fps::Fps24 => 24.0,
                    Fps::Fps25 => 25.0,
                    Fps::Fps29 => 30.0 / 1.001,
                    Fps::Fps30 => 30.0,
                };
                (None, 1.0 / (frames_per_sec * f64::from(ticks)))
            }
        };
        secs_per_tick.is_finite().then_some(TickClock { ticks_per_beat, secs_per_tick, from_tick: 0, from_secs: 0.0 })
    }

    /// Time in seconds of a tick, which must not precede the last tempo change.
    pub fn secs_at(&self, tick: u64) -> f64 {
        self.from_secs + (tick - self.from_tick) as f64 * self.secs_per_tick
    }

    /// Changes the tempo at a tick.
    pub fn set_tempo(&mut self, tick: u64, micros_per_beat: u32) {
        if let Some(ticks_per_beat) = self.ticks_per_beat {
            (self.from_secs, self.from_tick) = (self.secs_at(tick), tick);
            self.secs_per_tick = f64::from(micros_per_beat) / 1e6 / ticks_per_beat;
        }
    }
}
