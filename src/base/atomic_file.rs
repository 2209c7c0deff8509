//! Files that are either the old one or the new one, never a mixture.

use super::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes `path` through a temporary file in the same folder: write, fsync, rename, fsync of the folder. A symbolic
/// link is followed, so that the file it points to is replaced and the link stays; permissions of an existing file
/// are kept.
///
/// # Errors
/// What `write` returns, or [`ErrorKind::Io`]; then `path` is as it was and nothing else is left behind.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let io = |error: std::io::Error| Error::io(&error, "written", path);
    let existing = std::fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|found| !found.is_file()) {
        return Err(Error::new(ErrorKind::Io, "is not a regular file; choose another name").at(path));
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // A short random name: name + suffix would not fit where the name already has 255 bytes.
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(".sonobrush-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // 0o666 less the umask, as any other new file; the crate's default is private to the user.
        let mode = existing.as_ref().map_or(0o666, |found| found.permissions().mode() & 0o777);
        temporary.permissions(std::fs::Permissions::from_mode(mode));
    }
    let temporary = temporary.tempfile_in(folder).map_err(io)?;
    let mut buffered = BufWriter::with_capacity(1 << 16, temporary.as_file().try_clone().map_err(io)?);
    write(&mut buffered)?;
    buffered.flush().map_err(io)?;
    buffered.get_ref().sync_all().map_err(io)?;
    drop(buffered);
    temporary.persist(&target).map_err(|error| io(error.error))?;
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    Ok(())
}
