//! Opus out: the length and place of every sample, channels, tags and what is refused. How near it is to the sound is
//! measured against `opusenc`: docs/formats.md.

use crate::support::made_audio::{riff, wav};
use crate::support::opened::{clip, folder, open, opened};
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing};
use egui::Key;
use egui_kittest::kittest::Queryable;
use flac_codec::metadata::{Picture, PictureType, VorbisComment};
use sonobrush::base::{ErrorKind, Progress, Result};
use sonobrush::media::{BitRate, Encoded, Encoding, SoundToWrite, Source, encode_as};
use std::path::Path;

/// An export without edits.
fn exported(source: &Source, path: &Path, bit_rate: BitRate) -> Result<Encoded> {
    let n_samples = source.info().n_samples;
    let read = |channel: usize, first: u64, out: &mut [f32]| source.read(channel, first as i64, out);
    let sound = SoundToWrite::of(source, n_samples, &read, None);
    encode_as(path, &sound, 0..n_samples, &Encoding { bit_rate, ..Encoding::default() }, &Progress::new())
}

/// A tone of a different pitch on each channel, in floats.
fn tones(n_channels: usize, n_frames: usize, rate_hz: u32, mask: u32) -> Vec<u8> {
    let sample = |index: usize| pitched((index / n_channels) as f64 / f64::from(rate_hz), index % n_channels);
    let data: Vec<u8> = (0..n_frames * n_channels).flat_map(|index| sample(index).to_le_bytes()).collect();
    match n_channels {
        1 | 2 => wav(&riff::format(3, n_channels as u16, rate_hz, 32), &data),
        _ => wav(&riff::extensible(3, n_channels as u16, rate_hz, 32, 32, mask), &data),
    }
}

fn pitched(secs: f64, channel: usize) -> f32 {
    ((secs * (300.0 + 130.0 * channel as f64) * std::f64::consts::TAU).sin() * 0.3) as f32
}

/// Pages of an Ogg file: flags, place and packets' bytes; checksums are right.
fn pages(bytes: &[u8]) -> Vec<(u8, u64, Vec<u8>)> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        assert!(rest.starts_with(b"OggS\0"));
        let n_segments = usize::from(rest[26]);
        let n: usize = rest[27..27 + n_segments].iter().map(|n| usize::from(*n)).sum();
        let (page, behind) = rest.split_at(27 + n_segments + n);
        let mut summed = page.to_vec();
        summed[22..26].fill(0);
        let sum = summed.iter().fold(0u32, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 })
        });
        assert_eq!(sum.to_le_bytes(), page[22..26]);
        assert_eq!(page[18..22], (found.len() as u32).to_le_bytes());
        let place = u64::from_le_bytes(page[6..14].try_into().unwrap());
        found.push((page[5], place, page[27 + n_segments..].to_vec()));
        rest = behind;
    }
    found
}

#[test]
fn every_length_comes_back_in_its_place() {
    let folder = folder();
    let path = folder.path().join("out.opus");
    for (n_channels, rate_hz) in [(2, 48_000), (1, 48_000), (2, 44_100), (1, 16_000), (1, 96_000)] {
        for n_frames in [1, 647, 648, 649, 960, 30_001, 100_000] {
            let source = opened(&folder, &tones(n_channels, n_frames, rate_hz, 0)).source;
            let encoded = exported(&source, &path, BitRate::Usual).unwrap();
            let kbps = 64 * n_channels;
            assert_eq!(encoded, Encoded { description: format!("Opus, {kbps} kbit/s"), ..Encoded::default() });
            let n = (n_frames as f64 * 48_000.0 / f64::from(rate_hz)).round() as u64;
            let pages = pages(&std::fs::read(&path).unwrap());
            // RFC 7845: the first page has the head alone, the last one says where the sound ends behind the pre-skip.
            let head = &pages[0].2;
            let pre_skip = u64::from(u16::from_le_bytes([head[10], head[11]]));
            assert_eq!((&head[..10], head[18]), (&[&b"OpusHead\x01"[..], &[n_channels as u8]].concat()[..], 0));
            assert_eq!(u32::from_le_bytes(head[12..16].try_into().unwrap()), rate_hz);
            assert_eq!((pages[0].0, pages[0].1, pages[1].1), (2, 0, 0));
            let last = pages.last().unwrap();
            assert_eq!((last.0 & 4, last.1), (4, pre_skip + n), "{n_frames} samples at {rate_hz} Hz");
            // No page holds more than a second.
            assert!(pages.windows(2).all(|pair| pair[1].1 - pair[0].1 <= 48_000));
            let back = open(&path).source;
            let info = back.info();
            assert_eq!((info.n_samples, info.sample_rate_hz, info.n_channels), (n, 48_000, n_channels));
            if n_frames == 100_000 {
                let mut samples = vec![0.0; 4_000];
                back.read(n_channels - 1, n as i64 / 2, &mut samples).unwrap();
                for (index, sample) in samples.into_iter().enumerate() {
                    let expected = pitched((n / 2 + index as u64) as f64 / 48_000.0, n_channels - 1);
                    // A sample too early or late is up to 0.017 off.
                    assert!((sample - expected).abs() < 0.012, "{rate_hz}: {sample} {expected}");
                }
            }
        }
    }
}

#[test]
fn a_sound_without_samples_ends_where_it_begins() {
    let folder = folder();
    let path = folder.path().join("out.opus");
    let source = Source::silence(1, 44_100, 1).unwrap();
    let sound = SoundToWrite::of(&source, 0, &|_, _, _| Ok(()), None);
    encode_as(&path, &sound, 0..0, &Encoding::default(), &Progress::new()).unwrap();
    let pages = pages(&std::fs::read(&path).unwrap());
    let pre_skip = u64::from(u16::from_le_bytes([pages[0].2[10], pages[0].2[11]]));
    assert_eq!((pages.len(), pages[2].0, pages[2].1), (3, 4, pre_skip));
}

#[test]
fn up_to_eight_channels_stay_in_their_places() {
    let folder = folder();
    let path = folder.path().join("out.opus");
    for (n_channels, mask) in [(3, 7), (4, 0x33), (5, 0x37), (6, 0x3f), (7, 0x70f), (8, 0x63f), (6, 0x60f)] {
        let source = opened(&folder, &tones(n_channels, 40_000, 48_000, mask)).source;
        let encoded = exported(&source, &path, BitRate::Usual).unwrap();
        assert_eq!(encoded.notices, [""; 0], "{n_channels}");
        let back = open(&path).source;
        assert_eq!((back.info().n_channels, back.info().n_samples), (n_channels, 40_000));
        for channel in 0..n_channels {
            let mut samples = vec![0.0; 4_800];
            back.read(channel, 20_000, &mut samples).unwrap();
            // The tone of the channel and of no other.
            let in_common = |other: usize| {
                let products =
                    (0..4_800).map(|at| f64::from(samples[at] * pitched((20_000 + at) as f64 / 48_000.0, other)));
                products.sum::<f64>() / 4_800.0 / 0.045
            };
            for other in 0..n_channels {
                let wanted = f64::from(u8::from(other == channel));
                let found = in_common(other);
                assert!((found - wanted).abs() < 0.1, "{n_channels} channels, {channel}, {other}: {found}");
            }
        }
    }
    // Speakers that its numbers do not mean.
    let source = opened(&folder, &tones(3, 500, 48_000, 0x103)).source;
    let notices = exported(&source, &path, BitRate::Usual).unwrap().notices;
    assert_eq!(notices, ["Opus cannot state its speakers; players take the usual ones of 3 channels"]);
}

#[test]
fn the_bit_rate_is_what_is_chosen() {
    let folder = folder();
    let path = folder.path().join("out.opus");
    let source = open(&clip("drum_break_44k_stereo.flac")).source;
    let secs = source.info().n_samples as f64 / 44_100.0;
    for kbps in [48, 96, 192] {
        assert_eq!(exported(&source, &path, BitRate::Kbps(kbps)).unwrap().description, format!("Opus, {kbps} kbit/s"));
        let found = std::fs::metadata(&path).unwrap().len() as f64 * 8.0 / secs / 1_000.0;
        // On average over many sounds.
        assert!((0.6..1.4).contains(&(found / f64::from(kbps))), "{kbps}: {found}");
    }
}

#[test]
fn what_opus_cannot_hold_is_one_sentence_and_the_old_file_stays() {
    let folder = folder();
    let path = folder.path().join("out.opus");
    for (n_channels, bit_rate, words) in [
        (9, BitRate::Usual, "Opus holds at most 8 channels, and this sound has 9; export WAV"),
        (2, BitRate::Kbps(11), "Opus of 2 channels has no 11 kbit/s; choose 12 to 510"),
        (1, BitRate::Kbps(u32::MAX), "Opus of 1 channel has no 4294967295 kbit/s; choose 6 to 255"),
        (2, BitRate::Quality(2), "Opus has no V0 to V9, which are qualities of MP3; choose a bit rate"),
    ] {
        std::fs::write(&path, "old").unwrap();
        let source = opened(&folder, &tones(n_channels, 100, 44_100, 0)).source;
        let error = exported(&source, &path, bit_rate).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(words) && error.to_string().contains("out.opus"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}

fn take_text(rest: &mut &[u8]) -> String {
    let n = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
    let text = String::from_utf8(rest[4..4 + n].to_vec()).unwrap();
    *rest = &rest[4 + n..];
    text
}

#[test]
fn tags_pictures_and_chapters_are_comments() {
    let place = Place::new();
    let tagged = place.path("tagged.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &tagged).unwrap();
    flac_codec::metadata::update(&tagged, |blocks| -> std::result::Result<(), flac_codec::Error> {
        let mut comment = VorbisComment::default();
        comment.insert("TITLE", "Kr\u{e4}he");
        comment.insert("ARTIST", "One");
        blocks.insert(comment);
        let cover = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/icon.png"))?;
        blocks.insert(Picture::new(PictureType::FrontCover, "cover", cover).unwrap());
        Ok(())
    })
    .unwrap();
    place.write("l.csv", "start_s,end_s,label\n0.25,0.25,caw\n");
    place.done(&["labels", "tagged.flac", "--import", "l.csv", "-o", "o.opus"]);
    let bytes = place.read("o.opus");
    let pages = pages(&bytes);
    let of_head = pages[1..].iter().take_while(|page| [0, u64::MAX].contains(&page.1));
    let comments: Vec<u8> = of_head.flat_map(|page| page.2.clone()).collect();
    assert!(comments.starts_with(b"OpusTags"));
    let mut rest = &comments[8..];
    let vendor = take_text(&mut rest);
    assert!(vendor.starts_with("libopus "), "{vendor}");
    let (n, mut rest) = rest.split_first_chunk().map(|(n, rest)| (u32::from_le_bytes(*n), rest)).unwrap();
    let found: Vec<String> = (0..n).map(|_| take_text(&mut rest)).collect();
    assert_eq!(found[..4], ["TITLE=Kr\u{e4}he", "ARTIST=One", "CHAPTER001=00:00:00.250", "CHAPTER001NAME=caw"]);
    // RFC 4648 of the block's first 13 bytes: a front cover of type `image/png`.
    assert!(found[4].starts_with("METADATA_BLOCK_PICTURE=AAAAAwAAAAlpbWFnZS9wbmcAAAAF"), "{}", &found[4][..60]);
    assert_eq!((found.len(), rest.len()), (5, 0));
    assert_eq!(open(&place.path("o.opus")).source.info().n_samples, 23_070);
}

#[test]
fn commands_and_the_card_write_opus() {
    let place = Place::new();
    place.write("in.wav", tones(2, 48_000, 48_000, 0));
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    place.write("score.json", r#"{"version": 1, "notes": [{"pitch": "A4", "start": 0, "duration": 0.1}]}"#);
    place.write("l.csv", "start_s,end_s,label\n0.25,0.5,call\n");
    place.done(&["paint", "in.wav", "--script", "none.json", "-o", "p.opus", "--bit-rate", "64"]);
    place.done(&["voices", "score.json", "-o", "v.opus"]);
    place.done(&["export", "in.wav", "--by-label", "--labels", "l.csv", "-o", "parts", "--as", "opus"]);
    assert_eq!(open(&place.path("p.opus")).source.info().n_samples, 48_000);
    assert!(open(&place.path("v.opus")).source.info().n_samples > 4_800);
    assert_eq!(open(&place.path("parts/in_001_call.opus")).source.info().n_samples, 12_000);
    let refused = place.failed(&["paint", "in.wav", "--script", "none.json", "-o", "q.opus", "--vbr", "4"]);
    assert!(refused.contains("q.opus: Opus has no V0 to V9"), "{refused}");

    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.key(CTRL, Key::E);
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Type").click();
    bench.settle();
    bench.click("Opus");
    assert!(!bench.has("Dither"));
    let out = bench.out("card.opus");
    bench.fill("Path", &out.to_string_lossy());
    bench.click("Export");
    assert_eq!(open(&out).source.info().n_samples, 23_070);
}
