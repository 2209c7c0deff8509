//! What can be typed after `sonobrush library`.

use super::features::{ShardChoice, parse_shard};
use crate::library::duplicates::{FINGERPRINT_RANGE_SECS, FINGERPRINT_SECS, MOST_PICTURE_THRESHOLD, PICTURE_THRESHOLD};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LibraryCommand {
    #[command(subcommand)]
    pub action: LibraryAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LibraryAction {
    /// Print perceptual hashes of sounds and pictures: aHash, dHash and wHash, as ImageHash for Python has them.
    Hash(HashFiles),
    /// Print what is known of sounds: loudness, bands, pitch, key, tempo, timbre.
    Describe(DescribeFiles),
    /// Write the picture by which a sound is hashed.
    Picture(WritePicture),
    /// Add folders to the library, or scan them again, and analyse what is new.
    Add(AddFolders),
    /// Keep the library as its folders are, until it is interrupted.
    Watch(WatchLibrary),
    /// Show what the library holds and what is still to be analysed.
    Status(ShowStatus),
    /// Show what was analysed, by run and kind of job.
    Stats(ShowStats),
    /// List the files that could not be analysed.
    Failures(ShowFailures),
    /// Take a folder out of the library; nothing on the disk changes.
    Remove(RemoveFolder),
    /// Forget files that are not there any more.
    Forget(ForgetFiles),
    /// Check the library and the files that it knows.
    Verify(VerifyLibrary),
    /// Find sounds by words in their names, paths and tags, and by what is known of them.
    Search(SearchSounds),
    /// Find the sounds most like another.
    Similar(FindSimilar),
    /// List groups of the same sound.
    Duplicates(FindDuplicates),
    /// Find the sounds in which a recording is.
    Identify(IdentifySound),
    /// Set a tag of a sound; name= alone removes it.
    Tag(TagSound),
    /// Write the library as tables.
    Export(ExportLibrary),
    /// Take in libraries that other machines made.
    Import(ImportLibraries),
    /// Measure how fast sounds are analysed here, and how long the library would take.
    Bench(BenchLibrary),
}

#[derive(Debug, Args)]
pub(crate) struct SearchSounds {
    /// Words, each the beginning of one in the name, path or tags; without any, all sounds.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// A condition: "duration_secs < 2 and key = 'A minor' and lufs > -20".
    #[arg(long = "where", value_name = "EXPR")]
    pub condition: Option<String>,
    /// The value to sort by, or `name`; by default the best match is first, or, of more than 10,000, the sound known
    /// longest.
    #[arg(long, value_name = "NAME")]
    pub sort: Option<String>,
    /// Sort from the largest value down.
    #[arg(long, requires = "sort")]
    pub reverse: bool,
    /// At most this many.
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub most: Option<usize>,
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV.
    #[arg(long)]
    pub csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FindSimilar {
    /// A sound file, or the number of a sound in the library.
    #[arg(value_name = "FILE|ID")]
    pub input: PathBuf,
    /// Only this part of the file, in seconds.
    #[arg(long, value_name = "A,B", value_parser = parse_range)]
    pub time: Option<[f64; 2]>,
    /// How many.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    pub most: usize,
    /// What counts how much, 0 to 4: timbre, texture, pitch, brightness or time.
    #[arg(long = "weight", value_name = "NAME=W", value_parser = parse_weight)]
    pub weights: Vec<(String, f32)>,
    /// Only sounds for which this is true.
    #[arg(long = "where", value_name = "EXPR")]
    pub condition: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The level of duplicates to find.
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
    /// Only this level: the same bytes, the same samples, the same recording, a picture that looks alike, or recordings
    /// that share a part.
    #[arg(long, value_enum)]
    pub level: Option<LevelName>,
    /// Bits by which the hashes of two pictures may differ.
    #[arg(long, value_name = "N", default_value_t = PICTURE_THRESHOLD,
        value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_PICTURE_THRESHOLD)))]
    pub threshold: u32,
    /// Seconds from the start of a recording that are searched for words of another.
    #[arg(long, value_name = "N", default_value_t = FINGERPRINT_SECS,
        value_parser = clap::value_parser!(u32).range(FINGERPRINT_RANGE_SECS))]
    pub fingerprint_secs: u32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IdentifySound {
    /// A sound of 3 s and more.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TagSound {
    /// The number of the sound.
    #[arg(value_name = "ID")]
    pub id: i64,
    /// The tag and its value.
    #[arg(value_name = "NAME=VALUE", value_parser = parse_tag)]
    pub tag: (String, String),
}

#[derive(Debug, Args)]
pub(crate) struct ImportLibraries {
    /// Databases, each as add --shard --library wrote it, or any other library.
    #[arg(value_name = "SHARD.db", required = true)]
    pub shards: Vec<PathBuf>,
    /// Where the folder of each of them is here.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportLibrary {
    /// The folder to make.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Write Parquet, which is what is written without an option.
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
    /// The list of files that features --list wrote.
    #[arg(long, value_name = "M.json", requires = "shard", conflicts_with_all = ["folders", "watch"])]
    pub manifest: Option<PathBuf>,
    /// Where the files of the manifest are, if not where they were listed.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub root: Option<PathBuf>,
    /// Then watch all folders of the library, until it is interrupted.
    #[arg(long, conflicts_with_all = ["no_wait", "json"])]
    pub watch: bool,
    /// Queue the files and return; the next add analyses them. Fails if another process writes the library.
    #[arg(long)]
    pub no_wait: bool,
    /// Threads that analyse; by default one per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Memory that analysing may take, in megabytes; by default, and at most, half of what is available.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
    /// Print duplicates in the library when all is analysed.
    #[arg(long, conflicts_with_all = ["no_wait", "json"])]
    pub detect_duplicates: bool,
    /// Print a line of status every S seconds; by default every second on a terminal.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub status_every: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchLibrary {
    /// Threads that analyse; by default one per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Memory that analysing may take, in megabytes; by default, and at most, half of what is available.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowStatus {
    /// Follow the run in progress until it ends: redrawn on a terminal, elsewhere a line for each change.
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
    /// Try them again.
    #[arg(long)]
    pub retry: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveFolder {
    /// The folder, as it was added.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetFiles {
    /// Those that were missing at the last scan.
    #[arg(long, required = true)]
    pub missing: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyLibrary {
    /// Queue what is wrong; a damaged database is set aside and its folders are queued again.
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
    /// Sounds, and pictures as PNG or JPEG.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Also print blake3 keys: of the file, and of a sound's decoded audio.
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
    /// The sound.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The PNG file to write: grey, 64 mels high, at most 256 columns wide.
    #[arg(long, short, value_name = "P.png")]
    pub output: PathBuf,
}
