//! Samples unchanged by an edit are exported as the source's own value, in every format and on every clip.

use base::Progress;
use document::brushes::{Brush, Gain};
use document::{Edit, History, Snapshot, apply, export};
use dsp::{Axis, Point, StftParams, Stroke};
use media::{Dither, ExportFormat, Original, Source};
use std::path::Path;
use support::engines::engines;
use support::measure::changed;
use support::signals::Rng;
use support::wav::{Format, Wav, clip};

const CLIPS: [&str; 8] = [
    "choir_44k_stereo_float64.wav",
    "crow_44k_mono.flac",
    "drum_break_44k_stereo.flac",
    "guitar_chord_44k_stereo.flac",
    "many_chunks_44k_stereo.wav",
    "speech_16k_mono.wav",
    "tabla_loop_44k_stereo.flac",
    "vinyl_hiss_44k_stereo.flac",
];

const FORMATS: [Format; 6] =
    [Format::Pcm(8), Format::Pcm(16), Format::Pcm(24), Format::Pcm(32), Format::F32, Format::F64];

fn open(path: &Path) -> Snapshot {
    Snapshot::new(Source::open(path, &Progress::new()).unwrap().source)
}

fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

fn write(snapshot: &Snapshot, path: &Path, format: ExportFormat, dither: Option<Dither>) -> Wav {
    export(snapshot, path, format, dither, &Progress::new()).unwrap();
    Wav::read(path)
}

/// A short stroke a tenth of a second in.
fn stroke() -> Edit {
    let point = |secs, hz| Point { secs, hz, pressure: 1.0 };
    Edit {
        stroke: Some(Stroke {
            points: vec![point(0.1, 400.0), point(0.15, 2500.0)],
            axis: Axis::Log,
            radius: [0.03, 1.0],
            hardness: 0.5,
            strength: 1.0,
            build_up: false,
        }),
        ..Edit::of(Brush::Gain(Gain { gain_db: -40.0 }), StftParams::default())
    }
}

/// Half a second of a clip in a format, with low-order digits beyond f32 if the format supports them.
fn half_a_second(name: &str, format: Format) -> Wav {
    let opened = open(&clip(name));
    let rate = opened.sample_rate_hz() as u32;
    let mut rng = Rng(u64::from(rate));
    let mut value = |x: f32| match format {
        Format::Pcm(bits) => {
            let scale = (1i64 << (bits - 1)) as f64;
            (f64::from(x) * scale + rng.between(-0.5, 0.5) * (scale / 65536.0).max(0.9))
                .round()
                .clamp(-scale, scale - 1.0) as i64
        }
        Format::F32 => i64::from((x + 1e-6 * rng.uniform() as f32).to_bits()),
        Format::F64 => (f64::from(x) + 1e-6 * rng.uniform()).to_bits() as i64,
    };
    let n = (rate / 2).min(opened.n_samples() as u32) as usize;
    let channels = (0..opened.n_channels())
        .map(|channel| read(&opened, channel)[..n].iter().map(|&x| value(x)).collect())
        .collect();
    Wav { format, rate, channels }
}

/// `round_half_away` of a sample in a format, as an integer or by its bits.
fn rounded(y: f64, format: Format) -> i64 {
    match format {
        Format::Pcm(bits) => {
            let scale = (1i64 << (bits - 1)) as f64;
            let exact = y * scale;
            let away = (exact.abs() + 0.5).floor().copysign(exact);
            away.clamp(-scale, scale - 1.0) as i64
        }
        Format::F32 => i64::from((y as f32).to_bits()),
        Format::F64 => y.to_bits() as i64,
    }
}

#[test]
fn unchanged_samples_are_exported_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
    for name in CLIPS {
        for format in FORMATS {
            let original = half_a_second(name, format);
            original.write(&input);
            let before = open(&input);
            // An export without edits reproduces every value.
            assert_eq!(write(&before, &output, ExportFormat::Source, None), original, "{name} {format:?}");

            let after = apply(&before, &stroke(), &engines()[0], &Progress::new()).unwrap().snapshot;
            let exported = write(&after, &output, ExportFormat::Source, Some(Dither::None));
            assert_eq!((exported.format, exported.rate), (format, original.rate));
            let mut finer_than_f32 = 0;
            for channel in 0..original.channels.len() {
                let (x, y) = (read(&before, channel), read(&after, channel));
                let differing = changed(&x, &y);
                // With frames of 2,048 samples, the stroke changes about 0.1 s of the half second, and
                // less in quiet 8-bit audio.
                assert!(differing.len() > 500 && differing.len() < x.len() - 500, "{name}: {}", differing.len());
                for i in 0..x.len() {
                    let (was, is) = (original.channels[channel][i], exported.channels[channel][i]);
                    if x[i] == y[i] {
                        assert_eq!(is, was, "{name} {format:?}: sample {i} of channel {channel}");
                        finer_than_f32 += usize::from(rounded(f64::from(y[i]), format) != was);
                    } else {
                        assert_eq!(
                            is,
                            rounded(f64::from(y[i]), format),
                            "{name} {format:?}: sample {i} of channel {channel}"
                        );
                    }
                }
            }
            // Control: many of these values are not representable in f32, so an export from f32 would
            // have failed the comparison.
            if matches!(format, Format::Pcm(32) | Format::F64) {
                assert!(finer_than_f32 > 1000, "{name} {format:?}: {finer_than_f32}");
            }
        }
    }
}

#[test]
fn clips_themselves_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.wav");
    for name in CLIPS {
        let before = open(&clip(name));
        let exported = write(&before, &output, ExportFormat::Source, None);
        if name.ends_with(".wav") {
            assert_eq!(exported, Wav::read(&clip(name)), "{name}");
        }
        let mut history = History::new(before.clone());
        for engine in engines() {
            let applied = apply(history.current(), &stroke(), engine, &Progress::new()).unwrap();
            history.push(stroke(), applied.snapshot);
        }
        let edited = write(history.current(), &output, ExportFormat::Source, None);
        assert_ne!(edited, exported);
        for channel in 0..before.n_channels() {
            let (x, y) = (read(&before, channel), read(history.current(), channel));
            let source = match before.source().read_original(channel, 0, x.len()).unwrap() {
                Original::Integers(values) => values.into_iter().map(i64::from).collect::<Vec<_>>(),
                Original::Floats(values) => values.into_iter().map(|v| i64::from(v.to_bits())).collect(),
                Original::Doubles(values) => values.into_iter().map(|v| v.to_bits() as i64).collect(),
            };
            let mut n_changed = 0;
            for i in 0..x.len() {
                if x[i] == y[i] {
                    assert_eq!(edited.channels[channel][i], source[i], "{name}: sample {i}");
                } else {
                    n_changed += 1;
                }
            }
            assert!(n_changed > 500, "{name}");
        }
        while history.undo() {}
        assert_eq!(write(history.current(), &output, ExportFormat::Source, None), exported, "{name} after undo");
    }
}

#[test]
fn dither_is_within_its_bounds_repeats_and_spares_what_did_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
    for bits in [8, 16, 24] {
        let format = Format::Pcm(bits);
        let original = half_a_second("guitar_chord_44k_stereo.flac", format);
        original.write(&input);
        let before = open(&input);
        let after = apply(&before, &stroke(), &engines()[0], &Progress::new()).unwrap().snapshot;
        let dithered = write(&after, &output, ExportFormat::Source, Some(Dither::Tpdf));
        assert_eq!(write(&after, &output, ExportFormat::Source, Some(Dither::Tpdf)), dithered, "exports repeat");
        let plain = write(&after, &output, ExportFormat::Source, Some(Dither::None));
        let default = write(&after, &output, ExportFormat::Source, None);
        assert_eq!(default, if bits <= 16 { dithered.clone() } else { plain.clone() });
        let scale = (1i64 << (bits - 1)) as f64;
        let (mut errors, mut moved) = (Vec::new(), 0);
        for channel in 0..2 {
            let (x, y) = (read(&before, channel), read(&after, channel));
            for i in 0..x.len() {
                let value = dithered.channels[channel][i];
                if x[i] == y[i] {
                    assert_eq!(value, original.channels[channel][i]);
                } else if y[i].abs() < 0.9 {
                    errors.push(value as f64 - f64::from(y[i]) * scale);
                    moved += usize::from(value != plain.channels[channel][i]);
                }
            }
        }
        assert!(errors.iter().all(|e| e.abs() <= 1.5), "two LSB wide, and half for rounding");
        // Variance in LSB^2: 1/6 of the dither plus 1/12 of the rounding.
        let variance = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
        assert!((variance - 0.25).abs() < 0.03, "{bits} bit: {variance}");
        assert!(moved > errors.len() / 5 && moved < errors.len());
    }
}

#[test]
fn other_formats_are_rounded_from_what_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
    half_a_second("speech_16k_mono.wav", Format::F64).write(&input);
    let after = apply(&open(&input), &stroke(), &engines()[0], &Progress::new()).unwrap().snapshot;
    let y = read(&after, 0);
    let Original::Doubles(stored) = after.source().read_original(0, 0, y.len()).unwrap() else { panic!("doubles") };
    // Unedited samples are exported from the stored f64 values, which are more precise than the f32 samples.
    let exact = |i: usize| if y[i] == stored[i] as f32 { stored[i] } else { f64::from(y[i]) };
    assert!((0..y.len()).any(|i| exact(i) != f64::from(y[i])) && (0..y.len()).any(|i| y[i] != stored[i] as f32));
    for (requested, format) in [
        (ExportFormat::Pcm16, Format::Pcm(16)),
        (ExportFormat::Pcm24, Format::Pcm(24)),
        (ExportFormat::Pcm32, Format::Pcm(32)),
        (ExportFormat::Float32, Format::F32),
    ] {
        let exported = write(&after, &output, requested, Some(Dither::None));
        assert_eq!(exported.format, format);
        for (i, &value) in exported.channels[0].iter().enumerate() {
            assert_eq!(value, rounded(exact(i), format), "{requested:?}: sample {i}");
        }
    }
}
