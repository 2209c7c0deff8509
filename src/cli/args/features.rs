//! What can be typed after `sonobrush features`.

use crate::cli::named::parse_named;
use crate::dsp::mel::{MelNorm, MelScale};
use crate::library::features::{
    ChannelChoice, FILES_PER_TASK, FeatureType, FileFormat, LogScale, MOST_FILES_PER_TASK, Reduce,
};
use clap::Args;
use std::path::PathBuf;

/// More would be more folders than file systems like.
const MOST_SHARDS: usize = 99_999;

/// Whether the table of rows is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mapping {
    Npy,
    None,
}

/// The preset that the other options change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    MelSegments,
}

/// Whether the table of files is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Parquet,
    None,
}

/// Which of how many shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardChoice {
    pub index: usize,
    pub of: usize,
}

#[derive(Debug, Args)]
pub(crate) struct FeaturesCommand {
    /// Sound files, and folders of them; with --merge folders of shards, with --verify a folder of features.
    #[arg(value_name = "IN", required_unless_present = "manifest")]
    pub inputs: Vec<PathBuf>,
    /// The folder to make: features.npy, mapping.npy, files.parquet, features.json.
    #[arg(long, short, value_name = "OUT", required_unless_present = "verify")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub choices: FeatureChoices,
    /// Write only the list of files and options to OUT, a JSON file that --manifest takes.
    #[arg(long, group = "mode")]
    pub list: bool,
    /// Compute part I of N, counted from 0, into a folder of its own in OUT.
    #[arg(long, value_name = "I/N", group = "mode", value_parser = parse_shard, requires = "manifest", allow_hyphen_values = true)]
    pub shard: Option<ShardChoice>,
    /// The list of files that --list wrote.
    #[arg(long, value_name = "M.json", requires = "shard", conflicts_with_all = ["inputs", "FeatureChoices"])]
    pub manifest: Option<PathBuf>,
    /// Where the files of the manifest are, if not where they were listed.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub root: Option<PathBuf>,
    /// Join shards into the folder that one process would have made.
    #[arg(long, group = "mode", conflicts_with = "FeatureChoices")]
    pub merge: bool,
    /// Leave the arrays in the shards: write the index and the report only.
    #[arg(long, requires = "merge")]
    pub keep_shards: bool,
    /// Check that the folder IN is what its report says.
    #[arg(long, group = "mode", conflicts_with_all = ["FeatureChoices", "output"])]
    pub verify: bool,
    /// Go on where a run with the same inputs and options stopped.
    #[arg(long)]
    pub resume: bool,
    /// Replace OUT if it is there.
    #[arg(long)]
    pub replace: bool,
    /// Exit with 1 if a file could not be read.
    #[arg(long)]
    pub strict: bool,
    /// Threads; one for each core by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Memory that analysing may take, in megabytes; by default, and at most, half of what is available.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
    /// Print a status line this often, even without a terminal.
    #[arg(long, value_name = "S", value_parser = parse_secs)]
    pub status_every: Option<f64>,
    /// Print status and report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the report, which is also OUT/features.json.
    #[arg(long, value_name = "R.json", conflicts_with = "list")]
    pub report: Option<PathBuf>,
}

/// How features are computed: what a manifest holds.
#[derive(Debug, Args)]
#[group(id = "FeatureChoices", multiple = true)]
pub(crate) struct FeatureChoices {
    /// What the options below start from: 10 s at 4,096 Hz in segments of 1/8 s, 32 mels each.
    #[arg(long, value_name = "mel-segments", value_parser = parse_preset, default_value = "mel-segments")]
    pub preset: Preset,
    /// Sample rate in hertz that every sound is resampled to.
    #[arg(long, value_name = "HZ")]
    pub rate: Option<u32>,
    /// Seconds taken of each file: shorter ones are filled with zeros, longer ones are cut.
    #[arg(long, value_name = "S", conflicts_with = "whole", value_parser = parse_secs)]
    pub secs: Option<f64>,
    /// Take all of each file, however long.
    #[arg(long)]
    pub whole: bool,
    /// Samples of a long segment, and from one to the next.
    #[arg(long, value_name = "N,HOP", value_parser = parse_segment)]
    pub long: Option<[usize; 2]>,
    /// Samples of a short segment in each long one, and from one to the next.
    #[arg(long, value_name = "N,HOP", value_parser = parse_segment)]
    pub short: Option<[usize; 2]>,
    /// Samples of an FFT.
    #[arg(long, value_name = "N")]
    pub n_fft: Option<usize>,
    /// Samples from frame to frame.
    #[arg(long, value_name = "N")]
    pub hop: Option<usize>,
    #[command(flatten)]
    pub mel: MelChoices,
    /// Keep the mean power of a segment's frames, or every frame.
    #[arg(long, value_name = "mean|frames", value_parser = parse_reduce)]
    pub reduce: Option<Reduce>,
    /// Decibels, power as it is, or the natural logarithm.
    #[arg(long, value_name = "db|none|natural", value_parser = parse_log)]
    pub log: Option<LogScale>,
    /// Type of the values.
    #[arg(long, value_name = "f16|f32", value_parser = parse_type)]
    pub dtype: Option<FeatureType>,
    /// With NumPy's header or without.
    #[arg(long, value_name = "npy|raw", value_parser = parse_format)]
    pub format: Option<FileFormat>,
    /// Whether to write mapping.npy: row, file, long and short segment, first sample and the one after the last.
    #[arg(long, value_name = "npy|none", value_parser = parse_mapping, default_value = "npy")]
    pub mapping: Mapping,
    /// Whether to write files.parquet: of each file path, size, time, hash, length, rows, and why it could not be read.
    #[arg(long, value_name = "parquet|none", value_parser = parse_index, default_value = "parquet")]
    pub index: Index,
    /// Files whose rows are written, synced and logged together: what a run that is killed loses of each thread, at most;
    /// --resume keeps it.
    #[arg(long, value_name = "N", value_parser = parse_files_per_task)]
    pub files_per_task: Option<usize>,
    /// The mean of all channels, or one of them, counted from 0.
    #[arg(long, value_name = "mix|N", value_parser = parse_channel)]
    pub channel: Option<ChannelChoice>,
}

/// How frequencies are summed to mels: a part of [`FeatureChoices`], and of its group.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct MelChoices {
    /// Number of mels.
    #[arg(long, group = "FeatureChoices", value_name = "N")]
    pub mels: Option<usize>,
    /// How mels are spaced: htk as in torchaudio, slaney as in librosa.
    #[arg(long, group = "FeatureChoices", value_name = "htk|slaney", value_parser = parse_scale)]
    pub mel_scale: Option<MelScale>,
    /// Height of the mels' triangles: 1, or an area of 1.
    #[arg(long, group = "FeatureChoices", value_name = "none|slaney", value_parser = parse_norm)]
    pub mel_norm: Option<MelNorm>,
    /// Lower end of the lowest mel in hertz.
    #[arg(long, group = "FeatureChoices", value_name = "HZ")]
    pub fmin: Option<f64>,
    /// Upper end of the highest mel in hertz; half the rate by default.
    #[arg(long, group = "FeatureChoices", value_name = "HZ")]
    pub fmax: Option<f64>,
}

fn parse_secs(text: &str) -> Result<f64, String> {
    let secs = text.parse().ok().filter(|secs: &f64| *secs > 0.0 && *secs <= 86_400.0);
    secs.ok_or_else(|| "expected seconds above 0, at most 86,400".into())
}

fn parse_files_per_task(text: &str) -> Result<usize, String> {
    let n_files = text.parse().ok().filter(|n_files| (1..=MOST_FILES_PER_TASK).contains(n_files));
    n_files.ok_or_else(|| format!("expected files, 1 to {MOST_FILES_PER_TASK}, such as {FILES_PER_TASK}"))
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
        Some([index, of]) if index < of && of <= MOST_SHARDS => Ok(ShardChoice { index, of }),
        _ => Err(format!(
            "expected a shard and their number, from 0/N to N-1/N, such as 3/64; N is at most {MOST_SHARDS}"
        )),
    }
}

fn parse_channel(text: &str) -> Result<ChannelChoice, String> {
    match text {
        "mix" => Ok(ChannelChoice::Mix),
        number => number.parse().map(ChannelChoice::One).map_err(|_| "expected mix, or a channel from 0".into()),
    }
}
