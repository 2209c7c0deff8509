//! Speeds up the display of long files: loads a stored pyramid, or else sketches the whole file from a few frames, and
//! stores the complete pyramid for the next time.

use super::picture_engine::PictureEngine;
use crate::base::{ErrorKind, Result};
use crate::document::Snapshot;
use crate::view::{Analysis, Piece, Pyramid, PyramidCache, PyramidKey, TileCache, grid_of};
use crate::workbench::{Job, JobQueue, Jobs};
use std::collections::HashSet;

/// Minimum number of pieces (about 44 s each at 48 kHz); smaller pyramids are quickly computed.
const MIN_PIECES: usize = 4;

/// Pieces sketched per job.
const SKETCHED_PIECES: usize = 16;

/// Factor by which pieces of a row transform are shorter than those of an STFT.
const ROWS_PIECES: usize = 16;

/// Pieces and their indices.
type Sketches = Vec<(usize, Piece)>;

/// Jobs for long files, and their state.
#[derive(Default)]
pub struct LongFiles {
    kept: Option<PyramidCache>,
    finding: JobQueue<PyramidKey, Option<Vec<Piece>>>,
    sketching: JobQueue<PyramidKey, Sketches>,
    keeping: Option<Job<()>>,
    /// Pyramids searched for in the folder.
    looked_for: HashSet<PyramidKey>,
    /// Pyramids already in the folder, or whose storing has been attempted.
    is_kept: HashSet<PyramidKey>,
    /// Pyramids whose sketch failed; the error is reported when their pieces are computed in full.
    not_sketched: HashSet<PyramidKey>,
}

impl LongFiles {
    pub fn keep_in(&mut self, kept: PyramidCache) {
        self.kept = Some(kept);
        self.looked_for.clear();
    }

    pub fn has_jobs(&self) -> bool {
        self.finding.is_busy() || self.sketching.is_busy()
    }

    /// Drops the state of another document. Storing continues.
    pub fn clear(&mut self) {
        self.finding.clear();
        self.sketching.clear();
        self.looked_for.clear();
        self.is_kept.clear();
        self.not_sketched.clear();
    }

    /// Takes results, and stores complete pyramids.
    ///
    /// # Errors
    /// The error of a failed search for a stored pyramid. Failures to store one are only logged.
    pub fn take(&mut self, cache: &mut TileCache, shown: &Snapshot, jobs: &Jobs) -> Result<()> {
        if let Some((key, answer)) = self.finding.take_answer()
            && let Some(pieces) = answer?
        {
            self.is_kept.insert(key.clone());
            for (index, piece) in pieces.into_iter().enumerate() {
                cache.insert_piece(&key, index, piece, shown);
            }
        }
        if let Some((key, answer)) = self.sketching.take_answer() {
            match answer {
                Ok(pieces) => {
                    pieces.into_iter().for_each(|(index, piece)| cache.insert_piece(&key, index, piece, shown));
                }
                Err(_) => drop(self.not_sketched.insert(key)),
            }
        }
        if let Some(answer) = self.keeping.as_mut().and_then(Job::poll) {
            self.keeping = None;
            if let Err(error) = answer
                && error.kind() != ErrorKind::Cancelled
            {
                tracing::warn!(%error, "a picture is not kept for the next time");
            }
        }
        let Some(kept) = self.kept.as_ref().filter(|_| self.keeping.is_none()) else { return Ok(()) };
        let of_this = |key: &&PyramidKey| !self.is_kept.contains(*key) && cache.is_complete(key);
        if let Some(key) = self.looked_for.iter().find(of_this).cloned() {
            let original = Snapshot::new(shown.source().clone());
            if let Some(what) = cache.to_keep(&key, &original) {
                self.is_kept.insert(key);
                let kept = kept.clone();
                self.keeping = Some(jobs.spawn("keep a picture", move |_| kept.keep(&what)));
            }
        }
        Ok(())
    }

    /// Whether computing the pieces of a pyramid should wait for a job that loads a stored pyramid or sketches one,
    /// which is faster. Starts these jobs if needed. `ready` is the sound, and the number of pieces decoded so far.
    pub fn comes_first(
        &mut self,
        key: &PyramidKey,
        pyramid: &Pyramid,
        ready: (&Snapshot, usize),
        with: (&Jobs, &PictureEngine),
    ) -> bool {
        let ((shown, n_ready), (jobs, engine)) = (ready, with);
        let of_rows = if key.transform.as_stft().is_some() { 1 } else { ROWS_PIECES };
        if pyramid.n_pieces() < MIN_PIECES * of_rows {
            return false;
        }
        // Stored pyramids are of the unedited file: they fit only while no time has been cut or added.
        if shown.is_in_place()
            && self.looked_for.insert(key.clone())
            && let Some(kept) = self.kept.clone()
        {
            let original = Snapshot::new(shown.source().clone());
            let grid = grid_of(shown, &key.transform);
            let theirs = key.clone();
            let job = jobs.spawn("find a picture", move |progress| kept.find(&original, &theirs, &grid, progress));
            self.finding.run_instead(key.clone(), job, f64::INFINITY);
        }
        if self.finding.running().any(|finding| finding == key) {
            return true;
        }
        // No sketch while the file is still being decoded: its pieces are computed as they become ready.
        if n_ready < pyramid.n_pieces() || self.not_sketched.contains(key) {
            return false;
        }
        if !self.sketching.is_busy() {
            let missing = pyramid.next_missing(SKETCHED_PIECES * of_rows, n_ready);
            if missing.is_empty() {
                return false;
            }
            let (engine, snapshot, theirs) = (engine.clone(), shown.clone(), key.clone());
            let job = jobs.spawn("sketch", move |progress| {
                let plan = engine.plans().view(&theirs.transform, snapshot.sample_rate_hz())?;
                let analysis = Analysis::new(&snapshot, theirs.channels, plan)?.with_phases(theirs.has_phases);
                let sketch = |index| {
                    let piece = engine.attempt(|engine| Piece::sketch(&analysis, engine, index, progress))?;
                    Ok((index, piece))
                };
                missing.into_iter().map(sketch).collect()
            });
            self.sketching.run_unseen(key.clone(), job);
        }
        self.sketching.running().any(|sketching| sketching == key)
    }
}
