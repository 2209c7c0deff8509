//! Files in and out: exactness, what is kept, what is refused.

use crate::bad_inputs::make_bad_inputs;
use crate::made_audio::{aiff, be16, flac, le16, riff, wav, wav_extensible};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::{Snapshot, export};
use sonobrush::media::{Dither, ExportFormat, FileInfo, Opened, Original, SampleFormat, Source, encode_wav};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn clip(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips").join(name)
}

fn clips() -> Vec<PathBuf> {
    let found = std::fs::read_dir(clip("")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = found.filter(|path| path.extension().is_some_and(|end| end != "md")).collect();
    found.sort();
    assert_eq!(found.len(), 8);
    found
}

fn open(path: &Path) -> Opened {
    Source::open(path, &Progress::new()).unwrap()
}

/// Writes bytes to a file and opens it.
fn opened(folder: &TempDir, bytes: &[u8]) -> Opened {
    let path = folder.path().join("in.wav");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

/// Every chunk of a RIFF file with its content, by a reader that shares nothing with ours.
fn chunks_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8, bytes.len());
    let mut at = 12;
    let mut found = Vec::new();
    while at < bytes.len() {
        assert_eq!(at % 2, 0, "chunks stand on even places");
        let n = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        found.push((String::from_utf8_lossy(&bytes[at..at + 4]).into_owned(), bytes[at + 8..at + 8 + n].to_vec()));
        at += 8 + n + n % 2;
    }
    found
}

fn chunk_of(bytes: &[u8], id: &str) -> Vec<u8> {
    chunks_of(bytes).into_iter().find(|(found, _)| found == id).unwrap().1
}

/// The bytes of an export in which `change` may alter the samples of each block.
fn exported(
    source: &Source,
    format: ExportFormat,
    dither: Option<Dither>,
    change: &dyn Fn(usize, u64, &mut [f32]),
) -> (Vec<u8>, sonobrush::media::Encoded) {
    let folder = folder();
    let path = folder.path().join("out.wav");
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        source.read(channel, first as i64, out)?;
        change(channel, first, out);
        Ok(())
    };
    let encoded = encode_wav(&path, source, &read, format, dither, &Progress::new()).unwrap();
    (std::fs::read(&path).unwrap(), encoded)
}

fn nothing(_: usize, _: u64, _: &mut [f32]) {}

/// Reproducible bytes that are finite as floats of any width.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    // A byte of 0x3e at every fourth place keeps exponents of f32, and so of f64, in the middle of their range.
    (0..n).map(|index| if index % 4 == 3 { 0x3e } else { next() }).collect()
}

/// Header bytes, bits, channels: every plain format there is.
fn formats() -> Vec<(&'static str, Vec<u8>, usize, usize)> {
    let plain = |tag: u16, channels: u16, bits: u16| riff::format(tag, channels, 48_000, bits);
    vec![
        ("8 bit", plain(1, 1, 8), 8, 1),
        ("8 bit stereo", plain(1, 2, 8), 8, 2),
        ("16 bit", plain(1, 2, 16), 16, 2),
        ("24 bit", plain(1, 1, 24), 24, 1),
        ("24 bit stereo", plain(1, 2, 24), 24, 2),
        ("32 bit", plain(1, 2, 32), 32, 2),
        ("float 32", plain(3, 2, 32), 32, 2),
        ("float 64", plain(3, 2, 64), 64, 2),
        ("20 in 24 bit", riff::extensible(1, 2, 48_000, 24, 20, 3), 24, 2),
        ("24 in 32 bit", riff::extensible(1, 1, 48_000, 32, 24, 4), 32, 1),
        ("six channels", riff::extensible(1, 6, 48_000, 16, 16, 0x3f), 16, 6),
        ("32 channels", riff::extensible(3, 32, 48_000, 32, 32, 0), 32, 32),
    ]
}

#[test]
fn unchanged_samples_are_exported_bit_by_bit() {
    for (name, format, bits, n_channels) in formats() {
        // An odd number of frames, and more than one block of the encoder.
        let n_frames = 140_001 / n_channels;
        let data = noise(n_frames * n_channels * bits / 8);
        let Opened { source, notices } = opened(&folder(), &wav(&format, &data));
        assert_eq!((source.info().n_samples, source.info().n_channels), (n_frames as u64, n_channels), "{name}");
        assert!(notices.is_empty(), "{name}: {notices:?}");

        let (bytes, report) = exported(&source, ExportFormat::Source, None, &nothing);
        assert!(chunk_of(&bytes, "data") == data, "{name}: the samples differ");
        assert_eq!((report.clipped, report.notices.len()), (0, 0), "{name}");
        let header = chunk_of(&bytes, "fmt ");
        assert_eq!(header[2..16], format[2..16], "{name}: channels, rate, alignment and bits");
        if format.len() == 40 {
            assert_eq!(header[16..40], format[16..40], "{name}: valid bits, speakers and kind");
        }

        // The control: one changed sample changes its own bytes and no others.
        let (frame, channel) = (n_frames / 2, n_channels - 1);
        let changed = |at: usize, first: u64, out: &mut [f32]| {
            let index = (frame as u64).checked_sub(first).map(|index| index as usize);
            if let Some(sample) = index.filter(|_| at == channel).and_then(|index| out.get_mut(index)) {
                *sample = if *sample > 0.0 { -0.5 } else { 0.5 };
            }
        };
        let (bytes, _) = exported(&source, ExportFormat::Source, None, &changed);
        let written = chunk_of(&bytes, "data");
        let place = (frame * n_channels + channel) * bits / 8..(frame * n_channels + channel + 1) * bits / 8;
        assert!(written[..place.start] == data[..place.start] && written[place.end..] == data[place.end..], "{name}");
        assert!(written[place.clone()] != data[place], "{name}: the change is not in the file");
    }
}

#[test]
fn clips_are_exported_bit_by_bit() {
    for path in clips() {
        let source = open(&path).source;
        let (bytes, report) = exported(&source, ExportFormat::Source, None, &nothing);
        assert_eq!(report.clipped, 0);
        if path.extension().unwrap() == "wav" {
            assert!(chunk_of(&bytes, "data") == chunk_of(&std::fs::read(&path).unwrap(), "data"), "{path:?}");
        } else {
            assert_eq!(source.info().format, SampleFormat::Pcm { bits: 16 }, "{path:?}");
            assert_eq!(report.description, "WAV, 16 bit");
            let n = source.info().n_samples;
            let again = opened(&folder(), &bytes).source;
            assert_eq!(again.info().n_samples, n);
            for channel in 0..source.info().n_channels {
                let original = source.read_original(channel, 0, n as usize).unwrap();
                assert!(again.read_original(channel, 0, n as usize).unwrap() == original, "{path:?}");
                let mut samples = vec![0.0; n as usize];
                source.read(channel, 0, &mut samples).unwrap();
                let Original::Integers(integers) = original else { panic!("{path:?} has no integers") };
                assert!(samples.iter().zip(&integers).all(|(sample, integer)| *sample == *integer as f32 / 32768.0));
                assert!(samples.iter().any(|sample| *sample != 0.0));
            }
        }
    }
}

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
    // STREAMINFO states the length of a FLAC; 36 bits behind rate, channels and depth.
    for path in clips().iter().filter(|path| path.extension().unwrap() == "flac") {
        let bytes = std::fs::read(path).unwrap();
        let stated = u64::from_be_bytes(bytes[18..26].try_into().unwrap()) & 0xf_ffff_ffff;
        assert_eq!(FileInfo::of(path, &Progress::new()).unwrap().frames, stated, "{path:?}");
    }
}

#[test]
fn other_chunks_are_carried_through_in_their_order() {
    let bytes = std::fs::read(clip("many_chunks_44k_stereo.wav")).unwrap();
    let source = open(&clip("many_chunks_44k_stereo.wav")).source;
    let before = chunks_of(&bytes);
    assert!(before.len() >= 8, "the clip has many chunks");
    for format in [ExportFormat::Source, ExportFormat::Pcm24] {
        let after = chunks_of(&exported(&source, format, None, &nothing).0);
        let ids = |chunks: &[(String, Vec<u8>)]| chunks.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&after), ids(&before));
        let others = |chunks: &[(String, Vec<u8>)]| {
            chunks.iter().filter(|(id, _)| id != "fmt " && id != "data").cloned().collect::<Vec<_>>()
        };
        assert_eq!(others(&after), others(&before));
    }
    // A chunk between format and samples keeps that place, and a count of the old samples is not kept.
    let chunks = [("note", vec![1, 2, 3]), ("fact", vec![9; 4])];
    let made = riff::file(&[
        ("fmt ", riff::format(1, 1, 8_000, 16)),
        (chunks[0].0, chunks[0].1.clone()),
        (chunks[1].0, chunks[1].1.clone()),
        ("data", vec![1, 0, 2, 0]),
        ("LIST", b"INFO".to_vec()),
    ]);
    let source = opened(&folder(), &made).source;
    let after = chunks_of(&exported(&source, ExportFormat::Source, None, &nothing).0);
    assert_eq!(after.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["fmt ", "note", "data", "LIST"]);
}

#[test]
fn wrong_sizes_do_not_change_what_is_heard() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let samples = |name: &str| open(&folder.path().join(name)).source.read_original(0, 0, 1000).unwrap();
    let right = samples("ok_mono16.wav");
    // The first five and the 32 channels of another file are those that symphonia 0.6.1 refuses.
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

    // Too large for the f32 that everything reads.
    let data: Vec<u8> = [1e300f64, 0.125].iter().flat_map(|value| value.to_le_bytes()).collect();
    let Opened { source, notices } = opened(&folder(), &wav(&riff::format(3, 1, 44_100, 64), &data));
    assert_eq!(source.read_original(0, 0, 2).unwrap(), Original::Doubles(vec![0.0, 0.125]));
    assert!(notices[0].starts_with("1 sample was not"), "{notices:?}");
    assert!(opened(&folder(), &wav(&riff::format(3, 1, 44_100, 64), &data[8..])).notices.is_empty());
}

#[test]
fn changed_samples_are_rounded_half_away_and_clipped_ones_counted() {
    let source = opened(&folder(), &wav(&riff::format(1, 1, 44_100, 16), &le16(&[7; 10]))).source;
    let steps = [0.5, -0.5, 1.5, -2.5, 0.49, 32767.0, 32767.5, -32768.0, -32768.6, 1e9];
    let change = |_: usize, _: u64, out: &mut [f32]| {
        out.iter_mut().zip(steps).for_each(|(sample, step)| *sample = (step / 32768.0) as f32);
    };
    let (bytes, report) = exported(&source, ExportFormat::Source, Some(Dither::None), &change);
    assert_eq!(chunk_of(&bytes, "data"), le16(&[1, -1, 2, -3, 0, 32767, 32767, -32768, -32768, 32767]));
    // 32767.5 rounds to 32768, which there is not.
    assert_eq!(report.clipped, 3);
    assert!(report.notices[0].starts_with("3 samples were beyond full scale"), "{:?}", report.notices);

    // 20 valid bits are rounded at the twentieth, not at the container's 24th.
    let format = riff::extensible(1, 1, 44_100, 24, 20, 4);
    let source = opened(&folder(), &wav(&format, &[0; 30])).source;
    let (bytes, _) = exported(&source, ExportFormat::Source, None, &|_, _, out| out.fill(3.4 / 524_288.0));
    assert_eq!(chunk_of(&bytes, "data")[..3], [3 << 4, 0, 0]);

    // Floats are not clipped, but finite.
    let (bytes, report) = exported(&source, ExportFormat::Float32, None, &|_, _, out| {
        out.fill(2.0);
        out[3] = f32::NAN;
    });
    let written = opened(&folder(), &bytes).source.read_original(0, 0, 5).unwrap();
    assert_eq!(written, Original::Floats(vec![2.0, 2.0, 2.0, 0.0, 2.0]));
    assert!(report.clipped == 0 && report.notices[0].starts_with("1 samples were not finite"), "{report:?}");
}

#[test]
fn asked_formats_hold_the_samples() {
    let source = opened(&folder(), &wav(&riff::format(1, 2, 44_100, 16), &le16(&[1, -2, 32767, -32768]))).source;
    let data = |format| chunk_of(&exported(&source, format, None, &nothing).0, "data");
    // The source's own format, asked for by name: as it was, without dither.
    assert_eq!(data(ExportFormat::Pcm16), le16(&[1, -2, 32767, -32768]));
    assert_eq!(data(ExportFormat::Pcm24), [0, 1, 0, 0, 0xfe, 0xff, 0, 0xff, 0x7f, 0, 0, 0x80]);
    assert_eq!(data(ExportFormat::Pcm32)[..8], [0, 0, 1, 0, 0, 0, 0xfe, 0xff]);
    let floats: Vec<u8> = [1.0f32, -2.0, 32767.0, -32768.0].iter().flat_map(|v| (v / 32768.0).to_le_bytes()).collect();
    assert_eq!(data(ExportFormat::Float32), floats);
    let header = chunk_of(&exported(&source, ExportFormat::Float32, None, &nothing).0, "fmt ");
    assert!(header[0] == 3 || header[24] == 3, "a float format: {header:?}");
}

/// Against the mean and the variance of rounding with triangular noise: error 0 and 1/4 LSB^2 whatever the sample is
/// (1/6 of the noise and 1/12 of the rounding), while plain rounding of a third has a fixed error.
#[test]
fn dither_is_there_by_default_repeats_and_leaves_unchanged_samples_alone() {
    let n = 60_000;
    let source = opened(&folder(), &wav(&riff::format(1, 1, 44_100, 16), &le16(&vec![100; n]))).source;
    let third = 7.0 + 1.0 / 3.0;
    let change = |_: usize, first: u64, out: &mut [f32]| {
        let changed = out.iter_mut().enumerate().filter(|(index, _)| first as usize + index >= 20_000);
        changed.for_each(|(_, sample)| *sample = (third / 32768.0) as f32);
    };
    let data = |dither| {
        let bytes = chunk_of(&exported(&source, ExportFormat::Source, dither, &change).0, "data");
        bytes.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>()
    };
    let dithered = data(None);
    assert!(dithered == data(Some(Dither::Tpdf)), "the default for 16 bits, and the same every time");
    assert!(dithered[..20_000].iter().all(|value| *value == 100));
    assert!(data(Some(Dither::None))[20_000..].iter().all(|value| *value == 7));
    let errors = || dithered[20_000..].iter().map(|value| f64::from(*value) - third);
    let mean = errors().sum::<f64>() / 40_000.0;
    let variance = errors().map(|error| error * error).sum::<f64>() / 40_000.0;
    // Five standard errors: 0.5 / sqrt(40,000) of the mean; the variance's is below 0.002.
    assert!(mean.abs() < 0.0125, "{mean}");
    assert!((variance - 0.25).abs() < 0.01, "{variance}");

    // 24 bits: no dither unless asked for.
    let source = opened(&folder(), &wav(&riff::format(1, 1, 44_100, 24), &[0; 300])).source;
    let change = |_: usize, _: u64, out: &mut [f32]| out.fill(5.3 / 8_388_608.0);
    let (bytes, _) = exported(&source, ExportFormat::Source, None, &change);
    assert!(chunk_of(&bytes, "data").chunks(3).all(|value| value == [5, 0, 0]));
    let (bytes, _) = exported(&source, ExportFormat::Source, Some(Dither::Tpdf), &change);
    assert!(chunk_of(&bytes, "data").chunks(3).any(|value| value != [5, 0, 0]));
}

#[test]
fn the_open_file_is_never_overwritten() {
    let folder = folder();
    let bytes = wav(&riff::format(1, 1, 44_100, 16), &le16(&[1, 2, 3]));
    let path = folder.path().join("in.wav");
    std::fs::write(&path, &bytes).unwrap();
    let snapshot = Snapshot::new(open(&path).source);
    let to = |path: &Path| export(&snapshot, path, ExportFormat::Source, None, &Progress::new());
    let mut names = vec![path.clone(), folder.path().join(".").join("in.wav")];
    #[cfg(unix)]
    {
        let (soft, hard) = (folder.path().join("soft.wav"), folder.path().join("hard.wav"));
        std::os::unix::fs::symlink(&path, &soft).unwrap();
        std::fs::hard_link(&path, &hard).unwrap();
        names.extend([soft, hard]);
    }
    for name in names {
        let error = to(&name).unwrap_err();
        assert!(error.message().contains("is the file that is open"), "{error}");
        assert_eq!(error.path(), Some(name.as_path()));
        assert!(std::fs::read(&name).unwrap() == bytes);
    }
    // The control: a copy of it is another file.
    let copy = folder.path().join("copy.wav");
    std::fs::write(&copy, b"old").unwrap();
    to(&copy).unwrap();
    assert_eq!(chunk_of(&std::fs::read(&copy).unwrap(), "data"), le16(&[1, 2, 3]));
}

#[test]
fn a_failed_export_leaves_the_old_file() {
    let folder = folder();
    let path = folder.path().join("out.wav");
    std::fs::write(&path, b"old").unwrap();
    let snapshot = Snapshot::new(Source::silence(1_000_000, 44_100, 1).unwrap());
    let progress = Progress::new();
    progress.cancel();
    let error = export(&snapshot, &path, ExportFormat::Source, None, &progress).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    let missing = folder.path().join("no such folder").join("out.wav");
    let error = export(&snapshot, &missing, ExportFormat::Source, None, &Progress::new()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(missing.as_path())));
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    let progress = Progress::new();
    export(&snapshot, &path, ExportFormat::Source, None, &progress).unwrap();
    assert!(std::fs::read(&path).unwrap() != b"old" && progress.fraction() == 1.0);
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
    let path = folder.path().join("short.aiff");
    std::fs::write(&path, &whole[..whole.len() - 1000]).unwrap();
    let error = Source::open(&path, &Progress::new()).unwrap_err();
    assert_eq!(error.message(), "is AIFF, but too damaged to be opened; copy or download it again");
    let Opened { source, notices } = opened(&folder, &whole);
    assert_eq!((source.info().n_samples, notices.len()), (1000, 0));

    let whole = wav(&riff::format(1, 1, 44_100, 16), &le16(&[5; 1000]));
    let Opened { source, notices } = opened(&folder, &whole[..whole.len() - 1000]);
    assert_eq!(source.info().n_samples, 500);
    assert!(notices.len() == 1 && notices[0].starts_with("ends 12 ms before"), "{notices:?}");
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
    // A damaged header takes the frame in front along, as the decoder finds no end of it.
    for (name, lost) in [
        ("flac_bad_frame_crc16.flac", 1024..2048),
        ("flac_missing_frame.flac", 1024..2048),
        ("flac_bad_header_crc8.flac", 0..2048),
    ] {
        let (damaged, notices) = samples(name);
        assert!(notices[0].ends_with("ms of it could not be read and are silent"), "{name}: {notices:?}");
        assert_eq!(damaged.len(), right.len(), "{name}");
        assert!(damaged[..lost.start] == right[..lost.start] && damaged[lost.end..] == right[lost.end..], "{name}");
        assert!(damaged[lost].iter().all(|sample| *sample == 0.0), "{name}");
    }
    let (right, _) = samples("ok.ogg");
    for name in ["ogg_missing_page.ogg", "ogg_bad_page_crc.ogg"] {
        let (damaged, notices) = samples(name);
        assert!(notices[0].ends_with("ms of it could not be read and are silent"), "{name}: {notices:?}");
        assert_eq!(damaged.len(), right.len(), "{name}");
        let differing: Vec<usize> = (0..right.len()).filter(|index| damaged[*index] != right[*index]).collect();
        let (first, last) = (differing[0], differing[differing.len() - 1]);
        // One page of 117 ms, and the two long blocks whose overlap it held.
        assert!(last - first < 2579 + 2 * 2048, "{name}: differs from {first} to {last}");
        assert!(first > 1000 && last < right.len() - 1000, "{name}: differs from {first} to {last}");
    }
}

/// A tag as LAME writes it: 576 samples of encoder delay and the decoder's own 529 in front, 1,000 behind, of which
/// the decoder has eaten 529.
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

    let silence = Source::silence(1 << 40, 48_000, 2).unwrap();
    samples.fill(9.0);
    silence.read(1, 1 << 39, &mut samples).unwrap();
    assert_eq!((samples, silence.info().n_samples), ([0.0; 6], 1 << 40));
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
