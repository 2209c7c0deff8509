//! Memory over thousands of chords, and over a session of hours.

use super::{note, score};
use crate::support::studio::{Bench, Drawing, NONE};
use crate::support::wav::{Format, Wav};
use sonobrush::document::HeldPoint;
use sonobrush::document::Script;
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::dsp::voices::{Score, ScoreNote, Timbre, VoicePool};
use sonobrush::engine::Engine;
use sonobrush::workbench::commands::{EditCommand, PlayCommand, WindowCommand};
use sonobrush::workbench::{DocumentAct, Picked};
use std::hint::black_box;
use std::sync::Arc;

const MAX_GROWTH_BYTES: i64 = 10 << 20;
/// Half a kilobyte a command, of 7,200.
const MAX_SESSION_GROWTH_BYTES: i64 = 4 << 20;
const TIMES: &str = "SONOBRUSH_GROWTH_TIMES";
const RATE: u32 = 8_000;

/// Memory of this process that no file backs.
fn own_bytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<i64>().unwrap() * 1024
}

/// Runs an ignored test in a process of its own, with an allocator that gives back what is freed: growth is ours then.
#[cfg(target_os = "linux")]
fn in_a_process(name: &str, times: usize) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("voices::growth::{name}"), "--ignored", "--nocapture"]);
    command.env(TIMES, times.to_string());
    command.env("MALLOC_ARENA_MAX", "1").env("MALLOC_TRIM_THRESHOLD_", "131072").env("MALLOC_MMAP_THRESHOLD_", "65536");
    let output = command.output().unwrap();
    let (said, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{failed}");
}

/// Ten of them wait where ten phrases were heard at once.
#[cfg(target_os = "linux")]
#[test]
fn pools_take_no_memory_before_it_is_needed() {
    in_a_process("idle_pools", 0);
}

#[test]
#[ignore = "run by pools_take_no_memory_before_it_is_needed in a process of its own"]
fn idle_pools() {
    let before = own_bytes();
    let pools: Vec<VoicePool> = (0..10).map(|_| black_box(VoicePool::new())).collect();
    let growth = own_bytes() - before;
    assert!(growth < MAX_GROWTH_BYTES, "{growth} bytes of {} pools", pools.len());
}

fn times() -> usize {
    std::env::var(TIMES).map_or(1_000, |times| times.parse().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_chords_take_no_more_memory_than_one() {
    in_a_process("many_chords", 10_000);
}

/// Eight hours at a command in four seconds with `scripts/test --long`.
#[cfg(target_os = "linux")]
#[test]
fn a_session_of_hours_takes_no_more_memory_than_its_beginning() {
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    in_a_process("a_long_session", if is_long { 8 * 3600 / 4 } else { 192 });
}

/// A chord of its own: three notes, in a timbre, with a seed.
fn chord(index: usize) -> Score {
    let timbre = Timbre::named(Timbre::NAMES[index % Timbre::NAMES.len()]).unwrap();
    let adsr = sonobrush::dsp::voices::Adsr { release_secs: 0.02, ..timbre.adsr };
    let root = 40.0 + (index % 37) as f64;
    let notes = [0.0, 4.0, 7.0].map(|above| ScoreNote { glide: vec![[0.0, root + above]], ..note(0.0, 0.02) });
    Score { seed: index as u64, ..score(Timbre { adsr, ..timbre }, notes.to_vec()) }
}

#[test]
#[ignore = "run by ten_thousand_chords_take_no_more_memory_than_one in a process of its own"]
fn many_chords() {
    let engine = Engine::cpu();
    let play = |index: usize| {
        let score = chord(index);
        engine.with_voices(|pool, _| {
            let stream = pool.begin(&score, f64::from(RATE), true).unwrap();
            let n = stream.n_samples() as usize;
            let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
            engine.voices(stream, n as u64).render(&mut left, &mut right).unwrap();
            black_box((left, right));
        });
        // The same held by hand.
        let voice = DrawnVoice { timbre: Arc::new(score.timbres[0].clone()), ..DrawnVoice::default() };
        let mut held = Brush::from(VoicesBrush::Drawn(voice)).live().unwrap();
        held.begin(f64::from(RATE), true);
        held.follow(&[HeldPoint { key: 0, hz: 200.0, pressure: 1.0 }]);
        let (mut left, mut right) = ([0.0; 256], [0.0; 256]);
        held.render(&mut left, &mut right);
        held.follow(&[]);
        held.render(&mut left, &mut right);
    };
    // The first hundred make what is kept.
    (0..100).for_each(play);
    let before = own_bytes();
    (100..times()).for_each(play);
    let growth = own_bytes() - before;
    assert!(growth < MAX_GROWTH_BYTES, "{growth} bytes more");
    // The control: what is kept is seen.
    let kept: Vec<Vec<u8>> = (0..12).map(|_| black_box(vec![1; 1 << 20])).collect();
    assert!(own_bytes() - before > MAX_GROWTH_BYTES, "{} bytes are not seen", kept.len() << 20);
}

#[test]
#[ignore = "run by a_session_of_hours_takes_no_more_memory_than_its_beginning in a process of its own"]
fn a_long_session() {
    let mut bench = Bench::new(Drawing::None);
    bench.limit(|budgets| budgets.history_bytes = 256 << 10);
    let path = bench.out("sound.wav");
    Wav { format: Format::F32, rate: RATE, channels: vec![vec![0; 4 * RATE as usize]] }.write(&path);
    bench.dialogs.answer(Picked::File(path));
    bench.click("Open\u{2026}");
    bench.act(WindowCommand::TypingKeyboard);
    let command = |bench: &mut Bench, index: usize| {
        match index % 8 {
            // A stroke and a chord of a score.
            0 | 2 | 4 => {
                let timbre = Timbre::NAMES[index % Timbre::NAMES.len()];
                let script = format!(
                    r#"{{"version": 1, "edits": [{{"brush": {{"kind": "voices", "timbre": "{timbre}", "chord": "Am7"}},
                    "stroke": {{"points": [[0.5, {0}, 1], [1.5, {0}, 0.5]], "axis": "log", "radius": [0.01, 0.1]}}}}]}}"#,
                    200 + index % 100
                );
                bench.act(DocumentAct::Edit(Box::new(Script::parse(&script).unwrap().edits.remove(0))));
            }
            1 => {
                let script = r#"{"version": 1, "edits": [{"brush": {"kind": "voices", "at": 1.0, "timbre": "pluck",
                    "notes": [{"chord": "C", "start": 0, "duration": 0.5}]}}]}"#;
                bench.act(DocumentAct::Edit(Box::new(Script::parse(script).unwrap().edits.remove(0))));
            }
            3 | 5 => bench.act(EditCommand::Undo),
            6 => {
                bench.act(PlayCommand::PlayStop);
                bench.settle();
                for _ in 0..8 {
                    bench.recorder.pull(512);
                }
                bench.act(PlayCommand::Stop);
            }
            // A key is held for a while.
            _ => {
                let key = |pressed| egui::Event::Key {
                    key: egui::Key::G,
                    physical_key: None,
                    pressed,
                    repeat: false,
                    modifiers: NONE,
                };
                bench.harness.event(key(true));
                bench.settle();
                for _ in 0..8 {
                    bench.recorder.pull(512);
                }
                bench.harness.event(key(false));
            }
        }
        bench.settle();
        // Eight steps do one edit more than they undo twice: the history is short again every hundred.
        if index % 96 == 95 {
            (0..100).for_each(|_| bench.act(EditCommand::Undo));
            bench.settle();
        }
        bench.recorder.forget();
        bench.clock.advance(4.0);
    };
    let n = times();
    let warm = 96;
    (0..warm).for_each(|index| command(&mut bench, index));
    let before = own_bytes();
    (warm..n - n % 96).for_each(|index| command(&mut bench, index));
    let growth = own_bytes() - before;
    assert!(bench.studio().document().is_some(), "{:?}", bench.notices());
    assert!(growth < MAX_SESSION_GROWTH_BYTES, "{growth} bytes more");
}
