//! Speech isolation against onnxruntime and the definition in NumPy (`tests/reference/isolation.py`), and general
//! properties.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::ErrorKind;
use dsp::FftPlans;
use dsp::numeric::network::LayerFrames;
use dsp::repair::isolation::{
    FRAME_SAMPLES, IsolatedSide, IsolationFrames, IsolationSettings, N_TAPS, STEP_SAMPLES, SpeechCells, SpeechFeatures,
    SpeechIsolator, SpeechListener, SpeechMeter, SpeechNetwork, WeightedLevel, speech_runs,
};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Instant;
use support::measure::{f64s, snr_db};
use support::npy::{self, load};
use support::signals::noise;

const SPEECH: IsolationSettings = IsolationSettings { limit_db: 300.0, side: IsolatedSide::Speech, noise: None };

fn weights() -> Vec<u8> {
    std::fs::read(support::root().join("assets/models/deepfilternet3.bin")).unwrap()
}

fn network() -> &'static SpeechNetwork {
    static NETWORK: OnceLock<SpeechNetwork> = OnceLock::new();
    NETWORK.get_or_init(|| SpeechNetwork::read(&weights()).unwrap())
}

fn cases() -> Value {
    serde_json::from_slice(&std::fs::read(npy::path("isolation/cases.json")).unwrap()).unwrap()
}

/// The 2 s of speech in noise of the reference.
fn sound() -> Vec<f32> {
    let scale = cases()["scale"].as_f64().unwrap() as f32;
    let whole = load(&"isolation/sound".into()).u16s_of("<i2");
    whole.into_iter().map(|bits| f32::from(bits as i16) * scale).collect()
}

/// Spectra of all frames of a channel.
fn spectra(samples: &[f32]) -> Vec<SpeechCells> {
    let frames = IsolationFrames::new(&FftPlans::default());
    let n_frames = samples.len().div_ceil(STEP_SAMPLES) + 1;
    let mut padded = vec![0.0; STEP_SAMPLES];
    padded.extend_from_slice(samples);
    padded.resize((n_frames + 1) * STEP_SAMPLES, 0.0);
    padded.windows(FRAME_SAMPLES).step_by(STEP_SAMPLES).map(|frame| frames.spectrum(frame)).collect()
}

/// The features of a whole sound.
fn features(samples: &[f32]) -> SpeechFeatures {
    let mut listener = SpeechListener::default();
    spectra(samples).into_iter().for_each(|cells| listener.push(vec![cells]));
    listener.end();
    listener.features_until(listener.n_available())
}

/// Channels after isolation in blocks of `n_block` frames.
fn isolated(channels: &[Vec<f32>], settings: &IsolationSettings, n_block: usize) -> Vec<Vec<f32>> {
    let mut isolator = SpeechIsolator::new(network(), settings.clone());
    let spectra: Vec<_> = channels.iter().map(|samples| spectra(samples)).collect();
    let mut changes = Vec::new();
    for frame in 0..spectra[0].len() {
        isolator.push(spectra.iter().map(|channel| channel[frame].clone()).collect());
        if isolator.n_ready() >= n_block {
            changes.extend(isolator.next_frames(n_block));
        }
    }
    isolator.end();
    while isolator.n_ready() > 0 {
        changes.extend(isolator.next_frames(n_block));
    }
    assert_eq!(changes.len(), spectra[0].len());
    let frames = IsolationFrames::new(&FftPlans::default());
    let after = |(channel, before): (usize, &Vec<f32>)| {
        let mut sums = vec![0.0; (changes.len() + 1) * STEP_SAMPLES];
        for (frame, isolated) in changes.iter().enumerate() {
            frames
                .add_samples(&mut isolated.change[channel].clone(), &mut sums[frame * STEP_SAMPLES..][..FRAME_SAMPLES]);
        }
        before.iter().zip(&sums[STEP_SAMPLES..]).map(|(before, change)| before + change).collect()
    };
    channels.iter().enumerate().map(after).collect()
}

fn speech_of(samples: &[f32]) -> Vec<f32> {
    isolated(&[samples.to_vec()], &SPEECH, 1000).remove(0)
}

fn max_off(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f32::max)
}

#[test]
fn levels_are_weighted_as_the_standard_has_it() {
    // IEC 61672-1, table 2.
    let level = WeightedLevel::default();
    let of = |hz: f64, amplitude: f64| {
        let wave = |i: usize| (amplitude * (std::f64::consts::TAU * hz * i as f64 / 48_000.0).sin()) as f32;
        let middle = spectra(&(0..4800).map(wave).collect::<Vec<f32>>()).swap_remove(5);
        f64::from(level.db(&[middle]))
    };
    let at_1000_db = of(1000.0, 0.1);
    for (hz, wanted_db) in [(200.0, -10.9), (500.0, -3.2), (2000.0, 1.2), (8000.0, -1.1), (16_000.0, -6.6)] {
        let db = of(hz, 0.1) - at_1000_db;
        assert!((db - wanted_db).abs() < 0.3, "{hz} Hz: {db} dB");
    }
    assert!((of(1000.0, 0.2) - at_1000_db - 6.02).abs() < 0.01 && of(0.0, 0.1) < -250.0);
    // The level of several channels is that of their mean power.
    let [loud, silent] = [0.1f32, 0.0].map(|scale| spectra(&vec![scale; 960]).remove(1));
    assert!((level.db(&[loud.clone(), silent]) - level.db(&[loud]) + 3.01).abs() < 0.01);
}

#[test]
fn the_network_gives_what_onnxruntime_gives() {
    let output = network().run(&mut network().first_state(), &features(&sound()));
    let gains = load(&"isolation/gains".into());
    let off = max_off(output.gains.values(), &gains.f32s());
    let n_step = cases()["frame_step"].as_u64().unwrap() as usize;
    let filters = (0..output.filters.n_frames()).step_by(n_step).flat_map(|frame| output.filters.frame(frame).to_vec());
    let filters_off = max_off(&filters.collect::<Vec<_>>(), &load(&"isolation/filters".into()).f32s());
    let snr_off = max_off(&output.snr_db, &load(&"isolation/snr_db".into()).f32s()) / 50.0;
    println!("off by {off:e} in gains, {filters_off:e} in filters, {snr_off:e} in ratios over 50 dB");
    assert!(gains.shape == [output.gains.n_frames(), 32] && output.filters.frame_len() == 96 * 2 * N_TAPS);
    assert!(off <= 1e-4 && filters_off <= 1e-4 && snr_off <= 1e-4, "{off} {filters_off} {snr_off}");
    // The encoder alone estimates the same signal-to-noise ratios.
    assert!(network().snr_db(&mut network().first_state(), &features(&sound())) == output.snr_db);
}

#[test]
fn blocks_of_any_length_give_the_same_bits() {
    let features = features(&sound()[..24_000]);
    let whole = network().run(&mut network().first_state(), &features);
    let part = |of: &LayerFrames, from: usize, to: usize| {
        let (n, shape) = (of.frame_len(), [of.n_bands(), of.n_channels()]);
        LayerFrames::new(shape, of.values()[from * n..to * n].to_vec())
    };
    let n_frames = features.bands.n_frames();
    for n_block in [1, 3, 37] {
        let mut state = network().first_state();
        for from in (0..n_frames).step_by(n_block) {
            let to = n_frames.min(from + n_block);
            let block = SpeechFeatures { bands: part(&features.bands, from, to), bins: part(&features.bins, from, to) };
            let output = network().run(&mut state, &block);
            assert!(output.gains == part(&whole.gains, from, to), "{n_block} {from}");
            assert!(output.filters == part(&whole.filters, from, to), "{n_block} {from}");
            assert!(output.snr_db == whole.snr_db[from..to], "{n_block} {from}");
        }
    }
    let sounds = [sound()[..24_000].to_vec()];
    assert!(isolated(&sounds, &SPEECH, 1000) == isolated(&sounds, &SPEECH, 5));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let sound = &sound()[..24_000];
    let later: Vec<f32> = sound.iter().copied().cycle().skip(9_000).take(24_000).collect();
    let sounds = [sound.to_vec(), later];
    let run = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| isolated(&sounds, &SPEECH, 37))
    };
    assert!(run(1) == run(3));
}

#[test]
fn a_whole_sound_is_isolated_as_defined() {
    let step = cases()["sample_step"].as_u64().unwrap() as usize;
    let wanted = load(&"isolation/result".into()).f32s();
    let found: Vec<f32> = speech_of(&sound()).into_iter().step_by(step).collect();
    // From 0.05 s on.
    let from = 2400 / step;
    let db = snr_db(&f64s(&found[from..]), &f64s(&wanted[from..]));
    println!("whole sound: {db:.1} dB");
    assert!(db >= 100.0, "{db}");
}

#[test]
fn quiet_sound_is_isolated_as_loud_sound_is() {
    let loud = speech_of(&sound());
    let quiet: Vec<f32> = sound().iter().map(|sample| sample * 0.01).collect();
    let raised: Vec<f32> = speech_of(&quiet).iter().map(|sample| sample * 100.0).collect();
    let db = snr_db(&f64s(&loud), &f64s(&raised));
    println!("40 dB quieter: {db:.1} dB");
    assert!(db >= 80.0, "{db}");
    // Noise of 1e-6, near digital silence, is not amplified to speech.
    let still = speech_of(&noise(48_000, 1e-6, 3));
    assert!(still.iter().all(|sample| sample.abs() <= 1e-5));
}

#[test]
fn linked_channels_keep_their_image() {
    let left = sound();
    let right: Vec<f32> = left.iter().map(|sample| -0.25 * sample).collect();
    let after = isolated(&[left.clone(), right], &SPEECH, 1000);
    let db = snr_db(&f64s(&after[0]), &after[1].iter().map(|sample| -4.0 * f64::from(*sample)).collect::<Vec<_>>());
    println!("image: {db:.1} dB");
    assert!(db >= 80.0, "{db}");
    // If the channels' mean cancels out, the network's input is the first channel.
    let opposite: Vec<f32> = left.iter().map(|sample| -sample).collect();
    let alone = speech_of(&left);
    let db = snr_db(&f64s(&alone), &f64s(&isolated(&[left, opposite], &SPEECH, 1000)[0]));
    assert!(db >= 100.0, "{db}");
}

#[test]
fn the_rest_and_the_speech_are_the_sound() {
    let (before, speech) = (sound(), speech_of(&sound()));
    let rest = isolated(std::slice::from_ref(&before), &IsolationSettings { side: IsolatedSide::Rest, ..SPEECH }, 1000)
        .remove(0);
    let sum: Vec<f64> = speech.iter().zip(&rest).map(|(a, b)| f64::from(*a) + f64::from(*b)).collect();
    assert!(snr_db(&f64s(&before), &sum) >= 100.0);
    // A limit of 6 dB keeps half the amplitude of what is removed.
    let limited =
        isolated(std::slice::from_ref(&before), &IsolationSettings { limit_db: 6.0, ..SPEECH }, 1000).remove(0);
    let share = 10f64.powf(-0.3);
    let mixed: Vec<f64> =
        speech.iter().zip(&rest).map(|(speech, rest)| f64::from(*speech) + share * f64::from(*rest)).collect();
    let db = snr_db(&mixed, &f64s(&limited));
    assert!(db >= 100.0, "{db}");
}

#[test]
fn silence_stays_silence_and_leaves_no_trace() {
    // Long enough for running means to decay below the range of f32.
    let mut listener = SpeechListener::default();
    let silent = spectra(&[0.0; 480]).remove(0);
    (0..12_000).for_each(|_| listener.push(vec![silent.clone()]));
    listener.end();
    let features = listener.features_until(12_000);
    assert!(features.bands.values().iter().chain(features.bins.values()).all(|value| value.is_finite()));
    let after = speech_of(&vec![0.0; 24_000]);
    assert!(after.iter().all(|sample| *sample == 0.0));
    assert!(speech_of(&[0.5]).iter().all(|sample| sample.is_finite()));
}

#[test]
fn a_damaged_model_is_refused() {
    let whole = weights();
    let mut bad = vec![whole[..whole.len() - 1].to_vec(), whole[..100].to_vec(), Vec::new()];
    for at in [0, 8, 9] {
        bad.push(whole.clone());
        bad.last_mut().unwrap()[at] ^= 0x10;
    }
    bad.push([whole, vec![0]].concat());
    for bytes in bad {
        let error = SpeechNetwork::read(&bytes).unwrap_err();
        assert!(error.kind() == ErrorKind::Unsupported, "{error}");
        assert_eq!(error.to_string(), "a model is damaged; install Sonobrush again");
    }
}

#[test]
#[expect(clippy::single_range_in_vec_init, reason = "one run is what is found")]
fn runs_of_speech_are_bridged_and_dropped() {
    let snr_db = |parts: &[(usize, f32)]| -> Vec<f32> {
        parts.iter().flat_map(|(n, db)| std::iter::repeat_n(*db, *n)).collect()
    };
    assert_eq!(speech_runs(&snr_db(&[(50, -15.0), (40, 5.0), (30, -15.0)])), [50..91]);
    // Between the two thresholds a run continues, but none begins.
    assert_eq!(speech_runs(&snr_db(&[(30, -6.5), (20, 0.0), (30, -6.5)])), [29..80]);
    // A pause of 0.15 s is bridged, one of 0.3 s is not.
    assert_eq!(speech_runs(&snr_db(&[(40, 5.0), (15, -15.0), (40, 5.0)])), [0..95]);
    assert_eq!(speech_runs(&snr_db(&[(40, 5.0), (30, -15.0), (40, 5.0)])), [0..41, 70..110]);
    // Speech of 20 ms is dropped.
    assert_eq!(speech_runs(&snr_db(&[(40, -15.0), (2, 5.0), (40, -15.0)])), []);
    assert_eq!(speech_runs(&[]), []);
}

#[test]
fn speech_is_found_in_noise() {
    let speech = sound();
    let loud = support::measure::rms(&speech);
    let mut samples = noise(96_000, 0.1 * loud, 9);
    samples.extend(speech.iter().zip(noise(96_000, 0.1 * loud, 10)).map(|(a, b)| a + b));
    samples.extend(noise(96_000, 0.1 * loud, 11));
    let mut meter = SpeechMeter::new(network());
    for cells in spectra(&samples) {
        meter.push(vec![cells]);
        if meter.n_ready() >= 100 {
            meter.measure(100);
        }
    }
    let snr_db = meter.finish();
    assert_eq!(snr_db.len(), 601);
    let runs = speech_runs(&snr_db);
    let inside: usize = runs.iter().map(|run| run.end.min(400).saturating_sub(run.start.max(200))).sum();
    let all: usize = runs.iter().map(|run| run.len()).sum();
    println!("{runs:?}");
    assert!(inside >= 100 && all - inside <= 20, "{runs:?}");
}

/// Prints the seconds that one core takes per second of audio. Run it alone, in an optimised build.
#[test]
fn speed_of_isolation() {
    if !support::is_long() {
        return;
    }
    let long: Vec<f32> = (0..10).flat_map(|_| sound()).collect();
    let features = features(&long);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let began = Instant::now();
    pool.install(|| network().run(&mut network().first_state(), &features));
    let network_secs = began.elapsed().as_secs_f64() / 20.0;
    let began = Instant::now();
    pool.install(|| speech_of(&long));
    println!("network {network_secs:.4} s, in all {:.4} s a second on one core", began.elapsed().as_secs_f64() / 20.0);
}
