//! Files of every codec and container, encoded by another program from the same known sweep, decode to the same samples
//! at the same positions.

use base::Progress;
use sonobrush_media::{Opened, Original, SampleFormat, Source};

fn open(name: &str) -> Opened {
    let path = support::root().join("tests/coded").join(name);
    Source::open(&path, &Progress::new()).unwrap()
}

fn channel(source: &Source, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; source.info().n_samples as usize];
    source.read(channel, 0, &mut samples).unwrap();
    samples
}

/// The sweep of `coded/make.py`, as 16-bit integers.
fn sweep(rate_hz: f64, n: usize, right: bool) -> Vec<i16> {
    use std::f64::consts::TAU;
    let value = |i: usize| {
        let t = i as f64 / rate_hz;
        let x = 0.5 * (TAU * (200.0 * t + 400.0 * t * t)).sin() * (0.6 + 0.4 * (TAU * 3.0 * t).sin());
        let x = if right { -x / 2.0 } else { x };
        (x * 32768.0 + 0.5).floor() as i16
    };
    (0..n).map(value).collect()
}

/// Signal-to-noise ratio in dB of `found`, assumed to be `late` samples late, relative to the sweep. Ignores the first
/// `skipped` samples of the sweep.
fn snr_db(found: &[f32], sweep: &[i16], late: usize, skipped: usize) -> f64 {
    let (mut signal, mut error) = (0.0, 1e-30);
    for (i, &x) in sweep.iter().enumerate().skip(skipped) {
        let x = f64::from(x) / 32768.0;
        let y = found.get(i + late).copied().unwrap_or(0.0);
        signal += x * x;
        error += (x - f64::from(y)).powi(2);
    }
    10.0 * (signal / error).log10()
}

#[test]
fn lossless_codecs_give_every_sample() {
    let files = [
        ("alac.m4a", "ALAC, 16 bit", 16),
        ("alac.caf", "ALAC, 16 bit", 16),
        ("pcm24.caf", "CAF, 24 bit", 24),
        ("pcm16.au", "AU, 16 bit", 16),
        ("pcm16.w64", "Wave64, 16 bit", 16),
    ];
    for (name, description, bits) in files {
        let opened = open(name);
        let info = opened.source.info();
        assert_eq!((info.n_samples, info.n_channels, info.sample_rate_hz), (3002, 2, 44_100), "{name}");
        assert_eq!((info.description.as_str(), info.format), (description, SampleFormat::Pcm { bits }), "{name}");
        for right in [false, true] {
            let expected: Vec<i32> =
                sweep(44_100.0, 3002, right).into_iter().map(|x| i32::from(x) << (bits - 16)).collect();
            let found = opened.source.read_original(usize::from(right), 0, 3002).unwrap();
            assert_eq!(found, Original::Integers(expected), "{name}");
        }
        assert!(opened.notices.is_empty(), "{name}: {:?}", opened.notices);
    }
    for name in ["float32.au", "float32.w64"] {
        let opened = open(name);
        assert_eq!(opened.source.info().format, SampleFormat::Float32, "{name}");
        let expected: Vec<f32> = sweep(44_100.0, 3002, true).into_iter().map(|x| f32::from(x) / 32768.0).collect();
        assert_eq!(channel(&opened.source, 1), expected, "{name}");
    }
}

#[test]
fn logarithmic_codes_are_as_near_as_their_steps() {
    for (name, description) in [("mulaw.au", "AU, mu-law"), ("alaw.au", "AU, A-law")] {
        let opened = open(name);
        assert_eq!(opened.source.info().description, description);
        let expected = sweep(44_100.0, 3002, false);
        for (found, x) in channel(&opened.source, 0).iter().zip(&expected) {
            // G.711 has 16 steps per octave. Encoders round differently, so allow an error of about one step.
            let (found, x) = (f64::from(*found) * 32768.0, f64::from(*x));
            assert!((found - x).abs() <= (x.abs() + 132.0) / 16.0 + 1.0, "{name}: {found} for {x}");
        }
    }
}

#[test]
fn encoder_delay_and_padding_are_trimmed() {
    // The lengths are not multiples of the frame length, so only trimming at both ends yields them.
    let files = [
        ("aac.m4a", 44_100, 30_011, 0, "AAC"),
        // Without an edit list, the delay is unknown, so all frames are kept untrimmed.
        ("aac_fragments.mp4", 44_100, 31 * 1024, 1024, "AAC"),
        ("opus.opus", 48_000, 40_013, 0, "Opus"),
    ];
    for (name, rate_hz, n_samples, late, description) in files {
        let opened = open(name);
        let info = opened.source.info();
        assert_eq!((info.sample_rate_hz, info.description.as_str()), (rate_hz, description), "{name}");
        assert_eq!(info.n_samples, n_samples, "{name}");
        assert_eq!(info.format, SampleFormat::Lossy);
        let expected = sweep(f64::from(rate_hz), 29_000, false);
        let found = channel(&opened.source, 0);
        // Skip the start, where the codec has not settled yet.
        let right = snr_db(&found, &expected, late, 2048);
        assert!(right > 20.0, "{name}: {right:.1} dB");
        for wrong in [late + 1, late + 1024] {
            assert!(snr_db(&found, &expected, wrong, 2048) < right - 6.0, "{name}: a shift must show");
        }
        assert!(opened.notices.is_empty(), "{name}: {:?}", opened.notices);
    }
}

#[test]
fn the_gain_that_an_opus_header_asks_for_is_applied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("louder.opus");
    let mut bytes = std::fs::read(support::root().join("tests/coded/opus.opus")).unwrap();
    let head = bytes.windows(8).position(|window| window == b"OpusHead").unwrap();
    // Output gain of -6 dB, in units of 1/256 dB.
    bytes[head + 16..head + 18].copy_from_slice(&(-6 * 256i16).to_le_bytes());
    let n = 27 + usize::from(bytes[26]) + usize::from(bytes[27]);
    bytes[22..26].fill(0);
    let sum = bytes[..n].iter().fold(0u32, |mut sum, byte| {
        sum ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            sum = if sum & 1 << 31 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 };
        }
        sum
    });
    bytes[22..26].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let louder = channel(&Source::open(&path, &Progress::new()).unwrap().source, 0);
    let gain = 10f32.powf(-6.0 / 20.0);
    for (found, as_coded) in louder.iter().zip(channel(&open("opus.opus").source, 0)) {
        assert!((found - as_coded * gain).abs() < 1e-6);
    }
}

#[test]
fn a_pause_in_the_edit_list_is_silence() {
    let opened = open("aac_pause.m4a");
    let found = channel(&opened.source, 0);
    // The edit list states a pause of 226 ms. The encoder delay follows, since the list does not trim it.
    let pause = (0.226 * 44_100.0_f64).round() as usize;
    assert!(found[..pause].iter().all(|x| *x == 0.0));
    assert_eq!(found.len(), pause + 1024 + 30_011);
    let expected = sweep(44_100.0, 30_011, false);
    let right = snr_db(&found, &expected, pause + 1024, 2048);
    assert!(right > 20.0, "{right:.1} dB");
}

#[test]
fn aac_without_a_container_keeps_its_delay() {
    let opened = open("aac.aac");
    let found = channel(&opened.source, 0);
    let right = snr_db(&found, &sweep(44_100.0, 29_000, false), 1024, 2048);
    assert!(right > 20.0, "{right:.1} dB");
}

#[test]
fn mpeg_layer_ii_keeps_its_delay() {
    let opened = open("mp2.mp2");
    assert_eq!((opened.source.info().description.as_str(), opened.source.info().n_samples), ("MP2", 27 * 1152));
    assert!(opened.notices.is_empty(), "{:?}", opened.notices);
    let found = channel(&opened.source, 0);
    let right = snr_db(&found, &sweep(44_100.0, 29_000, false), 481, 2048);
    assert!(right > 25.0, "{right:.1} dB");
}

#[test]
fn damage_in_any_of_them_is_a_sentence_or_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 1u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for entry in std::fs::read_dir(support::root().join("tests/coded")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "py") {
            continue;
        }
        let whole = std::fs::read(&path).unwrap();
        let copy = folder.path().join(path.file_name().unwrap());
        for round in 0..24 {
            let mut bytes = whole.clone();
            if round % 3 == 0 {
                bytes.truncate(random(bytes.len()));
            }
            // In every second round, damage only the first 800 bytes: the headers, which state lengths.
            for _ in 0..1 + random(8) {
                let n = if round % 2 == 0 { bytes.len() } else { bytes.len().min(800) };
                if n > 0 {
                    bytes[random(n)] = random(256) as u8;
                }
            }
            std::fs::write(&copy, &bytes).unwrap();
            match Source::open(&copy, &Progress::new()) {
                Ok(opened) => {
                    let n = opened.source.info().n_samples as usize;
                    // Upper bound: what a lossy codec can encode in so few bytes, plus the longest accepted pause: 1 h.
                    assert!(n < 4_000_000 + 3600 * 768_000, "{copy:?} has {n} samples");
                    assert!(channel(&opened.source, 0).iter().all(|x| x.is_finite()));
                }
                Err(error) => assert!(error.to_string().contains(' '), "{error}"),
            }
        }
    }
}
