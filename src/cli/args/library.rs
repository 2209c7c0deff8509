//! What can be typed after `sonobrush library`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct LibraryCommand {
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
