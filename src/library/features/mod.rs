//! Features of many files in one array: segments of sound as mel spectra, with a table of where each row comes from.

mod extract;
mod files;
mod log;
mod options;
mod output;
mod run;
mod samples;
mod status;
mod tasks;

pub use options::{ChannelChoice, FeatureOptions, FeatureType, FileFormat, LogScale, Reduce};
pub use run::{FeatureOrder, FeatureReport, write_features};
pub use status::{Phase, RunStatus};
