//! Plans the files of a sound's parts, and checks for conflicts.

use crate::base::{Error, ErrorKind, Result};
use crate::document::Snapshot;
use crate::document::labels::{LabelSet, NamePattern, PartChoice, SoundPart, SoundParts};
use crate::document::output::delivery::choice::Delivery;
use crate::media::Container;
use std::path::{Path, PathBuf};

/// A sound to split into parts.
#[derive(Debug, Clone)]
pub struct PartsSound {
    /// The sound.
    pub snapshot: Snapshot,
    /// Its labels.
    pub labels: LabelSet,
    /// The name of its file.
    pub name: String,
}

impl PartsSound {
    /// The chosen parts of the sound.
    ///
    /// # Errors
    /// As [`SoundParts::of`].
    pub fn parts(&self, choice: &PartChoice) -> Result<SoundParts> {
        SoundParts::of(&self.labels, choice, (self.snapshot.n_samples(), self.snapshot.sample_rate_hz()))
    }

    /// Its name without extension.
    pub fn stem(&self) -> String {
        Path::new(&self.name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }
}

/// The table of files, written last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PartsTable {
    /// No table.
    #[default]
    None,
    /// Sonobrush's table of labels with each label's file, at this path.
    Csv(PathBuf),
    /// `metadata.csv` in the folder, as Hugging Face's `audiofolder` reads it.
    HuggingFace,
}

/// How to split a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsOrder {
    /// The output folder; created if needed.
    pub folder: PathBuf,
    /// The parts to write.
    pub choice: PartChoice,
    /// Template of the file names.
    pub pattern: NamePattern,
    /// Fade at both ends of each file, in milliseconds.
    pub fade_ms: f64,
    /// Whether each file contains only the sound in the box of its label.
    pub is_band_only: bool,
    /// Format, sample rate and so on; without a file format, the sound's own if it can be written without loss,
    /// otherwise WAV.
    pub delivery: Delivery,
    /// The table of files to write.
    pub table: PartsTable,
    /// Whether existing files are replaced, except the sound's own.
    pub replaces: bool,
}

impl PartsOrder {
    /// Maximum fade, in milliseconds.
    pub const MAX_FADE_MS: f64 = 60_000.0;
}

/// The files of an order for one sound.
#[derive(Debug, Clone)]
pub struct PartsPlan {
    order: PartsOrder,
    container: Container,
    parts: Vec<SoundPart>,
    names: Vec<String>,
    table: Option<PathBuf>,
    n_outside: usize,
}

/// An obstacle to writing the files of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartsConflict {
    /// A file that would be overwritten is the sound's own.
    OwnFile(PathBuf),
    /// Some files exist, and may not be replaced.
    Present {
        /// The first existing file.
        first: PathBuf,
        /// Number of existing files.
        n: usize,
    },
    /// The folder's path is a file.
    NoFolder(PathBuf),
}

impl PartsPlan {
    /// Plans files for the parts of a sound.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a delivery that the file format or the sound does not support, and
    /// [`Script`](ErrorKind::Script) if a part and the table have the same path.
    pub fn of(order: PartsOrder, found: SoundParts, sound: &PartsSound) -> Result<PartsPlan> {
        let container = order.delivery.container_for(Container::lossless_like(Path::new(&sound.name)));
        let delivery = Delivery { container: Some(container), ..order.delivery };
        delivery.check_in(container)?;
        delivery.check_for(sound.snapshot.source().info())?;
        let names = order.pattern.names(&sound.stem(), &found.parts).into_iter();
        let names = names.map(|name| format!("{name}.{}", container.ending())).collect();
        let table = match &order.table {
            PartsTable::None => None,
            PartsTable::Csv(path) => Some(path.clone()),
            PartsTable::HuggingFace => Some(order.folder.join("metadata.csv")),
        };
        let order = PartsOrder { delivery, ..order };
        let plan = PartsPlan { order, container, parts: found.parts, names, table, n_outside: found.n_outside };
        if let Some(path) = plan.table().filter(|table| plan.paths().any(|path| path == *table)) {
            let what = "would be a part and the table of the parts; choose another name for the table";
            return Err(Error::new(ErrorKind::Script, what).at(path));
        }
        Ok(plan)
    }

    /// The order, with the file format resolved.
    pub fn order(&self) -> &PartsOrder {
        &self.order
    }

    /// Format of the files.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The parts, one per file.
    pub fn parts(&self) -> &[SoundPart] {
        &self.parts
    }

    /// The names of their files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The file of a part by its index, or the folder if there is no such part.
    pub fn path(&self, index: usize) -> PathBuf {
        self.names.get(index).map_or_else(|| self.order.folder.clone(), |name| self.order.folder.join(name))
    }

    /// Path of the table; `None` without a table.
    pub fn table(&self) -> Option<&Path> {
        self.table.as_deref()
    }

    /// Number of labels outside the sound, which get no file.
    pub fn n_outside(&self) -> usize {
        self.n_outside
    }

    /// Checks on disk for an obstacle to writing; `None` if there is none.
    pub fn hindrance(&self, sound: &PartsSound) -> Option<PartsConflict> {
        let all = || self.paths().chain(self.table.clone());
        if let Some(own) = all().find(|path| sound.snapshot.source().is_file_at(path)) {
            return Some(PartsConflict::OwnFile(own));
        }
        if self.order.folder.is_file() {
            return Some(PartsConflict::NoFolder(self.order.folder.clone()));
        }
        if self.order.replaces {
            return None;
        }
        let mut present = all().filter(|path| path.symlink_metadata().is_ok());
        let first = present.next()?;
        Some(PartsConflict::Present { first, n: 1 + present.count() })
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.names.iter().map(|name| self.order.folder.join(name))
    }
}

impl PartsConflict {
    /// The obstacle as an error; `advice` ends the message for the sound's own file, and for other existing files.
    pub fn error(&self, advice: [&str; 2]) -> Error {
        let [of_own, of_present] = advice;
        let (what, path) = match self {
            PartsConflict::OwnFile(path) => {
                (format!("is the sound itself, which is never overwritten; {of_own}"), path)
            }
            PartsConflict::Present { first, .. } => (format!("is already there; {of_present}"), first),
            PartsConflict::NoFolder(path) => ("is a file; choose a folder".into(), path),
        };
        Error::new(ErrorKind::Io, what).at(path)
    }
}
