//! Arguments of `sonobrush library`.

use super::features::{ShardChoice, parse_shard};
use crate::library::identity::duplicates::{
    FINGERPRINT_RANGE_SECS, FINGERPRINT_SECS, MAX_PICTURE_THRESHOLD, PICTURE_THRESHOLD,
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LibraryCommand {
    #[command(subcommand)]
    pub action: LibraryAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LibraryAction {
    /// Print perceptual hashes of sounds and pictures: aHash, dHash and wHash, identical to Python's ImageHash.
    Hash(HashFiles),
    /// Print a description of sounds: loudness, bands, pitch, key, tempo, timbre.
    Describe(DescribeFiles),
    /// Write the picture from which a sound is hashed.
    Picture(WritePicture),
    /// Add folders to the library, or scan them again, and analyse new files.
    Add(AddFolders),
    /// Keep the library up to date with its folders until interrupted.
    Watch(WatchLibrary),
    /// Show the contents of the library and the files still to be analysed.
    Status(ShowStatus),
    /// Show what was analysed, by run and kind of job.
    Stats(ShowStats),
    /// List the files that could not be analysed.
    Failures(ShowFailures),
    /// Remove a folder from the library; nothing on disk changes.
    Remove(RemoveFolder),
    /// Forget files that no longer exist.
    Forget(ForgetFiles),
    /// Check the library and the files it refers to.
    Verify(VerifyLibrary),
    /// Find sounds by words in their names, paths and tags, and by their descriptions.
    Search(SearchSounds),
    /// Find the sounds most similar to another.
    Similar(FindSimilar),
    /// List groups of duplicate sounds.
    Duplicates(FindDuplicates),
    /// Find the sounds that contain a recording.
    Identify(IdentifySound),
    /// Set a tag of a sound; name= alone removes it.
    Tag(TagSound),
    /// Write the library as tables.
    Export(ExportLibrary),
    /// Import libraries built on other machines.
    Import(ImportLibraries),
    /// Measure the speed of analysis on this machine, and estimate the time for the library.
    Bench(BenchLibrary),
}

#[derive(Debug, Args)]
pub(crate) struct SearchSounds {
    /// Words, each the beginning of a word in the name, path or tags; without any, all sounds match.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Condition, such as "duration_secs < 2 and key = 'A minor' and lufs > -20".
    #[arg(long = "where", value_name = "EXPR")]
    pub condition: Option<String>,
    /// Column to sort by, or `name` [default: the best match first; with more than 10,000 matches, the sound added
    /// first].
    #[arg(long, value_name = "NAME")]
    pub sort: Option<String>,
    /// Sort in descending order.
    #[arg(long, requires = "sort")]
    pub reverse: bool,
    /// Print at most N sounds.
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub max: Option<usize>,
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV.
    #[arg(long)]
    pub csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FindSimilar {
    /// Sound file, or the id of a sound in the library.
    #[arg(value_name = "FILE|ID")]
    pub input: PathBuf,
    /// Compare only this part of the file, in seconds.
    #[arg(long, value_name = "A,B", value_parser = parse_range)]
    pub time: Option<[f64; 2]>,
    /// Print at most N sounds.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    pub max: usize,
    /// Weight of timbre, texture, pitch, brightness or time, 0 to 4; may be repeated.
    #[arg(long = "weight", value_name = "NAME=W", value_parser = parse_weight)]
    pub weights: Vec<(String, f32)>,
    /// Print only sounds that meet this condition.
    #[arg(long = "where", value_name = "EXPR")]
    pub condition: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Kind of duplicates to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelName {
    File,
    Audio,
    Recording,
    Picture,
    Overlap,
}

#[derive(Debug, Args)]
pub(crate) struct FindDuplicates {
    /// Only this kind: identical bytes, identical samples, the same recording, similar pictures, or recordings with a
    /// common part.
    #[arg(long, value_enum)]
    pub level: Option<LevelName>,
    /// Maximum number of bits by which the hashes of two similar pictures differ.
    #[arg(long, value_name = "N", default_value_t = PICTURE_THRESHOLD,
        value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_PICTURE_THRESHOLD)))]
    pub threshold: u32,
    /// Seconds from the start of a recording that are searched for a match with another.
    #[arg(long, value_name = "N", default_value_t = FINGERPRINT_SECS,
        value_parser = clap::value_parser!(u32).range(FINGERPRINT_RANGE_SECS))]
    pub fingerprint_secs: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IdentifySound {
    /// Sound to identify, at least 3 s long.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TagSound {
    /// Id of the sound.
    #[arg(value_name = "ID")]
    pub id: i64,
    /// Tag and its value.
    #[arg(value_name = "NAME=VALUE", value_parser = parse_tag)]
    pub tag: (String, String),
}

#[derive(Debug, Args)]
pub(crate) struct ImportLibraries {
    /// Databases written by add --shard --library, or any other libraries.
    #[arg(value_name = "SHARD.db", required = true)]
    pub shards: Vec<PathBuf>,
    /// Folder on this machine that contains their files.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportLibrary {
    /// Folder to create.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Write Parquet, which is the default.
    #[arg(long, conflicts_with = "csv")]
    pub parquet: bool,
    /// Write CSV, without vectors.
    #[arg(long)]
    pub csv: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchLibrary {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

fn parse_tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it needs a name, = and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn parse_weight(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text.split_once('=').ok_or("it needs a name, = and a number")?;
    Ok((name.to_owned(), value.parse().map_err(|_| format!("{value:?} is not a number"))?))
}

fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[from, to]) if from >= 0.0 && from < to && to.is_finite() => Ok([from, to]),
        _ => Err("it needs two numbers of seconds with a comma between them, the first the smaller".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct AddFolders {
    /// Folders of sounds.
    #[arg(value_name = "FOLDER", required_unless_present = "manifest")]
    pub folders: Vec<PathBuf>,
    /// Add only part I of N, counted from 0, of the files of a manifest.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, requires = "manifest", conflicts_with = "folders", allow_hyphen_values = true)]
    pub shard: Option<ShardChoice>,
    /// List of files written by features --list.
    #[arg(long, value_name = "M.json", requires = "shard", conflicts_with_all = ["folders", "watch"])]
    pub manifest: Option<PathBuf>,
    /// Folder that contains the files of the manifest, if not where they were listed.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub root: Option<PathBuf>,
    /// Then watch all folders of the library until interrupted.
    #[arg(long, conflicts_with_all = ["no_wait", "json"])]
    pub watch: bool,
    /// Queue the files and return; the next add analyses them. Fails if another process is writing the library.
    #[arg(long)]
    pub no_wait: bool,
    /// Number of analysis threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Maximum memory for analysis in megabytes [default: half of the available memory, which is also the maximum].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
    /// Print duplicates in the library when the analysis is complete.
    #[arg(long, conflicts_with_all = ["no_wait", "json"])]
    pub detect_duplicates: bool,
    /// Print a status line every S seconds [default: every second on a terminal, otherwise none].
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub status_every: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchLibrary {
    /// Number of analysis threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Maximum memory for analysis in megabytes [default: half of the available memory, which is also the maximum].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowStatus {
    /// Follow the current run until it ends: redrawn on a terminal, otherwise one line per change.
    #[arg(long)]
    pub watch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowStats {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowFailures {
    /// Queue these files again.
    #[arg(long)]
    pub retry: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveFolder {
    /// Folder to remove, as it was added.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetFiles {
    /// Forget the files that were missing at the last scan.
    #[arg(long, required = true)]
    pub missing: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyLibrary {
    /// Queue damaged entries again; a damaged database is set aside and its folders are queued again.
    #[arg(long)]
    pub repair: bool,
    /// Hash every file, rather than a random 1 in 100.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HashFiles {
    /// Sounds, and pictures in PNG or JPEG format.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Also print blake3 keys of each file and of a sound's decoded audio.
    #[arg(long)]
    pub keys: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeFiles {
    /// Sounds: files, or library:ID for those of the library.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WritePicture {
    /// Sound to draw.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// PNG file to write: grey, 64 mels high, at most 256 columns wide.
    #[arg(long, short, value_name = "P.png")]
    pub output: PathBuf,
}
