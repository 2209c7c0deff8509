//! What can be typed after `sonobrush transform`.

use super::project::ProjectOptions;
use crate::cli::named::{parse_named, parse_window};
use crate::dsp::Window;
use clap::Args;
use std::path::PathBuf;

/// Which transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransformKind {
    Stft,
    Cqt,
    Vqt,
    Mel,
    Bark,
    /// A log scale, or a list of frequencies.
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

    /// The name as it is typed.
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

/// Parameters that are chosen together.
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

/// How much wider than their spacing rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TypedGamma {
    Erb,
    Hz(f64),
}

#[derive(Debug, Args)]
pub(crate) struct TransformCommand {
    /// The file or project to analyse.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The NumPy file to write; several arrays become OUT-0.npy, OUT-1.npy and so on. OUT.json describes them.
    #[arg(long, short, value_name = "OUT.npy")]
    pub output: PathBuf,
    #[command(flatten)]
    pub choice: TransformChoice,
    /// Write all rows as one array, on the smallest hop of any row or on that of --hop.
    #[arg(long)]
    pub matrix: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// The transform.
#[derive(Debug, Default, Args)]
pub(crate) struct TransformChoice {
    /// The transform; vqt by default, rows with --frequencies.
    #[arg(long, value_name = "stft|cqt|vqt|mel|bark|rows", value_parser = parse_kind)]
    pub kind: Option<TransformKind>,
    /// What the options below start from: 24 variable-Q rows per octave, 48, 48 constant-Q rows, 96 bark rows.
    #[arg(long, value_name = "music|fine-pitch|bass|speech", value_parser = parse_preset, conflicts_with = "kind")]
    pub preset: Option<TransformPreset>,
    /// The transform as scripts or OUT.json name it: an object, or a file with one.
    #[arg(long, value_name = "JSON|T.json", conflicts_with_all = ["kind", "preset", "bins", "bands", "frequencies", "fmin",
        "fmax", "gamma", "n_fft", "window"])]
    pub transform: Option<String>,
    /// Rows per octave, 4 to 96.
    #[arg(long, value_name = "N", value_parser = parse_number, allow_negative_numbers = true)]
    pub bins: Option<f64>,
    /// Mel or bark rows, 8 to 512.
    #[arg(long, value_name = "N", value_parser = parse_number, allow_negative_numbers = true)]
    pub bands: Option<f64>,
    /// Frequencies of the rows in hertz, ascending, 4 to 1024 of them.
    #[arg(long, value_name = "HZ,HZ,...", value_delimiter = ',', value_parser = parse_number, allow_negative_numbers = true)]
    pub frequencies: Option<Vec<f64>>,
    /// The lowest row in hertz.
    #[arg(long, value_name = "HZ", value_parser = parse_number, allow_negative_numbers = true)]
    pub fmin: Option<f64>,
    /// No row lies above this frequency in hertz.
    #[arg(long, value_name = "HZ", value_parser = parse_number, allow_negative_numbers = true)]
    pub fmax: Option<f64>,
    /// How much wider than their spacing rows are, in hertz; erb widens them like the bands of the ear.
    #[arg(long, value_name = "HZ|erb", value_parser = parse_gamma, allow_negative_numbers = true)]
    pub gamma: Option<TypedGamma>,
    /// Of an stft: samples per frame, a power of two from 64 to 32768.
    #[arg(long, value_name = "N")]
    pub n_fft: Option<usize>,
    /// Of an stft: samples between frames. Of rows: write one array with this many samples between columns, a power of two.
    #[arg(long, value_name = "H")]
    pub hop: Option<usize>,
    /// Of an stft: hann, hamming, blackman, blackman_harris, nuttall, kaiser or sine.
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
