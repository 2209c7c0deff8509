//! Descriptors of sounds against an oracle in f64, and the handling of invalid sounds.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::support::clips::recording;
use super::support::program::Place;
use super::support::wav::{Format, Wav, clip};
use serde_json::{Map, Value};
use sonobrush::base::Progress;
use sonobrush::dsp::descriptors::{PITCH_FRAME_SAMPLES, PitchDescriptors, PitchMeter, STEP_SAMPLES};
use sonobrush::library::describe::{PendingDescription, begin_description, describe};
use sonobrush::library::descriptors::{DESCRIBED, DESCRIPTORS, Descriptor};
use sonobrush::media::Source;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

pub(super) const RATE: u32 = 44_100;

/// `mix` of `make_descriptors.py`.
fn mix(value: u32) -> u32 {
    let value = (value ^ value >> 16).wrapping_mul(0x7feb_352d);
    let value = (value ^ value >> 15).wrapping_mul(0x846c_a68b);
    value ^ value >> 16
}

fn noise(at: usize, seed: usize) -> i64 {
    i64::from(mix((at + seed * 1_000_003) as u32) & 0xffff) - 32_768
}

/// A triangle of a frequency in thousandths of a hertz.
fn wave(at: usize, milli_hz: u64) -> i64 {
    let step = milli_hz * (1 << 32) / (u64::from(RATE) * 1_000);
    let phase = ((at as u64 * step) % (1 << 32)) >> 15;
    (if phase < 65_536 { phase } else { 131_071 - phase }) as i64 - 32_768
}

/// The channels of a signal of `make_descriptors.py`.
pub(super) fn signal(name: &str) -> Vec<Vec<i64>> {
    let samples = |n: usize, of: &dyn Fn(usize) -> i64| (0..n).map(of).collect::<Vec<i64>>();
    let gaps = |at: usize| i64::from(at / 11_025 % 3 != 2);
    match name {
        "music" => {
            let chords = [
                [220_000, 261_626, 329_628],
                [174_614, 220_000, 261_626],
                [130_813, 261_626, 329_628],
                [195_998, 246_942, 293_665],
            ];
            let chord = |at: usize| {
                let tones: i64 = chords[at / 66_150].iter().map(|&hz| wave(at, hz)).sum();
                tones.div_euclid(12)
            };
            let beat = |at: usize| {
                let since = (at % 22_050) as i64;
                let decay = 64 * 3_000 / (3_000 + since);
                let sound = (noise(at, 1) * decay * decay).div_euclid(4_096).div_euclid(3);
                if since < 4_000 { sound } else { 0 }
            };
            let left = samples(6 * 44_100, &|at| chord(at) + beat(at));
            let right = samples(6 * 44_100, &|at| {
                (chord(at) * 3).div_euclid(4) + beat(at).div_euclid(2) + wave(at, 523_251).div_euclid(30)
            });
            vec![left, right]
        }
        "tone" => vec![samples(2 * 44_100, &|at| wave(at, 220_000).div_euclid(4))],
        "noise" => [(2, 8), (3, 16)]
            .map(|(seed, level)| samples(66_150, &|at| noise(at, seed).div_euclid(level) * gaps(at)))
            .into(),
        "clicks" => vec![samples(4 * 44_100, &|at| match at % 26_460 {
            5_000 => 30_000,
            5_001 => -20_000,
            _ => 0,
        })],
        "short" => vec![samples(13_230, &|at| (wave(at, 659_255) * (13_230 - at as i64)).div_euclid(40_000))],
        "constant" => vec![vec![8_000; 44_100]],
        name => panic!("{name}"),
    }
}

/// How far from the oracle a value may be.
enum Tolerance {
    Exact,
    Absolute(f64),
    Share(f64),
}

/// Those of the definition.
fn tolerance(name: &str) -> Tolerance {
    match name {
        "duration_secs" | "sample_rate" | "channels" | "silent" | "key" => Tolerance::Exact,
        "lufs" | "crest_db" | "crest_variation_db" | "level_variation_db" | "mfcc_mean" | "mfcc_std" => {
            Tolerance::Absolute(0.1)
        }
        "true_peak_dbtp" => Tolerance::Absolute(0.3),
        "loudness_range" => Tolerance::Absolute(0.5),
        "stereo_width" | "phase_correlation" => Tolerance::Absolute(1e-4),
        "bass_mid_db" => Tolerance::Absolute(0.2),
        "silence_ratio" | "peak_consistency" => Tolerance::Absolute(0.01),
        "centroid_hz" | "centroid_std_hz" | "bandwidth_hz" | "f0_hz" => Tolerance::Share(0.005),
        "rolloff_hz" | "flatness" | "onset_strength_mean" => Tolerance::Share(0.01),
        "harmonic_ratio" => Tolerance::Absolute(0.005),
        "voiced_ratio" | "pitch_stability" | "chroma" | "chroma_strength" | "key_strength" => Tolerance::Absolute(0.02),
        "tempo_bpm" => Tolerance::Share(0.02),
        "rhythm_stability" => Tolerance::Absolute(0.05),
        // The seven bands.
        _ => Tolerance::Absolute(0.002),
    }
}

/// How far apart two values are, in tolerances; infinitely if they are not of a kind.
pub(super) fn apart(name: &str, found: &Value, expected: &Value) -> f64 {
    if let (Value::Array(found), Value::Array(expected)) = (found, expected) {
        let each = found.iter().zip(expected).map(|(found, expected)| apart(name, found, expected));
        return if found.len() == expected.len() { each.fold(0.0, f64::max) } else { f64::INFINITY };
    }
    let (Some(a), Some(b)) = (found.as_f64(), expected.as_f64()) else {
        return if found == expected { 0.0 } else { f64::INFINITY };
    };
    match tolerance(name) {
        Tolerance::Exact if (a - b).abs() <= 1e-7 * b.abs() => 0.0,
        Tolerance::Exact => f64::INFINITY,
        Tolerance::Absolute(max) => (a - b).abs() / max,
        // Below a millionth, differences are meaningless.
        Tolerance::Share(max) => (a - b).abs() / (max * b.abs()).max(1e-6),
    }
}

/// How far the bandwidth may be from librosa's of the same frames.
const MAX_BANDWIDTH_HZ: f64 = 0.1;

fn names() -> impl Iterator<Item = &'static str> {
    DESCRIBED.into_iter().map(|row| row.name)
}

fn described(place: &Place, file: &Path) -> Map<String, Value> {
    let said = place.done(&["library", "describe", file.to_str().unwrap(), "--json"]);
    let Value::Object(mut found) = serde_json::from_str(&said).unwrap() else { panic!("{said}") };
    // What a file is called, and what there is to know of how it was read.
    assert!(found.remove("path").is_some() && found.remove("notices").is_some(), "{said}");
    assert_eq!(found.len(), DESCRIBED.len());
    found
}

/// The file of a case of `make_descriptors.py`: a clip, a piece of one, or a signal.
fn file_of(place: &Place, case: &str, expected: &Value) -> PathBuf {
    let file = place.path("a.wav");
    if let Some(whole) = expected["clip"].as_str() {
        let [start, length] = ["start", "length"].map(|name| expected[name].as_u64().unwrap() as usize);
        let (rate_hz, channels) = recording(whole);
        assert_eq!(rate_hz, f64::from(RATE), "{whole}");
        let piece = |channel: &Vec<f32>| {
            channel[start..start + length].iter().map(|sample| i64::from(sample.to_bits())).collect::<Vec<i64>>()
        };
        Wav { format: Format::F32, rate: RATE, channels: channels.iter().map(piece).collect() }.write(&file);
    } else if case.contains('.') {
        return clip(case);
    } else {
        Wav { format: Format::Pcm(16), rate: RATE, channels: signal(case) }.write(&file);
    }
    file
}

#[test]
fn descriptors_are_those_of_the_definition() {
    // Tests one in this many pieces of clips; all with `scripts/test --long`.
    const ONE_IN: usize = 6;
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let place = Place::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/descriptors.json");
    let reference: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for (at, (case, expected)) in reference.as_object().unwrap().iter().enumerate() {
        if !is_long && expected.get("clip").is_some() && at % ONE_IN != 0 {
            continue;
        }
        let file = file_of(&place, case, expected);
        let found = described(&place, &file);
        let mut worst: Vec<(f64, &str)> = Vec::new();
        for name in names().filter(|name| expected.get(name).is_some()) {
            // The choice between keys that fit nearly as well depends on less than the tolerance of the chroma.
            if name == "key" && expected["key_lead"].as_f64() < Some(0.02) {
                continue;
            }
            let apart = apart(name, &found[name], &expected[name]);
            if apart > 1.0 {
                wrong.push(format!("{case}: {name} is {}, not {}", found[name], expected[name]));
            }
            worst.push((apart, name));
        }
        let bandwidths = [&found, expected.as_object().unwrap()].map(|of| of["bandwidth_hz"].as_f64().unwrap());
        if (bandwidths[0] - bandwidths[1]).abs() > MAX_BANDWIDTH_HZ {
            wrong.push(format!("{case}: bandwidth_hz is {}, and librosa's {}", bandwidths[0], bandwidths[1]));
        }
        worst.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{case}: {:?}", &worst[..4]);
        // The control: another sound is not this one.
        assert!(worst.len() >= 35, "{case}: {}", worst.len());
        let other = if case == "tone" { "noise" } else { "tone" };
        let differs = |name: &&str| apart(name, &found[*name], &reference[other][*name]) > 1.0;
        assert!(names().filter(differs).count() > 15, "{case} and {other}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A sound of `make_bandwidths.py` at a rate of its own.
fn sound_of(name: &str) -> Source {
    let at_rate = |rate: u32, n: usize, of: &dyn Fn(usize) -> i64| {
        let samples = (0..n).map(|at| of(at) as f32 / 32_768.0).collect();
        Source::from_channels(vec![samples], rate).unwrap()
    };
    let click = |at: usize| if at == 3_000 { 30_000 } else { 0 };
    match name {
        "noise at 8 kHz" => at_rate(8_000, 8_000, &|at| noise(at, 7).div_euclid(4)),
        "noise at 44.1 kHz" => at_rate(44_100, 30_000, &|at| noise(at, 8).div_euclid(4)),
        "noise at 96 kHz" => at_rate(96_000, 60_000, &|at| noise(at, 9).div_euclid(4)),
        "a click in silence at 8 kHz" => at_rate(8_000, 8_000, &click),
        "a click in silence at 44.1 kHz" => at_rate(44_100, 44_100, &click),
        "a click in silence at 96 kHz" => at_rate(96_000, 96_000, &click),
        "a tone that dies away at 22.05 kHz" => {
            at_rate(22_050, 22_050, &|at| (wave(at, 880_000) * (22_050 - at as i64)).div_euclid(44_100))
        }
        "speech at 16 kHz" => Source::open(&clip("speech_16k_mono.wav"), &Progress::new()).unwrap().source,
        name => panic!("{name}"),
    }
}

/// Of the frames that the program measures, at 44.1 kHz: `make_bandwidths.py` reads the samples that this test writes
/// where it is asked to.
#[test]
fn the_bandwidth_is_that_of_librosa_at_every_rate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/bandwidths.json");
    let reference: Map<String, Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut wrong, mut all) = (Vec::new(), Vec::new());
    for (name, expected) in &reference {
        let source = sound_of(name);
        let PendingDescription::Prepared(prepared) = begin_description(&source, &Progress::new()).unwrap() else {
            panic!("{name} is silent");
        };
        if let Some(folder) = std::env::var_os("SONOBRUSH_SAMPLES_TO") {
            let bytes: Vec<u8> = prepared.sound().samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            std::fs::write(Path::new(&folder).join(format!("{name}.f32")), bytes).unwrap();
        }
        let found = describe(&source, &Progress::new()).unwrap().audible.unwrap().spectrum.unwrap();
        let [found, centroid] = [found.bandwidth_hz, found.centroid_hz].map(Option::unwrap);
        println!("{name}: {found:.3} Hz, librosa {expected}");
        if (found - expected.as_f64().unwrap()).abs() > MAX_BANDWIDTH_HZ {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
        // The control: it is no other value of the spectrum.
        assert!((found - centroid).abs() > 10.0, "{name}: {found}");
        all.push(found);
    }
    assert!(all.len() == 8 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table in `docs/library.md`: a row for each descriptor, with what may be asked of it.
#[test]
fn the_table_of_the_docs_is_that_of_the_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md");
    let docs = std::fs::read_to_string(path).unwrap();
    let line = |row: &Descriptor| format!("| `{}` | {} | {} |\n", row.name, row.unit, row.meaning);
    let table = format!(
        "| name | unit | what it says |\n|---|---|---|\n{}\n",
        DESCRIPTORS.iter().map(line).collect::<String>()
    );
    assert!(docs.contains(&table), "docs/library.md needs this table:\n{table}");
}

#[test]
fn clicks_are_counted_exactly() {
    let place = Place::new();
    for (n_clicks, secs) in [(1, 1), (7, 4), (40, 10)] {
        let n = secs * 44_100;
        let step = n / n_clicks;
        let samples = (0..n).map(|at| if at % step == step / 2 { 25_000 } else { 0 }).collect();
        Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(&place.path("a.wav"));
        let found = described(&place, &place.path("a.wav"));
        let counted = found["onsets_per_second"].as_f64().unwrap() * secs as f64;
        assert!((counted - n_clicks as f64).abs() < 1e-9, "{counted} of {n_clicks}");
    }
}

#[test]
fn silent_and_odd_sounds_are_described() {
    let place = Place::new();
    let write = |name: &str, format, rate, channels: Vec<Vec<i64>>| {
        Wav { format, rate, channels }.write(&place.path(name));
        described(&place, &place.path(name))
    };
    let nothing_from = |found: &Map<String, Value>, first: &str| {
        assert!(names().skip_while(|name| *name != first).all(|name| found[name].is_null()), "{found:?}");
    };
    let silence = write("silence.wav", Format::Pcm(16), 44_100, vec![vec![0; 50_000]; 2]);
    assert_eq!(
        (&silence["silent"], &silence["lufs"], &silence["true_peak_dbtp"]),
        (&true.into(), &Value::Null, &Value::Null)
    );
    assert_eq!((&silence["stereo_width"], &silence["phase_correlation"]), (&0.0.into(), &1.0.into()));
    nothing_from(&silence, "crest_db");
    let one = write("one.wav", Format::Pcm(16), 44_100, vec![vec![20_000]]);
    assert_eq!(
        (&one["silent"], &one["tempo_bpm"], &one["loudness_range"]),
        (&false.into(), &Value::Null, &Value::Null)
    );
    assert!(one["crest_db"].as_f64().unwrap().abs() < 1e-9 && one["centroid_hz"].is_number(), "{one:?}");
    let square = (0..44_100).map(|at| if at / 50 % 2 == 0 { 32_767 } else { -32_768 }).collect();
    let square = write("square.wav", Format::Pcm(16), 44_100, vec![square]);
    assert!((square["f0_hz"].as_f64().unwrap() - 441.0).abs() < 0.5, "{square:?}");
    // Opposite channels: all side, and an analysis signal of silence.
    let (left, right): (Vec<i64>, Vec<i64>) =
        (0..44_100).map(|at| (wave(at, 330_000) / 4, -(wave(at, 330_000) / 4))).unzip();
    let wide = write("wide.wav", Format::Pcm(16), 44_100, vec![left, right]);
    assert_eq!(
        (&wide["stereo_width"], &wide["phase_correlation"], &wide["silent"]),
        (&1.0.into(), &(-1.0).into(), &true.into())
    );
    assert!(wide["lufs"].is_number());
    let float = |values: Vec<f32>| vec![values.into_iter().map(|value| i64::from(value.to_bits())).collect::<Vec<_>>()];
    let broken = (0..44_100).map(|at| [f32::NAN, 0.5, f32::NEG_INFINITY, -0.5][at / 10 % 4]).collect();
    let broken = write("nan.wav", Format::F32, 44_100, float(broken));
    let repaired = (0..44_100).map(|at| [0.0, 0.5, 0.0, -0.5][at / 10 % 4]).collect();
    assert_eq!(broken, write("repaired.wav", Format::F32, 44_100, float(repaired)));
    // The lowest and the highest rate, and many channels.
    for (rate, n_channels) in [(4_000, 1), (768_000, 2), (44_100, 32)] {
        let samples: Vec<i64> = (0..rate as usize / 2).map(|at| noise(at, 5) / 4).collect();
        let found = write("odd.wav", Format::Pcm(16), rate, vec![samples; n_channels]);
        assert_eq!((&found["sample_rate"], &found["channels"]), (&rate.into(), &n_channels.into()));
        assert!(found["centroid_hz"].is_number() && found["lufs"].is_number(), "{rate} Hz: {found:?}");
    }
}

#[test]
fn what_cannot_be_described_is_told() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("empty.wav", []);
    place.write("head.wav", b"RIFF");
    place.write("text.txt", "no sound");
    for name in ["gone.wav", "folder", "empty.wav", "head.wav", "text.txt", "/dev/zero"] {
        let line = place.failed(&["library", "describe", name, "--json"]);
        assert!(line.contains(name), "{name}: {line}");
    }
    // Cut in half: the remaining half is described.
    Wav { format: Format::Pcm(16), rate: RATE, channels: signal("tone") }.write(&place.path("tone.wav"));
    let whole = place.read("tone.wav");
    place.write("half.wav", &whole[..whole.len() / 2]);
    let said = place.run(&["library", "describe", "half.wav"]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8(said.stdout).unwrap();
    let f0 = said.lines().find(|line| line.starts_with("f0_hz ")).unwrap();
    assert!(f0.contains("219.") || f0.contains("220."), "{said}");
}

/// The pitch of a quarter of a second of a tone; each of its partials has a level of 1 over its number.
fn pitch_of(hz: f64, n_partials: u32) -> PitchDescriptors {
    let rate = f64::from(RATE);
    let partials = (1..=n_partials).map(f64::from).filter(|partial| partial * hz < 0.45 * rate).collect::<Vec<f64>>();
    let sample = |at: usize| {
        let partial = |k: &f64| (TAU * k * hz * at as f64 / rate + 1.3 * k).sin() / k;
        0.2 * partials.iter().map(partial).sum::<f64>() as f32
    };
    let samples: Vec<f32> = (0..RATE as usize / 4).map(sample).collect();
    let mut meter = PitchMeter::default();
    samples.windows(PITCH_FRAME_SAMPLES).step_by(STEP_SAMPLES).for_each(|frame| meter.push(frame, true));
    meter.finish().unwrap()
}

/// How far a reading is from a pitch, as a share of it; none if there is no reading.
fn share_off(found: &PitchDescriptors, hz: f64) -> Option<f64> {
    found.f0_hz.map(|found| (found / hz - 1.0).abs())
}

/// The period of a tone above the range lies in it several times over: none of them is its pitch.
#[test]
fn a_sine_is_read_as_what_it_is_or_not_at_all() {
    let mut hz = 12.0;
    while hz < 21_000.0 {
        let found = pitch_of(hz, 1);
        let off = share_off(&found, hz);
        if (25.5..=5_000.0).contains(&hz) {
            assert!(off.is_some_and(|off| off < 0.005) && found.voiced_ratio > Some(0.9), "{hz} Hz: {found:?}");
        } else {
            assert!(off.is_none_or(|off| off < 0.005) || found.voiced_ratio < Some(0.1), "{hz} Hz: {found:?}");
        }
        hz *= 1.047;
    }
}

#[test]
fn low_notes_with_partials_are_read_right() {
    // A0, E1, B1, E2 and A4.
    for hz in [27.5, 41.203, 61.735, 82.407, 440.0] {
        let found = pitch_of(hz, 12);
        assert!(share_off(&found, hz).is_some_and(|off| off < 0.005) && found.voiced_ratio > Some(0.9), "{found:?}");
    }
}

fn found3(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3").join(name)
}

#[test]
fn tones_at_the_ends_of_the_range_are_described_right() {
    let place = Place::new();
    for (name, hz) in [("tone_5000hz.wav", 5_000.0), ("tone_62hz.wav", 62.0)] {
        let found = described(&place, &found3(name));
        let f0 = found["f0_hz"].as_f64().unwrap();
        assert!((f0 / hz - 1.0).abs() < 0.005 && found["voiced_ratio"].as_f64() > Some(0.9), "{name}: {f0}");
    }
}

/// Frames are 11.6 ms apart: a grid on which 174 beats a minute read 172.3.
#[test]
fn tempos_lie_on_no_grid() {
    let place = Place::new();
    let tempo = |file: &Path| described(&place, file)["tempo_bpm"].as_f64().unwrap();
    let found = tempo(&found3("kick_174bpm.wav"));
    assert!((found / 174.0 - 1.0).abs() < 0.002, "{found}");
    for bpm in [97.3, 128.0] {
        let beat = 60.0 / bpm * 8_000.0;
        let sample = |at: usize| {
            let since = (at as f64 % beat) / 8_000.0;
            (20_000.0 * (TAU * 90.0 * since).sin() * (-30.0 * since).exp()) as i64
        };
        let samples = (0..7 * 8_000).map(sample).collect();
        Wav { format: Format::Pcm(16), rate: 8_000, channels: vec![samples] }.write(&place.path("beat.wav"));
        let found = tempo(&place.path("beat.wav"));
        assert!((found / bpm - 1.0).abs() < 0.004, "{found}, not {bpm}");
    }
}
