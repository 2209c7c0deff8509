//! Audio embedded in other files is not opened. Audio without a magic number is, if it consists of consecutive frames.

use base::Progress;
use sonobrush_media::Source;
use support::bad_inputs::make_bad_inputs;
use support::opened::{clip, folder, opened};
use tempfile::TempDir;

/// `n` pseudo-random bytes.
fn noise(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..n).map(|_| next()).collect()
}

/// A folder, and an MP3 of 250 frames.
fn mp3() -> (TempDir, Vec<u8>) {
    let folder = folder();
    make_bad_inputs(folder.path());
    let bytes = std::fs::read(folder.path().join("ok.mp3")).unwrap();
    (folder, bytes.repeat(10))
}

/// The error message for these bytes; `None` if they are opened.
fn refusal(folder: &TempDir, bytes: &[u8]) -> Option<String> {
    let path = folder.path().join("other");
    std::fs::write(&path, bytes).unwrap();
    Source::open(&path, &Progress::new()).err().map(|error| error.message().to_owned())
}

#[test]
fn archives_documents_and_databases_are_refused_by_name() {
    let (folder, mp3) = mp3();
    let flac = std::fs::read(clip("crow_44k_mono.flac")).unwrap();
    let mut tar = vec![0; 512];
    tar[..9].copy_from_slice(b"sound.mp3");
    tar[257..263].copy_from_slice(b"ustar\0");
    let starts: [(&str, Vec<u8>); 11] = [
        ("ZIP", b"PK\x03\x04\x14\0\0\0\0\0sound.mp3".to_vec()),
        ("tar", tar),
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec()),
        ("xz", b"\xfd7zXZ\0\0\x04".to_vec()),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec()),
        ("RAR", b"Rar!\x1a\x07\x01\0".to_vec()),
        ("bzip2", b"BZh91AY&SY".to_vec()),
        ("zstd", b"\x28\xb5\x2f\xfd\x04".to_vec()),
        ("LZ4", b"\x04\x22\x4d\x18\x64".to_vec()),
        ("a PDF document", b"%PDF-1.7\n".to_vec()),
        ("a database", b"SQLite format 3\0\x10\0\x01\x01".to_vec()),
    ];
    for (name, start) in starts {
        for sound in [&mp3, &flac] {
            let said = refusal(&folder, &[&start[..], sound].concat()).unwrap_or_else(|| panic!("{name} is opened"));
            assert!(said.contains(name) && said.contains("not a sound file; "), "{name}: {said}");
        }
    }
}

#[test]
fn sound_inside_of_noise_or_text_is_none() {
    let (folder, mp3) = mp3();
    let aac = std::fs::read(clip("../coded/aac.aac")).unwrap();
    let flac = std::fs::read(clip("crow_44k_mono.flac")).unwrap();
    let ogg = std::fs::read(folder.path().join("ok.ogg")).unwrap();
    let wav = std::fs::read(clip("speech_16k_mono.wav")).unwrap();
    let text = b"A text, and then a sound. ".repeat(1000);
    for (index, sound) in [&mp3, &aac, &flac, &ogg, &wav].into_iter().enumerate() {
        for before in [noise(20_000, 1 + index as u64), text.clone(), noise(2_000_000, 9)] {
            let bytes = [&before[..], sound, &noise(20_000, 11)].concat();
            let said = refusal(&folder, &bytes).unwrap_or_else(|| panic!("sound {index} behind other bytes is opened"));
            assert!(said.starts_with("is not audio"), "{said}");
        }
    }
    // A few frames, followed by more of something else.
    for rest in [noise(200_000, 3), text.repeat(10)] {
        assert!(refusal(&folder, &[&mp3[..5000], &rest].concat()).is_some());
    }
    for seed in 0..40 {
        let n = 1000 << (seed % 10);
        assert!(refusal(&folder, &noise(n, 100 + seed)).is_some(), "noise {seed}");
    }
}

#[test]
fn frames_without_a_mark_are_found_where_they_begin() {
    let (folder, mp3) = mp3();
    let aac = std::fs::read(clip("../coded/aac.aac")).unwrap();
    let n = |bytes: &[u8]| opened(&folder, bytes).source.info().n_samples;
    let id3 = |content: &[u8]| {
        let n = content.len();
        [&b"ID3\x03\0\0"[..], &[21, 14, 7, 0].map(|shift| (n >> shift) as u8 & 0x7f), content].concat()
    };
    let ape = [&b"APETAGEX\xd0\x07\0\0\x24\0\0\0\0\0\0\0\0\0\0\xa0"[..], &[0; 8], b"abcd", &[0; 32]].concat();
    let id3v1 = [&b"TAG"[..], &[0; 125]].concat();
    for (sound, description, frame) in [(&mp3, "MP3", 576), (&aac, "AAC", 1024)] {
        let whole = n(sound);
        assert_eq!(opened(&folder, sound).source.info().description, description);
        // The first frame after a cut may depend on the previous one, and is then lost.
        let is_near = |n: u64| whole.abs_diff(n) <= 2 * frame;
        for before in [id3(&noise(70_000, 4)), [id3(&[0; 20]), id3(b"x")].concat(), ape.clone(), vec![0; 3000]] {
            assert_eq!(n(&[&before[..], sound].concat()), whole, "{description}");
        }
        assert!(is_near(n(&sound[41..])), "{description} cut in mid frame");
        assert!(is_near(n(&[&noise(60, 5)[..], sound].concat())), "{description} behind a little noise");
        assert!(is_near(n(&sound[..sound.len() - 30])), "{description} cut short");
        // A tag larger than the audio.
        let picture = noise(3 * sound.len(), 6);
        let size = (picture.len() as u32 + 32).to_le_bytes();
        let tag = [&picture[..], b"APETAGEX\xd0\x07\0\0", &size, &[1, 0, 0, 0], &[0; 12]].concat();
        assert_eq!(n(&[&sound[..], &tag, &id3v1].concat()), whole, "{description} before a large tag");
        // Zeros do not count as other data: they follow the audio in files that were allocated at full size.
        for n_zeros in [10 * sound.len(), 3_000_000] {
            let opened = opened(&folder, &[&sound[..], &vec![0; n_zeros]].concat());
            assert_eq!(opened.source.info().n_samples, whole, "{description} before {n_zeros} zeros");
            assert!(opened.notices.is_empty(), "{:?}", opened.notices);
        }
    }
}
