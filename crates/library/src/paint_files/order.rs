//! Options of a run over many files.

use crate::base::{Error, ErrorKind, Folders, Result};
use crate::document::labels::NamePattern;
use crate::document::session::{SampleStorage, SourceSearch};
use crate::document::{Delivery, Script, locate_kept_noise};
use crate::media::Container;
use std::path::{Path, PathBuf};

/// A script with its file and the hash of its text, which identifies it when a run is resumed.
#[derive(Debug, Clone)]
pub struct PaintScript {
    /// The edits.
    pub script: Script,
    /// Path of the file, for errors; a description if it has none.
    pub path: PathBuf,
    /// BLAKE3 of its text, in hexadecimal.
    pub hash: String,
}

impl PaintScript {
    /// Parses a script; saved noise profiles that it names are looked up in the user's folders.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) with its position.
    pub fn parse(text: &[u8], path: &Path, folders: &Folders) -> Result<PaintScript> {
        let hash = blake3::hash(text).to_hex().to_string();
        let text =
            std::str::from_utf8(text).map_err(|_| Error::new(ErrorKind::Script, "is not UTF-8 text").at(path))?;
        let mut script = Script::parse(text).map_err(|error| error.at(path))?;
        locate_kept_noise(&mut script.edits, folders).map_err(|error| error.at(path))?;
        Ok(PaintScript { script, path: path.to_path_buf(), hash })
    }
}

/// Location and format of outputs.
#[derive(Debug, Clone)]
pub struct PaintOutputs {
    /// The output folder; created if needed.
    pub folder: PathBuf,
    /// Template of their names.
    pub name: NamePattern,
    /// Container of the outputs; `None` uses that of each input if the program can write it, otherwise WAV.
    pub container: Option<Container>,
    /// How each output is written; its file format, if any, applies if there is no `container`.
    pub delivery: Delivery,
    /// Whether existing files are replaced; inputs and the script never are.
    pub overwrites: bool,
}

/// Threads, memory and input handling of a run.
#[derive(Debug, Clone)]
pub struct PaintWork {
    /// Number of files processed in parallel, at least 1.
    pub jobs: usize,
    /// Memory limit; `None`: half of the available memory, which is also the maximum.
    pub memory_bytes: Option<u64>,
    /// How to open and store sounds, each within its share of the memory.
    pub room: SampleStorage,
    /// How to find the sources of projects among the inputs.
    pub finding: SourceSearch,
    /// Whether to use the edits before the damage in a damaged project.
    pub uses_damaged: bool,
}

/// A run of one script over many files.
#[derive(Debug, Clone)]
pub struct PaintFilesOrder {
    /// Files and folders.
    pub inputs: Vec<PathBuf>,
    /// The edits.
    pub script: PaintScript,
    /// A label file whose rows are added to the sounds they name.
    pub labels: Option<PathBuf>,
    /// Location and format of outputs.
    pub outputs: PaintOutputs,
    /// The report to write.
    pub report: Option<PathBuf>,
    /// Whether to resume the run of this report.
    pub is_resumed: bool,
    /// Threads, memory and input handling.
    pub work: PaintWork,
}
