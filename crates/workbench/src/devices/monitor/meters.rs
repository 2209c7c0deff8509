//! Level meters: instant attack, 20 dB/s decay, peak hold, and a clip light that stays until cleared.

use crate::playback::Levels;

/// Bottom of the scale, in decibels.
pub const FLOOR_DB: f32 = -60.0;
const FALL_DB_PER_SEC: f32 = 20.0;
const HOLD_SECS: f64 = 1.5;

/// Meter of one channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meter {
    /// Level of the bar, in decibels.
    pub db: f32,
    /// Level of the peak-hold tick, in decibels.
    pub held_db: f32,
    /// Whether a sample has exceeded full scale since this was cleared.
    pub clipped: bool,
    held_secs: f64,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { db: FLOOR_DB, held_db: FLOOR_DB, clipped: false, held_secs: 0.0 }
    }
}

impl Meter {
    /// Updates bar and tick with a peak magnitude (0 if there is no new sound), after the bar fell by `fallen_db`.
    pub fn show(&mut self, peak: f32, clipped: bool, fallen_db: f32, now_secs: f64) {
        let db = 20.0 * peak.max(1e-9).log10();
        self.db = db.max(self.db - fallen_db).max(FLOOR_DB);
        if self.db >= self.held_db || now_secs - self.held_secs > HOLD_SECS {
            (self.held_db, self.held_secs) = (self.db, now_secs);
        }
        self.clipped |= clipped;
    }
}

/// The decay of the bars between two times, in decibels.
pub fn fallen_db(since_secs: f64, now_secs: f64) -> f32 {
    FALL_DB_PER_SEC * (now_secs - since_secs).max(0.0) as f32
}

/// Meters of left and right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meters {
    /// Left and right.
    pub channels: [Meter; 2],
    waiting: Levels,
    shown_secs: f64,
}

impl Meters {
    /// Adds the levels of new sound, to be displayed by the next [`show`](Meters::show).
    pub fn note(&mut self, levels: &Levels) {
        self.waiting = self.waiting.joined(levels);
    }

    /// Updates bars and ticks for the current time.
    pub fn show(&mut self, now_secs: f64) {
        let levels = std::mem::take(&mut self.waiting);
        let fallen_db = fallen_db(self.shown_secs, now_secs);
        self.shown_secs = now_secs;
        for (channel, meter) in self.channels.iter_mut().enumerate() {
            meter.show(levels.peaks[channel], levels.clipped[channel], fallen_db, now_secs);
        }
    }

    /// Clears the clip lights.
    pub fn clear_clips(&mut self) {
        self.channels.iter_mut().for_each(|meter| meter.clipped = false);
    }

    /// Whether all bars and ticks are at the bottom of the scale.
    pub fn is_at_rest(&self) -> bool {
        self.channels.iter().all(|meter| meter.held_db <= FLOOR_DB)
    }
}
