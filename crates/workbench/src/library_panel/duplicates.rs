//! Searches for duplicates, and null tests: the residual of subtracting one sound from another.

use super::entries::{EntryNote, ListEntry};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::library::batches::BatchEngine;
use crate::library::identity::duplicates::{DuplicateGroup, DuplicateOrder};
use crate::library::identity::null_test::{NullTest, null_test};
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::Source;
use crate::services::{JobQueue, Jobs};

/// A null test of two sounds.
#[derive(Debug, Clone, PartialEq)]
pub struct NullPair {
    /// Ids of both sounds: the second is subtracted from the first.
    pub ids: [i64; 2],
    /// The result; `None` while it is being computed.
    pub test: Option<NullTest>,
}

/// The duplicate search in progress, and the last null test.
#[derive(Default)]
pub struct DuplicateFinder {
    finding: JobQueue<(), Vec<DuplicateGroup>>,
    testing: JobQueue<(), NullTest>,
    pair: Option<NullPair>,
}

impl DuplicateFinder {
    /// The last null test.
    pub fn pair(&self) -> Option<&NullPair> {
        self.pair.as_ref()
    }

    /// Whether a search or a null test is running.
    pub fn is_busy(&self) -> bool {
        self.finding.is_busy() || self.testing.is_busy()
    }

    /// Searches for duplicates in the whole library.
    pub fn find(&mut self, place: &LibraryPlace, jobs: &Jobs) {
        let place = place.clone();
        let job = jobs.spawn("library duplicates", move |progress| {
            LibraryStore::open_to_read(&place)?.duplicates(DuplicateOrder::default(), &mut BatchEngine::cpu(), progress)
        });
        self.finding.run_instead_unseen((), job);
    }

    /// Cancels the search for duplicates.
    pub fn stop(&mut self) {
        self.finding.clear();
    }

    /// Starts a null test: subtracts the second sound from the first, aligned near `offset_secs`.
    pub fn test(&mut self, ids: [i64; 2], offset_secs: f64, place: &LibraryPlace, jobs: &Jobs) {
        let place = place.clone();
        self.pair = Some(NullPair { ids, test: None });
        let job = jobs.spawn("library null test", move |progress| tested(ids, offset_secs, &place, progress));
        self.testing.run_instead_unseen((), job);
    }

    /// The duplicates found, as rows grouped by sound; `None` until the search ends.
    pub fn take_found(&mut self) -> Option<Result<Vec<ListEntry>>> {
        self.finding.take_answer().map(|((), answer)| answer.map(|groups| entries(&groups)))
    }

    /// Call once a frame: takes the null test's result. The caller shows errors to the user.
    pub fn advance(&mut self) -> Result<()> {
        let Some(((), answer)) = self.testing.take_answer() else { return Ok(()) };
        match answer {
            Ok(test) => {
                if let Some(pair) = &mut self.pair {
                    pair.test = Some(test);
                }
                Ok(())
            }
            Err(error) => {
                self.pair = None;
                Err(error)
            }
        }
    }
}

fn entries(groups: &[DuplicateGroup]) -> Vec<ListEntry> {
    let numbered = groups.iter().zip(0u32..);
    let rows = numbered.flat_map(|(group, number)| {
        group.sounds.iter().map(move |sound| {
            let offset_secs = sound.offset_secs.unwrap_or_default() as f32;
            let overlap_secs = group.keep.is_none().then(|| sound.overlap_secs.unwrap_or_default() as f32);
            let keep = group.sounds[0].id;
            let note = EntryNote::Copy { group: number, level: group.level, keep, offset_secs, overlap_secs };
            ListEntry { id: sound.id, note }
        })
    });
    rows.collect()
}

fn tested(ids: [i64; 2], offset_secs: f64, place: &LibraryPlace, progress: &Progress) -> Result<NullTest> {
    let store = LibraryStore::open_to_read(place)?;
    let open = |id: i64| -> Result<Source> {
        let sound = store.sound(id)?;
        let path = sound.paths.first().ok_or_else(|| {
            Error::new(ErrorKind::Io, format!("the file of sound {id} is gone; add its folder again to find it"))
        })?;
        Ok(Source::open(&path.0, progress)?.source)
    };
    let [first, second] = [open(ids[0])?, open(ids[1])?];
    null_test([&first, &second], offset_secs, progress)
}
