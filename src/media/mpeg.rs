//! The frames of an MP3, looked at after decoding: decoders skip what lies between them without a word.
//!
//! Source: ISO/IEC 11172-3, section 2.4.2.3, and 13818-3.

use crate::base::Progress;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Bytes between the first and the last frame that belong to no frame; on any trouble, those found so far.
pub(super) fn bytes_between_frames(file: &File, first: u64, progress: &Progress) -> u64 {
    let Ok(file) = file.try_clone() else { return 0 };
    let mut file = BufReader::with_capacity(1 << 17, file);
    if file.seek(SeekFrom::Start(first)).is_err() {
        return 0;
    }
    let mut word = [0; 4];
    if file.read_exact(&mut word).is_err() {
        return 0;
    }
    let mut between = 0;
    let mut skipped = 0;
    let mut n_frames = 0u64;
    while !progress.is_cancelled() {
        let length = frame_bytes(word).filter(|length| {
            // A false sync is followed by no other: believed only while frame follows frame.
            skipped == 0 && n_frames > 0 || is_followed(&mut file, *length)
        });
        if let Some(length) = length {
            between += if n_frames > 0 { skipped } else { 0 };
            skipped = 0;
            n_frames += 1;
            if file.seek_relative(length as i64 - 4).is_err() || file.read_exact(&mut word).is_err() {
                break;
            }
        } else {
            skipped += 1;
            word.rotate_left(1);
            if file.read_exact(&mut word[3..]).is_err() {
                break;
            }
        }
    }
    between
}

/// Whether a frame header stands where a frame of this length, whose header was just read, ends.
fn is_followed(file: &mut BufReader<File>, length: u64) -> bool {
    let ahead = length as i64 - 4;
    let mut word = [0; 4];
    if file.seek_relative(ahead).is_err() {
        return false;
    }
    let Ok(at) = file.stream_position() else { return false };
    let is_followed = file.read_exact(&mut word).is_ok() && frame_bytes(word).is_some();
    // A failed read may have moved.
    let Ok(now) = file.stream_position() else { return false };
    file.seek_relative(at as i64 - ahead - now as i64).is_ok() && is_followed
}

/// Length of a layer III frame by its header; none where it is no header, or of free format.
fn frame_bytes(word: [u8; 4]) -> Option<u64> {
    const KBITS_1: [u64; 14] = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    const KBITS_2: [u64; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    let is_layer_3 = word[0] == 0xff && word[1] & 0xe6 == 0xe2;
    let (kbits, samples, rate_divisor) = match word[1] >> 3 & 3 {
        3 => (KBITS_1, 144, 1),
        2 => (KBITS_2, 72, 2),
        0 => (KBITS_2, 72, 4),
        _ => return None,
    };
    let kbits = *kbits.get(usize::from(word[2] >> 4).checked_sub(1)?)?;
    let rate = [44_100, 48_000, 32_000].get(usize::from(word[2] >> 2 & 3))? / rate_divisor;
    is_layer_3.then_some(samples * 1000 * kbits / rate + u64::from(word[2] >> 1 & 1))
}
