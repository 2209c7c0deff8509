//! Changes to the settings file, written in jobs.

use super::{JobQueue, Jobs};
use crate::base::{Error, Folders, Settings};

type Change = Box<dyn FnOnce(&mut Settings) + Send>;

/// Changes to the settings file, written in the order in which they were made.
#[derive(Default)]
pub struct SettingsChanges(JobQueue<Change, (), ()>);

impl SettingsChanges {
    /// Queues a change.
    pub fn push(&mut self, change: impl FnOnce(&mut Settings) + Send + 'static) {
        self.0.push(Box::new(change));
    }

    /// Call once a frame: starts to write the next change. Returns the error of one that was not written.
    pub fn advance(&mut self, folders: &Folders, jobs: &Jobs) -> Option<Error> {
        let failed = self.0.take_answer().and_then(|((), answer)| answer.err());
        if let Some(change) = self.0.take_next() {
            let folders = folders.clone();
            self.0.run_unseen((), jobs.spawn("settings", move |_| Settings::save_change(&folders, change)));
        }
        failed
    }

    /// Whether a change is waiting or being written.
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }
}
