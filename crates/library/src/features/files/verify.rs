//! Verifies a folder of features against its report.

use super::disk::FileSeal;
use super::index::read_index;
use super::output::ArrayLayout;
use super::report::{FeatureReport, INDEX_NAME};
use crate::base::{Error, ErrorKind, Progress, Result, open_regular};
use crate::library::identity::recordings::FileHasher;
use std::io::Read;
use std::path::Path;

fn damaged(why: impl Into<String>, at: &Path) -> Error {
    Error::new(ErrorKind::Malformed, why).at(at)
}

/// Checks a folder of features: lengths, headers and hashes of its files, and that the index lists every row once.
/// Returns its report.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed), with the first problem; [`Io`](ErrorKind::Io);
/// [`Cancelled`](ErrorKind::Cancelled).
pub fn verify_features(folder: &Path, progress: &Progress) -> Result<FeatureReport> {
    let report = FeatureReport::read(folder)?;
    check_whole(folder, &report, progress)?;
    if report.options.has_index {
        check_index(folder, &report)?;
    }
    Ok(report)
}

/// Checks lengths, headers and hashes.
///
/// # Errors
/// As [`verify_features`].
pub fn check_whole(folder: &Path, report: &FeatureReport, progress: &Progress) -> Result<()> {
    check_lengths(folder, report)?;
    let mut hasher = FileHasher::default();
    for (name, seal) in &report.written {
        let path = folder.join(name);
        if FileSeal::of(&path, &mut hasher, progress)? != *seal {
            return Err(damaged("is damaged: its hash is not that of its report; compute it again", &path));
        }
    }
    Ok(())
}

/// Checks the lengths of the files and the arrays' headers.
///
/// # Errors
/// As [`verify_features`].
pub fn check_lengths(folder: &Path, report: &FeatureReport) -> Result<()> {
    let [n_rows, ..] = report.shape;
    for (name, seal) in &report.written {
        let path = folder.join(name);
        let n_bytes = std::fs::metadata(&path).map_err(|error| Error::io(&error, "read", &path))?.len();
        if n_bytes != seal.bytes {
            let why = format!("is damaged: it has {n_bytes} bytes instead of {}; compute it again", seal.bytes);
            return Err(damaged(why, &path));
        }
    }
    // A merge may have left the arrays in the shards.
    let has_arrays = report.shards.iter().flatten().all(|shard| shard.folder.is_none());
    for layout in ArrayLayout::all(&report.options, n_rows).into_iter().filter(|_| has_arrays) {
        let path = folder.join(layout.name);
        let mut header = vec![0; layout.header.len()];
        let (mut file, _) = open_regular(&path)?;
        let is_read = file.read_exact(&mut header).is_ok();
        let is_sealed = report.written.get(layout.name).is_some_and(|seal| seal.bytes == layout.n_bytes(n_rows));
        if !is_read || header != layout.header || !is_sealed {
            return Err(damaged("is damaged: it is not the array that its report describes; compute it again", &path));
        }
    }
    if report.options.has_index && !report.written.contains_key(INDEX_NAME) {
        return Err(damaged("has no index, though its report's options ask for one; compute it again", folder));
    }
    Ok(())
}

/// Checks that the rows of files follow each other without gaps, from the first to the last.
fn check_index(folder: &Path, report: &FeatureReport) -> Result<()> {
    let path = folder.join(INDEX_NAME);
    let (first_file, first_row) = report.shard.as_ref().map_or((0, 0), |shard| (shard.files[0], shard.rows[0]));
    let (mut next_file, mut next_row) = (first_file as i64, first_row as i64);
    read_index(&path, &mut |rows| {
        for row in rows {
            if (row.file, row.first_row) != (next_file, next_row) || row.n_rows <= 0 {
                return Err(damaged(format!("is damaged: file {next_file} does not follow the one before"), &path));
            }
            next_file += 1;
            next_row = next_row.saturating_add(row.n_rows);
        }
        Ok(())
    })?;
    let found = (next_file - first_file as i64, next_row - first_row as i64);
    if found != (report.files as i64, report.shape[0] as i64) {
        return Err(damaged("is damaged: it does not name every file of its report", &path));
    }
    Ok(())
}
