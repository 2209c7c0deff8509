//! Analysis of one file.

use super::job_kind::{JobKind, JobKinds};
use crate::base::{Error, ErrorKind, Progress, Result, open_without_waiting};
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};
use crate::dsp::descriptors::{N_BINS, RATE_HZ, STEP_SAMPLES};
use crate::library::describe::{Description, PendingDescription, PreparedSound, begin_description, describe};
use crate::library::features::samples::n_samples_at;
use crate::library::identity::pictures::{PictureFileHasher, SoundPicture};
use crate::library::identity::recordings::audio_digest;
use crate::library::identity::words::{words, words_in};
use crate::library::mono::MAX_CACHED_SAMPLES;
use crate::media::{FileStamp, FileTag, OpenOptions, Opened, Source, tags_of};
use crate::store::database::open::MAX_VALUE_BYTES;
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum size of a sound held in memory; larger ones are read from their file, or decoded to a temporary one.
const MEMORY_BYTES: u64 = 32 << 20;
/// Divisor of the analysis memory that limits the samples of one sound.
const SHARE_OF_SOUND: u64 = 32;
/// Approximate memory for decoding a picture.
const PICTURE_BYTES: u64 = 32 << 20;
/// Length of the pieces in which longer sounds are analysed.
const PIECE_SECS: u64 = 30;
/// Number of spectrogram planes held at once, for separating tonal from percussive sound.
const N_PLANES: u64 = 4;
/// Bytes counted for every file in the queue of decoded sounds, in addition to its samples in memory.
const OPEN_BYTES: u64 = 1 << 20;

/// The hash of a file or of audio.
pub type Digest = [u8; 32];

/// Facts about a sound. Parts that no job needs are `None`.
#[derive(Debug, Default)]
pub struct SoundFacts {
    /// Format, audio hash and tags.
    pub look: Option<SoundScan>,
    /// The descriptors.
    pub description: Option<Description>,
    /// The words of the recording.
    pub words: Option<Vec<u32>>,
    /// The picture's hashes, and the length of a sound without its silent ends.
    pub picture: Option<(PictureHashes, Option<f64>)>,
    /// The picture, if a batch will hash it.
    pub unhashed: Option<UnhashedPicture>,
    /// The sound, if a batch will measure its spectra.
    pub undescribed: Option<UndescribedSound>,
    /// Time taken by each job.
    pub times: Vec<(JobKind, Duration)>,
    /// Duration of the sound in seconds.
    pub sound_secs: f64,
}

impl SoundFacts {
    /// Whether any work is left to batches.
    pub fn is_unfinished(&self) -> bool {
        self.unhashed.is_some() || self.undescribed.is_some()
    }

    /// Bytes of pixels and samples waiting for a batch.
    pub fn n_unfinished_bytes(&self) -> usize {
        let picture = self.unhashed.as_ref().map_or(0, |of| of.picture.pixels().len());
        picture + self.undescribed.as_ref().map_or(0, |of| of.sound.n_bytes())
    }
}

/// Kinds of work that an analysis leaves to batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchedAnalysis {
    /// Hashes of pictures.
    pub pictures: bool,
    /// Spectra of sounds.
    pub sounds: bool,
}

/// A sound whose spectra are left to a batch.
#[derive(Debug)]
pub struct UndescribedSound {
    /// The sound, described except for its spectra.
    pub sound: Box<PreparedSound>,
    /// Time spent on it.
    pub time: Duration,
}

/// A picture whose hashing is left to a batch.
#[derive(Debug)]
pub struct UnhashedPicture {
    /// The picture.
    pub picture: GreyPicture,
    /// Duration of the sound without its silent ends, in seconds; `None` for pictures.
    pub secs: Option<f64>,
    /// Time spent on it.
    pub time: Duration,
}

/// The format of an open sound.
#[derive(Debug)]
pub struct SoundShape {
    /// Duration in seconds.
    pub duration_secs: f64,
    /// Sample rate in hertz.
    pub sample_rate_hz: u32,
    /// Number of channels.
    pub n_channels: usize,
    /// Format for display: `WAV, 24 bit`.
    pub format: String,
}

/// Facts found when a sound is first read.
#[derive(Debug)]
pub struct SoundScan {
    /// Length, sample rate, channels and format.
    pub shape: SoundShape,
    /// The hash of the decoded audio.
    pub audio_hash: Digest,
    /// Tags in the file.
    pub tags: Vec<FileTag>,
}

impl SoundShape {
    fn of(source: &Source) -> SoundShape {
        let info = source.info();
        SoundShape {
            duration_secs: info.n_samples as f64 / f64::from(info.sample_rate_hz),
            sample_rate_hz: info.sample_rate_hz,
            n_channels: info.n_channels,
            format: info.description.clone(),
        }
    }
}

/// A file ready for analysis.
pub enum Decoded {
    /// A sound, decoded or read from its file.
    Sound(Source),
    /// A picture, which the analysis decodes.
    Picture,
}

impl Decoded {
    /// Decodes a sound, with notices, or reports that it is a picture. `budget_bytes` is the memory of all analysis.
    ///
    /// # Errors
    /// One sentence about the file; cancelled.
    pub fn open(
        path: &Path,
        is_picture: bool,
        budget_bytes: u64,
        progress: &Progress,
    ) -> Result<(Decoded, Vec<String>)> {
        if is_picture {
            return Ok((Decoded::Picture, Vec::new()));
        }
        let memory_bytes = MEMORY_BYTES.min(budget_bytes / SHARE_OF_SOUND);
        let options = OpenOptions { memory_bytes, ..OpenOptions::default() };
        let Opened { source, notices } = Source::open_with(path, &options, &|_| (), &progress.quiet())?;
        Ok((Decoded::Sound(source), notices))
    }

    /// The format of a sound; `None` for a picture.
    pub fn shape(&self) -> Option<SoundShape> {
        match self {
            Decoded::Sound(source) => Some(SoundShape::of(source)),
            Decoded::Picture => None,
        }
    }

    /// Approximate memory in bytes.
    pub fn n_bytes(&self) -> u64 {
        match self {
            Decoded::Sound(source) if !source.is_on_disk() => {
                let info = source.info();
                OPEN_BYTES + info.n_samples.saturating_mul(4 * info.n_channels as u64)
            }
            _ => OPEN_BYTES,
        }
    }

    /// Approximate memory for its analysis: the decoded samples, two copies of the mono mix at the analysis rate (one
    /// cached for all passes, one for onset detection), and the spectra.
    pub fn analysis_bytes(&self) -> u64 {
        let Decoded::Sound(source) = self else { return PICTURE_BYTES };
        let n_samples = n_samples_at(source, RATE_HZ);
        let n_frames = n_samples.min(PIECE_SECS * u64::from(RATE_HZ)) / STEP_SAMPLES as u64 + 1;
        let spectra = n_frames * N_BINS as u64 * size_of::<f64>() as u64 * N_PLANES;
        let one_channel = n_samples.min(MAX_CACHED_SAMPLES) * size_of::<f32>() as u64;
        self.n_bytes().saturating_add(2 * one_channel + spectra)
    }
}

/// Analyses files in order, reusing memory.
#[derive(Default)]
pub struct Analyst {
    files: PictureFileHasher,
    hasher: PictureHasher,
}

impl Analyst {
    /// Performs the jobs of a file; for those left to batches, only prepares their input.
    ///
    /// # Errors
    /// One sentence about the file; cancelled.
    pub fn analyse(
        &mut self,
        path: &Path,
        decoded: &Decoded,
        kinds: JobKinds,
        left: BatchedAnalysis,
        progress: &Progress,
    ) -> Result<SoundFacts> {
        let mut facts = SoundFacts::default();
        for kind in kinds.iter() {
            let began = Instant::now();
            match (kind, decoded) {
                (JobKind::Hash, _) => continue,
                (JobKind::Picture, decoded) if left.pictures => {
                    let (picture, secs) = match decoded {
                        Decoded::Picture => (self.files.picture(path)?, None),
                        Decoded::Sound(source) => {
                            let SoundPicture { picture, secs } = SoundPicture::of(source, progress)?;
                            (picture, Some(secs))
                        }
                    };
                    facts.unhashed = Some(UnhashedPicture { picture, secs, time: began.elapsed() });
                    continue;
                }
                (JobKind::Picture, Decoded::Picture) => facts.picture = Some((self.files.hashes(path)?, None)),
                (_, Decoded::Picture) => continue,
                (JobKind::Picture, Decoded::Sound(source)) => {
                    let picture = SoundPicture::of(source, progress)?;
                    facts.picture = Some((self.hasher.hashes(&picture.picture), Some(picture.secs)));
                }
                (JobKind::Look, Decoded::Sound(source)) => facts.look = Some(look(path, source, progress)?),
                (JobKind::Describe, Decoded::Sound(source)) if left.sounds => {
                    match begin_description(source, progress)? {
                        PendingDescription::Done(description) => facts.description = Some(*description),
                        PendingDescription::Prepared(sound) => {
                            facts.undescribed = Some(UndescribedSound { sound, time: began.elapsed() });
                            continue;
                        }
                    }
                }
                (JobKind::Describe, Decoded::Sound(source)) => {
                    facts.description = Some(describe(source, progress)?);
                }
                (JobKind::Words, Decoded::Sound(source)) => facts.words = Some(kept_words(source, progress)?),
            }
            facts.times.push((kind, began.elapsed()));
        }
        if let Decoded::Sound(source) = decoded {
            facts.sound_secs = source.info().n_samples as f64 / f64::from(source.info().sample_rate_hz);
        }
        Ok(facts)
    }
}

/// Maximum number of words stored per sound: those of twelve days.
const MAX_WORDS: usize = MAX_VALUE_BYTES as usize / size_of::<u32>() - 1024;

/// The words of a sound; an error if it is too long for a library.
fn kept_words(source: &Source, progress: &Progress) -> Result<Vec<u32>> {
    let info = source.info();
    let secs = info.n_samples.div_ceil(u64::from(info.sample_rate_hz).max(1));
    if words_in(u32::try_from(secs).unwrap_or(u32::MAX)) > MAX_WORDS {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "is longer than the twelve days that a library takes; split it",
        ));
    }
    words(source, progress)
}

fn look(path: &Path, source: &Source, progress: &Progress) -> Result<SoundScan> {
    Ok(SoundScan {
        shape: SoundShape::of(source),
        audio_hash: audio_digest(source, progress)?,
        tags: tags_of(path, source.chunks()),
    })
}

/// Refuses a file that changed since it was listed.
///
/// # Errors
/// [`SourceChanged`](ErrorKind::SourceChanged); [`Io`](ErrorKind::Io) if it can no longer be opened.
pub fn check_unchanged(path: &Path, stamp: FileStamp) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let found = open_without_waiting(path).and_then(|file| file.metadata()).map_err(io)?;
    if found.is_file() && FileStamp::of(&found) == stamp {
        return Ok(());
    }
    Err(Error::new(ErrorKind::SourceChanged, "changed while it was analysed").at(path))
}
