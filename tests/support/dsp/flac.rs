//! Long FLAC files made of the clips: their own frames, over and over, renumbered (RFC 9639, section 9).

use std::io::{BufWriter, Write};
use std::path::Path;

/// The clips' frames as they are coded, less each clip's last, which is shorter.
struct Frames {
    /// The first clip's stream information.
    info: Vec<u8>,
    block_size: usize,
    frames: Vec<Vec<u8>>,
}

fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| (crc << 1) ^ (0x07 * (crc >> 7))))
}

fn crc16(bytes: &[u8]) -> u16 {
    let table: Vec<u16> =
        (0..256u16).map(|byte| (0..8).fold(byte << 8, |crc, _| (crc << 1) ^ (0x8005 * (crc >> 15)))).collect();
    bytes.iter().fold(0, |crc: u16, byte| (crc << 8) ^ table[usize::from((crc >> 8) as u8 ^ byte)])
}

/// A number as FLAC codes it, as UTF-8 does with up to 36 bits.
fn coded(number: u64) -> Vec<u8> {
    if number < 0x80 {
        return vec![number as u8];
    }
    let n_more = (1..6).find(|n| number < 1 << (6 * n + 6 - n)).unwrap();
    let mut bytes = vec![(0xff << (7 - n_more)) as u8 | (number >> (6 * n_more)) as u8];
    bytes.extend((0..n_more).rev().map(|i| 0x80 | (number >> (6 * i)) as u8 & 0x3f));
    bytes
}

/// A file of 16 bits at 44.1 kHz whose blocks, of 32,768 samples, hold one value each on all channels; it says that
/// there are `stated` samples.
pub fn constant(n_channels: u8, stated: u64, values: impl Iterator<Item = i16>) -> Vec<u8> {
    let mut bytes = b"fLaC\x80\0\0\x22\x80\0\x80\0\0\0\0\0\0\0".to_vec();
    let layout = 44_100u64 << 44 | u64::from(n_channels - 1) << 41 | 15 << 36 | stated;
    bytes.extend(layout.to_be_bytes());
    bytes.extend([0; 16]);
    for (number, value) in (0..).zip(values) {
        let mut frame = vec![0xff, 0xf8, 0xf9, (n_channels - 1) << 4 | 8];
        frame.extend(coded(number));
        frame.push(crc8(&frame));
        for _ in 0..n_channels {
            frame.push(0);
            frame.extend(value.to_be_bytes());
        }
        frame.extend(crc16(&frame).to_be_bytes());
        bytes.extend(frame);
    }
    bytes
}

/// Length of the frame header at the start, where there is one of this number.
fn header_len(bytes: &[u8], number: u64) -> Option<usize> {
    if bytes.len() < 16 || bytes[..2] != [0xff, 0xf8] || bytes[3] & 1 != 0 {
        return None;
    }
    let coded = coded(number);
    let extra = match bytes[2] >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    } + match bytes[2] & 15 {
        12 => 1,
        13 | 14 => 2,
        _ => 0,
    };
    let n = 4 + coded.len() + extra;
    (bytes[4..].starts_with(&coded) && crc8(&bytes[..n]) == bytes[n]).then_some(n + 1)
}

fn frames_of(path: &Path) -> Frames {
    let bytes = std::fs::read(path).unwrap();
    let (mut at, mut is_last) = (4, false);
    while !is_last {
        is_last = bytes[at] & 0x80 != 0;
        at += 4 + u32::from_be_bytes([0, bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    }
    let info = bytes[8..42].to_vec();
    let block_size = usize::from(u16::from_be_bytes([info[0], info[1]]));
    assert_eq!(info[..2], info[2..4], "blocks of one size");
    let mut frames = Vec::new();
    let mut number = 0;
    while at < bytes.len() {
        let n = header_len(&bytes[at..], number).expect("a frame");
        number += 1;
        let is_end = |end: usize| {
            (end == bytes.len() || header_len(&bytes[end..], number).is_some())
                && crc16(&bytes[at..end - 2]).to_be_bytes() == bytes[end - 2..end]
        };
        let candidates = (at + n + 2..=bytes.len()).filter(|&end| end == bytes.len() || bytes[end] == 0xff);
        let end = candidates.into_iter().find(|&end| is_end(end)).expect("its end");
        frames.push(bytes[at..end].to_vec());
        at = end;
    }
    frames.pop();
    Frames { info, block_size, frames }
}

/// Writes a stereo FLAC file of at least `n_samples` from clips of one format; its length.
pub fn write_long(path: &Path, clips: &[&Path], n_samples: u64) -> u64 {
    let all: Vec<Frames> = clips.iter().map(|clip| frames_of(clip)).collect();
    let mut info = all[0].info.clone();
    // Rate, channels and depth stand in the bytes from the tenth to the thirteenth; sizes of frames are not stated.
    assert!(all.iter().all(|clip| clip.block_size == all[0].block_size && clip.info[10..13] == info[10..13]));
    info[4..10].fill(0);
    info[18..].fill(0);
    let n_frames = n_samples.div_ceil(all[0].block_size as u64);
    let total = n_frames * all[0].block_size as u64;
    info[13] = info[13] & 0xf0 | (total >> 32) as u8;
    info[14..18].copy_from_slice(&(total as u32).to_be_bytes());
    let mut out = BufWriter::new(std::fs::File::create(path).unwrap());
    out.write_all(b"fLaC\x80\0\0\x22").unwrap();
    out.write_all(&info).unwrap();
    let frames: Vec<(&Vec<u8>, u64)> = all.iter().flat_map(|clip| clip.frames.iter().zip(0..)).collect();
    for (number, &(frame, was)) in (0..n_frames).zip(frames.iter().cycle()) {
        let n = header_len(frame, was).unwrap();
        let extra = &frame[4 + coded(was).len()..n - 1];
        let mut again = [&frame[..4], &coded(number), extra].concat();
        again.push(crc8(&again));
        again.extend(&frame[n..frame.len() - 2]);
        let crc = crc16(&again);
        again.extend(crc.to_be_bytes());
        out.write_all(&again).unwrap();
    }
    out.flush().unwrap();
    total
}
