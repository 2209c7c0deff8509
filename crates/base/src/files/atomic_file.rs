//! Atomic file replacement: a reader sees either the old file or the new one, never a mixture.

use crate::platform::{check_writable, permissions_of_new_file, sync_folder, take_over_metadata};
use crate::{Error, ErrorKind, Result};
use std::fs::{File, Metadata};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// Resolves the symbolic links of a path; the target need not exist.
///
/// # Errors
/// If the links form a loop.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = std::fs::canonicalize(&target) {
            return Ok(found);
        }
        let Ok(next) = std::fs::read_link(&target) else { return Ok(target) };
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    Err(Error::new(ErrorKind::Io, "is a symbolic link that points back to itself; choose another name").at(path))
}

/// Prefix of temporary files. Their names are short and random: a 255-byte name leaves no room for a suffix.
pub const TEMPORARY_PREFIX: &str = ".sonobrush-";
/// Files younger than this are not cleaned up, since another program may have just created them.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// Writes `path` through a temporary file in the same folder: write, fsync, rename, fsync of the folder. Symbolic links
/// are followed: the file that the link points to is replaced and the link stays. Permissions of an existing file are
/// kept. A dangling link is followed, too, and its target is created.
///
/// # Errors
/// The error of `write`, or [`ErrorKind::Io`]; `path` is then unchanged and no temporary file is left behind.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", path);
    let half = Half::new(path, "")?;
    let mut buffered = BufWriter::with_capacity(1 << 16, half.file.as_file().try_clone().map_err(io)?);
    write(&mut buffered)?;
    buffered.flush().map_err(io)?;
    drop(buffered);
    half.finish(path).map(drop)
}

/// As [`write_atomic`], for writers that need a path: `fill` gets the path of an empty temporary file and writes all of
/// it. Returns the open file, locked with [`File::try_lock`] since before the rename.
///
/// # Errors
/// As [`write_atomic`].
pub fn replace_atomic(path: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<File> {
    let half = Half::new(path, "")?;
    fill(half.file.path())?;
    half.finish(path)
}

/// Replaces an existing file as [`write_atomic`] does, keeping its owner, mode and extended attributes. `fill` gets the
/// path of an empty file beside it with the same extension; `before` gets the new file, complete and synced, just
/// before it replaces the old one.
///
/// # Errors
/// Errors of `fill` and `before`, or [`ErrorKind::Io`]; the file is then unchanged, and no temporary file is left
/// behind.
pub fn replace_existing(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<()>,
    before: impl FnOnce(&Metadata) -> Result<()>,
) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", path);
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    let half = Half::new(path, &ending)?;
    let new = half.file.path();
    fill(new)?;
    take_over_metadata(&half.target, new).map_err(io)?;
    // Opened again, since `fill` may have replaced the file by another of the same name.
    let written = File::open(new).map_err(io)?;
    written.sync_all().map_err(io)?;
    before(&written.metadata().map_err(io)?)?;
    half.finish(path).map(drop)
}

/// Gives a file a second name, which must not exist yet: a hard link, or a copy with the same modification time if the
/// file system has no links. Synced to disk on return. Returns false if the name is taken.
///
/// # Errors
/// [`ErrorKind::Io`]; the new name then does not exist.
pub fn keep_beside(path: &Path, beside: &Path) -> Result<bool> {
    let io = |error: std::io::Error| Error::io(&error, "written", beside);
    if std::fs::symlink_metadata(beside).is_ok() {
        return Ok(false);
    }
    let folder = beside.parent().unwrap_or(Path::new("."));
    let linked = std::fs::hard_link(path, beside);
    match linked {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem => return Err(io(error)),
        Err(_) => {
            let (mut old, _) = crate::open_regular(path)?;
            let found = old.metadata().map_err(io)?;
            let copy = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder).map_err(io)?;
            copy.as_file().try_lock().ok();
            std::io::copy(&mut old, &mut copy.as_file()).map_err(io)?;
            copy.as_file().set_permissions(found.permissions()).map_err(io)?;
            found.modified().and_then(|at| copy.as_file().set_modified(at)).map_err(io)?;
            copy.as_file().sync_all().map_err(io)?;
            match copy.persist_noclobber(beside) {
                Ok(_) => {}
                Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(false),
                Err(error) => return Err(io(error.error)),
            }
        }
    }
    sync_folder(folder).map_err(io)?;
    Ok(true)
}

/// A temporary file that will replace `target`.
struct Half {
    file: tempfile::NamedTempFile,
    target: PathBuf,
    folder: PathBuf,
}

impl Half {
    /// `ending` is the extension of the temporary file.
    fn new(path: &Path, ending: &str) -> Result<Half> {
        let target = followed(path)?;
        let io = |error: std::io::Error| Error::io(&error, "written", path);
        let existing = std::fs::metadata(&target).ok();
        // A device name such as /dev/stdout may refer to a file that another program is writing.
        let is_device = (path.starts_with("/dev") && !path.starts_with("/dev/shm")) || path.starts_with("/proc");
        if is_device || existing.as_ref().is_some_and(|found| !found.is_file()) {
            return Err(Error::new(ErrorKind::Io, "is not a regular file; choose another name").at(path));
        }
        if existing.is_some() {
            check_writable(&target).map_err(io)?;
        }
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        clear_abandoned(&folder);
        let mut temporary = tempfile::Builder::new();
        temporary.prefix(TEMPORARY_PREFIX).suffix(ending);
        // By default, `tempfile` makes files private to the user.
        if let Some(permissions) = permissions_of_new_file(existing.as_ref()) {
            temporary.permissions(permissions);
        }
        let file = temporary.tempfile_in(&folder).map_err(io)?;
        // Marks the file as in use. On file systems without locks, nothing is cleaned up either.
        file.as_file().try_lock().ok();
        Ok(Half { file, target, folder })
    }

    fn finish(self, path: &Path) -> Result<File> {
        let io = |error: std::io::Error| Error::io(&error, "written", path);
        self.file.as_file().sync_all().map_err(io)?;
        let file = self.file.persist(&self.target).map_err(|error| io(error.error))?;
        sync_folder(&self.folder).map_err(io)?;
        Ok(file)
    }
}

/// Removes the temporary files of killed programs: those with our prefix that are not locked.
fn clear_abandoned(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            continue;
        }
        let is_old = |found: std::fs::Metadata| {
            found.is_file() && found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED_AFTER))
        };
        if entry.metadata().is_ok_and(is_old) && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}
