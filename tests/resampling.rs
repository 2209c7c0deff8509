//! From one sample rate to another: foreign tones, levels and places, in all that resamples.
#![allow(clippy::print_stdout, reason = "figures are printed")]

use super::features::{array, f32_from_f16, signal, write};
use super::support::npy;
use super::support::program::Place;
use super::support::studio::{Bench, CTRL, Drawing, NONE};
use super::support::wav::{Format, Wav};
use egui::{Key, Modifiers};
use sonobrush::base::Progress;
use sonobrush::document::labels::LabelSet;
use sonobrush::document::{Snapshot, write_resampled};
use sonobrush::media::{Resampled, Resampler, Source};
use std::f64::consts::TAU;
use std::path::Path;

const FROM_HZ: [u32; 7] = [8_000, 22_050, 44_100, 48_000, 96_000, 192_000, 768_000];
const TO_HZ: [u32; 6] = [4_096, 8_000, 11_025, 44_100, 48_000, 192_000];

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// `sin` of a frequency over samples at a rate.
fn tone(hz: f64, rate_hz: f64, n: usize) -> Vec<f32> {
    (0..n).map(|k| (TAU * (hz * k as f64 / rate_hz).fract()).sin() as f32).collect()
}

/// What is left of samples without the sine of a frequency that fits best, and that: its level, by how many samples it
/// comes late against one that begins with the sound, and the level of the rest.
fn fit(samples: &[f32], first: usize, hz: f64, rate_hz: f64) -> [f64; 3] {
    let angle = |k: usize| TAU * (hz * (first + k) as f64 / rate_hz).fract();
    let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        let of = |(k, sample): (usize, &f32)| f(f64::from(*sample), angle(k).sin(), angle(k).cos());
        samples.iter().enumerate().map(of).sum()
    };
    let [ss, cc, sc] = [sum(&|_, s, _| s * s), sum(&|_, _, c| c * c), sum(&|_, s, c| s * c)];
    let [ys, yc] = [sum(&|y, s, _| y * s), sum(&|y, _, c| y * c)];
    let det = ss * cc - sc * sc;
    let [a, b] = [(ys * cc - yc * sc) / det, (yc * ss - ys * sc) / det];
    let rest = sum(&|y, s, c| (y - a * s - b * c).powi(2)) / samples.len() as f64;
    [a.hypot(b), -b.atan2(a) / TAU / hz * rate_hz, (2.0 * rest).sqrt()]
}

fn db(level: f64) -> f64 {
    20.0 * level.max(1e-12).log10()
}

/// Away from the start, where a tone that begins with the sound rings.
fn settled(from_hz: f64, to_hz: f64) -> usize {
    700 * (to_hz / from_hz).ceil() as usize
}

/// Resamples as many samples of an input.
type Resampling<'a> = dyn FnMut(usize, &dyn Fn(usize) -> f32) -> Vec<f32> + 'a;

/// What a way of resampling makes of the first samples of a tone, from where it has settled on.
fn heard(resampled: &mut Resampling<'_>, from_hz: f64, to_hz: f64, hz: f64) -> Vec<f32> {
    let first = settled(from_hz, to_hz);
    let at = |k: usize| (TAU * (hz * k as f64 / from_hz).fract()).sin() as f32;
    resampled(first + 800, &at).split_off(first)
}

/// By blocks, as features and playback have it.
fn by_blocks(mut resampler: Resampler, n: usize, at: &dyn Fn(usize) -> f32) -> Vec<f32> {
    let (mut samples, mut next) = (Vec::new(), 0);
    while samples.len() < n {
        let wanted = resampler.frames_wanted();
        let input: Vec<f32> = (next..next + wanted).map(at).collect();
        next += wanted;
        samples.extend_from_slice(resampler.process(&input).unwrap());
    }
    samples.truncate(n);
    samples
}

/// In one piece, as what is kept.
fn at_once(mut resampled: Resampled, n: usize, at: &dyn Fn(usize) -> f32) -> Vec<f32> {
    let mut next = 0;
    let mut read = |n: usize| {
        let samples = (next..next + n).map(at).collect();
        next += n;
        Ok(vec![samples])
    };
    resampled.next(n, &mut read).unwrap().remove(0)
}

/// Checks tones of a pair of rates: those within 0.9 of what the lower can hold stay as they are, with nothing beside
/// them, those beyond 1.1 times that are gone.
fn check_pair(name: &str, from_hz: u32, to_hz: u32, limit_db: f64) {
    let [from, to] = [from_hz, to_hz].map(f64::from);
    let nyquist = from.min(to) / 2.0;
    let case = format!("{name}, {from_hz} to {to_hz} Hz");
    let mut resampled = |n: usize, at: &dyn Fn(usize) -> f32| match name {
        "measured" => by_blocks(Resampler::measured(from, to, 1).unwrap(), n, at),
        "heard" => by_blocks(Resampler::new(from, to, 1).unwrap(), n, at),
        "sharp" => at_once(Resampled::sharp(from, to, 1).unwrap(), n, at),
        _ => at_once(Resampled::new(from, to, 1).unwrap(), n, at),
    };
    for part in [0.07, 0.5, 0.9] {
        let hz = part * nyquist;
        let [level, late, rest] = fit(&heard(&mut resampled, from, to, hz), settled(from, to), hz, to);
        assert!(db(level).abs() < 0.1, "{case}: {hz} Hz has {} dB", db(level));
        assert!(late.abs() < 0.01, "{case}: {hz} Hz comes {late} samples late");
        assert!(db(rest) < limit_db, "{case}: {} dB beside {hz} Hz", db(rest));
    }
    let top = from / 2.0;
    for hz in [1.1 * nyquist, 1.37 * nyquist, 2.0 * nyquist + 3.0, 3.9 * nyquist, 0.61 * top, 0.997 * top] {
        if (1.1 * nyquist..=top).contains(&hz) {
            let tone = heard(&mut resampled, from, to, hz);
            let left = (2.0 * tone.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / tone.len() as f64).sqrt();
            assert!(db(left) < limit_db, "{case}: {hz} Hz leaves {} dB", db(left));
        }
    }
}

#[test]
fn foreign_tones_are_gone_and_others_stay_in_place() {
    for (at, from_hz) in FROM_HZ.into_iter().enumerate() {
        for (to, to_hz) in TO_HZ.into_iter().enumerate() {
            // In the short form each rate with some others, and the issue's own with all that it names.
            let is_named = matches!((from_hz, to_hz), (48_000, 4_096) | (192_000, 8_000) | (44_100, 48_000 | 11_025));
            if from_hz != to_hz && (is_long() || is_named || (at + 2 * to) % 5 == 0) {
                check_pair("measured", from_hz, to_hz, -110.0);
                check_pair("kept", from_hz, to_hz, -110.0);
                check_pair("heard", from_hz, to_hz, -90.0);
            }
        }
    }
    // Those of speech isolation.
    for rate_hz in [8_000, 16_000, 44_100, 96_000] {
        check_pair("sharp", rate_hz, 48_000, -90.0);
        check_pair("sharp", 48_000, rate_hz, -90.0);
    }
    // Rates without a small ratio.
    for (from_hz, to_hz) in [(44_100, 4_096), (47_999, 44_100), (11_025, 191_999)] {
        check_pair("measured", from_hz, to_hz, -110.0);
        check_pair("kept", from_hz, to_hz, -110.0);
        check_pair("heard", from_hz, to_hz, -90.0);
    }
}

#[test]
fn no_table_has_4_mb() {
    let mut largest = 0;
    for from_hz in [4_000, 8_000, 44_100, 47_999, 48_000, 191_999, 768_000] {
        for to_hz in [100, 4_096, 11_025, 22_051, 44_100, 48_000, 192_000, 768_000] {
            let rates = [f64::from(from_hz), f64::from(to_hz)];
            for of in [Resampler::new, Resampler::measured, Resampler::kept] {
                largest = largest.max(of(rates[0], rates[1], 1).unwrap().largest_table_bytes());
            }
        }
    }
    println!("largest table: {largest} bytes");
    assert!((100_000..4_000_000).contains(&largest), "{largest}");
    for [from_hz, to_hz] in [[f64::NAN, 48_000.0], [48_000.0, 0.0], [1e9, 1.0], [-44_100.0, 48_000.0]] {
        assert!(Resampler::new(from_hz, to_hz, 1).is_err(), "{from_hz} to {to_hz}");
    }
}

#[test]
fn pieces_and_channels_change_no_bit() {
    for (from_hz, to_hz) in [(48_000.0, 4_096.0), (44_100.0, 48_000.0), (1.059_463_094_359_295_3, 1.0)] {
        let at = |channel: usize, k: usize| (((k * (channel + 3)) % 611) as f32 / 305.0 - 1.0).powi(3);
        let whole = at_once(Resampled::new(from_hz, to_hz, 1).unwrap(), 3_000, &|k| at(1, k));
        let mut resampled = Resampled::new(from_hz, to_hz, 3).unwrap();
        let (mut next, mut pieces) = (0, vec![Vec::new(); 3]);
        for n in [1, 255, 256, 1_000, 0, 1_488] {
            let mut read = |n: usize| {
                let of_channel = |channel: usize| (next..next + n).map(|k| at(channel, k)).collect();
                let read = (0..3).map(of_channel).collect();
                next += n;
                Ok(read)
            };
            let piece = resampled.next(n, &mut read).unwrap();
            pieces.iter_mut().zip(piece).for_each(|(all, piece)| all.extend(piece));
        }
        assert!(pieces[1] == whole && pieces[0] != whole, "{from_hz} to {to_hz}");
    }
}

/// `features_resampled.npy`: the signal at these rates, resampled to 4,096 Hz by soxr in f64.
const REFERENCE_HZ: [u32; 5] = [8_000, 44_100, 48_000, 192_000, 768_000];

#[test]
fn features_of_far_rates_are_those_of_soxr() {
    let place = Place::new();
    let reference = npy::load(&"features_resampled".into());
    assert_eq!(reference.shape, [REFERENCE_HZ.len(), 21, 32]);
    let expected = reference.u16s_of("<f2");
    for (rate_hz, expected) in REFERENCE_HZ.into_iter().zip(expected.chunks_exact(21 * 32)) {
        write(&place, "a.wav", signal(rate_hz as usize), rate_hz);
        place.done(&["features", "a.wav", "-o", "out", "--secs", "1", "--replace"]);
        let (_, bytes) = array(&place.path("out/features.npy"));
        let found = bytes.chunks_exact(2).map(|pair| f32_from_f16(u16::from_le_bytes([pair[0], pair[1]])));
        let (mut worst, mut of_top) = (0.0f32, 0.0f32);
        for (at, (found, expected)) in found.zip(expected).enumerate() {
            let apart = (found - f32_from_f16(*expected)).abs();
            // The first 30 triangles end below 1,843 Hz, 0.9 of the highest frequency.
            match at % 32 {
                0..30 => worst = worst.max(apart),
                _ => of_top = of_top.max(apart),
            }
        }
        println!("{rate_hz} Hz: {worst} dB apart, {of_top} dB above 1,843 Hz");
        assert!(worst < 0.1, "{rate_hz} Hz: {worst} dB");
        // The control: filters differ where they fall.
        assert!(of_top > 0.1, "{rate_hz} Hz: {of_top} dB");
    }
}

/// The loudest mel of a sound's features at 4,096 Hz, of segments that lie between two samples.
fn loudest_mel(place: &Place, sound: &str, within: [usize; 2]) -> f32 {
    place.done(&["features", sound, "-o", "out", "--replace"]);
    let (_, bytes) = array(&place.path("out/features.npy"));
    let values = bytes.chunks_exact(2).map(|pair| f32_from_f16(u16::from_le_bytes([pair[0], pair[1]])));
    let is_within = |row: usize| {
        let start = 512 * (row / 3) + 256 * (row % 3);
        start >= within[0] && start + 512 <= within[1]
    };
    let inside = values.enumerate().filter(|(at, _)| is_within(at / 32));
    inside.fold(f32::NEG_INFINITY, |loudest, (_, value)| loudest.max(value))
}

#[test]
fn hiss_above_the_new_rate_is_not_in_features() {
    let place = Place::new();
    let hiss = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3/hiss_above_2600hz_48k.wav");
    // Away from the ends: the hiss begins and ends without a fade, which is heard in all bands. soxr: -94.4.
    let loudest = loudest_mel(&place, hiss.to_str().unwrap(), [256, 3_430]);
    println!("the loudest mel: {loudest} dB");
    assert!((-100.0..-90.0).contains(&loudest), "{loudest}");
    // A tone at 0.9 of the highest frequency is as loud as one at that rate.
    for (rate_hz, name) in [(4_096, "own.wav"), (48_000, "far.wav")] {
        let samples = tone(0.9 * 2_048.0, f64::from(rate_hz), 10 * rate_hz as usize);
        let samples = samples.iter().map(|x| (f64::from(*x) * 16_000.0).round() as i64).collect();
        Wav { format: Format::Pcm(16), rate: rate_hz, channels: vec![samples] }.write(&place.path(name));
    }
    let [own, far] = ["own.wav", "far.wav"].map(|name| loudest_mel(&place, name, [256, 40_000]));
    assert!((own - far).abs() < 0.1, "{own} and {far} dB");
}

#[test]
fn a_sound_resampled_far_down_holds_no_foreign_tone() {
    let place = Place::new();
    // 5.3 kHz would be heard at 2.7 kHz.
    let [stays, goes] = [1_000.0, 5_300.0].map(|hz| tone(hz, 192_000.0, 192_000));
    let both = stays.iter().zip(&goes).map(|(a, b)| 0.4 * (a + b)).collect();
    let snapshot = Snapshot::new(Source::from_channels(vec![both], 192_000).unwrap());
    let path = place.path("out.wav");
    write_resampled((&snapshot, &LabelSet::default()), 8_000, &path, &Progress::new()).unwrap();
    let written = Source::open(&path, &Progress::new()).unwrap().source;
    assert_eq!((written.info().n_samples, written.info().sample_rate_hz), (8_000, 8_000));
    let mut samples = vec![0.0; 7_000];
    written.read(0, 500, &mut samples).unwrap();
    let [level, late, rest] = fit(&samples, 500, 1_000.0, 8_000.0);
    assert!(db(level / 0.4).abs() < 0.1 && late.abs() < 0.01, "{level}, {late} samples late");
    assert!(db(rest / 0.4) < -110.0, "{} dB", db(rest / 0.4));
}

#[test]
fn what_is_pasted_across_rates_is_clean_and_in_place() {
    const BOTH: Modifiers = Modifiers { ctrl: true, shift: true, command: true, ..Modifiers::NONE };
    let [stays, goes] = [500.0, 5_300.0].map(|hz| tone(hz, 48_000.0, 96_000));
    let both: Vec<f32> = stays.iter().zip(&goes).map(|(a, b)| 0.4 * (a + b)).collect();
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for start_secs in [0.2, 0.300_01] {
        bench.show(Snapshot::new(Source::from_channels(vec![both.clone()], 48_000).unwrap()));
        // A start that no sample at 8 kHz has.
        bench.select(Some([start_secs, 1.7]), None);
        bench.key(CTRL, Key::C);
        bench.show(Snapshot::new(Source::silence(16_000, 8_000, 1).unwrap()));
        bench.key(BOTH, Key::V);
        bench.key(CTRL, Key::Enter);
        let after = bench.samples(0);
        let [level, late, rest] = fit(&after[4_000..12_000], 4_000, 500.0, 8_000.0);
        println!("from {start_secs} s: {} dB, {late} samples late, {} dB beside", db(level / 0.4), db(rest / 0.4));
        assert!(db(level / 0.4).abs() < 0.1 && late.abs() < 0.01, "{level}, {late} samples late");
        assert!(db(rest / 0.4) < -110.0, "{} dB", db(rest / 0.4));
        bench.key(NONE, Key::Escape);
    }
}

/// Values that are no numbers, and some that are far too large.
#[test]
fn features_of_wild_values_are_numbers_and_counted() {
    let place = Place::new();
    let sound = |wild: &[(usize, f32)]| {
        let mut samples: Vec<f32> = tone(300.0, 4_096.0, 40_960);
        wild.iter().for_each(|&(at, value)| samples[at] = value);
        samples
    };
    let wild = [(5_000, f32::NAN), (5_001, f32::INFINITY), (5_002, f32::NEG_INFINITY), (9_000, 3e38), (9_001, -3e38)];
    float_wav(&place, "wild.wav", &sound(&wild));
    float_wav(&place, "good.wav", &sound(&[]));
    for dtype in ["f16", "f32"] {
        for log in ["db", "none", "natural"] {
            let options =
                ["features", "good.wav", "wild.wav", "-o", "out", "--replace", "--log", log, "--dtype", dtype];
            place.done(&options);
            let (_, bytes) = array(&place.path("out/features.npy"));
            let values: Vec<f32> = match dtype {
                "f16" => bytes.chunks_exact(2).map(|b| f32_from_f16(u16::from_le_bytes([b[0], b[1]]))).collect(),
                _ => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
            };
            assert!(values.iter().all(|value| value.is_finite()), "{dtype}, {log}");
            let report: serde_json::Value = serde_json::from_slice(&place.read("out/features.json")).unwrap();
            let noted = report["noted"].as_array().unwrap();
            assert_eq!((noted.len(), &noted[0]["path"]), (1, &"wild.wav".into()), "{report}");
            let notices = noted[0]["notices"].to_string();
            assert!(notices.contains("3 samples were not finite numbers"), "{notices}");
            assert!(notices.contains("2 samples are over 1,000,000 times full scale"), "{notices}");
            let n_largest = values.iter().filter(|value| value.abs() == 65_504.0).count();
            let says = format!("{n_largest} values are 65,504 or more");
            assert_eq!(notices.contains(&says), (dtype, log) == ("f16", "none"), "{notices} {n_largest}");
        }
    }
}

fn float_wav(place: &Place, name: &str, samples: &[f32]) {
    let n_bytes = 4 * samples.len() as u32;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + n_bytes).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x03\0\x01\0");
    bytes.extend(4_096u32.to_le_bytes());
    bytes.extend((4 * 4_096u32).to_le_bytes());
    bytes.extend(b"\x04\0\x20\0data");
    bytes.extend(n_bytes.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    std::fs::write(place.path(name), bytes).unwrap();
}
