//! Thumbnail spectrograms of the rows in view, computed from their files in a job and cached.

use super::entries::LibraryRow;
use crate::base::{Progress, Result};
use crate::dsp::comparison::hashes::GreyPicture;
use crate::library::identity::pictures::picture_of_sound_file;
use crate::services::{JobQueue, Jobs};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum number of cached pictures: 16 MB.
const MAX_PICTURES: usize = 1_024;
/// Pictures per job: few, so that the first appear soon and rows scrolled out of view are skipped.
const PICTURES_PER_JOB: usize = 4;

type Picture = Option<Arc<GreyPicture>>;

/// Cached thumbnails, and the job that computes missing ones.
#[derive(Default)]
pub struct Thumbnails {
    known: HashMap<i64, Picture>,
    /// Ids of the sounds whose pictures are being computed.
    making: JobQueue<Vec<i64>, Vec<Picture>>,
}

impl Thumbnails {
    /// The thumbnail of a sound, once computed; `None` also for unreadable files.
    pub fn get(&self, id: i64) -> Option<&Arc<GreyPicture>> {
        self.known.get(&id).and_then(Option::as_ref)
    }

    /// Whether pictures are being computed.
    pub fn is_busy(&self) -> bool {
        self.making.is_busy()
    }

    /// Call once a frame: takes results, and computes missing thumbnails of rows in view.
    pub fn advance<'a>(&mut self, seen: impl Iterator<Item = &'a Arc<LibraryRow>>, jobs: &Jobs) {
        if let Some((ids, answer)) = self.making.take_answer() {
            // Failed pictures are stored as `None`, so they are not retried every frame.
            let pictures = answer.unwrap_or_else(|_| vec![None; ids.len()]);
            self.known.extend(ids.into_iter().zip(pictures));
        }
        if self.making.is_busy() {
            return;
        }
        let missing: Vec<(i64, PathBuf)> = seen
            .filter(|row| !self.known.contains_key(&row.id))
            .take(PICTURES_PER_JOB)
            .map(|row| (row.id, row.path.clone()))
            .collect();
        if missing.is_empty() {
            return;
        }
        if self.known.len() > MAX_PICTURES {
            self.known.clear();
        }
        let ids = missing.iter().map(|(id, _)| *id).collect();
        self.making.run_unseen(ids, jobs.spawn("library pictures", move |progress| pictures(&missing, progress)));
    }
}

fn pictures(missing: &[(i64, PathBuf)], progress: &Progress) -> Result<Vec<Picture>> {
    let one = |(_, path): &(i64, PathBuf)| {
        progress.check()?;
        let made = picture_of_sound_file(path, progress).ok();
        Ok(made.map(|(made, _)| Arc::new(made.picture)))
    };
    missing.iter().map(one).collect()
}
