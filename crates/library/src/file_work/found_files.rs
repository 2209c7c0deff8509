//! The files to analyse, and their order.

use super::walk::{WalkRules, walk_folder};
use crate::base::{Error, ErrorKind, Progress, Result, path_bytes};
use crate::media::{FileStamp, is_audio_name};
use std::path::{Path, PathBuf};

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Path relative to the root.
    pub path: PathBuf,
    /// Size in bytes; 0 if the file cannot be examined.
    pub n_bytes: u64,
    /// Last modification in nanoseconds since 1970; 0 if unknown.
    pub modified_ns: i64,
}

/// Files in order, with notices.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// The nearest folder that contains every input, absolute and without links.
    pub root: PathBuf,
    /// The inputs that are folders, absolute and without links.
    pub folders: Vec<PathBuf>,
    /// Files in order.
    pub files: Vec<FoundFile>,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// The files of inputs, in the inputs' order: a file is always included; of a folder, every file below it with an audio
/// extension, sorted by the bytes of its path. Names that begin with a dot are left out. Links are followed, except
/// into a folder that contains them.
///
/// # Errors
/// [`Io`](ErrorKind::Io) if an input does not exist, or if there is no file at all; cancelled.
pub fn find_files(inputs: &[PathBuf], progress: &Progress) -> Result<FoundFiles> {
    let inputs = inputs.iter().map(PathBuf::as_path).map(Input::of).collect::<Result<Vec<_>>>()?;
    let root = inputs.iter().map(Input::folder).reduce(common_folder).unwrap_or(Path::new("")).to_path_buf();
    let mut found = FoundFiles { root, ..FoundFiles::default() };
    for Input { path, is_folder } in inputs {
        if !is_folder {
            found.add(&path, FileStamp::at(&path));
            continue;
        }
        let mut below = Vec::new();
        let rules = WalkRules { follows_links: true, enters: &|_, _| Ok(true) };
        let walked = walk_folder(&path, Path::new(""), &rules, progress, &mut |file, metadata| {
            if metadata.is_file() && is_audio_name(&file) {
                below.push((path.join(file), FileStamp::of(metadata)));
            }
            Ok(())
        });
        found.folders.push(path.clone());
        match walked {
            Ok(report) => found.notices.extend(report.notices),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // Other inputs may still be readable.
            Err(error) => found.notices.push(error.to_string()),
        }
        below.sort_by(|(a, _), (b, _)| path_bytes(a).cmp(&path_bytes(b)));
        below.iter().for_each(|(path, stamp)| found.add(path, Some(*stamp)));
    }
    // The order of a folder's entries is unspecified.
    found.notices.sort();
    if found.files.is_empty() {
        return Err(Error::new(ErrorKind::Io, "no sound files were found; name files or folders that hold some"));
    }
    Ok(found)
}

impl FoundFiles {
    fn add(&mut self, path: &Path, stamp: Option<FileStamp>) {
        self.files.push(FoundFile {
            path: path.strip_prefix(&self.root).unwrap_or(path).to_path_buf(),
            n_bytes: stamp.map_or(0, |stamp| stamp.n_bytes),
            modified_ns: stamp.map_or(0, |stamp| stamp.modified_ns),
        });
    }
}

struct Input {
    /// Absolute path; its folders are not links.
    path: PathBuf,
    is_folder: bool,
}

impl Input {
    fn of(input: &Path) -> Result<Input> {
        let io = |error: std::io::Error| Error::io(&error, "read", input);
        let is_folder = std::fs::metadata(input).map_err(io)?.is_dir();
        let path = match input.file_name().filter(|_| !is_folder) {
            // A linked file keeps its own name, rather than that of its target.
            Some(name) => {
                let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty());
                std::fs::canonicalize(parent.unwrap_or(Path::new("."))).map_err(io)?.join(name)
            }
            None => std::fs::canonicalize(input).map_err(io)?,
        };
        Ok(Input { path, is_folder })
    }

    fn folder(&self) -> &Path {
        if self.is_folder { &self.path } else { self.path.parent().unwrap_or(&self.path) }
    }
}

fn common_folder<'a>(a: &'a Path, b: &'a Path) -> &'a Path {
    a.ancestors().find(|folder| b.starts_with(folder)).unwrap_or(Path::new(""))
}
