//! What an editor does all day, by mouse and keys: damage of known kinds mixed into speech, repaired with inputs
//! counted, and a drum loop stretched. The same edits as scripts make the same bits.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use crate::hum::speech;
use crate::support::attacks::{attacks, distance_ms, envelope};
use crate::support::clips::recording;
use crate::support::damage::{add_clicks, add_cough, add_whistle, with_hum};
use crate::support::measure::{changed, error_db, f64s, max_error};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, has_gpu, samples};
use egui::{Key, Modifiers, Pos2, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::{Edit, Script, Snapshot, apply};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::{Severity, Tool};
use std::f64::consts::TAU;

const RATE: f64 = 16_000.0;

/// A hand at the studio, whose inputs are counted: keys, clicks, drags.
struct Hand {
    bench: Bench,
    n_inputs: usize,
}

impl Hand {
    /// Before a sound.
    fn at(drawing: Drawing, channels: Vec<Vec<f32>>, rate: f64) -> Hand {
        let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
        bench.show(Snapshot::new(Source::from_channels(channels, rate as u32).unwrap()));
        Hand { bench, n_inputs: 0 }
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.n_inputs += 1;
        self.bench.key(modifiers, key);
    }

    /// Menus, one in the other, and an entry.
    fn menu(&mut self, labels: &[&str]) {
        for label in labels {
            self.n_inputs += 1;
            self.bench.harness.get_all_by_label(label).next().unwrap().click();
            self.bench.settle();
        }
    }

    fn place(&self, secs: f64, hz: f64) -> Pos2 {
        let viewport = self.bench.studio().viewport().unwrap();
        pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
    }

    fn drag(&mut self, places: &[Pos2]) {
        self.n_inputs += 1;
        self.bench.drag(places);
    }

    /// What is heard, after edits that scripts make, too.
    fn heard(&self) -> Vec<f32> {
        assert!(
            self.bench.notices().iter().all(|(severity, _)| *severity != Severity::Error),
            "{:?}",
            self.bench.notices()
        );
        let history = self.bench.studio().document().unwrap().history();
        let edits: Vec<Edit> = history.entries().iter().filter_map(|entry| entry.edit.clone()).collect();
        let script = Script::parse(&Script::from(edits).to_json()).unwrap();
        let again = script.edits.iter().fold(history.original().clone(), |sound, edit| {
            apply(&sound, edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot
        });
        let heard = self.bench.samples(0);
        // On the other engine, perhaps.
        let off = max_error(f64s(&samples(&again, 0)), f64s(&heard));
        assert!(off < 1e-5, "the script makes the same sound: {off}");
        heard
    }
}

fn gained_db(damaged: &[f32], heard: &[f32], clean: &[f32]) -> f64 {
    error_db(damaged, clean) - error_db(heard, clean)
}

#[test]
fn a_cough_is_healed_by_three_inputs() {
    if !has_gpu() {
        return;
    }
    let clean = speech();
    let mut damaged = clean.clone();
    let [from, to] = add_cough(&mut damaged, RATE, 1);
    let mut hand = Hand::at(Drawing::Wgpu, vec![damaged.clone()], RATE);
    let around =
        |hand: &Hand, margin_secs: f64| [from - margin_secs, to + margin_secs].map(|secs| hand.place(secs, 1000.0));
    // A loose range, at the settings that are there.
    hand.key(NONE, Key::T);
    let places = around(&hand, 0.03);
    hand.drag(&places);
    hand.key(CTRL, Key::H);
    let loose_db = gained_db(&damaged, &hand.heard(), &clean);
    assert_eq!(hand.n_inputs, 3);
    // A narrow one at half the FFT size, which sees more sharply when the cough begins and ends.
    hand.bench.key(CTRL, Key::Z);
    hand.bench.key(CTRL, Key::D);
    let mut hand = Hand { n_inputs: 0, ..hand };
    hand.key(NONE, Key::Comma);
    hand.key(NONE, Key::T);
    let places = around(&hand, 0.005);
    hand.drag(&places);
    hand.key(CTRL, Key::H);
    let narrow_db = gained_db(&damaged, &hand.heard(), &clean);
    println!("cough: {loose_db:.1} dB gained by 3 inputs, {narrow_db:.1} dB by {}", hand.n_inputs);
    assert!(loose_db > 5.5 && narrow_db > 7.5, "{loose_db} and {narrow_db} dB");
    // The control: silence in its place.
    let mut silent = damaged.clone();
    silent[(from * RATE) as usize..(to * RATE) as usize].fill(0.0);
    assert!(gained_db(&damaged, &silent, &clean) < loose_db - 1.0);
}

#[test]
fn a_whistle_is_painted_away() {
    if !has_gpu() {
        return;
    }
    let clean = speech();
    let mut damaged = clean.clone();
    let course = add_whistle(&mut damaged, RATE);
    let mut hand = Hand::at(Drawing::Wgpu, vec![damaged.clone()], RATE);
    let ([start, _], [end, _]) = (course[0], course[course.len() - 1]);
    // Zoomed in until the whistle can be followed: Ctrl and the wheel, and the wheel.
    hand.bench.set_view(|view| (view.secs, view.hz) = ([start - 0.3, end + 0.3], [1_500.0, 5_500.0]));
    hand.bench.settle();
    hand.n_inputs += 2;
    hand.bench.pick(Tool::HEAL);
    hand.n_inputs += 1;
    hand.bench.settle();
    let places: Vec<Pos2> = course.iter().map(|[secs, hz]| hand.place(*secs, *hz)).collect();
    hand.drag(&places);
    let gained_db = gained_db(&damaged, &hand.heard(), &clean);
    println!("whistle: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
    assert!(gained_db > 20.0, "{gained_db} dB");
    let touched = changed(&damaged, &hand.bench.samples(0));
    let [first, last] = [touched[0], touched[touched.len() - 1]].map(|at| at as f64 / RATE);
    assert!(first > start - 0.2 && last < end + 0.2, "{first} to {last} s: the rest keeps its bits");
}

#[test]
fn hum_is_removed_from_the_menu() {
    let clean = speech();
    for (drift_hz, min_gain_db) in [(0.0, 12.0), (0.1, 8.0)] {
        let humming = with_hum(&clean, RATE, 50.0, drift_hz, -35.0, 21);
        let mut hand = Hand::at(Drawing::None, vec![humming.clone()], RATE);
        hand.menu(&["Edit", "Repair", "Remove hum\u{2026}"]);
        hand.key(NONE, Key::Enter);
        let gained_db = gained_db(&humming, &hand.heard(), &clean);
        println!("hum drifting by {drift_hz} Hz: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
        assert!(gained_db > min_gain_db && hand.n_inputs == 4, "{drift_hz}: {gained_db} dB");
    }
}

#[test]
fn voices_are_repaired_from_the_menu() {
    let clean = speech();
    let mut sharp = clean.clone();
    for i in 1..clean.len() - 1 {
        sharp[i] -= 4.0 * (clean[i + 1] - 2.0 * clean[i] + clean[i - 1]);
    }
    let mut blown = clean.clone();
    for (i, sample) in blown[32_000..34_000].iter_mut().enumerate() {
        let t = i as f64 / RATE;
        *sample += (0.5 * (TAU * 60.0 * t).sin() * (t / 0.02) * (1.0 - t / 0.02).exp()) as f32;
    }
    for (name, damaged, found) in [
        ("De-ess", &sharp, "sibilants, up to -"),
        ("Remove plosives", &blown, "1 plosive, up to -"),
        ("Reduce reverb", &clean, "RT60 0."),
    ] {
        let mut hand = Hand::at(Drawing::None, vec![damaged.clone()], RATE);
        hand.menu(&["Edit", "Repair", &format!("{name}\u{2026}")]);
        hand.bench.settle();
        let preview = hand.bench.studio().document().unwrap().open_preview().unwrap();
        assert!(preview.found().is_some_and(|words| words.contains(found)), "{name}: {:?}", preview.found());
        hand.key(NONE, Key::Enter);
        assert!(hand.bench.has(&format!("Step 1: {name}, whole file")), "{name}");
        assert_ne!(bits(&hand.heard()), bits(damaged), "{name}");
        assert_eq!(hand.n_inputs, 4, "{name}");
        hand.bench.key(CTRL, Key::Z);
        assert_eq!(bits(&hand.bench.samples(0)), bits(damaged), "{name}");
    }
}

#[test]
fn clicks_are_found_in_the_menu_and_healed_by_a_key() {
    let clean = speech();
    let mut damaged = clean.clone();
    let places = add_clicks(&mut damaged, 30, 0);
    let mut hand = Hand::at(Drawing::None, vec![damaged.clone()], RATE);
    hand.menu(&["Select", "Find", "Find clicks"]);
    hand.key(CTRL, Key::H);
    let heard = hand.heard();
    let gained_db = gained_db(&damaged, &heard, &clean);
    println!("clicks: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
    assert!(gained_db > 10.0 && hand.n_inputs == 4, "{gained_db} dB");
    let is_near = |at: usize| places.iter().any(|click| (click.start - 4..click.end + 4).contains(&at));
    assert!(changed(&damaged, &heard).into_iter().all(is_near), "no sample farther than 4 from a click changed");
}

#[test]
fn a_drum_loop_is_stretched_and_placed() {
    let (rate, x) = recording("drum_break_44k_stereo.flac");
    let (before, n_samples) = (envelope(&x, rate), x[0].len() as f64);
    let hits = attacks(&before);
    let mut hand = Hand::at(Drawing::None, x, rate);
    hand.key(CTRL, Key::A);
    hand.menu(&["Edit", "Process", "Time stretch\u{2026}"]);
    // The field has the keyboard; what is typed replaces what it holds.
    hand.n_inputs += 1;
    hand.bench.harness.event(egui::Event::Text("90".into()));
    hand.bench.harness.step();
    hand.key(NONE, Key::Enter);
    hand.key(CTRL, Key::Enter);
    let after = envelope(&[hand.bench.samples(0), hand.bench.samples(1)], rate);
    let mut worst_ms = 0.0f64;
    for at in &hits {
        worst_ms = worst_ms.max(distance_ms(&before, *at, &after, *at as f64 * 0.9));
    }
    // Nothing follows: the file has the new length.
    assert_eq!(hand.bench.samples(0).len(), (0.9 * n_samples).round() as usize);
    println!("{} hits, at most {worst_ms:.1} ms off, by {} inputs", hits.len(), hand.n_inputs);
    assert!(hits.len() > 20 && worst_ms <= 5.0, "{worst_ms} ms");
}
