//! Features of many files in one array: segments of sound as mel spectra, with a table of where each row comes from.
//!
//! A [`Manifest`] defines what is computed. One process computes all of it ([`write_features`]), or many compute a
//! shard each ([`write_shard`]), which are then merged into the same bytes ([`merge_features`]).

mod build;
mod claim;
mod disk;
mod extract;
mod guard;
mod index;
mod lengths;
mod log;
mod manifest;
mod merge;
mod options;
mod output;
mod report;
mod rows;
mod run;
pub(super) mod samples;
mod segment_batch;
mod shard;
mod status;
mod stored_path;
mod tasks;
mod verify;

pub use build::FeatureWork;
pub(crate) use extract::{Extractor, FeatureFile};
pub use manifest::{FILES_PER_TASK, MAX_FILES_PER_TASK, Manifest, ManifestFile};
pub use merge::{MergeOrder, merge_features};
pub use options::{ChannelChoice, FeatureEngine, FeatureOptions, FeatureType, FileFormat, LogScale, Reduce};
pub use report::{Failure, FeatureReport, NoticedFile};
pub use run::{FeatureOrder, write_features};
pub use shard::{ShardOrder, files_of_shard, write_shard};
pub use status::{Phase, RunStatus};
pub use stored_path::StoredPath;
pub use verify::verify_features;
