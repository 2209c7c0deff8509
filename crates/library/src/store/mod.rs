//! The library: one SQLite database, and the queue of files to analyse.
//!
//! A scan records the files of folders and queues jobs for new and changed ones. One process at a time works on the
//! queue: several threads read and analyse, one thread writes. A result is stored and its jobs are deleted in one
//! transaction, so a kill at any moment loses at most the analyses in progress. Sounds are identified by the hash of
//! their file, so copies and moved files are recognised and not analysed again.

mod clock;
mod database;
mod files;
mod folders;
mod listed;
mod results;
mod scan;
mod status;
mod tag_line;
mod text;
mod user_tags;
mod work;

pub use crate::media::{FileTag, tags_of};
pub(crate) use clock::now_ns;
pub use database::import::ImportReport;
pub use database::open::LibraryStore;
pub use database::place::LibraryPlace;
pub use database::verify::{VerifyOrder, VerifyReport};
pub use folders::{FolderRow, FolderSummary, RemovalReport};
pub use scan::{ScanReport, ScanRules, ScannedFile, scan_folder};
pub use status::{FailedFile, KindStats, LibraryStatus};
pub use work::heartbeat::QueueWork;
pub use work::lock::LibraryLock;
pub use work::run::ListedFiles;
pub use work::writer::{AddOrder, AddReport, NotedSound};
