//! Arguments of `sonobrush features`.

use crate::cli::common::named::parse_named;
use crate::dsp::mels::mel::{MelNorm, MelScale};
use crate::library::features::{
    ChannelChoice, FILES_PER_TASK, FeatureType, FileFormat, LogScale, MAX_FILES_PER_TASK, Reduce,
};
use clap::Args;
use std::path::PathBuf;

/// Maximum number of shards; more would be more folders than file systems handle well.
const MAX_SHARDS: usize = 99_999;

/// Whether to write the table of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mapping {
    Npy,
    None,
}

/// Preset from which the other options start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    MelSegments,
}

/// Whether to write the table of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Parquet,
    None,
}

/// A shard and the number of shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardChoice {
    pub index: usize,
    pub of: usize,
}

#[derive(Debug, Args)]
pub(crate) struct FeaturesCommand {
    /// Sound files and folders; with --merge the folders of shards, with --verify a folder of features.
    #[arg(value_name = "IN", required_unless_present = "manifest")]
    pub inputs: Vec<PathBuf>,
    /// Folder to create, with features.npy, mapping.npy, files.parquet and features.json.
    #[arg(long, short, value_name = "OUT", required_unless_present = "verify")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub choices: FeatureChoices,
    /// Only write the list of files and options to OUT, as JSON for --manifest.
    #[arg(long, group = "mode")]
    pub list: bool,
    /// Compute part I of N, counted from 0, into its own folder in OUT.
    #[arg(long, value_name = "I/N", group = "mode", value_parser = parse_shard, requires = "manifest", allow_hyphen_values = true)]
    pub shard: Option<ShardChoice>,
    /// List of files written by --list.
    #[arg(long, value_name = "M.json", requires = "shard", conflicts_with_all = ["inputs", "FeatureChoices"])]
    pub manifest: Option<PathBuf>,
    /// Folder that contains the files of the manifest, if not where they were listed.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub root: Option<PathBuf>,
    /// Join shards into the same folder that one process would have written.
    #[arg(long, group = "mode", conflicts_with = "FeatureChoices")]
    pub merge: bool,
    /// Leave the arrays in the shards; write only the index and the report.
    #[arg(long, requires = "merge")]
    pub keep_shards: bool,
    /// Check that the contents of the folder IN match its report.
    #[arg(long, group = "mode", conflicts_with_all = ["FeatureChoices", "output"])]
    pub verify: bool,
    /// Resume an interrupted run with the same inputs and options.
    #[arg(long)]
    pub resume: bool,
    /// Replace OUT if it exists.
    #[arg(long)]
    pub replace: bool,
    /// Exit with code 1 if any file could not be read.
    #[arg(long)]
    pub strict: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Maximum memory for analysis in megabytes [default: half of the available memory, which is also the maximum].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
    /// Print a status line every S seconds, even without a terminal.
    #[arg(long, value_name = "S", value_parser = parse_secs)]
    pub status_every: Option<f64>,
    /// Print status and report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Also write the report, OUT/features.json, to this file.
    #[arg(long, value_name = "R.json", conflicts_with = "list")]
    pub report: Option<PathBuf>,
}

/// How features are computed, as stored in a manifest.
#[derive(Debug, Args)]
#[group(id = "FeatureChoices", multiple = true)]
pub(crate) struct FeatureChoices {
    /// Starting point of the options below: 10 s at 4,096 Hz in segments of 1/8 s with 32 mels each.
    #[arg(long, value_name = "mel-segments", value_parser = parse_preset, default_value = "mel-segments")]
    pub preset: Preset,
    /// Sample rate in hertz to which every sound is resampled.
    #[arg(long, value_name = "HZ")]
    pub rate: Option<u32>,
    /// Seconds of each file; shorter files are zero-padded, longer ones are cut.
    #[arg(long, value_name = "S", conflicts_with = "whole", value_parser = parse_secs)]
    pub secs: Option<f64>,
    /// Use the whole of each file, regardless of its length.
    #[arg(long)]
    pub whole: bool,
    /// Length of a long segment and its hop, in samples.
    #[arg(long, value_name = "N,HOP", value_parser = parse_segment)]
    pub long: Option<[usize; 2]>,
    /// Length of a short segment within a long one and its hop, in samples.
    #[arg(long, value_name = "N,HOP", value_parser = parse_segment)]
    pub short: Option<[usize; 2]>,
    /// FFT size in samples.
    #[arg(long, value_name = "N")]
    pub n_fft: Option<usize>,
    /// Hop between frames in samples.
    #[arg(long, value_name = "N")]
    pub hop: Option<usize>,
    #[command(flatten)]
    pub mel: MelChoices,
    /// Store the mean power of the frames of a segment, or every frame.
    #[arg(long, value_name = "mean|frames", value_parser = parse_reduce)]
    pub reduce: Option<Reduce>,
    /// Scale of the values: decibels, linear power or natural logarithm.
    #[arg(long, value_name = "db|none|natural", value_parser = parse_log)]
    pub log: Option<LogScale>,
    /// Type of the values.
    #[arg(long, value_name = "f16|f32", value_parser = parse_type)]
    pub dtype: Option<FeatureType>,
    /// Write arrays with a NumPy header or as raw values.
    #[arg(long, value_name = "npy|raw", value_parser = parse_format)]
    pub format: Option<FileFormat>,
    /// Write mapping.npy with row, file, long and short segment, and sample range, or not.
    #[arg(long, value_name = "npy|none", value_parser = parse_mapping, default_value = "npy")]
    pub mapping: Mapping,
    /// Write files.parquet with path, size, time, hash, length, rows and any error of each file, or not.
    #[arg(long, value_name = "parquet|none", value_parser = parse_index, default_value = "parquet")]
    pub index: Index,
    /// Number of files whose rows are written, synced and logged together; a killed run loses at most this many per
    /// thread. --resume keeps the value.
    #[arg(long, value_name = "N", value_parser = parse_files_per_task)]
    pub files_per_task: Option<usize>,
    /// Channel to analyse: the mean of all, or one of them, counted from 0.
    #[arg(long, value_name = "mix|N", value_parser = parse_channel)]
    pub channel: Option<ChannelChoice>,
}

/// The mel filter bank: a part of [`FeatureChoices`] and of its group.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct MelChoices {
    /// Number of mels.
    #[arg(long, group = "FeatureChoices", value_name = "N")]
    pub mels: Option<usize>,
    /// Spacing of the mels: htk as in torchaudio, slaney as in librosa.
    #[arg(long, group = "FeatureChoices", value_name = "htk|slaney", value_parser = parse_scale)]
    pub mel_scale: Option<MelScale>,
    /// Normalisation of the mel triangles: to a height of 1, or to an area of 1.
    #[arg(long, group = "FeatureChoices", value_name = "none|slaney", value_parser = parse_norm)]
    pub mel_norm: Option<MelNorm>,
    /// Lower edge of the lowest mel in hertz.
    #[arg(long, group = "FeatureChoices", value_name = "HZ")]
    pub fmin: Option<f64>,
    /// Upper edge of the highest mel in hertz [default: half the sample rate].
    #[arg(long, group = "FeatureChoices", value_name = "HZ")]
    pub fmax: Option<f64>,
}

fn parse_secs(text: &str) -> Result<f64, String> {
    let secs = text.parse().ok().filter(|secs: &f64| *secs > 0.0 && *secs <= 86_400.0);
    secs.ok_or_else(|| "expected seconds above 0, at most 86,400".into())
}

fn parse_files_per_task(text: &str) -> Result<usize, String> {
    let n_files = text.parse().ok().filter(|n_files| (1..=MAX_FILES_PER_TASK).contains(n_files));
    n_files.ok_or_else(|| format!("expected files, 1 to {MAX_FILES_PER_TASK}, such as {FILES_PER_TASK}"))
}

fn parse_segment(text: &str) -> Result<[usize; 2], String> {
    let parsed = text.split_once(',').and_then(|(length, hop)| Some([length.parse().ok()?, hop.parse().ok()?]));
    parsed.ok_or_else(|| "expected samples and hop, such as 1024,512".into())
}

fn parse_preset(text: &str) -> Result<Preset, String> {
    parse_named(text, &[Preset::MelSegments], |Preset::MelSegments| "mel-segments")
}

fn parse_scale(text: &str) -> Result<MelScale, String> {
    parse_named(text, &[MelScale::Htk, MelScale::Slaney], |scale| match scale {
        MelScale::Htk => "htk",
        MelScale::Slaney => "slaney",
    })
}

fn parse_norm(text: &str) -> Result<MelNorm, String> {
    parse_named(text, &[MelNorm::None, MelNorm::Slaney], |norm| match norm {
        MelNorm::None => "none",
        MelNorm::Slaney => "slaney",
    })
}

fn parse_reduce(text: &str) -> Result<Reduce, String> {
    parse_named(text, &[Reduce::Mean, Reduce::Frames], |reduce| match reduce {
        Reduce::Mean => "mean",
        Reduce::Frames => "frames",
    })
}

fn parse_log(text: &str) -> Result<LogScale, String> {
    parse_named(text, &[LogScale::Db, LogScale::None, LogScale::Natural], |log| match log {
        LogScale::Db => "db",
        LogScale::None => "none",
        LogScale::Natural => "natural",
    })
}

fn parse_type(text: &str) -> Result<FeatureType, String> {
    parse_named(text, &[FeatureType::F16, FeatureType::F32], |dtype| match dtype {
        FeatureType::F16 => "f16",
        FeatureType::F32 => "f32",
    })
}

fn parse_format(text: &str) -> Result<FileFormat, String> {
    parse_named(text, &[FileFormat::Npy, FileFormat::Raw], |format| match format {
        FileFormat::Npy => "npy",
        FileFormat::Raw => "raw",
    })
}

fn parse_mapping(text: &str) -> Result<Mapping, String> {
    parse_named(text, &[Mapping::Npy, Mapping::None], |mapping| match mapping {
        Mapping::Npy => "npy",
        Mapping::None => "none",
    })
}

fn parse_index(text: &str) -> Result<Index, String> {
    parse_named(text, &[Index::Parquet, Index::None], |index| match index {
        Index::Parquet => "parquet",
        Index::None => "none",
    })
}

pub(crate) fn parse_shard(text: &str) -> Result<ShardChoice, String> {
    let parsed = text.split_once('/').and_then(|(index, of)| Some([index.parse().ok()?, of.parse().ok()?]));
    match parsed {
        Some([index, of]) if index < of && of <= MAX_SHARDS => Ok(ShardChoice { index, of }),
        _ => Err(format!(
            "expected a shard and their number, from 0/N to N-1/N, such as 3/64; N is at most {MAX_SHARDS}"
        )),
    }
}

fn parse_channel(text: &str) -> Result<ChannelChoice, String> {
    match text {
        "mix" => Ok(ChannelChoice::Mix),
        number => number.parse().map(ChannelChoice::One).map_err(|_| "expected mix, or a channel from 0".into()),
    }
}
