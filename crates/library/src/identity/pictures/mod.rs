//! Pictures that identify sounds: a sound's thumbnail spectrogram, and picture files; and the hashes of both.

mod decode;
mod sound;

pub use sound::SoundPicture;

use crate::base::{Error, ErrorKind, Progress, Result, read_head, read_small_file};
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};
use crate::library::batches::{BatchEngine, lost_item};
use crate::library::identity::recordings::{audio_key, file_key};
use crate::media::{Opened, Source};
use decode::{PictureFormat, PictureReader};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Maximum size of a picture file.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Number of files read in parallel before their pixels are queued for the device.
const READ_AT_ONCE: usize = 32;
const MAX_WAITING_BYTES: usize = 256 << 20;

/// The hashes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileHashes {
    /// Path as given.
    pub path: String,
    /// Average hash, 16 hexadecimal digits.
    pub ahash: String,
    /// Difference hash, 16 hexadecimal digits.
    pub dhash: String,
    /// Wavelet hash, 16 hexadecimal digits.
    pub whash: String,
    /// The [file's key](file_key), if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The [audio's key](audio_key), if requested and the file is a sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<String>,
    /// Notices from reading a sound, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Hashes picture files in order, reusing memory.
#[derive(Default)]
pub(crate) struct PictureFileHasher {
    reader: PictureReader,
    hasher: PictureHasher,
}

impl PictureFileHasher {
    /// The hashes of a PNG or JPEG file.
    ///
    /// # Errors
    /// If the file has neither format, is damaged or is too large; one sentence.
    pub(crate) fn hashes(&mut self, path: &Path) -> Result<PictureHashes> {
        let picture = self.picture(path)?;
        Ok(self.hashes_of(picture))
    }

    /// The pixels of a PNG or JPEG file.
    ///
    /// # Errors
    /// As [`hashes`](PictureFileHasher::hashes).
    pub(crate) fn picture(&mut self, path: &Path) -> Result<GreyPicture> {
        match PictureFormat::of_head(&read_head(path, PictureFormat::HEAD_BYTES)?) {
            Some(format) => self.read(path, format),
            None => Err(Error::new(ErrorKind::Malformed, "is neither a PNG nor a JPEG picture").at(path)),
        }
    }

    fn read(&mut self, path: &Path, format: PictureFormat) -> Result<GreyPicture> {
        let bytes = read_small_file(path, MAX_FILE_BYTES)?;
        self.reader.read(&bytes, format).map_err(|error| error.at(path))
    }

    fn hashes_of(&mut self, picture: GreyPicture) -> PictureHashes {
        let hashes = self.hasher.hashes(&picture);
        self.reader.recycle(picture);
        hashes
    }
}

/// Keys of a file whose picture has not been hashed yet.
struct FileKeys {
    path: String,
    file: Option<String>,
    audio: Option<String>,
    notices: Vec<String>,
}

impl FileKeys {
    fn with(self, hashes: PictureHashes) -> FileHashes {
        let [ahash, dhash, whash] = [hashes.ahash, hashes.dhash, hashes.whash].map(|hash| format!("{hash:016x}"));
        let FileKeys { path, file, audio, notices } = self;
        FileHashes { path, ahash, dhash, whash, file, audio, notices }
    }
}

/// Hashes files in order, reusing memory.
#[derive(Default)]
struct FileHasher {
    pictures: PictureFileHasher,
}

impl FileHasher {
    /// The picture of a PNG or JPEG file, or of a sound, and the keys of either if `has_keys`.
    fn read(&mut self, path: &Path, has_keys: bool, progress: &Progress) -> Result<(FileKeys, GreyPicture)> {
        progress.check()?;
        let file = if has_keys { Some(file_key(path, progress)?) } else { None };
        let (picture, audio, notices) = match PictureFormat::of_head(&read_head(path, PictureFormat::HEAD_BYTES)?) {
            Some(format) => (self.pictures.read(path, format)?, None, Vec::new()),
            None => {
                let Opened { source, mut notices } = Source::open(path, &progress.quiet())?;
                let picture = SoundPicture::of(&source, progress)?.picture;
                let audio = if has_keys { Some(audio_key(&source, progress)?) } else { None };
                notices.extend(source.take_notice());
                (picture, audio, notices)
            }
        };
        Ok((FileKeys { path: path.to_string_lossy().into_owned(), file, audio, notices }, picture))
    }

    /// The hashes of a file, and the time spent hashing, without reading and decoding.
    fn hash(&mut self, path: &Path, has_keys: bool, progress: &Progress) -> Result<(FileHashes, Duration)> {
        let (keys, picture) = self.read(path, has_keys, progress)?;
        let began = Instant::now();
        let hashes = self.pictures.hashes_of(picture);
        Ok((keys.with(hashes), began.elapsed()))
    }
}

/// The hashes of each file, one result per file in order. Files are read on all cores; pictures are hashed there as
/// well, or in batches on a device.
///
/// # Errors
/// Cancelled; a problem with a file is that file's result.
pub fn hash_files(
    paths: &[PathBuf],
    has_keys: bool,
    batches: &mut BatchEngine,
    progress: &Progress,
) -> Result<Vec<Result<FileHashes>>> {
    let n_done = AtomicU64::new(0);
    let step = || progress.step(n_done.fetch_add(1, Relaxed) + 1, paths.len() as u64);
    if !batches.is_worth_checking(paths.len()) {
        let hashed = |hasher: &mut FileHasher, path: &PathBuf| {
            let result = hasher.hash(path, has_keys, progress);
            step()?;
            Ok(result)
        };
        let hashed: Vec<Result<(FileHashes, Duration)>> =
            paths.par_iter().map_init(FileHasher::default, hashed).collect::<Result<_>>()?;
        batches.note_each_on_cpu(hashed.iter().flatten().map(|(_, took)| *took));
        return Ok(hashed.into_iter().map(|hashed| hashed.map(|(hashes, _)| hashes)).collect());
    }
    let mut hasher = PictureHasher::default();
    let (mut done, mut waiting, mut n_bytes) = (Vec::with_capacity(paths.len()), Vec::new(), 0);
    let read = |hasher: &mut FileHasher, path: &PathBuf| {
        let result = hasher.read(path, has_keys, progress);
        step()?;
        Ok(result)
    };
    for some in paths.chunks(READ_AT_ONCE) {
        let files: Vec<Result<(FileKeys, GreyPicture)>> =
            some.par_iter().map_init(FileHasher::default, read).collect::<Result<_>>()?;
        n_bytes += files.iter().flatten().map(|(_, picture)| picture.pixels().len()).sum::<usize>();
        waiting.extend(files);
        if waiting.len() >= batches.max_items() || n_bytes >= MAX_WAITING_BYTES {
            n_bytes = 0;
            hash_batch(std::mem::take(&mut waiting), batches, &mut hasher, paths.len(), &mut done);
        }
    }
    hash_batch(waiting, batches, &mut hasher, paths.len(), &mut done);
    Ok(done)
}

/// Hashes the readable pictures of a batch of files, and appends every file's result to `done`.
fn hash_batch(
    files: Vec<Result<(FileKeys, GreyPicture)>>,
    batches: &mut BatchEngine,
    hasher: &mut PictureHasher,
    n_expected: usize,
    done: &mut Vec<Result<FileHashes>>,
) {
    let pictures: Vec<&GreyPicture> = files.iter().flatten().map(|(_, picture)| picture).collect();
    let mut hashes = batches.picture_hashes(hasher, &pictures, n_expected).into_iter();
    let mut hashed = |(keys, _): (FileKeys, GreyPicture)| Ok(keys.with(hashes.next().unwrap_or_else(lost_item)?));
    done.extend(files.into_iter().map(|file| file.and_then(&mut hashed)));
}

/// The picture of a sound file, and notices from reading it.
///
/// # Errors
/// One sentence about the file; cancelled.
pub fn picture_of_sound_file(path: &Path, progress: &Progress) -> Result<(SoundPicture, Vec<String>)> {
    let Opened { source, mut notices } = Source::open(path, &progress.quiet())?;
    let picture = SoundPicture::of(&source, progress)?;
    notices.extend(source.take_notice());
    Ok((picture, notices))
}

/// Encodes a grey picture as PNG.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for a size beyond that of PNG; [`Internal`](ErrorKind::Internal) if encoding fails.
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
