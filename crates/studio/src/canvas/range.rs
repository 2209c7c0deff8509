//! The range of levels follows what is seen.

use crate::view::{Plans, Seen};
use crate::workbench::{Jobs, Latest};

/// Follows what is seen, one look at a time.
#[derive(Default)]
pub struct AutoRange {
    range: Latest<Seen, Option<[f32; 2]>>,
    /// A single request, although the range is locked.
    once: bool,
}

impl AutoRange {
    /// Asks for one range for what is seen now.
    pub fn fit_once(&mut self) {
        self.once = true;
        self.range.clear();
    }

    /// Whether a look is under way.
    pub fn is_busy(&self) -> bool {
        self.range.is_busy() || self.once
    }

    /// A new range, if one was found. `is_free` says that the range follows what is seen.
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
