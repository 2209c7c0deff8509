//! A project: a single file, replaced atomically, and untrusted when it is opened.

use super::fill::{Frame, fill_new};
use super::restore::{Restored, SampleStorage, integrity, restored};
use super::rows::{Head, read_edit};
use super::schema::{self, has_our_head, open_untrusted};
use super::source::{SourceError, SourceRef, SourceSearch, embed, extract, find, hash_of};
use super::{SessionState, damaged};
use crate::base::{
    Error, ErrorKind, MAX_TEXT_BYTES, Progress, Result, database_error, open_regular, replace_atomic, shown_path,
    temporary_folder, write_atomic,
};
use crate::document::{Entry, History, Snapshot};
use crate::media::{ExportFormat, FileStamp};
use rusqlite::Connection;
use std::fs::{File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project opened by this process.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// Path of the file.
    pub path: PathBuf,
    /// The stamp when it was last read or written.
    pub stamp: FileStamp,
    /// Lock of the file; `None` if another window holds it.
    lock: Option<Arc<File>>,
}

impl ProjectFile {
    fn at(path: &Path, lock: Option<File>) -> ProjectFile {
        let stamp = FileStamp::at(path).unwrap_or(FileStamp { n_bytes: 0, modified_ns: 0 });
        ProjectFile { path: path.to_path_buf(), stamp, lock: lock.map(Arc::new) }
    }

    /// The project a session belongs to; `None` if another window holds it, or it no longer exists.
    pub fn again(path: &Path) -> Option<ProjectFile> {
        let (lock, _) = open_regular(path).ok()?;
        (!matches!(lock.try_lock(), Err(TryLockError::WouldBlock))).then(|| ProjectFile::at(path, Some(lock)))
    }

    /// Whether another window had opened it first.
    pub fn is_held_elsewhere(&self) -> bool {
        self.lock.is_none()
    }

    /// Checks that the file is the one last read or written here.
    ///
    /// # Errors
    /// If it was changed or replaced since. A removed file is accepted.
    pub fn check_unchanged(&self) -> Result<()> {
        match FileStamp::at(&self.path) {
            Some(found) if found != self.stamp => {
                let what = "was changed by another program since it was opened; save under another name";
                Err(Error::new(ErrorKind::Io, what).at(&self.path))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that no window has the project at this path open.
///
/// # Errors
/// If this or another window has it open.
pub(super) fn refuse_held(path: &Path) -> Result<()> {
    match open_regular(path).map(|(file, _)| file.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => {
            Err(Error::new(ErrorKind::Io, "is open in another window; choose another name").at(path))
        }
        _ => Ok(()),
    }
}

/// Whether a file is a project, by its first bytes.
pub fn is_project(path: &Path) -> bool {
    has_our_head(path) || path.extension().is_some_and(|ending| ending == "sonobrush") && path.is_file()
}

/// Opens a project. A file that it contains is extracted to `source_file`, which is kept.
///
/// # Errors
/// The reason that its source was not opened, or one sentence about the project.
pub fn open_project(
    path: &Path,
    finding: &SourceSearch,
    room: &SampleStorage,
    source_file: &Path,
    progress: &Progress,
) -> std::result::Result<(Restored, ProjectFile), SourceError> {
    // Locked before it is read, so that the lock is held on the file that is read.
    let (lock, _) = open_regular(path)?;
    let lock = match lock.try_lock() {
        Ok(()) => Some(lock),
        Err(TryLockError::WouldBlock) => None,
        // Where the file system has no locks, no other process can hold one.
        Err(TryLockError::Error(_)) => Some(lock),
    };
    let restored = restore_project(path, finding, room, source_file, progress)?;
    Ok((restored, ProjectFile::at(path, lock)))
}

/// As [`open_project`], for callers that do not keep it open.
fn restore_project(
    path: &Path,
    finding: &SourceSearch,
    room: &SampleStorage,
    source_file: &Path,
    progress: &Progress,
) -> std::result::Result<Restored, SourceError> {
    let (connection, version) = open_untrusted(path)?;
    let head = Head::read(&connection, version).map_err(|error| error.at(path))?;
    let file = match &head.source {
        SourceRef::Silence => (None, false),
        SourceRef::File { .. } => {
            let (file, has_changed) = find(&head.source, finding, Some(path), progress)?;
            (Some(file), has_changed)
        }
        SourceRef::Embedded { stamp, .. } => {
            if FileStamp::at(path).is_none_or(|found| stamp.n_bytes > found.n_bytes) {
                return Err(damaged("the audio it contains is incomplete").at(path).into());
            }
            extract(&connection, &head.source, source_file, progress).map_err(|error| match error.path() {
                Some(_) => error,
                None => error.at(path),
            })?;
            (Some(source_file.to_path_buf()), false)
        }
    };
    let mut restored = restored(&connection, version, head, file, room, path, progress)?;
    // Only a session's project path is trusted; a path stored in a project file is ignored.
    (restored.project, restored.project_position) = (None, None);
    Ok(restored)
}

/// Writes a history as a project. The project contains the source if requested, if `source` was already contained in a
/// project or session, or if the sound has no file, unless it is silence.
///
/// # Errors
/// [`Io`](ErrorKind::Io); the file at `path` is then unchanged.
pub fn save_new_project(
    path: &Path,
    history: &History,
    desk: &SessionState,
    source: Option<SourceRef>,
    is_embedded: bool,
    progress: &Progress,
) -> Result<ProjectFile> {
    let original = history.original().source();
    let is_embedded = is_embedded || source.as_ref().is_some_and(SourceRef::is_embedded);
    let source = source.or_else(|| SourceRef::of(original)).unwrap_or(SourceRef::Silence);
    let source = if is_embedded { source } else { hashed(source, progress)? };
    let must_embed = original.path().is_none() && !original.is_silence();
    let file = match must_embed || is_embedded {
        true => FileToEmbed::of(history.original(), original.path(), &source)?,
        false => FileToEmbed::default(),
    };
    let frame =
        Frame { source, desk: desk.clone(), position: history.position(), project: None, project_position: None };
    refuse_held(path)?;
    if original.is_file_at(path) {
        return Err(Error::new(ErrorKind::Io, "is the source file; choose another name for the project").at(path));
    }
    write_project(path, false, progress, |half| {
        let connection = fill_new(half, history.entries(), &frame, progress)?;
        finish_project(&connection, history.entries(), frame.clone(), file.path(), half, progress)
    })
}

/// The sound file to embed in a project.
#[derive(Default)]
pub(super) struct FileToEmbed {
    path: Option<PathBuf>,
    /// Temporary file with the sound, if one was written.
    _made: Option<Box<dyn AsRef<Path>>>,
}

impl FileToEmbed {
    /// The file that a sound was opened from if it has not changed; otherwise its open samples, written to a new file.
    pub(super) fn of(original: &Snapshot, file: Option<&Path>, source: &SourceRef) -> Result<FileToEmbed> {
        if original.source().is_silence() {
            return Ok(FileToEmbed::default());
        }
        let is_as_it_was = |file: &&Path| match source {
            SourceRef::File { stamp, .. } => FileStamp::at(file) == Some(*stamp),
            SourceRef::Silence | SourceRef::Embedded { .. } => file.exists(),
        };
        if let Some(file) = file.filter(is_as_it_was) {
            return Ok(FileToEmbed { path: Some(file.to_path_buf()), _made: None });
        }
        let made = temporary_folder()?;
        let path = made.as_ref().join("sound.wav");
        write_sound(original, &path)?;
        Ok(FileToEmbed { path: Some(path), _made: Some(Box::new(made)) })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Writes the samples of a sound that does not come from a file, as 32-bit floats.
pub(super) fn write_sound(original: &crate::document::Snapshot, path: &Path) -> Result<()> {
    crate::document::export(original, path, ExportFormat::Float32, None, &Progress::new()).map(drop)
}

/// The source with its hash, checked to be the file that was opened.
pub(super) fn hashed(source: SourceRef, progress: &Progress) -> Result<SourceRef> {
    let SourceRef::File { path, stamp, hash } = &source else { return Ok(source) };
    let changed = || {
        let what = "was changed or removed by another program since it was opened; include the audio in the project, \
                    or restore the file";
        Error::new(ErrorKind::Io, what).at(path)
    };
    if FileStamp::at(path) != Some(*stamp) {
        return Err(changed());
    }
    let hash = match hash {
        Some(hash) => *hash,
        None => hash_of(path, progress)?,
    };
    // It may have been written to while it was read.
    if FileStamp::at(path) != Some(*stamp) {
        return Err(changed());
    }
    Ok(source.clone().with_hash(hash))
}

/// Completes the database of a project: embeds the sound's file, unless `embedded` is `None`, and writes the head row
/// without the session's project path.
pub(super) fn finish_project(
    connection: &Connection,
    entries: &[Entry],
    frame: Frame,
    embedded: Option<&Path>,
    half: &Path,
    progress: &Progress,
) -> Result<()> {
    let to_error = |error: rusqlite::Error| database_error(&error, "written", half);
    let transaction = connection.unchecked_transaction().map_err(to_error)?;
    connection.execute("DELETE FROM source_parts", []).map_err(to_error)?;
    let mut frame = Frame { project: None, project_position: None, ..frame };
    if let Some(file) = embedded {
        let stamp = FileStamp::at(file).ok_or_else(|| Error::new(ErrorKind::Io, "no longer exists").at(file))?;
        let hash = embed(connection, file, stamp, half, progress)?;
        // Only the file name: the project may be passed on, and the folder is private.
        let name = frame.source.path().and_then(Path::file_name).unwrap_or("sound.wav".as_ref());
        frame.source = SourceRef::Embedded { path: PathBuf::from(name), stamp, hash: Some(hash) };
    }
    let Some(original) = entries.first() else { return Err(damaged("there is no sound")) };
    frame.head(original, entries.len() - 1).write(connection).map_err(to_error)?;
    transaction.commit().map_err(to_error)
}

/// Replaces the project at `path`: written under a temporary name, checked, synced, renamed, and locked from then on.
/// If it is the one that was opened (`is_own`), in the layout of an earlier version, a copy of it is kept beside the
/// new one.
pub(super) fn write_project(
    path: &Path,
    is_own: bool,
    progress: &Progress,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<ProjectFile> {
    if is_own {
        keep_earlier_version(path)?;
    }
    let lock = replace_atomic(path, |half| {
        fill(half).and_then(|()| without_log(half)).and_then(|()| check_whole(half, progress)).map_err(|error| {
            // Name the destination rather than the temporary file.
            if error.path() == Some(half) { error.at(path) } else { error }
        })
    })?;
    Ok(ProjectFile::at(path, Some(lock)))
}

/// Copies a project in the layout of an earlier version, before it is replaced, to a name that states the version; only
/// once, and never over an existing file.
fn keep_earlier_version(path: &Path) -> Result<()> {
    let Ok((connection, version)) = open_untrusted(path) else { return Ok(()) };
    drop(connection);
    if version == schema::VERSION {
        return Ok(());
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(format!("{stem}.version{version}.sonobrush"));
    if beside.symlink_metadata().is_ok() {
        return Ok(());
    }
    let bytes = |out: &mut std::io::BufWriter<File>| {
        let (mut old, _) = open_regular(path)?;
        std::io::copy(&mut old, out).map(drop).map_err(|error| Error::io(&error, "written", &beside))
    };
    write_atomic(&beside, bytes).map_err(|error| error.at(&beside))
}

/// Sets the two bytes that select a rollback journal rather than a log beside the database.
fn without_log(half: &Path) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", half);
    let mut file = File::options().write(true).open(half).map_err(io)?;
    file.seek(SeekFrom::Start(18)).and_then(|_| file.write_all(&[1, 1])).map_err(io)
}

/// Reads back everything that was written.
fn check_whole(half: &Path, progress: &Progress) -> Result<()> {
    let (connection, version) = open_untrusted(half)?;
    integrity(&connection)?;
    let head = Head::read(&connection, version)?;
    check_edits(&connection, version, &head, progress)
}

/// Reads every edit, and checks that its blocks are in ascending order and in existing channels.
fn check_edits(connection: &Connection, version: u32, head: &Head, progress: &Progress) -> Result<()> {
    for id in 1..=head.n_edits {
        let mut last = None;
        read_edit(connection, version, id, MAX_TEXT_BYTES, &mut |place, _, _| {
            let is_after = last.is_none_or(|last| last < place);
            last = Some(place);
            is_after && place[1] < head.n_channels
        })?;
        progress.step(id as u64, head.n_edits as u64)?;
    }
    Ok(())
}

/// Result of checking a project.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedProject {
    /// Steps in the history.
    pub n_edits: usize,
    /// The current step.
    pub position: usize,
    /// Number of blocks of 4,096 samples changed by edits.
    pub n_blocks: u64,
    /// Length of the source in seconds.
    pub duration_secs: f64,
    /// Origin of the sound, for display.
    pub source: String,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// Restores a project with the checks of [`open_project`] and reports its contents. Takes no lock, so that a window
/// with the project open can save it.
///
/// # Errors
/// As [`open_project`], and any damage.
pub fn verify_project(
    path: &Path,
    finding: &SourceSearch,
    room: &SampleStorage,
    source_file: &Path,
    progress: &Progress,
) -> std::result::Result<VerifiedProject, SourceError> {
    let restored = restore_project(path, finding, room, source_file, progress)?;
    if let Some(damage) = restored.damage {
        return Err(damage.into());
    }
    let entries = restored.history.entries();
    let blocks = entries.windows(2).map(|pair| pair[1].snapshot.blocks_since(&pair[0].snapshot).len() as u64);
    let original = restored.history.original();
    let source = match &restored.source {
        SourceRef::Silence => "silence".into(),
        SourceRef::File { path, .. } => shown_path(path),
        SourceRef::Embedded { path: was_at, .. } => {
            format!("contained ({})", shown_path(Path::new(was_at.file_name().unwrap_or_default())))
        }
    };
    Ok(VerifiedProject {
        n_edits: entries.len().saturating_sub(1),
        position: restored.history.position(),
        n_blocks: blocks.sum(),
        duration_secs: original.n_samples() as f64 / original.sample_rate_hz(),
        source,
        notices: restored.notices.clone(),
    })
}

/// Fills an incomplete project with the pages of a session.
pub(super) fn copy_session(session: &Connection, half: &Path, progress: &Progress) -> Result<Connection> {
    /// Number of pages copied at a time: 8 MB.
    const PAGES: i32 = 512;
    let to_error = |error: rusqlite::Error| database_error(&error, "written", half);
    let mut copy = schema::open_private(half)?;
    {
        let backup = rusqlite::backup::Backup::new(session, &mut copy).map_err(to_error)?;
        while backup.step(PAGES).map_err(to_error)? == rusqlite::backup::StepResult::More {
            let at = backup.progress();
            progress.step((at.pagecount - at.remaining).max(0) as u64, at.pagecount.max(1) as u64)?;
        }
    }
    drop(copy);
    without_log(half)?;
    schema::open_private(half)
}
