//! MP3 out: the frames of LAME's own program, the length that was written, tags, and what is refused.
#![cfg(feature = "mp3")]

use crate::support::made_audio::{riff, wav};
use crate::support::opened::{clip, folder, open, opened};
use crate::support::program::{Place, has_program};
use crate::support::studio::{Bench, CTRL, Drawing};
use egui::Key;
use egui_kittest::kittest::Queryable;
use flac_codec::metadata::{Picture, PictureType, VorbisComment};
use sonobrush::base::{ErrorKind, Progress, Result};
use sonobrush::media::{BitRate, Encoded, Encoding, ReadSamples, SoundToWrite, Source, encode_as};
use std::path::Path;
use std::process::Command;

fn written(path: &Path, source: &Source, read: &ReadSamples<'_>, bit_rate: BitRate) -> Result<Encoded> {
    let n_samples = source.info().n_samples;
    let sound = SoundToWrite::of(source, n_samples, read, None);
    encode_as(path, &sound, 0..n_samples, &Encoding { bit_rate, ..Encoding::default() }, &Progress::new())
}

/// An export without edits.
fn exported(source: &Source, path: &Path, bit_rate: BitRate) -> Result<Encoded> {
    written(path, source, &|channel, first, out| source.read(channel, first as i64, out), bit_rate)
}

/// A tone in floats, a phase for each channel.
fn tone(n_channels: usize, n_frames: usize, rate_hz: u32) -> Vec<u8> {
    let sample = |index: usize| {
        let (frame, channel) = (index / n_channels, index % n_channels);
        (frame as f32 * 2_000.0 / rate_hz as f32 + channel as f32).sin() * 0.5
    };
    let data: Vec<u8> = (0..n_frames * n_channels).flat_map(|index| sample(index).to_le_bytes()).collect();
    wav(&riff::format(3, n_channels as u16, rate_hz, 32), &data)
}

/// The tag at the front.
fn id3(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"ID3") {
        return &[];
    }
    let n = bytes[6..10].iter().fold(0, |sum, byte| sum << 7 | usize::from(*byte));
    &bytes[..10 + n]
}

/// The frame of LAME's tag, and those behind it.
fn frames(bytes: &[u8]) -> (&[u8], &[u8]) {
    let bytes = &bytes[id3(bytes).len()..];
    let is_first = bytes[1] >> 3 & 3 == 3;
    let of_first = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    let of_second = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    let kbps = if is_first { of_first } else { of_second }[usize::from(bytes[2] >> 4)];
    let rate = [44_100, 48_000, 32_000][usize::from(bytes[2] >> 2 & 3)];
    let rate = rate / [4, 0, 2, 1][usize::from(bytes[1] >> 3 & 3)];
    let n = if is_first { 144 } else { 72 } * kbps * 1_000 / rate + usize::from(bytes[2] >> 1 & 1);
    bytes.split_at(n)
}

/// Delay and padding in samples, as LAME's tag states them.
fn delays(tag: &[u8]) -> [u32; 2] {
    let at = tag.windows(9).position(|window| window == b"LAME3.100").unwrap() + 21;
    let both = u32::from_be_bytes([0, tag[at], tag[at + 1], tag[at + 2]]);
    [both >> 12, both & 0xfff]
}

/// Reference: `lame` 3.100 of Debian 12 (x86-64), of the clips as WAV files of 16 bits:
/// `lame -V 2`, `-b 128`, `-b 96`, `-V 5 --resample 16`, `-b 64 --resample 16`, `-V 9 --resample 44.1`; BLAKE3 of all
/// behind the frame of its tag.
#[test]
fn frames_are_those_of_lame() {
    const QUALITY: fn(u8) -> BitRate = BitRate::Quality;
    const KBPS: fn(u32) -> BitRate = BitRate::Kbps;
    let folder = folder();
    for (name, bit_rate, described, padding, hash) in [
        (
            "drum_break_44k_stereo.flac",
            BitRate::Usual,
            "MP3, VBR V2",
            1152,
            "55e7d0bd43272a2ffb32e2802bfc9db4d06980149aac4ef064b3e24fd280edda",
        ),
        (
            "drum_break_44k_stereo.flac",
            KBPS(128),
            "MP3, 128 kbit/s",
            1152,
            "605bda83debe0f35b0d1b66fe33eeef04f88827578caccff58e16f060acb8259",
        ),
        (
            "crow_44k_mono.flac",
            BitRate::Usual,
            "MP3, 96 kbit/s",
            1268,
            "67c7d4c012261200c8f0fb11b2108b4cf55bad32141e6ab90ad609b6e7a8fdf1",
        ),
        (
            "speech_16k_mono.wav",
            QUALITY(5),
            "MP3, VBR V5",
            1024,
            "51290e8fabde20d1ba9edd8d0c0e31b9df6596ddaf243f8139a8233cae69c43b",
        ),
        (
            "speech_16k_mono.wav",
            KBPS(64),
            "MP3, 64 kbit/s",
            1024,
            "496cdd77bf0b10e2129a17e394e0b9134cec8bf0aed10fc698d18e78b32a7209",
        ),
        (
            "tabla_loop_44k_stereo.flac",
            QUALITY(9),
            "MP3, VBR V9",
            1021,
            "e7202404e7ab1365ffb81fa237ac1d7df0c9abc35d7edd3d0937a3ae733ca8e1",
        ),
    ] {
        let path = folder.path().join("out.mp3");
        let source = open(&clip(name)).source;
        let encoded = exported(&source, &path, bit_rate).unwrap();
        assert_eq!(encoded, Encoded { description: described.into(), ..Encoded::default() });
        let bytes = std::fs::read(&path).unwrap();
        let (tag, frames) = frames(&bytes);
        assert_eq!(delays(tag), [576, padding], "{name}, {described}");
        assert_eq!(open(&path).source.info().n_samples, source.info().n_samples, "{name}, {described}");
        // LAME's floats depend on the machine's instructions.
        if cfg!(target_arch = "x86_64") {
            assert_eq!(blake3::hash(frames).to_hex().as_str(), hash, "{name}, {described}");
        }
    }
}

#[test]
fn every_length_comes_back_in_its_place() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for (n_channels, rate_hz) in [(2, 44_100), (1, 44_100), (1, 8_000), (2, 22_050), (2, 48_000)] {
        for n_frames in [1, 575, 1_152, 1_153, 20_000] {
            let source = opened(&folder, &tone(n_channels, n_frames, rate_hz)).source;
            exported(&source, &path, BitRate::Usual).unwrap();
            let back = open(&path).source;
            let info = back.info();
            assert_eq!((info.n_samples, info.sample_rate_hz), (n_frames as u64, rate_hz), "{n_channels} channels");
            assert_eq!(info.n_channels, n_channels);
            if n_frames == 20_000 {
                let middle = |source: &Source, first: i64| {
                    let mut samples = [0.0; 10_000];
                    source.read(n_channels - 1, first, &mut samples).unwrap();
                    samples
                };
                let before = middle(&source, 5_000);
                let [early, off, late] = [4_999, 5_000, 5_001].map(|first| {
                    let pairs = before.into_iter().zip(middle(&back, first));
                    pairs.map(|(one, other)| f64::from(one - other).powi(2)).sum::<f64>()
                });
                assert!(off < early && off < late, "{n_channels} channels at {rate_hz} Hz: {early} {off} {late}");
            }
        }
    }
}

/// Delay and padding are all that its frames hold.
#[test]
fn a_sound_without_samples_is_a_file_without_sound() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    let source = Source::silence(1, 44_100, 1).unwrap();
    let sound = SoundToWrite::of(&source, 0, &|_, _, _| Ok(()), None);
    encode_as(&path, &sound, 0..0, &Encoding::default(), &Progress::new()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (tag, frames) = frames(&bytes);
    let at = tag.windows(4).position(|window| window == b"Info").unwrap() + 8;
    let n_frames = u32::from_be_bytes(tag[at..at + 4].try_into().unwrap());
    assert_eq!(n_frames * 1_152, delays(tag).iter().sum::<u32>());
    assert_eq!(frames.len() as u32 / n_frames, 313, "of 96 kbit/s");
}

#[test]
fn other_sample_rates_become_those_of_mp3_and_that_is_said() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for (from_hz, to_hz) in [(96_000, 48_000), (192_000, 48_000), (37_800, 44_100), (5_000, 8_000)] {
        let source = opened(&folder, &tone(2, 30_001, from_hz)).source;
        let encoded = exported(&source, &path, BitRate::Usual).unwrap();
        let said = format!("resampled from {from_hz} Hz to {to_hz} Hz, as MP3 has no such sample rate");
        assert_eq!(encoded.notices, [said]);
        let back = open(&path).source;
        let n = (30_001.0 * f64::from(to_hz) / f64::from(from_hz)).round() as u64;
        assert_eq!((back.info().n_samples, back.info().sample_rate_hz), (n, to_hz));
        let (mut samples, at) = ([0.0; 1_000], n as usize / 2);
        back.read(1, at as i64, &mut samples).unwrap();
        for (index, sample) in samples.into_iter().enumerate() {
            let expected = ((at + index) as f32 * 2_000.0 / to_hz as f32 + 1.0).sin() * 0.5;
            assert!((sample - expected).abs() < 0.02, "{from_hz}: {sample} {expected}");
        }
    }
}

#[test]
fn what_is_no_number_or_too_loud_is_counted() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for rate_hz in [44_100, 96_000] {
        let source = opened(&folder, &tone(1, 9_000, rate_hz)).source;
        let read = |channel: usize, first: u64, out: &mut [f32]| {
            source.read(channel, first as i64, out)?;
            for (at, sample) in (first..).zip(out) {
                match at {
                    10 | 11 => *sample = f32::NAN,
                    4_000..4_007 => *sample = 1.5,
                    _ => (),
                }
            }
            Ok(())
        };
        let encoded = written(&path, &source, &read, BitRate::Usual).unwrap();
        assert_eq!(encoded.clipped, 7);
        assert_eq!(encoded.notices[0], "7 samples were beyond full scale and clipped");
        assert_eq!(encoded.notices[1], "2 samples were not finite (NaN or infinity) and written as 0");
    }
}

/// FFmpeg reads delay and padding from the tag.
#[test]
fn ffmpeg_decodes_exactly_the_samples_that_were_written() {
    if !has_program("ffmpeg") {
        return;
    }
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for (n_channels, n_samples, rate_hz) in
        [(1, 12_345, 8_000), (2, 54_321, 22_050), (2, 100_001, 44_100), (1, 7_777, 48_000)]
    {
        let source = opened(&folder, &tone(n_channels, n_samples, rate_hz)).source;
        exported(&source, &path, BitRate::Usual).unwrap();
        let decoded =
            Command::new("ffmpeg").args(["-v", "error", "-i"]).arg(&path).args(["-f", "s16le", "-"]).output().unwrap();
        assert_eq!(decoded.stdout.len(), 2 * n_channels * n_samples, "{rate_hz} Hz");
    }
}

/// What the refusal of another bit rate offers leaves room for the tag that states the length.
#[test]
fn every_bit_rate_that_is_offered_is_written() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for rate_hz in [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] {
        for n_channels in [1, 2] {
            let source = opened(&folder, &tone(n_channels, 5_000, rate_hz)).source;
            let refusal = exported(&source, &path, BitRate::Kbps(1)).unwrap_err().to_string();
            let offered = refusal.split_once("choose one of ").unwrap().1.split(", ");
            for kbps in offered.map(|kbps| kbps.parse().unwrap()) {
                exported(&source, &path, BitRate::Kbps(kbps)).unwrap();
                let n_samples = open(&path).source.info().n_samples;
                assert_eq!(n_samples, 5_000, "{rate_hz} Hz, {n_channels} channels, {kbps} kbit/s");
            }
        }
    }
}

#[test]
fn what_mp3_cannot_hold_is_one_sentence_and_the_old_file_stays() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    for (n_channels, rate_hz, bit_rate, words) in [
        (3, 44_100, BitRate::Usual, "MP3 holds at most 2 channels, and this sound has 3; export Opus, FLAC or WAV"),
        (2, 44_100, BitRate::Kbps(100), "MP3 of 44100 Hz has no 100 kbit/s; choose one of 64, 80, 96"),
        (2, 22_050, BitRate::Kbps(320), "MP3 of 22050 Hz has no 320 kbit/s; choose one of 64, 80"),
        (1, 8_000, BitRate::Kbps(0), "MP3 of 8000 Hz has no 0 kbit/s; choose one of 24, 32, 40, 48, 64"),
        (2, 44_100, BitRate::Quality(10), "MP3 has no quality V10; choose 0 (best) to 9 (smallest)"),
    ] {
        std::fs::write(&path, "old").unwrap();
        let error = exported(&opened(&folder, &tone(n_channels, 100, rate_hz)).source, &path, bit_rate).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(words) && error.to_string().contains("out.mp3"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
    // Cancelled in the middle of its work.
    let progress = Progress::new();
    let source = opened(&folder, &tone(2, 300_000, 44_100)).source;
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        if first > 100_000 {
            progress.cancel();
        }
        source.read(channel, first as i64, out)
    };
    let sound = SoundToWrite::of(&source, 300_000, &read, None);
    let error = encode_as(&path, &sound, 0..300_000, &Encoding::default(), &progress).unwrap_err();
    assert_eq!((error.kind(), std::fs::read(&path).unwrap()), (ErrorKind::Cancelled, b"old".to_vec()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the sound and the old file");
}

/// Frames of an ID3v2.3 tag, in order.
fn tag_frames(tag: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut rest = tag.get(10..).unwrap_or_default();
    let mut found = Vec::new();
    while let Some((head, behind)) = rest.split_at_checked(10) {
        let (content, behind) = behind.split_at(u32::from_be_bytes(head[4..8].try_into().unwrap()) as usize);
        found.push((String::from_utf8(head[..4].to_vec()).unwrap(), content.to_vec()));
        rest = behind;
    }
    found
}

#[test]
fn tags_and_pictures_of_the_source_are_id3() {
    let folder = folder();
    let path = folder.path().join("out.mp3");
    let tagged = folder.path().join("tagged.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &tagged).unwrap();
    let cover = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshot.png")).unwrap();
    flac_codec::metadata::update(&tagged, |blocks| -> std::result::Result<(), flac_codec::Error> {
        let mut comment = VorbisComment::default();
        for (name, text) in [
            ("TITLE", "Kr\u{e4}he"),
            ("artist", "One"),
            ("ARTIST", "Two"),
            ("DATE", "2024-05-17"),
            ("TRACKNUMBER", "3"),
            ("TRACKTOTAL", "9"),
            ("COMMENT", "by the sea"),
            ("MOOD", "dark"),
        ] {
            comment.insert(name, text);
        }
        blocks.insert(comment);
        blocks.insert(Picture::new(PictureType::FrontCover, "cover", cover.clone()).unwrap());
        Ok(())
    })
    .unwrap();
    exported(&open(&tagged).source, &path, BitRate::Usual).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let found = tag_frames(id3(&bytes));
    let content = |id: &str| found.iter().find(|(found, _)| found == id).map(|(_, content)| content.as_slice());
    assert_eq!(&bytes[..6], b"ID3\x03\0\0");
    assert_eq!(content("TIT2").unwrap(), b"\x01\xff\xfeK\0r\0\xe4\0h\0e\0");
    assert_eq!(content("TPE1").unwrap(), b"\0One/Two");
    assert_eq!((content("TYER").unwrap(), content("TDAT").unwrap()), (&b"\x002024"[..], &b"\x001705"[..]));
    assert_eq!(content("TRCK").unwrap(), b"\x003/9");
    assert_eq!(content("COMM").unwrap(), b"\0XXX\0by the sea");
    assert_eq!(content("TXXX").unwrap(), b"\0MOOD\0dark");
    assert_eq!(content("APIC").unwrap(), [b"\0image/png\0\x03cover\0", &cover[..]].concat());
    // The sound behind it is whole.
    assert_eq!(open(&path).source.info().n_samples, 21_196);
    assert_eq!(delays(frames(&bytes).0), [576, 1268]);
}

/// What an MP3 and an Opus file say of themselves goes on, whichever is written of it.
#[test]
fn tags_go_from_one_lossy_file_to_the_next() {
    let folder = folder();
    let info = b"INFOINAM\x06\0\0\0Title\0IART\x04\0\0\0Ann\0IGNR\x04\0\0\0Dub\0".to_vec();
    let data: Vec<u8> = vec![7; 4_000];
    let bytes = riff::file(&[("fmt ", riff::format(1, 1, 48_000, 16)), ("LIST", info), ("data", data)]);
    let mut source = opened(&folder, &bytes).source;
    for (index, ending) in ["mp3", "opus", "mp3", "flac", "opus"].into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.{ending}"));
        exported(&source, &path, BitRate::Usual).unwrap();
        let found = sonobrush::media::tags_of(&path, &[]);
        let value = |name: &str| found.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str());
        assert_eq!(["title", "artist", "genre"].map(value), ["Title", "Ann", "Dub"].map(Some), "{index}.{ending}");
        source = open(&path).source;
        assert_eq!(source.info().n_samples, 2_000);
    }
}

#[test]
fn commands_write_mp3_with_labels_as_chapters() {
    let place = Place::new();
    place.write("in.wav", tone(2, 66_150, 44_100));
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    place.write("l.csv", "start_s,end_s,label\n0.25,0.25,start\n1.0,1.25,call\n");
    place.done(&["paint", "in.wav", "--script", "none.json", "-o", "p.MP3", "--bit-rate", "64"]);
    let coded = |name: &str| {
        let bytes = place.read(name);
        let (tag, frames) = frames(&bytes);
        (tag.windows(4).any(|window| window == b"Xing"), frames[2] >> 4)
    };
    assert_eq!(coded("p.MP3"), (false, 5), "a constant 64 kbit/s");
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "p.sonobrush"]);
    let (_, notices) = place.done_with_notices(&["export", "p.sonobrush", "-o", "o.mp3", "--vbr", "7"]);
    assert_eq!(
        notices,
        [
            "its labels are chapters of the MP3 file; not kept: 1 end; \"sonobrush labels\" writes them to a file of their \
          own"
        ]
    );
    assert!(coded("o.mp3").0);
    let bytes = place.read("o.mp3");
    let found = tag_frames(id3(&bytes));
    assert_eq!(found[0], ("CTOC".into(), b"toc\0\x03\x02chp0\0chp1\0".to_vec()));
    let chapter = |id: &str, millis: [u32; 2], title: &str| {
        let title = [b"TIT2", &(title.len() as u32 + 1).to_be_bytes()[..], &[0, 0, 0], title.as_bytes()].concat();
        let times = millis.map(u32::to_be_bytes).concat();
        ("CHAP".to_owned(), [id.as_bytes(), b"\0", &times, &[0xff; 8], &title].concat())
    };
    assert_eq!(found[1], chapter("chp0", [250, 1_000], "start"));
    assert_eq!(found[2], chapter("chp1", [1_000, 1_500], "call"));
    assert_eq!(open(&place.path("o.mp3")).source.info().n_samples, 66_150);

    // Parts of a lossy file are not made worse, unless that is chosen.
    place.done_with_notices(&["export", "o.mp3", "--by-label", "--labels", "l.csv", "-o", "parts"]);
    assert_eq!(open(&place.path("parts/o_001_call.wav")).source.info().n_samples, 11_025);
    let as_mp3 = ["export", "in.wav", "--by-label", "--labels", "l.csv", "-o", "parts", "--as", "mp3", "--vbr", "9"];
    place.done_with_notices(&as_mp3);
    assert_eq!(open(&place.path("parts/in_001_call.mp3")).source.info().n_samples, 11_025);
    place.write("score.json", r#"{"version": 1, "notes": [{"pitch": "A4", "start": 0, "duration": 0.1}]}"#);
    place.done(&["voices", "score.json", "-o", "v.mp3", "--bit-rate", "192"]);
    assert!(open(&place.path("v.mp3")).source.info().description.contains("MP3"));

    for (arguments, words) in [
        (&["--format", "pcm16", "-o", "r.mp3"][..], "r.mp3: MP3 has no sample format and no dither; choose a bit rate"),
        (&["--dither", "tpdf", "-o", "r.mp3"], "r.mp3: MP3 has no sample format and no dither"),
        (
            &["--bit-rate", "128", "-o", "r.flac"],
            "r.flac: FLAC has no bit rate; choose a sample format, or export MP3 or Opus",
        ),
        (&["--vbr", "2", "-o", "r.wav"], "r.wav: WAV has no bit rate"),
        (&["--bit-rate", "77", "-o", "r.mp3"], "r.mp3: MP3 of 44100 Hz has no 77 kbit/s; choose one of 64"),
    ] {
        let said = place.failed(&[&["export", "p.sonobrush"], arguments].concat());
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn the_card_writes_mp3_and_asks_for_no_samples() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.key(CTRL, Key::E);
    assert!(bench.has("Dither"));
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Type").click();
    bench.settle();
    bench.click("MP3");
    let path = bench.harness.get_by_label("Path").value().unwrap();
    assert!(path.ends_with("crow_44k_mono-edited.mp3"), "{path}");
    assert!(!bench.has("Dither") && !bench.has("Format"));
    let out = bench.out("card.mp3");
    bench.fill("Path", &out.to_string_lossy());
    bench.click("Export");
    assert_eq!(open(&out).source.info().n_samples, 21_196);
}
