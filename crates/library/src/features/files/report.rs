//! `features.json`: the report of a run.

use super::disk::FileSeal;
use super::stored_path::StoredPath;
use crate::base::{Error, ErrorKind, Result, json_reason, read_regular, shown_json, shown_path, write_atomic};
use crate::dsp::mels::mel::MelBank;
use crate::features::options::{FeatureEngine, FeatureOptions, FileFormat};
use crate::library::batches::BatchCounts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Names of the array in the folder, with a header and without.
pub const ARRAY_NAMES: [&str; 2] = ["features.npy", "features.dat"];
/// Name of the report in the folder.
pub const REPORT_NAME: &str = "features.json";
/// Name of the index in the folder.
pub const INDEX_NAME: &str = "files.parquet";
/// Name of the table of rows in the folder.
pub const MAPPING_NAME: &str = "mapping.npy";
/// Version of the report's format.
pub const VERSION: u32 = 1;

/// Name of the array in the folder.
pub fn features_name(options: &FeatureOptions) -> &'static str {
    match options.format {
        FileFormat::Npy => ARRAY_NAMES[0],
        FileFormat::Raw => ARRAY_NAMES[1],
    }
}

/// An unreadable file, whose rows are silent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Number of the file, counted from 0.
    pub file: usize,
    /// Path relative to the root, as text on one line.
    pub path: String,
    /// The reason, in one sentence.
    pub error: String,
}

/// A file with notices, for example that only a part of it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticedFile {
    /// Number of the file, counted from 0.
    pub file: usize,
    /// Path relative to the root, as text on one line.
    pub path: String,
    /// Notices, one sentence each: at most 20, then the number of further ones.
    pub notices: Vec<String>,
}

/// The part of a manifest in a shard, and where it was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardNote {
    /// Number of the shard, counted from 0.
    pub index: usize,
    /// Number of shards.
    pub of: usize,
    /// BLAKE3 of the manifest.
    pub manifest: String,
    /// First file of the shard, and the one after its last.
    pub files: [usize; 2],
    /// First row of the shard, and the one after its last; `mapping.npy` and `files.parquet` number rows as in the
    /// whole manifest.
    pub rows: [u64; 2],
}

/// A merged shard, and where it was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedShard {
    /// Number of the shard, counted from 0.
    pub index: usize,
    /// Version of the program that computed it.
    pub program: String,
    /// Engine: `cpu` or `gpu`.
    pub engine: String,
    /// Vector instructions of the processor that computed it.
    pub processor: Vec<String>,
    /// Duration in seconds.
    pub seconds: f64,
    /// Its folder, if the arrays were left there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub folder: Option<StoredPath>,
}

/// Statistics of an engine in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineStats {
    /// Engine: `cpu` or `gpu`.
    pub engine: String,
    /// Files analysed, unreadable ones included.
    pub files: u64,
    /// Batches computed: on the CPU blocks of segments of one file, on a device of several files.
    pub batches: u64,
    /// Number of blocks in the largest batch.
    #[serde(default)]
    pub largest_batch: u64,
    /// Batches halved for lack of memory.
    #[serde(default)]
    pub shrunk: u64,
    /// Time spent in batches in milliseconds, summed over threads.
    pub busy_ms: f64,
    /// Bytes transferred to and from a device.
    pub moved_bytes: u64,
}

impl EngineStats {
    /// The statistics of an engine.
    pub(in crate::features) fn of(engine: FeatureEngine, files: u64, used: BatchCounts) -> EngineStats {
        let BatchCounts { batches, largest, shrunk, busy_ms, moved_bytes, .. } = used;
        let engine = engine.name().to_owned();
        EngineStats { engine, files, batches, largest_batch: largest, shrunk, busy_ms, moved_bytes }
    }

    /// The statistics of several runs, summed by engine.
    pub(in crate::features) fn summed<'a>(all: impl IntoIterator<Item = &'a EngineStats>) -> Vec<EngineStats> {
        let mut sums: Vec<EngineStats> = Vec::new();
        for one in all {
            match sums.iter_mut().find(|sum| sum.engine == one.engine) {
                Some(sum) => {
                    sum.files += one.files;
                    sum.batches += one.batches;
                    sum.largest_batch = sum.largest_batch.max(one.largest_batch);
                    sum.shrunk += one.shrunk;
                    sum.busy_ms += one.busy_ms;
                    sum.moved_bytes += one.moved_bytes;
                }
                None => sums.push(one.clone()),
            }
        }
        sums
    }
}

/// The report of a run: `features.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureReport {
    /// Version of this format.
    pub version: u32,
    /// Version of the program.
    pub program: String,
    /// Options of the features.
    pub options: FeatureOptions,
    /// Folder to which the paths are relative.
    pub root: StoredPath,
    /// Shape of the array: `[rows, mels, frames]`.
    pub shape: [u64; 3],
    /// Number of files.
    pub files: usize,
    /// Number of zero-padded files.
    pub padded: usize,
    /// Number of cut files.
    pub cut: usize,
    /// Files whose rows hold silence.
    pub failures: Vec<Failure>,
    /// Files with notices.
    #[serde(default)]
    pub noted: Vec<NoticedFile>,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// Engine: `cpu` or `gpu`.
    pub engine: String,
    /// Vector instructions of the processor, since others may round differently.
    pub processor: Vec<String>,
    /// Length and hash of each file written.
    pub written: BTreeMap<String, FileSeal>,
    /// Statistics of the engines in this run; not of the whole work if the run was resumed.
    #[serde(default)]
    pub stats: Vec<EngineStats>,
    /// Duration of this run in seconds; not of the whole work if the run was resumed.
    pub seconds: f64,
    /// The shard, if this is the report of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<ShardNote>,
    /// The shards, if this is the report of a merge.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shards: Option<Vec<MergedShard>>,
}

impl FeatureReport {
    /// Reads the report of a folder.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), or [`Malformed`](ErrorKind::Malformed).
    pub fn read(folder: &Path) -> Result<FeatureReport> {
        let path = folder.join(REPORT_NAME);
        let text = read_regular(&path)?;
        let refuse = |why: String| Error::new(ErrorKind::Malformed, why).at(&path);
        let report: FeatureReport = serde_json::from_slice(&text)
            .map_err(|error| refuse(format!("is not a report of features: {}", json_reason(&error))))?;
        if report.version != VERSION {
            return Err(refuse(format!("is of version {}, which this program does not read", report.version)));
        }
        Ok(report)
    }

    /// Notices about the number of unreadable, shorter and longer files.
    pub(in crate::features) fn counted_notices(&self) -> Vec<String> {
        let files = |n: usize| if n == 1 { "1 file".to_owned() } else { format!("{n} files") };
        let mut notices = Vec::new();
        if !self.failures.is_empty() {
            notices.push(format!("{}; their rows hold silence", self.failed()));
        }
        if !self.noted.is_empty() {
            notices.push(format!(
                "{} with notices of their own, in the index and under \"noted\"",
                files(self.noted.len())
            ));
        }
        if self.padded > 0 {
            notices.push(format!("{} shorter than asked for: zeros were added at the end", files(self.padded)));
        }
        if self.cut > 0 {
            let what = "longer than asked for: the rest was left out (--whole takes it)";
            notices.push(format!("{} {what}", files(self.cut)));
        }
        notices
    }

    /// The number of failed files, with the first reason.
    pub fn failed(&self) -> String {
        let first = self.failures.first();
        let reason = first.map(|failure| {
            let path = shown_path(&self.root.0.join(&failure.path));
            format!("; the first is {path}: {}", failure.error)
        });
        format!("{} of {} files could not be read{}", self.failures.len(), self.files, reason.unwrap_or_default())
    }

    /// Whether both have the same program version, engine and kind of processor, and so should have identical values.
    pub fn is_of_like_machine(&self, other: &FeatureReport) -> bool {
        let kind = |report: &FeatureReport| (report.program.clone(), report.engine.clone(), report.processor.clone());
        kind(self) == kind(other)
    }

    /// The report without the fields that may differ between identical outputs.
    pub fn timeless(&self) -> FeatureReport {
        FeatureReport { seconds: 0.0, stats: Vec::new(), ..self.clone() }
    }
}

/// Writes indented JSON, atomically.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
    let text = shown_json(&text);
    write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))
}

/// A notice about mels that contain no FFT bin, and so are silent in every sound.
pub fn notice_of_empty_rows(options: &FeatureOptions) -> Option<String> {
    let empty = MelBank::new(&options.mel, options.n_fft, f64::from(options.rate_hz)).empty_rows();
    let rows: Vec<String> = empty.iter().map(usize::to_string).collect();
    (!rows.is_empty()).then(|| {
        format!("no FFT bin lies in mel {}: it is silent everywhere; use fewer mels or a larger FFT", rows.join(", "))
    })
}

/// The vector instructions that affect which code the transforms use.
pub fn processor_features() -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let found = [
            ("sse4.1", std::is_x86_feature_detected!("sse4.1")),
            ("avx", std::is_x86_feature_detected!("avx")),
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("fma", std::is_x86_feature_detected!("fma")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ];
        names.extend(found.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name));
    }
    #[cfg(target_arch = "aarch64")]
    names.push("neon");
    names.into_iter().map(str::to_owned).collect()
}
