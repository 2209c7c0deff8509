//! What can be typed after `sonobrush library`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct LibraryCommand {
    /// The library's database; by default the user's own.
    #[arg(long, global = true, value_name = "PATH")]
    pub library: Option<PathBuf>,
    #[command(subcommand)]
    pub action: LibraryAction,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum LibraryAction {
    /// Print perceptual hashes of sounds and pictures: aHash, dHash and wHash, as ImageHash for Python has them.
    Hash(HashFiles),
    /// Print what is known of a sound: loudness, bands, pitch, key, tempo, timbre.
    Describe(DescribeFile),
    /// Write the picture by which a sound is hashed.
    Picture(WritePicture),
    /// Add folders to the library, or scan them again, and analyse what is new.
    Add(AddFolders),
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
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AddFolders {
    /// Folders of sounds.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Queue the files and return; the next add analyses them. Fails if another process writes the library.
    #[arg(long)]
    pub no_wait: bool,
    /// Threads that analyse; by default one per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Print a line of status every so many seconds; by default every second on a terminal.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub status_every: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowStatus {
    /// Print it every second until nothing is left to analyse.
    #[arg(long)]
    pub watch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowStats {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowFailures {
    /// Try them again.
    #[arg(long)]
    pub retry: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RemoveFolder {
    /// The folder, as it was added.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ForgetFiles {
    /// Those that were missing at the last scan.
    #[arg(long, required = true)]
    pub missing: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct VerifyLibrary {
    /// Queue what is wrong; a damaged database is set aside and its folders are queued anew.
    #[arg(long)]
    pub repair: bool,
    /// Hash every file anew rather than 1 in 100.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct HashFiles {
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
pub(in crate::cli) struct DescribeFile {
    /// The sound.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct WritePicture {
    /// The sound.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The PNG file to write: grey, 64 mels high, at most 256 columns wide.
    #[arg(long, short, value_name = "P.png")]
    pub output: PathBuf,
}
