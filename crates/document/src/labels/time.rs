//! How labels follow a cut or insertion of time.

use crate::document::TimeChange;

/// A change of time. Its times are those of the sound before the edit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LabelMove {
    /// A range was cut out and the gap closed.
    Removed {
        /// Start and end of the cut.
        secs: [f64; 2],
    },
    /// Time was inserted.
    Inserted {
        /// Position of the insertion.
        at_secs: f64,
        /// Length of the insertion.
        secs: f64,
    },
    /// A range was stretched, and what follows it moved.
    Stretched {
        /// Start and end of the range.
        secs: [f64; 2],
        /// Its new length.
        to_secs: f64,
    },
}

impl LabelMove {
    /// A change that is given in samples.
    pub fn of(change: &TimeChange, rate_hz: f64) -> LabelMove {
        let secs = |samples: u64| samples as f64 / rate_hz;
        let TimeChange { at, removed, added } = *change;
        match (removed, added) {
            (0, _) => LabelMove::Inserted { at_secs: secs(at), secs: secs(added) },
            (_, 0) => LabelMove::Removed { secs: [secs(at), secs(at + removed)] },
            _ => LabelMove::Stretched { secs: [secs(at), secs(at + removed)], to_secs: secs(added) },
        }
    }

    /// The time of the change; earlier times do not move.
    pub fn begin_secs(&self) -> f64 {
        match *self {
            LabelMove::Removed { secs: [start, _] } | LabelMove::Stretched { secs: [start, _], .. } => start,
            LabelMove::Inserted { at_secs, .. } => at_secs,
        }
    }

    /// The time from which all times move by [`shift_secs`](LabelMove::shift_secs).
    pub fn behind_secs(&self) -> f64 {
        match *self {
            LabelMove::Removed { secs: [_, end] } | LabelMove::Stretched { secs: [_, end], .. } => end,
            LabelMove::Inserted { at_secs, .. } => at_secs,
        }
    }

    /// The shift of times from [`behind_secs`](LabelMove::behind_secs) on, in seconds; negative if time was removed.
    pub fn shift_secs(&self) -> f64 {
        match *self {
            LabelMove::Removed { secs: [start, end] } => -(end - start),
            LabelMove::Inserted { secs, .. } => secs,
            LabelMove::Stretched { secs: [start, end], to_secs } => to_secs - (end - start),
        }
    }

    /// The new position of a point: a point within a cut moves to the join, and one at an insertion moves after it.
    pub fn place(&self, secs: f64) -> f64 {
        match *self {
            _ if secs >= self.behind_secs() => secs + self.shift_secs(),
            LabelMove::Removed { secs: [start, _] } => secs.min(start),
            LabelMove::Inserted { .. } => secs,
            LabelMove::Stretched { secs: [start, end], to_secs } if secs > start => {
                start + (secs - start) * (to_secs / (end - start))
            }
            LabelMove::Stretched { .. } => secs,
        }
    }

    /// A range after the change; `None` if it was cut completely. Time inserted at one of its edges stays outside it.
    pub fn range(&self, secs: [f64; 2]) -> Option<[f64; 2]> {
        let [start, end] = secs;
        match *self {
            // A marker lies before its sample, so one at the end of a cut stays.
            LabelMove::Removed { secs: cut } if start >= cut[0] && end <= cut[1] && start < cut[1] => None,
            LabelMove::Inserted { at_secs, .. } if end <= at_secs && start < at_secs => Some(secs),
            _ => Some([self.place(start), self.place(end)]),
        }
    }
}
