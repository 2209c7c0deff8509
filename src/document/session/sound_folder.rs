//! Sound files of ours: recordings, and sounds that were made for a document of their own. Each lies in a folder of its own
//! in the state folder, locked while a process needs it, and is removed with its document. What a process that was killed
//! has left is found by the next one.

use super::folder::{LOCK, create_folder, hold, is_new};
use crate::base::{Error, Result, shown_path};
use crate::media::GrowingWav;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Why we have a sound file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSound {
    /// It was recorded: there is no other copy of it.
    Recording,
    /// It was made of another document, at another sample rate.
    Resampled,
}

impl OwnSound {
    const ALL: [OwnSound; 2] = [OwnSound::Recording, OwnSound::Resampled];

    /// The folder in the state folder that holds them.
    fn folder(self, state: &Path) -> PathBuf {
        state.join(match self {
            OwnSound::Recording => "recordings",
            OwnSound::Resampled => "resampled",
        })
    }
}

/// The folder of one, held by us.
#[derive(Debug)]
pub struct SoundFolder {
    path: PathBuf,
    what: OwnSound,
    _lock: File,
}

impl SoundFolder {
    /// A new one, without a sound yet.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn create(state: &Path, what: OwnSound) -> Result<SoundFolder> {
        let path = create_folder(&what.folder(state))?;
        let lock = hold(&path)?;
        Ok(SoundFolder { path, what, _lock: lock })
    }

    /// That of a sound file; none if the file is not ours, or if another process holds it.
    pub fn of(sound: &Path, state: &Path) -> Option<SoundFolder> {
        let path = sound.parent()?;
        let what = OwnSound::ALL.into_iter().find(|what| path.parent() == Some(&what.folder(state)))?;
        let lock = hold(path).ok()?;
        Some(SoundFolder { path: path.to_path_buf(), what, _lock: lock })
    }

    /// Why we have it.
    pub fn what(&self) -> OwnSound {
        self.what
    }

    /// A place in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a file lies in it.
    pub fn holds(&self, sound: &Path) -> bool {
        sound.parent() == Some(&self.path)
    }

    /// The sound that lies in it, once there is one.
    pub fn sound(&self) -> Option<PathBuf> {
        let files = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        files.map(|entry| entry.path()).find(|path| path.file_name().is_some_and(|name| name != LOCK))
    }

    /// The sound is not needed any more.
    pub fn remove(self) {
        // The sound first: a folder without one is none, whatever happens on the way.
        if let Some(sound) = self.sound() {
            std::fs::remove_file(sound).ok();
        }
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "a sound stays: {}", self.path.display());
        }
    }
}

/// A recording that a process left behind.
#[derive(Debug)]
pub struct FoundRecording {
    /// Held by us, so that no other window offers it, too.
    pub folder: SoundFolder,
    /// The file.
    pub path: PathBuf,
    /// When it was written last.
    pub at: Option<SystemTime>,
}

impl FoundRecording {
    /// Its name, for people.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| shown_path(Path::new(name)))
    }
}

/// Sounds of ours that no process holds. Recordings are finished and returned, the newest first; what can be made again is
/// removed, as are recordings without a sample. Those in `needed`, the sources of sessions, are left where they are.
pub fn look_for_sounds(state: &Path, needed: &[PathBuf]) -> Vec<FoundRecording> {
    let mut found = Vec::new();
    for what in OwnSound::ALL {
        for entry in std::fs::read_dir(what.folder(state)).into_iter().flatten().flatten() {
            let is_new = is_new(&entry.path());
            let Ok(lock) = hold(&entry.path()) else { continue };
            let folder = SoundFolder { path: entry.path(), what, _lock: lock };
            match folder.sound() {
                Some(path) if needed.contains(&path) => {}
                Some(path) if what == OwnSound::Recording => match finish(&path) {
                    Ok(0) => folder.remove(),
                    Ok(_) => {
                        let at = std::fs::metadata(&path).and_then(|found| found.modified()).ok();
                        found.push(FoundRecording { folder, path, at });
                    }
                    // It may be read all the same, or later.
                    Err(error) => tracing::warn!(%error, "a recording that was left"),
                },
                None if is_new => {}
                Some(_) | None => folder.remove(),
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.at));
    found
}

/// Writes the length of a recording that was left into it, and keeps the time at which it was written. The number of frames.
fn finish(path: &Path) -> Result<u64> {
    let modified = std::fs::metadata(path).and_then(|found| found.modified());
    let n_frames = GrowingWav::left(path)?.finish()?;
    if let Ok(at) = modified {
        let file = File::options().write(true).open(path).map_err(|error| Error::io(&error, "opened", path))?;
        file.set_modified(at).ok();
    }
    Ok(n_frames)
}
