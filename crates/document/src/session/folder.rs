//! The folders of sessions: one per open document, locked while its process lives.

use super::rows::Head;
use super::{damaged, log, schema};
use crate::base::{
    Error, ErrorKind, Result, create_new_private_folder, create_private_folder, keep_private, open_new_private_file,
    open_private_file,
};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SESSIONS: &str = "sessions";
pub(super) const LOCK: &str = "lock";
const TRIED_MARK: &str = "tried";
const DATABASE: &str = "session-";
const DATABASE_EXTENSION: &str = ".db";
pub(super) const SOURCE: &str = "source";
/// Age below which a folder counts as just created by another process, and is left alone.
const NEW_FOLDER_AGE: Duration = Duration::from_secs(60);

/// Creates a folder with a unique name, and a lock in it.
pub(super) fn create_folder(parent: &Path) -> Result<PathBuf> {
    create_private_folder(parent).map_err(|error| Error::io(&error, "created", parent))?;
    // Older versions let others read it.
    if let Err(error) = keep_private(parent) {
        tracing::warn!(%error, "others may read {}", parent.display());
    }
    let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut n = 0;
    let path = loop {
        let path = parent.join(format!("{secs}-{}-{n}", std::process::id()));
        match create_new_private_folder(&path) {
            Ok(()) => break path,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => n += 1,
            Err(error) => return Err(Error::io(&error, "created", &path)),
        }
    };
    open_new_private_file(&path.join(LOCK)).map_err(|error| Error::io(&error, "written", &path))?;
    Ok(path)
}

/// Folders created by [`create_folder`].
pub(super) struct OwnFolders {
    /// Paths of folders, excluding links and other names.
    pub paths: Vec<PathBuf>,
    /// Whether unused folders may be removed; not if the parent is a link, which the user set up.
    pub may_be_tidied: bool,
}

impl OwnFolders {
    pub(super) fn of(parent: &Path) -> OwnFolders {
        let is_own_name = |name: &str| {
            let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            name.split('-').count() == 3 && name.split('-').all(is_number)
        };
        let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
        let own = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_own_name));
        let paths = own.map(|entry| entry.path()).filter(|path| is_folder(path) && is_file(&path.join(LOCK)));
        OwnFolders { paths: paths.collect(), may_be_tidied: is_folder(parent) }
    }
}

/// Whether a path is a folder, rather than a link to one.
fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether a path is a file, rather than a link to one.
pub(super) fn is_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Takes the lock of a folder.
pub(super) fn hold(path: &Path) -> Result<File> {
    if !is_file(&path.join(LOCK)) {
        return Err(Error::new(ErrorKind::Io, "has no lock of ours").at(path));
    }
    let lock = File::options().read(true).write(true).open(path.join(LOCK));
    let lock = lock.map_err(|error| Error::io(&error, "opened", path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::new(ErrorKind::Io, "is open in another window").at(path)),
        Err(TryLockError::Error(error)) => Err(Error::io(&error, "locked", path)),
    }
}

/// Whether a folder may still be in the process of being created.
pub(super) fn is_new(path: &Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|found| found.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < NEW_FOLDER_AGE))
}

/// A session's folder, locked by this process.
#[derive(Debug)]
pub struct SessionFolder {
    path: PathBuf,
    _lock: File,
}

impl SessionFolder {
    /// Creates a folder.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn create(state: &Path) -> Result<SessionFolder> {
        SessionFolder::adopt(&create_folder(&state.join(SESSIONS))?)
    }

    /// Takes over the folder of a process that ended.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if another process holds it.
    pub fn adopt(path: &Path) -> Result<SessionFolder> {
        Ok(SessionFolder { path: path.to_path_buf(), _lock: hold(path)? })
    }

    /// Its path, as passed to `--session`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it still exists.
    pub(super) fn is_in_place(&self) -> bool {
        is_file(&self.path.join(LOCK))
    }

    /// Path of a file extracted from a project.
    pub fn source_file(&self) -> PathBuf {
        self.path.join(SOURCE)
    }

    /// Databases, newest first; there are two only if the older one could no longer be written.
    pub(super) fn databases(&self) -> Vec<PathBuf> {
        let mut found: Vec<(u32, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix(DATABASE).and_then(|name| name.strip_suffix(DATABASE_EXTENSION));
            if let Some(number) = number.and_then(|number| number.parse().ok()).filter(|_| is_file(&entry.path())) {
                found.push((number, entry.path()));
            }
        }
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Path of the next database.
    pub(super) fn next_database(&self) -> PathBuf {
        let numbers = self.databases();
        let last = numbers.first().and_then(|path| path.file_stem()).and_then(|name| {
            name.to_string_lossy().strip_prefix(DATABASE).and_then(|number| number.parse::<u32>().ok())
        });
        self.path.join(format!("{DATABASE}{}{DATABASE_EXTENSION}", last.map_or(1, |last| last + 1)))
    }

    /// Removes all databases except this one.
    pub(super) fn remove_others(&self, kept: &Path) {
        for path in self.databases().into_iter().filter(|path| path != kept) {
            remove_database(&path);
        }
    }

    /// Records an attempt at recovery, so that a session that crashes the program is not tried repeatedly.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn note_trial(&self) -> Result<()> {
        let path = self.path.join(TRIED_MARK);
        open_private_file(&path).map(drop).map_err(|error| Error::io(&error, "written", &path))
    }

    /// Records that the recovery succeeded.
    pub fn end_trial(&self) {
        SessionFolder::end_trial_at(&self.path);
    }

    /// As [`end_trial`](SessionFolder::end_trial), for a folder that another thread has locked.
    pub fn end_trial_at(path: &Path) {
        std::fs::remove_file(path.join(TRIED_MARK)).ok();
    }

    /// Whether an earlier recovery ended the program.
    pub fn was_tried(&self) -> bool {
        self.path.join(TRIED_MARK).exists()
    }

    /// Removes the session.
    pub fn remove(self) {
        // Databases first: a folder without one is no session, even if removal stops half-way.
        self.databases().iter().for_each(|path| remove_database(path));
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "a session stays: {}", self.path.display());
        }
    }

    /// Renames an unusable session so that later starts skip it; returns its new path.
    pub fn set_aside(self) -> PathBuf {
        let aside = self.path.with_extension("damaged");
        match std::fs::rename(&self.path, &aside) {
            Ok(()) => aside,
            Err(_) => self.path,
        }
    }
}

/// Removes a database with its log.
pub(super) fn remove_database(path: &Path) {
    // The logs go last: a log without its database is harmless, but a database without its log lacks edits.
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        std::fs::remove_file(file).ok();
    }
}

/// A session that a process left behind.
#[derive(Debug)]
pub struct FoundSession {
    /// Folder, locked by this process so that no other window offers it.
    pub folder: SessionFolder,
    /// Name of the sound or the project, for display.
    pub name: String,
    /// Number of edits.
    pub n_edits: usize,
    /// Time of the last write.
    pub at: Option<SystemTime>,
    /// The last file saved or opened, to open if this session cannot be recovered.
    pub fallback: Option<PathBuf>,
    /// The file its sound comes from, if any.
    pub source: Option<PathBuf>,
    /// View of its document as JSON, see [`SessionState::view`](super::SessionState::view). Empty if unreadable.
    pub view: String,
    /// The error of an unreadable session.
    pub damage: Option<Error>,
}

/// Sessions whose process has ended, the newest first.
#[derive(Debug, Default)]
pub struct OrphanedSessions {
    /// Sessions with edits, or damaged ones.
    pub edited: Vec<FoundSession>,
    /// Sessions without edits, which only restore open files.
    pub unedited: Vec<FoundSession>,
    may_be_tidied: bool,
}

impl OrphanedSessions {
    /// Keeps some of the sessions without edits, and removes the others.
    pub fn keep_unedited(&mut self, mut is_kept: impl FnMut(&FoundSession) -> bool) {
        let (kept, others): (Vec<_>, Vec<_>) = self.unedited.drain(..).partition(|session| is_kept(session));
        self.unedited = kept;
        if self.may_be_tidied {
            others.into_iter().for_each(|session| session.folder.remove());
        }
    }
}

/// Sessions with edits whose process has ended, the newest first. Removes those without edits.
pub fn find_sessions(state: &Path) -> Vec<FoundSession> {
    let mut left = find_all_sessions(state);
    left.keep_unedited(|_| false);
    left.edited
}

/// All sessions whose process has ended.
pub fn find_all_sessions(state: &Path) -> OrphanedSessions {
    let (mut found, mut unedited) = (Vec::new(), Vec::new());
    let OwnFolders { paths, may_be_tidied } = OwnFolders::of(&state.join(SESSIONS));
    let tidy = |folder: SessionFolder| {
        if may_be_tidied {
            folder.remove();
        }
    };
    for path in paths {
        let is_new = is_new(&path);
        let Ok(folder) = SessionFolder::adopt(&path) else {
            // Held by another process, or without a lock file: incomplete, or not created by this program.
            continue;
        };
        let databases = folder.databases();
        let Some(database) = databases.first() else {
            if !is_new {
                tidy(folder);
            }
            continue;
        };
        // Before SQLite opens a database and discards its log. Checks all of them, so that every damaged log is copied.
        let n_damaged = databases.iter().filter(|path| log::is_damaged(path)).count();
        let at = [database.clone(), log::log_of(database)]
            .iter()
            .filter_map(|path| std::fs::metadata(path).and_then(|found| found.modified()).ok())
            .max();
        let heads = databases.iter().map(|path| {
            schema::open_left_session(path).and_then(|(connection, version)| Head::read(&connection, version))
        });
        match heads.reduce(|first, second| first.or(second)) {
            Some(Ok(head)) if head.n_edits == 0 && n_damaged > 0 => {
                let name = head.source.path().map_or_else(|| "Untitled".to_owned(), crate::base::shown_path);
                let damage = Some(damaged("its log is corrupted"));
                let source = head.source.path().map(Path::to_path_buf);
                let (fallback, view) = (None, String::new());
                found.push(FoundSession { folder, name, n_edits: 0, at, fallback, source, view, damage });
            }
            Some(Ok(head)) => {
                let saved_back = folder.saved_back().map(|saved| saved.file);
                let source = head.source.path().map(Path::to_path_buf);
                let fallback = head.project.clone().or(saved_back).or_else(|| source.clone());
                let name = fallback
                    .as_deref()
                    .and_then(Path::file_name)
                    .map_or_else(|| "Untitled".to_owned(), |name| crate::base::shown_path(Path::new(name)));
                let (n_edits, view) = (head.n_edits, head.desk.view);
                let whole = FoundSession { folder, name, n_edits, at, fallback, source, view, damage: None };
                if n_edits == 0 { unedited.push(whole) } else { found.push(whole) }
            }
            // The process was killed before it wrote the first row.
            Some(Err(_)) if n_damaged == 0 && databases.iter().all(|path| schema::is_blank(path)) => tidy(folder),
            Some(Err(error)) => {
                let name = crate::base::shown_path(&path);
                let (fallback, source, view, damage) = (None, None, String::new(), Some(error));
                found.push(FoundSession { folder, name, n_edits: 0, at, fallback, source, view, damage });
            }
            None => {}
        }
    }
    for sessions in [&mut found, &mut unedited] {
        sessions.sort_by_key(|one| std::cmp::Reverse(one.at));
    }
    OrphanedSessions { edited: found, unedited, may_be_tidied }
}
