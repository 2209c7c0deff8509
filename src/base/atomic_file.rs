//! Files that are either the old one or the new one, never a mixture.

use super::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Links that are followed at most, as in Linux.
const MOST_LINKS: usize = 40;

/// The file that a path names, at the end of its links, whether it is there or not.
///
/// # Errors
/// If the links lead nowhere.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Ok(found) = std::fs::canonicalize(&target) {
            return Ok(found);
        }
        let Ok(next) = std::fs::read_link(&target) else { return Ok(target) };
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    Err(Error::new(ErrorKind::Io, "is a link that leads back to itself; choose another name").at(path))
}

/// Writes `path` through a temporary file in the same folder: write, fsync, rename, fsync of the folder. A symbolic
/// link is followed, so that the file it points to is replaced and the link stays; permissions of an existing file
/// are kept. A link that points nowhere yet is followed, too: the file that it names is made.
///
/// # Errors
/// What `write` returns, or [`ErrorKind::Io`]; then `path` is as it was and nothing else is left behind.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let target = followed(path)?;
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nothing_yet_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("second", at("first")).expect("a link");
        std::os::unix::fs::symlink(at("file"), at("second")).expect("a link");
        let text = |text: &'static [u8]| {
            move |file: &mut BufWriter<File>| {
                file.write_all(text).expect("written");
                Ok(())
            }
        };
        for content in [b"new".as_slice(), b"newer"] {
            write_atomic(&at("first"), text(content)).expect("written");
            assert_eq!(std::fs::read(at("file")).expect("the file"), content);
            assert!(at("first").is_symlink() && at("second").is_symlink());
        }
    }

    #[test]
    fn links_in_a_circle_are_an_error_and_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("b", at("a")).expect("a link");
        std::os::unix::fs::symlink("a", at("b")).expect("a link");
        assert!(write_atomic(&at("a"), |_| Ok(())).is_err());
        assert!(at("a").is_symlink() && at("b").is_symlink());
    }
}
