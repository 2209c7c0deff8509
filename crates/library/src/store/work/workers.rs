//! The threads that read and analyse: readers decode ahead into a queue bounded in bytes, from which analysis threads
//! take.

use super::analysis::{Analyst, BatchedAnalysis, Decoded, Digest, SoundFacts, SoundShape, check_unchanged};
use super::job_kind::JobKind;
use super::queue::ClaimedFile;
use crate::base::{Error, ErrorKind, Priority, Progress, Result, lock, lower_priority};
use crate::library::batches::{BatchCounts, MIN_ITEMS};
use crate::library::file_work::{ByteQueue, FileWork, MemoryBudget, ReservedMemory};
use crate::library::identity::recordings::file_digest;
use crate::store::database::place::LibraryPlace;
use crate::store::folders::FolderRow;
use crate::store::results::sound_of_hash;
use crate::store::scan::{ScanReport, ScannedFile, is_picture_name};
use rusqlite::Connection;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

/// Maximum size of decoded sound waiting for analysis.
const MAX_DECODED_BYTES: u64 = 64 << 20;
/// Maximum size of pixels and samples waiting for a batch.
const MAX_UNFINISHED_BYTES: u64 = 32 << 20;

/// Messages to the writer.
pub enum WorkerMessage {
    /// Files of a folder.
    Scanned(i64, Vec<ScannedFile>),
    /// The walk of a folder ended, or failed.
    ScanEnded(ScanTask, Result<ScanReport>),
    /// A claimed file with new content was hashed and opened; its analysis follows.
    Opened(Box<HashedFile>),
    /// A step for some files was computed in a batch; the files follow.
    Batched(Box<BatchUpdate>),
    /// A claimed file is finished.
    Finished(Box<FinishedFile>),
}

/// Messages to the batch thread.
pub enum BatchMessage {
    /// Enough files are waiting for a device to be worth trying.
    Many,
    /// An analysed file that needs only batches to complete.
    File(Box<UnfinishedFile>),
}

/// An analysed file whose picture has not been hashed, or whose spectra have not been measured.
pub struct UnfinishedFile {
    /// The file.
    pub file: ClaimedFile,
    /// Its hash, if a job needs it.
    pub hash: Option<Digest>,
    /// Facts found by the analysis so far.
    pub facts: Box<SoundFacts>,
}

/// Batched work counted since the last update.
pub struct BatchUpdate {
    /// The kind of job.
    pub kind: JobKind,
    /// Counts on the CPU and on the GPU.
    pub counts: [BatchCounts; 2],
    /// Seconds of sound.
    pub sound_secs: f64,
}

/// A folder to walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanTask {
    /// A folder of the library.
    pub folder: FolderRow,
    /// Relative path of the part to walk; empty for all of it.
    pub below: PathBuf,
    /// Walk only these files, relative to the folder; `None` for all files.
    pub listed: Option<Arc<[PathBuf]>>,
}

/// A file whose sound is new to the library.
pub struct HashedFile {
    /// The file.
    pub file: ClaimedFile,
    /// Hash of the file, which identifies the sound.
    pub hash: Digest,
    /// Format of the sound; `None` for a picture.
    pub shape: Option<SoundShape>,
    /// Notices from reading it, for example that only a part could be read.
    pub notices: Vec<String>,
}

/// A file and its result.
pub struct FinishedFile {
    /// The file.
    pub file: ClaimedFile,
    /// The hash, if a job needs it and it could be computed.
    pub hash: Option<Digest>,
    /// Result of its jobs.
    pub fate: FileFate,
}

/// Result of a file.
pub enum FileFate {
    /// The sound is already known, by its id.
    Known(i64),
    /// Another file with the same bytes is being analysed.
    Same,
    /// Analysed, with these facts.
    Analysed(Box<SoundFacts>),
    /// Failed with this error.
    Failed(Error),
}

/// State shared by the threads.
pub struct Workers {
    /// Claimed files, and the memory of their analysis.
    pub work: FileWork<ClaimedFile>,
    /// Files ready for analysis, with their memory.
    decoded: ByteQueue<(ClaimedFile, Option<Digest>, Decoded, ReservedMemory)>,
    /// Messages to the thread of batches.
    pub unfinished: ByteQueue<BatchMessage>,
    /// Hashes of the files being analysed.
    analysed: Mutex<HashSet<Digest>>,
    gives_way: bool,
    /// Work done in batches by a separate thread.
    pub batched: BatchedWork,
    was_reported: AtomicBool,
}

/// Work left to the batch thread.
#[derive(Default)]
pub struct BatchedWork {
    max_items: AtomicUsize,
    pictures: AtomicBool,
    sounds: AtomicBool,
}

impl BatchedWork {
    /// Sets the work left to batches, and the batch size.
    pub fn set(&self, max_items: usize, left: BatchedAnalysis) {
        let BatchedAnalysis { pictures, sounds } = left;
        self.max_items.store(if pictures || sounds { max_items } else { 0 }, Relaxed);
        self.pictures.store(pictures, Relaxed);
        self.sounds.store(sounds, Relaxed);
    }

    /// The batch size; 0 if nothing is left to batches.
    pub fn max_items(&self) -> usize {
        self.max_items.load(Relaxed)
    }

    fn left(&self) -> BatchedAnalysis {
        BatchedAnalysis { pictures: self.pictures.load(Relaxed), sounds: self.sounds.load(Relaxed) }
    }
}

impl Workers {
    /// State for threads that are started later. They wait while memory is short or the job of `progress` is paused.
    /// With `gives_way` they run at low priority.
    pub fn new(progress: &Progress, gives_way: bool, memory: Arc<MemoryBudget>) -> Workers {
        Workers {
            work: FileWork::new(progress, memory),
            decoded: ByteQueue::new(MAX_DECODED_BYTES),
            unfinished: ByteQueue::new(MAX_UNFINISHED_BYTES),
            analysed: Mutex::default(),
            gives_way,
            batched: BatchedWork::default(),
            was_reported: AtomicBool::new(false),
        }
    }

    /// Stops reading and analysing.
    pub fn close(&self) {
        self.work.stop.cancel();
        self.work.claimed.close();
        self.decoded.close();
        self.unfinished.close();
    }

    /// Number of files waiting to be read or analysed.
    pub fn n_waiting(&self) -> usize {
        self.work.claimed.n_waiting() + self.decoded.n_waiting()
    }

    /// Lowers the priority of the calling thread in a run with `gives_way`.
    pub fn give_way(&self) {
        if self.gives_way {
            lower_priority(Priority::Background);
        }
    }

    /// Lowers the priority of analysis thread `number` in a run with `gives_way`. Every tenth thread keeps some CPU
    /// time on a busy machine, so that the work advances; the others use only idle CPU time.
    fn give_way_as(&self, number: usize) {
        if self.gives_way {
            lower_priority(if number.is_multiple_of(10) { Priority::Background } else { Priority::Idle });
        }
    }

    /// Whether a file with this hash is being analysed.
    pub fn is_in_flight(&self, hash: &Digest) -> bool {
        lock(&self.analysed).contains(hash)
    }

    /// Records that the result for a hash is in the database.
    pub fn note_written(&self, hash: &Digest) {
        lock(&self.analysed).remove(hash);
    }

    /// Reads claimed files until there are no more. `known` is a database connection for this thread.
    pub fn read_all(&self, known: &Connection, place: &LibraryPlace, to_writer: &SyncSender<WorkerMessage>) {
        let mut is_first = true;
        while let Some(file) = self.work.next() {
            let mut hash = None;
            let read = caught(|| self.read((known, place), &file, &mut hash, to_writer));
            // Only after the first file, for which the user is waiting.
            if std::mem::take(&mut is_first) {
                self.give_way();
            }
            let path = file.path.display();
            let fate = match read {
                Ok(Some(fate)) => {
                    tracing::debug!(%path, "known by its bytes");
                    fate
                }
                Err(error) => FileFate::Failed(error),
                Ok(None) => {
                    tracing::debug!(%path, "opened");
                    continue;
                }
            };
            if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
                return;
            }
        }
    }

    /// The result of a file; `None` if it must be analysed.
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
            && error.kind() == std::io::ErrorKind::IsADirectory
        {
            return Err(Error::io(&error, "read", &file.path));
        }
        if file.kinds.has(JobKind::Hash) {
            let digest = file_digest(&file.path, &self.work.stop)?;
            // Checked before the hash is used, which must be that of the file as it was listed.
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
        let (decoded, notices) = Decoded::open(&file.path, is_picture, self.work.memory.max_bytes(), &self.work.stop)?;
        if let Some(hash) = *hash {
            let opened = HashedFile { file: file.clone(), hash, shape: decoded.shape(), notices };
            to_writer.send(WorkerMessage::Opened(Box::new(opened))).map_err(|_| Error::cancelled())?;
        }
        let n_bytes = decoded.n_bytes();
        // Reserved here, since an analysis thread that waited for memory could not release that of other files.
        let memory = self.work.memory.reserve(decoded.analysis_bytes(), &self.work.stop)?;
        match self.decoded.put((file.clone(), *hash, decoded, memory), n_bytes) {
            Ok(()) => Ok(None),
            Err(_) => Err(Error::cancelled()),
        }
    }

    /// Analyses decoded files until there are no more. Batched work goes to the batch thread, if there is one, which is
    /// woken once enough files are waiting. `number` is the index of the thread.
    pub fn analyse_all(&self, number: usize, to_writer: &SyncSender<WorkerMessage>, has_batches: bool) {
        self.give_way_as(number);
        let mut analyst = Analyst::default();
        while let Some((file, hash, decoded, memory)) = self.decoded.take() {
            if has_batches && self.n_waiting() >= MIN_ITEMS && !self.was_reported.swap(true, Relaxed) {
                self.unfinished.put(BatchMessage::Many, 0).ok();
            }
            let left = self.batched.left();
            let analysed = caught(|| {
                #[cfg(feature = "hooks")]
                if file.path.file_name().is_some_and(|name| name == "a test asks for a panic.wav") {
                    panic!("a test asked for a panic of a decoder");
                }
                let facts = analyst.analyse(&file.path, &decoded, file.kinds, left, &self.work.stop)?;
                check_unchanged(&file.path, file.stamp)?;
                Ok(facts)
            });
            drop((decoded, memory));
            if let Ok(facts) = &analysed {
                let times: Vec<_> = facts.times.iter().map(|(kind, time)| (kind.name(), time.as_millis())).collect();
                tracing::debug!(path = %file.path.display(), ?times, "analysed, in ms");
            }
            let fate = match analysed {
                Ok(facts) if facts.is_unfinished() => {
                    let n_bytes = facts.n_unfinished_bytes() as u64;
                    let unfinished = UnfinishedFile { file, hash, facts: Box::new(facts) };
                    if self.unfinished.put(BatchMessage::File(Box::new(unfinished)), n_bytes).is_err() {
                        return;
                    }
                    continue;
                }
                Ok(facts) => FileFate::Analysed(Box::new(facts)),
                Err(error) => FileFate::Failed(error),
            };
            if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
                return;
            }
        }
    }
}

/// Turns a panic into the failure of the file that caused it.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "made its decoder crash, which is an error in Sonobrush; please report it"))
    })
}
