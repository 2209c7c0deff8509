//! What is heard in the studio: under the brush, of the selection, of the last stroke, from where, how loud.

use crate::support::heard::{LEVEL, RATE, TIMEOUT, amplitude, peak, tail};
use crate::support::measure::largest_step;
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits, has_gpu, open, samples};
use crate::support::wav::{Format, Wav};
use egui_kittest::kittest::Queryable;
use sonobrush::base::{Folders, LoadedSettings};
use sonobrush::workbench::Picked;
use sonobrush::workbench::Tool;
use std::time::Instant;

pub fn bench_with(drawing: Drawing, channels: &[Vec<f32>]) -> Bench {
    let mut bench = Bench::new(drawing);
    let path = bench.out("sound.wav");
    let ints = |channel: &Vec<f32>| channel.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate: RATE as u32, channels: channels.iter().map(ints).collect() }.write(&path);
    bench.dialogs.answer(Picked::File(path));
    bench.click("Open\u{2026}");
    assert!(bench.studio().document().is_some(), "{:?}", bench.notices());
    bench
}

pub fn left(bench: &Bench) -> Vec<f32> {
    bench.recorder.samples().chunks(2).map(|pair| pair[0]).collect()
}

fn right(bench: &Bench) -> Vec<f32> {
    bench.recorder.samples().chunks(2).map(|pair| pair[1]).collect()
}

/// Frames of the window and buffers of the device in turn; jobs run in between unless the test keeps them waiting.
pub fn listen(bench: &mut Bench, n_frames: usize, runs_jobs: bool) {
    let mut done = 0;
    while done < n_frames {
        bench.harness.step();
        if runs_jobs {
            bench.jobs.run_until_idle();
        }
        assert!(bench.recorder.pull_ready(512, TIMEOUT), "nothing more came after {done} frames");
        bench.clock.advance(512.0 / RATE);
        done += 512;
    }
}

pub fn play(bench: &mut Bench) {
    bench.harness.key_press(egui::Key::Space);
    bench.harness.step();
}

const LOOP_FRAMES: usize = 24_000;

/// A looped tone of 1 kHz, and an erase stroke along it whose pen is still down; jobs run while it is drawn.
fn loop_under_a_held_stroke() -> Bench {
    let mut bench = bench_with(Drawing::Wgpu, &[tone(96_000, RATE, 1_000.0, f64::from(LEVEL))]);
    bench.select(Some([0.5, 1.0]), None);
    bench.key(CTRL, egui::Key::L);
    bench.key(NONE, egui::Key::E);
    assert_eq!(bench.tools().active(), Tool::ERASE);
    play(&mut bench);
    listen(&mut bench, LOOP_FRAMES, true);
    assert!((peak(&left(&bench)) - LEVEL).abs() < 1e-3);
    // The loop goes on; the stroke is not confined to it.
    bench.key(CTRL, egui::Key::D);
    let viewport = bench.studio().viewport().unwrap();
    let at = |secs: f64| egui::pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(1_000.0) as f32);
    bench.harness.event(egui::Event::PointerMoved(at(0.3)));
    bench.harness.step();
    bench.harness.event(button(at(0.3), true));
    for i in 0..=18 {
        bench.harness.event(egui::Event::PointerMoved(at(0.3 + 0.05 * f64::from(i))));
        listen(&mut bench, 512, true);
    }
    listen(&mut bench, LOOP_FRAMES + 4_096, true);
    bench
}

pub fn button(pos: egui::Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers: NONE }
}

pub fn n_entries(bench: &Bench) -> usize {
    bench.studio().document().unwrap().history().entries().len()
}

#[test]
fn a_held_stroke_is_heard_in_the_loop_and_escape_brings_the_sound_back() {
    if !has_gpu() {
        return;
    }
    let mut bench = loop_under_a_held_stroke();
    let under = peak(tail(&left(&bench), LOOP_FRAMES));
    assert!(under < LEVEL / 10.0, "20 dB less before the pen is lifted: {under}");
    assert_eq!(n_entries(&bench), 1, "nothing entered the history");

    bench.harness.key_press(egui::Key::Escape);
    listen(&mut bench, LOOP_FRAMES + 4_096, true);
    let heard = left(&bench);
    let again = amplitude(tail(&heard, LOOP_FRAMES), 1_000.0);
    assert!((again - f64::from(LEVEL)).abs() < 1e-3, "{again}");
    assert_eq!(n_entries(&bench), 1);
    assert_eq!(bench.studio().workbench().transport().status.underruns, 0);
    // A crossfade of 6 ms adds no more than its own slope to the tone's.
    let own = largest_step(&tone(96_000, RATE, 1_000.0, f64::from(LEVEL)));
    let step = largest_step(&heard);
    assert!(step <= own + LEVEL / 240.0, "{step} for {own}");
    assert!(own + LEVEL / 240.0 < LEVEL / 4.0, "a hard cut at half a peak would be seen");
}

#[test]
fn a_released_stroke_stays_heard_until_it_is_in_the_history() {
    if !has_gpu() {
        return;
    }
    let mut bench = loop_under_a_held_stroke();
    let at = bench.studio().viewport().map(|v| egui::pos2(v.x_from_secs(1.2) as f32, v.y_from_hz(1_000.0) as f32));
    bench.harness.event(button(at.unwrap(), false));
    listen(&mut bench, LOOP_FRAMES, false);
    assert_eq!(n_entries(&bench), 1, "the edit waits");
    assert!(peak(tail(&left(&bench), LOOP_FRAMES)) < LEVEL / 10.0, "and is heard all the same");
    listen(&mut bench, LOOP_FRAMES, true);
    assert_eq!(n_entries(&bench), 2);
    assert!(peak(tail(&left(&bench), LOOP_FRAMES)) < LEVEL / 10.0);
    bench.harness.key_press_modifiers(CTRL, egui::Key::Z);
    listen(&mut bench, LOOP_FRAMES + 4_096, true);
    assert!((amplitude(tail(&left(&bench), LOOP_FRAMES), 1_000.0) - f64::from(LEVEL)).abs() < 1e-3, "undone");
    assert_eq!(bench.studio().workbench().transport().status.underruns, 0);
}

fn two_tones() -> Vec<f32> {
    let (low, high) = (tone(96_000, RATE, 500.0, 0.3), tone(96_000, RATE, 3_000.0, 0.3));
    low.iter().zip(&high).map(|(a, b)| a + b).collect()
}

/// Amplitudes of both tones over the last half of a second heard.
fn heard_tones(bench: &Bench) -> [f64; 2] {
    let heard = left(bench);
    [500.0, 3_000.0].map(|hz| amplitude(tail(&heard, 24_000), hz))
}

#[test]
fn band_only_plays_the_selection_alone() {
    let mut bench = bench_with(Drawing::None, &[two_tones()]);
    bench.key(NONE, egui::Key::S);
    play(&mut bench);
    listen(&mut bench, 36_000, true);
    assert!(heard_tones(&bench).iter().all(|level| (level - 0.3).abs() < 1e-3), "without a selection: everything");
    play(&mut bench);
    bench.select(None, Some([2_000.0, 5_000.0]));
    bench.click("Band only");
    play(&mut bench);
    listen(&mut bench, 36_000, true);
    let [low, high] = heard_tones(&bench);
    assert!(low < 3e-4 && (high - 0.3).abs() < 3e-3, "{low} {high}");
    // In mid-play, everything again.
    bench.harness.key_press(egui::Key::S);
    listen(&mut bench, 30_000, true);
    assert!((heard_tones(&bench)[0] - 0.3).abs() < 1e-3);
    assert_eq!(n_entries(&bench), 1);
}

#[test]
fn delta_plays_what_the_last_stroke_changed() {
    let sound = two_tones();
    let mut bench = bench_with(Drawing::None, std::slice::from_ref(&sound));
    bench.select(None, Some([2_000.0, 5_000.0]));
    bench.key(NONE, egui::Key::Delete);
    bench.key(NONE, egui::Key::D);
    play(&mut bench);
    listen(&mut bench, 36_000, true);
    let [low, high] = heard_tones(&bench);
    assert!(low < 3e-4 && (high - 0.3).abs() < 3e-3, "{low} {high}");
    // To the bit: current less the one before.
    let (edited, heard) = (bench.samples(0), left(&bench));
    let difference: Vec<f32> = edited.iter().zip(&sound).map(|(after, before)| after - before).collect();
    assert!(bits(&heard[..36_000]) == bits(&difference[..36_000]));
    bench.click("Difference");
    listen(&mut bench, 30_000, true);
    let [low, high] = heard_tones(&bench);
    assert!((low - 0.3).abs() < 1e-3 && high < 3e-4, "off again: what is left, {low} {high}");
}

#[test]
fn before_is_heard_at_the_matched_position() {
    let sound = noise(96_000, 0.1, 7);
    let mut bench = bench_with(Drawing::None, std::slice::from_ref(&sound));
    bench.select(None, Some([2_000.0, 5_000.0]));
    bench.key(NONE, egui::Key::Delete);
    let edited = bench.samples(0);
    play(&mut bench);
    listen(&mut bench, 8_192, true);
    bench.harness.key_press(egui::Key::B);
    listen(&mut bench, 12_288, true);
    let heard = left(&bench);
    assert!(heard[..8_192] == edited[..8_192]);
    // Ring and crossfade apart, and what a device that never waits takes until the swap is there.
    let settled = (8_192..20_000).find(|&n| heard[n..n + 480] == sound[n..n + 480]).expect("the swap");
    assert!(heard[settled..20_000] == sound[settled..20_000]);
    assert!(heard[settled..20_000] != edited[settled..20_000], "the comparison can fail");
}

fn wait_for_playing(bench: &mut Bench, n_pulls: usize) {
    for _ in 0..n_pulls {
        bench.harness.step();
        assert!(bench.recorder.pull_ready(512, TIMEOUT));
    }
    bench.harness.step();
}

#[test]
fn the_shuttle_goes_back_and_faster_and_stays_where_it_is_paused() {
    let mut bench = bench_with(Drawing::None, &[tone(192_000, RATE, 1_000.0, 0.5)]);
    bench.put_cursor(2.0);
    bench.harness.key_press(egui::Key::J);
    wait_for_playing(&mut bench, 20);
    bench.harness.key_press(egui::Key::K);
    bench.settle();
    let cursor_secs = bench.studio().document().unwrap().cursor_secs();
    assert!((1.7..1.95).contains(&cursor_secs), "20 buffers back are 0.21 s: {cursor_secs}");
    let n_before = left(&bench).len();
    bench.harness.key_press(egui::Key::L);
    bench.harness.step();
    bench.harness.key_press(egui::Key::L);
    wait_for_playing(&mut bench, 40);
    let heard = left(&bench)[n_before + 4_096..].to_vec();
    assert!((amplitude(&heard, 2_000.0) - 0.5).abs() < 0.01, "twice as fast, an octave higher");
    assert!(amplitude(&heard, 1_000.0) < 0.01);
    bench.key(NONE, egui::Key::K);
    let moved_secs = bench.studio().document().unwrap().cursor_secs() - cursor_secs;
    assert!((0.6..1.0).contains(&moved_secs), "40 buffers at twice the speed are 0.85 s: {moved_secs}");
}

#[test]
fn shift_space_plays_from_the_pointer() {
    if !has_gpu() {
        return;
    }
    let sound = noise(96_000, 0.1, 9);
    let mut bench = bench_with(Drawing::Wgpu, std::slice::from_ref(&sound));
    let viewport = bench.studio().viewport().unwrap();
    let x = viewport.x_from_secs(1.25) as f32;
    bench.harness.event(egui::Event::PointerMoved(egui::pos2(x, viewport.y_from_hz(1_000.0) as f32)));
    bench.settle();
    bench.harness.key_press_modifiers(SHIFT, egui::Key::Space);
    bench.harness.step();
    listen(&mut bench, 4_096, true);
    let start = (viewport.secs_from_x(f64::from(x)) * RATE).round() as usize;
    assert!(left(&bench)[..4_096] == sound[start..start + 4_096]);
    assert!(left(&bench)[..4_096] != sound[start + 1..start + 4_097], "the comparison can fail");
}

#[test]
fn monitor_gain_and_solo_are_heard_and_never_exported() {
    let (one, two) = (noise(96_000, 0.1, 1), noise(96_000, 0.1, 2));
    let mut bench = bench_with(Drawing::None, &[one.clone(), two.clone()]);
    bench.key(NONE, egui::Key::F4);
    bench.key(NONE, egui::Key::F4);
    bench.click("Play");
    bench.click("Solo");
    bench.click("Solo right");
    play(&mut bench);
    listen(&mut bench, 9_600, true);
    let factor = 10f32.powf(6.0 / 20.0);
    assert!(peak(&left(&bench)) == 0.0, "the left channel is off");
    for (n, (heard, sound)) in right(&bench).iter().zip(&two).enumerate().skip(1_000).take(8_000) {
        assert!((heard - factor * sound).abs() < 1e-5, "frame {n}: {heard} for {sound}");
    }
    // All the way up, the limiter holds full scale.
    for _ in 0..6 {
        bench.harness.key_press(egui::Key::F4);
        bench.harness.step();
    }
    listen(&mut bench, 9_600, true);
    assert!(peak(tail(&right(&bench), 4_800)) > 0.5 && peak(&right(&bench)) <= 1.0);
    bench.key(NONE, egui::Key::F2);
    bench.key(SHIFT, egui::Key::S);
    let n_before = left(&bench).len();
    // Long enough for the limiter to let go.
    listen(&mut bench, 60_000, true);
    let at = n_before + 50_000;
    assert!(right(&bench)[at..at + 4_800] == two[at..at + 4_800], "at 0 dB, to the bit");
    assert!(left(&bench)[at..at + 4_800] == one[at..at + 4_800], "after the last channel come all");
    play(&mut bench);
    bench.key(NONE, egui::Key::F4);

    let out = bench.out("exported.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    assert!(bits(&samples(&open(&out), 0)) == bits(&one));
    assert!(bits(&samples(&open(&out), 1)) == bits(&two));
}

#[test]
fn the_left_channel_is_heard_alone_and_quieter_until_it_is_stopped() {
    let (one, two) = (noise(96_000, 0.1, 1), noise(96_000, 0.1, 2));
    let mut bench = bench_with(Drawing::None, &[one.clone(), two]);
    bench.click("Play");
    bench.click("Solo");
    bench.click("Solo left");
    bench.key(NONE, egui::Key::F3);
    play(&mut bench);
    listen(&mut bench, 9_600, true);
    let factor = 10f32.powf(-3.0 / 20.0);
    assert!(peak(&right(&bench)) == 0.0, "the right channel is off");
    for (n, (heard, sound)) in left(&bench).iter().zip(&one).enumerate().skip(1_000).take(8_000) {
        assert!((heard - factor * sound).abs() < 1e-5, "frame {n}: {heard} for {sound}");
    }
    assert!(bench.studio().facts().is_playing);
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("Stop");
    bench.settle();
    bench.key(NONE, egui::Key::Enter);
    assert!(!bench.studio().facts().is_playing);
    assert_eq!(bench.studio().document().unwrap().cursor_secs(), 0.0, "back at the cursor");
}

#[test]
fn meters_hold_peaks_and_clips_until_they_are_clicked() {
    let mut bench = bench_with(Drawing::None, &[vec![0.5; 48_000], vec![1.5; 48_000]]);
    assert!(bench.has("Meters: left \u{2212}60 dB, right \u{2212}60 dB"));
    play(&mut bench);
    listen(&mut bench, 9_600, true);
    bench.settle();
    assert!(bench.has("Meters: left \u{2212}6 dB, right 4 dB, clipped"));
    play(&mut bench);
    bench.settle();
    for _ in 0..10 {
        bench.clock.advance(1.0);
        bench.settle();
    }
    bench.click("Meters: left \u{2212}60 dB, right \u{2212}60 dB, clipped");
    assert!(bench.has("Meters: left \u{2212}60 dB, right \u{2212}60 dB"));
}

#[test]
fn the_output_is_chosen_and_kept() {
    let mut bench = bench_with(Drawing::None, &[noise(48_000, 0.1, 1)]);
    bench.key(NONE, egui::Key::F8);
    bench.click("Second recorder");
    bench.click("Buffer");
    bench.click("1024 frames");
    bench.click("Close dialog");
    play(&mut bench);
    listen(&mut bench, 4_096, true);
    let deadline = Instant::now() + TIMEOUT;
    while bench.recorder.format().and_then(|format| format.buffer_frames) != Some(1_024) {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(bench.recorder.chosen_device().as_deref(), Some("Second recorder"));
    let folders = Folders::in_folder(bench.out("").as_path());
    let kept = LoadedSettings::load(&folders, |_| None).unwrap().settings;
    assert_eq!((kept.audio_device.as_deref(), kept.audio_buffer_frames), (Some("Second recorder"), 1_024));
    assert!(bench.harness.query_by_label("Close dialog").is_none());
}
