//! A loop changes while the brush is still on it.

use super::machine::Processors;
use super::playhead::{TimedRecorder, now_secs};
use super::rig::Rig;
use super::signals::{tone, write_wav};
use super::sound::SINK_HZ;
use super::studio::is_at_rest;
use std::time::Duration;

const HZ: f64 = 1_000.0;
const LEVEL: f64 = 0.5;
/// From the pointer's press until the tone has fallen by 20 dB, without the device's buffer.
const LATENCY_SECS: f64 = 0.120;
/// Frames of the device's buffer, which comes on top.
const BUFFER_FRAMES: f64 = 1_024.0;
const N_STROKES: usize = 5;
const ATTEMPTS: usize = 3;

/// Loudest sample of 5 ms from a place on.
fn level_at(recording: &[f64], at: usize) -> f64 {
    let window = &recording[at..(at + 240).min(recording.len())];
    window.iter().fold(0.0, |level, sample| sample.abs().max(level))
}

/// Whether there is no step larger than the tone's own and the slope of a crossfade of 6 ms; two parts in a thousand
/// for rounding.
fn is_smooth(recording: &[f64]) -> bool {
    let step = recording.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    let own = LEVEL * 2.0 * (std::f64::consts::PI * HZ / SINK_HZ).sin();
    step <= 1.002 * (own + LEVEL / 280.0)
}

/// What one run showed.
struct Heard {
    latencies: Vec<f64>,
    n_underruns: u64,
    /// What was not as it should be.
    wrong: Option<&'static str>,
    /// From before the first press until after the last.
    sounding: Vec<f64>,
}

pub fn a_loop_changes_under_the_brush(rig: &Rig) {
    let file = rig.path("tone.wav");
    write_wav(&file, SINK_HZ as u32, &tone(48_000, SINK_HZ, HZ, LEVEL));
    // The promise is an optimised build's. A development build took up to 0.29 s on two cores: there this finds a
    // preview that waits for the release, or sound that is recomputed from the start.
    let (slack, max_underruns) = if rig.is_optimised() { (1.0, 0) } else { (3.0, 5) };
    let max = slack * LATENCY_SECS + BUFFER_FRAMES / SINK_HZ;
    // Threads that were not given a processor in time are the machine's doing, so late or dry runs may be repeated. In
    // a run without underruns the sound must be right.
    let before = Processors::now();
    let is_good = (0..ATTEMPTS).any(|_| {
        let mut heard = one_loop(rig, &file);
        println!("  from press to 20 dB less: {:.3?} s, {} underruns", heard.latencies, heard.n_underruns);
        if heard.n_underruns == 0 {
            assert_eq!(heard.wrong, None);
            assert!(is_smooth(&heard.sounding), "a click");
            // The controls: the same sound swapped hard at a peak, and with a hole of one buffer, is found out.
            let peak = (0..24_000).find(|&n| heard.sounding[n] > 0.99 * LEVEL).unwrap();
            let mut hard = heard.sounding.clone();
            hard[peak + 1..].fill(0.0);
            assert!(!is_smooth(&hard), "a hard swap is a click");
            let mut hole = heard.sounding.clone();
            hole[peak + 1..peak + 1_025].fill(0.0);
            assert!(!is_smooth(&hole), "a hole is a click");
        }
        heard.latencies.sort_by(f64::total_cmp);
        let median = heard.latencies.get(N_STROKES / 2).copied().unwrap_or(f64::INFINITY);
        median <= max && heard.n_underruns <= max_underruns
    });
    // A development build on processors that others took may be late; that it comes at all, and softly, was shown.
    assert!(
        is_good || !rig.is_optimised() && before.were_taken(),
        "later than {max} s, or with more than {max_underruns} underruns"
    );
}

fn one_loop(rig: &Rig, file: &std::path::Path) -> Heard {
    let studio = rig.open(file);
    let pane = studio.pane();
    let place = |secs: f64| [pane.x_at(secs), pane.y_at(HZ)];
    studio.key("1");
    studio.wait("the time tool", |state| (state["tool"] == "tool_time").then_some(()));
    studio.drag(&[place(0.4), place(0.5), place(0.6)]);
    // Whole periods at every width of the pane: the seam of the loop must not click by itself.
    for (field, secs) in [("Start of the selection", 0.4), ("End of the selection", 0.6)] {
        studio.click_control(field);
        studio.key("ctrl+a");
        studio.type_text(&secs.to_string());
        studio.key("Return");
        studio.wait("the exact range", |state| {
            let ends = state["document"]["selected_secs"].as_array()?;
            ends.iter().any(|end| (end.as_f64().unwrap() - secs).abs() < 1e-5).then_some(())
        });
    }
    studio.key("ctrl+l");
    studio.key("4");
    studio.wait("the erase brush", |state| (state["tool"] == "tool_erase").then_some(()));
    // So large and hard that one press reaches all of the loop.
    for _ in 0..12 {
        studio.key("bracketright");
    }
    for _ in 0..5 {
        studio.key("shift+bracketright");
    }
    studio.wait("a large brush", |state| (state["document"]["radius_points"].as_f64()? > 350.0).then_some(()));
    studio.point(place(0.5));
    let recorder = TimedRecorder::start(rig);
    studio.key("space");
    studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
    studio.key("ctrl+d");
    std::thread::sleep(Duration::from_millis(1_000));
    let mut presses = Vec::new();
    for _ in 0..N_STROKES {
        presses.push(now_secs());
        studio.press(true);
        studio.wait("the stroke", |state| (state["painting"] == true).then_some(()));
        std::thread::sleep(Duration::from_millis(700));
        // Escape, and the tone is back.
        studio.key_under_button("Escape");
        studio.wait("the end of the stroke", |state| (state["painting"] == false).then_some(()));
        studio.press(false);
        std::thread::sleep(Duration::from_millis(700));
    }
    let state = studio.wait("the sound to go on", |state| (state["playing"] == true).then(|| state.clone()));
    let n_underruns = state["underruns"].as_u64().unwrap();
    assert_eq!(state["document"]["position"], 0, "nothing entered the history");
    let last = recorder.so_far();
    let end = last.sample_at(now_secs()).min(last.samples.len());
    studio.key("space");
    studio.wait("rest", |state| is_at_rest(state).then_some(()));
    let recording = recorder.stop();
    let presses: Vec<usize> = presses.into_iter().map(|secs| recording.sample_at(secs)).collect();

    let samples = &recording.samples;
    let (mut latencies, mut wrong) = (Vec::new(), None);
    let is_whole = |at: usize| (level_at(samples, at) - LEVEL).abs() < 0.02;
    for (stroke, &press) in presses.iter().enumerate() {
        if !is_whole(press) {
            wrong = Some("the tone sounds before the press");
        }
        let until = presses.get(stroke + 1).copied().unwrap_or(end);
        match (press..until).step_by(24).find(|&at| level_at(samples, at) < LEVEL / 10.0) {
            Some(fallen) => latencies.push((fallen - press) as f64 / SINK_HZ),
            None => wrong = Some("the tone falls under the brush"),
        }
        if !is_whole(until - 2_400) {
            wrong = Some("Escape brings it back");
        }
    }
    Heard { latencies, n_underruns, wrong, sounding: samples[presses[0] - 24_000..end].to_vec() }
}
