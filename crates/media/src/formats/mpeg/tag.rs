//! The info tag: a silent frame that encoders write before the others. It states the number of frames, and the numbers
//! of samples added by the encoder. Each field is validated separately: programs that cut or join files leave some of
//! them wrong.
//!
//! Sources: LAME's and Xing's descriptions of their tags; Fraunhofer's VBRI header as FFmpeg reads it.

use super::frame::CodedFrame;

/// Delay of every layer III decoder in samples.
const DECODER_DELAY: u32 = 529;
/// Encoders known to state delay and padding as LAME does.
const ENCODERS: [&[u8]; 5] = [b"LAME", b"Lavf", b"Lavc", b"GOGO", b"L3.9"];
/// Length of LAME's part of the tag, which follows Xing's: up to and including delay and padding, and in total.
const LAME_BYTES: usize = 24;
const LAME_ALL_BYTES: usize = 36;

/// Information in an info tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tag {
    /// Number of frames after the tag.
    pub(super) n_frames: Option<u64>,
    /// Total length of the frames in bytes; encoders differ on whether it includes the tag's own frame.
    pub(super) n_bytes: Option<u64>,
    /// Number of decoded samples before the first encoded one, and after the last.
    pub(super) cut: Option<[u32; 2]>,
}

impl Tag {
    /// The tag in a frame, given its bytes from the header on; `None` if the frame contains audio.
    pub(super) fn read(bytes: &[u8], frame: &CodedFrame) -> Option<Tag> {
        // The tag starts where the audio data of a frame without a checksum would, even if this frame has one.
        let at = frame.side_info_bytes()? + 4;
        let n_head = if bytes.get(1)? & 1 == 0 { 6 } else { 4 };
        let is_empty = |end: usize| bytes.get(n_head..end).is_some_and(|side| side.iter().all(|byte| *byte == 0));
        match bytes.get(at..at + 4) {
            Some(b"Xing" | b"Info") if is_empty(at) => Tag::xing(bytes, at),
            _ if bytes.get(36..40) == Some(b"VBRI") && is_empty(36) => Tag::vbri(bytes.get(40..)?),
            _ => None,
        }
    }

    fn vbri(fields: &[u8]) -> Option<Tag> {
        // VBRI's delay has another meaning than LAME's, and decoders do not remove it.
        let tag = Tag { n_frames: Some(word(fields, 10)?), n_bytes: Some(word(fields, 6)?), cut: None };
        (fields[..2] == [0, 1]).then_some(tag)
    }

    fn xing(bytes: &[u8], at: usize) -> Option<Tag> {
        let flags = word(bytes, at + 4)?;
        let mut next = at + 8;
        let mut field = |flag: u64, n_bytes: usize| {
            let is_there = flags & flag != 0;
            let place = next;
            next += if is_there { n_bytes } else { 0 };
            is_there.then_some(place)
        };
        let [n_frames, n_bytes] = [field(1, 4), field(2, 4)].map(|place| word(bytes, place?));
        field(4, 100);
        field(8, 4);
        Some(Tag { n_frames, n_bytes, cut: lame_cut(bytes, next) })
    }
}

/// Delay and padding from LAME's fields, including the decoder's delay. The tag's checksum is ignored for known
/// encoders, since it covers the whole tag, and any edited field invalidates it; for other encoders it must be correct.
fn lame_cut(bytes: &[u8], at: usize) -> Option<[u32; 2]> {
    let lame = bytes.get(at..at + LAME_BYTES)?;
    let is_known = ENCODERS.iter().any(|name| lame.starts_with(name));
    let sum = bytes.get(at + LAME_ALL_BYTES - 2..at + LAME_ALL_BYTES);
    let is_whole =
        || sum.is_some_and(|sum| sum != [0, 0] && sum == crc16(&bytes[..at + LAME_ALL_BYTES - 2]).to_be_bytes());
    let fields = u32::from_be_bytes([0, lame[21], lame[22], lame[23]]);
    let (delay, padding) = (fields >> 12, fields & 0xfff);
    (is_known || is_whole()).then_some([delay + DECODER_DELAY, padding.saturating_sub(DECODER_DELAY)])
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 4).map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// CRC-16 of LAME's tag: polynomial 0x8005, lowest bit first, initial value 0.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| if sum & 1 == 0 { sum >> 1 } else { sum >> 1 ^ 0xa001 })
    })
}
