//! Files whose header has no length. A streamed file, with the value that its format reserves for this, is read without
//! a notice; a file whose recorder failed to write the length is read with one.

use base::Progress;
use sonobrush_media::{Original, Source};
use support::made_audio::{be16, le16, riff, wav};
use support::opened::{folder, opened};
use tempfile::TempDir;

const UNKNOWN: &str = "its recorder did not write its length; all of it is read";

fn values() -> Vec<i16> {
    (0..1000).map(|at| ((f64::from(at) * 0.05).sin() * 20_000.0) as i16).collect()
}

fn set(bytes: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + value.len()].copy_from_slice(value);
    bytes
}

/// Checks that all samples are present, with the right notices.
fn check(folder: &TempDir, what: &str, bytes: &[u8], reason: &[&str]) {
    let opened = opened(folder, bytes);
    let n = opened.source.info().n_samples as usize;
    let found = opened.source.read_original(0, 0, n).unwrap();
    assert!(found == Original::Integers(values().into_iter().map(i32::from).collect()), "{what}: {n} samples");
    assert_eq!(opened.notices, reason, "{what}");
}

#[test]
fn wav_and_rf64() {
    let folder = folder();
    let plain = wav(&riff::format(1, 1, 44_100, 16), &le16(&values()));
    check(&folder, "intact", &plain, &[]);
    let max = u32::MAX;
    for riff_size in [0, 36, 2036, 2037, 0x7fff_ffff, max] {
        let bytes = set(&plain, 4, &riff_size.to_le_bytes());
        let with_data = |size: u32| set(&bytes, 40, &size.to_le_bytes());
        check(&folder, &format!("{riff_size:x}, 0"), &with_data(0), &[UNKNOWN]);
        check(&folder, &format!("{riff_size:x}, all ones"), &with_data(max), &[]);
        check(&folder, &format!("{riff_size:x}, right"), &with_data(2000), &[]);
    }
    // In RF64, 64-bit sizes in the `ds64` chunk replace those of 32 bits.
    let head = [&b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0"[..], &[0; 28]].concat();
    let rf64 = [&head[..], &plain[12..40], &[0xff; 4], &plain[44..]].concat();
    for (riff_size, data_size, reason) in [
        (rf64.len() as u64 - 8, 2000, &[][..]),
        (0, 0, &[UNKNOWN]),
        (u64::MAX, 0, &[UNKNOWN]),
        (u64::MAX, u64::MAX, &[]),
    ] {
        let bytes = set(&set(&rf64, 20, &riff_size.to_le_bytes()), 28, &data_size.to_le_bytes());
        check(&folder, &format!("RF64 {riff_size:x}, {data_size:x}"), &bytes, reason);
    }
}

/// An intentionally empty file: the empty data chunk is followed by another chunk.
#[test]
fn a_wav_without_samples_is_still_refused() {
    let folder = folder();
    let format = ("fmt ", riff::format(1, 1, 44_100, 16));
    let bytes = riff::file(&[format, ("data", vec![]), ("LIST", b"INFOISFT\x04\0\0\0test".to_vec())]);
    let path = folder.path().join("empty.wav");
    for size in [&bytes[4..8], &[0xff; 4]] {
        std::fs::write(&path, set(&bytes, 4, size)).unwrap();
        let error = Source::open(&path, &Progress::new()).unwrap_err();
        assert_eq!(error.message(), "has a header but no samples, so there is no sound in it");
    }
}

#[test]
fn wave64() {
    let folder = folder();
    let tail = b"\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a";
    let format = riff::format(1, 1, 44_100, 16);
    let riff = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0";
    let head =
        [&riff[..], &2104u64.to_le_bytes(), b"wave", tail, b"fmt ", tail, &40u64.to_le_bytes(), &format].concat();
    let file = |size: u64| [&head[..], b"data", tail, &size.to_le_bytes(), &le16(&values())].concat();
    assert_eq!(file(0).len(), 2104);
    check(&folder, "intact", &file(2024), &[]);
    for (size, reason) in [(0, &[UNKNOWN][..]), (24, &[UNKNOWN]), (u64::MAX, &[]), (i64::MAX as u64, &[])] {
        check(&folder, &format!("{size:x}"), &file(size), reason);
    }
}

#[test]
fn au_and_caf() {
    let folder = folder();
    let samples = be16(&values());
    let au = |size: u32| {
        let words = [24, size, 3, 44_100, 1].map(u32::to_be_bytes);
        [&b".snd"[..], words.as_flattened(), &samples].concat()
    };
    for (size, reason) in [(2000, &[][..]), (0, &[UNKNOWN]), (u32::MAX, &[])] {
        check(&folder, &format!("AU {size:x}"), &au(size), reason);
    }
    let description = [2, 1, 1, 16].map(u32::to_be_bytes);
    let head = [
        &b"caff\0\x01\0\0desc\0\0\0\0\0\0\0\x20"[..],
        &44_100f64.to_be_bytes(),
        b"lpcm\0\0\0\0",
        description.as_flattened(),
    ]
    .concat();
    let caf = |size: i64| [&head[..], b"data", &size.to_be_bytes(), &[0; 4], &samples].concat();
    for (size, reason) in [(2004, &[][..]), (-1, &[]), (0, &[UNKNOWN]), (i64::MIN, &[UNKNOWN])] {
        check(&folder, &format!("CAF {size:x}"), &caf(size), reason);
    }
}
