//! What is heard of a preview: its loop, its settings as they move, the difference alone; and how soon.
#![allow(clippy::print_stdout, reason = "figures are told")]

use crate::hearing::{bench_with, left, listen};
use crate::previews::{document, preview};
use crate::support::heard::{RATE, TIMEOUT, amplitude, tail};
use crate::support::measure::largest_step;
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits, has_gpu, number_of, samples, set_number};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Brush;
use sonobrush::document::{Snapshot, apply};
use sonobrush::dsp::{Axis, Denoise, Selection};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, FindCommand, PlayCommand, PreviewCommand};
use sonobrush::workbench::{DocumentAct, FileAct, HealMode, Jobs, PreviewSound, Tool};
use std::time::{Duration, Instant};

const LEVEL: f32 = 0.3;
/// A selection of half a second with half a second before and after it.
const LOOP_FRAMES: usize = 72_000;

#[test]
fn a_loop_with_a_little_around_it_follows_the_settings_without_a_click() {
    let mut bench = bench_with(Drawing::None, &[tone(144_000, RATE, 1_000.0, f64::from(LEVEL))]);
    bench.pick(Tool::GAIN);
    bench.select(Some([1.0, 1.5]), None);
    bench.act(PreviewCommand::Brush);
    bench.settle();
    bench.harness.get_by_label("Preview: loop").click();
    bench.harness.step();
    bench.harness.step();
    listen(&mut bench, LOOP_FRAMES + 24_000, true);
    // The middle of the selection, by what is left of a tone at -12 dB, and half a second before it as it was.
    let at = |heard: &[f32], secs: f64| {
        let first = ((secs - 0.5) * RATE) as usize;
        amplitude(&heard[first..first + 7_200], 1_000.0)
    };
    let heard = left(&bench);
    assert!((at(&heard, 0.6) - 0.3).abs() < 3e-3, "{} before it", at(&heard, 0.6));
    assert!((at(&heard, 1.17) - 0.0754).abs() < 1e-3, "{} within", at(&heard, 1.17));
    assert!((at(&heard, 1.8) - 0.3).abs() < 3e-3, "{} after it", at(&heard, 1.8));
    assert!((at(&heard[LOOP_FRAMES..], 0.6) - 0.3).abs() < 3e-3, "from its start again");
    for gain_db in [-40.0, -3.0] {
        bench.set_tools(|tools| set_number(tools, Tool::GAIN, "gain_db", gain_db));
        listen(&mut bench, 2 * LOOP_FRAMES, true);
        let last = left(&bench);
        let parts = tail(&last, LOOP_FRAMES).chunks_exact(2_400);
        let min = parts.map(|part| amplitude(part, 1_000.0)).fold(f64::MAX, f64::min);
        let expected = 0.3 * 10f64.powf(gain_db / 20.0);
        assert!((min - expected).abs() < 0.05 * expected + 1e-4, "{gain_db} dB: {min} for {expected}");
    }
    assert_eq!(bench.studio().workbench().transport().status.underruns, 0);
    // Crossfades of 6 ms add no more than their own slope to the tone's.
    let own = largest_step(&tone(96_000, RATE, 1_000.0, f64::from(LEVEL)));
    let step = largest_step(&left(&bench));
    assert!(step <= own + LEVEL / 240.0, "{step} for {own}");
    // With the preview its loop is over, and the sound is as it was.
    bench.harness.key_press(Key::Escape);
    bench.settle();
    assert!(!bench.studio().facts().is_playing && document(&bench).preview().is_none());
    assert_eq!(bits(&bench.samples(0)), bits(&tone(144_000, RATE, 1_000.0, f64::from(LEVEL))));
}

/// A tone over noise, the noise learnt.
fn noisy() -> (Bench, Vec<f32>) {
    let mut sound = noise(144_000, 0.05, 3);
    let tone = tone(144_000, RATE, 500.0, 0.3);
    sound.iter_mut().zip(&tone).skip(48_000).for_each(|(sum, x)| *sum += x);
    let mut bench = bench_with(Drawing::None, std::slice::from_ref(&sound));
    bench.select(Some([0.1, 0.9]), None);
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    bench.select(None, None);
    bench.act(DocumentAct::Select(None));
    (bench, sound)
}

#[test]
fn noise_is_previewed_its_settings_moved_its_difference_heard_and_applied() {
    let (mut bench, sound) = noisy();
    bench.key(CTRL | SHIFT, Key::N);
    assert!(bench.has("Reduce noise") && bench.has("Apply preview"));
    for reduction in ["6", "30"] {
        bench.fill("Reduction", reduction);
        bench.key(NONE, Key::Enter);
    }
    let Brush::Denoise(Denoise { reduction_db, .. }) = preview(&bench).edit().brush else { panic!("denoise") };
    assert_eq!(reduction_db, 30.0);
    bench.click("Preview: difference");
    assert_eq!(bench.studio().workbench().preview_ear(), Some(PreviewSound::Difference));
    bench.act(PlayCommand::PlayStop);
    listen(&mut bench, 36_000, true);
    let after = samples(document(&bench).shown(), 0);
    let difference: Vec<f32> = after.iter().zip(&sound).map(|(after, before)| after - before).collect();
    assert!(bits(&left(&bench)[..36_000]) == bits(&difference[..36_000]), "to the bit: after less before");
    assert!(difference[..36_000].iter().any(|x| x.abs() > 0.01), "the noise is heard");
    bench.click("Apply preview");
    let history = document(&bench).history();
    assert_eq!((history.position(), document(&bench).preview().is_none()), (1, true));
    let edit = history.entries()[1].edit.clone().unwrap();
    let plain = apply(&history.entries()[0].snapshot, &edit, &Engine::cpu(), &Progress::new()).unwrap();
    assert_eq!(bits(&bench.samples(0)), bits(&samples(&plain.snapshot, 0)));
    assert_eq!(bits(&bench.samples(0)), bits(&after), "what was heard is what is there");
}

#[test]
fn of_a_long_sound_what_is_heard_next_comes_first() {
    let secs = 40;
    let long = Snapshot::new(Source::from_channels(vec![noise(secs * 16_000, 0.05, 5)], 16_000).unwrap());
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.show(long.clone());
    bench.select(Some([0.0, 2.0]), None);
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    bench.act(DocumentAct::Select(None));
    bench.put_cursor(20.0);
    bench.act(EditCommand::ReduceNoise);
    bench.harness.step();
    bench.jobs.run_until_idle();
    bench.harness.step();
    let (before, near) = (samples(&long, 0), samples(document(&bench).shown(), 0));
    assert!(!preview(&bench).is_up_to_date(), "there is more to come");
    bench.settle();
    let all = samples(document(&bench).shown(), 0);
    assert!(preview(&bench).is_up_to_date() && all[..16_000] != before[..16_000]);
    // The estimate of the noise reduction forgets where it began.
    let part = 20 * 16_000..25 * 16_000;
    let apart = near[part.clone()].iter().zip(&all[part.clone()]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < 1e-6 && near[part.clone()] != before[part], "{apart}");
    assert!(near[..18 * 16_000] == before[..18 * 16_000] && near[28 * 16_000..] == before[28 * 16_000..]);
}

#[test]
fn the_pen_is_refused_with_a_sentence_while_a_preview_is_open() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench_with(Drawing::Wgpu, &[tone(48_000, RATE, 1_000.0, f64::from(LEVEL))]);
    bench.select(Some([0.2, 0.4]), None);
    bench.pick(Tool::GAIN);
    bench.act(PreviewCommand::Brush);
    bench.settle();
    let rect = bench.studio().picture_rect().unwrap();
    bench.drag(&[rect.center(), rect.center() + egui::vec2(40.0, 0.0)]);
    let (_, what) = bench.notices().pop().unwrap();
    assert!(what.starts_with("A preview is open; press Enter to apply it"), "{what}");
    assert!(document(&bench).history().entries().len() == 1 && document(&bench).open_preview().is_some());
}

/// Five seconds of stereo at 44.1 kHz.
fn five_seconds() -> Snapshot {
    let channel = |seed| noise(5 * 44_100, 0.05, seed);
    Snapshot::new(Source::from_channels(vec![channel(1), channel(2)], 44_100).unwrap())
}

/// Frames, buffers and jobs on threads, until something holds.
fn wait_until(bench: &mut Bench, holds: impl Fn(&Bench) -> bool) {
    let began = Instant::now();
    while !holds(bench) {
        assert!(began.elapsed() < TIMEOUT, "it never came");
        bench.harness.step();
        if bench.studio().facts().is_playing {
            bench.recorder.pull_ready(512, Duration::from_millis(12));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// From a setting that moved while a loop plays to its sound, which the job hands to the player just before.
#[test]
fn a_setting_that_moves_is_heard_soon() {
    let mut bench = Bench::with_jobs(Drawing::None, tempfile::tempdir().unwrap(), Jobs::threads(|| ()));
    bench.act(FileAct::Show(five_seconds()));
    wait_until(&mut bench, |bench| bench.studio().document().is_some());
    bench.select_shape(Selection::rectangle(Some([0.5, 1.5]), None, [0.0; 2], Axis::Linear));
    bench.act(FindCommand::LearnNoise);
    wait_until(&mut bench, |bench| bench.studio().facts().has_noise);
    let mut moved = |name: &str, hz: Option<[f64; 2]>, mode: HealMode, begin: &dyn Fn(&mut Bench), secs: [f64; 2]| {
        bench.set_tools(|tools| tools.heal.mode = mode);
        bench.select_shape(Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear));
        begin(&mut bench);
        bench.harness.step();
        bench.act(PlayCommand::PlayStop);
        wait_until(&mut bench, |bench| {
            preview(bench).is_up_to_date() && !preview(bench).is_busy() && bench.studio().facts().is_playing
        });
        let began = Instant::now();
        bench.set_tools(|tools| {
            let reduction_db = number_of(tools, Tool::DENOISE, "reduction_db");
            set_number(tools, Tool::DENOISE, "reduction_db", reduction_db - 3.0);
            tools.heal.surroundings.context_secs[0] += 0.01;
            tools.heal.order += 1;
            tools.heal.gap_secs[0] += 0.01;
            tools.heal.reach_secs -= 0.1;
        });
        wait_until(&mut bench, |bench| !preview(bench).is_up_to_date());
        wait_until(&mut bench, |bench| preview(bench).is_up_to_date());
        let heard_ms = began.elapsed().as_secs_f64() * 1e3;
        wait_until(&mut bench, |bench| !preview(bench).is_busy());
        println!("{name}: heard after {heard_ms:.0} ms, all after {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(bench.studio().workbench().transport().status.underruns, 0);
        bench.act(PreviewCommand::Cancel);
        bench.harness.step();
        heard_ms
    };
    let heal = |bench: &mut Bench| bench.act(PreviewCommand::Heal);
    let all = [
        moved("denoise, 5 s", None, HealMode::Gap, &|bench| bench.act(EditCommand::ReduceNoise), [0.0, 5.0]),
        moved("attenuate, 4 s", Some([500.0, 4_000.0]), HealMode::Attenuate, &heal, [0.5, 4.5]),
        moved("interpolate, 0.5 s", Some([500.0, 4_000.0]), HealMode::Interpolate, &heal, [2.0, 2.5]),
        moved("gap, 90 ms", None, HealMode::Gap, &heal, [2.0, 2.09]),
        moved("pattern, 0.2 s", Some([500.0, 4_000.0]), HealMode::Pattern, &heal, [2.0, 2.2]),
    ];
    // What is promised of an optimised build; another, on a busy machine, may take longer.
    let slack = if cfg!(debug_assertions) { 10.0 } else { 1.0 };
    let max_ms = [150.0, 150.0, 150.0, 400.0, 400.0].map(|ms| slack * ms);
    assert!(all.iter().zip(max_ms).all(|(ms, max_ms)| *ms < max_ms), "{all:?}");
}
