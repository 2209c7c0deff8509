//! Files that are opened.

use base::Progress;
use media::{OpenOptions, Opened, Source};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub use super::wav::clip;

pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn clips() -> Vec<PathBuf> {
    let found = std::fs::read_dir(clip("")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = found.filter(|path| path.extension().is_some_and(|end| end != "md")).collect();
    found.sort();
    assert_eq!(found.len(), 8);
    found
}

pub fn open(path: &Path) -> Opened {
    Source::open(path, &Progress::new()).unwrap()
}

/// Writes bytes to a file and opens it.
pub fn opened(folder: &TempDir, bytes: &[u8]) -> Opened {
    let path = folder.path().join("in.wav");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

pub fn on_disk(folder: &Path) -> OpenOptions {
    OpenOptions { memory_bytes: 0, scratch_folder: folder.to_path_buf(), ..OpenOptions::default() }
}

pub fn open_on_disk(path: &Path) -> Opened {
    let scratch = folder();
    let opened = Source::open_with(path, &on_disk(scratch.path()), &|_| (), &Progress::new()).unwrap();
    assert!(opened.source.is_on_disk(), "{path:?}");
    opened
}
