//! Notes against onnxruntime and the package's own code (`tests/reference/notes.py`), and against plucked tones whose
//! notes are known.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::ErrorKind;
use dsp::pitch::notes::{
    FoundNote, N_KEYS, NoteChances, NoteFinder, NoteNetwork, RATE_HZ, STEP_SAMPLES, WINDOW_SAMPLES,
};
use std::f64::consts::TAU;
use std::sync::OnceLock;
use std::time::Instant;
use support::npy::{Npy, load};
use support::signals::Rng;

/// The reference contains every eighth frame.
const EVERY: usize = 8;

fn weights() -> Vec<u8> {
    std::fs::read(support::root().join("assets/models/basic_pitch.bin")).unwrap()
}

fn network() -> &'static NoteNetwork {
    static NETWORK: OnceLock<NoteNetwork> = OnceLock::new();
    NETWORK.get_or_init(|| NoteNetwork::read(&weights()).unwrap())
}

fn reference(name: &str) -> Npy {
    load(&format!("notes/{name}").into())
}

/// The sound of the reference.
fn sound() -> Vec<f32> {
    reference("sound").u16s().into_iter().map(|bits| f32::from(bits as i16) / 32_768.0).collect()
}

/// The network's output for samples pushed in blocks of `n_block`.
fn chances(samples: &[f32], n_block: usize) -> NoteChances {
    let mut finder = NoteFinder::new(network());
    samples.chunks(n_block).for_each(|block| finder.push(block));
    finder.finish()
}

fn notes(samples: &[f32]) -> Vec<FoundNote> {
    chances(samples, samples.len().max(1)).found()
}

#[test]
fn the_network_is_that_of_onnxruntime() {
    let window = network().run(&sound()[..WINDOW_SAMPLES]);
    for (name, said) in [("notes", &window.notes), ("onsets", &window.onsets), ("contours", &window.contours)] {
        let expected = reference(name);
        assert_eq!(expected.shape, [said.n_frames().div_ceil(EVERY), said.frame_len()], "{name}");
        let expected = expected.f32s();
        let frames = (0..said.n_frames()).step_by(EVERY).flat_map(|frame| said.frame(frame));
        let worst = frames.zip(&expected).map(|(own, other)| (own - other).abs()).fold(0.0, f32::max);
        let max = expected.iter().copied().fold(0.0, f32::max);
        println!("{name}: off by {worst:.1e}, up to {max:.2}");
        assert!(worst < 1e-4 && max > 0.5, "{name}: {worst}, {max}");
    }
}

#[test]
fn the_notes_are_those_of_the_package() {
    let expected = reference("found");
    let found = notes(&sound());
    assert_eq!(expected.shape, [found.len(), 4]);
    for (note, expected) in found.iter().zip(expected.f64s().chunks_exact(4)) {
        let times = [note.start_secs - expected[0], note.end_secs - expected[1]];
        assert!(times.iter().all(|off| off.abs() < 1e-9), "{note:?}, {expected:?}");
        assert_eq!(f64::from(note.midi), expected[2]);
        assert!((note.amplitude - expected[3]).abs() < 1e-4, "{note:?}, {expected:?}");
    }
}

#[test]
fn blocks_of_any_length_give_the_same_bits() {
    let sound = sound();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let began = Instant::now();
    let alone = pool.install(|| chances(&sound, sound.len()));
    let secs = sound.len() as f64 / RATE_HZ;
    println!("{:.3} s a second on one core", began.elapsed().as_secs_f64() / secs);
    assert_eq!(alone.n_frames(), sound.len().div_ceil(STEP_SAMPLES));
    assert!(chances(&sound, 4_097) == alone, "in blocks, on any number of threads");
}

/// Adds a plucked tone: amplitudes fall with the square of a partial's number, and higher partials decay faster.
fn pluck(sound: &mut [f32], start_secs: f64, midi: u8, level: f64) {
    let first = (start_secs * RATE_HZ) as usize;
    let hz = 440.0 * ((f64::from(midi) - 69.0) / 12.0).exp2();
    for (at, sample) in sound[first..].iter_mut().enumerate() {
        let secs = at as f64 / RATE_HZ;
        let partial = |k: f64| level / (k * k) * (TAU * k * hz * secs).sin() * (-(3.0 + k) * secs).exp();
        *sample += (1..=8).map(|k| partial(f64::from(k))).sum::<f64>() as f32;
    }
}

const STARTS_SECS: [f64; 3] = [0.1, 0.7, 1.3];
const KEYS: [u8; 3] = [52, 59, 67];

/// Tones with these keys, one after another, in noise with this standard deviation.
fn tones(keys: [u8; 3], noise: f64) -> Vec<f32> {
    let mut random = Rng(3);
    let mut sound: Vec<f32> = (0..36_000).map(|_| (noise * random.normal()) as f32).collect();
    STARTS_SECS.iter().zip(keys).for_each(|(start_secs, midi)| pluck(&mut sound, *start_secs, midi, 0.2));
    sound
}

#[test]
fn plucked_tones_are_found_in_time_and_in_tune() {
    let found = notes(&tones(KEYS, 1e-4));
    assert_eq!(found.iter().map(|note| note.midi).collect::<Vec<_>>(), KEYS, "{found:?}");
    for (note, start_secs) in found.iter().zip(STARTS_SECS) {
        assert!((note.start_secs - start_secs).abs() < 0.05, "{note:?} begins at {start_secs}");
        assert!(note.end_secs > note.start_secs + 0.1277 && note.amplitude > 0.3, "{note:?}");
    }
}

#[test]
fn quiet_tones_and_tones_in_digital_silence_are_found() {
    let quiet: Vec<f32> = tones(KEYS, 1e-4).iter().map(|sample| 0.02 * sample).collect();
    let others = [50, 57, 66];
    for (sound, keys, name) in [(quiet, KEYS, "quiet"), (tones(others, 0.0), others, "in silence")] {
        let found = notes(&sound);
        for (midi, start_secs) in keys.into_iter().zip(STARTS_SECS) {
            let is_it = |note: &FoundNote| note.midi == midi && (note.start_secs - start_secs).abs() < 0.05;
            assert!(found.iter().any(is_it), "{midi}, {name}: {found:?}");
        }
    }
}

#[test]
fn silence_dither_and_short_sounds_have_no_notes() {
    let mut random = Rng(5);
    let dither = (0..60_000).map(|_| ((random.uniform() - random.uniform()).round() / 32_768.0) as f32).collect();
    for sound in [vec![], vec![0.0], vec![1.0], vec![0.5; 200], vec![0.0; 60_000], dither] {
        let chances = chances(&sound, 10_000);
        assert_eq!(chances.n_frames(), sound.len().div_ceil(STEP_SAMPLES));
        assert!(chances.notes().iter().chain(chances.onsets()).all(|chance| (0.0..=1.0).contains(chance)));
        assert!(chances.found().is_empty(), "{} samples", sound.len());
    }
}

#[test]
fn every_chance_is_one_of_loud_and_odd_sounds() {
    let mut random = Rng(9);
    let noise: Vec<f32> = (0..8_000).map(|_| random.normal() as f32).collect();
    let loud: Vec<f32> = noise.iter().map(|sample| 1e6 * sample).collect();
    for sound in [noise, loud, vec![0.7; 8_000], [vec![0.0; 4_000], vec![1.0; 1], vec![0.0; 4_000]].concat()] {
        let chances = chances(&sound, sound.len());
        assert_eq!(chances.notes().len(), sound.len().div_ceil(STEP_SAMPLES) * N_KEYS);
        assert!(chances.notes().iter().chain(chances.onsets()).all(|chance| (0.0..=1.0).contains(chance)));
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
        let error = NoteNetwork::read(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.to_string(), "a model is damaged; install Sonobrush again");
    }
    // A changed byte in the weights gives another network or an error, but no panic.
    for at in (8..whole.len()).step_by(48_017) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        if let Ok(network) = NoteNetwork::read(&changed) {
            let mut finder = NoteFinder::new(&network);
            finder.push(&[0.1; 2_000]);
            assert_eq!(finder.finish().n_frames(), 8);
        }
    }
}
