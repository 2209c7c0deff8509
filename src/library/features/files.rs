//! Which files are analysed, in which order.

use crate::base::{Error, ErrorKind, Result, file_id, path_bytes};
use crate::media::is_audio_name;
use std::path::{Path, PathBuf};

/// A file to analyse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size; 0 where it cannot be asked.
    pub n_bytes: u64,
    /// When it was last written, in nanoseconds since 1970; 0 where it cannot be asked.
    pub modified_ns: i64,
}

/// What was found, and what the user should know about it.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// Files in order.
    pub files: Vec<InputFile>,
    /// One sentence each.
    pub notices: Vec<String>,
}

/// The files of inputs, in the inputs' order: a file is taken as it is; of a folder, every file below it with an
/// extension of audio, in order of the bytes of its path. Names that begin with a dot are left out, and links are
/// followed, but not into a folder that leads to them.
///
/// # Errors
/// [`Io`](ErrorKind::Io) if an input is not there, and if there is no file at all.
pub fn find_files(inputs: &[PathBuf]) -> Result<FoundFiles> {
    let mut found = FoundFiles::default();
    for input in inputs {
        let kind = std::fs::metadata(input).map_err(|error| Error::io(&error, "read", input))?;
        if !kind.is_dir() {
            found.files.push(file_at(input.clone()));
            continue;
        }
        let mut below = Vec::new();
        walk(input, &mut Vec::new(), &mut below, &mut found.notices);
        below.sort_by(|a, b| path_bytes(a).cmp(&path_bytes(b)));
        found.files.extend(below.into_iter().map(file_at));
    }
    if found.files.is_empty() {
        return Err(Error::new(ErrorKind::Io, "no sound files were found; name files or folders that hold some"));
    }
    Ok(found)
}

fn walk(folder: &Path, around: &mut Vec<crate::base::FileId>, files: &mut Vec<PathBuf>, notices: &mut Vec<String>) {
    let id = std::fs::metadata(folder).ok().and_then(|found| file_id(&found));
    if id.is_some_and(|id| around.contains(&id)) {
        return;
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            notices.push(Error::io(&error, "read", folder).to_string());
            return;
        }
    };
    around.extend(id);
    for entry in entries.flatten() {
        let path = entry.path();
        if path_bytes(Path::new(&entry.file_name())).starts_with(b".") {
            continue;
        }
        // Of a link, what it leads to; one that leads nowhere is no file.
        let Ok(kind) = std::fs::metadata(&path) else { continue };
        if kind.is_dir() {
            walk(&path, around, files, notices);
        } else if kind.is_file() && is_audio_name(&path) {
            files.push(path);
        }
    }
    if id.is_some() {
        around.pop();
    }
}

fn file_at(path: PathBuf) -> InputFile {
    let found = std::fs::metadata(&path).ok();
    let modified = found.as_ref().and_then(|found| found.modified().ok());
    let since = modified.and_then(|modified| modified.duration_since(std::time::UNIX_EPOCH).ok());
    InputFile {
        path,
        n_bytes: found.map_or(0, |found| found.len()),
        modified_ns: since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0),
    }
}
