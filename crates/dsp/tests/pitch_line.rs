//! The pitch line against onnxruntime (`tests/reference/pitch_line.py`), and on sounds with known pitch.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::ErrorKind;
use dsp::pitch::pitch_line::{PitchNetwork, PitchPoint, PitchTracker, RATE_HZ, STEP_SAMPLES, VOICED};
use dsp::pitch::yin::Yin;
use std::f64::consts::TAU;
use std::sync::OnceLock;
use std::time::Instant;
use support::npy::load;
use support::signals::Rng;
use support::wav::clip;

fn weights() -> Vec<u8> {
    std::fs::read(support::root().join("assets/models/swiftf0.bin")).unwrap()
}

fn network() -> &'static PitchNetwork {
    static NETWORK: OnceLock<PitchNetwork> = OnceLock::new();
    NETWORK.get_or_init(|| PitchNetwork::read(&weights()).unwrap())
}

/// The line of a sound passed in blocks.
fn line(samples: &[f32], n_block: usize) -> Vec<PitchPoint> {
    let mut tracker = PitchTracker::new(network());
    samples.chunks(n_block).for_each(|block| tracker.push(block));
    tracker.finish()
}

/// The two seconds of speech of the reference.
fn speech() -> Vec<f32> {
    let bytes = std::fs::read(clip("speech_16k_mono.wav")).unwrap();
    let stored = bytes[44..].chunks_exact(2).map(|x| i16::from_le_bytes([x[0], x[1]]));
    stored.skip(16_000).take(32_000).map(|x| f32::from(x) / 32_768.0).collect()
}

fn cents(a: f64, b: f64) -> f64 {
    1_200.0 * (a / b).log2().abs()
}

/// Tolerances: fourteen layers sum up to 252 products each, in another order than the reference, with relative rounding
/// errors of 2^-24: about `14 * 252^0.5 * 2^-24` = 1.3e-5 in the last layer, and as much again for logarithms of bins
/// near 0. Confidence changes by at most a quarter of that. Pitch is determined by three rows, 70 cents apart, each of
/// which changes it by at most 70 cents times that: about 5e-3 cents in all.
#[test]
fn the_network_is_that_of_onnxruntime() {
    let [hertz, confidence] = ["hertz", "confidence"].map(|name| load(&format!("pitch_line/{name}").into()).f64s());
    let points = line(&speech(), 32_000);
    assert_eq!(points.len(), hertz.len());
    let mut worst = [0.0f64; 2];
    let mut n_same = 0;
    for (at, point) in points.iter().enumerate() {
        let is_off = cents(point.hz, hertz[at]);
        // Skips points whose pitch is YIN's: another harmonic, or below 70 Hz.
        if is_off < 600.0 && hertz[at] >= 70.0 {
            worst[1] = worst[1].max(is_off);
            n_same += 1;
        }
        if point.confidence > 0.0 {
            worst[0] = worst[0].max((point.confidence - confidence[at]).abs());
        }
    }
    println!("confidence off by {:.1e}, pitch by {:.1e} cents, {n_same} of {}", worst[0], worst[1], points.len());
    assert!(worst[0] < 2e-5 && worst[1] < 5e-3 && n_same > 100, "{worst:?}, {n_same}");
}

#[test]
fn blocks_of_any_length_give_the_same_bits() {
    // Longer than one block of the network.
    let sound: Vec<f32> = (0..3).flat_map(|_| speech()).take(5 * 16_000 + 77).collect();
    let whole = line(&sound, sound.len());
    assert_eq!(whole.len(), sound.len() / STEP_SAMPLES);
    assert!(line(&sound, 4_097) == whole);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let began = Instant::now();
    let alone = pool.install(|| line(&sound, sound.len()));
    println!("{:.3} s a second on one core", began.elapsed().as_secs_f64() / 5.0);
    assert!(alone == whole, "on any number of threads");
}

/// Pink noise of a power of 1.
fn pink(n: usize, seed: u64) -> Vec<f64> {
    // Kellet's filter: a sum of one-pole filters of white noise, within 0.05 dB of -3 dB an octave.
    const POLES: [[f64; 2]; 6] = [
        [0.99886, 0.0555179],
        [0.99332, 0.0750759],
        [0.969, 0.153852],
        [0.8665, 0.3104856],
        [0.55, 0.5329522],
        [-0.7616, -0.016898],
    ];
    let (mut random, mut states) = (Rng(seed), [0.0; 6]);
    let mut made: Vec<f64> = (0..n)
        .map(|_| {
            let white = random.normal();
            states.iter_mut().zip(POLES).for_each(|(state, [pole, gain])| *state = pole * *state + gain * white);
            states.iter().sum::<f64>() + 0.5362 * white
        })
        .collect();
    let power = made.iter().map(|x| x * x).sum::<f64>() / n as f64;
    made.iter_mut().for_each(|x| *x /= power.sqrt());
    made
}

/// A tone with a moving pitch, in pink noise `snr_db` below it. Harmonic `k` has amplitude `1 / k`; with `every` 2
/// there are only odd harmonics.
fn tone(secs: f64, hz: impl Fn(f64) -> f64, every: usize, snr_db: f64) -> Vec<f32> {
    let n = (secs * RATE_HZ) as usize;
    let mut turns = 0.0;
    let mut made: Vec<f64> = (0..n)
        .map(|at| {
            let now = hz(at as f64 / RATE_HZ);
            turns += now / RATE_HZ;
            let n_harmonics = (6_000.0 / now) as usize;
            (1..=n_harmonics).step_by(every).map(|k| (TAU * turns * k as f64).sin() / k as f64).sum()
        })
        .collect();
    let power = made.iter().map(|x| x * x).sum::<f64>() / n as f64;
    let level = (power / 10f64.powf(snr_db / 10.0)).sqrt();
    made.iter_mut().zip(pink(n, 7)).for_each(|(x, noise)| *x += level * noise);
    made.into_iter().map(|x| (0.1 * x / power.sqrt()) as f32).collect()
}

/// The fraction of frames, without those at the ends, within 50 cents of the true pitch: by the line where voiced, and
/// by YIN alone.
fn right(sound: &[f32], hz: impl Fn(f64) -> f64) -> [f64; 2] {
    let points = line(sound, sound.len());
    let mut yin = Yin::new(RATE_HZ, [857, 512, STEP_SAMPLES], [46.875, 2_093.75]);
    let frames = 8..points.len() - 8;
    let n = frames.len() as f64;
    let mut n_right = [0.0; 2];
    for at in frames {
        let centre = at * STEP_SAMPLES;
        let truth = hz(centre as f64 / RATE_HZ);
        let reading = yin.read(&sound[centre - 428..][..857]);
        let is_right = points[at].confidence >= VOICED && cents(points[at].hz, truth) <= 50.0;
        n_right[0] += f64::from(u8::from(is_right));
        n_right[1] += f64::from(u8::from(reading.is_some_and(|reading| cents(reading.hz, truth) <= 50.0)));
    }
    n_right.map(|right| right / n)
}

#[test]
fn noise_as_loud_as_the_voice_hides_no_pitch_that_yin_loses() {
    let vibrato = |t: f64| 220.0 * (TAU * 5.5 * t).sin().mul_add(0.03, 1.0);
    let glide = |t: f64| 110.0 * (0.5 * t).exp2();
    let contours: [(&str, &dyn Fn(f64) -> f64); 2] = [("vibrato", &vibrato), ("glide", &glide)];
    for (name, contour) in contours {
        for (snr_db, min) in [(60.0, 0.97), (10.0, 0.97), (0.0, 0.85)] {
            let [line, yin] = right(&tone(2.0, contour, 1, snr_db), contour);
            println!("{name} at {snr_db} dB: {line:.2}, YIN {yin:.2}");
            assert!(line >= min, "{name} at {snr_db} dB: {line}");
            assert!(snr_db > 0.0 || line > yin + 0.05, "{name}: the control, {yin}");
        }
    }
}

#[test]
fn yin_decides_where_the_network_is_known_to_be_wrong() {
    // Low notes, and tones with only odd harmonics, of which the network may pick another.
    for (hz, every) in [(49.0, 1), (55.0, 1), (55.0, 2), (65.4, 1), (220.0, 2), (440.0, 2), (1_040.0, 1)] {
        let [line, yin] = right(&tone(1.0, |_| hz, every, 60.0), |_| hz);
        println!("{hz} Hz, every {every}: {line:.2}, YIN {yin:.2}");
        assert!(line >= 0.97, "{hz} Hz, every {every}: {line}");
    }
}

#[test]
fn silence_and_short_sounds_have_no_pitch() {
    assert_eq!(line(&[], 1).len(), 1);
    for sound in [vec![], vec![0.0; 10], vec![0.0; 8_000], vec![5e-4; 8_000]] {
        assert!(line(&sound, 512).iter().all(|point| point.confidence == 0.0 && point.hz.is_finite()));
    }
}

#[test]
fn a_damaged_model_is_one_sentence() {
    let whole = weights();
    let mut flipped = whole.clone();
    flipped[9] ^= 1;
    let short = &whole[..whole.len() - 1];
    let long = [&whole[..], &[0]].concat();
    for bytes in [&flipped[..], short, &long, &whole[1..], &[]] {
        let error = PitchNetwork::read(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.to_string(), "a model is damaged; install Sonobrush again");
    }
    // A changed byte in the weights gives another network or an error, but no panic.
    for at in (8..whole.len()).step_by(997) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        if let Ok(network) = PitchNetwork::read(&changed) {
            let mut tracker = PitchTracker::new(&network);
            tracker.push(&[0.1; 2_000]);
            assert_eq!(tracker.finish().len(), 7);
        }
    }
}
