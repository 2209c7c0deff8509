//! Pictures by which sounds are told apart: a sound's own small spectrogram, and picture files; and the hashes of both.

mod decode;
mod sound;

pub use sound::SoundPicture;

use crate::base::{Error, ErrorKind, Progress, Result, read_head, read_small_file};
use crate::dsp::hashes::{GreyPicture, PictureHasher, PictureHashes};
use crate::library::recordings::{audio_key, file_key};
use crate::media::Source;
use decode::{PictureFormat, PictureReader};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Larger picture files are refused.
const MOST_FILE_BYTES: u64 = 256 << 20;

/// The hashes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileHashes {
    /// The file, as it was given.
    pub path: String,
    /// 16 hexadecimal digits.
    pub ahash: String,
    /// 16 hexadecimal digits.
    pub dhash: String,
    /// 16 hexadecimal digits.
    pub whash: String,
    /// The [file's key](file_key), where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The [audio's key](audio_key), where it was asked for and the file is a sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<String>,
}

/// Hashes picture files one after the other, in memory that it keeps.
#[derive(Default)]
pub(super) struct PictureFileHasher {
    reader: PictureReader,
    hasher: PictureHasher,
}

impl PictureFileHasher {
    /// The hashes of a PNG or JPEG file.
    ///
    /// # Errors
    /// One sentence about a file that is neither, damaged or too large.
    pub(super) fn hashes(&mut self, path: &Path) -> Result<PictureHashes> {
        match PictureFormat::of_head(&read_head(path, PictureFormat::HEAD_BYTES)?) {
            Some(format) => self.hashes_of(path, format),
            None => Err(Error::new(ErrorKind::Malformed, "is neither a PNG nor a JPEG picture").at(path)),
        }
    }

    fn hashes_of(&mut self, path: &Path, format: PictureFormat) -> Result<PictureHashes> {
        let bytes = read_small_file(path, MOST_FILE_BYTES)?;
        let picture = self.reader.read(&bytes, format).map_err(|error| error.at(path))?;
        let hashes = self.hasher.hashes(&picture);
        self.reader.recycle(picture);
        Ok(hashes)
    }
}

/// Hashes files one after the other, in memory that it keeps.
#[derive(Default)]
struct FileHasher {
    pictures: PictureFileHasher,
}

impl FileHasher {
    /// The hashes of a PNG or JPEG file, or of the picture of a sound, and the keys of either if they are asked for.
    fn hash(&mut self, path: &Path, has_keys: bool, progress: &Progress) -> Result<FileHashes> {
        progress.check()?;
        let file = if has_keys { Some(file_key(path, progress)?) } else { None };
        let (hashes, audio) = match PictureFormat::of_head(&read_head(path, PictureFormat::HEAD_BYTES)?) {
            Some(format) => (self.pictures.hashes_of(path, format)?, None),
            None => {
                let source = open_sound(path, progress)?;
                let hashes = self.pictures.hasher.hashes(&SoundPicture::of(&source, progress)?.picture);
                (hashes, if has_keys { Some(audio_key(&source, progress)?) } else { None })
            }
        };
        let [ahash, dhash, whash] = [hashes.ahash, hashes.dhash, hashes.whash].map(|hash| format!("{hash:016x}"));
        Ok(FileHashes { path: path.to_string_lossy().into_owned(), ahash, dhash, whash, file, audio })
    }
}

/// The hashes of each file, in the order given, computed on all cores: one result per file.
///
/// # Errors
/// Cancelled; what is wrong with a file is that file's result.
pub fn hash_files(paths: &[PathBuf], has_keys: bool, progress: &Progress) -> Result<Vec<Result<FileHashes>>> {
    let n_done = AtomicU64::new(0);
    let hashed = |hasher: &mut FileHasher, path: &PathBuf| {
        let result = hasher.hash(path, has_keys, progress);
        progress.step(n_done.fetch_add(1, Relaxed) + 1, paths.len() as u64)?;
        Ok(result)
    };
    paths.par_iter().map_init(FileHasher::default, hashed).collect()
}

fn open_sound(path: &Path, progress: &Progress) -> Result<Source> {
    Ok(Source::open(path, &progress.quiet())?.source)
}

/// The picture of a sound file.
///
/// # Errors
/// One sentence about the file; cancelled.
pub fn picture_of_sound_file(path: &Path, progress: &Progress) -> Result<SoundPicture> {
    SoundPicture::of(&open_sound(path, progress)?, progress)
}

/// A grey picture as the bytes of a PNG file.
///
/// # Errors
/// None in practice: the picture is whole.
pub fn png_of(picture: &GreyPicture) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (Ok(width), Ok(height)) = (u32::try_from(picture.width()), u32::try_from(picture.height())) else {
        return Err(Error::new(ErrorKind::Limit, "the picture is too large for a PNG file"));
    };
    PngEncoder::new(&mut bytes)
        .write_image(picture.pixels(), width, height, ExtendedColorType::L8)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the picture could not be encoded: {error}")))?;
    Ok(bytes)
}
