//! The range of levels follows what is seen.

use crate::view::{Plans, Seen};
use crate::workbench::{Job, Jobs};

/// Follows what is seen, one look at a time.
#[derive(Default)]
pub struct AutoRange {
    job: Option<(Seen, Job<Option<[f32; 2]>>)>,
    /// What the range in use is for.
    known: Option<Seen>,
    /// Asked for once, though the range is locked.
    once: bool,
}

impl AutoRange {
    /// Asks for one range for what is seen now.
    pub fn fit_once(&mut self) {
        self.once = true;
        self.known = None;
    }

    /// Whether a look is under way.
    pub fn is_busy(&self) -> bool {
        self.job.is_some() || self.once
    }

    /// A new range, if one was found. `is_free` says that the range follows what is seen.
    pub fn follow(&mut self, seen: &Seen, is_free: bool, jobs: &Jobs, plans: &Plans) -> Option<[f32; 2]> {
        if !is_free && !self.once {
            self.job = None;
            self.known = None;
            return None;
        }
        let mut found = None;
        if let Some((_, job)) = &mut self.job
            && let Some(answer) = job.poll()
        {
            found = answer.ok().flatten();
            self.known = self.job.take().map(|(asked, _)| asked);
            self.once = false;
        }
        if self.job.is_none() && (self.once || is_free) && !self.known.as_ref().is_some_and(|known| known.is_same(seen))
        {
            let (theirs, plans) = (seen.clone(), plans.clone());
            self.job = Some((seen.clone(), jobs.spawn("range", move |_| theirs.range_db(&plans))));
        }
        found
    }
}
