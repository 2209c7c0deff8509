//! Keys that identify the same file, and the same audio in another file.

use crate::base::{Error, Progress, Result, open_regular};
use crate::media::Source;
use blake3::{Hash, Hasher};
use std::io::Read;
use std::path::Path;

/// Bytes read at a time.
const BLOCK_BYTES: usize = 1 << 18;
/// Number of frames hashed at a time.
const FRAMES_PER_CHUNK: usize = 1 << 16;

/// The blake3 hash of a file's bytes, 64 hexadecimal digits: the same for copies under any name.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io) if it cannot be read or is not a regular file; cancelled.
pub fn file_key(path: &Path, progress: &Progress) -> Result<String> {
    Ok(Hash::from_bytes(file_digest(path, progress)?).to_string())
}

/// As [`file_key`], in bytes.
///
/// # Errors
/// As [`file_key`].
pub(crate) fn file_digest(path: &Path, progress: &Progress) -> Result<[u8; 32]> {
    FileHasher::default().hash(path, progress).map(|(hash, _)| *hash.as_bytes())
}

/// Hashes files, reusing one buffer.
#[derive(Default)]
pub(crate) struct FileHasher {
    block: Vec<u8>,
}

impl FileHasher {
    /// The blake3 hash of a file's bytes, and their number.
    ///
    /// # Errors
    /// As [`file_key`].
    pub fn hash(&mut self, path: &Path, progress: &Progress) -> Result<(Hash, u64)> {
        let (mut file, _) = open_regular(path)?;
        self.block.resize(BLOCK_BYTES, 0);
        let (mut hasher, mut n_bytes) = (Hasher::new(), 0);
        loop {
            progress.check()?;
            match file.read(&mut self.block) {
                Ok(0) => return Ok((hasher.finalize(), n_bytes)),
                Ok(n) => {
                    hasher.update(&self.block[..n]);
                    n_bytes += n as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(&error, "read", path)),
            }
        }
    }
}

/// The blake3 hash of decoded audio, 64 hexadecimal digits: independent of tags and of the lossless container.
///
/// The hash covers, little endian, the sample rate in hertz and the number of channels as u32, then every sample as
/// f32, interleaved by channel.
///
/// # Errors
/// Read errors; cancelled.
pub fn audio_key(source: &Source, progress: &Progress) -> Result<String> {
    Ok(Hash::from_bytes(audio_digest(source, progress)?).to_string())
}

/// As [`audio_key`], in bytes.
///
/// # Errors
/// As [`audio_key`].
pub(crate) fn audio_digest(source: &Source, progress: &Progress) -> Result<[u8; 32]> {
    let info = source.info();
    let mut hasher = Hasher::new();
    hasher.update(&info.sample_rate_hz.to_le_bytes());
    hasher.update(&(info.n_channels as u32).to_le_bytes());
    let mut channel_block = Vec::new();
    let mut bytes = Vec::new();
    let mut first = 0;
    while first < info.n_samples {
        progress.check()?;
        let n = usize::try_from(info.n_samples - first).unwrap_or(FRAMES_PER_CHUNK).min(FRAMES_PER_CHUNK);
        channel_block.resize(n, 0.0f32);
        bytes.resize(n * info.n_channels * size_of::<f32>(), 0);
        for channel in 0..info.n_channels {
            source.read(channel, i64::try_from(first).unwrap_or(i64::MAX), &mut channel_block)?;
            let places = bytes.chunks_exact_mut(size_of::<f32>()).skip(channel).step_by(info.n_channels);
            places.zip(&channel_block).for_each(|(place, sample)| place.copy_from_slice(&sample.to_le_bytes()));
        }
        hasher.update(&bytes);
        first += n as u64;
    }
    Ok(*hasher.finalize().as_bytes())
}
