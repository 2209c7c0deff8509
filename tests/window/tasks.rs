//! What an editor does all day, in the window: damage of known kinds mixed into speech and repaired, notes drawn and a
//! drum loop stretched, with inputs counted as in `tests/studio_tasks.rs`. A command from the list of all is three
//! inputs, as it is in a menu of menus: the list, its name, Enter. What is typed into a field is one, and so is a turn
//! of the wheel.

use super::erase::zoom_in;
use super::rig::Rig;
use super::signals::{read_floats, write_floats};
use super::studio::{Studio, is_at_rest};
use super::support::attacks::{attacks, distance_ms, envelope};
use super::support::clips::recording;
use super::support::damage::{add_clicks, add_cough, add_whistle, interview, with_hum};
use super::support::measure::{band_power, changed, error_db, half_level_secs, si_sdr_db, strongest_tone};
use std::slice::from_ref;
use std::time::Duration;

const SPEECH: &str = "speech_16k_mono.wav";
const SPEECH_RATE_HZ: f64 = 16_000.0;
const TONES_RATE_HZ: f64 = 48_000.0;
/// Keys that write are text until 0.3 s after a card with a field.
const CARD_TO_KEY: Duration = Duration::from_millis(400);
/// From press to release, and the note that the pen is nearest to.
const NOTES: [([f64; 2], f64); 3] = [([0.5, 0.65], 523.25), ([1.2, 1.32], 659.26), ([1.8, 2.1], 783.99)];

/// A hand at the window, whose inputs are counted.
struct Hand<'a> {
    studio: Studio<'a>,
    n_inputs: usize,
}

impl<'a> Hand<'a> {
    /// Before a sound in a window of its own.
    fn at(rig: &'a Rig, name: &str, rate_hz: f64, channels: &[Vec<f32>]) -> Hand<'a> {
        let file = rig.path(name);
        write_floats(&file, rate_hz, channels);
        Hand { studio: rig.open(&file), n_inputs: 0 }
    }

    fn key(&mut self, name: &str) {
        self.n_inputs += 1;
        self.studio.key(name);
    }

    /// A tool by its key.
    fn take(&mut self, key: &str, tool: &str) {
        self.key(key);
        self.studio.wait(tool, |state| (state["tool"] == tool).then_some(()));
    }

    /// A command from the list of all. A card of its own may follow.
    fn command(&mut self, name: &str) {
        self.key("ctrl+shift+p");
        self.studio.wait("the list of commands", |state| (state["card"] == "palette").then_some(()));
        self.n_inputs += 1;
        self.studio.type_text(name);
        self.key("Return");
        self.studio.wait("the command", |state| (state["card"] != "palette").then_some(()));
    }

    fn drag(&mut self, places: &[[i64; 2]]) {
        self.n_inputs += 1;
        self.studio.drag(places);
    }

    /// Selects a stretch of time with its tool.
    fn select(&mut self, secs: [f64; 2]) {
        self.take("t", "tool_time");
        let pane = self.studio.pane();
        let y = (pane.rect[1] + pane.rect[3] / 2.0) as i64;
        let [left, right] = secs.map(|secs| pane.x_at(secs));
        self.drag(&[[left, y], [(left + right) / 2, y], [right, y]]);
        let two_pixels = pane.secs_at(2) - pane.secs_at(0);
        self.studio.wait("the selection", |state| {
            let found = state["document"]["selected_secs"].as_array()?;
            let is_near = |edge: usize| Some((found[edge].as_f64()? - secs[edge]).abs() <= two_pixels);
            (is_near(0)? && is_near(1)? && is_at_rest(state)).then_some(())
        });
    }

    /// What is heard: the channels of an export.
    fn heard(&self, name: &str) -> Vec<Vec<f32>> {
        read_floats(&self.studio.export(name))
    }
}

fn speech() -> Vec<f32> {
    recording(SPEECH).1.remove(0)
}

fn gained_db(damaged: &[f32], heard: &[f32], clean: &[f32]) -> f64 {
    error_db(damaged, clean) - error_db(heard, clean)
}

pub fn a_breath_a_cough_and_a_whistle_are_repaired(rig: &Rig) {
    let clean = speech();
    a_breath_is_turned_down(rig, &clean);
    a_cough_is_healed(rig, &clean);
    a_whistle_is_painted_away(rig, &clean);
}

fn a_breath_is_turned_down(rig: &Rig, before: &[f32]) {
    let mut hand = Hand::at(rig, "breath.wav", SPEECH_RATE_HZ, &[before.to_vec()]);
    hand.select([1.0, 1.5]);
    hand.key("Return");
    hand.studio.wait_position(1);
    let after = hand.heard("turned down.wav").remove(0);
    // The part of the half second that no frame over its edges reaches.
    let inside = 17_952..17_952 + 4_096;
    let gain_db = |octave: i32| {
        let lowest_hz = 62.5 * f64::from(1 << octave);
        let power = |x: &[f32]| band_power(&x[inside.clone()], SPEECH_RATE_HZ, lowest_hz, 2.0 * lowest_hz);
        10.0 * (power(&after) / power(before)).log10()
    };
    let gains_db: Vec<f64> = (0..7).map(gain_db).collect();
    println!("  breath: {gains_db:.2?} dB in the octaves from 62.5 Hz by {} inputs", hand.n_inputs);
    assert!(gains_db.iter().all(|gain_db| (gain_db + 12.0).abs() < 0.2), "{gains_db:?} dB");
    assert_eq!(hand.n_inputs, 3);
    let touched = changed(before, &after);
    assert!(touched[0] > 14_500 && touched[touched.len() - 1] < 25_500, "the rest keeps its bits");
}

fn a_cough_is_healed(rig: &Rig, clean: &[f32]) {
    let mut damaged = clean.to_vec();
    let [from, to] = add_cough(&mut damaged, SPEECH_RATE_HZ, 1);
    let mut hand = Hand::at(rig, "cough.wav", SPEECH_RATE_HZ, from_ref(&damaged));
    let heal = |hand: &mut Hand<'_>, margin_secs: f64, name: &str| {
        hand.select([from - margin_secs, to + margin_secs]);
        hand.key("ctrl+h");
        hand.studio.wait_position(1);
        gained_db(&damaged, &hand.heard(name)[0], clean)
    };
    // A loose range, at the settings that are there.
    let loose_db = heal(&mut hand, 0.03, "loose.wav");
    assert_eq!(hand.n_inputs, 3);
    // A narrow one at half the FFT size, which sees more sharply when the cough begins and ends.
    hand.studio.key("ctrl+z");
    hand.studio.wait_position(0);
    hand.studio.key("ctrl+d");
    hand.studio.wait("no selection", |state| state["document"]["selected_secs"].is_null().then_some(()));
    hand.n_inputs = 0;
    std::thread::sleep(CARD_TO_KEY);
    hand.key("comma");
    let narrow_db = heal(&mut hand, 0.005, "narrow.wav");
    println!("  cough: {loose_db:.1} dB gained by 3 inputs, {narrow_db:.1} dB by {}", hand.n_inputs);
    assert!(loose_db > 5.5 && narrow_db > 7.5, "{loose_db} and {narrow_db} dB");
    assert_eq!(hand.n_inputs, 4);
}

fn a_whistle_is_painted_away(rig: &Rig, clean: &[f32]) {
    let mut damaged = clean.to_vec();
    let course = add_whistle(&mut damaged, SPEECH_RATE_HZ);
    let ([start, _], [end, _]) = (course[0], course[course.len() - 1]);
    let mut hand = Hand::at(rig, "whistle.wav", SPEECH_RATE_HZ, from_ref(&damaged));
    // Until the whistle can be followed: the wheel, and Ctrl and the wheel.
    zoom_in(&hand.studio, [(start + end) / 2.0, 2_950.0], 1.1, 3.7);
    hand.n_inputs += 2;
    hand.take("shift+h", "tool_heal");
    let pane = hand.studio.pane();
    let places: Vec<[i64; 2]> = course.iter().map(|[secs, hz]| [pane.x_at(*secs), pane.y_at(*hz)]).collect();
    hand.drag(&places);
    hand.studio.wait_position(1);
    let heard = hand.heard("without a whistle.wav").remove(0);
    let gained_db = gained_db(&damaged, &heard, clean);
    println!("  whistle: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
    assert!(gained_db > 20.0 && hand.n_inputs == 4, "{gained_db} dB");
    let touched = changed(&damaged, &heard);
    let [first, last] = [touched[0], touched[touched.len() - 1]].map(|at| at as f64 / SPEECH_RATE_HZ);
    assert!(first > start - 0.2 && last < end + 0.2, "{first} to {last} s: the rest keeps its bits");
}

pub fn hum_and_clicks_are_removed(rig: &Rig) {
    let clean = speech();
    for (drift_hz, min_gain_db) in [(0.0, 12.0), (0.1, 8.0)] {
        let humming = with_hum(&clean, SPEECH_RATE_HZ, 50.0, drift_hz, -35.0, 21);
        let mut hand = Hand::at(rig, "hum.wav", SPEECH_RATE_HZ, from_ref(&humming));
        hand.command("remove hum");
        hand.studio
            .wait("the preview", |state| (state["document"]["preview"] == true && is_at_rest(state)).then_some(()));
        std::thread::sleep(CARD_TO_KEY);
        hand.key("Return");
        hand.studio.wait_position(1);
        let gained_db = gained_db(&humming, &hand.heard("without hum.wav")[0], &clean);
        println!("  hum drifting by {drift_hz} Hz: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
        assert!(gained_db > min_gain_db && hand.n_inputs == 4, "{drift_hz}: {gained_db} dB");
    }
    clicks_are_found_and_healed(rig, &clean);
}

fn clicks_are_found_and_healed(rig: &Rig, clean: &[f32]) {
    let mut damaged = clean.to_vec();
    let places = add_clicks(&mut damaged, 30, 0);
    let mut hand = Hand::at(rig, "clicks.wav", SPEECH_RATE_HZ, from_ref(&damaged));
    hand.command("find clicks");
    hand.studio
        .wait("the clicks", |state| (state["document"]["selected_secs"].is_array() && is_at_rest(state)).then_some(()));
    hand.key("ctrl+h");
    hand.studio.wait_position(1);
    let heard = hand.heard("without clicks.wav").remove(0);
    let gained_db = gained_db(&damaged, &heard, clean);
    println!("  clicks: {gained_db:.1} dB gained by {} inputs", hand.n_inputs);
    assert!(gained_db > 10.0 && hand.n_inputs == 4, "{gained_db} dB");
    let is_near = |at: usize| places.iter().any(|click| (click.start - 4..click.end + 4).contains(&at));
    assert!(changed(&damaged, &heard).into_iter().all(is_near), "no sample farther than 4 from a click changed");
}

pub fn drawn_notes_and_a_stretched_loop_are_in_time(rig: &Rig) {
    three_notes_are_drawn(rig);
    a_drum_loop_is_stretched_and_placed(rig);
}

fn three_notes_are_drawn(rig: &Rig) {
    let mut hand = Hand::at(rig, "notes.wav", TONES_RATE_HZ, &[vec![0.0; 3 * TONES_RATE_HZ as usize]]);
    hand.take("shift+t", "tool_tone");
    hand.key("n");
    let mut drawn = Vec::new();
    for (n, (secs, hz)) in (1..).zip(NOTES) {
        let pane = hand.studio.pane();
        let [left, right] = secs.map(|secs| pane.x_at(secs));
        // Not quite where the note is, and not quite level: a pixel is about 20 cents.
        let y = pane.y_at(hz);
        hand.drag(&[[left, y - 1], [(3 * left + right) / 4, y - 1], [(left + 3 * right) / 4, y], [right, y]]);
        hand.studio.wait_position(n);
        drawn.push(([left, right].map(|x| pane.secs_at(x)), hz));
    }
    let samples = hand.heard("drawn notes.wav").remove(0);
    let mut worst = [0.0f64; 2];
    for (secs, hz) in drawn {
        let [from, to] = secs.map(|secs| (secs * TONES_RATE_HZ) as usize);
        let found = strongest_tone(&samples[from + 480..to - 480], TONES_RATE_HZ, hz * 0.97, hz * 1.03);
        let cents = 1200.0 * (found.hz / hz).log2();
        let [start, end] = half_level_secs(&samples, TONES_RATE_HZ, secs, hz);
        let off_secs = (start - secs[0]).abs().max((end - secs[1]).abs());
        worst = [worst[0].max(1000.0 * off_secs), worst[1].max(cents.abs())];
    }
    println!("  notes: {:.1} ms, {:.2} cents off by {} inputs", worst[0], worst[1], hand.n_inputs);
    assert!(worst[0] <= 10.0 && worst[1] <= 2.0, "{} ms, {} cents", worst[0], worst[1]);
    assert_eq!(hand.n_inputs, 5);
}

fn a_drum_loop_is_stretched_and_placed(rig: &Rig) {
    let (rate_hz, x) = recording("drum_break_44k_stereo.flac");
    let before = envelope(&x, rate_hz);
    let hits = attacks(&before);
    let mut hand = Hand::at(rig, "drums.wav", rate_hz, &x);
    hand.key("ctrl+a");
    hand.studio.wait("the selection", |state| {
        (state["document"]["selected_secs"].is_array() && is_at_rest(state)).then_some(())
    });
    hand.key("ctrl+shift+p");
    hand.studio.wait("the list of commands", |state| (state["card"] == "palette").then_some(()));
    hand.studio.type_text("time stretch");
    // The rest comes before the card is open; its field takes it, in place of what it holds.
    hand.studio.keys(&["Return", "9", "0", "Return"]);
    hand.n_inputs += 4;
    hand.studio.wait("what floats", |state| {
        (state["document"]["floating"].is_array() && state["card"].is_null() && is_at_rest(state)).then_some(())
    });
    hand.key("ctrl+Return");
    hand.studio.wait_position(1);
    let after = envelope(&hand.heard("stretched.wav"), rate_hz);
    let distance = |at: &usize| distance_ms(&before, *at, &after, *at as f64 * 0.9);
    let worst_ms = hits.iter().map(distance).fold(0.0, f64::max);
    println!("  drums: {} hits, at most {worst_ms:.1} ms off by {} inputs", hits.len(), hand.n_inputs);
    assert!(hits.len() > 20 && worst_ms <= 5.0, "{worst_ms} ms");
    assert_eq!(hand.n_inputs, 7);
}

/// The card of an export, the path and Enter.
const EXPORT_INPUTS: usize = 3;

pub fn a_clipped_interview_is_repaired_in_twelve_inputs(rig: &Rig) {
    let [clean, clipped] = interview(SPEECH_RATE_HZ, &speech());
    let mut hand = Hand::at(rig, "interview.wav", SPEECH_RATE_HZ, from_ref(&clipped));
    hand.command("find damage");
    for (position, button) in [(1, "Declip: Clipping"), (2, "Isolate speech: Noise")] {
        hand.studio.click_control(button);
        hand.n_inputs += 1;
        hand.studio
            .wait("the preview", |state| (state["document"]["preview"] == true && is_at_rest(state)).then_some(()));
        hand.key("Return");
        hand.studio.wait_position(position);
    }
    let heard = hand.heard("repaired.wav").remove(0);
    hand.n_inputs += EXPORT_INPUTS;
    let [before_db, after_db] = [&clipped, &heard].map(|heard| si_sdr_db(heard, &clean));
    println!("  interview: SI-SDR {before_db:.1} dB, repaired {after_db:.1} dB by {} inputs", hand.n_inputs);
    assert!(after_db > before_db + 3.0, "{before_db} and {after_db} dB");
    assert!(hand.n_inputs <= 12, "{} inputs", hand.n_inputs);
}
