//! What is heard of the hand at the pointer: the ruler scrubbed, a tone being drawn; and how loud a difference is.

use crate::hearing::{bench_with, button, left, listen, n_entries, play};
use crate::support::heard::{RATE, TIMEOUT, amplitude, peak, tail};
use crate::support::measure::largest_step;
use crate::support::signals::tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu, set_number};
use sonobrush::workbench::Tool;

const HZ: f64 = 1_000.0;

/// Runs frames of the device and of the window in turn for `secs` seconds while the pointer moves.
fn drag(bench: &mut Bench, secs: f64, at: impl Fn(f64) -> egui::Pos2) {
    let n_steps = (secs * RATE / 512.0) as usize;
    for step in 1..=n_steps {
        bench.harness.event(egui::Event::PointerMoved(at(step as f64 / n_steps as f64)));
        listen_while_held(bench);
    }
}

/// One buffer, whether anything is heard or not.
fn listen_while_held(bench: &mut Bench) {
    bench.harness.step();
    bench.jobs.run_until_idle();
    assert!(bench.recorder.pull_ready(512, TIMEOUT), "nothing came");
    bench.clock.advance(512.0 / RATE);
}

/// The loudest tone between 100 Hz and 3 kHz, to 10 Hz.
fn loudest_hz(samples: &[f32]) -> f64 {
    let hz = |i: usize| 100.0 + 10.0 * i as f64;
    let loudest = (0..290).max_by(|&a, &b| amplitude(samples, hz(a)).total_cmp(&amplitude(samples, hz(b))));
    hz(loudest.unwrap())
}

/// Cycles per second, by counting where it rises through zero.
fn mean_hz(samples: &[f32]) -> f64 {
    let n_cycles = samples.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
    n_cycles as f64 * RATE / samples.len() as f64
}

/// The left button with Ctrl: on the ruler it scrubs, without it moves the view.
fn with_ctrl(pos: egui::Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers: CTRL }
}

#[test]
fn a_hand_on_the_ruler_scrubs_as_fast_as_it_moves() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench_with(Drawing::Wgpu, &[tone(4 * 48_000, RATE, HZ, 0.5)]);
    let viewport = bench.studio().viewport().unwrap();
    let y = bench.studio().picture_rect().unwrap().top() - 10.0;
    let at = |secs: f64| egui::pos2(viewport.x_from_secs(secs) as f32, y);
    bench.harness.event(egui::Event::PointerMoved(at(1.0)));
    bench.harness.step();
    bench.harness.event(with_ctrl(at(1.0), true));
    bench.harness.step();
    // Half as fast as it was recorded, then one and a half times as fast, then backwards. The mean over most of the
    // way: where a busy machine hands the pointer's places over in bundles, they are heard as wow.
    drag(&mut bench, 1.0, |part| at(1.0 + 0.5 * part));
    let slow = tail(&left(&bench), 33_600).to_vec();
    assert!((mean_hz(&slow) - 0.5 * HZ).abs() <= 0.1 * 0.5 * HZ, "{} Hz", mean_hz(&slow));
    assert!(peak(&slow) > 0.4);
    drag(&mut bench, 1.0, |part| at(1.5 + 1.5 * part));
    let fast = tail(&left(&bench), 33_600).to_vec();
    assert!((mean_hz(&fast) - 1.5 * HZ).abs() <= 0.1 * 1.5 * HZ, "{} Hz", mean_hz(&fast));
    drag(&mut bench, 1.0, |part| at(3.0 - part));
    let back = tail(&left(&bench), 33_600).to_vec();
    assert!((mean_hz(&back) - HZ).abs() <= 0.1 * HZ, "{} Hz", mean_hz(&back));
    // A hand at rest is silence, and so is one that is gone.
    drag(&mut bench, 0.6, |_| at(2.0));
    assert!(peak(tail(&left(&bench), 4_800)) < 0.01, "{}", peak(tail(&left(&bench), 4_800)));
    bench.harness.event(with_ctrl(at(2.0), false));
    bench.harness.step();
    let cursor_secs = bench.studio().document().unwrap().cursor_secs();
    assert!((cursor_secs - viewport.secs_from_x(f64::from(at(2.0).x))).abs() < 1e-9);
    assert_eq!(n_entries(&bench), 1);
    // Tapes have no clicks: nothing steeper than the tone at four times its speed.
    let steepest = 0.5 * (std::f64::consts::TAU * 4.0 * HZ / RATE) as f32;
    assert!(largest_step(&left(&bench)) < steepest, "{}", largest_step(&left(&bench)));
}

#[test]
fn playing_goes_on_where_the_hand_leaves_the_ruler() {
    if !has_gpu() {
        return;
    }
    // Another tone in each second.
    let sound: Vec<f32> = (1..=4).flat_map(|second| tone(48_000, RATE, 500.0 * f64::from(second), 0.5)).collect();
    let mut bench = bench_with(Drawing::Wgpu, &[sound]);
    let viewport = bench.studio().viewport().unwrap();
    let y = bench.studio().picture_rect().unwrap().top() - 10.0;
    let at = egui::pos2(viewport.x_from_secs(2.1) as f32, y);
    play(&mut bench);
    listen(&mut bench, 9_600, true);
    assert!((loudest_hz(tail(&left(&bench), 4_800)) - 500.0).abs() <= 20.0);
    bench.harness.event(egui::Event::PointerMoved(at));
    bench.harness.step();
    bench.harness.event(with_ctrl(at, true));
    for _ in 0..10 {
        listen_while_held(&mut bench);
    }
    bench.harness.event(with_ctrl(at, false));
    bench.harness.step();
    listen(&mut bench, 14_400, true);
    let heard = tail(&left(&bench), 4_800).to_vec();
    assert!((loudest_hz(&heard) - 1_500.0).abs() <= 20.0, "{} Hz", loudest_hz(&heard));
}

#[test]
fn a_tone_is_heard_while_it_is_drawn() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench_with(Drawing::Wgpu, &[vec![0.0; 96_000]]);
    bench.pick(Tool::TONE);
    bench.set_tools(|tools| {
        for (field, number) in [("level_db", -6.0), ("harmonics", 2.0), ("slope_db", -6.0)] {
            set_number(tools, Tool::TONE, field, number);
        }
    });
    let viewport = bench.studio().viewport().unwrap();
    let at = |secs: f64, hz: f64| egui::pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
    let drawn_hz = |hz: f64| viewport.hz_from_y(f64::from(at(0.5, hz).y));
    bench.harness.event(egui::Event::PointerMoved(at(0.5, 400.0)));
    bench.harness.step();
    bench.harness.event(button(at(0.5, 400.0), true));
    drag(&mut bench, 0.3, |_| at(0.5, 400.0));
    let heard = tail(&left(&bench), 9_600).to_vec();
    let level = 10f64.powf(-6.0 / 20.0);
    let hz = drawn_hz(400.0);
    assert!((amplitude(&heard, hz) - level).abs() < 0.01, "{}", amplitude(&heard, hz));
    assert!((amplitude(&heard, 2.0 * hz) - level / 2.0).abs() < 0.01, "the second partial, an octave above");
    drag(&mut bench, 0.5, |_| at(1.0, 700.0));
    let heard = tail(&left(&bench), 9_600).to_vec();
    assert!((amplitude(&heard, drawn_hz(700.0)) - level).abs() < 0.01);
    assert!(amplitude(&heard, hz) < 0.01, "the tone follows the pen");
    assert_eq!(n_entries(&bench), 1, "none of it is in the document");
    bench.harness.event(button(at(1.0, 700.0), false));
    bench.settle();
    for _ in 0..20 {
        bench.recorder.pull(512);
    }
    assert!(peak(tail(&left(&bench), 4_800)) == 0.0, "silence after the release");
    assert_eq!(n_entries(&bench), 2, "the stroke is");
    assert!(largest_step(&left(&bench)) < 0.25, "no click: {}", largest_step(&left(&bench)));
}

#[test]
fn the_level_of_a_difference_is_told() {
    let two: Vec<f32> = tone(96_000, RATE, 500.0, 0.3)
        .iter()
        .zip(tone(96_000, RATE, 3_000.0, 0.3))
        .map(|(low, high)| low + high)
        .collect();
    let mut bench = bench_with(Drawing::None, &[two]);
    bench.select(None, Some([2_000.0, 5_000.0]));
    bench.key(NONE, egui::Key::Delete);
    assert!(!bench.has("Difference \u{2212}13.5 dB"));
    bench.key(NONE, egui::Key::D);
    // A tone of amplitude 0.3: 20 log10(0.3 / sqrt 2).
    assert!(bench.has("Difference \u{2212}13.5 dB"));
    bench.key(crate::support::studio::CTRL, egui::Key::Z);
    assert!(bench.has("Difference \u{2212}\u{221e} dB"), "at the opened file there is none");
    bench.key(NONE, egui::Key::D);
    assert!(!bench.has("Difference \u{2212}\u{221e} dB"));
}
