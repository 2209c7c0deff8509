//! De-ess, Remove plosives and Reduce reverb: agreement with NumPy references, preserved audio, and quality figures.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::ErrorKind;
use document::brushes::{Brush, DeEss, Dereverb, Plosives};
use document::{Edit, Script};
use dsp::{Axis, Selection, StftParams};
use std::f64::consts::TAU;
use support::damage::in_room;
use support::measure::{changed, error_db, f64s, rms, si_sdr_db, snr_db};
use support::npy;
use support::signals::{Rng, noise, tone};
use support::snapshots::{bits, open, run, samples, sound};
use support::wav::clip;

const RATE: u32 = 16_000;
/// Every fifth sample of the reference results is stored.
const STEP: usize = 5;

fn edit(brush: impl Into<Brush>) -> Edit {
    Edit::of(brush.into(), StftParams::default())
}

fn over(brush: impl Into<Brush>, secs: [f64; 2]) -> Edit {
    Edit { select: Some(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear)), ..edit(brush) }
}

/// All channels after an edit of the whole sound.
fn after(channels: &[Vec<f32>], rate: u32, brush: impl Into<Brush>) -> Vec<Vec<f32>> {
    let applied = run(&sound(channels, rate), &edit(brush)).unwrap_or_else(|e| panic!("{e}"));
    (0..channels.len()).map(|channel| samples(&applied.snapshot, channel)).collect()
}

fn found(channels: &[Vec<f32>], rate: u32, brush: impl Into<Brush>) -> String {
    run(&sound(channels, rate), &edit(brush)).unwrap().report.found.unwrap()
}

fn refusal(channels: &[Vec<f32>], rate: u32, brush: impl Into<Brush>) -> String {
    let error = run(&sound(channels, rate), &edit(brush)).unwrap_err();
    assert!(error.kind() == ErrorKind::Script, "{error}");
    error.to_string()
}

/// The channels of an array of `reference/make_rooms.py`.
fn reference(name: &str) -> Vec<Vec<f32>> {
    let array = npy::load(&format!("rooms/{name}").into());
    let (all, n) = (array.f32s(), array.shape[1]);
    (0..n).map(|channel| all.iter().skip(channel).step_by(n).copied().collect()).collect()
}

fn speech() -> Vec<f32> {
    samples(&open(&clip("speech_16k_mono.wav")), 0)
}

#[test]
fn repairs_are_the_arrays_of_the_definition() {
    let given = Dereverb { rt60_secs: Some(0.6), ..Dereverb::DEFAULT };
    let cases: [(&str, &str, Brush, usize, f64); 4] = [
        ("de_ess", "sharp", DeEss::DEFAULT.into(), 1, 80.0),
        ("plosives", "blasts", Plosives::DEFAULT.into(), 1, 80.0),
        ("dereverb_1", "hall", given.into(), 1, 80.0),
        ("dereverb_2", "hall", given.into(), 2, 60.0),
    ];
    for (name, of, brush, n_channels, min_db) in cases {
        let before = reference(of)[..n_channels].to_vec();
        let repaired = after(&before, RATE, brush);
        let expected = reference(name);
        for channel in 0..n_channels {
            let every = |samples: &[f32]| -> Vec<f64> { samples.iter().step_by(STEP).map(|x| f64::from(*x)).collect() };
            let (before, repaired) = (every(&before[channel]), every(&repaired[channel]));
            let expected = f64s(&expected[channel]);
            // Compares the changes, not the whole signals.
            let change: Vec<f64> = expected.iter().zip(&before).map(|(after, before)| after - before).collect();
            let ours: Vec<f64> = repaired.iter().zip(&before).map(|(after, before)| after - before).collect();
            let fidelity_db = snr_db(&ours, &change);
            println!("{name}, channel {channel}: {fidelity_db:.1} dB");
            assert!(fidelity_db >= min_db, "{name}, channel {channel}: {fidelity_db} dB");
            // Control: the unedited sound is far from the reference.
            assert!(snr_db(&before, &expected) < 20.0, "{name}");
        }
    }
    let decays: serde_json::Value =
        serde_json::from_slice(&std::fs::read(npy::path("rooms/decays.json")).unwrap()).unwrap();
    for (name, channels) in [("clip", vec![speech()]), ("hall", reference("hall"))] {
        let decay = format!("RT60 {:.2} s", decays[name].as_f64().unwrap());
        assert_eq!(found(&channels, RATE, Dereverb::DEFAULT), decay, "{name}");
    }
}

/// The level of 4 to 7.5 kHz in its loudest 32 ms, in dB.
fn sharpest_db(samples: &[f32]) -> f64 {
    let of = |piece: &[f32]| {
        let power = |low, high| support::measure::band_power(piece, f64::from(RATE), low, high);
        10.0 * power(4000.0, 7500.0).log10()
    };
    samples.chunks_exact(512).map(of).fold(f64::MIN, f64::max)
}

#[test]
fn raised_sibilants_come_down_and_the_voice_keeps_its_bits() {
    let clean = speech();
    // Raised above 4 kHz by a filter that hardly changes lower frequencies.
    let sharp: Vec<f32> = (0..clean.len())
        .map(|i| {
            let at = |k: i64| clean.get((i as i64 + k) as usize).copied().unwrap_or_default();
            at(0) - 0.1 * (at(-3) - 6.0 * at(-2) + 15.0 * at(-1) - 20.0 * at(0) + 15.0 * at(1) - 6.0 * at(2) + at(3))
        })
        .collect();
    let heard = &after(std::slice::from_ref(&sharp), RATE, DeEss::DEFAULT)[0];
    let [before_db, sharp_db, after_db] = [&clean, &sharp, heard].map(|x| sharpest_db(x));
    println!("sharpest: {before_db:.1} dB, raised to {sharp_db:.1} dB, brought back to {after_db:.1} dB");
    assert!(sharp_db > before_db + 6.0 && after_db < sharp_db - 5.0 && after_db > before_db - 6.0);
    let same = sharp.iter().zip(heard).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
    assert!(same * 2 > sharp.len(), "{same} of {} samples stayed", sharp.len());
    // Below the band nothing changes.
    let low = |x: &[f32]| support::measure::band_power(&x[..65_536], f64::from(RATE), 100.0, 2000.0);
    assert!((low(&sharp) / low(heard) - 1.0).abs() < 1e-3);
    // Stronger settings reduce more, and the report states what was found.
    let twice = DeEss { max_db: 30.0, ratio: 1.0, threshold_db: -12.0, band_hz: Some([3000.0, 8000.0]) };
    assert!(sharpest_db(&after(std::slice::from_ref(&sharp), RATE, twice)[0]) < after_db - 3.0);
    assert!(found(&[sharp], RATE, DeEss::DEFAULT).contains(" sibilants, up to -"));
}

#[test]
fn linked_channels_get_the_same_gains() {
    let left = reference("sharp").remove(0);
    let right: Vec<f32> = left.iter().map(|x| -0.25 * x).collect();
    let [one, other] = <[Vec<f32>; 2]>::try_from(after(&[left, right], RATE, DeEss::DEFAULT)).unwrap();
    let expected: Vec<f32> = one.iter().map(|x| -0.25 * x).collect();
    assert!(error_db(&other, &expected) < -110.0);
    // Detection does not depend on the level: an eighth of the input gives an eighth of the output.
    let blasts = reference("blasts").remove(0);
    let soft: Vec<f32> = blasts.iter().map(|x| 0.125 * x).collect();
    let loud = after(&[blasts], RATE, Plosives::DEFAULT).remove(0);
    let again: Vec<f32> = after(&[soft], RATE, Plosives::DEFAULT)[0].iter().map(|x| 8.0 * x).collect();
    assert!(error_db(&again, &loud) < -110.0);
}

#[test]
fn plosives_go_and_all_else_keeps_its_bits() {
    let clean = speech();
    let rate = f64::from(RATE);
    let mut rng = Rng(3);
    let mut blown = clean.clone();
    let times = [0.9, 2.1, 3.4, 5.0];
    for secs in times {
        let first = (secs * rate) as usize;
        let hz = rng.between(45.0, 80.0);
        for i in 0..(0.12 * rate) as usize {
            let t = i as f64 / rate;
            blown[first + i] += (0.5 * (TAU * hz * t).sin() * (t / 0.02) * (1.0 - t / 0.02).exp()) as f32;
        }
    }
    let heard = &after(&[blown.clone()], RATE, Plosives::DEFAULT)[0];
    let around = |x: &[f32]| -> Vec<f32> {
        times.iter().flat_map(|secs| x[(secs * rate) as usize..((secs + 0.12) * rate) as usize].to_vec()).collect()
    };
    let [before_db, after_db] = [&blown, heard].map(|x| error_db(&around(x), &around(&clean)));
    println!("error in plosives: {before_db:.1} dB, after {after_db:.1} dB");
    assert!(before_db > 0.0 && after_db < before_db - 10.0);
    let far = |at: &usize| times.iter().all(|secs| (*at as f64 / rate - secs - 0.06).abs() > 0.3);
    assert_eq!(changed(heard, &blown).into_iter().filter(far).count(), 0);
    let many = run(&sound(&[blown.clone()], RATE), &edit(Plosives::DEFAULT)).unwrap().report.found.unwrap();
    assert!(many.starts_with("4 plosives, up to -"), "{many}");
    // Control: with a threshold above them, nothing is found.
    let strict = Plosives { over_db: 40.0, ..Plosives::DEFAULT };
    assert!(refusal(&[blown], RATE, strict).starts_with("no plosives found"));
}

#[test]
fn the_decay_of_a_room_is_found() {
    // Bursts that fall by 60 dB in a known time.
    for rt60_secs in [0.4, 0.9, 1.8] {
        let fall = |i: usize| (-1000f64.ln() * (i % 24_000) as f64 / f64::from(RATE) / rt60_secs).exp();
        let bursts: Vec<f32> =
            noise(6 * 24_000, 0.2, 5).iter().enumerate().map(|(i, x)| (f64::from(*x) * fall(i)) as f32).collect();
        let words = found(&[bursts], RATE, Dereverb::DEFAULT);
        let secs: f64 = words.trim_start_matches("RT60 ").trim_end_matches(" s").parse().unwrap();
        println!("{rt60_secs} s: found {secs} s");
        assert!((secs / rt60_secs - 1.0).abs() < 0.15, "{rt60_secs}: {words}");
    }
    // Sounds without a decay are refused.
    for steady in [noise(48_000, 0.1, 2), tone(48_000, 16_000.0, 1000.0, 0.3), vec![0.0; 48_000], vec![0.1; 3]] {
        let says = refusal(&[steady], RATE, Dereverb::DEFAULT);
        assert_eq!(says, "no decay found; give its seconds, or select speech with pauses");
    }
}

#[test]
fn rooms_become_drier_and_two_channels_more_so() {
    let dry = speech()[..64_000].to_vec();
    let early_of = |x: &[f32]| x.to_vec();
    let hall = [in_room(RATE, &dry, 0.8, 11), in_room(RATE, &dry, 0.8, 12)];
    let one = after(&hall[..1], RATE, Dereverb::DEFAULT).remove(0);
    let two = after(&hall, RATE, Dereverb::DEFAULT).remove(0);
    let [wet_db, one_db, two_db] = [&hall[0], &one, &two].map(|x| si_sdr_db(x, &early_of(&dry)));
    println!("like the dry voice: {wet_db:.1} dB, one channel {one_db:.1} dB, two {two_db:.1} dB");
    assert!(one_db > wet_db + 1.0 && two_db > one_db + 1.0, "{wet_db}, {one_db}, {two_db}");
    // Pauses become quieter, but by no more than the floor, 12 dB by default.
    let given = Dereverb { rt60_secs: Some(0.8), ..Dereverb::DEFAULT };
    let quietest = |x: &[f32]| x.chunks_exact(1600).map(rms).fold(f64::MAX, f64::min);
    let floored = after(&hall[..1], RATE, Dereverb { floor_db: 0.0, ..given }).remove(0);
    assert!(error_db(&floored, &hall[0]) < -100.0, "a floor of 0 dB changes nothing");
    let lowered = 20.0 * (quietest(&one) / quietest(&hall[0])).log10();
    assert!((-12.1..-1.0).contains(&lowered), "{lowered} dB");
}

#[test]
fn a_selected_range_alone_changes_and_is_as_in_the_whole_in_its_middle() {
    let hall = in_room(RATE, &speech(), 0.8, 4);
    let before = sound(std::slice::from_ref(&hall), RATE);
    let brushes: [Brush; 1] = [Dereverb { rt60_secs: Some(0.7), ..Dereverb::DEFAULT }.into()];
    for brush in brushes {
        let heard = samples(&run(&before, &over(brush.clone(), [2.0, 4.5])).unwrap().snapshot, 0);
        let changes = changed(&heard, &hall);
        assert!(changes.iter().all(|at| (32_000..72_000).contains(at)) && changes.len() > 20_000);
        // Frames before the range are analysed, too, so the result inside equals that for the whole sound.
        let whole = samples(&run(&before, &edit(brush)).unwrap().snapshot, 0);
        let middle = 33_000..71_000;
        assert!(error_db(&heard[middle.clone()], &whole[middle]) < -60.0);
        // The change fades in at the edges of the range.
        let first = (heard[32_000] - hall[32_000]).abs();
        assert!(first < 0.01 * (1.0f32).max(hall[32_000].abs()));
    }
    // A box leaves frequencies outside its band as they are.
    let band = Selection::rectangle(Some([1.0, 3.0]), Some([300.0, 3000.0]), [0.0; 2], Axis::Linear);
    let boxed = Edit { select: Some(band), ..edit(Dereverb { rt60_secs: Some(0.7), ..Dereverb::DEFAULT }) };
    let heard = samples(&run(&before, &boxed).unwrap().snapshot, 0);
    assert!(changed(&heard, &hall).iter().all(|at| (14_000..50_000).contains(at)));
    let [high, was] =
        [&heard, &hall].map(|x| support::measure::band_power(&x[..65_536], f64::from(RATE), 5000.0, 7500.0));
    assert!((high / was - 1.0).abs() < 0.01);
}

#[test]
fn the_same_bits_come_again_and_from_the_script_too() {
    let hall = [in_room(RATE, &speech()[..40_000], 0.6, 1), in_room(RATE, &speech()[..40_000], 0.6, 2)];
    let brush = Dereverb { rt60_secs: Some(0.6), ..Dereverb::DEFAULT };
    let [once, again] = [(); 2].map(|()| after(&hall, RATE, brush));
    assert!(once.iter().zip(&again).all(|(a, b)| bits(a) == bits(b)));
    for (text, expected) in [
        (r#"{"kind": "de_ess"}"#, Brush::from(DeEss::DEFAULT)),
        (
            r#"{"kind": "de_ess", "band": [5000, 9000], "threshold_db": -3, "ratio": 0.5, "most_db": 9}"#,
            DeEss { threshold_db: -3.0, ratio: 0.5, max_db: 9.0, band_hz: Some([5000.0, 9000.0]) }.into(),
        ),
        (r#"{"kind": "plosives", "below_hz": 120}"#, Plosives { below_hz: 120.0, over_db: 12.0 }.into()),
        (r#"{"kind": "dereverb", "rt60": 0.6}"#, brush.into()),
    ] {
        let script = format!(r#"{{"version": 1, "edits": [{{"brush": {text}, "transform": {{}}}}]}}"#);
        let script = Script::parse(&script).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(script.edits[0].brush, expected, "{text}");
        assert_eq!(Script::parse(&script.to_json()).unwrap().edits[0].brush, expected, "{text}");
    }
    for wrong in [
        r#""dereverb", "rt60": 0.1"#,
        r#""dereverb", "floor_db": 1"#,
        r#""dereverb", "delay": 0"#,
        r#""de_ess", "ratio": 1.5"#,
        r#""de_ess", "band": [10, 8000]"#,
        r#""de_ess", "band": 8000"#,
        r#""plosives", "over_db": 0"#,
        r#""plosives", "below": 100"#,
    ] {
        let script = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": {wrong}}}}}]}}"#);
        assert_eq!(Script::parse(&script).unwrap_err().kind(), ErrorKind::Script, "{wrong}");
    }
}

#[test]
fn what_cannot_be_repaired_is_refused_in_a_sentence() {
    let voice = |rate: u32, secs: f64| tone((secs * f64::from(rate)) as usize, f64::from(rate), 200.0, 0.3);
    let rows: [(&str, u32, f64, Brush); 6] = [
        ("there are no sibilants in 8000 samples a second", 8000, 2.0, DeEss::DEFAULT.into()),
        ("no sibilants found above the threshold", RATE, 2.0, DeEss::DEFAULT.into()),
        ("this needs at least 0.5 s", RATE, 0.1, DeEss::DEFAULT.into()),
        (
            "a band up to 9000 Hz needs 18000 samples a second",
            RATE,
            2.0,
            DeEss { band_hz: Some([9000.0, 3000.0]), ..DeEss::DEFAULT }.into(),
        ),
        ("this needs at least 0.5 s", RATE, 0.1, Plosives::DEFAULT.into()),
        ("reducing reverb needs 6400 samples a second", 5000, 2.0, Dereverb::DEFAULT.into()),
    ];
    for (says, rate, secs, brush) in rows {
        let words = refusal(&[voice(rate, secs)], rate, brush);
        assert!(words.starts_with(says), "{words}");
    }
    // Silence contains neither a voice nor plosives, and noise no sibilants above a high threshold.
    assert!(refusal(&[vec![0.0; 16_000]], RATE, DeEss::DEFAULT).starts_with("no voice found"));
    assert!(refusal(&[vec![0.0; 16_000]], RATE, Plosives::DEFAULT).starts_with("no plosives found"));
    assert!(refusal(&[noise(16_000, 0.1, 1)], RATE, DeEss { threshold_db: 30.0, ..DeEss::DEFAULT }).starts_with("no "));
}
