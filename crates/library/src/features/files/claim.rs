//! The folder in which a run builds its output: under a temporary name, and by one process at a time.

use super::disk::remove;
use super::guard::{LOG_NAME, STARTED_NAME, refuse_foreign, refuse_foreign_partial};
use super::log::DoneLog;
use super::manifest::{FILES_PER_TASK, Manifest};
use crate::base::{Error, ErrorKind, Result, file_id, open_regular, read_regular, sync_folder};
use crate::library::file_work::is_locked;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

/// Maximum number of processes that build the same output concurrently, each in a folder of its own.
const MAX_BUILDERS: usize = 16;
/// Maximum number of attempts to create a folder that other processes remove at the same moment.
const MAX_ATTEMPTS: usize = 1000;

/// Temporary name of an output being built.
pub fn partial_folder(output: &Path) -> PathBuf {
    beside(output, ".partial")
}

/// `OUT` with a suffix.
fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    output.with_file_name(name)
}

/// A partial folder that only this process writes while the claim exists.
pub struct Claim {
    /// The folder.
    pub folder: PathBuf,
    /// The finished tasks; its lock is the claim.
    pub log: DoneLog,
}

impl Claim {
    /// Claims `OUT.partial`, creating it if needed; keeps its contents.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if another process builds there.
    pub fn of(output: &Path) -> Result<Claim> {
        refuse_foreign(output)?;
        let folder = partial_folder(output);
        Claim::at(&folder)?.ok_or_else(|| in_progress(&folder))
    }

    /// Claims the first of `OUT.partial`, `OUT.partial-1`, ... in which no process is building. On a file system
    /// without locks, where that cannot be known, the folder gets a unique name.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if too many processes build the same output.
    pub fn first_free(output: &Path) -> Result<Claim> {
        refuse_foreign(output)?;
        for folder in builder_folders(output) {
            match Claim::at(&folder)? {
                Some(claim) if claim.log.is_locked => return Ok(claim),
                Some(_) => return Claim::of_own(output),
                None => {}
            }
        }
        Err(Error::new(ErrorKind::Io, format!("is being written by {MAX_BUILDERS} processes already")).at(output))
    }

    /// Claims a folder with a unique name.
    fn of_own(output: &Path) -> Result<Claim> {
        // Leftovers of the attempt to lock.
        let looked_at = partial_folder(output);
        if !looked_at.join(STARTED_NAME).exists() {
            forget(&looked_at)?;
            std::fs::remove_dir(&looked_at).ok();
        }
        let random = RandomState::new().build_hasher().finish();
        let folder = beside(output, &format!(".partial-{}-{random:016x}", std::process::id()));
        Claim::at(&folder)?.ok_or_else(|| Error::new(ErrorKind::Internal, "a new folder is in use").at(&folder))
    }

    /// Claims a folder; `None` if another process holds the claim.
    fn at(folder: &Path) -> Result<Option<Claim>> {
        let path = folder.join(LOG_NAME);
        refuse_foreign_partial(folder)?;
        let mut attempts = 0..MAX_ATTEMPTS;
        loop {
            // Another process may remove it between two of these steps.
            let is_last = attempts.next().is_none();
            let is_gone = || !is_last && std::fs::symlink_metadata(folder).map_or(true, |found| found.is_dir());
            match std::fs::create_dir_all(folder) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && is_gone() => continue,
                created => created.map_err(|error| Error::io(&error, "created", folder))?,
            }
            let log = match DoneLog::open(&path) {
                Err(_) if !is_last && !path.exists() => continue,
                log => log?,
            };
            let Some(log) = log else { return Ok(None) };
            // Another process may have finished and renamed the folder since the log was opened.
            let found = std::fs::metadata(&path).ok().and_then(|found| file_id(&found));
            if found == log.id() && path.exists() {
                return Ok(Some(Claim { folder: folder.to_path_buf(), log }));
            }
        }
    }

    /// The manifest that an earlier run recorded in this folder, if any.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn started(&self) -> Result<Option<Manifest>> {
        let path = self.folder.join(STARTED_NAME);
        if std::fs::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let text = read_regular(&path)?;
        let damaged = |_| {
            let sentence = "cannot be resumed, as it is damaged; start over with --replace";
            Error::new(ErrorKind::Io, sentence).at(&self.folder)
        };
        serde_json::from_slice(&text).map(Some).map_err(damaged)
    }

    /// Removes everything left by an earlier run, and records the manifest of this run, if it has one.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn start_over(&mut self, manifest: Option<&Manifest>) -> Result<()> {
        // The old manifest first: without it, nothing else in the folder counts.
        remove(&self.folder.join(STARTED_NAME))?;
        self.log.restart(manifest.map_or(FILES_PER_TASK, Manifest::files_per_task), &[])?;
        self.empty()?;
        match manifest {
            Some(manifest) => super::report::write_json(&self.folder.join(STARTED_NAME), manifest),
            None => Ok(()),
        }
    }

    /// Moves the finished folder to its final name. An existing output is refused, or with `replaces` moved aside first
    /// and removed once the new one is in place.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); the partial folder and any existing output then stay.
    pub fn put_in_place(self, output: &Path, replaces: bool) -> Result<()> {
        let io = |error: std::io::Error| Error::io(&error, "written", output);
        sync_folder(&self.folder).map_err(io)?;
        // The output may have appeared, or been added to, since the run began.
        refuse_foreign(output)?;
        let aside = beside(output, ".replaced");
        let is_there = output.exists();
        if is_there && !replaces {
            let sentence =
                "was written by another process meanwhile; run with --resume and --replace to take its place";
            return Err(Error::new(ErrorKind::Io, sentence).at(output));
        }
        if is_there {
            refuse_foreign(&aside)?;
            remove(&aside)?;
            std::fs::rename(output, &aside).map_err(io)?;
        }
        if let Err(error) = std::fs::rename(&self.folder, output) {
            if is_there {
                std::fs::rename(&aside, output).map_err(io)?;
            }
            return Err(io(error));
        }
        sync_parent(output)?;
        forget(output)?;
        if is_there { remove(&aside) } else { Ok(()) }
    }

    /// As [`put_in_place`](Self::put_in_place), but keeps an existing output; returns whether this one became the
    /// output. The partial folder is gone in both cases.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); the partial folder then stays.
    pub fn put_in_place_if_first(self, output: &Path) -> Result<bool> {
        let io = |error: std::io::Error| Error::io(&error, "written", output);
        sync_folder(&self.folder).map_err(io)?;
        // A folder cannot be renamed onto one that is not empty.
        match std::fs::rename(&self.folder, output) {
            Ok(()) => {
                sync_parent(output)?;
                forget(output)?;
                Ok(true)
            }
            Err(_) if output.exists() => self.remove().map(|()| false),
            Err(error) => Err(io(error)),
        }
    }

    /// Removes the folder even while others check whether it is free. No process can claim it until its log is gone; a
    /// log that appears afterwards is another process's claim, and that folder is kept.
    fn remove(self) -> Result<()> {
        self.empty()?;
        remove(&self.folder.join(LOG_NAME))?;
        match std::fs::remove_dir(&self.folder) {
            Err(error) if !matches!(error.kind(), IoErrorKind::NotFound | IoErrorKind::DirectoryNotEmpty) => {
                Err(Error::io(&error, "removed", &self.folder))
            }
            _ => Ok(()),
        }
    }

    /// Removes everything in the folder except the log, which is the claim.
    fn empty(&self) -> Result<()> {
        let io = |error: std::io::Error| Error::io(&error, "read", &self.folder);
        for entry in std::fs::read_dir(&self.folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.file_name().is_none_or(|name| name != LOG_NAME) {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

fn in_progress(folder: &Path) -> Error {
    let sentence = "is being written by another process; wait for it, or choose another output";
    Error::new(ErrorKind::Io, sentence).at(folder)
}

/// Refuses a partial folder that another process is writing.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn refuse_in_progress(partial: &Path) -> Result<()> {
    let log = open_regular(&partial.join(LOG_NAME));
    if log.is_ok_and(|(log, _)| is_locked(&log)) { Err(in_progress(partial)) } else { Ok(()) }
}

fn sync_parent(output: &Path) -> Result<()> {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_folder(parent).map_err(|error| Error::io(&error, "written", output))
}

/// Removes the work files from a finished folder. They are renamed with it, so that the lock is held until then.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn forget(output: &Path) -> Result<()> {
    remove(&output.join(STARTED_NAME))?;
    remove(&output.join(LOG_NAME))
}

fn builder_folders(output: &Path) -> impl Iterator<Item = PathBuf> {
    let more = (1..MAX_BUILDERS).map(|k| beside(output, &format!(".partial-{k}")));
    std::iter::once(partial_folder(output)).chain(more.collect::<Vec<_>>())
}

/// Removes partial folders of an output in which no process is building.
pub fn remove_abandoned(output: &Path) {
    for folder in builder_folders(output).filter(|folder| folder.is_dir()) {
        if let Ok(Some(claim)) = Claim::at(&folder)
            && claim.log.is_locked
            && let Err(error) = claim.remove()
        {
            tracing::warn!(%error, "a partial folder stays");
        }
    }
}
