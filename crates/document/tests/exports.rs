//! Exports: unchanged samples are bit-exact, changed ones rounded once, and nothing is lost on the way.

use base::{ErrorKind, Progress};
use document::{Snapshot, export};
use media::{Dither, ExportFormat, Opened, Original, SampleFormat, Source};
use std::path::Path;
use support::exported::{chunk_of, chunks_of, exported, nothing};
use support::made_audio::{le16, riff, wav};
use support::opened::{clip, clips, folder, open, opened};

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
fn changed_samples_are_rounded_half_away_and_clipped_ones_counted() {
    let source = opened(&folder(), &wav(&riff::format(1, 1, 44_100, 16), &le16(&[7; 11]))).source;
    let steps = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49, 32767.0, 32767.5, -32768.0, -32768.6, 1e9];
    let change = |_: usize, _: u64, out: &mut [f32]| {
        out.iter_mut().zip(steps).for_each(|(sample, step)| *sample = (step / 32768.0) as f32);
    };
    let (bytes, report) = exported(&source, ExportFormat::Source, Some(Dither::None), &change);
    assert_eq!(chunk_of(&bytes, "data"), le16(&[1, -1, 2, 3, -3, 0, 32767, 32767, -32768, -32768, 32767]));
    // 32767.5 rounds to 32768, which is out of range, so it counts as clipped.
    assert_eq!(report.clipped, 3);
    assert!(report.notices[0].starts_with("3 samples were beyond full scale"), "{:?}", report.notices);

    // 32-bit output has its full range: -1.1 and 1.0 are clipped to its ends.
    let ends = |_: usize, _: u64, out: &mut [f32]| out.iter_mut().zip([-1.1, -1.0, 1.0]).for_each(|(x, y)| *x = y);
    let (bytes, report) = exported(&source, ExportFormat::Pcm32, None, &ends);
    let ends: Vec<u8> = [i32::MIN, i32::MIN, i32::MAX].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!((&chunk_of(&bytes, "data")[..12], report.clipped), (&ends[..], 2));

    // 20 valid bits are rounded at the twentieth, not at the container's 24th.
    let format = riff::extensible(1, 1, 44_100, 24, 20, 4);
    let source = opened(&folder(), &wav(&format, &[0; 30])).source;
    let (bytes, _) = exported(&source, ExportFormat::Source, None, &|_, _, out| out.fill(3.4 / 524_288.0));
    assert_eq!(chunk_of(&bytes, "data")[..3], [3 << 4, 0, 0]);

    // Floats are not clipped, and values that are not finite become 0.
    let (bytes, report) = exported(&source, ExportFormat::Float32, None, &|_, _, out| {
        out.fill(2.0);
        out[3] = f32::NAN;
    });
    let written = opened(&folder(), &bytes).source.read_original(0, 0, 5).unwrap();
    assert_eq!(written, Original::Floats(vec![2.0, 2.0, 2.0, 0.0, 2.0]));
    assert!(report.clipped == 0 && report.notices[0].starts_with("1 sample was not finite"), "{report:?}");
}

#[test]
fn asked_formats_hold_the_samples() {
    let source = opened(&folder(), &wav(&riff::format(1, 2, 44_100, 16), &le16(&[1, -2, 32767, -32768]))).source;
    let data = |format| chunk_of(&exported(&source, format, None, &nothing).0, "data");
    // The source's own format, given by name: unchanged, without dither.
    assert_eq!(data(ExportFormat::Pcm16), le16(&[1, -2, 32767, -32768]));
    assert_eq!(data(ExportFormat::Pcm24), [0, 1, 0, 0, 0xfe, 0xff, 0, 0xff, 0x7f, 0, 0, 0x80]);
    assert_eq!(data(ExportFormat::Pcm32)[..8], [0, 0, 1, 0, 0, 0, 0xfe, 0xff]);
    let floats: Vec<u8> = [1.0f32, -2.0, 32767.0, -32768.0].iter().flat_map(|v| (v / 32768.0).to_le_bytes()).collect();
    assert_eq!(data(ExportFormat::Float32), floats);
    let header = chunk_of(&exported(&source, ExportFormat::Float32, None, &nothing).0, "fmt ");
    assert!(header[0] == 3 || header[24] == 3, "a float format: {header:?}");
}

/// An integer of `bits` from its little-endian bytes.
fn integer(bytes: &[u8]) -> i64 {
    let whole = bytes.iter().rev().fold(0i64, |value, byte| value << 8 | i64::from(*byte));
    let unused = 64 - 8 * bytes.len() as u32;
    whole << unused >> unused
}

#[test]
fn finer_samples_than_float_32_holds_are_rounded_once_from_what_was_stored() {
    let mut rng = support::signals::Rng(5);
    let mut values: Vec<f64> = (0..20_000).map(|_| 0.9 * (2.0 * rng.uniform() - 1.0)).collect();
    // Values halfway between two 32-bit floats, and just next to it.
    values.extend([0.75 + 2f64.powi(-25), 0.75 + 2f64.powi(-25) + 2f64.powi(-40), -0.5 - 3.0 * 2f64.powi(-26)]);
    let doubles: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let integers: Vec<i32> = values.iter().map(|value| (value * 2f64.powi(31)).round() as i32).collect();
    let stored: Vec<u8> = integers.iter().flat_map(|value| value.to_le_bytes()).collect();
    let exact: Vec<f64> = integers.iter().map(|value| f64::from(*value) / 2f64.powi(31)).collect();
    let doubles = (riff::format(3, 1, 48_000, 64), doubles, values);
    let integers = (riff::format(1, 1, 48_000, 32), stored.clone(), exact);
    for (format, data, exact) in [doubles, integers] {
        let source = opened(&folder(), &wav(&format, &data)).source;
        for (to, bits) in [(ExportFormat::Pcm24, 24), (ExportFormat::Pcm32, 32)] {
            let (bytes, _) = exported(&source, to, None, &nothing);
            let written = chunk_of(&bytes, "data");
            let errors = written
                .chunks_exact(bits / 8)
                .zip(&exact)
                .map(|(written, exact)| (integer(written) as f64 - exact * 2f64.powi(bits as i32 - 1)).abs());
            let worst = errors.fold(0.0, f64::max);
            assert!(worst <= 0.5, "{:?} to {bits} bits: {worst} LSB", source.info().format);
        }
        // The control: values that were first rounded to 32-bit floats have larger errors.
        let through = exact.iter().map(|x| (f64::from(*x as f32) * 2f64.powi(31) - x * 2f64.powi(31)).abs());
        assert!(through.fold(0.0, f64::max) > 16.0);
    }
    // 32-bit integers, given by name, stay unchanged.
    let source = opened(&folder(), &wav(&riff::format(1, 1, 48_000, 32), &stored)).source;
    assert!(chunk_of(&exported(&source, ExportFormat::Pcm32, None, &nothing).0, "data") == stored);
}

/// With triangular dither the rounding error has mean 0 and variance 1/4 LSB^2 at any level (1/6 from the noise, 1/12
/// from the rounding); without dither, 7 1/3 is always rounded to 7.
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

    // 24 bits: no dither by default.
    let source = opened(&folder(), &wav(&riff::format(1, 1, 44_100, 24), &[0; 300])).source;
    let change = |_: usize, _: u64, out: &mut [f32]| out.fill(5.3 / 8_388_608.0);
    let (bytes, _) = exported(&source, ExportFormat::Source, None, &change);
    assert!(chunk_of(&bytes, "data").chunks(3).all(|value| value == [5, 0, 0]));
    let (bytes, _) = exported(&source, ExportFormat::Source, Some(Dither::Tpdf), &change);
    assert!(chunk_of(&bytes, "data").chunks(3).any(|value| value != [5, 0, 0]));
}

/// With triangular noise, the variance of the error is 1/4 LSB^2 for every sample, and a whole sample changes by +1 LSB
/// or -1 LSB with a probability of 1/8 each; with uniform noise of the same width it would be 1/4 each. Limits are five
/// standard errors.
#[test]
fn dither_is_triangular_and_uncorrelated() {
    let n = 1 << 17;
    let source = opened(&folder(), &wav(&riff::format(1, 2, 44_100, 16), &le16(&vec![100; 2 * n]))).source;
    for part in [0.0, 0.25, 0.5] {
        let y = 7.0 + part;
        let change = |_: usize, _: u64, out: &mut [f32]| out.fill((y / 32768.0) as f32);
        let bytes = chunk_of(&exported(&source, ExportFormat::Source, Some(Dither::Tpdf), &change).0, "data");
        let error = |pair: &[u8]| f64::from(i16::from_le_bytes([pair[0], pair[1]])) - y;
        let errors: Vec<f64> = bytes.chunks(2).map(error).collect();
        let mean = |value: &dyn Fn(usize) -> f64| (0..n - 1).map(value).sum::<f64>() / (n - 1) as f64;
        for channel in 0..2 {
            let at = |frame: usize| errors[2 * frame + channel];
            assert!(mean(&at).abs() < 0.007, "{y}: {}", mean(&at));
            let variance = mean(&|i| at(i) * at(i));
            assert!((variance - 0.25).abs() < 0.004, "{y}: {variance}");
            let next = mean(&|i| at(i) * at(i + 1));
            assert!(next.abs() < 0.0035, "{y}, from frame to frame: {next}");
            if part == 0.0 {
                let kept = mean(&|i| f64::from(at(i) == 0.0));
                assert!((kept - 0.75).abs() < 0.006, "{kept} of whole samples stay");
            }
        }
        let other = mean(&|i| errors[2 * i] * errors[2 * i + 1]);
        assert!(other.abs() < 0.0035, "{y}, from channel to channel: {other}");
    }
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
        assert!(error.message().contains("is the open file"), "{error}");
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
