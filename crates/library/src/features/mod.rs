//! Features of many files in one array: segments of sound as mel spectra, with a table of each row's origin.
//!
//! A [`Manifest`] defines what is computed. One process computes all of it ([`write_features`]), or many compute a
//! shard each ([`write_shard`]), which are then merged into the same bytes ([`merge_features`]).

mod build;
mod extract;
mod files;
mod lengths;
mod options;
mod rows;
mod run;
pub(super) mod samples;
mod segment_batch;
mod shard;
mod status;
mod tasks;

pub use build::FeatureWork;
pub(crate) use extract::{Extractor, FeatureFile};
pub use files::manifest::{FILES_PER_TASK, MAX_FILES_PER_TASK, Manifest, ManifestFile};
pub use files::merge::{MergeOrder, merge_features};
pub use files::report::{Failure, FeatureReport, NoticedFile};
pub use files::stored_path::StoredPath;
pub use files::verify::verify_features;
pub use options::{ChannelChoice, FeatureEngine, FeatureOptions, FeatureType, FileFormat, LogScale, Reduce};
pub use run::{FeatureOrder, write_features};
pub use shard::{ShardOrder, files_of_shard, write_shard};
pub use status::{Phase, RunStatus};
