//! FLAC files with arbitrary data after the last frame, or with damaged metadata: every sample is read.

use base::Progress;
use sonobrush_media::{Opened, Original, Source, tags_of};
use std::path::{Path, PathBuf};
use support::opened::{clip, folder, open, opened};

const NOTICE: &str = "its metadata is damaged or unusual and was ignored; all audio was read";

fn found(name: &str) -> PathBuf {
    support::root().join("tests/found").join(name)
}

/// All samples of each channel.
fn samples(opened: &Opened) -> Vec<Original> {
    let info = opened.source.info();
    (0..info.n_channels)
        .map(|channel| opened.source.read_original(channel, 0, info.n_samples as usize).unwrap())
        .collect()
}

/// The content of STREAMINFO, and the bytes of all frames.
struct Parts {
    info: Vec<u8>,
    frames: Vec<u8>,
}

fn parts(path: &Path) -> Parts {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"fLaC"));
    let (mut at, mut is_last) = (4, false);
    while !is_last {
        is_last = bytes[at] & 0x80 != 0;
        at += 4 + u32::from_be_bytes([0, bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    }
    Parts { info: bytes[8..42].to_vec(), frames: bytes[at..].to_vec() }
}

/// A FLAC file with these metadata blocks (type and content); the last one has the last-block flag.
fn with_blocks(blocks: &[(u8, &[u8])], frames: &[u8]) -> Vec<u8> {
    let mut bytes = b"fLaC".to_vec();
    for (index, (kind, data)) in blocks.iter().enumerate() {
        bytes.push(kind | if index + 1 == blocks.len() { 0x80 } else { 0 });
        bytes.extend_from_slice(&(data.len() as u32).to_be_bytes()[1..]);
        bytes.extend_from_slice(data);
    }
    [&bytes[..], frames].concat()
}

fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| (crc << 1) ^ (0x07 * (crc >> 7))))
}

/// `n` pseudo-random bytes.
fn noise(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..n).map(|_| next()).collect()
}

fn id3v1() -> Vec<u8> {
    let mut tag = b"TAG".to_vec();
    tag.extend_from_slice(b"A title");
    tag.resize(128, 0);
    tag
}

fn synchsafe(n: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (n >> shift) as u8 & 0x7f)
}

/// An ID3v2 tag; one of version 4 has a footer.
fn id3v2(version: u8, content: &[u8]) -> Vec<u8> {
    let flags = if version == 4 { 0x10 } else { 0 };
    let head = |mark: &[u8; 3]| [&mark[..], &[version, 0, flags], &synchsafe(content.len())].concat();
    let footer = if version == 4 { head(b"3DI") } else { Vec::new() };
    [head(b"ID3"), content.to_vec(), footer].concat()
}

fn ape(content: &[u8], has_header: bool) -> Vec<u8> {
    let end = |flags: u32| {
        let n = content.len() as u32 + 32;
        [&b"APETAGEX"[..], &2000u32.to_le_bytes(), &n.to_le_bytes(), &1u32.to_le_bytes(), &flags.to_le_bytes(), &[0; 8]]
            .concat()
    };
    let has = if has_header { 1 << 31 } else { 0 };
    let header = if has_header { end(has | 1 << 29) } else { Vec::new() };
    [header, content.to_vec(), end(has)].concat()
}

fn lyrics3v2(text: &[u8]) -> Vec<u8> {
    let body = [&b"LYRICSBEGIN"[..], text].concat();
    [&body[..], format!("{:06}LYRICS200", body.len()).as_bytes()].concat()
}

/// Names and contents of data that programs or accidents leave after the last frame.
fn tails(frames: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    // Sync codes with wrong checksums, and frame headers with correct checksums in the format of the file.
    let false_syncs: Vec<u8> =
        (0..400u32).flat_map(|i| [0xff, 0xf8, 0xc9, 0x18, i as u8 & 0x7f, (i >> 2) as u8, 0, 0xff]).collect();
    let headers: Vec<u8> = (0..100u8)
        .flat_map(|number| {
            let head = [&frames[..4], &[number]].concat();
            [&head[..], &[crc8(&head)], b"junk between"].concat()
        })
        .collect();
    let lyrics_and_id3v1 = [lyrics3v2(b"IND0000210LYR00006la\r\nla"), id3v1()].concat();
    vec![
        ("newline", b"\n".to_vec()),
        ("return and newline", b"\r\n".to_vec()),
        ("one zero", vec![0]),
        ("two zeros", vec![0; 2]),
        ("zeros", vec![0; 5000]),
        ("ones", vec![0xff; 300]),
        ("ID3v1", id3v1()),
        ("enhanced ID3v1", [&b"TAG+"[..], &[b'x'; 223], &id3v1()].concat()),
        ("APE with header", ape(b"title=x", true)),
        ("APE without header", ape(&[b'y'; 4000], false)),
        (
            "APE of impossible size",
            [b"APETAGEX\xd0\x07\0\0\xff\xff\xff\xff\x01\0\0\0\0\0\0\x80".to_vec(), vec![0; 8]].concat(),
        ),
        ("Lyrics3 and ID3v1", lyrics_and_id3v1.clone()),
        ("Lyrics3 v1 and ID3v1", [b"LYRICSBEGINla la laLYRICSEND".to_vec(), id3v1()].concat()),
        ("ID3v2.3", id3v2(3, &noise(700, 2))),
        ("ID3v2.4 with footer", id3v2(4, &noise(900, 3))),
        ("all tags", [ape(&noise(3000, 4), true), lyrics_and_id3v1, id3v2(4, &[0xff; 200])].concat()),
        ("text", b"This was copied by a program that adds a sentence.\n".repeat(20)),
        ("false sync codes", false_syncs.clone()),
        ("true headers", headers.clone()),
        ("half a frame", frames[..frames.len().min(1500)].to_vec()),
        ("noise", noise(100_000, 5)),
        ("much noise", noise(3_000_000, 6)),
        ("everything", [b"\n".to_vec(), headers, noise(70_000, 7), false_syncs, vec![0; 9], id3v1()].concat()),
    ]
}

#[test]
fn what_stands_behind_the_last_frame_takes_no_sample() {
    let folder = folder();
    for name in ["crow_44k_mono.flac", "tabla_loop_44k_stereo.flac"] {
        let right = samples(&open(&clip(name)));
        let whole = std::fs::read(clip(name)).unwrap();
        let frames = parts(&clip(name)).frames;
        let tails = tails(&frames);
        assert!(tails.len() >= 17);
        for (tail, bytes) in tails {
            let opened = opened(&folder, &[&whole[..], &bytes].concat());
            assert_eq!(opened.notices, [""; 0], "{name}, {tail}");
            assert!(samples(&opened) == right, "{name}, {tail}: {} samples", opened.source.info().n_samples);
        }
    }
}

#[test]
fn a_tail_changes_nothing_where_the_length_is_not_known() {
    let folder = folder();
    let name = "crow_44k_mono.flac";
    let right = samples(&open(&clip(name)));
    let Parts { mut info, frames } = parts(&clip(name));
    info[13] &= 0xf0;
    info[14..18].fill(0);
    for (tail, bytes) in tails(&frames) {
        let opened = opened(&folder, &[with_blocks(&[(0, &info)], &frames), bytes].concat());
        assert!(opened.notices.is_empty() && samples(&opened) == right, "{tail}: {:?}", opened.notices);
    }
}

#[test]
fn metadata_that_sound_does_not_need_is_not_needed() {
    let name = "crow_44k_mono.flac";
    let right = samples(&open(&clip(name)));
    let Parts { info, frames } = parts(&clip(name));
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut info = info.clone();
        change(&mut info);
        with_blocks(&[(0, &info), (1, &[0; 20])], &frames)
    };
    let with = |kind: u8, data: &[u8]| with_blocks(&[(0, &info), (kind, data), (1, &[0; 20])], &frames);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let point = |sample: u64| [&sample.to_be_bytes()[..], &[0; 8], &[16, 0]].concat();
    let plain = with_blocks(&[(0, &info), (1, &[0; 200])], &frames);
    // Changes the stated length of the 200-byte block after STREAMINFO.
    let with_length = |n: u32| {
        let mut bytes = with_blocks(&[(0, &info), (1, &[0; 200]), (1, &[0; 50])], &frames);
        bytes[43..46].copy_from_slice(&n.to_be_bytes()[1..]);
        bytes
    };
    let with_mark = |at: usize, kind: u8| {
        let mut bytes = plain.clone();
        bytes[at] = kind;
        bytes
    };
    let picture_mime = [words(&[3, 2]), vec![0xff, 0xfe], words(&[0, 1, 1, 24, 0, 0])].concat();
    let comment = |n: u32, text: &[u8]| [&0u32.to_le_bytes()[..], &1u32.to_le_bytes(), &n.to_le_bytes(), text].concat();

    // Name, whether a notice is required, and the file. Without the requirement a notice is optional, as most readers
    // accept these files.
    let variants: Vec<(&str, bool, Vec<u8>)> = vec![
        ("CUESHEET too short", true, with(5, &[0; 40])),
        ("CUESHEET of 255 tracks that are not there", true, with(5, &[&[0; 395][..], &[0xff]].concat())),
        ("PICTURE whose type is no text", true, with(6, &picture_mime)),
        ("PICTURE of 4 GB", true, with(6, &words(&[3, u32::MAX, 0]))),
        ("PICTURE too short", true, with(6, &[0; 3])),
        ("comments by no one", true, with(4, &[])),
        ("comments of 4 GB", true, with(4, &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])),
        ("a comment that is no text", false, with(4, &comment(4, &[0xff, 0xfe, b'=', 0x80]))),
        ("APPLICATION without a name", true, with(2, &[1, 2])),
        (
            "two tables of seek points",
            true,
            with_blocks(&[(0, &info), (3, &point(0)), (3, &point(0)), (1, &[0; 4])], &frames),
        ),
        ("a table of half a seek point", false, with(3, &[0; 27])),
        ("seek points in disorder", false, with(3, &[point(9000), point(0), point(1 << 60)].concat())),
        ("a block of a kind to come", false, with(100, &[0xff; 100])),
        ("two STREAMINFOs", true, with_blocks(&[(0, &info), (0, &info)], &frames)),
        ("STREAMINFO behind another", false, with_blocks(&[(1, &[0; 9]), (0, &info)], &frames)),
        ("no STREAMINFO", true, with_blocks(&[(1, &[0; 34])], &frames)),
        ("a long STREAMINFO", true, with_blocks(&[(0, &[&info[..], &[0; 6]].concat())], &frames)),
        ("least block 1", true, changed(&|info| info[..2].copy_from_slice(&[0, 1]))),
        ("blocks of nothing", true, changed(&|info| info[..4].fill(0))),
        ("least block above the most", true, changed(&|info| info[..4].copy_from_slice(&[0x20, 0, 0x10, 0]))),
        ("blocks of another size", true, changed(&|info| info[..4].copy_from_slice(&[0x12, 0, 0x12, 0]))),
        ("blocks of 16", true, changed(&|info| info[..4].copy_from_slice(&[0, 16, 0, 16]))),
        ("least frame above the most", true, changed(&|info| info[4..10].copy_from_slice(&[0, 0x20, 0, 0, 0, 10]))),
        ("frames of 20 bytes", false, changed(&|info| info[4..10].copy_from_slice(&[0, 0, 10, 0, 0, 20]))),
        ("rate 0", true, changed(&|info| (info[10], info[11], info[12]) = (0, 0, info[12] & 15))),
        ("another rate", true, changed(&|info| info[10] ^= 1)),
        ("eight channels", true, changed(&|info| info[12] |= 0x0e)),
        ("another depth", true, changed(&|info| info[13] ^= 0x70)),
        ("a block that is said to be longer", true, with_length(400)),
        ("a block that is said to be shorter", false, with_length(100)),
        ("a block beyond the end", true, with_length(0xff_ffff)),
        ("no last block", true, with_mark(42, 1)),
        ("a last block in the middle", false, with_mark(4, 0x80)),
    ];
    assert!(variants.len() >= 20);
    let folder = folder();
    assert_eq!(opened(&folder, &plain).notices, [""; 0]);
    for (variant, is_reported, bytes) in variants {
        for tail in [&b""[..], b"\n"] {
            let opened = opened(&folder, &[&bytes[..], tail].concat());
            assert!(samples(&opened) == right, "{variant}: {:?}", opened.source.info());
            let notices = &opened.notices;
            assert!(notices.is_empty() && !is_reported || *notices == [NOTICE], "{variant}: {notices:?}");
        }
    }
}

#[test]
fn files_that_once_lost_sound_are_whole() {
    for (name, is_damaged) in [
        ("flac_id3v1.flac", false),
        ("flac_newline.flac", false),
        ("flac_cuesheet_leadout.flac", true),
        ("flac_picture_mime.flac", true),
        ("flac_comment_empty.flac", true),
        ("flac_framesize_minmax.flac", true),
        ("flac_minblock1.flac", true),
    ] {
        let opened = open(&found(name));
        assert_eq!(opened.source.info().n_samples, 9000, "{name}");
        assert_eq!(opened.notices, vec![NOTICE; usize::from(is_damaged)], "{name}");
        // All files have the same samples.
        assert!(samples(&opened) == samples(&open(&found("flac_newline.flac"))), "{name}");
    }
}

#[test]
fn a_tag_before_the_mark_is_skipped() {
    let folder = folder();
    let name = "crow_44k_mono.flac";
    let right = samples(&open(&clip(name)));
    let whole = std::fs::read(clip(name)).unwrap();
    let picture = noise(5000, 9);
    for tag in [id3v2(3, &picture), id3v2(4, &picture), [id3v2(3, b"x"), id3v2(4, &picture), vec![0; 100]].concat()] {
        let opened = opened(&folder, &[&tag[..], &whole, b"\n"].concat());
        assert!(samples(&opened) == right && opened.notices.is_empty(), "{:?}", opened.notices);
        assert_eq!(opened.source.info().description, "FLAC, 16 bit");
    }
}

/// Control for the tests above: damaged frames are still reported, and only they become silent.
#[test]
fn damaged_frames_are_silent_and_told_with_a_tail_too() {
    let folder = folder();
    let name = "tabla_loop_44k_stereo.flac";
    let right = samples(&open(&clip(name)));
    let mut bytes = std::fs::read(clip(name)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    for tail in [Vec::new(), b"\n".to_vec(), id3v1(), noise(9000, 8)] {
        let opened = opened(&folder, &[&bytes[..], &tail].concat());
        let notices = &opened.notices;
        assert!(
            notices.len() == 1 && notices[0].ends_with(" of it could not be read and were replaced by silence"),
            "{notices:?}"
        );
        for (found, right) in samples(&opened).iter().zip(&right) {
            let (Original::Integers(found), Original::Integers(right)) = (found, right) else { panic!("no integers") };
            assert_eq!(found.len(), right.len());
            let differing: Vec<usize> = (0..right.len()).filter(|at| found[*at] != right[*at]).collect();
            let (first, last) = (differing[0], differing[differing.len() - 1]);
            assert!(found[first..=last].iter().all(|sample| *sample == 0), "{first} to {last}");
            // The silence is one frame, or two if the damage hit a frame header.
            assert!(
                last - first < 2 * 4608 && first > right.len() / 4 && last < right.len() / 4 * 3,
                "{first} to {last}"
            );
        }
    }
}

#[test]
fn a_file_cut_short_is_told_with_a_tail_too() {
    let folder = folder();
    let name = "crow_44k_mono.flac";
    let right = samples(&open(&clip(name)));
    let whole = std::fs::read(clip(name)).unwrap();
    let mut lengths = Vec::new();
    for tail in [Vec::new(), b"\n".to_vec(), id3v1(), noise(9000, 8)] {
        let opened = opened(&folder, &[&whole[..whole.len() - 100], &tail].concat());
        assert!(opened.notices.len() == 1 && opened.notices[0].starts_with("is cut off: "), "{:?}", opened.notices);
        let n = opened.source.info().n_samples as usize;
        assert!(n > 0 && opened.source.read_original(0, 0, n).is_ok());
        let (Original::Integers(found), Original::Integers(right)) = (&samples(&opened)[0], &right[0]) else {
            panic!()
        };
        assert!(found[..] == right[..n] && n < right.len());
        lengths.push(n);
    }
    assert!(lengths.iter().all(|n| *n == lengths[0]), "{lengths:?}");
}

/// The search through 16 MB after the last frame can be cancelled.
#[test]
fn a_long_tail_can_be_cancelled() {
    let folder = folder();
    let path = folder.path().join("long.flac");
    let whole = std::fs::read(clip("crow_44k_mono.flac")).unwrap();
    std::fs::write(&path, [&whole[..], &vec![0xff; 16 << 20]].concat()).unwrap();
    assert_eq!(samples(&open(&path)), samples(&open(&clip("crow_44k_mono.flac"))));
    let progress = Progress::new();
    progress.cancel();
    let error = Source::open(&path, &progress).unwrap_err();
    assert_eq!(error.kind(), base::ErrorKind::Cancelled);
}

/// Tags after a large picture are found, even if the file begins with an ID3v2 tag.
#[test]
fn comments_behind_a_large_picture_are_found() {
    let Parts { info, frames } = parts(&clip("crow_44k_mono.flac"));
    let comment = b"ARTIST=crow";
    let mut comments = 0u32.to_le_bytes().to_vec();
    comments.extend_from_slice(&1u32.to_le_bytes());
    comments.extend_from_slice(&(comment.len() as u32).to_le_bytes());
    comments.extend_from_slice(comment);
    let picture = noise(300 << 10, 3);
    let flac = with_blocks(&[(0, &info), (6, &picture), (4, &comments)], &frames);
    let id3 = [&b"ID3\x03\0\0\0\0\0\x14"[..], &[0; 20]].concat();
    let folder = folder();
    for (name, bytes) in [("plain.flac", flac.clone()), ("tagged.flac", [&id3[..], &flac].concat())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let found = tags_of(&path, &[]);
        assert!(found.iter().any(|tag| tag.name == "artist" && tag.value == "crow"), "{name}: {found:?}");
    }
}
