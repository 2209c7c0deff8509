//! What can be typed after `sonobrush features`.

use crate::cli::named::parse_named;
use crate::dsp::mel::{MelNorm, MelScale};
use crate::library::features::{ChannelChoice, FeatureType, FileFormat, LogScale, Reduce};
use clap::Args;
use std::path::PathBuf;

/// Whether the table of rows is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Mapping {
    Npy,
    None,
}

/// The preset that the other options change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Preset {
    MelSegments,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct FeaturesCommand {
    /// Sound files, and folders of them.
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The folder to make: features.npy, mapping.npy, features.json.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
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
    /// Number of mels.
    #[arg(long, value_name = "N")]
    pub mels: Option<usize>,
    /// How mels are spaced: htk as in torchaudio, slaney as in librosa.
    #[arg(long, value_name = "htk|slaney", value_parser = parse_scale)]
    pub mel_scale: Option<MelScale>,
    /// Height of the mels' triangles: 1, or an area of 1.
    #[arg(long, value_name = "none|slaney", value_parser = parse_norm)]
    pub mel_norm: Option<MelNorm>,
    /// Lower end of the lowest mel in hertz.
    #[arg(long, value_name = "HZ")]
    pub fmin: Option<f64>,
    /// Upper end of the highest mel in hertz; half the rate by default.
    #[arg(long, value_name = "HZ")]
    pub fmax: Option<f64>,
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
    /// The mean of all channels, or one of them, counted from 0.
    #[arg(long, value_name = "mix|N", value_parser = parse_channel)]
    pub channel: Option<ChannelChoice>,
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
    /// Print a status line this often, even without a terminal.
    #[arg(long, value_name = "S", value_parser = parse_secs)]
    pub status_every: Option<f64>,
    /// Print status and report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the report, which is also OUT/features.json.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
}

fn parse_secs(text: &str) -> Result<f64, String> {
    let secs = text.parse().ok().filter(|secs: &f64| *secs > 0.0 && *secs <= 86_400.0);
    secs.ok_or_else(|| "expected seconds above 0, at most 86,400".into())
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

fn parse_channel(text: &str) -> Result<ChannelChoice, String> {
    match text {
        "mix" => Ok(ChannelChoice::Mix),
        number => number.parse().map(ChannelChoice::One).map_err(|_| "expected mix, or a channel from 0".into()),
    }
}
