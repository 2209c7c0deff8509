//! Arguments of `sonobrush transform`.

use super::project::ProjectOptions;
use crate::cli::common::named::{parse_named, parse_window};
use crate::dsp::Window;
use clap::Args;
use std::path::PathBuf;

/// Kind of transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransformKind {
    Stft,
    Cqt,
    Vqt,
    Mel,
    Bark,
    /// Rows on a log scale, or at a list of frequencies.
    Rows,
}

impl TransformKind {
    const ALL: [TransformKind; 6] = [
        TransformKind::Stft,
        TransformKind::Cqt,
        TransformKind::Vqt,
        TransformKind::Mel,
        TransformKind::Bark,
        TransformKind::Rows,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TransformKind::Stft => "stft",
            TransformKind::Cqt => "cqt",
            TransformKind::Vqt => "vqt",
            TransformKind::Mel => "mel",
            TransformKind::Bark => "bark",
            TransformKind::Rows => "rows",
        }
    }
}

/// A named set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransformPreset {
    Music,
    FinePitch,
    Bass,
    Speech,
}

impl TransformPreset {
    const ALL: [TransformPreset; 4] =
        [TransformPreset::Music, TransformPreset::FinePitch, TransformPreset::Bass, TransformPreset::Speech];

    fn name(self) -> &'static str {
        match self {
            TransformPreset::Music => "music",
            TransformPreset::FinePitch => "fine-pitch",
            TransformPreset::Bass => "bass",
            TransformPreset::Speech => "speech",
        }
    }
}

/// Widening of rows beyond their spacing: in hertz, or like the ear's equivalent rectangular bandwidths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TypedGamma {
    Erb,
    Hz(f64),
}

#[derive(Debug, Args)]
pub(crate) struct TransformCommand {
    /// File or project to analyse.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// NumPy file to write; several arrays become OUT-0.npy, OUT-1.npy and so on. OUT.json describes them.
    #[arg(long, short, value_name = "OUT.npy")]
    pub output: PathBuf,
    #[command(flatten)]
    pub choice: TransformChoice,
    /// Write all rows as one array, at --hop or at the smallest hop of any row.
    #[arg(long)]
    pub matrix: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// Options of the transform.
#[derive(Debug, Default, Args)]
pub(crate) struct TransformChoice {
    /// Kind of transform [default: vqt, or rows with --frequencies].
    #[arg(long, value_name = "stft|cqt|vqt|mel|bark|rows", value_parser = parse_kind)]
    pub kind: Option<TransformKind>,
    /// Starting point of the options below: 24 or 48 variable-Q rows per octave, 48 constant-Q rows per octave, or 96
    /// bark rows.
    #[arg(long, value_name = "music|fine-pitch|bass|speech", value_parser = parse_preset, conflicts_with = "kind")]
    pub preset: Option<TransformPreset>,
    /// Transform in the syntax of scripts or OUT.json: a JSON object, or a file that contains one.
    #[arg(long, value_name = "JSON|T.json", conflicts_with_all = ["kind", "preset", "bins", "bands", "frequencies", "fmin",
        "fmax", "gamma", "n_fft", "window"])]
    pub transform: Option<String>,
    /// Rows per octave, 4 to 96.
    #[arg(long, value_name = "N", value_parser = parse_number, allow_negative_numbers = true)]
    pub bins: Option<f64>,
    /// Number of mel or bark rows, 8 to 512.
    #[arg(long, value_name = "N", value_parser = parse_number, allow_negative_numbers = true)]
    pub bands: Option<f64>,
    /// Frequencies of the rows in hertz: 4 to 1024 of them, ascending.
    #[arg(long, value_name = "HZ,HZ,...", value_delimiter = ',', value_parser = parse_number, allow_negative_numbers = true)]
    pub frequencies: Option<Vec<f64>>,
    /// Frequency of the lowest row in hertz.
    #[arg(long, value_name = "HZ", value_parser = parse_number, allow_negative_numbers = true)]
    pub fmin: Option<f64>,
    /// Maximum frequency of a row in hertz.
    #[arg(long, value_name = "HZ", value_parser = parse_number, allow_negative_numbers = true)]
    pub fmax: Option<f64>,
    /// Widen rows beyond their spacing by this many hertz; erb widens them like the bands of the ear.
    #[arg(long, value_name = "HZ|erb", value_parser = parse_gamma, allow_negative_numbers = true)]
    pub gamma: Option<TypedGamma>,
    /// For stft: frame size in samples, a power of two from 64 to 32768.
    #[arg(long, value_name = "N")]
    pub n_fft: Option<usize>,
    /// For stft: hop in samples. For rows: write one array with this hop, a power of two.
    #[arg(long, value_name = "H")]
    pub hop: Option<usize>,
    /// For stft: hann, hamming, blackman, blackman_harris, nuttall, kaiser or sine.
    #[arg(long, value_name = "W", value_parser = parse_window)]
    pub window: Option<Window>,
}

fn parse_kind(text: &str) -> Result<TransformKind, String> {
    parse_named(text, &TransformKind::ALL, TransformKind::name)
}

pub(super) fn parse_preset(text: &str) -> Result<TransformPreset, String> {
    parse_named(text, &TransformPreset::ALL, TransformPreset::name)
}

fn parse_number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".into())
}

fn parse_gamma(text: &str) -> Result<TypedGamma, String> {
    match text {
        "erb" => Ok(TypedGamma::Erb),
        hz => parse_number(hz).map(TypedGamma::Hz).map_err(|_| "expected hertz, or erb".into()),
    }
}
