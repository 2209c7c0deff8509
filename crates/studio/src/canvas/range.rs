//! Automatic colour range, in dB, fitted to the visible part of the spectrogram.

use crate::view::{Plans, Seen};
use crate::workbench::{Jobs, Latest};

/// The automatic colour range of the visible part; at most one job computes it at a time.
#[derive(Default)]
pub struct AutoRange {
    range: Latest<Seen, Option<[f32; 2]>>,
    /// Whether a single update was requested, although the range is locked.
    once: bool,
}

impl AutoRange {
    /// Requests a single update for the visible part.
    pub fn fit_once(&mut self) {
        self.once = true;
        self.range.clear();
    }

    /// Whether a job is running.
    pub fn is_busy(&self) -> bool {
        self.range.is_busy() || self.once
    }

    /// Takes the newly computed range in dB, if any, and starts the next job. `is_free` means that the range is not
    /// locked and follows the visible part.
    pub fn follow(&mut self, seen: &Seen, is_free: bool, jobs: &Jobs, plans: &Plans) -> Option<[f32; 2]> {
        if !is_free && !self.once {
            self.range.clear();
            return None;
        }
        let is_new = self.range.take_news();
        self.once &= !is_new;
        let found = self.range.last().filter(|_| is_new).and_then(|(_, range)| *range);
        if self.once || is_free {
            let plans = plans.clone();
            self.range.ask_in_turn(seen, jobs, "range", move |seen, _| seen.range_db(&plans));
        }
        found
    }
}
