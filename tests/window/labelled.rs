//! Time cut and places named by hand, in the window, with inputs counted as in `tasks`: a press of a key, a drag, a
//! click, and what is typed into a field are one each.

use super::rig::Rig;
use super::signals::write_floats;
use super::studio::{Studio, is_at_rest};
use super::support::clips::recording;
use std::time::Instant;

const RATE_HZ: f64 = 16_000.0;
/// From the start of a call to the next, and how long it is.
const CALL_SECS: [f64; 2] = [0.5, 0.12];
const N_CALLS: usize = 18;
/// Box labels that are drawn; a hundred where time is given.
const N_BOXES: [usize; 2] = [20, 100];
/// For a hundred.
const MAX_SECS: f64 = 300.0;
const CLASSES: [&str; 5] = ["crow", "wren", "owl", "car", "wind"];

/// `n` calls over a little noise: each rises from 2,000 to 3,000 Hz.
fn calls(n: usize) -> Vec<f32> {
    let [apart, long] = CALL_SECS.map(|secs| (secs * RATE_HZ) as usize);
    let mut seed = 1u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1e-3 * (seed >> 8) as f32 / (1 << 24) as f32
    };
    let mut samples: Vec<f32> = (0..(n + 1) * apart).map(|_| noise()).collect();
    for k in 1..=n {
        for at in 0..long {
            let (part, secs) = (at as f64 / long as f64, at as f64 / RATE_HZ);
            let phase = std::f64::consts::TAU * (2_000.0 * secs + 500.0 * part * secs);
            samples[k * apart + at] += (0.3 * (std::f64::consts::PI * part).sin() * phase.sin()) as f32;
        }
    }
    samples
}

/// A hand at the window, whose inputs are counted.
struct Hand<'a> {
    studio: Studio<'a>,
    n_inputs: usize,
}

impl Hand<'_> {
    fn key(&mut self, name: &str) {
        self.n_inputs += 1;
        self.studio.key(name);
    }

    fn click(&mut self, label: &str) {
        self.n_inputs += 1;
        self.studio.click_control(label);
    }

    fn write(&mut self, text: &str) {
        self.n_inputs += 1;
        self.studio.type_text(text);
    }

    /// From corner to corner: seconds, hertz.
    fn draw(&mut self, secs: [f64; 2], hz: [f64; 2]) {
        self.n_inputs += 1;
        let pane = self.studio.pane();
        let at = |k: usize| [pane.x_at(secs[k]), pane.y_at(hz[k])];
        let middle = [(at(0)[0] + at(1)[0]) / 2, (at(0)[1] + at(1)[1]) / 2];
        self.studio.drag(&[at(0), middle, at(1)]);
    }

    fn wait_labels(&self, n: usize) {
        self.studio.wait("the labels", |state| (state["document"]["n_labels"] == n && is_at_rest(state)).then_some(()));
    }
}

pub fn an_um_is_cut_and_a_take_is_trimmed(rig: &Rig) {
    let speech = recording("speech_16k_mono.wav").1.remove(0);
    let file = rig.path("um.wav");
    write_floats(&file, RATE_HZ, std::slice::from_ref(&speech));
    let mut hand = Hand { studio: rig.open(&file), n_inputs: 0 };
    // The tool, the drag, the cut.
    hand.key("t");
    hand.draw([1.0, 1.5], [500.0, 500.0]);
    hand.key("ctrl+Delete");
    hand.studio.wait_position(1);
    assert_eq!(hand.n_inputs, 3);
    let length_secs = speech.len() as f64 / RATE_HZ;
    let near = |state: &serde_json::Value, wanted: f64| {
        let end = state["document"]["secs"][1].as_f64().unwrap_or(0.0);
        ((end - wanted).abs() < 0.05 && is_at_rest(state)).then_some(())
    };
    hand.studio.wait("a shorter sound", |state| near(state, length_secs - 0.5));
    hand.n_inputs = 0;
    hand.draw([0.5, 2.0], [500.0, 500.0]);
    hand.key("ctrl+t");
    hand.studio.wait_position(2);
    assert_eq!(hand.n_inputs, 2);
    hand.studio.wait("the take", |state| near(state, 1.5));
}

/// Calls that differ in nothing but their loudness: the first is selected, the others are found.
pub fn found_calls_are_named_and_measured(rig: &Rig) {
    let file = rig.path("calls.wav");
    write_floats(&file, RATE_HZ, &[calls(N_CALLS)]);
    let mut hand = Hand { studio: rig.open(&file), n_inputs: 0 };
    let table = hand.studio.path("calls.csv");
    std::fs::write(hand.studio.path("answers"), format!("{}\n", table.display())).unwrap();
    // An example is selected.
    hand.key("2");
    hand.draw([CALL_SECS[0] - 0.02, CALL_SECS[0] + CALL_SECS[1] + 0.02], [3_200.0, 1_800.0]);
    hand.n_inputs = 0;
    hand.key("ctrl+shift+a");
    hand.studio
        .wait("the calls", |state| (state["document"]["n_places"] == N_CALLS && is_at_rest(state)).then_some(()));
    hand.click("Label all found places\u{2026}");
    hand.studio.wait("the card", |state| (state["card"] == "label").then_some(()));
    hand.write("call");
    hand.key("Return");
    hand.wait_labels(N_CALLS);
    hand.click("Save measurements\u{2026}");
    let text = hand.studio.wait("the table", |_| std::fs::read_to_string(&table).ok());
    assert!(hand.n_inputs <= 8, "{} inputs", hand.n_inputs);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 1 + N_CALLS, "{text}");
    let peak = rows[0].split(',').position(|name| name == "peak_hz").unwrap();
    for row in &rows[1..] {
        let hz: f64 = row.split(',').nth(peak).unwrap().parse().unwrap();
        assert!((1_900.0..3_100.0).contains(&hz), "{row}");
    }
}

/// Boxes of five classes, a digit and a drag each.
pub fn boxes_of_five_classes_are_drawn_in_time(rig: &Rig) {
    let n_boxes = N_BOXES[usize::from(std::env::var_os("SONOBRUSH_LONG_TESTS").is_some())];
    let file = rig.path("field.wav");
    write_floats(&file, RATE_HZ, &[calls(2 * N_CALLS)]);
    let mut hand = Hand { studio: rig.open(&file), n_inputs: 0 };
    hand.key("shift+u");
    // The classes are named once.
    for (at, name) in CLASSES.iter().enumerate() {
        if at > 0 {
            hand.studio.click_control("New class");
        }
        hand.studio.click_control("Name of the class");
        hand.studio.type_text(name);
        hand.studio.key("Return");
    }
    hand.n_inputs = 0;
    let began = Instant::now();
    for k in 0..n_boxes {
        let class = k % CLASSES.len();
        hand.key(&(class + 1).to_string());
        let start = 0.3 + 16.0 * k as f64 / n_boxes as f64;
        let low = 400.0 * f64::from(1 << (k % 3));
        hand.draw([start, start + 0.4], [low, 2.5 * low]);
    }
    hand.wait_labels(n_boxes);
    let took_secs = began.elapsed().as_secs_f64();
    let max_secs = MAX_SECS * n_boxes as f64 / 100.0;
    println!("  {n_boxes} boxes of five classes: {took_secs:.1} s, {} inputs", hand.n_inputs);
    assert!(took_secs <= max_secs, "{took_secs} s");
    assert!(hand.n_inputs <= 3 * n_boxes);
    let texts = hand.studio.wait("their texts", |state| state["document"]["labels"].as_array().cloned());
    for (k, label) in texts.iter().enumerate() {
        assert_eq!(label[0], CLASSES[k % CLASSES.len()], "{k}");
    }
}
