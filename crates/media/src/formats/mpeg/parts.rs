//! The recordings in a stream of frames: podcasts and audio books often consist of several joined files, each with its
//! own info tag, and with tags of titles and pictures between them.

use super::frame::{CodedFrame, FrameCoding, Stream, frame};
use super::tag::Tag;
use crate::base::Progress;
use crate::media::metadata::tags;
use crate::media::probe::behind;
use crate::media::probe::file_bytes::FileBytes;
use crate::media::probe::look::FileKind;
use std::ops::Range;

/// Bytes read at a time.
const WINDOW_BYTES: usize = 1 << 17;
/// Maximum number of recordings, more than any real file has; further ones count as part of the last.
const MAX_PARTS: usize = 1 << 16;
/// Maximum number of positions searched for another file.
const MAX_SEARCHED: usize = 1000;
/// Maximum number of contiguous runs of frames; beyond it, interruptions are no longer cut out.
const MAX_RUNS: usize = 1 << 18;

/// The frames of a stream.
#[derive(Debug)]
pub(crate) struct FoundFrames {
    /// The recordings, in order; at least one.
    pub(crate) parts: Vec<StreamPart>,
    /// Bytes between the first and the last frame that are neither frames nor tags.
    pub(crate) n_between: u64,
    /// Number of bytes in frames.
    pub(crate) n_bytes: u64,
    /// Start of another file, or end of the stream.
    pub(crate) end: u64,
    /// Bytes of tags between frames.
    pub(crate) n_tag_bytes: u64,
}

/// A recording, whose frames are decoded by one decoder.
#[derive(Debug)]
pub(crate) struct StreamPart {
    first: CodedFrame,
    tag: Tag,
    /// Start of its first frame, including the tag's frame.
    start: u64,
    /// Length in bytes of the tag's frame; 0 without a tag.
    n_tag_bytes: u64,
    n_frames: u64,
    /// Byte ranges of its frames, except the tag's frame.
    pub(crate) runs: Vec<Range<u64>>,
}

/// The samples of a recording that are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrimmedSamples {
    /// First sample.
    pub(crate) first: u64,
    /// Number of samples; `None` for all.
    pub(crate) length: Option<u64>,
    /// Stated number of samples, if it differs from the number present.
    pub(crate) stated: Option<u64>,
}

impl StreamPart {
    fn new(first: CodedFrame, tag: Option<Tag>, start: u64) -> StreamPart {
        let n_tag_bytes = if tag.is_some() { first.n_bytes as u64 } else { 0 };
        StreamPart { first, tag: tag.unwrap_or_default(), start, n_tag_bytes, n_frames: 0, runs: Vec::new() }
    }

    /// Sample rate and number of channels.
    pub(crate) fn shape(&self) -> (u32, usize) {
        (self.first.sample_rate_hz, self.first.n_channels)
    }

    /// Number of samples in its frames.
    pub(crate) fn n_samples(&self) -> u64 {
        self.n_frames * u64::from(self.first.n_samples)
    }

    /// Whether the tag's byte count, with or without the tag's own frame, matches the length up to `end`.
    fn ends_by_bytes(&self, end: u64) -> bool {
        let n_bytes = end - self.start;
        self.tag.n_bytes.is_some_and(|stated| stated == n_bytes || stated + self.n_tag_bytes == n_bytes)
    }

    /// Whether the recording ends before the frame at `at` according to the tag. Both its frame count and its byte
    /// count must match, since either may be wrong.
    fn is_over(&self, at: u64) -> bool {
        self.tag.n_frames == Some(self.n_frames) && self.ends_by_bytes(at)
    }

    /// The samples to be played, according to the tag's valid fields.
    pub(crate) fn heard(&self) -> TrimmedSamples {
        let Some([delay, padding]) = self.tag.cut.map(|cut| cut.map(u64::from)) else {
            return TrimmedSamples { first: 0, length: None, stated: None };
        };
        let of_frames = |n_frames: u64| (n_frames * u64::from(self.first.n_samples)).saturating_sub(delay + padding);
        let end = self.runs.last().map_or(self.start, |run| run.end);
        let n_stated = self.tag.n_frames.filter(|stated| *stated != self.n_frames && !self.ends_by_bytes(end));
        let length = match n_stated {
            None => Some(of_frames(self.n_frames)),
            // The recording was truncated or extended, so the position of the padding is unknown.
            Some(_) => None,
        };
        TrimmedSamples { first: delay, length, stated: n_stated.map(of_frames) }
    }
}

/// Reads every frame of a stream; if cancelled, returns the frames found so far. `None` if there are none.
pub(crate) fn frames(file: &FileBytes, stream: &Stream, progress: &Progress) -> Option<FoundFrames> {
    let mut walk = Walk { file, end: stream.end, window: 0..0, bytes: vec![0; WINDOW_BYTES], coding: stream.coding };
    let first = walk.frame_at(stream.start)?;
    let mut found = FoundFrames { parts: Vec::new(), n_between: 0, n_bytes: 0, end: stream.end, n_tag_bytes: 0 };
    let mut n_looked = 0;
    let (mut at, mut n_skipped, mut n_runs, mut kind) = (stream.start, 0, 0, first.kind());
    let mut is_in_step = true;
    while at < stream.end && !progress.is_cancelled() {
        let next = walk.frame_at(at).filter(|next| {
            is_in_step && next.kind() == kind
                || walk.frame_at(at + next.n_bytes as u64).is_some_and(|then| then.kind() == next.kind())
        });
        let Some(next) = next else {
            if is_in_step && n_looked < MAX_SEARCHED {
                n_looked += 1;
                if is_other_file(file, stream, at) {
                    found.end = at;
                    break;
                }
            }
            match walk.tag_at(at) {
                Some(n) if is_in_step || walk.byte(at) == Some(b'I') => {
                    found.n_tag_bytes += n;
                    at += n;
                }
                _ => {
                    n_skipped += 1;
                    at += 1;
                    is_in_step = false;
                }
            }
            continue;
        };
        // A truncated last frame is left out, since decoders need whole frames.
        let end = at + next.n_bytes as u64;
        if end > stream.end {
            break;
        }
        found.n_between += n_skipped;
        (n_skipped, is_in_step) = (0, true);
        found.n_bytes += next.n_bytes as u64;
        let tag = Tag::read(walk.get(at, next.n_bytes), &next);
        let is_full = found.parts.len() == MAX_PARTS;
        match found.parts.last_mut() {
            // Some encoders write the tag's frame as stereo even if the sound is mono.
            Some(part) if tag.is_none() && part.n_frames == 0 => part.first = next,
            Some(part) if is_full || tag.is_none() && next.kind() == kind && !part.is_over(at) => {}
            _ => found.parts.push(StreamPart::new(next, tag, at)),
        }
        kind = next.kind();
        if let Some(part) = found.parts.last_mut().filter(|_| tag.is_none()) {
            part.n_frames += 1;
            match part.runs.last_mut() {
                Some(run) if run.end == at || n_runs == MAX_RUNS => run.end = end,
                _ => {
                    part.runs.push(at..end);
                    n_runs += 1;
                }
            }
        }
        at = end;
    }
    // Drop recordings that consist of a tag only.
    found.parts.retain(|part| part.n_frames > 0);
    (!found.parts.is_empty()).then_some(found)
}

/// Whether another file begins at the expected position of a frame, after tags and zeros; frames of the same coding
/// belong to the stream.
fn is_other_file(file: &FileBytes, stream: &Stream, at: u64) -> bool {
    let own: &[&str] = if stream.coding == FrameCoding::Mpeg { &["MP3", "MP2", "MP1"] } else { &["AAC"] };
    behind::other_file(file, FileKind::Unknown, at, stream.end).is_some_and(|other| !own.contains(&other.name))
}

/// Reads a file in large pieces.
struct Walk<'a> {
    file: &'a FileBytes,
    end: u64,
    window: Range<u64>,
    bytes: Vec<u8>,
    coding: FrameCoding,
}

impl Walk<'_> {
    /// The bytes at a position, fewer at the end of the stream.
    fn get(&mut self, at: u64, n: usize) -> &[u8] {
        let n = n.min(usize::try_from(self.end.saturating_sub(at)).unwrap_or(n));
        if at < self.window.start || at + n as u64 > self.window.end {
            let n_read = self.file.read_some_at(at, &mut self.bytes);
            self.window = at..at + n_read as u64;
        }
        let from = (at - self.window.start) as usize;
        &self.bytes[from..(from + n).min((self.window.end - self.window.start) as usize)]
    }

    fn byte(&mut self, at: u64) -> Option<u8> {
        self.get(at, 1).first().copied()
    }

    fn frame_at(&mut self, at: u64) -> Option<CodedFrame> {
        if at >= self.end || self.byte(at) != Some(0xff) {
            return None;
        }
        let coding = self.coding;
        frame(self.get(at, 7)).filter(|frame| frame.coding == coding)
    }

    fn tag_at(&mut self, at: u64) -> Option<u64> {
        matches!(self.byte(at), Some(b'I' | b'T' | b'A')).then(|| tags::between(self.file, at, self.end)).flatten()
    }
}
