//! What a run over many files is asked to do.

use crate::base::{Error, ErrorKind, Folders, Result};
use crate::document::labels::NamePattern;
use crate::document::session::{Room, SourceSearch};
use crate::document::{Delivery, Script, locate_kept_noise};
use crate::media::Container;
use std::path::{Path, PathBuf};

/// A script with its file and the hash of its text, by which a run that goes on knows it.
#[derive(Debug, Clone)]
pub struct PaintScript {
    /// The edits.
    pub script: Script,
    /// Its file, for errors; a name in the user's words where it has none.
    pub path: PathBuf,
    /// BLAKE3 of its text, in hexadecimal.
    pub hash: String,
}

impl PaintScript {
    /// The script that a text is; saved noise profiles that it names are found in the user's folders.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) with its place.
    pub fn parse(text: &[u8], path: &Path, folders: &Folders) -> Result<PaintScript> {
        let hash = blake3::hash(text).to_hex().to_string();
        let text =
            std::str::from_utf8(text).map_err(|_| Error::new(ErrorKind::Script, "is not UTF-8 text").at(path))?;
        let mut script = Script::parse(text).map_err(|error| error.at(path))?;
        locate_kept_noise(&mut script.edits, folders).map_err(|error| error.at(path))?;
        Ok(PaintScript { script, path: path.to_path_buf(), hash })
    }
}

/// Where outputs go, and what they are.
#[derive(Debug, Clone)]
pub struct PaintOutputs {
    /// The folder that they lie in; made if it is not there.
    pub folder: PathBuf,
    /// How they are called.
    pub name: NamePattern,
    /// Their container; none: that of each input where we write it, else WAV.
    pub container: Option<Container>,
    /// How each is written; its kind of file, if it names one, counts where there is no `container`.
    pub delivery: Delivery,
    /// Whether files that are there are replaced, inputs and the script never.
    pub overwrites: bool,
}

/// How a run works.
#[derive(Debug, Clone)]
pub struct PaintWork {
    /// Files at a time, at least 1.
    pub jobs: usize,
    /// Memory that they may take; none: half of what is available, which it never exceeds.
    pub memory_bytes: Option<u64>,
    /// How sounds are opened and kept, each within its share of the memory.
    pub room: Room,
    /// How the sources of projects among the inputs are found.
    pub finding: SourceSearch,
    /// Whether of a damaged project the edits before the damage are used.
    pub uses_damaged: bool,
}

/// One script over many files.
#[derive(Debug, Clone)]
pub struct PaintFilesOrder {
    /// Files and folders.
    pub inputs: Vec<PathBuf>,
    /// The edits.
    pub script: PaintScript,
    /// A file of labels that are added to those of the sounds that its rows name.
    pub labels: Option<PathBuf>,
    /// Where outputs go.
    pub outputs: PaintOutputs,
    /// The report to write.
    pub report: Option<PathBuf>,
    /// Goes on where the run stopped whose report this is.
    pub is_resumed: bool,
    /// How it works.
    pub work: PaintWork,
}
