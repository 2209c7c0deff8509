//! `sonobrush voices`: scores as files of sound.

use super::support::program::Place;
use super::support::wav::{Format, Wav};
use serde_json::Value;
use sonobrush::dsp::voices::{Timbre, VoicePool};
use sonobrush::media::score::{ReadScore, ScoreOverrides};

const SCORE: &str = r#"{"version": 1, "timbre": "pluck",
  "notes": [{"chord": "C", "start": 0, "duration": 0.4}, {"pitch": "C5", "start": 0.5, "duration": 1.2, "pan": 0.5}]}"#;

/// The samples that the library renders, both channels or one.
fn rendered(overrides: &ScoreOverrides, rate_hz: f64, is_stereo: bool) -> Vec<Vec<f32>> {
    let score = ReadScore::from_bytes(SCORE.as_bytes(), overrides).unwrap().score;
    let mut pool = VoicePool::new();
    let mut stream = pool.begin(&score, rate_hz, is_stereo).unwrap();
    let n = stream.n_samples() as usize;
    let [mut left, mut right] = [vec![0.0f32; n], vec![0.0f32; if is_stereo { n } else { 0 }]];
    stream.render(&mut left, &mut right);
    [left, right].into_iter().take(1 + usize::from(is_stereo)).collect()
}

/// As a file of 32-bit floats holds them.
fn bits(channels: Vec<Vec<f32>>) -> Vec<Vec<i64>> {
    let of_channel = |samples: Vec<f32>| samples.into_iter().map(|sample| i64::from(sample.to_bits())).collect();
    channels.into_iter().map(of_channel).collect()
}

fn expected(rate_hz: f64, is_stereo: bool) -> Vec<Vec<i64>> {
    bits(rendered(&ScoreOverrides::default(), rate_hz, is_stereo))
}

#[test]
fn a_score_becomes_a_file_of_its_samples() {
    let place = Place::new();
    place.write("score.txt", SCORE);
    place.done(&["voices", "score.txt", "-o", "out.wav", "--report", "r.json"]);
    let wav = Wav::read(&place.path("out.wav"));
    assert_eq!((wav.format, wav.rate), (Format::F32, 48_000));
    assert!(wav.channels == expected(48_000.0, true));
    let report: Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert_eq!((&report["engine"], &report["notes"], &report["oscillators"]), (&"cpu".into(), &4.into(), &128.into()));
    assert_eq!((&report["samples"], &report["notices"]), (&wav.channels[0].len().into(), &Value::Array(Vec::new())));
    assert!((-30.0..-3.0).contains(&report["peak_db"].as_f64().unwrap()), "{report}");
    place.done(&["voices", "score.txt", "-o", "mono.wav", "--channels", "1", "--rate", "22050"]);
    let wav = Wav::read(&place.path("mono.wav"));
    assert!(wav.rate == 22_050 && wav.channels == expected(22_050.0, false));
    // Integers are the samples, rounded; those of 16 bits with dither of less than 1.
    let samples = rendered(&ScoreOverrides::default(), 48_000.0, true);
    for (n_bits, max_off) in [(16, 1.5), (24, 0.5)] {
        let file = format!("pcm{n_bits}.wav");
        place.done(&["voices", "score.txt", "-o", &file, "--format", &format!("pcm{n_bits}")]);
        let wav = Wav::read(&place.path(&file));
        assert_eq!((wav.format, wav.rate, wav.channels.len()), (Format::Pcm(n_bits), 48_000, 2));
        let full_scale = f64::from(1u32 << (n_bits - 1));
        for (found, samples) in wav.channels.iter().zip(&samples) {
            assert_eq!(found.len(), samples.len());
            let off = found.iter().zip(samples).map(|(value, sample)| *value as f64 - full_scale * f64::from(*sample));
            let worst = off.fold(0.0, |worst: f64, off| worst.max(off.abs()));
            assert!(worst <= max_off, "{n_bits} bits: {worst} off");
        }
    }
}

/// The seed is that of random phases: the same one gives the same bits, whether it is typed or the score's own.
#[test]
fn a_typed_seed_is_the_one_of_random_phases() {
    let place = Place::new();
    place.write("score.json", SCORE);
    place.write("seeded.json", SCORE.replace(r#""version": 1,"#, r#""version": 1, "seed": 7,"#));
    let made = |options: &[&str]| {
        place.done(&[&["voices", "-o", "out.wav", "--overwrite", "--timbre", "pad"], options].concat());
        Wav::read(&place.path("out.wav")).channels
    };
    let seven = made(&["score.json", "--seed", "7"]);
    let overrides = ScoreOverrides { timbre: Some(Timbre::pad()), seed: Some(7), ..ScoreOverrides::default() };
    assert!(seven == bits(rendered(&overrides, 48_000.0, true)));
    assert!(made(&["seeded.json"]) == seven && made(&["score.json", "--seed", "7"]) == seven);
    assert!(made(&["score.json"]) != seven && made(&["seeded.json", "--seed", "8"]) != seven);
}

#[test]
fn options_change_the_sound_and_notices_are_reported() {
    let place = Place::new();
    place.write("score.json", SCORE);
    place.write("thin.json", r#"{"partials": [[1, 1, 1]]}"#);
    let mut made: Vec<Vec<u8>> = Vec::new();
    let options: [&[&str]; 5] =
        [&[], &["--timbre", "bell"], &["--timbre", "thin.json"], &["--tuning", "415"], &["--level", "-24"]];
    for options in options {
        place.done(&[&["voices", "score.json", "-o", "out.wav", "--overwrite"], options].concat());
        made.push(place.read("out.wav"));
    }
    assert!((1..made.len()).all(|i| !made[..i].contains(&made[i])));
    place.done(&["voices", "score.json", "-o", "out.wav", "--overwrite", "--level", "24", "--report", "r.json"]);
    let report: Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert!(report["notices"][0].as_str().unwrap().contains("dB over full scale"), "{report}");
    place.write(
        "high.json",
        r#"{"version": 1, "notes": [{"pitch": 120, "start": 0, "duration": 0.1},
            {"pitch": 60, "start": 0, "duration": 0.1}]}"#,
    );
    place.done(&["voices", "high.json", "-o", "out.wav", "--overwrite", "--rate", "8000", "--report", "r.json"]);
    let report: Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert_eq!(report["notices"][0], "1 note lies wholly above what 8000 Hz can hold, and cannot be heard");
}

/// Existing files stay, and the error says how to replace them.
#[test]
fn a_file_that_is_there_is_replaced_only_when_asked() {
    let place = Place::new();
    place.write("score.json", SCORE);
    place.write("out.wav", "years of work");
    let refused = "sonobrush: out.wav: is already there; choose another name, or add --overwrite";
    assert_eq!(place.failed(&["voices", "score.json", "-o", "out.wav"]), refused);
    assert_eq!(place.read("out.wav"), b"years of work");
    place.write("r.json", "notes");
    let refused = "sonobrush: r.json: is already there; choose another name, or add --overwrite";
    assert_eq!(place.failed(&["voices", "score.json", "-o", "other.wav", "--report", "r.json"]), refused);
    assert!(place.read("r.json") == b"notes" && !place.path("other.wav").exists());
    place.done(&["voices", "score.json", "-o", "out.wav", "--overwrite"]);
    assert!(Wav::read(&place.path("out.wav")).channels == expected(48_000.0, true));
    place.done(&["voices", "score.json", "-o", "new.wav", "--overwrite"]);
    assert!(place.read("new.wav") == place.read("out.wav"));
}

#[test]
fn what_cannot_be_rendered_is_one_line_and_leaves_no_file() {
    let place = Place::new();
    place.write("score.json", SCORE);
    place.write("bad.json", r#"{"version": 1, "notes": [{"chord": "Cfoo", "start": 0, "duration": 1}]}"#);
    place.write("timbre.json", r#"{"unison": 0}"#);
    let cases: [(&[&str], &str); 4] = [
        (&["bad.json", "-o", "out.wav"], r#"bad.json: notes[0].chord: the chord "Cfoo" is unknown"#),
        (&["score.json", "-o", "score.json"], "score.json: is the input file; choose another name for the output"),
        (&["score.json", "-o", "out.ogg"], "out.ogg: would contain WAV, FLAC, MP3 or Opus; end its name in .wav"),
        (
            &["score.json", "-o", "out.wav", "--timbre", "timbre.json"],
            "timbre.json: timbre.unison: 0 is outside 1 to 9",
        ),
    ];
    for (arguments, sentence) in cases {
        assert_eq!(place.failed(&[&["voices"], arguments].concat()), format!("sonobrush: {sentence}"));
        assert!(!place.path("out.wav").exists());
    }
    for (arguments, name) in [
        (&["missing.json", "-o", "out.wav"][..], "missing.json"),
        (&["score.json", "-o", "out.wav", "--timbre", "harp"], "harp"),
    ] {
        let failed = place.failed(&[&["voices"], arguments].concat());
        assert!(failed.starts_with(&format!("sonobrush: no file {name} in /")), "{failed}");
        assert!(!place.path("out.wav").exists());
    }
    for wrong in [&["--channels", "3"], &["--rate", "100"], &["--level", "30"], &["--format", "pcm8"]] {
        let output = place.run(&[&["voices", "score.json", "-o", "out.wav"], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
