//! FLAC out, by `flac-codec`. Tags and pictures of a FLAC source go with it, and the texts of a WAV file's `LIST INFO`.
//!
//! Sources: RFC 9639; the RIFF INFO names of the Multimedia Programming Interface (1991); field names of the Vorbis
//! comment specification.

use super::flac_speakers::MASK_FIELD;
use super::source::Source;
use super::wav_header::Chunk;
use super::wav_writer::Planes;
use crate::base::{Error, ErrorKind, Result};
use flac_codec::encode::{FlacSampleWriter, Options};
use flac_codec::metadata::{BlockList, Picture, VorbisComment};
use std::fs::File;
use std::io::BufWriter;

/// Channels that a FLAC file holds at most.
pub(super) const MOST_CHANNELS: usize = 8;
/// Its highest sample rate: 20 bits hold it.
pub(super) const MOST_RATE_HZ: u32 = (1 << 20) - 1;
/// Its coarsest samples.
pub(super) const FEWEST_BITS: u32 = 4;
/// What the tags and pictures of a source may take, less what other blocks need.
const MOST_PICTURE_BYTES: usize = 16_000_000;
/// How the names of the comments begin that are chapters.
const CHAPTER: &str = "CHAPTER";
/// `LIST INFO` and Vorbis comments call the same by other names.
const FIELDS: [(&[u8; 4], &str); 8] = [
    (b"INAM", "TITLE"),
    (b"IART", "ARTIST"),
    (b"IPRD", "ALBUM"),
    (b"ICMT", "COMMENT"),
    (b"ICRD", "DATE"),
    (b"IGNR", "GENRE"),
    (b"ICOP", "COPYRIGHT"),
    (b"ITRK", "TRACKNUMBER"),
];

/// What is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlacShape<'a> {
    /// Bits of a sample.
    pub(super) bits: u32,
    /// Frames a second.
    pub(super) sample_rate_hz: u32,
    /// Interleaved channels.
    pub(super) n_channels: usize,
    /// Samples of each channel.
    pub(super) n_frames: u64,
    /// Which speaker each channel is for.
    pub(super) channel_mask: Option<u32>,
    /// Names and texts of the comments that are its chapters; none: the source's.
    pub(super) chapters: Option<&'a [(String, String)]>,
}

/// A file being written.
pub(super) struct FlacWriter<'a> {
    writer: FlacSampleWriter<&'a mut BufWriter<File>>,
    interleaved: Vec<i32>,
}

impl<'a> FlacWriter<'a> {
    /// Writes what comes before the samples.
    pub(super) fn new(out: &'a mut BufWriter<File>, shape: &FlacShape<'_>, source: &Source) -> Result<FlacWriter<'a>> {
        if shape.n_frames == 0 {
            return Err(Error::new(ErrorKind::Unsupported, "FLAC cannot hold a sound without samples; export WAV"));
        }
        let (comment, pictures) = described(source, shape);
        let mut options = Options::default();
        if !comment.fields.is_empty() {
            options.add_block(comment);
        }
        options.add_blocks(pictures);
        let n_samples = shape.n_frames * shape.n_channels as u64;
        let channels = shape.n_channels as u8;
        let writer = FlacSampleWriter::new(out, options, shape.sample_rate_hz, shape.bits, channels, Some(n_samples));
        Ok(FlacWriter { writer: writer.map_err(flac_error)?, interleaved: Vec::new() })
    }

    /// Writes `n` frames.
    pub(super) fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        let Planes::Integers(channels) = planes else {
            return Err(Error::new(ErrorKind::Internal, "floats were made for a FLAC file"));
        };
        self.interleaved.clear();
        for frame in 0..n {
            self.interleaved.extend(channels.iter().map(|channel| channel[frame]));
        }
        self.writer.write(&self.interleaved).map_err(flac_error)
    }

    /// Writes lengths and the checksum of the samples, which stand at the front.
    pub(super) fn finish(self) -> Result<()> {
        self.writer.finalize().map_err(flac_error)
    }
}

fn is_of_chapter(field: &str) -> bool {
    field.get(..CHAPTER.len()).is_some_and(|name| name.eq_ignore_ascii_case(CHAPTER))
}

/// How many chapters the comments of a FLAC source name.
pub fn n_flac_chapters(source: &Source) -> usize {
    let blocks = source.path().and_then(|path| BlockList::open(path).ok());
    let comment = blocks.as_ref().and_then(|blocks| blocks.get::<VorbisComment>());
    // A place has a number alone, its name and address more behind it.
    let is_place = |field: &&String| {
        is_of_chapter(field)
            && field[CHAPTER.len()..].split_once('=').is_some_and(|(n, _)| n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    comment.map_or(0, |comment| comment.fields.iter().filter(is_place).count())
}

/// Whether a comment is that of a name.
fn names(field: &str, name: &str) -> bool {
    field.split_once('=').is_some_and(|(stated, _)| stated.eq_ignore_ascii_case(name))
}

/// Tags and pictures.
fn described(source: &Source, shape: &FlacShape<'_>) -> (VorbisComment, Vec<Picture>) {
    // Of a source that is no FLAC file there are none to read.
    let blocks = source.path().and_then(|path| BlockList::open(path).ok());
    let mut pictures: Vec<Picture> = Vec::new();
    let mut comment = match &blocks {
        Some(blocks) => {
            pictures.extend(blocks.get_all::<Picture>().filter(|one| one.data.len() < MOST_PICTURE_BYTES).cloned());
            let fields = blocks.get::<VorbisComment>().map(|comment| comment.fields.clone()).unwrap_or_default();
            VorbisComment { fields, ..VorbisComment::default() }
        }
        None => comment_of(source.chunks()),
    };
    if let Some(chapters) = shape.chapters {
        // Those of the source are not those of what is written.
        comment.fields.retain(|field| !is_of_chapter(field));
        chapters.iter().for_each(|(name, text)| comment.insert(name, text));
    }
    if shape.channel_mask.is_none() {
        // That of the source is about other channels.
        comment.fields.retain(|field| !names(field, MASK_FIELD));
    }
    if let Some(mask) = shape.channel_mask.filter(|_| shape.n_channels > 2) {
        comment.set(MASK_FIELD, format!("0x{mask:04x}"));
    }
    (comment, pictures)
}

/// The texts of `LIST INFO`.
fn comment_of(chunks: &[Chunk]) -> VorbisComment {
    let mut comment = VorbisComment::default();
    let lists = chunks.iter().filter(|chunk| &chunk.id == b"LIST");
    for texts in lists.filter_map(|chunk| chunk.data.strip_prefix(b"INFO")) {
        let mut rest = texts;
        while let Some((head, behind)) = rest.split_at_checked(8) {
            let n = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let Some(text) = behind.get(..n) else { break };
            if let Some((_, field)) = FIELDS.iter().find(|(id, _)| id.as_slice() == &head[..4]) {
                let text = String::from_utf8_lossy(text);
                let text = text.trim_end_matches('\0').trim();
                if !text.is_empty() {
                    comment.insert(field, text);
                }
            }
            rest = behind.get(n + n % 2..).unwrap_or_default();
        }
    }
    comment
}

fn flac_error(error: flac_codec::Error) -> Error {
    match error {
        flac_codec::Error::Io(error) => Error::io(&error, "written", std::path::Path::new("")),
        error => Error::new(ErrorKind::Internal, format!("could not be written as FLAC: {error}")),
    }
}
