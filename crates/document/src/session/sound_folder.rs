//! Sound files of the program itself: recordings, sounds made for a document, and those dragged out of the window. Each
//! has a folder of its own in the state folder, locked while a process needs it, and removed with its document or at
//! the end of the program. Files of a killed process are found at the next start.

use super::folder::{LOCK, OwnFolders, create_folder, hold, is_file, is_new};
use crate::base::{Error, Result, open_private_file, shown_path};
use crate::media::GrowingWav;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Purpose of a sound file of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedSound {
    /// A recording, without any other copy.
    Recording,
    /// Another document's sound at another sample rate.
    Resampled,
    /// Written to be passed to another program.
    DraggedOut,
}

impl GeneratedSound {
    const ALL: [GeneratedSound; 3] = [GeneratedSound::Recording, GeneratedSound::Resampled, GeneratedSound::DraggedOut];

    /// Their folder in the state folder.
    fn folder(self, state: &Path) -> PathBuf {
        state.join(match self {
            GeneratedSound::Recording => "recordings",
            GeneratedSound::Resampled => "resampled",
            GeneratedSound::DraggedOut => "dragged-out",
        })
    }
}

/// The folder of a sound file, locked by this process.
#[derive(Debug)]
pub struct SoundFolder {
    path: PathBuf,
    what: GeneratedSound,
    _lock: File,
}

impl SoundFolder {
    /// Creates a folder without a sound.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn create(state: &Path, what: GeneratedSound) -> Result<SoundFolder> {
        let path = create_folder(&what.folder(state))?;
        let lock = hold(&path)?;
        Ok(SoundFolder { path, what, _lock: lock })
    }

    /// The folder of a sound file; `None` if it is not the program's own, or another process holds it.
    pub fn of(sound: &Path, state: &Path) -> Option<SoundFolder> {
        let path = sound.parent()?;
        let what = GeneratedSound::ALL.into_iter().find(|what| path.parent() == Some(&what.folder(state)))?;
        let lock = hold(path).ok()?;
        Some(SoundFolder { path: path.to_path_buf(), what, _lock: lock })
    }

    /// Its purpose.
    pub fn what(&self) -> GeneratedSound {
        self.what
    }

    /// A path in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates an empty file in it that only this user can access. A file that replaces it keeps these permissions.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn create_file(&self, name: &str) -> Result<PathBuf> {
        let path = self.join(name);
        open_private_file(&path).map_err(|error| Error::io(&error, "created", &path))?;
        Ok(path)
    }

    /// Whether a file is in it.
    pub fn holds(&self, sound: &Path) -> bool {
        sound.parent() == Some(&self.path)
    }

    /// The sound in it, once there is one.
    pub fn sound(&self) -> Option<PathBuf> {
        let files = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_sound = |path: &PathBuf| path.file_name().is_some_and(|name| name != LOCK) && is_file(path);
        files.map(|entry| entry.path()).find(is_sound)
    }

    /// Removes it, as its sound is no longer needed.
    pub fn remove(self) {
        // The sound first: if removal stops half-way, the next start removes the folder without a sound.
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
    /// Folder, locked by this process so that no other window offers it.
    pub folder: SoundFolder,
    /// The file.
    pub path: PathBuf,
    /// Time of the last write.
    pub at: Option<SystemTime>,
}

impl FoundRecording {
    /// Its name, for display.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| shown_path(Path::new(name)))
    }
}

/// Finds the program's sound files whose process has ended. Recordings are finished and returned, the newest first;
/// sounds of other kinds, which can be recreated, are removed, as are recordings without a sample. Files in `needed`,
/// the sources of sessions, are left alone.
pub fn find_recordings(state: &Path, needed: &[PathBuf]) -> Vec<FoundRecording> {
    let mut found = Vec::new();
    for what in GeneratedSound::ALL {
        let OwnFolders { paths, may_be_tidied } = OwnFolders::of(&what.folder(state));
        for path in paths {
            let is_new = is_new(&path);
            let Ok(lock) = hold(&path) else { continue };
            let folder = SoundFolder { path, what, _lock: lock };
            match folder.sound() {
                Some(path) if needed.contains(&path) => {}
                Some(path) if what == GeneratedSound::Recording && !may_be_tidied => {
                    let at = modified(&path);
                    found.push(FoundRecording { folder, path, at });
                }
                Some(path) if what == GeneratedSound::Recording => match finish(&path) {
                    Ok(0) => folder.remove(),
                    Ok(_) => {
                        let at = modified(&path);
                        found.push(FoundRecording { folder, path, at });
                    }
                    // The file stays: its sound may be readable nevertheless, or at a later start.
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

/// Writes the length into the header of an abandoned recording, keeping its modification time. Returns the number of
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
