//! Which files the parts of a sound become, and what keeps them from being written.

use crate::base::{Error, ErrorKind, Result};
use crate::document::Snapshot;
use crate::document::delivery::choice::Delivery;
use crate::document::labels::{LabelSet, NamePattern, PartChoice, SoundPart, SoundParts};
use crate::media::Container;
use std::path::{Path, PathBuf};

/// A sound that is taken apart.
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
    /// Its parts.
    ///
    /// # Errors
    /// As [`SoundParts::of`].
    pub fn parts(&self, choice: &PartChoice) -> Result<SoundParts> {
        SoundParts::of(&self.labels, choice, (self.snapshot.n_samples(), self.snapshot.sample_rate_hz()))
    }

    /// Its name without the ending.
    pub fn stem(&self) -> String {
        Path::new(&self.name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }
}

/// The table of the files, which is written last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PartsTable {
    /// None.
    #[default]
    None,
    /// Our own table of labels with each label's file, here.
    Csv(PathBuf),
    /// `metadata.csv` in the folder, as Hugging Face's `audiofolder` reads it.
    HuggingFace,
}

/// How a sound is taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsOrder {
    /// Where the files go; it is made if it is not there.
    pub folder: PathBuf,
    /// Which parts.
    pub choice: PartChoice,
    /// How files are called.
    pub pattern: NamePattern,
    /// How long both ends of each file are faded, in milliseconds.
    pub fade_ms: f64,
    /// Each file holds only what sounds in the box of its label.
    pub is_band_only: bool,
    /// How files are written; without a kind, as the sound's own where we write it without loss, else WAV.
    pub delivery: Delivery,
    /// The table.
    pub table: PartsTable,
    /// Whether existing files are replaced, except the sound's own.
    pub replaces: bool,
}

impl PartsOrder {
    /// The longest fade, in milliseconds.
    pub const MOST_FADE_MS: f64 = 60_000.0;
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

/// What keeps the files of a plan from being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartsHindrance {
    /// This file would be written over and is the sound's own.
    OwnFile(PathBuf),
    /// Files are there that are not to be replaced.
    Present {
        /// The first of them.
        first: PathBuf,
        /// How many.
        n: usize,
    },
    /// The folder is a file.
    NoFolder(PathBuf),
}

impl PartsPlan {
    /// The files of the parts that were found in a sound.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a delivery that the kind of file or the sound does not allow, and
    /// [`Script`](ErrorKind::Script) where a part and the table would be one file.
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

    /// What was ordered, the kind of file decided.
    pub fn order(&self) -> &PartsOrder {
        &self.order
    }

    /// The kind of the files.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The parts, a file each.
    pub fn parts(&self) -> &[SoundPart] {
        &self.parts
    }

    /// The names of their files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The file of a part by its index, or the folder where there is no such part.
    pub fn path(&self, index: usize) -> PathBuf {
        self.names.get(index).map_or_else(|| self.order.folder.clone(), |name| self.order.folder.join(name))
    }

    /// The file of the table.
    pub fn table(&self) -> Option<&Path> {
        self.table.as_deref()
    }

    /// Labels that have no sound of their own, and no file.
    pub fn n_outside(&self) -> usize {
        self.n_outside
    }

    /// Looks on the disk for what keeps the files from being written.
    pub fn hindrance(&self, sound: &PartsSound) -> Option<PartsHindrance> {
        let all = || self.paths().chain(self.table.clone());
        if let Some(own) = all().find(|path| sound.snapshot.source().is_file_at(path)) {
            return Some(PartsHindrance::OwnFile(own));
        }
        if self.order.folder.is_file() {
            return Some(PartsHindrance::NoFolder(self.order.folder.clone()));
        }
        if self.order.replaces {
            return None;
        }
        let mut present = all().filter(|path| path.symlink_metadata().is_ok());
        let first = present.next()?;
        Some(PartsHindrance::Present { first, n: 1 + present.count() })
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.names.iter().map(|name| self.order.folder.join(name))
    }
}

impl PartsHindrance {
    /// As an error about the file; `advice` says what to do about the sound's own file, and about others that are
    /// there.
    pub fn error(&self, advice: [&str; 2]) -> Error {
        let [of_own, of_present] = advice;
        let (what, path) = match self {
            PartsHindrance::OwnFile(path) => {
                (format!("is the sound itself, which is never overwritten; {of_own}"), path)
            }
            PartsHindrance::Present { first, .. } => (format!("is already there; {of_present}"), first),
            PartsHindrance::NoFolder(path) => ("is a file; choose a folder".into(), path),
        };
        Error::new(ErrorKind::Io, what).at(path)
    }
}
