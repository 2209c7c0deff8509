//! Probing before opening: only a regular file is opened, and its first bytes, never its name, determine its format.

use super::file_bytes::FileBytes;
use crate::base::{
    Error, ErrorKind, FileId, Result, file_id, is_link_loop, khz_from_hz, length_from_secs, open_without_waiting,
    special_kind,
};
use crate::metadata::tags;
use std::fs::Metadata;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Minimum sample rate in hertz.
pub const MIN_RATE_HZ: u32 = 4_000;
/// Maximum sample rate in hertz: that of the fastest converters.
pub const MAX_RATE_HZ: u32 = 768_000;
/// Maximum number of channels.
pub const MAX_CHANNELS: usize = 32;

/// Size and modification time of a file. Nearly every write to the file changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Size in bytes.
    pub n_bytes: u64,
    /// Modification time in nanoseconds since 1970; 0 if unknown.
    pub modified_ns: i64,
}

impl FileStamp {
    /// The stamp from a file's metadata.
    pub fn of(metadata: &Metadata) -> FileStamp {
        let since = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0));
        FileStamp { n_bytes: metadata.len(), modified_ns }
    }

    /// The stamp of the file at a path, if it exists.
    pub fn at(path: &Path) -> Option<FileStamp> {
        std::fs::metadata(path).ok().filter(Metadata::is_file).map(|found| FileStamp::of(&found))
    }
}

/// Identifies an opened file, also through other paths and links to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    canonical: PathBuf,
    stamp: FileStamp,
    /// File id of the operating system; `None` if unsupported.
    id: Option<FileId>,
}

impl Identity {
    fn of(path: &Path, metadata: &Metadata) -> Identity {
        Identity {
            canonical: std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()),
            stamp: FileStamp::of(metadata),
            id: file_id(metadata),
        }
    }

    /// Size and time of the file when it was opened.
    pub(crate) fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// The path with every symbolic link resolved, as it was when the file was opened.
    pub(crate) fn canonical(&self) -> &Path {
        &self.canonical
    }

    /// The path, size and time of the file as text; a different text means a different or changed file. `None` if the
    /// modification time is unknown.
    pub(crate) fn described(&self) -> Option<String> {
        let FileStamp { n_bytes, modified_ns } = self.stamp;
        (modified_ns != 0).then(|| format!("{:?}, {n_bytes} bytes, changed at {modified_ns} ns", self.canonical))
    }

    /// Whether writing to `path` would replace this file: the same path, or a link of either kind to it.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let same_path = std::fs::canonicalize(path).is_ok_and(|found| found == self.canonical);
        let is_same = |found: Metadata| self.id.is_some() && file_id(&found) == self.id;
        same_path || std::fs::metadata(path).is_ok_and(is_same)
    }
}

/// A regular file, opened for reading.
#[derive(Debug)]
pub(crate) struct ProbedFile {
    pub(crate) file: FileBytes,
    pub(crate) n_bytes: u64,
    pub(crate) identity: Identity,
}

/// Opens a regular file. Anything else is refused at once: opening a named pipe, for example, would block.
pub(crate) fn open_regular(path: &Path) -> Result<ProbedFile> {
    let found = std::fs::metadata(path).map_err(|error| why_not_found(&error, path))?;
    refuse_special(&found, path)?;
    // The file may have been replaced by a pipe in the meantime.
    let file = open_without_waiting(path).map_err(|error| why_not_found(&error, path))?;
    let found = file.metadata().map_err(|error| Error::io(&error, "read", path))?;
    refuse_special(&found, path)?;
    Ok(ProbedFile { n_bytes: found.len(), identity: Identity::of(path, &found), file: FileBytes::Disk(file) })
}

fn why_not_found(error: &std::io::Error, path: &Path) -> Error {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if is_link_loop(error) {
        return Error::new(ErrorKind::Io, "is a symbolic link that points back to itself; open the sound file itself")
            .at(path);
    }
    let sentence = match error.kind() {
        std::io::ErrorKind::NotFound if is_link => {
            "is a symbolic link to a file that does not exist; open the sound file itself"
        }
        std::io::ErrorKind::NotFound => return Error::unread(error, path),
        std::io::ErrorKind::PermissionDenied => "cannot be read without permission; change its permissions or copy it",
        _ => return Error::io(error, "opened", path),
    };
    Error::new(ErrorKind::Io, sentence).at(path)
}

fn refuse_special(found: &Metadata, path: &Path) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = found.file_type();
    let special = special_kind(kind);
    let sentence = if kind.is_dir() {
        "is a folder; open a sound file in it".to_string()
    } else {
        format!("is {special}, not a sound file; save its sound to a file and open that")
    };
    Err(Error::new(ErrorKind::Malformed, sentence).at(path))
}

/// Formats of files, each with its own reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// WAV: RIFF, RF64 or BW64; read by our own reader.
    Wav,
    /// Sony's Wave64; read by our own reader.
    Wave64,
    /// Sun's AU; read by our own reader.
    Au,
    /// FLAC without Ogg.
    Flac,
    /// Ogg, whose pages can be checked.
    Ogg,
    /// MP4, whose boxes state which part is played.
    Mp4,
    /// AIFF or AIFC.
    Aiff,
    /// Apple's CAF.
    Caf,
    /// No known magic number: frames of MPEG audio or ADTS, or not audio.
    Unknown,
}

/// Information in the first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHead {
    pub(crate) kind: FileKind,
    /// Name of the format with this magic number, for messages about files that cannot be decoded; `None` without a
    /// magic number.
    pub(crate) name: Option<&'static str>,
    /// Start of the format's data in bytes, after tags, which may contain pictures larger than the sound.
    pub(crate) start: u64,
}

/// Determines the format of a file from its first bytes. For a known but unsupported format, the error names the
/// format.
pub(crate) fn head_of(file: &mut FileBytes, path: &Path) -> Result<FileHead> {
    let mut head = [0; 512];
    let head = first_bytes(file, 0, &mut head).map_err(|error| Error::io(&error, "read", path))?;
    if head.is_empty() {
        return Err(Error::new(ErrorKind::Malformed, "is empty; there is no sound in it").at(path));
    }
    let found = kind_of(head, path)?;
    let n_bytes = file.n_bytes().map_err(|error| Error::io(&error, "read", path))?;
    let start = tags::leading(file, n_bytes);
    let (start, (kind, name)) = if start == 0 {
        (0, found)
    } else {
        let mut head = [0; 4096];
        let head = first_bytes(file, start, &mut head).map_err(|error| Error::io(&error, "read", path))?;
        // The padding of tags is not always included in their stated length.
        let n_zeros = head.iter().position(|byte| *byte != 0).unwrap_or(0);
        match kind_of(&head[n_zeros..], path)? {
            // These formats store positions relative to the start of the file.
            (FileKind::Mp4 | FileKind::Au | FileKind::Wave64, Some(name)) => {
                return Err(unsupported(&format!("{name} behind a tag of another format"), path));
            }
            (FileKind::Unknown, name) => (start, (FileKind::Unknown, name)),
            found => (start + n_zeros as u64, found),
        }
    };
    file.seek(SeekFrom::Start(0)).map_err(|error| Error::io(&error, "read", path))?;
    Ok(FileHead { kind, name, start })
}

/// Fills `bytes` from a position on; returns only the bytes before the end of the file.
fn first_bytes<'a>(file: &mut FileBytes, at: u64, bytes: &'a mut [u8]) -> std::io::Result<&'a [u8]> {
    file.seek(SeekFrom::Start(at))?;
    let mut n = 0;
    while n < bytes.len() {
        match file.read(&mut bytes[n..])? {
            0 => break,
            more => n += more,
        }
    }
    Ok(&bytes[..n])
}

/// The format of a file with these first bytes, and its name if it has a magic number.
fn kind_of(head: &[u8], path: &Path) -> Result<(FileKind, Option<&'static str>)> {
    let form = head.get(8..12).unwrap_or_default();
    if matches!(head.get(..4), Some(b"RIFF" | b"RF64" | b"BW64")) {
        return match form {
            b"WAVE" => Ok((FileKind::Wav, Some("WAV"))),
            _ if form.len() < 4 => Err(cut_short(path)),
            b"AVI " => Err(unsupported("an AVI video", path)),
            _ => Err(not_audio(path)),
        };
    }
    if let Some(name) = known_but_not_opened(head) {
        return Err(unsupported(name, path));
    }
    if let Some(sentence) = known_but_no_sound(head) {
        return Err(Error::new(ErrorKind::Unsupported, sentence).at(path));
    }
    if head.starts_with(b"caff") && has_impossible_packets(head) {
        return Err(Error::new(ErrorKind::Malformed, "is damaged: its header describes impossible packets").at(path));
    }
    Ok(match (head.get(..4), form) {
        (Some(b"fLaC"), _) => (FileKind::Flac, Some("FLAC")),
        (Some(b"OggS"), _) => (FileKind::Ogg, Some("Ogg")),
        (Some(b"FORM"), b"AIFF" | b"AIFC") => (FileKind::Aiff, Some("AIFF")),
        (Some(b".snd"), _) => (FileKind::Au, Some("AU")),
        _ if head.starts_with(b"riff\x2e\x91\xcf\x11") => (FileKind::Wave64, Some("Wave64")),
        (Some(b"caff"), _) => (FileKind::Caf, Some("CAF")),
        _ if head.get(4..8) == Some(b"ftyp") => (FileKind::Mp4, Some("MP4 or M4A")),
        _ => (FileKind::Unknown, None),
    })
}

/// Name of the audio or film format with the magic number at the start of `head`; `None` if there is none.
pub(crate) fn name_of(head: &[u8]) -> Option<&'static str> {
    match kind_of(head, Path::new("")) {
        Ok((_, name)) => name,
        Err(_) => known_but_not_opened(head),
    }
}

/// Maximum length of a packet in CAF, in frames.
const MAX_CAF_PACKET: u32 = 65_536;

/// Whether the description at the start of a CAF states more frames per packet, or fewer bytes, than a file can
/// have; reading them would take hours.
///
/// Source: Apple Core Audio Format Specification, "Audio Description Chunk".
fn has_impossible_packets(head: &[u8]) -> bool {
    let word = |at: usize| head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    if head.get(8..12) != Some(b"desc") {
        return false;
    }
    let (Some(n_bytes), Some(n_frames), Some(n_channels), Some(n_bits)) = (word(36), word(40), word(44), word(48))
    else {
        return false;
    };
    // For uncompressed samples, a packet is one frame.
    let is_plain = head.get(28..32) == Some(b"lpcm");
    let min_bytes = u64::from(n_channels) * u64::from(n_bits / 8);
    n_frames > MAX_CAF_PACKET || is_plain && (n_frames != 1 || u64::from(n_bytes) < min_bytes)
}

/// Name of a known format that none of our decoders supports, by the first bytes; `None` for all others.
fn known_but_not_opened(head: &[u8]) -> Option<&'static str> {
    const BY_START: [(&[u8], &str); 13] = [
        (b"RIFX", "a big-endian WAV (RIFX)"),
        (b"wvpk", "WavPack"),
        (b"MAC ", "Monkey's Audio"),
        (b"TTA1", "True Audio"),
        (b"MPCK", "Musepack"),
        (b"MP+", "Musepack"),
        (b"DSD ", "DSD"),
        (b"FRM8", "DSD"),
        (b"#!AMR", "AMR"),
        (b"MThd", "a MIDI file"),
        (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media (WMA)"),
        (b"\x1a\x45\xdf\xa3", "Matroska or WebM"),
        (b"ADIF", "AAC in the old ADIF format"),
    ];
    if head.starts_with(b"OggS") {
        // The first page holds only the codec's identification, after one length per segment.
        let n_segments = usize::from(*head.get(26)?);
        let codec = head.get(27 + n_segments..)?;
        // Mapping families 0 and 1 define the speaker of every channel.
        if codec.starts_with(b"OpusHead") && codec.get(18).is_some_and(|family| *family > 1) {
            return Some("Opus with an unknown channel layout");
        }
        return [
            (&b"Speex   "[..], "Speex"),
            (b"Speex  ", "Speex"),
            (b"\x80theora", "Ogg Theora video"),
            (b"fishead", "Ogg with several streams (Skeleton)"),
        ]
        .into_iter()
        .find_map(|(start, name)| codec.starts_with(start).then_some(name));
    }
    BY_START.into_iter().find_map(|(start, name)| head.starts_with(start).then_some(name))
}

/// The notice about a file whose header states no length although it should.
pub(crate) const NO_LENGTH: &str = "its recorder did not write its length; all of it is read";

/// The reason to refuse an archive, document or database, one sentence; `None` for other files.
fn known_but_no_sound(head: &[u8]) -> Option<String> {
    const ARCHIVES: [(&[u8], &str); 10] = [
        (b"PK\x03\x04", "ZIP"),
        (b"PK\x05\x06", "ZIP"),
        (b"PK\x07\x08", "ZIP"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"BZh", "bzip2"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x04\x22\x4d\x18", "LZ4"),
    ];
    let archive = ARCHIVES.into_iter().find_map(|(start, name)| head.starts_with(start).then_some(name));
    let is_tar = head.get(257..262) == Some(b"ustar");
    if let Some(name) = archive.or(is_tar.then_some("tar")) {
        return Some(format!("is an archive ({name}), not a sound file; unpack it and open the sound file inside"));
    }
    if head.starts_with(b"%PDF") {
        return Some("is a PDF document, not a sound file; save its sound to a file and open that".into());
    }
    let is_database = head.starts_with(b"SQLite format 3\0");
    is_database.then(|| "is a database, not a sound file; open it as a project if it is one".into())
}

/// Error for a format that is recognised but not supported.
pub(crate) fn unsupported(name: &str, path: &Path) -> Error {
    let sentence = format!("is {name}, which Sonobrush does not open; convert it to WAV or FLAC");
    Error::new(ErrorKind::Unsupported, sentence).at(path)
}

/// Error for a file of an unknown format.
pub(crate) fn not_audio(path: &Path) -> Error {
    Error::new(ErrorKind::Malformed, "is not audio that Sonobrush can open; convert it to WAV or FLAC").at(path)
}

/// Error for a file of a known format that its decoder rejects.
pub(crate) fn damaged(name: &str, path: &Path) -> Error {
    let sentence = format!("is {name}, but too damaged to open; copy or download it again");
    Error::new(ErrorKind::Malformed, sentence).at(path)
}

/// The notice about a file that is shorter than stated. If more than a day is missing, the stated length is treated as
/// damage.
pub(crate) fn ends_early(missing_samples: u64, sample_rate_hz: u32) -> String {
    let secs = missing_samples as f64 / f64::from(sample_rate_hz.max(1));
    if secs > 86_400.0 {
        return "states an impossible length in its header; all audio present was read".into();
    }
    format!("is cut off: {} are missing; the rest was read", part_in_words(secs))
}

/// A duration rounded up: `7 ms`, `10.3 s`, `18:26`.
pub(crate) fn part_in_words(secs: f64) -> String {
    match secs {
        short if short < 0.1 => format!("{} ms", (short * 1000.0).ceil()),
        short if short < 60.0 => length_from_secs((short * 10.0).ceil() / 10.0, 1),
        long => length_from_secs(long.ceil(), 0),
    }
}

/// The notice about a file with a second recording that has another format, or that cannot be read.
pub(crate) fn another_recording(n_before: usize, sample_rate_hz: u32, what: &str) -> String {
    let secs = n_before as f64 / f64::from(sample_rate_hz.max(1));
    format!("holds another recording from {secs:.3} s on, {what}; only what comes before it was opened")
}

/// The sample rate and the number of channels of a recording, in words.
pub(crate) fn shape_in_words(sample_rate_hz: u32, n_channels: usize) -> String {
    let channels = if n_channels == 1 { "channel" } else { "channels" };
    format!("of {} and {n_channels} {channels}", khz_from_hz(f64::from(sample_rate_hz)))
}

/// Error for a file that ends within its header.
pub(crate) fn cut_short(path: &Path) -> Error {
    Error::new(ErrorKind::Malformed, "ends inside its header; it was cut short, so copy or record it again").at(path)
}

/// Error for a file with a header but no samples.
pub(crate) fn no_samples(path: &Path) -> Error {
    Error::new(ErrorKind::Malformed, "has a header but no samples, so there is no sound in it").at(path)
}

/// Refuses sample rates and channel counts outside the limits, before any buffer size depends on them.
pub(crate) fn check_layout(sample_rate_hz: u32, n_channels: usize, path: &Path) -> Result<()> {
    check_layout_of("", sample_rate_hz, n_channels).map_err(|error| error.at(path))
}

/// As [`check_layout`], without a file.
pub(crate) fn check_layout_of(what: &str, sample_rate_hz: u32, n_channels: usize) -> Result<()> {
    if n_channels == 0 {
        return Err(Error::new(
            ErrorKind::Malformed,
            format!("{what}says that it has 0 channels; its header is damaged"),
        ));
    }
    if n_channels > MAX_CHANNELS {
        let sentence = format!("{what}has {n_channels} channels; Sonobrush opens at most {MAX_CHANNELS}, so split it");
        return Err(Error::new(ErrorKind::Limit, sentence));
    }
    if !(MIN_RATE_HZ..=MAX_RATE_HZ).contains(&sample_rate_hz) {
        let sentence = format!(
            "{what}says that its sample rate is {}; Sonobrush opens {} to {}, so correct or resample it",
            khz_from_hz(f64::from(sample_rate_hz)),
            f64::from(MIN_RATE_HZ) / 1000.0,
            khz_from_hz(f64::from(MAX_RATE_HZ)),
        );
        return Err(Error::new(ErrorKind::Limit, sentence));
    }
    Ok(())
}
