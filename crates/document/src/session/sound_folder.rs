//! Sound files of ours: recordings, sounds that were made for a document of their own, and those that were dragged out
//! of the window. Each lies in a folder of its own in the state folder, locked while a process needs it, and is removed
//! with its document or at the end of the program. What a process that was killed
//! has left is found by the next one.

use super::folder::{LOCK, OwnFolders, create_folder, hold, is_file, is_new};
use crate::base::{Error, Result, open_private_file, shown_path};
use crate::media::GrowingWav;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Why we have a sound file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSound {
    /// It was recorded: there is no other copy of it.
    Recording,
    /// Another document's sound at another sample rate.
    Resampled,
    /// It was made to be given to another program.
    DraggedOut,
}

impl OwnSound {
    const ALL: [OwnSound; 3] = [OwnSound::Recording, OwnSound::Resampled, OwnSound::DraggedOut];

    /// The folder in the state folder that holds them.
    fn folder(self, state: &Path) -> PathBuf {
        state.join(match self {
            OwnSound::Recording => "recordings",
            OwnSound::Resampled => "resampled",
            OwnSound::DraggedOut => "dragged-out",
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

    /// A new and empty file in it, for this user alone, as is what replaces it.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn create_file(&self, name: &str) -> Result<PathBuf> {
        let path = self.join(name);
        open_private_file(&path).map_err(|error| Error::io(&error, "created", &path))?;
        Ok(path)
    }

    /// Whether a file lies in it.
    pub fn holds(&self, sound: &Path) -> bool {
        sound.parent() == Some(&self.path)
    }

    /// The sound that lies in it, once there is one.
    pub fn sound(&self) -> Option<PathBuf> {
        let files = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_sound = |path: &PathBuf| path.file_name().is_some_and(|name| name != LOCK) && is_file(path);
        files.map(|entry| entry.path()).find(is_sound)
    }

    /// The sound is not needed any more.
    pub fn remove(self) {
        // The sound first: a folder without one does not count, even if removal stops half-way.
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

/// Sounds of ours that no process holds. Recordings are finished and returned, the newest first; what can be made again
/// is removed, as are recordings without a sample. Those in `needed`, the sources of sessions, are left where they are.
pub fn look_for_sounds(state: &Path, needed: &[PathBuf]) -> Vec<FoundRecording> {
    let mut found = Vec::new();
    for what in OwnSound::ALL {
        let OwnFolders { paths, may_be_tidied } = OwnFolders::of(&what.folder(state));
        for path in paths {
            let is_new = is_new(&path);
            let Ok(lock) = hold(&path) else { continue };
            let folder = SoundFolder { path, what, _lock: lock };
            match folder.sound() {
                Some(path) if needed.contains(&path) => {}
                Some(path) if what == OwnSound::Recording && !may_be_tidied => {
                    let at = modified(&path);
                    found.push(FoundRecording { folder, path, at });
                }
                Some(path) if what == OwnSound::Recording => match finish(&path) {
                    Ok(0) => folder.remove(),
                    Ok(_) => {
                        let at = modified(&path);
                        found.push(FoundRecording { folder, path, at });
                    }
                    // It may be read all the same, or later.
                    Err(error) => tracing::warn!(%error, "a recording that was left"),
                },
                None if is_new => {}
                Some(_) | None if !may_be_tidied => {}
                Some(_) | None => folder.remove(),
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.at));
    found
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|found| found.modified()).ok()
}

/// Writes the length of a recording that was left into it, and keeps the time at which it was written. The number of
/// frames.
fn finish(path: &Path) -> Result<u64> {
    let modified = std::fs::metadata(path).and_then(|found| found.modified());
    let n_frames = GrowingWav::left(path)?.finish()?;
    if let Ok(at) = modified {
        let file = File::options().write(true).open(path).map_err(|error| Error::io(&error, "opened", path))?;
        file.set_modified(at).ok();
    }
    Ok(n_frames)
}
