//! Arguments of the command line.

mod by_label;
mod coding;
mod delivery;
mod features;
mod find;
mod general;
mod inputs;
mod labels;
mod library;
mod measure;
mod notes;
mod paint;
mod pitch;
mod project;
#[cfg(feature = "window")]
mod record;
mod transform;
mod voices;

use by_label::ByLabel;
pub(super) use coding::BitRateChoice;
pub(super) use delivery::DeliveryOptions;
pub(super) use features::{FeatureChoices, FeaturesCommand, Index, Mapping, Preset, ShardChoice};
pub(super) use find::FindDamage;
pub(super) use general::General;
pub(super) use labels::{BandLines, CsvColumns, LabelRate, LabelReadingOptions, LabelsCommand};
pub(super) use library::{
    AddFolders, BenchLibrary, DescribeFiles, ExportLibrary, FindDuplicates, FindSimilar, HashFiles, IdentifySound,
    ImportLibraries, LevelName, LibraryAction, LibraryCommand, RemoveFolder, SearchSounds, ShowFailures, ShowStats,
    ShowStatus, TagSound, VerifyLibrary, WatchLibrary, WritePicture,
};
pub(super) use measure::MeasureCommand;
pub(super) use notes::NotesCommand;
pub(super) use paint::{NewSound, Paint};
pub(super) use pitch::PitchCommand;
pub(super) use project::ProjectOptions;
#[cfg(feature = "window")]
pub(super) use record::RecordCommand;
pub(super) use transform::{TransformChoice, TransformCommand, TransformKind, TransformPreset, TypedGamma};
pub(super) use voices::VoicesCommand;

use super::common::named::{parse_named, parse_window};
use crate::dsp::{Axis, StftParams, Window};
use crate::view::{ChannelView, Colormap, Plane};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A studio for painting sound. Opens the window unless a command is given.
#[derive(Debug, Parser)]
#[command(name = "sonobrush", version = crate::base::version(), args_override_self = true)]
pub(super) struct Typed {
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// Files to open in the studio.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Restore the session in this folder, as after a restart; may be repeated.
    #[arg(long = "session", value_name = "PATH", hide = true)]
    pub sessions: Vec<PathBuf>,
    /// Edit one file for another program. File > Save back to file overwrites it; the exit code is 0 if it was saved
    /// back, and 1 if the window was closed without saving.
    #[arg(long)]
    pub edit: bool,
    /// Recover unsaved work of a session that ended unexpectedly, or not; by default the studio asks.
    #[arg(long, value_enum, value_name = "yes|no")]
    pub recover: Option<YesNo>,
    #[command(flatten)]
    pub general: General,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum YesNo {
    Yes,
    No,
}

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Apply a script of edits to sound files and write the results.
    Paint(Paint),
    /// Apply a script of edits and save the result as a project: sound, edits and history.
    Save(Save),
    /// Check a project and its source file for damage.
    Verify(Verify),
    /// Export a project or sound as an audio file, or as one file per label.
    Export(Export),
    /// Apply a script in a session and report which edits are saved; for tests that kill the process.
    #[cfg(feature = "hooks")]
    #[command(hide = true)]
    RunSession(RunSession),
    /// Convert labels between the formats of other programs and WAV cues.
    Labels(LabelsCommand),
    /// Measure frequencies, times and levels at the labels of a sound and write a table.
    Measure(MeasureCommand),
    /// Write the pitch of a sound every 16 ms as a table of seconds, hertz and confidence.
    Pitch(PitchCommand),
    /// Find the notes of a struck or plucked sound and write them as MIDI or as a table of labels.
    Notes(NotesCommand),
    /// Find clipping, clicks, hum, DC offset and dropouts, and how to repair each.
    Find(FindDamage),
    /// Draw the spectrogram of a file or project as PNG, or save its cells as OpenEXR.
    Image(ImageCommand),
    /// Write the STFT of a file or project as a NumPy array, complex64 [channels, bins, frames].
    Stft(StftCommand),
    /// Write any transform of a file or project as NumPy arrays, complex64 [channels, rows, columns].
    Transform(TransformCommand),
    /// Write mel features of many files as one array, for machine learning.
    Features(FeaturesCommand),
    /// Render a score (JSON or MIDI) to an audio file.
    Voices(VoicesCommand),
    /// Record an input to a WAV file.
    #[cfg(feature = "window")]
    Record(RecordCommand),
    /// Index, search, compare and describe sounds.
    Library(LibraryCommand),
    /// Show the format, length, sample rate and channels of a file or project.
    Info {
        /// File or project to read.
        #[arg(value_name = "IN")]
        input: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        project: ProjectOptions,
    },
    /// List graphics adapters, audio outputs and inputs, and the selected engine.
    Devices {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show all settings with their values and origins.
    Config {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Measure the speed of this machine.
    Bench(Bench),
}

impl CliCommand {
    /// Whether the command may enumerate graphics adapters.
    pub fn opens_adapters(&self) -> bool {
        match self {
            CliCommand::Paint(_)
            | CliCommand::Save(_)
            | CliCommand::Stft(_)
            | CliCommand::Voices(_)
            | CliCommand::Features(_)
            | CliCommand::Library(_)
            | CliCommand::Devices { .. }
            | CliCommand::Bench(_) => true,
            CliCommand::Image(_) | CliCommand::Transform(_) => false,
            CliCommand::Info { .. } | CliCommand::Config { .. } => false,
            CliCommand::Verify(_) | CliCommand::Labels(_) | CliCommand::Measure(_) => false,
            CliCommand::Find(_) | CliCommand::Pitch(_) | CliCommand::Notes(_) => false,
            CliCommand::Export(typed) => typed.by_label.band,
            #[cfg(feature = "window")]
            CliCommand::Record(_) => false,
            #[cfg(feature = "hooks")]
            CliCommand::RunSession(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Run only benchmarks whose names contain TEXT, such as 512x512 or blur.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Compare with the JSON results of an earlier run; fail if a benchmark is slower by more than 10 % and 3 median
    /// absolute deviations.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Save {
    /// File or project to edit.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Script of edits, as JSON.
    #[arg(long, value_name = "S.json")]
    pub script: Option<PathBuf>,
    /// Project to write.
    #[arg(long, short, value_name = "P.sonobrush")]
    pub output: PathBuf,
    /// Embed the audio in the project, so that it does not need the source file.
    #[arg(long)]
    pub embed: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Project to check.
    #[arg(value_name = "P.sonobrush")]
    pub input: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// Project or sound to export.
    #[arg(value_name = "P.sonobrush")]
    pub input: PathBuf,
    /// File to write; the extension .wav, .flac, .mp3 or .opus selects the format. With --by-label, a folder.
    #[arg(long, short, value_name = "OUT.wav")]
    pub output: PathBuf,
    #[command(flatten)]
    pub delivery: DeliveryOptions,
    #[command(flatten)]
    pub by_label: ByLabel,
    #[command(flatten)]
    pub project: ProjectOptions,
}

#[cfg(feature = "hooks")]
#[derive(Debug, Args)]
pub(super) struct RunSession {
    /// Files to open, each in a session of its own.
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// JSON script with the edits, and with the labels to give to every file.
    #[arg(long, value_name = "S.json")]
    pub script: PathBuf,
    /// Number of files to edit; the edits are distributed to them in turn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub edited: usize,
    /// Undo two edits after every N.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub undo_every: usize,
    /// Save the first file back after this many edits; 0 means never.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub back_every: usize,
}

#[derive(Debug, Args)]
pub(super) struct ImageCommand {
    /// File or project to draw.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// PNG file to write; OUT.exr saves the cells themselves, with OUT.json beside it.
    #[arg(long, short, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Plane to draw.
    #[arg(long, value_name = "magnitude|phase", value_parser = parse_plane, default_value = "magnitude")]
    pub plane: Plane,
    /// Frequency axis.
    #[arg(long, value_name = "linear|log|mel|bark", value_parser = parse_axis, default_value = "log")]
    pub axis: Axis,
    /// Colour map of the magnitude.
    #[arg(long, value_name = "NAME", value_parser = parse_colormap, default_value = "viridis")]
    pub colormap: Colormap,
    /// Darkest and brightest level in dB.
    #[arg(long, value_name = "DB,DB", value_parser = parse_pair, default_value = "-100,0", allow_hyphen_values = true)]
    pub range: Pair,
    /// Interpolate the levels of cells larger than about 3 pixels, as the studio does by default; phases are not
    /// interpolated.
    #[arg(long, conflicts_with = "raw")]
    pub smooth: bool,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_value = "1280x640", conflicts_with = "raw")]
    pub size: Size,
    /// Time range in seconds [default: the whole file].
    #[arg(long, value_name = "S,S", value_parser = parse_pair, allow_hyphen_values = true)]
    pub time: Option<Pair>,
    /// Frequency range in hertz [default: all frequencies, from 20 Hz on a log axis].
    #[arg(long, value_name = "HZ,HZ", value_parser = parse_pair, allow_hyphen_values = true, conflicts_with = "raw")]
    pub frequency: Option<Pair>,
    /// Channel to draw, counted from 0, or all, mid or side.
    #[arg(long, value_name = "N|all|mid|side", value_parser = parse_channel, default_value = "all")]
    pub channel: ChannelView,
    /// Write one pixel per cell as 16-bit RGBA: level, phase, 0, 1.
    #[arg(long, conflicts_with = "cells")]
    pub raw: bool,
    /// Write the cells as two 16-bit PNG files, OUT.level.png and OUT.phase.png, with OUT.json beside them.
    #[arg(long)]
    pub cells: bool,
    /// Draw axes, ticks and a colour bar around the picture, within its size, for print.
    #[arg(long, conflicts_with_all = ["raw", "cells"])]
    pub axes: bool,
    /// Height of the axis text in pixels [default: a 36th of the picture's height].
    #[arg(long, value_name = "PX", requires = "axes", value_parser = parse_text_px)]
    pub text_size: Option<f32>,
    #[command(flatten)]
    pub transform: TransformOptions,
    /// Use rows instead of an STFT: 24 or 48 variable-Q rows per octave, 48 constant-Q rows per octave, or 96 bark
    /// rows.
    #[arg(long, value_name = "music|fine-pitch|bass|speech", value_parser = transform::parse_preset,
        conflicts_with_all = ["n_fft", "hop", "window", "transform_json"])]
    pub preset: Option<TransformPreset>,
    /// Transform in the syntax of scripts: a JSON object, or a file that contains one.
    #[arg(long = "transform", id = "transform_json", value_name = "JSON|T.json",
        conflicts_with_all = ["n_fft", "hop", "window"])]
    pub transform_json: Option<String>,
    #[command(flatten)]
    pub project: ProjectOptions,
}

fn parse_text_px(text: &str) -> std::result::Result<f32, String> {
    let px = text.parse().ok().filter(|px: &f32| (6.0..=400.0).contains(px));
    px.ok_or_else(|| "expected pixels from 6 to 400".into())
}

#[derive(Debug, Args)]
pub(super) struct StftCommand {
    /// File or project to analyse.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// NumPy file to write; its parameters are saved beside it as JSON.
    #[arg(long, short, value_name = "OUT.npy")]
    pub output: PathBuf,
    #[command(flatten)]
    pub transform: TransformOptions,
    /// Phase reference: the centre of a frame, or its first sample.
    #[arg(long, value_enum, default_value_t = PhaseName::Centre)]
    pub phase: PhaseName,
    #[command(flatten)]
    pub project: ProjectOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PhaseName {
    Centre,
    Start,
}

impl PhaseName {
    pub fn name(self) -> &'static str {
        match self {
            PhaseName::Centre => "centre",
            PhaseName::Start => "start",
        }
    }
}

/// The options of an STFT.
#[derive(Debug, Args)]
pub(super) struct TransformOptions {
    /// Frame size in samples, a power of two from 64 to 32768.
    #[arg(long, value_name = "N")]
    pub n_fft: Option<usize>,
    /// Hop in samples: a half, quarter, eighth or 16th of the frame size.
    #[arg(long, value_name = "H")]
    pub hop: Option<usize>,
    /// Window: hann, hamming, blackman, blackman_harris, nuttall, kaiser or sine.
    #[arg(long, value_name = "W", value_parser = parse_window)]
    pub window: Option<Window>,
}

impl TransformOptions {
    /// The typed transform, with defaults from `default`; if only the size is given, the hop is a quarter of it.
    pub(super) fn over(&self, default: StftParams) -> crate::base::Result<StftParams> {
        let n_fft = self.n_fft.unwrap_or(default.n_fft);
        let hop = self.hop.unwrap_or(if self.n_fft.is_some() { n_fft / 4 } else { default.hop });
        StftParams { n_fft, hop, window: self.window.unwrap_or(default.window) }.validated()
    }
}

/// Two numbers separated by a comma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair(pub [f64; 2]);

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size(pub [usize; 2]);

fn parse_pair(text: &str) -> Result<Pair, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers.as_slice() {
        &[low, high] if text.matches(',').count() == 1 => Ok(Pair([low, high])),
        _ => Err("expected two numbers separated by a comma, such as -100,0".into()),
    }
}

fn parse_size(text: &str) -> Result<Size, String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides.map(Size).ok_or_else(|| "expected width and height, such as 1280x640".into())
}

fn parse_axis(text: &str) -> Result<Axis, String> {
    parse_named(text, &Axis::ALL, Axis::name)
}

fn parse_colormap(text: &str) -> Result<Colormap, String> {
    parse_named(text, &Colormap::ALL, Colormap::name)
}

fn parse_plane(text: &str) -> Result<Plane, String> {
    parse_named(text, &[Plane::Magnitude, Plane::Phase], |plane| match plane {
        Plane::Magnitude => "magnitude",
        Plane::Phase => "phase",
    })
}

fn parse_channel(text: &str) -> Result<ChannelView, String> {
    match text {
        "all" => Ok(ChannelView::All),
        "mid" => Ok(ChannelView::Mid),
        "side" => Ok(ChannelView::Side),
        number => number
            .parse()
            .map(ChannelView::One)
            .map_err(|_| "expected all, mid, side, or a channel number counted from 0".into()),
    }
}

/// Whether a word resembles a name: the number of missing, added, changed or transposed letters is at most a third of
/// the shorter length.
pub(super) fn is_close(word: &str, name: &str) -> bool {
    let (word, name): (Vec<char>, Vec<char>) = (word.to_lowercase().chars().collect(), name.chars().collect());
    let mut rows = vec![(0..=name.len()).collect::<Vec<usize>>()];
    for i in 1..=word.len() {
        let mut row = vec![i];
        for j in 1..=name.len() {
            let changed = rows[i - 1][j - 1] + usize::from(word[i - 1] != name[j - 1]);
            let mut min = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1] {
                min = min.min(rows[i - 2][j - 2] + 1);
            }
            row.push(min);
        }
        rows.push(row);
    }
    rows[word.len()][name.len()] <= name.len().min(word.len()) / 3
}
