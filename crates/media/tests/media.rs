//! Opening files: exactness, time, notices and refusals.

use base::{ErrorKind, Progress};
use sonobrush_media::{ExportFormat, FileInfo, Opened, Original, SampleFormat, Source};
use support::bad_inputs::make_bad_inputs;
use support::exported::{chunk_of, exported, nothing};
use support::made_audio::{aiff, be16, flac, le16, riff, wav, wav_extensible};
use support::opened::{clip, clips, folder, open, opened};

#[test]
fn lengths_of_the_clips_are_known() {
    let frames = |name: &str| FileInfo::of(&clip(name), &Progress::new()).unwrap().frames;
    assert_eq!(frames("many_chunks_44k_stereo.wav"), 84_000);
    let info = FileInfo::of(&clip("speech_16k_mono.wav"), &Progress::new()).unwrap();
    assert_eq!((info.sample_rate, info.channels, info.format.as_str()), (16_000, 1, "WAV, 16 bit"));
    assert_eq!(info.frames, 113_600);
    assert!((info.duration_secs - 7.1).abs() < 1e-9);
    let json = serde_json::to_value(&info).unwrap();
    for field in ["frames", "sample_rate", "channels", "format", "duration_secs", "notices"] {
        assert!(!json[field].is_null(), "{field}");
    }
    // STREAMINFO states the length of a FLAC file in the 36 bits after sample rate, channels and bit depth.
    for path in clips().iter().filter(|path| path.extension().unwrap() == "flac") {
        let bytes = std::fs::read(path).unwrap();
        let stated = u64::from_be_bytes(bytes[18..26].try_into().unwrap()) & 0xf_ffff_ffff;
        assert_eq!(FileInfo::of(path, &Progress::new()).unwrap().frames, stated, "{path:?}");
    }
}

#[test]
fn wrong_sizes_do_not_change_what_is_heard() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let samples = |name: &str| open(&folder.path().join(name)).source.read_original(0, 0, 1000).unwrap();
    let right = samples("ok_mono16.wav");
    // symphonia 0.6.1 refuses the first five files, and `channels_32_valid.wav` below.
    for name in [
        "data_bigger_than_file.wav",
        "riff_size_too_small.wav",
        "riff_size_minus8.wav",
        "riff_size_zero.wav",
        "rf64_ok.wav",
        "bw64_ok.wav",
        "data_2gib_claim.wav",
        "data_ffffffff_stream.wav",
        "data_size_zero_but_samples.wav",
        "riff_size_huge.wav",
        "non_ascii_chunk_id.wav",
        "chunks_100k_empty.wav",
    ] {
        assert!(samples(name) == right, "{name}");
    }
    assert!(samples("float_denormal.wav") != right);
    let wide = open(&folder.path().join("channels_32_valid.wav")).source;
    assert!(wide.read_original(31, 0, 100).unwrap() != wide.read_original(0, 0, 100).unwrap());
}

#[test]
fn what_is_no_number_is_zero_and_counted() {
    let values = [0.25f32, f32::NAN, f32::INFINITY, -0.5, f32::NEG_INFINITY, 3.0e38];
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let Opened { source, notices } = opened(&folder(), &wav(&riff::format(3, 1, 44_100, 32), &data));
    let mut samples = [9.0; 6];
    source.read(0, 0, &mut samples).unwrap();
    assert_eq!(samples, [0.25, 0.0, 0.0, -0.5, 0.0, 3.0e38]);
    assert!(notices.len() == 1 && notices[0].starts_with("3 samples were not finite"), "{notices:?}");

    // 1e300 exceeds the range of f32, in which `read` returns samples.
    let data: Vec<u8> = [1e300f64, 0.125].iter().flat_map(|value| value.to_le_bytes()).collect();
    let Opened { source, notices } = opened(&folder(), &wav(&riff::format(3, 1, 44_100, 64), &data));
    assert_eq!(source.read_original(0, 0, 2).unwrap(), Original::Doubles(vec![0.0, 0.125]));
    assert!(notices[0].starts_with("1 sample was not"), "{notices:?}");
    assert!(opened(&folder(), &wav(&riff::format(3, 1, 44_100, 64), &data[8..])).notices.is_empty());
}

#[test]
fn flac_keeps_integers_of_any_depth() {
    for bits in [8u32, 12, 16, 20, 24] {
        let top = 1i32 << (bits - 1);
        let values = [0, 1, -1, top - 1, -top, 37 % top, -(77 % top), 5, top / 3, 2, 3, 4, 5, 6, 7, 8];
        let folder = folder();
        let Opened { source, notices } = opened(&folder, &flac(bits, &values));
        assert!(notices.is_empty(), "{bits}: {notices:?}");
        assert_eq!(source.info().description, format!("FLAC, {bits} bit"));
        let container = bits.next_multiple_of(8);
        let stored: Vec<i32> = values.iter().map(|value| value << (container - bits)).collect();
        assert_eq!(source.read_original(0, 0, 16).unwrap(), Original::Integers(stored.clone()), "{bits}");
        let mut samples = [9.0; 16];
        source.read(0, 0, &mut samples).unwrap();
        assert!(samples.iter().zip(values).all(|(sample, value)| *sample == value as f32 / top as f32), "{bits}");

        let (bytes, report) = exported(&source, ExportFormat::Source, None, &nothing);
        assert_eq!(report.description, format!("WAV, {bits} bit"));
        let header = chunk_of(&bytes, "fmt ");
        assert_eq!(u32::from(header[14]), container, "{bits}");
        if container != bits {
            assert_eq!(u32::from(header[18]), bits, "valid bits");
        }
        assert_eq!(self::opened(&folder, &bytes).source.read_original(0, 0, 16).unwrap(), Original::Integers(stored));
    }
}

#[test]
fn aiff_keeps_integers_and_floats() {
    let integers = |bytes: Vec<u8>| match opened(&folder(), &bytes).source.read_original(0, 0, 3).unwrap() {
        Original::Integers(values) => values,
        other => panic!("{other:?}"),
    };
    assert_eq!(integers(aiff(b"AIFF", None, 8, &[1, 0xff, 0x80])), [1, -1, -128]);
    assert_eq!(integers(aiff(b"AIFF", None, 16, &be16(&[1, -2, -32768]))), [1, -2, -32768]);
    // 12 bits, left-justified in 16.
    assert_eq!(integers(aiff(b"AIFF", None, 12, &be16(&[16, -32, -32768]))), [16, -32, -32768]);
    assert_eq!(integers(aiff(b"AIFF", None, 24, &[0, 0, 1, 0xff, 0xff, 0xfe, 0x80, 0, 0])), [1, -2, -8_388_608]);
    assert_eq!(integers(aiff(b"AIFC", Some(b"sowt"), 16, &le16(&[1, -2, 300]))), [1, -2, 300]);
    let floats: Vec<u8> = [0.25f32, -1.0, 1e-20].iter().flat_map(|value| value.to_be_bytes()).collect();
    let source = opened(&folder(), &aiff(b"AIFC", Some(b"fl32"), 32, &floats)).source;
    assert_eq!(source.read_original(0, 0, 3).unwrap(), Original::Floats(vec![0.25, -1.0, 1e-20]));

    let source = opened(&folder(), &aiff(b"AIFF", None, 12, &be16(&[16, -32, -32768]))).source;
    assert_eq!((source.info().description.as_str(), source.info().sample_rate_hz), ("AIFF, 12 bit", 44_100));
    let (bytes, report) = exported(&source, ExportFormat::Source, None, &nothing);
    assert_eq!(report.description, "WAV, 12 bit");
    assert_eq!(chunk_of(&bytes, "data"), le16(&[16, -32, -32768]));
    assert_eq!(chunk_of(&bytes, "fmt ")[14..20], [16, 0, 22, 0, 12, 0]);
}

#[test]
fn truncated_files_are_told() {
    let folder = folder();
    let whole = aiff(b"AIFF", None, 16, &be16(&[5; 1000]));
    let Opened { source, notices } = opened(&folder, &whole[..whole.len() - 1000]);
    assert_eq!(source.info().n_samples, 500);
    assert!(notices.len() == 1 && notices[0].starts_with("is cut off: 12 ms are missing"), "{notices:?}");
    let Opened { source, notices } = opened(&folder, &whole);
    assert_eq!((source.info().n_samples, notices.len()), (1000, 0));

    let whole = wav(&riff::format(1, 1, 44_100, 16), &le16(&[5; 1000]));
    let Opened { source, notices } = opened(&folder, &whole[..whole.len() - 1000]);
    assert_eq!(source.info().n_samples, 500);
    assert!(notices.len() == 1 && notices[0].starts_with("is cut off: 12 ms are missing"), "{notices:?}");
}

/// Values of ITU-T G.711: the ends of the ranges and the smallest steps.
#[test]
fn telephone_codecs_are_written_as_16_bits() {
    let format = |tag: u16| [riff::format(tag, 1, 8_000, 8), vec![0, 0]].concat();
    for (tag, name, bytes, values) in [
        (6, "A-law", [0xd5u8, 0x55, 0xaa, 0x2a], [8i16, -8, 32256, -32256]),
        (7, "mu-law", [0xff, 0x7f, 0x80, 0x00], [0, 0, 32124, -32124]),
    ] {
        let source = opened(&folder(), &wav(&format(tag), &bytes)).source;
        assert_eq!(source.info().description, format!("WAV, {name}"));
        let (written, report) = exported(&source, ExportFormat::Source, None, &nothing);
        assert_eq!(report.description, "WAV, 16 bit");
        assert_eq!(chunk_of(&written, "data"), le16(&values), "{name}");
    }
}

#[test]
fn sound_after_damage_keeps_its_place() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let samples = |name: &str| {
        let opened = open(&folder.path().join(name));
        let mut samples = vec![0.0f32; opened.source.info().n_samples as usize];
        opened.source.read(0, 0, &mut samples).unwrap();
        (samples, opened.notices)
    };
    let (right, notices) = samples("ok.flac");
    assert!(notices.is_empty());
    // With a damaged header the previous frame is lost too, since the decoder cannot find its end.
    for (name, lost) in [
        ("flac_bad_frame_crc16.flac", 1024..2048),
        ("flac_missing_frame.flac", 1024..2048),
        ("flac_bad_header_crc8.flac", 0..2048),
    ] {
        let (damaged, notices) = samples(name);
        assert!(notices[0].ends_with(" of it could not be read and were replaced by silence"), "{name}: {notices:?}");
        assert_eq!(damaged.len(), right.len(), "{name}");
        assert!(damaged[..lost.start] == right[..lost.start] && damaged[lost.end..] == right[lost.end..], "{name}");
        assert!(damaged[lost].iter().all(|sample| *sample == 0.0), "{name}");
    }
    let (right, _) = samples("ok.ogg");
    for name in ["ogg_missing_page.ogg", "ogg_bad_page_crc.ogg"] {
        let (damaged, notices) = samples(name);
        assert!(notices[0].ends_with(" of it could not be read and were replaced by silence"), "{name}: {notices:?}");
        assert_eq!(damaged.len(), right.len(), "{name}");
        let differing: Vec<usize> = (0..right.len()).filter(|index| damaged[*index] != right[*index]).collect();
        let (first, last) = (differing[0], differing[differing.len() - 1]);
        // At most the page of 2,579 samples (117 ms), and the two long blocks that overlap it.
        assert!(last - first < 2579 + 2 * 2048, "{name}: differs from {first} to {last}");
        assert!(first > 1000 && last < right.len() - 1000, "{name}: differs from {first} to {last}");
    }
}

/// An `Info` tag as LAME writes it, with an encoder delay of 576 samples and a padding of 1,000. The decoder adds a
/// delay of 529, so 1,105 samples are cut off at the start and 471 at the end.
#[test]
fn encoder_delay_and_padding_are_cut_off() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let plain = std::fs::read(folder.path().join("ok.mp3")).unwrap();
    let mut tag = vec![0; 104];
    tag[..4].copy_from_slice(&plain[..4]);
    tag[13..17].copy_from_slice(b"Info");
    tag[17..25].copy_from_slice(&[0, 0, 0, 1, 0, 0, 0, 25]);
    tag[25..34].copy_from_slice(b"LAME3.100");
    tag[46..49].copy_from_slice(&[(576 >> 4) as u8, (576 << 4 | 1000 >> 8) as u8, (1000 & 0xff) as u8]);
    let untrimmed = open(&folder.path().join("ok.mp3")).source;
    let Opened { source, notices } = opened(&folder, &[tag, plain].concat());
    assert_eq!(untrimmed.info().n_samples, 14_400);
    assert_eq!(source.info().n_samples, 14_400 - 576 - 529 - (1000 - 529), "{notices:?}");
    assert_eq!(source.info().format, SampleFormat::Lossy);
    let read = |source: &Source, first: i64| {
        let mut samples = vec![0.0; 5000];
        source.read(0, first, &mut samples).unwrap();
        samples
    };
    assert!(read(&source, 0) == read(&untrimmed, 576 + 529));
    assert!(read(&source, 0) != read(&untrimmed, 576 + 528));
}

#[test]
fn made_sources_read_as_made() {
    let source = Source::from_channels(vec![vec![0.5, -0.25, 1.5], vec![0.0, f32::NAN, 1.0]], 44_100).unwrap();
    let mut samples = [9.0; 6];
    source.read(0, -2, &mut samples).unwrap();
    assert_eq!(samples, [0.0, 0.0, 0.5, -0.25, 1.5, 0.0]);
    source.read(1, 1, &mut samples[..2]).unwrap();
    assert_eq!(samples[..2], [0.0, 1.0]);
    source.read(1, i64::MAX - 2, &mut samples).unwrap();
    assert_eq!(samples, [0.0; 6]);
    source.read(1, i64::MIN, &mut samples).unwrap();
    assert_eq!(samples, [0.0; 6]);
    assert_eq!(source.read_original(0, 1, 2).unwrap(), Original::Floats(vec![-0.25, 1.5]));
    assert!(source.read_original(0, 2, 2).is_err() && source.read(2, 0, &mut samples).is_err());
    assert_eq!(source.path(), None);

    let silence = Source::silence(1 << 39, 48_000, 2).unwrap();
    samples.fill(9.0);
    silence.read(1, 1 << 38, &mut samples).unwrap();
    assert_eq!((samples, silence.info().n_samples), ([0.0; 6], 1 << 39));
    for (n, rate, channels) in [(0, 48_000, 1), (1, 3_999, 1), (1, 768_001, 1), (1, 48_000, 0), (1, 48_000, 33)] {
        assert!(Source::silence(n, rate, channels).is_err(), "{n} {rate} {channels}");
    }
    assert!(Source::from_channels(vec![vec![0.0; 2], vec![0.0; 3]], 44_100).is_err());
}

#[test]
fn opening_can_be_cancelled_and_shows_progress() {
    for path in clips() {
        let progress = Progress::new();
        Source::open(&path, &progress).unwrap();
        assert_eq!(progress.fraction(), 1.0);
        progress.cancel();
        assert_eq!(Source::open(&path, &progress).unwrap_err().kind(), ErrorKind::Cancelled, "{path:?}");
    }
}

#[test]
fn extensible_headers_say_what_they_mean() {
    let bytes = wav_extensible(1, 2, 24, 20, 3, &[0x10, 0, 0, 0xf0, 0xff, 0xff]);
    let source = opened(&folder(), &bytes).source;
    assert_eq!((source.info().format, source.info().container_bits), (SampleFormat::Pcm { bits: 20 }, 24));
    assert_eq!(source.info().channel_mask, Some(3));
    let mut sample = [0.0];
    source.read(0, 0, &mut sample).unwrap();
    assert_eq!(sample, [1.0 / 524_288.0]);
    source.read(1, 0, &mut sample).unwrap();
    assert_eq!(sample, [-1.0 / 524_288.0]);
}
