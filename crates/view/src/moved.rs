//! Where samples were before time was cut or added, so that pictures can move with their sound.

use crate::document::Snapshot;
use std::ops::Range;

/// Maps each sample of a sound to its position in an earlier version.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Runs of samples common to both versions, ascending, each with the position of its start in the earlier version.
    runs: Vec<(Range<u64>, u64)>,
}

impl Moved {
    /// The map between two snapshots of a document; `None` if they have common samples and none of these has moved.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Option<Moved> {
        let runs = after.runs_of(before);
        let is_in_place = runs.iter().all(|(run, from)| run.start == *from);
        // If every run is in place, the snapshots differ only in other samples or in length.
        (!is_in_place || runs.is_empty()).then_some(Moved { runs })
    }

    /// Runs of samples common to both versions, ascending, each with the position of its start in the earlier version.
    pub fn runs(&self) -> &[(Range<u64>, u64)] {
        &self.runs
    }

    /// The position of a current sample in the earlier version; for a new sample, that of the nearest common one.
    pub fn place_before(&self, sample: u64) -> u64 {
        let next = self.runs.partition_point(|(run, _)| run.end <= sample);
        let inside = self.runs.get(next).filter(|(run, _)| run.start <= sample);
        if let Some((run, from)) = inside {
            return from + (sample - run.start);
        }
        let ended = next.checked_sub(1).and_then(|last| self.runs.get(last));
        let nearest_after = self.runs.get(next).map(|(run, from)| (run.start - sample, *from));
        let nearest_before =
            ended.map(|(run, from)| (sample - run.end + 1, from + (run.end - run.start).saturating_sub(1)));
        [nearest_before, nearest_after].into_iter().flatten().min().map_or(0, |(_, place)| place)
    }
}
