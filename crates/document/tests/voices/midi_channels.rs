//! Effects of channels on their notes: controllers, bends and drums. Reference values are from FluidSynth 2.3.1, for a
//! held note of FluidR3's organ or flute without reverb and chorus; levels are relative to those of the same note
//! without the controller.

use super::rendered;
use base::JsonAt;
use dsp::voices::{Score, Timbre, VoicePool};
use media::score::{ReadScore, ScoreOverrides, json_from_score, score_at};
use support::voices::midi::{file, track};

const RATE: f64 = 48_000.0;

fn read(bytes: &[u8]) -> ReadScore {
    ReadScore::from_bytes(bytes, &ScoreOverrides::default()).unwrap()
}

fn found(name: &str) -> Vec<u8> {
    std::fs::read(support::root().join("tests/found3").join(name)).unwrap()
}

/// A MIDI file with an organ note of 2 s at 960 ticks per second, and messages at given ticks.
fn organ(messages: &[(u32, &[u8])]) -> Vec<u8> {
    let mut all: Vec<(u32, &[u8])> = vec![(0, &[0xc0, 19])];
    all.extend(messages.iter().filter(|message| message.0 == 0));
    all.push((0, &[0x90, 69, 100]));
    all.extend(messages.iter().filter(|message| message.0 > 0));
    all.push((1920, &[0x80, 69, 0]));
    let mut before = 0;
    let deltas = all.into_iter().map(|(tick, bytes)| (tick - std::mem::replace(&mut before, tick), bytes));
    file(0, 480, &[track(&deltas.collect::<Vec<_>>())])
}

fn db(samples: &[f32], from_secs: f64, to_secs: f64) -> f64 {
    // Samples past the end count as silence.
    let [from, to] = [from_secs, to_secs].map(|secs| (secs * RATE) as usize);
    let part = &samples[from.min(samples.len())..to.min(samples.len())];
    let power: f64 = part.iter().map(|sample| f64::from(sample * sample)).sum();
    10.0 * (power / (to - from) as f64).max(1e-18).log10()
}

/// Levels of left and right in dB, relative to the note without the messages.
fn levels(messages: &[(u32, &[u8])], from_secs: f64, to_secs: f64) -> [f64; 2] {
    let [with, plain] = [messages, &[]].map(|messages| rendered(&read(&organ(messages)).score, RATE, true));
    [0, 1].map(|channel| db(&with[channel], from_secs, to_secs) - db(&plain[channel], from_secs, to_secs))
}

fn assert_levels(messages: &[(u32, &[u8])], from_secs: f64, to_secs: f64, expected: [f64; 2], name: &str) {
    let found = levels(messages, from_secs, to_secs);
    for (found, expected) in found.into_iter().zip(expected) {
        // FluidSynth attenuates in steps of 0.1 dB, and pans in steps of a thousandth.
        let max_off = if expected < -30.0 { 0.25 } else { 0.1 };
        let is_equal = if expected == f64::NEG_INFINITY { found < -85.0 } else { (found - expected).abs() < max_off };
        assert!(is_equal, "{name}: {found:.2} dB instead of {expected}");
    }
}

const SILENT: [f64; 2] = [f64::NEG_INFINITY; 2];

#[test]
fn volume_expression_and_pan_are_fluidsynths() {
    let table: [(u8, u8, [f64; 2]); 16] = [
        (7, 0, SILENT),
        (7, 32, [-19.8; 2]),
        (7, 64, [-7.7; 2]),
        (7, 100, [0.0; 2]),
        (7, 127, [4.15; 2]),
        (11, 0, SILENT),
        (11, 64, [-11.9; 2]),
        (11, 100, [-4.1; 2]),
        (11, 127, [0.0; 2]),
        (10, 0, [3.02, f64::NEG_INFINITY]),
        (10, 1, [3.02, -35.01]),
        (10, 32, [2.33, -5.33]),
        (10, 64, [0.0; 2]),
        (10, 96, [-5.33, 2.33]),
        (10, 127, [-35.01, 3.02]),
        (121, 0, [0.0; 2]),
    ];
    for (controller, value, expected) in table {
        let name = format!("CC {controller} = {value}");
        assert_levels(&[(0, &[0xb0, controller, value])], 0.5, 0.9, expected, &name);
        // During a note, a controller takes effect from its tick on.
        assert_levels(&[(960, &[0xb0, controller, value])], 0.5, 0.9, [0.0; 2], &name);
        assert_levels(&[(960, &[0xb0, controller, value])], 1.2, 1.9, expected, &name);
    }
    // In mono a pan does nothing.
    let mono = |messages: &[(u32, &[u8])]| rendered(&read(&organ(messages)).score, RATE, false)[0].clone();
    assert!(mono(&[(480, &[0xb0, 10, 0])]) == mono(&[]));
    // Reset All Controllers restores expression, but not volume.
    let resets: [(u32, &[u8]); 3] = [(192, &[0xb0, 11, 64]), (192, &[0xb0, 7, 64]), (960, &[0xb0, 121, 0])];
    assert_levels(&resets, 0.5, 0.9, [-19.6; 2], "both");
    assert_levels(&resets, 1.2, 1.9, [-7.7; 2], "reset");
}

#[test]
fn notes_end_with_all_notes_off_and_all_sound_off() {
    for controller in [120, 123, 124, 125, 126, 127] {
        let messages: [(u32, &[u8]); 1] = [(960, &[0xb0, controller, 0])];
        let score = read(&organ(&messages)).score;
        assert_eq!((score.notes[0].start_secs, score.notes[0].duration_secs), (0.0, 1.0), "{controller}");
        assert_levels(&messages, 0.5, 0.9, [0.0; 2], "before");
        assert_levels(&messages, 1.1, 1.9, SILENT, "after");
    }
    // The pedal holds notes ended by All Notes Off until it is lifted or reset, but not those ended by All Sound Off.
    let pedal: (u32, &[u8]) = (192, &[0xb0, 64, 127]);
    assert_levels(&[pedal, (960, &[0xb0, 123, 0])], 1.2, 1.9, [0.0; 2], "held");
    assert_levels(&[pedal, (960, &[0xb0, 120, 0])], 1.2, 1.9, SILENT, "off");
    assert_levels(&[pedal, (576, &[0x80, 69, 0]), (960, &[0xb0, 121, 0])], 1.2, 1.9, SILENT, "reset");
    // All Sound Off also cuts the release of a note that has ended, 0.4 s for a bell.
    let bell = |cut: &[(u32, &[u8])]| {
        let end: [(u32, &[u8]); 3] = [(0, &[0xc0, 8]), (0, &[0x90, 69, 100]), (960, &[0x80, 69, 0])];
        let [left, _] = rendered(&read(&file(0, 480, &[track(&[&end, cut].concat())])).score, RATE, true);
        db(&left, 1.0625, 1.15) - db(&left, 0.9, 1.0)
    };
    assert!(bell(&[]) > -25.0 && bell(&[(48, &[0xb0, 120, 0])]) < -100.0);
    // All Sound Off and All Notes Off do not affect a later note, even at the same tick.
    assert_levels(&[(0, &[0xb0, 120, 0]), (0, &[0xb0, 123, 0])], 0.5, 1.9, [0.0; 2], "before it");

    let score = read(&found("all_notes_off.mid")).score;
    assert_eq!(score.notes.iter().map(|note| note.duration_secs).collect::<Vec<_>>(), [0.5]);
    let [left, _] = rendered(&read(&found("channel_volume_0.mid")).score, RATE, true);
    assert!(left.iter().all(|sample| *sample == 0.0));
}

/// Semitones between the keys and the pitch early and late in a note of 2 s, as in FluidSynth.
#[test]
fn the_range_of_the_pitch_bend_is_fluidsynths() {
    const BEND: &[u8] = &[0xe0, 0, 0x60];
    let range = |semitones: u8| [[0xb0, 101, 0], [0xb0, 100, 0], [0xb0, 6, semitones]];
    let [select, select_fine, twelve] = range(12);
    let at = |tick: u32, messages: &'static [[u8; 3]]| messages.iter().map(move |message| (tick, &message[..]));
    type Messages = Vec<(u32, &'static [u8])>;
    const TWELVE: &[[u8; 3]] = &[[0xb0, 101, 0], [0xb0, 100, 0], [0xb0, 6, 12]];
    assert_eq!(TWELVE, [select, select_fine, twelve]);
    let bend = |tick: u32| std::iter::once((tick, BEND));
    let table: [(&str, Messages, [f64; 2]); 12] = [
        ("none", bend(0).collect(), [1.0, 1.0]),
        ("twelve", at(0, TWELVE).chain(bend(0)).collect(), [6.0, 6.0]),
        ("cents do nothing", at(0, TWELVE).chain(at(0, &[[0xb0, 38, 50]])).chain(bend(0)).collect(), [6.0, 6.0]),
        ("while it sounds", bend(0).chain(at(960, TWELVE)).collect(), [1.0, 6.0]),
        (
            "no parameter",
            at(0, TWELVE).chain(at(0, &[[0xb0, 101, 127], [0xb0, 100, 127], [0xb0, 6, 5]])).chain(bend(0)).collect(),
            [6.0, 6.0],
        ),
        (
            "another's parameter",
            at(0, &[[0xb0, 101, 0], [0xb0, 100, 0], [0xb0, 99, 1], [0xb0, 98, 2], [0xb0, 6, 12]])
                .chain(bend(0))
                .collect(),
            [1.0, 1.0],
        ),
        (
            "reset keeps the range",
            at(0, TWELVE).chain(bend(0)).chain(at(960, &[[0xb0, 121, 0]])).chain(bend(960)).collect(),
            [6.0, 6.0],
        ),
        ("reset ends the bend", bend(0).chain(at(960, &[[0xb0, 121, 0]])).collect(), [1.0, 0.0]),
        ("data alone", at(0, &[[0xb0, 6, 12]]).chain(bend(0)).collect(), [1.0, 1.0]),
        ("range 0", at(0, &[[0xb0, 101, 0], [0xb0, 100, 0], [0xb0, 6, 0]]).chain(bend(0)).collect(), [0.0, 0.0]),
        ("coarse tuning", at(0, &[[0xb0, 101, 0], [0xb0, 100, 2], [0xb0, 6, 67]]).collect(), [3.0, 3.0]),
        ("fine tuning", at(960, &[[0xb0, 101, 0], [0xb0, 100, 1], [0xb0, 6, 96]]).collect(), [0.0, 0.5]),
    ];
    for (name, messages, expected) in table {
        let score = read(&organ(&messages)).score;
        let found = [0.7, 1.5].map(|secs| score.notes[0].pitch_at(secs) - 69.0);
        assert_eq!(found, expected, "{name}");
    }
}

/// The share of the power in a band.
fn share(samples: &[f32], band_hz: [f64; 2]) -> f64 {
    let n = samples.len();
    let (mut inside, mut all) = (0.0, 0.0);
    // A DFT by its definition over the burst, of every second bin.
    for bin in (1..n / 2).step_by(2) {
        let turn = std::f64::consts::TAU * bin as f64 / n as f64;
        let step = [turn.cos(), turn.sin()];
        let (mut at, mut sum) = ([1.0, 0.0], [0.0, 0.0]);
        for sample in samples {
            sum = [sum[0] + f64::from(*sample) * at[0], sum[1] + f64::from(*sample) * at[1]];
            at = [at[0] * step[0] - at[1] * step[1], at[0] * step[1] + at[1] * step[0]];
        }
        let power = sum[0] * sum[0] + sum[1] * sum[1];
        all += power;
        let hz = bin as f64 / n as f64 * RATE;
        inside += if (band_hz[0]..=band_hz[1]).contains(&hz) { power } else { 0.0 };
    }
    inside / all
}

fn drums(keys: &[u8]) -> Vec<u8> {
    let mut events: Vec<(u32, &[u8])> = Vec::new();
    let messages: Vec<[[u8; 3]; 2]> = keys.iter().map(|&key| [[0x99, key, 127], [0x89, key, 0]]).collect();
    for [on, off] in &messages {
        events.extend([(0, &on[..]), (48, &off[..]), (432, &[0xb9, 1, 0])]);
    }
    file(0, 480, &[track(&events)])
}

/// Each drum is 80 ms of noise in its band, also where all notes are given a timbre.
#[test]
fn drums_are_bursts_of_their_bands() {
    let bands: [(&[u8], [f64; 2]); 4] = [
        (&[35, 36], [0.0, 120.0]),
        (&[37, 38, 39, 40], [1_000.0, 5_000.0]),
        (&[42, 43, 44, 45, 46], [6_000.0, 24_000.0]),
        (&[27, 34, 41, 47, 49, 51, 57, 81], [300.0, 3_000.0]),
    ];
    for (keys, band_hz) in bands {
        let bytes = drums(keys);
        let overrides = ScoreOverrides { timbre: Some(Timbre::bell()), ..ScoreOverrides::default() };
        let ReadScore { score, notices } = ReadScore::from_bytes(&bytes, &overrides).unwrap();
        assert_eq!((score.notes.len(), notices), (keys.len(), Vec::new()), "{keys:?}");
        let [left, right] = rendered(&score, RATE, true);
        assert!(left == right);
        let mut all: Vec<&[f32]> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let start = at * RATE as usize / 2;
            let burst = &left[start..start + 3_840];
            let rest = &left[(start + 3_840).min(left.len())..(start + RATE as usize / 2).min(left.len())];
            assert!(rest.iter().all(|sample| sample.abs() < 1e-6), "{key} is longer than 80 ms");
            assert!(db(burst, 0.04, 0.06) > db(burst, 0.0, 0.04) - 20.0, "{key} is shorter than 60 ms");
            let inside = share(burst, band_hz);
            assert!(inside > 0.95, "{key}: {:.1} % in its band", 100.0 * inside);
            all.push(burst);
        }
        // Bursts of noise all differ, except for kicks, whose noise is too short for that.
        assert_eq!(all.windows(2).any(|pair| pair[0] == pair[1]), keys[0] == 35, "{keys:?}");
    }
    // Drums follow the volume of their channel, but not its pitch bend.
    let quiet = track(&[(0, &[0xb9, 7, 50]), (0, &[0xe9, 0, 0x60]), (0, &[0x99, 38, 127]), (480, &[0xb9, 1, 0])]);
    let [quiet, plain] = [file(0, 480, &[quiet]), drums(&[38])].map(|bytes| rendered(&read(&bytes).score, RATE, true));
    let difference = db(&quiet[0], 0.0, 0.08) - db(&plain[0], 0.0, 0.08);
    assert!((difference + 12.04).abs() < 0.01, "{difference}");
}

/// A bar with drums, pan, volume, expression, a pitch bend and All Sound Off.
fn busy() -> Score {
    let events: [(u32, &[u8]); 16] = [
        (0, &[0xc0, 48]),
        (0, &[0xb0, 10, 20]),
        (0, &[0x90, 60, 100]),
        (0, &[0x99, 36, 110]),
        (96, &[0x99, 42, 90]),
        (24, &[0xb0, 10, 90]),
        (72, &[0xb0, 7, 60]),
        (0, &[0x99, 38, 127]),
        (48, &[0xb0, 11, 90]),
        (48, &[0xb0, 10, 127]),
        (0, &[0x99, 42, 90]),
        (0, &[0x90, 67, 80]),
        (48, &[0xb0, 101, 0]),
        (0, &[0xe0, 0, 0x70]),
        (144, &[0x99, 49, 100]),
        (96, &[0xb0, 120, 0]),
    ];
    read(&file(0, 480, &[track(&events)])).score
}

#[test]
fn what_channels_do_has_the_same_bits_on_any_threads_and_in_any_pieces() {
    let score = busy();
    let bits = |channels: &[Vec<f32>]| channels.iter().flatten().map(|sample| sample.to_bits()).collect::<Vec<_>>();
    let whole = rendered(&score, RATE, true);
    assert!(whole[0] != whole[1] && whole[0].iter().any(|sample| *sample != 0.0));
    for n in [1, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        assert!(bits(&pool.install(|| rendered(&score, RATE, true))) == bits(&whole), "{n} threads");
    }
    for n_at_once in [64, 777] {
        let mut pool = VoicePool::new();
        let mut stream = pool.begin(&score, RATE, true).unwrap();
        let mut channels = [vec![1.0; whole[0].len()], vec![1.0; whole[0].len()]];
        let [left, right] = &mut channels;
        for (left, right) in left.chunks_mut(n_at_once).zip(right.chunks_mut(n_at_once)) {
            stream.render(left, right);
        }
        assert!(bits(&channels) == bits(&whole), "pieces of {n_at_once}");
    }
    // Written into an edit and read again.
    let json = serde_json::Value::Object(json_from_score(&score));
    let again = score_at(&JsonAt::of_file(&json, "score")).unwrap();
    assert!(bits(&rendered(&again, RATE, true)) == bits(&whole));
}

/// The GPU renders the same, to 125 dB.
#[test]
fn both_engines_agree_on_what_channels_do() {
    let Some(gpu) = support::gpu::own_gpu() else { return };
    let score = busy();
    let cpu = rendered(&score, RATE, true);
    let mut pool = VoicePool::new();
    let stream = pool.begin(&score, RATE, true).unwrap();
    let n = stream.n_samples();
    let mut channels = [vec![0.0; n as usize], vec![0.0; n as usize]];
    let [left, right] = &mut channels;
    engine::Engine::on(gpu).voices(stream, n).render(left, right).unwrap();
    for (found, expected) in channels.iter().zip(&cpu) {
        let power: f64 = expected.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        let error: f64 = found.iter().zip(expected).map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let agreement = 10.0 * (power / error.max(1e-30)).log10();
        assert!(agreement > 125.0, "{agreement:.1} dB");
    }
}

#[test]
fn a_running_status_goes_on_after_a_meta_event() {
    let text: &[u8] = &[0xff, 0x01, 2, b'a', b'b'];
    let notes = |second: &'static [u8]| {
        let end: &[u8] = &[0x80, 64, 0];
        file(0, 480, &[track(&[(0, &[0x90, 60, 90]), (480, text), (0, second), (480, &[60, 0]), (0, end)])])
    };
    let (bare, whole) = (read(&notes(&[64, 80])), read(&notes(&[0x90, 64, 80])));
    assert_eq!(bare.score, whole.score);
    assert_eq!(bare.score.notes.len(), 2);
    let reason = "1 message follows a meta or system event without a status, which MIDI files may not do; the status before was taken";
    assert_eq!((bare.notices, whole.notices), (vec![reason.to_owned()], Vec::new()));
    // A system-exclusive message ends the running status as well; before the first message there is none.
    let system = file(0, 480, &[track(&[(0, &[0x90, 60, 90]), (9, &[0xf0, 1, 0xf7]), (471, &[60, 0])])]);
    assert_eq!(read(&system).score.notes[0].duration_secs, 0.5);
    let none = file(0, 480, &[track(&[(0, text), (0, &[60, 90]), (480, &[0x80, 60, 0])])]);
    let error = ReadScore::from_bytes(&none, &ScoreOverrides::default()).unwrap_err();
    assert!(error.message().starts_with("holds no notes (the file is damaged"), "{error}");
}
