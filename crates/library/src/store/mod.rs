//! The library: one SQLite database, and the queue of files to analyse.
//!
//! A scan records the files of folders and queues jobs for new and changed ones. One process at a time works on the
//! queue: several threads read and analyse, one thread writes. A result is stored and its jobs are deleted in one
//! transaction, so a kill at any moment loses at most the analyses in progress. Sounds are identified by the hash of
//! their file, so copies and moved files are recognised and not analysed again.

mod analysis;
mod batch_thread;
mod below;
mod clock;
mod files;
mod folders;
mod foreign;
mod heartbeat;
mod import;
mod job_kind;
mod listed;
mod lock;
mod open;
mod place;
mod priority;
mod queue;
mod results;
mod run;
mod scan;
mod schema;
mod side_files;
mod status;
mod tag_line;
mod tally;
mod text;
mod user_tags;
mod verify;
mod workers;
mod writer;

pub use crate::media::{FileTag, tags_of};
pub(crate) use clock::now_ns;
pub use folders::{FolderRow, FolderSummary, RemovalReport};
pub use heartbeat::QueueWork;
pub use import::ImportReport;
pub use lock::LibraryLock;
pub use open::LibraryStore;
pub use place::LibraryPlace;
pub use run::ListedFiles;
pub use scan::{ScanReport, ScanRules, ScannedFile, scan_folder};
pub use status::{FailedFile, KindStats, LibraryStatus};
pub use verify::{VerifyOrder, VerifyReport};
pub use writer::{AddOrder, AddReport, NotedSound};
