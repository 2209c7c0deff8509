//! The frames of MPEG audio and ADTS, by their headers, and the streams they form.
//!
//! Sources: ISO/IEC 11172-3, section 2.4.2.3, and 13818-3; 14496-3, section 1.A.2.2 (ADTS).

/// Coding of the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameCoding {
    /// MPEG-1, 2 or 2.5, layers I to III.
    Mpeg,
    /// AAC.
    Adts,
}

/// Extent of a stream of frames in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// Coding of its frames.
    pub coding: FrameCoding,
    /// Start of its first frame, in bytes from the start of the file.
    pub start: u64,
    /// Start of the tags after it.
    pub end: u64,
}

/// Information in the header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodedFrame {
    pub(super) coding: FrameCoding,
    /// Header bits that are equal for all frames of a stream, such as version, layer, sample rate, and whether it is
    /// mono.
    pub(super) key: u32,
    pub(super) n_bytes: usize,
    pub(super) sample_rate_hz: u32,
    pub(super) n_channels: usize,
    pub(super) n_samples: u32,
}

impl CodedFrame {
    /// A value that is equal for all frames of a recording, whose ADTS frames need not all have a checksum.
    pub(super) fn kind(&self) -> (FrameCoding, u32) {
        (self.coding, if self.coding == FrameCoding::Adts { self.key & !1 } else { self.key })
    }

    /// Name of a stream of such frames for display.
    pub(super) fn name(&self) -> &'static str {
        match (self.coding, self.key & 6) {
            (FrameCoding::Adts, _) => "AAC",
            (FrameCoding::Mpeg, 2) => "MP3",
            (FrameCoding::Mpeg, 4) => "MP2",
            (FrameCoding::Mpeg, _) => "MP1",
        }
    }

    /// Length of the side information between header and samples, without a checksum; `None` except for layer III.
    pub(super) fn side_info_bytes(&self) -> Option<usize> {
        let is_first = self.key & 0x18 == 0x18;
        let n_bytes = match (is_first, self.n_channels) {
            (true, 1) => 17,
            (true, _) => 32,
            (false, 1) => 9,
            (false, _) => 17,
        };
        (self.coding == FrameCoding::Mpeg && self.key & 6 == 2).then_some(n_bytes)
    }
}

/// The length in bytes, including its header, of the frame at the start; `None` without a header or for free format.
pub fn frame_bytes(bytes: &[u8]) -> Option<usize> {
    frame(bytes).map(|frame| frame.n_bytes)
}

/// The frame whose header is at the start of `bytes`, if any.
pub(super) fn frame(bytes: &[u8]) -> Option<CodedFrame> {
    mpeg_frame(*bytes.first_chunk()?).or_else(|| adts_frame(*bytes.first_chunk()?))
}

/// The frame of MPEG audio with this header; `None` if it is no valid header, or the bit rate is free.
fn mpeg_frame(word: [u8; 4]) -> Option<CodedFrame> {
    /// Bit rates of MPEG-1 in kbit/s, by layer.
    const KBITS_1: [[usize; 14]; 3] = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ];
    /// Bit rates of MPEG-2 and 2.5 in kbit/s, by layer.
    const KBITS_2: [[usize; 14]; 3] = [
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let is_sync = word[0] == 0xff && word[1] & 0xe0 == 0xe0;
    let layer = 3usize.checked_sub(usize::from(word[1] >> 1 & 3)).filter(|layer| is_sync && *layer < 3)?;
    let (kbits, is_first, rate_divisor) = match word[1] >> 3 & 3 {
        3 => (KBITS_1, true, 1),
        2 => (KBITS_2, false, 2),
        0 => (KBITS_2, false, 4),
        _ => return None,
    };
    let bits_per_sec = 1000 * kbits[layer].get(usize::from(word[2] >> 4).checked_sub(1)?)?;
    let rate = [44_100, 48_000, 32_000].get(usize::from(word[2] >> 2 & 3))? / rate_divisor;
    let padding = usize::from(word[2] >> 1 & 1);
    let n_bytes = match layer {
        0 => 4 * (12 * bits_per_sec / rate + padding),
        2 if !is_first => 72 * bits_per_sec / rate + padding,
        _ => 144 * bits_per_sec / rate + padding,
    };
    let is_mono = word[3] >> 6 == 3;
    let key = u32::from(word[1] & 0x1e) | u32::from(word[2] & 0x0c) << 8 | u32::from(is_mono) << 16;
    let n_samples = match layer {
        0 => 384,
        2 if !is_first => 576,
        _ => 1152,
    };
    let n_channels = if is_mono { 1 } else { 2 };
    Some(CodedFrame { coding: FrameCoding::Mpeg, key, n_bytes, sample_rate_hz: rate as u32, n_channels, n_samples })
}

/// The frame of AAC with this ADTS header; `None` if it is not valid.
fn adts_frame(bytes: [u8; 7]) -> Option<CodedFrame> {
    const RATES: [u32; 13] =
        [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
    let is_sync = bytes[0] == 0xff && bytes[1] & 0xf6 == 0xf0;
    let sample_rate_hz = *RATES.get(usize::from(bytes[2] >> 2 & 15))?;
    let n_bytes = usize::from(bytes[3] & 3) << 11 | usize::from(bytes[4]) << 3 | usize::from(bytes[5] >> 5);
    let n_head = if bytes[1] & 1 == 0 { 9 } else { 7 };
    let key = u32::from(bytes[1] & 9) | u32::from(bytes[2] & 0xfd) << 8 | u32::from(bytes[3] & 0xc0) << 16;
    // The value 7 means 8 channels.
    let n_channels = match usize::from(bytes[2] & 1) << 2 | usize::from(bytes[3] >> 6) {
        7 => 8,
        n => n,
    };
    let n_samples = 1024 * (u32::from(bytes[6] & 3) + 1);
    let coding = FrameCoding::Adts;
    (is_sync && n_bytes > n_head).then_some(CodedFrame { coding, key, n_bytes, sample_rate_hz, n_channels, n_samples })
}
