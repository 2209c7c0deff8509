//! Silence that is known without being read; a tiny file can encode hours of it. A sound with such silence gets
//! the same description as if all of it had been read, and the silence takes almost no time.

use base::Progress;
use dsp::signal::loudness::LoudnessMeter;
use library::describe::describe;
use library::identity::pictures::SoundPicture;
use media::{OpenOptions, Source};
use std::path::Path;

const RATE_HZ: u32 = 8_000;

fn crc(bytes: &[u8], bits: u32, polynomial: u32) -> u32 {
    let mask = (1 << bits) - 1;
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << (bits - 8), |sum, _| {
            if sum >> (bits - 1) & 1 == 0 { sum << 1 & mask } else { (sum << 1 ^ polynomial) & mask }
        })
    })
}

/// A FLAC frame of 4,096 16-bit samples on one channel: verbatim, or all zeros.
fn frame(number: u32, samples: Option<&[i16]>) -> Vec<u8> {
    // The frame number, coded like a UTF-8 character in three bytes, which may be more than it needs.
    let code = [0xe0 | (number >> 12) as u8, 0x80 | (number >> 6 & 0x3f) as u8, 0x80 | (number & 0x3f) as u8];
    let mut bytes = [&[0xff, 0xf8, 0xc4, 0x08][..], &code].concat();
    bytes.push(crc(&bytes, 8, 0x07) as u8);
    match samples {
        Some(samples) => {
            bytes.push(0x02);
            bytes.extend(samples.iter().flat_map(|sample| sample.to_be_bytes()));
        }
        None => bytes.extend([0x00, 0, 0]),
    }
    let sum = crc(&bytes, 16, 0x8005) as u16;
    bytes.extend(sum.to_be_bytes());
    bytes
}

/// A FLAC at 8 kHz: a tone, silence, and a tone, each with a number of blocks.
fn tones_around_silence(path: &Path, [first, silent, last]: [u32; 3]) {
    let mut info = vec![0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0];
    info.extend((RATE_HZ << 12 | 15 << 4).to_be_bytes());
    info.resize(34, 0);
    let mut bytes = [&b"fLaC\x80\0\0\x22"[..], &info].concat();
    for number in 0..first + silent + last {
        let tone: Vec<i16> = (0..4096u32)
            .map(|at| (8000.0 * (f64::from(number * 4096 + at) * 0.31).sin()) as i16 + (at % 97) as i16)
            .collect();
        let is_silent = (first..first + silent).contains(&number);
        bytes.extend(frame(number, (!is_silent).then_some(&tone)));
    }
    std::fs::write(path, bytes).unwrap();
}

/// The same file held in memory, where silence is stored as samples, and on disk, where only its range is stored.
#[test]
fn a_sound_with_long_silence_is_described_as_if_it_had_been_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.flac");
    tones_around_silence(&path, [3, 60, 4]);
    let open = |memory_bytes| {
        let options = OpenOptions { memory_bytes, scratch_folder: folder.path().into(), ..OpenOptions::default() };
        Source::open_with(&path, &options, &|_| (), &Progress::new()).unwrap().source
    };
    let (read, noted) = (open(1 << 30), open(1 << 16));
    assert!(!read.is_on_disk() && noted.is_on_disk());
    assert_eq!(read.silent_until(20_000), 20_000);
    assert!(noted.silent_until(20_000) > 200_000, "{}", noted.silent_until(20_000));
    let progress = Progress::new();
    assert_eq!(describe(&read, &progress).unwrap(), describe(&noted, &progress).unwrap());
    assert_eq!(SoundPicture::of(&read, &progress).unwrap(), SoundPicture::of(&noted, &progress).unwrap());
}

/// Two hundred days of silence on eight channels: the test ends only if silence takes no time.
#[test]
fn declared_silence_of_any_length_is_described_at_once() {
    let silence = Source::silence(900_000_000_000, 48_000, 8).unwrap();
    let progress = Progress::new();
    let description = describe(&silence, &progress).unwrap();
    assert!(description.audible.is_none() && description.format.silent);
    assert_eq!((description.loudness.lufs, description.loudness.true_peak_dbtp), (None, None));
    let picture = SoundPicture::of(&silence, &progress).unwrap();
    assert_eq!((picture.secs, picture.picture.width()), (0.0, 1));
}

/// The meter on which this relies: silence given only by its length measures the same as pushed zeros.
#[test]
fn silence_by_its_length_is_measured_as_that_which_is_pushed() {
    for rate_hz in [44_100, 48_000, 11_025] {
        let tone: Vec<f32> = (0..2 * rate_hz).map(|at| 0.3 * (at as f32 * 0.05).sin()).collect();
        let n_silent = 17 * rate_hz as usize + 1234;
        let measured = |by_length: bool| {
            let mut meter = LoudnessMeter::new(rate_hz, 2, None).unwrap();
            for part in [&tone[..], &tone[..rate_hz as usize / 3]] {
                meter.push(&[part, part]).unwrap();
                let zeros = vec![0.0; n_silent];
                if by_length { meter.push_silence(n_silent as u64) } else { meter.push(&[&zeros, &zeros]) }.unwrap();
            }
            meter.push(&[&tone, &tone]).unwrap();
            meter.finish().unwrap()
        };
        assert_eq!(measured(true), measured(false), "{rate_hz} Hz");
    }
}

/// A decompression bomb: eight channels of half an hour in 53 KB. The release build took 18 s, and now takes 2 s.
#[test]
fn the_found_bomb_is_described_in_seconds() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return;
    }
    let path = support::root().join("tests/found/bomb_8ch_1.6GB.flac");
    let began = std::time::Instant::now();
    let source = Source::open(&path, &Progress::new()).unwrap().source;
    let description = describe(&source, &Progress::new()).unwrap();
    assert!(description.format.silent && description.format.channels == 8);
    assert_eq!(SoundPicture::of(&source, &Progress::new()).unwrap().secs, 0.0);
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}
