//! Clicks of 2 to 14 samples in speech and the crackles of a groove: found, counted and healed, and nothing beside them
//! changed.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use crate::support::damage::add_clicks;
use crate::support::measure::{changed, snr_db_f32};
use crate::support::studio::{Bench, CTRL, Drawing, clip, open, samples};
use egui::Key;
use sonobrush::base::Progress;
use sonobrush::document::{Channels, Script, Snapshot, apply, resolve};
use sonobrush::dsp::selections::find::{ClickMethod, Find, clicks, clicks_by_repair};
use sonobrush::dsp::{Selection, Shape, StftParams};
use sonobrush::engine::{Engine, Plans};
use sonobrush::media::Source;
use sonobrush::workbench::Seek;
use sonobrush::workbench::commands::FindCommand;
use std::ops::Range;

const SPEECH: &str = "speech_16k_mono.wav";
const VINYL: &str = "vinyl_hiss_44k_stereo.flac";
const RATE: u32 = 16_000;
const N_CLICKS: usize = 30;
/// Sets of clicks.
const N_SEEDS: u64 = 20;
const THRESHOLD: f64 = 10.0;

fn sound_of(name: &str) -> Vec<f32> {
    samples(&open(&clip(name)), 0)
}

fn snapshot(samples: &[f32], rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples.to_vec()], rate).unwrap())
}

/// Energy of the difference over some samples.
fn error(actual: &[f32], clean: &[f32], range: &Range<usize>) -> f64 {
    actual[range.clone()].iter().zip(&clean[range.clone()]).map(|(a, b)| f64::from(a - b).powi(2)).sum()
}

/// What a repair did: how many clicks have a quarter of their error or less, how many samples farther than 4 from a
/// click have changed, and how much the error of the whole fell in decibels.
#[derive(Debug)]
struct Repair {
    n_repaired: usize,
    n_far: usize,
    gain_db: f64,
}

impl Repair {
    fn of(clean: &[f32], damaged: &[f32], healed: &[f32], places: &[Range<usize>]) -> Repair {
        let is_repaired = |place: &&Range<usize>| error(healed, clean, place) < 0.25 * error(damaged, clean, place);
        let is_near = |at: &usize| places.iter().any(|place| (place.start - 4..place.end + 4).contains(at));
        Repair {
            n_repaired: places.iter().filter(is_repaired).count(),
            n_far: changed(damaged, healed).iter().filter(|at| !is_near(at)).count(),
            gain_db: snr_db_f32(healed, clean) - snr_db_f32(damaged, clean),
        }
    }

    fn is_good(&self) -> bool {
        self.n_repaired >= 28 && self.n_far == 0 && self.gain_db > 10.0
    }
}

/// What holds of the repairs of several sets of clicks: at least 28 are repaired on average and 27 in the worst, the
/// error falls by 10 dB in each, and in nine sets of ten no sample changes farther than 4 from a click.
fn keep_the_law(repairs: &[Repair]) -> bool {
    let n_repaired: usize = repairs.iter().map(|repair| repair.n_repaired).sum();
    let n_beside = repairs.iter().filter(|repair| repair.n_far > 0).count();
    let is_each_repaired = repairs.iter().all(|repair| repair.n_repaired >= 27 && repair.gain_db > 10.0);
    n_repaired >= 28 * repairs.len() && is_each_repaired && n_beside <= repairs.len().div_ceil(10)
}

/// The samples healed at the clicks that a script finds, with more fields of its shape.
fn healed_by_script(damaged: &[f32], method: &str) -> Vec<f32> {
    let script = format!(
        r#"{{"version": 1, "transform": {{"n_fft": 1024}}, "edits": [
            {{"brush": {{"kind": "heal", "mode": "gap"}}, "select": {{"shape": "clicks"{method}}}}}]}}"#
    );
    let script = Script::parse(&script).unwrap();
    assert_eq!(Script::parse(&script.to_json()).unwrap(), script, "it is written as it was read");
    let applied = apply(&snapshot(damaged, RATE), &script.edits[0], &Engine::cpu(), &Progress::new()).unwrap();
    let healed = samples(&applied.snapshot, 0);
    // What was found stays in the edit: it replays to the same bits.
    let again = Script::from(vec![*applied.resolved.expect("found")]);
    let again = Script::parse(&again.to_json()).unwrap();
    let replayed = apply(&snapshot(damaged, RATE), &again.edits[0], &Engine::cpu(), &Progress::new()).unwrap();
    assert!(changed(&samples(&replayed.snapshot, 0), &healed).is_empty());
    healed
}

/// The first three sets of clicks, all twenty with `SONOBRUSH_LONG_TESTS`.
#[test]
fn thirty_clicks_in_speech_are_repaired_and_nothing_else() {
    let clean = sound_of(SPEECH);
    let n_seeds = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { N_SEEDS } else { 3 };
    let (mut repairs, mut controls) = (Vec::new(), Vec::new());
    for seed in 0..n_seeds {
        let mut damaged = clean.clone();
        let places = add_clicks(&mut damaged, N_CLICKS, seed);
        let repair = |method| Repair::of(&clean, &damaged, &healed_by_script(&damaged, method), &places);
        repairs.push(repair(r#", "method": "repair""#));
        // Control: by the errors alone, as scripts without a method still find them.
        controls.push(repair(""));
    }
    for (seed, (repair, control)) in repairs.iter().zip(&controls).enumerate() {
        println!("seed {seed}: {repair:?}; by prediction: {control:?}");
    }
    assert!(keep_the_law(&repairs), "{repairs:?}");
    assert!(!keep_the_law(&controls), "the checks can fail: {controls:?}");
}

#[test]
fn clicks_are_counted_and_healed_by_a_key() {
    let clean = sound_of(SPEECH);
    let mut damaged = clean.clone();
    let places = add_clicks(&mut damaged, N_CLICKS, 0);
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(snapshot(&damaged, RATE));
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    let (_, reported) = bench.notices().pop().unwrap();
    let n_reported: usize = reported.split(' ').next().unwrap().parse().unwrap();
    assert!(reported.contains("clicks found and selected") && (28..=31).contains(&n_reported), "{reported}");
    bench.key(CTRL, Key::H);
    let repair = Repair::of(&clean, &damaged, &bench.samples(0), &places);
    assert!(repair.is_good(), "{repair:?}");
}

#[test]
fn twenty_other_sets_of_clicks_are_found() {
    let clean = sound_of(SPEECH);
    let meets = |a: &Range<usize>, b: &Range<usize>| a.start < b.end + 4 && b.start < a.end + 4;
    let (mut n_hit, mut n_false, mut worst) = (0, 0, N_CLICKS);
    for seed in 0..N_SEEDS {
        let mut damaged = clean.clone();
        let places = add_clicks(&mut damaged, N_CLICKS, seed);
        let found = clicks_by_repair(&damaged, THRESHOLD, f64::from(RATE));
        assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "ascending and disjoint");
        let hit = places.iter().filter(|place| found.iter().any(|run| meets(run, place))).count();
        (n_hit, worst) = (n_hit + hit, worst.min(hit));
        n_false += found.iter().filter(|run| !places.iter().any(|place| meets(run, place))).count();
    }
    let n_planted = N_SEEDS as usize * N_CLICKS;
    println!("{n_hit} of {n_planted} found, at least {worst} of {N_CLICKS}, and {n_false} that are none");
    assert!(n_hit >= n_planted * 98 / 100 && worst >= 28, "{n_hit}, {worst}");
    assert!(n_false <= 4, "{n_false} that are none");
}

#[test]
fn crackles_of_a_groove_are_found_and_clean_sounds_have_none() {
    let groove = sound_of(VINYL);
    let found = clicks_by_repair(&groove, THRESHOLD, 44_100.0);
    let before = clicks(&groove, THRESHOLD, 44_100.0);
    println!("{} crackles, {} by prediction", found.len(), before.len());
    assert!(found.len() >= 2 * before.len() && before.len() >= 50, "{} and {}", found.len(), before.len());
    // Each is loud against the half millisecond before and after it: high frequencies, by the second difference.
    let rough = |range: Range<usize>| {
        let second = |x: &[f32]| (x[0] - 2.0 * x[1] + x[2]).abs();
        groove[range].windows(3).map(second).fold(0.0, f32::max)
    };
    let stands_out = |run: &&Range<usize>| {
        let sides = [run.start.saturating_sub(40)..run.start - 4, run.end + 30..run.end + 66].map(rough);
        rough(run.start - 2..run.end + 2) > 1.5 * sides[0].min(sides[1])
    };
    let n_loud = found.iter().filter(stands_out).count();
    assert!(n_loud * 10 >= found.len() * 9, "{n_loud} of {} stand out", found.len());
    let clean = [
        (SPEECH, 16_000.0, 1),
        ("tabla_loop_44k_stereo.flac", 44_100.0, 2),
        ("drum_break_44k_stereo.flac", 44_100.0, 1),
        ("guitar_chord_44k_stereo.flac", 44_100.0, 0),
        ("choir_44k_stereo_float64.wav", 44_100.0, 0),
        ("crow_44k_mono.flac", 44_100.0, 0),
    ];
    for (name, rate_hz, max) in clean {
        let sound = sound_of(name);
        let [n, n_before] =
            [clicks_by_repair(&sound, THRESHOLD, rate_hz), clicks(&sound, THRESHOLD, rate_hz)].map(|runs| runs.len());
        println!("{name}: {n}, {n_before} by prediction");
        assert!(n <= max, "{name}: {n}");
    }
    let all_zero = vec![0.0; 44_100];
    assert!(
        clicks_by_repair(&all_zero, THRESHOLD, 44_100.0).is_empty() && clicks_by_repair(&[], 10.0, 8_000.0).is_empty()
    );
    let short = [vec![0.0; 20], vec![1.0]].concat();
    assert!(clicks_by_repair(&short, THRESHOLD, 44_100.0).is_empty(), "too short to know what to expect");
}

#[test]
fn long_sounds_are_searched_in_pieces() {
    // 40 s at 44.1 kHz: four pieces, a click at each of their borders and beside them.
    let guitar = sound_of("guitar_chord_44k_stereo.flac");
    let mut sound: Vec<f32> = guitar.iter().copied().cycle().take(40 * 44_100).collect();
    let mut planted = Vec::new();
    for border in [1usize << 19, 1 << 20, 3 << 19] {
        for at in [border - 3000, border - 3, border + 2000] {
            (0..6).for_each(|i| sound[at + i] += [0.3, -0.3, 0.25, -0.2, 0.15, -0.1][i]);
            planted.push(at as f64 / 44_100.0);
        }
    }
    let wanted = Selection::of(Shape::Find(Find::Clicks { threshold: THRESHOLD, method: ClickMethod::Repair }));
    let (sound, stft) = (snapshot(&sound, 44_100), StftParams::default());
    let found = resolve(&sound, &wanted, stft, &Channels::All, &Plans::default(), &Progress::new()).unwrap();
    let [(_, Shape::Moments(found))] = &found.shapes[..] else { panic!("{found:?}") };
    for at in &planted {
        let n = found.runs.iter().filter(|run| (run[0] - 1e-4..=run[1] + 1e-4).contains(at)).count();
        assert_eq!(n, 1, "{at} s: {:?}", found.runs);
    }
}
