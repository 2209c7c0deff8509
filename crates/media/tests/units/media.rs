//! Headers and packets, byte by byte.

use base::Progress;
use sonobrush_media::decoders::opus_streams::{OpusLayout, take_delimited};
use sonobrush_media::formats::mpeg::{find, frame_bytes};
use sonobrush_media::{Chunk, ChunkPlace, GrowingWav, Original, Source, Spliced, WavLayout, WavShape, aac_rate};
use std::io::{Read, Seek, SeekFrom};
use support::opened::{folder, opened};

#[test]
fn headers_say_how_long_frames_are() {
    let n_bytes = |word: [u8; 4]| frame_bytes(&word);
    // Layer III at 128 kbit/s and 44.1 kHz, without and with padding; at 32 kbit/s and 22.05 kHz.
    assert_eq!(n_bytes([0xff, 0xfb, 0x90, 0x64]), Some(417));
    assert_eq!(n_bytes([0xff, 0xfb, 0x92, 0x64]), Some(418));
    assert_eq!(n_bytes([0xff, 0xf3, 0x40, 0xc4]), Some(104));
    // Layer II at 192 kbit/s and 48 kHz; layer I at 384 kbit/s and 44.1 kHz, in slots of four bytes.
    assert_eq!(n_bytes([0xff, 0xfd, 0xa4, 0x04]), Some(576));
    assert_eq!(n_bytes([0xff, 0xff, 0xc0, 0x04]), Some(416));
    // Free format, reserved sample rate, reserved layer, no sync code.
    for word in [[0xff, 0xfb, 0x00, 0x64], [0xff, 0xfb, 0x9c, 0x64], [0xff, 0xf9, 0x90, 0x64], [0xff, 0x7b, 0x90, 0]] {
        assert_eq!(n_bytes(word), None, "{word:02x?}");
    }
    // An ADTS header states the frame length directly.
    assert_eq!(frame_bytes(&[0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc]), Some(0x173));
}

#[test]
fn zeros_behind_a_short_stream_are_none_of_it() {
    let found = |n_frames: usize, n_zeros: usize| {
        let mut bytes = Vec::new();
        for _ in 0..n_frames {
            bytes.extend([0xff, 0xfb, 0x90, 0x64]);
            bytes.resize(bytes.len() + 412, 0x55);
            // A frame may end in zeros.
            bytes.push(0);
        }
        bytes.resize(bytes.len() + n_zeros, 0);
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &bytes).unwrap();
        find(&file.into(), 0, bytes.len() as u64).map(|stream| (stream.start, stream.end))
    };
    for n_zeros in [0, 1, 1000, 100_000] {
        for n_frames in 2..6 {
            assert_eq!(found(n_frames, n_zeros), Some((0, 417 * n_frames as u64)), "{n_frames}, {n_zeros} zeros");
        }
    }
    assert_eq!(found(1, 0), Some((0, 417)));
    // In a file over 1 MiB, the end is that of the last non-zero byte plus the maximum frame length of 2,881 bytes.
    assert_eq!(found(4, 3 << 20), Some((0, 4 * 417 - 1 + 2_881)));
}

#[test]
fn packets_are_taken_apart_where_they_say() {
    let ordinary = |delimited: &[u8]| {
        let all = [delimited, b"rest"].concat();
        let mut rest = &all[..];
        let packet = take_delimited(&mut rest).unwrap();
        assert_eq!(rest, b"rest");
        packet
    };
    assert_eq!(ordinary(b"\x04\x03abc"), b"\x04abc");
    assert_eq!(ordinary(b"\x05\x02abcd"), b"\x05abcd");
    assert_eq!(ordinary(b"\x06\x01\x02abc"), b"\x06\x01abc");
    // Three frames of equal length (CBR), and three of different lengths (VBR) with two bytes of padding.
    assert_eq!(ordinary(b"\x07\x03\x02aabbcc"), b"\x07\x03aabbcc");
    assert_eq!(ordinary(b"\x07\xc3\x02\x01\x02\x01abbc\0\0"), b"\x07\xc3\x02\x01\x02abbc\0\0");
    let long = [&b"\x04\xfd\x02"[..], &[7; 261]].concat();
    assert_eq!(ordinary(&long), [&b"\x04"[..], &[7; 261]].concat());
    assert!(take_delimited(&mut &b"\x04\x05abc"[..]).is_err());
    assert!(take_delimited(&mut &b""[..]).is_err());
}

#[test]
fn layouts_are_read_and_checked() {
    let header = |family, n_streams, n_coupled, mapping: &[u8]| {
        let mut bytes = b"OpusHead\x01".to_vec();
        bytes.push(mapping.len() as u8);
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&[family, n_streams, n_coupled]);
        bytes.extend_from_slice(mapping);
        bytes
    };
    let surround = OpusLayout::of(&header(1, 4, 2, &[0, 4, 1, 2, 3, 5])).unwrap();
    assert!(surround.is_possible());
    assert_eq!([0, 1, 3, 4, 5].map(|from| surround.place(from)), [(0, 0), (0, 1), (1, 1), (2, 0), (3, 0)]);
    assert_eq!(OpusLayout::of(&header(1, 1, 1, &[0, 1])), None);
    assert!(!OpusLayout::of(&header(1, 4, 2, &[0, 4, 1, 2, 3, 6])).unwrap().is_possible());
    assert!(!OpusLayout::of(&header(1, 0, 0, &[255, 255])).unwrap().is_possible());
}

#[test]
fn all_parts_are_read_as_one() {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"0123456789").unwrap();
    let mut spliced = Spliced::new(b"ab".to_vec(), file, 3..8, b"yz".to_vec());
    let mut text = String::new();
    spliced.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), spliced.n_bytes()), ("ab34567yz", 9));
    let mut rest = |to| {
        spliced.seek(to).unwrap();
        let mut text = String::new();
        spliced.read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!(rest(SeekFrom::Start(1)), "b34567yz");
    assert_eq!(rest(SeekFrom::End(-3)), "7yz");
    assert_eq!(rest(SeekFrom::Current(-9)), "ab34567yz");
    assert_eq!(rest(SeekFrom::Start(99)), "");
}

#[test]
fn long_files_become_rf64_and_are_read_again() {
    let chunk = Chunk { id: *b"bext", data: vec![7; 5], place: ChunkPlace::BeforeFormat };
    let shape = WavShape {
        layout: WavLayout::Integers { container_bits: 24, valid_bits: 24 },
        sample_rate_hz: 48_000,
        n_channels: 1,
        n_frames: 3,
        channel_mask: None,
        chunks: std::slice::from_ref(&chunk),
    };
    let folder = folder();
    for (limit, magic) in [(1 << 20, b"RIFF"), (16, b"RF64")] {
        let (mut bytes, back) = shape.frame(limit);
        bytes.extend_from_slice(&[1, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        bytes.extend_from_slice(&back);
        assert_eq!(&bytes[..4], magic);
        if magic == b"RF64" {
            let stated = u64::from_le_bytes(bytes[20..28].try_into().unwrap());
            assert_eq!(stated + 8, bytes.len() as u64);
        } else {
            let stated = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
            assert_eq!(u64::from(stated) + 8, bytes.len() as u64);
        }
        let source = opened(&folder, &bytes).source;
        assert_eq!(source.read_original(0, 0, 3), Ok(Original::Integers(vec![1, -2, 0x7f_ffff])));
        assert_eq!(source.chunks(), std::slice::from_ref(&chunk));
    }
}

#[test]
fn configurations_of_aac_have_rates() {
    assert_eq!(aac_rate(&[0x10, 0x10, 0x56]), Some(96_000));
    assert_eq!(aac_rate(&[0x12, 0x08]), Some(44_100));
    // An explicit rate of 24 bits: 88,200 Hz is 0x015888.
    assert_eq!(aac_rate(&[0x17, 0x80, 0xac, 0x44, 0x08]), Some(88_200));
    assert_eq!(aac_rate(&[0x17]), None);
}

/// Shorter than what it moves, as long, longer; at the start, at the end, and none.
#[test]
fn silence_moves_what_follows_it() {
    let folder = folder();
    let frames: Vec<f32> = (1..=2_000u16).map(f32::from).collect();
    for (at, n_silent) in [(300, 7), (300, 699), (300, 700), (300, 701), (0, 5), (999, 4_000), (1_000, 3), (20, 0)] {
        let path = folder.path().join(format!("{at}-{n_silent}.wav"));
        let mut wav = GrowingWav::create(&path, 48_000, 2).unwrap();
        wav.append(&frames).unwrap();
        wav.insert_silence(at, n_silent).unwrap();
        assert_eq!(wav.finish().unwrap(), 1_000 + n_silent);
        let source = Source::open(&path, &Progress::new()).unwrap().source;
        for channel in 0..2 {
            let mut wanted: Vec<f32> = frames.iter().copied().skip(channel).step_by(2).collect();
            wanted.splice(at as usize..at as usize, std::iter::repeat_n(0.0, n_silent as usize));
            let mut found = vec![f32::NAN; wanted.len()];
            source.read(channel, 0, &mut found).unwrap();
            assert_eq!(found, wanted, "{n_silent} at {at}");
        }
    }
}
