//! The input of a run: options, and the files in order, each with its size and time when listed.

use super::stored_path::StoredPath;
use crate::base::{Error, ErrorKind, Progress, Result, json_reason, read_regular, shown_json};
use crate::features::lengths::{LengthJob, lengths_of};
use crate::features::options::FeatureOptions;
use crate::library::file_work::{FoundFile, FoundFiles, find_files};
use crate::media::FileStamp;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// Version of the manifest's format.
const VERSION: u32 = 1;
/// Files per task of manifests that do not state it.
pub const FILES_PER_TASK: usize = 64;
/// Maximum number of files per task.
pub const MAX_FILES_PER_TASK: usize = 1_024;

/// A file to analyse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestFile {
    /// Path relative to the manifest's root.
    pub path: StoredPath,
    /// Size in bytes; 0 if the file could not be examined.
    pub bytes: u64,
    /// Last modification in nanoseconds since 1970; 0 if unknown.
    pub modified_ns: i64,
    /// First row of this file in the arrays of the whole manifest.
    pub first_row: u64,
}

impl ManifestFile {
    /// Whether the file below `root` still has the size and time stated by the manifest. A file that could not be
    /// examined counts as unchanged as long as it still cannot be examined.
    pub fn is_unchanged(&self, root: &Path) -> bool {
        let stamp = FileStamp::at(&root.join(&self.path.0));
        let (bytes, modified_ns) = stamp.map_or((0, 0), |stamp| (stamp.n_bytes, stamp.modified_ns));
        (bytes, modified_ns) == (self.bytes, self.modified_ns)
    }
}

/// Options and files of a run. The same files and options always give the same manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub version: u32,
    /// Folder to which the paths are relative: the nearest one that contains every input.
    pub root: StoredPath,
    /// How features are computed.
    pub options: FeatureOptions,
    /// Notices from finding the files, one sentence each.
    pub notices: Vec<String>,
    /// Number of files whose rows are written, synced and logged together; `None` in manifests of older versions, which
    /// means 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_per_task: Option<usize>,
    /// Number of rows of all files.
    pub rows: u64,
    /// Files in order.
    pub files: Vec<ManifestFile>,
}

impl Manifest {
    /// Lists the files of inputs. If the options take whole sounds, counts their samples on up to `jobs` threads.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if an input does not exist or there is no file at all;
    /// [`Script`](ErrorKind::Script) for invalid options; [`Cancelled`](ErrorKind::Cancelled).
    pub fn of(inputs: &[PathBuf], options: &FeatureOptions, jobs: usize, progress: &Progress) -> Result<Manifest> {
        let options = options.clone().validated()?;
        let FoundFiles { root, files, notices, .. } = find_files(inputs, progress)?;
        let job = LengthJob { root: &root, files: &files, rate_hz: options.rate_hz };
        // Sounds of a fixed length all have the same number of rows, readable or not.
        let lengths = match options.samples {
            Some(_) => vec![0; files.len()],
            None => lengths_of(&job, jobs, progress)?,
        };
        let mut rows = 0u64;
        let with_row = |(file, n_samples): (FoundFile, u64)| {
            let first_row = rows;
            rows = rows.saturating_add(options.n_rows(n_samples));
            let FoundFile { path, n_bytes: bytes, modified_ns } = file;
            ManifestFile { path: StoredPath(path), bytes, modified_ns, first_row }
        };
        let files: Vec<ManifestFile> = files.into_iter().zip(lengths).map(with_row).collect();
        tracing::debug!(files = files.len(), rows, "listed");
        let files_per_task = Some(FILES_PER_TASK);
        Ok(Manifest { version: VERSION, root: StoredPath(root), options, notices, files_per_task, rows, files })
    }

    /// Reads a manifest that [`text`](Manifest::text) wrote.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), or [`Malformed`](ErrorKind::Malformed) if it is not a manifest.
    pub fn read(path: &Path) -> Result<Manifest> {
        let text = read_regular(path)?;
        let refuse = |why: String| Error::new(ErrorKind::Malformed, why).at(path);
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| refuse(format!("is not a manifest of features --list: {}", json_reason(&error))))?;
        if manifest.version != VERSION {
            return Err(refuse(format!("is a manifest of version {}; list the files again", manifest.version)));
        }
        manifest.options.clone().validated().map_err(|error| error.at(path))?;
        manifest.check().map_err(|why| refuse(format!("is damaged: {why}; list the files again")))?;
        Ok(manifest)
    }

    /// Validates a manifest, which a user may have edited.
    fn check(&self) -> std::result::Result<(), String> {
        if self.first_row(0) != 0 || self.files.is_empty() {
            return Err("it has no files, or its rows do not begin at 0".into());
        }
        if !(1..=MAX_FILES_PER_TASK).contains(&self.files_per_task()) {
            return Err(format!("a task of {} files is not possible", self.files_per_task()));
        }
        let n_short = self.options.n_short() as u64;
        for (index, file) in self.files.iter().enumerate() {
            let n_rows = self.first_row(index + 1).checked_sub(file.first_row);
            let is_whole = |n: u64| n > 0 && n.is_multiple_of(n_short);
            let is_expected = |n: u64| self.options.samples.is_none() || n == self.options.n_rows(0);
            if !n_rows.is_some_and(|n| is_whole(n) && is_expected(n)) {
                return Err(format!("the rows of {} do not fit its options", file.path));
            }
            let is_inside = |part: Component| matches!(part, Component::Normal(_));
            if !file.path.0.components().all(is_inside) {
                return Err(format!("{} is not below its root", file.path));
            }
        }
        Ok(())
    }

    /// The manifest as JSON, one line per file. The same manifest always gives the same text.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal).
    pub fn text(&self) -> Result<String> {
        let json =
            |error: serde_json::Error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}"));
        let head = serde_json::to_string(&self.part(0..0)).map_err(json)?;
        let mut text = head.strip_suffix("[]}").unwrap_or(&head).to_owned();
        text.push('[');
        for (index, file) in self.files.iter().enumerate() {
            text.push_str(if index == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(file).map_err(json)?);
        }
        text.push_str("\n]}\n");
        Ok(shown_json(&text).into_owned())
    }

    /// The manifest of a range of its files; row numbers stay those of the whole.
    pub fn part(&self, files: Range<usize>) -> Manifest {
        let Manifest { version, rows, .. } = *self;
        Manifest {
            version,
            root: self.root.clone(),
            options: self.options.clone(),
            notices: self.notices.clone(),
            files_per_task: self.files_per_task,
            rows,
            files: self.files[files].to_vec(),
        }
    }

    /// Number of files per task; the last task may have fewer.
    pub fn files_per_task(&self) -> usize {
        self.files_per_task.unwrap_or(FILES_PER_TASK)
    }

    /// First row of a file by its index, or the total number of rows for the index after the last.
    pub fn first_row(&self, file: usize) -> u64 {
        self.files.get(file).map_or(self.rows, |file| file.first_row)
    }
}
