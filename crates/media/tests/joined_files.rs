//! Files that were concatenated, or cut out of a longer file, byte by byte without decoding: each part decodes to the
//! same samples as by itself. `decode_matrix.py` has more cases, which it compares with other decoders.

use base::Progress;
use sonobrush_media::{OpenOptions, Opened, Original, Source};
use std::cell::RefCell;
use std::path::PathBuf;
use support::made_audio::{aiff, be16, le16, riff, wav};
use support::opened::{clip, clips, folder, open, opened};

fn found(name: &str) -> PathBuf {
    support::root().join("tests/found3").join(name)
}

fn matrix(name: &str) -> PathBuf {
    support::root().join("tests/matrix").join(name)
}

/// All samples of each channel, as stored in the file, not scaled.
fn samples(source: &Source) -> Vec<Vec<f64>> {
    let info = source.info();
    let channel = |channel| match source.read_original(channel, 0, info.n_samples as usize).unwrap() {
        Original::Integers(values) => values.into_iter().map(f64::from).collect(),
        Original::Floats(values) => values.into_iter().map(f64::from).collect(),
        Original::Doubles(values) => values,
    };
    (0..info.n_channels).map(channel).collect()
}

/// The samples of several files, concatenated channel by channel.
fn one_by_one(paths: &[PathBuf]) -> Vec<Vec<f64>> {
    let all: Vec<_> = paths.iter().map(|path| samples(&open(path).source)).collect();
    (0..all[0].len()).map(|channel| all.iter().flat_map(|sound| sound[channel].clone()).collect()).collect()
}

fn joined(paths: &[PathBuf], between: &[u8]) -> Vec<u8> {
    let parts: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    parts.join(between)
}

/// An ID3v1 tag, and an ID3v2 tag whose content is MPEG audio frame headers.
fn tags() -> Vec<u8> {
    let mut bytes = b"TAG".to_vec();
    bytes.resize(128, b' ');
    bytes.extend(b"ID3\x03\0\0\0\0\x01\x48");
    bytes.extend([0xff, 0xfb, 0x90, 0x64].repeat(50));
    bytes
}

/// Groups of files with the same format, and whether tags may stand between the files.
fn kinds() -> Vec<(Vec<PathBuf>, bool)> {
    let flac = |name| clip(name);
    vec![
        (vec![flac("tabla_loop_44k_stereo.flac"), flac("drum_break_44k_stereo.flac")], true),
        (vec![matrix("mp3/mp3_small.mp3"), matrix("mp3/mp3_id3v2_300.mp3")], true),
        (vec![matrix("mp3/mp3_tail_id3v1.mp3"), matrix("mp3/mp3_small.mp3"), matrix("mp3/mp3_tail_ape.mp3")], true),
        (vec![matrix("vorbis/vorbis_small.ogg"); 2], false),
        (vec![matrix("opus/opus_small.opus"); 3], false),
        (vec![matrix("oggflac/flac16_small.oga"); 2], false),
    ]
}

#[test]
fn each_recording_is_heard_as_it_is_alone() {
    let folder = folder();
    for (paths, has_tags) in kinds() {
        let right = one_by_one(&paths);
        for between in [Vec::new(), tags()].iter().take(if has_tags { 2 } else { 1 }) {
            let opened = opened(&folder, &joined(&paths, between));
            assert_eq!(opened.notices, [""; 0], "{paths:?}");
            assert!(samples(&opened.source) == right, "{paths:?}, {} bytes between", between.len());
        }
    }
}

#[test]
fn the_first_of_another_kind_ends_the_sound_and_is_told() {
    let folder = folder();
    for (first, second, what) in [
        (clip("crow_44k_mono.flac"), clip("tabla_loop_44k_stereo.flac"), "of 44.1 kHz and 2 channels"),
        (matrix("mp3/mp3_small.mp3"), matrix("mp3/mp3_small_8k.mp3"), "of 8 kHz and 1 channel"),
        (matrix("opus/opus_small.opus"), matrix("opus/opus_small_2ch.opus"), "of 48 kHz and 2 channels"),
        (matrix("vorbis/vorbis_small.ogg"), matrix("opus/opus_small.opus"), "of 48 kHz and 1 channel"),
    ] {
        let right = open(&first);
        let info = right.source.info();
        let secs = info.n_samples as f64 / f64::from(info.sample_rate_hz);
        // Nothing after the second file is read either, even if its format is that of the first.
        let opened = opened(&folder, &joined(&[first.clone(), second, first], b""));
        assert!(samples(&opened.source) == samples(&right.source));
        let notice =
            format!("holds another recording from {secs:.3} s on, {what}; only what comes before it was opened");
        assert_eq!(opened.notices, [notice]);
    }
}

#[test]
fn a_recording_that_is_cut_off_in_its_header_ends_the_sound_and_is_told() {
    let folder = folder();
    for (path, n) in [(clip("crow_44k_mono.flac"), 60), (matrix("vorbis/vorbis_small.ogg"), 200)] {
        let whole = std::fs::read(&path).unwrap();
        let opened = opened(&folder, &[&whole[..], &whole[..n]].concat());
        assert!(samples(&opened.source) == samples(&open(&path).source));
        let notice = opened.notices.join("; ");
        assert!(notice.contains("which cannot be read; only what comes before it was opened"), "{notice}");
    }
}

/// Lengths are those of `flac -d` and of both parts of the MP3; the MP3 with a wrong frame count begins after LAME's
/// delay.
#[test]
fn found_files_are_whole_and_begin_where_they_should() {
    for name in ["flac_number_reset_once.flac", "flac_number_from_100.flac"] {
        let opened = open(&found(name));
        assert_eq!((opened.source.info().n_samples, opened.notices.len()), (16_384, 0), "{name}: {:?}", opened.notices);
    }
    // Both files have the same audio; in one, frame numbers restart at 0 after eight frames; in the other, they start
    // at 100.
    let [reset, from_100] = ["reset_once", "from_100"].map(|name| open(&found(&format!("flac_number_{name}.flac"))));
    assert!(samples(&reset.source) == samples(&from_100.source));
    assert!(samples(&reset.source)[0][..100].iter().any(|sample| *sample != 0.0));

    let both = open(&found("joined.mp3"));
    assert_eq!((both.source.info().n_samples, both.notices.len()), (88_200, 0), "{:?}", both.notices);
    let bytes = std::fs::read(found("joined.mp3")).unwrap();
    let folder = folder();
    let halves = [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 2..]].map(|half| opened_samples(&folder, half));
    let alone: Vec<f64> = halves.iter().flat_map(|half| half[0].clone()).collect();
    assert!(samples(&both.source)[0] == alone);

    let counted = open(&found("xing_one_frame_too_many.mp3"));
    assert_eq!((counted.source.info().n_samples, counted.notices.len()), (44_100, 0), "{:?}", counted.notices);
    let mut right = std::fs::read(found("xing_one_frame_too_many.mp3")).unwrap();
    right[0x2f] -= 1;
    assert!(samples(&counted.source) == opened_samples(&folder, &right));
}

fn opened_samples(folder: &tempfile::TempDir, bytes: &[u8]) -> Vec<Vec<f64>> {
    samples(&opened(folder, bytes).source)
}

/// Files over the memory limit are decoded to disk, and displayed early if their length is known.
#[test]
fn joined_recordings_on_disk_are_the_same() {
    let folder = folder();
    let options =
        OpenOptions { memory_bytes: 1 << 10, scratch_folder: folder.path().join("scratch"), ..OpenOptions::default() };
    let path = folder.path().join("joined");
    let on_disk = |bytes: &[u8]| -> (Opened, Option<Source>) {
        std::fs::write(&path, bytes).unwrap();
        let shown = RefCell::new(None);
        let preview = |source: &Source| drop(shown.replace(Some(source.clone())));
        let opened = Source::open_with(&path, &options, &preview, &Progress::new()).unwrap();
        (opened, shown.into_inner())
    };
    for (paths, _) in kinds() {
        let (opened, _) = on_disk(&joined(&paths, b""));
        assert!(samples(&opened.source) == one_by_one(&paths), "{paths:?}");
    }
    let (opened, shown) = on_disk(&std::fs::read(found("joined.mp3")).unwrap());
    assert!(opened.source.is_on_disk() && opened.source.info().n_samples == 88_200);
    let shown = shown.expect("its length is known before it is decoded");
    assert!(shown.is_same(&opened.source), "what was shown is what it became");
}

/// Control: damage within a part becomes silence, and everything else stays in its place.
#[test]
fn damage_in_a_later_recording_stays_there() {
    let folder = folder();
    let paths = [clip("tabla_loop_44k_stereo.flac"), clip("drum_break_44k_stereo.flac")];
    let right = &one_by_one(&paths)[0];
    let first = std::fs::read(&paths[0]).unwrap();
    let mut bytes = joined(&paths, b"");
    let at = (first.len() + bytes.len()) / 2;
    bytes[at] ^= 0x40;
    let opened = opened(&folder, &bytes);
    let notices = &opened.notices;
    assert!(notices.len() == 1 && notices[0].ends_with(" of it could not be read and were replaced by silence"));
    let found = &samples(&opened.source)[0];
    assert_eq!(found.len(), right.len());
    let differing: Vec<usize> = (0..right.len()).filter(|at| found[*at] != right[*at]).collect();
    let (first_wrong, last_wrong) = (differing[0], differing[differing.len() - 1]);
    assert!(found[first_wrong..=last_wrong].iter().all(|sample| *sample == 0.0));
    let n_first = open(&paths[0]).source.info().n_samples as usize;
    assert!(first_wrong > n_first && last_wrong - first_wrong < 2 * 4608, "{first_wrong} to {last_wrong}");
}

/// Frame numbers only determine how long the silence for a damaged section is, also at the start of the file.
#[test]
fn the_number_of_a_flac_frame_measures_only_what_is_damaged() {
    let folder = folder();
    for (name, path) in [("from 0", clip("crow_44k_mono.flac")), ("from 100", found("flac_number_from_100.flac"))] {
        let right = &samples(&open(&path).source)[0];
        let whole = std::fs::read(&path).unwrap();
        let heads: Vec<usize> = (42..whole.len() - 4)
            .filter(|at| {
                whole[*at] == 0xff
                    && whole[at + 1] == 0xf8
                    && whole[at + 2..at + 4] == whole[first_frame(&whole) + 2..][..2]
            })
            .collect();
        assert!(heads.len() > 4, "{name}");
        let block = usize::from(u16::from_be_bytes([whole[8], whole[9]]));
        for damaged in [0, 3] {
            let mut bytes = whole.clone();
            bytes[heads[damaged]] = 0;
            let opened = opened(&folder, &bytes);
            let found = &samples(&opened.source)[0];
            assert_eq!(found.len(), right.len(), "{name}, frame {damaged}: {:?}", opened.notices);
            let silent = damaged * block..(damaged + 1) * block;
            let is_right = |at: usize| found[at] == if silent.contains(&at) { 0.0 } else { right[at] };
            // The previous block may be lost too, since its end is only known from the next frame header.
            let from = silent.start.saturating_sub(block);
            assert!((0..from).chain(silent.start..right.len()).all(is_right), "{name}, frame {damaged}");
        }
    }
}

fn first_frame(bytes: &[u8]) -> usize {
    let (mut at, mut is_last) = (4, false);
    while !is_last {
        is_last = bytes[at] & 0x80 != 0;
        at += 4 + u32::from_be_bytes([0, bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    }
    at
}

/// Names of formats, as in notices, and a small file of each.
fn one_of_each_kind() -> Vec<(&'static str, Vec<u8>)> {
    let read = |name: &str| std::fs::read(matrix(name)).unwrap();
    let values: Vec<i16> = (0..999).map(|at| (at * 31 % 2000) as i16 - 1000).collect();
    let mut files = vec![
        ("WAV", wav(&riff::format(1, 1, 44_100, 16), &le16(&values))),
        ("AIFF", aiff(b"AIFF", None, 16, &be16(&values))),
    ];
    for (name, file) in [
        ("FLAC", "flac/flac16_small.flac"),
        ("MP3", "mp3/mp3_small.mp3"),
        ("AAC", "adts/aac_tail_id3v1.aac"),
        ("Ogg", "vorbis/vorbis_small.ogg"),
        ("Wave64", "w64/pcm24_small.w64"),
        ("AU", "au/pcm24_small.au"),
        ("CAF", "caf/pcm16_BE_small.caf"),
        ("CAF", "caf/alac16_small.caf"),
        ("MP4 or M4A", "m4a/aac_small.m4a"),
        ("MP4 or M4A", "m4a/alac16_small.m4a"),
    ] {
        files.push((name, read(file)));
    }
    files
}

/// Of two concatenated files only the first is opened, and a notice states where the second begins, even after tags or
/// zeros.
#[test]
fn a_file_of_another_kind_behind_the_first_is_told() {
    let folder = folder();
    let files = one_of_each_kind();
    let spaces = [vec![], tags()[..128].to_vec(), vec![0; 5000]];
    for (index, (first_name, first)) in files.iter().enumerate() {
        let alone = opened(&folder, first);
        let info = alone.source.info();
        let secs = info.n_samples as f64 / f64::from(info.sample_rate_hz);
        for (second_name, second) in &files {
            // Two files with one of these formats are opened as a single recording.
            if first_name == second_name && ["FLAC", "MP3", "AAC", "Ogg"].contains(first_name) {
                continue;
            }
            let space = &spaces[index % spaces.len()];
            let joined = opened(&folder, &[&first[..], space, second].concat());
            let what = format!("{first_name} ({} bytes between), {second_name}", space.len());
            assert!(samples(&joined.source) == samples(&alone.source), "{what}");
            let at = first.len() + space.len();
            let reason = format!(
                "holds another recording from {secs:.3} s on, {second_name} at byte {at}; only what comes before it was \
                 opened"
            );
            assert_eq!(joined.notices, [reason], "{what}");
        }
    }
}

/// A short file followed by a long one of another format: the short one is opened, although it has fewer bytes.
#[test]
fn a_short_recording_in_front_of_a_long_one_is_opened() {
    let folder = folder();
    let long = std::fs::read(clip("choir_44k_stereo_float64.wav")).unwrap();
    for (name, file) in [("mp3", "mp3/mp3_small.mp3"), ("aac", "adts/aac_tail_id3v1.aac")] {
        let first = std::fs::read(matrix(file)).unwrap();
        assert!(first.len() * 20 < long.len());
        let joined = opened(&folder, &[&first[..], &long].concat());
        assert!(samples(&joined.source) == samples(&open(&matrix(file)).source), "{name}");
        assert!(joined.notices.len() == 1 && joined.notices[0].contains("WAV at byte"), "{name}: {:?}", joined.notices);
    }
}

/// Control: tags, zeros and other leftovers after the audio are not reported as another recording.
#[test]
fn tags_zeros_and_noise_behind_a_sound_are_no_other_recording() {
    let folder = folder();
    let ape_head = |flags: u32| {
        let words = [2000u32, 32, 0, flags].map(u32::to_le_bytes);
        [&b"APETAGEX"[..], words.as_flattened(), &[0; 8]].concat()
    };
    let text = b"LYRICSBEGININD00002lalalaOggSfLaC";
    let lyrics = [&text[..], format!("{:06}LYRICS200", text.len()).as_bytes()].concat();
    let noise: Vec<u8> = (1..500u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f).collect();
    let tails = [
        tags()[..128].to_vec(),
        [ape_head(1 << 31 | 1 << 29), ape_head(1 << 31)].concat(),
        [lyrics, tags()[..128].to_vec()].concat(),
        vec![0; 70_000],
        noise,
        b"LIST\x08\0\0\0INFOtext".to_vec(),
    ];
    for (name, file) in one_of_each_kind() {
        let alone = opened(&folder, &file);
        for (index, tail) in tails.iter().enumerate() {
            let with_tail = opened(&folder, &[&file[..], tail].concat());
            assert_eq!(with_tail.notices, alone.notices, "{name}, tail {index}");
        }
    }
    for path in clips() {
        let reason = open(&path).notices;
        assert!(reason.iter().all(|notice| !notice.contains("another recording")), "{path:?}: {reason:?}");
    }
}
