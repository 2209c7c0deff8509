//! Scans a folder: finds sounds and pictures by name, with size, time and inode.

use super::clock::now_ns;
use super::work::job_kind::NamedKind;
use crate::base::{Error, Progress, Result, file_id};
use crate::library::file_work::{WalkReport, WalkRules, walk_folder};
use crate::media::{FileStamp, is_audio_name};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Number of files passed on together.
const BATCH: usize = 256;
/// Files modified more recently than this, in nanoseconds, may not be completely written.
const MIN_FILE_AGE_NS: i64 = 2_000_000_000;
/// Extensions of pictures, in lower case.
const PICTURE_EXTENSIONS: [&str; 3] = ["png", "jpg", "jpeg"];

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedFile {
    /// Path relative to the folder.
    pub path: PathBuf,
    /// Size and time.
    pub stamp: FileStamp,
    /// Inode, if the system has them.
    pub inode: Option<u64>,
    /// Kind, judged by its name.
    pub kind: NamedKind,
}

/// Notices of a scan, and the files and folders that it could not read or left for later.
#[derive(Debug, Default)]
pub struct ScanReport {
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// Folders and files that could not be read, relative to the library's folder: they count as neither present nor
    /// missing.
    pub unreadable: Vec<PathBuf>,
    /// Relative paths of folders with files that may not be completely written yet.
    pub young: Vec<PathBuf>,
}

/// Rules for skipping entries, in addition to names that begin with a dot, links and other file systems.
#[derive(Debug, Clone)]
pub struct ScanRules {
    /// Folders of this program, and library folders in their own right. Without links.
    pub left_out: Vec<PathBuf>,
    /// Whether to skip files written within the last two seconds, which may be incomplete.
    pub leaves_young: bool,
    /// Returns the id of a folder's file system, if the system reports it.
    pub device_of: fn(&Path, &Metadata) -> Option<u64>,
}

/// Walks a folder below `root`, or all of `root`, and passes its sounds and pictures to `take` in groups, in no
/// particular order. Paths are relative to the root.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io) if the folder itself cannot be read; cancelled; errors of `take`.
pub fn scan_folder(
    root: &Path,
    below: &Path,
    rules: &ScanRules,
    progress: &Progress,
    take: &mut dyn FnMut(Vec<ScannedFile>) -> Result<()>,
) -> Result<ScanReport> {
    let io = |error: std::io::Error| Error::io(&error, "read", root);
    let device = (rules.device_of)(root, &std::fs::metadata(root).map_err(io)?);
    let enters = |folder: &Path, found: &Metadata| enters(folder, found, device, rules);
    let walk = WalkRules { follows_links: false, enters: &enters };
    let (mut batch, mut young) = (Vec::new(), Vec::new());
    let walked = walk_folder(root, below, &walk, progress, &mut |path, found| {
        let Some(file) = scanned(path, found) else { return Ok(()) };
        if rules.leaves_young && is_young(file.stamp) {
            young.push(file.path);
            return Ok(());
        }
        batch.push(file);
        if batch.len() == BATCH { take(std::mem::take(&mut batch)) } else { Ok(()) }
    })?;
    take(batch)?;
    let WalkReport { notices, mut unreadable } = walked;
    let folder_of = |file: &PathBuf| file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let folders = young.iter().map(folder_of).collect();
    unreadable.extend(young);
    Ok(ScanReport { notices, unreadable, young: folders })
}

/// Passes files, given by paths relative to the root, to `take` in groups. Other files count as neither present nor
/// missing.
///
/// # Errors
/// Cancelled; errors of `take`.
pub fn scan_listed(
    root: &Path,
    paths: &[PathBuf],
    progress: &Progress,
    take: &mut dyn FnMut(Vec<ScannedFile>) -> Result<()>,
) -> Result<ScanReport> {
    let mut report = ScanReport { unreadable: vec![PathBuf::new()], ..ScanReport::default() };
    let mut n_gone = 0u64;
    for paths in paths.chunks(BATCH) {
        progress.check()?;
        let file = |path: &PathBuf| scanned(path.clone(), &std::fs::symlink_metadata(root.join(path)).ok()?);
        let found: Vec<ScannedFile> = paths.iter().filter_map(file).collect();
        n_gone += (paths.len() - found.len()) as u64;
        take(found)?;
    }
    if n_gone > 0 {
        let files = if n_gone == 1 { "1 file is".to_owned() } else { format!("{n_gone} files are") };
        report.notices.push(format!("{files} gone since the list was made; list the files again"));
    }
    Ok(report)
}

/// Whether to walk a folder.
fn enters(
    folder: &Path,
    found: &Metadata,
    device: Option<u64>,
    rules: &ScanRules,
) -> std::result::Result<bool, String> {
    if rules.left_out.iter().any(|left_out| left_out == folder) {
        return Ok(false);
    }
    if (rules.device_of)(folder, found) != device {
        let shown = crate::base::shown_path(folder);
        return Err(format!("{shown} is another file system and was left out; add it by its own path"));
    }
    Ok(true)
}

/// The id of a folder's file system, if the system reports it.
pub fn device_of(_folder: &Path, found: &Metadata) -> Option<u64> {
    file_id(found).map(|id| id.device())
}

/// Whether a file was written within the last two seconds. Future times do not count, since clocks may jump.
fn is_young(stamp: FileStamp) -> bool {
    (0..MIN_FILE_AGE_NS).contains(&now_ns().saturating_sub(stamp.modified_ns))
}

fn scanned(path: PathBuf, found: &Metadata) -> Option<ScannedFile> {
    let kind = if is_audio_name(&path) {
        NamedKind::Sound
    } else if is_picture_name(&path) {
        NamedKind::Picture
    } else {
        return None;
    };
    let inode = file_id(found).map(|id| id.inode());
    found.is_file().then(|| ScannedFile { path, stamp: FileStamp::of(found), inode, kind })
}

/// Whether a path has the extension of a picture that is analysed.
pub fn is_picture_name(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| PICTURE_EXTENSIONS.contains(&extension.as_str()))
}
