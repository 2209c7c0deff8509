//! Input meters: one per recorded channel.

use crate::devices::monitor::{Meter, fallen_db};
use crate::recording::InputLevels;

/// Meters of all channels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputMeters {
    /// In the order of the channels.
    pub channels: Vec<Meter>,
    shown_secs: f64,
}

impl InputMeters {
    /// Updates the meters with new levels.
    pub fn show(&mut self, levels: &InputLevels, n_channels: usize, now_secs: f64) {
        let fallen_db = fallen_db(self.shown_secs, now_secs);
        self.shown_secs = now_secs;
        self.channels.resize(n_channels, Meter::default());
        for (channel, meter) in self.channels.iter_mut().enumerate() {
            let peak = levels.peaks.get(channel).copied().unwrap_or(0.0);
            meter.show(peak, levels.clipped.get(channel) == Some(&true), fallen_db, now_secs);
        }
    }

    /// Clears the clip lights.
    pub fn clear_clips(&mut self) {
        self.channels.iter_mut().for_each(|meter| meter.clipped = false);
    }
}
