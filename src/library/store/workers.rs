//! The threads that read and analyse: readers decode ahead into a queue bounded in bytes, analysis threads empty it.

use super::analysis::{Analyst, Decoded, Digest, SoundFacts, SoundShape, check_unchanged};
use super::byte_queue::ByteQueue;
use super::folders::FolderRow;
use super::job_kind::JobKind;
use super::place::LibraryPlace;
use super::queue::ClaimedFile;
use super::results::sound_of_hash;
use super::scan::{ScanReport, ScannedFile, is_picture_name};
use crate::base::{Error, ErrorKind, Progress, Result, lock, lower_priority};
use crate::library::batches::{BatchCounts, LEAST_ITEMS, SpeedRoute};
use crate::library::memory_budget::{MemoryBudget, ReservedMemory};
use crate::library::recordings::file_digest;
use rusqlite::Connection;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

/// Decoded sound that may wait to be analysed.
const MOST_DECODED_BYTES: u64 = 64 << 20;

/// What the writer is told.
pub enum WorkerMessage {
    /// Files of a folder.
    Scanned(i64, Vec<ScannedFile>),
    /// A folder was walked to its end, or could not be.
    ScanEnded(ScanTask, Result<ScanReport>),
    /// A claimed file that is new was hashed and opened; its analysis follows.
    Opened(Box<HashedFile>),
    /// Pictures were hashed in batches; their files follow.
    Batched(Box<BatchNews>),
    /// A claimed file is done with.
    Finished(Box<FinishedFile>),
}

/// What the thread of batches is told.
pub enum BatchMessage {
    /// Many files wait, so that it is worth a look whether there is a device.
    Many,
    /// An analysed file, whose picture is all that is left to do.
    Picture(Box<UnhashedFile>),
}

/// An analysed file whose picture is still to be hashed.
pub struct UnhashedFile {
    /// The file.
    pub file: ClaimedFile,
    /// Its hash, if it was asked for.
    pub hash: Option<Digest>,
    /// All else.
    pub facts: Box<SoundFacts>,
}

/// What was done since the last batch.
pub struct BatchNews {
    /// On the CPU and on the GPU.
    pub counts: [BatchCounts; 2],
    /// Seconds of sound.
    pub sound_secs: f64,
    /// Measurements: kind, adapter and rates.
    pub routes: Vec<(String, String, SpeedRoute)>,
}

/// A folder that is to be walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanTask {
    /// A folder of the library.
    pub folder: FolderRow,
    /// The part of it, relative; empty for all.
    pub below: PathBuf,
    /// Only these files, relative to the folder; none: all that are there.
    pub listed: Option<Arc<[PathBuf]>>,
}

/// A file whose sound is new to the library.
pub struct HashedFile {
    /// The file.
    pub file: ClaimedFile,
    /// Its hash.
    pub hash: Digest,
    /// What is known of a sound so far; none of a picture.
    pub shape: Option<SoundShape>,
}

/// A file and what became of it.
pub struct FinishedFile {
    /// The file.
    pub file: ClaimedFile,
    /// The hash, if it was asked for and could be computed.
    pub hash: Option<Digest>,
    /// What became of it.
    pub fate: FileFate,
}

/// What became of a file.
pub enum FileFate {
    /// The library knows its sound.
    Known(i64),
    /// Another file with the same bytes is being analysed.
    Same,
    /// It was analysed.
    Analysed(Box<SoundFacts>),
    /// It could not be.
    Failed(Error),
}

/// What the threads share.
pub struct Workers {
    /// Claimed files.
    pub claimed: ByteQueue<ClaimedFile>,
    /// What is ready to be analysed, with the memory that this takes.
    decoded: ByteQueue<(ClaimedFile, Option<Digest>, Decoded, ReservedMemory)>,
    /// Hashes of the files that are being analysed.
    analysed: Mutex<HashSet<Digest>>,
    gives_way: bool,
    /// What the analysis of all files may take.
    pub memory: Arc<MemoryBudget>,
    /// How many pictures are hashed at once, by a thread of their own; 0: each by the thread that made it.
    pub n_batched: AtomicUsize,
    was_told: AtomicBool,
    /// Ends the work.
    pub stop: Progress,
}

impl Workers {
    /// Threads that are still to be started; they wait while the job of this progress is held, and for memory. With
    /// `gives_way` the lowest priority is theirs.
    pub fn new(progress: &Progress, gives_way: bool, memory: Arc<MemoryBudget>) -> Workers {
        Workers {
            claimed: ByteQueue::new(0),
            decoded: ByteQueue::new(MOST_DECODED_BYTES),
            analysed: Mutex::default(),
            gives_way,
            memory,
            n_batched: AtomicUsize::new(0),
            was_told: AtomicBool::new(false),
            stop: progress.beside(),
        }
    }

    /// No more is read or analysed.
    pub fn close(&self) {
        self.claimed.close();
        self.decoded.close();
    }

    /// Lets others have the processors, from a thread of this library alone.
    pub fn give_way(&self) {
        if self.gives_way {
            lower_priority();
        }
    }

    /// Whether a file with this hash is being analysed.
    pub fn is_in_flight(&self, hash: &Digest) -> bool {
        lock(&self.analysed).contains(hash)
    }

    /// That the result of a hash is in the database.
    pub fn note_written(&self, hash: &Digest) {
        lock(&self.analysed).remove(hash);
    }

    /// Reads claimed files until there are no more. `known` is a connection of its own.
    pub fn read_all(&self, known: &Connection, place: &LibraryPlace, to_writer: &SyncSender<WorkerMessage>) {
        let mut is_first = true;
        while let Some(file) = self.claimed.take() {
            let mut hash = None;
            let read = caught(|| self.read((known, place), &file, &mut hash, to_writer));
            // Somebody waits for the first of them.
            if std::mem::take(&mut is_first) {
                self.give_way();
            }
            let fate = match read {
                Ok(Some(fate)) => fate,
                Err(error) => FileFate::Failed(error),
                Ok(None) => continue,
            };
            if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
                return;
            }
        }
    }

    /// What became of a file, or nothing if it is now to be analysed.
    fn read(
        &self,
        (known, place): (&Connection, &LibraryPlace),
        file: &ClaimedFile,
        hash: &mut Option<Digest>,
        to_writer: &SyncSender<WorkerMessage>,
    ) -> Result<Option<FileFate>> {
        check_unchanged(&file.path, file.stamp)?;
        // A test puts a folder there, which cannot be read as a file.
        #[cfg(feature = "hooks")]
        if let Err(error) = std::fs::read(file.path.with_extension("unreadable"))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::io(&error, "read", &file.path));
        }
        if file.kinds.has(JobKind::Hash) {
            let digest = file_digest(&file.path, &self.stop)?;
            // Before anything is said of the hash: it is of the file as it was listed.
            check_unchanged(&file.path, file.stamp)?;
            *hash = Some(digest);
            let mut analysed = lock(&self.analysed);
            if analysed.contains(&digest) {
                return Ok(Some(FileFate::Same));
            }
            let sound = sound_of_hash(known, &digest)
                .map_err(|error| crate::base::database_error(&error, "read", place.database()))?;
            if let Some(sound) = sound {
                return Ok(Some(FileFate::Known(sound)));
            }
            analysed.insert(digest);
        }
        let is_picture = is_picture_name(&file.path);
        let decoded = Decoded::open(&file.path, is_picture, self.memory.most_bytes(), &self.stop)?;
        if let Some(hash) = *hash {
            let opened = HashedFile { file: file.clone(), hash, shape: decoded.shape() };
            to_writer.send(WorkerMessage::Opened(Box::new(opened))).map_err(|_| Error::cancelled())?;
        }
        let n_bytes = decoded.n_bytes();
        // Nobody who analyses waits for it, so that whoever holds some gives it back.
        let memory = self.memory.reserve(decoded.analysis_bytes(), &self.stop)?;
        match self.decoded.put((file.clone(), *hash, decoded, memory), n_bytes) {
            Ok(()) => Ok(None),
            Err(_) => Err(Error::cancelled()),
        }
    }

    /// Analyses decoded files until there are no more. Pictures that are hashed in batches go to `to_batches`, which is
    /// told when so many files wait that this may be worth while.
    pub fn analyse_all(&self, to_writer: &SyncSender<WorkerMessage>, to_batches: Option<&SyncSender<BatchMessage>>) {
        self.give_way();
        let mut analyst = Analyst::default();
        while let Some((file, hash, decoded, memory)) = self.decoded.take() {
            let many = self.claimed.n_waiting() + self.decoded.n_waiting() >= LEAST_ITEMS;
            if let Some(to_batches) = to_batches.filter(|_| many && !self.was_told.swap(true, Relaxed)) {
                to_batches.send(BatchMessage::Many).ok();
            }
            let are_batched = to_batches.is_some() && self.n_batched.load(Relaxed) > 0;
            let analysed = caught(|| {
                #[cfg(feature = "hooks")]
                if file.path.file_name().is_some_and(|name| name == "a test asks for a panic.wav") {
                    panic!("a test asked for a panic of a decoder");
                }
                let facts = analyst.analyse(&file.path, &decoded, file.kinds, are_batched, &self.stop)?;
                check_unchanged(&file.path, file.stamp)?;
                Ok(facts)
            });
            drop((decoded, memory));
            let fate = match (analysed, to_batches) {
                (Ok(facts), Some(to_batches)) if facts.unhashed.is_some() => {
                    let unhashed = UnhashedFile { file, hash, facts: Box::new(facts) };
                    if to_batches.send(BatchMessage::Picture(Box::new(unhashed))).is_err() {
                        return;
                    }
                    continue;
                }
                (Ok(facts), _) => FileFate::Analysed(Box::new(facts)),
                (Err(error), _) => FileFate::Failed(error),
            };
            if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
                return;
            }
        }
    }
}

/// A panic is the failure of the file that caused it.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "made its decoder crash, which is an error in Sonobrush; please report it"))
    })
}
