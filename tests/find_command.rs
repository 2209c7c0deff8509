//! `sonobrush find`: damage of each kind is found where it was planted, the script that comes with it repairs it, and
//! clean sounds have none.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use super::support::damage::{in_room, with_pink_noise, with_sharp_sibilants};
use super::support::measure::snr_db;
use super::support::program::Place;
use super::support::signals::Rng;
use super::support::studio::{clip, open, samples};
use super::support::wav::{Format, Wav};
use serde_json::Value;
use std::ops::Range;

const RATE: u32 = 16_000;

/// Four seconds of speech at half of full scale, its offset taken off.
fn speech() -> Vec<f64> {
    let samples = &samples(&open(&clip("speech_16k_mono.wav")), 0)[16_000..80_000];
    let mean = samples.iter().map(|x| f64::from(*x)).sum::<f64>() / samples.len() as f64;
    let peak = samples.iter().fold(0.0f64, |peak, x| peak.max((f64::from(*x) - mean).abs()));
    samples.iter().map(|x| 0.5 * (f64::from(*x) - mean) / peak).collect()
}

/// Where up to `n_gaps` gaps of `n` samples would fall into speech, at least a second apart.
fn spoken(samples: &[f64], n: usize, n_gaps: usize) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for start in (8_000..samples.len() - 8_000).step_by(100) {
        let power = samples[start - 400..start + n + 400].iter().map(|x| x * x).sum::<f64>() / (n + 800) as f64;
        let is_apart = places.last().is_none_or(|last| start > last.end + 16_000);
        if power.sqrt() > 0.05 && is_apart && places.len() < n_gaps {
            places.push(start..start + n);
        }
    }
    places
}

fn place(channels: &[Vec<f64>]) -> Place {
    let place = Place::new();
    let stored = |x: &f64| (x * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i64;
    let channels = channels.iter().map(|samples| samples.iter().map(stored).collect()).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels }.write(&place.path("in.wav"));
    place
}

fn found(place: &Place) -> Vec<Value> {
    serde_json::from_str(&place.done(&["find", "in.wav", "--json"])).unwrap()
}

/// The only finding of a mono sound, and by how much its script brings the sound nearer to what it was, in decibels.
fn repaired(clean: &[f64], damaged: &[f64]) -> (Value, f64) {
    let place = place(&[damaged.to_vec()]);
    let found = found(&place);
    let [finding] = &found[..] else { panic!("{found:?}") };
    place.write("repair.json", finding["repair"].to_string());
    place.done(&["paint", "in.wav", "--script", "repair.json", "-o", "out.wav", "--engine", "cpu"]);
    let after: Vec<f64> = samples(&open(&place.path("out.wav")), 0).iter().map(|x| f64::from(*x)).collect();
    (finding.clone(), snr_db(&after, clean) - snr_db(damaged, clean))
}

#[test]
fn each_kind_of_damage_is_found_and_repaired_by_its_script() {
    let clean = speech();
    let clipped: Vec<f64> = clean.iter().map(|x| x.clamp(-0.15, 0.15)).collect();
    let (finding, gained_db) = repaired(&clean, &clipped);
    assert!(finding["kind"] == "clipping" && gained_db > 3.0, "{finding}: {gained_db} dB");
    assert!(finding["what"].as_str().unwrap().starts_with("-16.5 dBFS, "), "{finding}");

    let offset: Vec<f64> = clean.iter().map(|x| x + 0.02).collect();
    let (finding, gained_db) = repaired(&clean, &offset);
    assert!(finding["kind"] == "dc" && gained_db > 20.0, "{finding}: {gained_db} dB");

    let mut dropped = clean.clone();
    let places = spoken(&clean, 160, 2);
    places.iter().for_each(|place| dropped[place.clone()].fill(0.0));
    let (finding, gained_db) = repaired(&clean, &dropped);
    assert!(finding["kind"] == "dropouts" && gained_db > 1.0, "{finding}: {gained_db} dB");
    let times: Vec<[f64; 2]> = serde_json::from_value(finding["times"].clone()).unwrap();
    let are_near = times.iter().zip(&places).all(|([start, end], place)| {
        let near = |secs: &f64, at: usize| (secs * f64::from(RATE) - at as f64).abs() <= 1.0;
        near(start, place.start) && near(end, place.end)
    });
    assert!(times.len() == 2 && are_near, "{times:?}");

    let mut clicked = clean.clone();
    let mut rng = Rng(5);
    for k in 0..12 {
        let at = 4_000 + 5_000 * k + (rng.uniform() * 900.0) as usize;
        (0..3).for_each(|i| clicked[at + i] += 0.4 * [0.7, -1.0, 0.5][i]);
    }
    let (finding, gained_db) = repaired(&clean, &clicked);
    assert!(finding["kind"] == "clicks" && gained_db > 5.0, "{finding}: {gained_db} dB");
}

#[test]
fn noise_rooms_and_sibilants_of_speech_are_found_and_repaired_by_their_scripts() {
    let still = vec![0.0f32; 12_000];
    let spoken: Vec<f32> = speech().iter().map(|x| *x as f32).collect();
    let clean = [still.clone(), spoken, still].concat();
    let f64s = |samples: &[f32]| -> Vec<f64> { samples.iter().map(|x| f64::from(*x)).collect() };
    let planted = [
        ("noise", "isolate", with_pink_noise(&clean, -5.0, 4), 2.0),
        ("reverberation", "dereverb", in_room(RATE, &clean, 0.8, 5), 0.3),
        ("sibilants", "de_ess", with_sharp_sibilants(f64::from(RATE), &clean, 9.0), 0.5),
    ];
    for (kind, brush, damaged, min_db) in planted {
        let (finding, gained_db) = repaired(&f64s(&clean), &f64s(&damaged));
        println!("{kind}: {}, {gained_db:.1} dB", finding["what"]);
        assert!(finding["kind"] == kind && gained_db > min_db, "{finding}: {gained_db} dB");
        let repair = &finding["repair"]["edits"][0];
        assert!(repair["brush"]["kind"] == brush && repair.get("select").is_none(), "{repair}");
        assert_eq!(finding["times"].as_array().unwrap().is_empty(), kind != "sibilants");
        if kind == "noise" {
            let learn: [f64; 2] = serde_json::from_value(repair["brush"]["learn"].clone()).unwrap();
            assert!(learn[1] < 0.8 || learn[0] > 4.7, "{learn:?}");
        }
    }
}

#[test]
fn damage_of_several_kinds_and_channels_is_a_row_each() {
    let clean = speech();
    let hard: Vec<f64> = clean.iter().map(|x| x.clamp(-0.12, 0.15)).collect();
    let mut offset: Vec<f64> = clean.iter().map(|x| x - 0.03).collect();
    // Longer than prediction bridges.
    let [long] = &spoken(&clean, 2_400, 1)[..] else { panic!("there is no such place") };
    offset[long.clone()].fill(0.1);
    let place = place(&[hard, offset]);
    let found = found(&place);
    let rows: Vec<(&str, &Value)> = found.iter().map(|row| (row["kind"].as_str().unwrap(), &row["channels"])).collect();
    let wanted = [("clipping", 0), ("dc", 1), ("dropouts", 1)];
    assert!(
        rows.len() == 3
            && rows
                .iter()
                .zip(wanted)
                .all(|(row, wanted)| { row.0 == wanted.0 && *row.1 == serde_json::json!([wanted.1]) }),
        "{rows:?}"
    );
    assert_eq!(found[2]["repair"]["edits"][0]["brush"]["mode"], "pattern");
    let reported = place.done(&["find", "in.wav"]);
    assert!(
        reported.lines().count() == 3 && reported.contains("clipping   channel 0: ") && reported.contains("(declip)"),
        "{reported}"
    );
}

#[test]
fn clean_sounds_have_no_damage() {
    for name in [
        "guitar_chord_44k_stereo.flac",
        "choir_44k_stereo_float64.wav",
        "crow_44k_mono.flac",
        "tabla_loop_44k_stereo.flac",
    ] {
        let place = Place::new();
        std::fs::copy(clip(name), place.path(name)).unwrap();
        assert_eq!(place.done(&["find", name]), format!("{name}: no damage found\n"));
        assert_eq!(place.done(&["find", name, "--json"]).trim(), "[]");
    }
    // These are not clean: an offset, a break that is clipped in both channels, a loop cut without fades.
    for (name, kind) in [
        ("speech_16k_mono.wav", "dc"),
        ("drum_break_44k_stereo.flac", "clipping"),
        ("many_chunks_44k_stereo.wav", "clicks"),
    ] {
        let place = Place::new();
        std::fs::copy(clip(name), place.path("in.wav")).unwrap();
        let kinds: Vec<Value> = found(&place).iter().map(|row| row["kind"].clone()).collect();
        assert_eq!(kinds, [kind], "{name}");
    }
    let place = Place::new();
    let line = place.failed(&["find", "missing.wav"]);
    assert!(line.contains("missing.wav"), "{line}");
}
