//! Keys played while something else plays: both are heard, and the clip keeps its bits.

use crate::hearing::{bench_with, left, listen, play};
use crate::support::heap::heap_calls;
use crate::support::heard::{RATE, TIMEOUT, amplitude, tail};
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, Drawing, NONE, has_gpu};
use egui::Key;
use sonobrush::document::brushes::{DrawnVoice, VoicesBrush};
use sonobrush::document::{Brush, HeldPoint, LiveSound, Snapshot};
use sonobrush::media::Source;
use sonobrush::playback::{Player, Recorder, RecordingOutput};
use sonobrush::workbench::commands::WindowCommand;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const N_SAMPLES: usize = 96_000;

/// A sound that keeps what it rendered, left alone.
#[derive(Debug)]
struct Kept {
    sound: Box<dyn LiveSound>,
    rendered: Arc<Mutex<Vec<f32>>>,
}

impl LiveSound for Kept {
    fn begin(&mut self, sample_rate_hz: f64, is_stereo: bool) {
        self.sound.begin(sample_rate_hz, is_stereo);
    }
    fn follow(&mut self, held: &[HeldPoint]) {
        self.sound.follow(held);
    }
    fn render(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.sound.render(left, right);
        self.rendered.lock().unwrap().extend_from_slice(left);
    }
    fn is_silent(&self) -> bool {
        self.sound.is_silent()
    }
}

/// A constant `level` while held.
#[derive(Debug)]
struct Steady {
    level: f32,
    is_held: bool,
}

impl LiveSound for Steady {
    fn begin(&mut self, _: f64, _: bool) {}
    fn follow(&mut self, held: &[HeldPoint]) {
        self.is_held = !held.is_empty();
    }
    fn render(&mut self, left: &mut [f32], _: &mut [f32]) {
        left.fill(if self.is_held { self.level } else { 0.0 });
    }
    fn is_silent(&self) -> bool {
        !self.is_held
    }
}

fn key() -> Vec<HeldPoint> {
    vec![HeldPoint { key: 60, hz: 300.0, pressure: 1.0 }]
}

fn player(clip: &[f32]) -> (Player, Recorder) {
    let (output, recorder) = RecordingOutput::new(Some(RATE), 1);
    let player = Player::new(Box::new(output));
    player.load(Some(&Snapshot::new(Source::from_channels(vec![clip.to_vec()], RATE as u32).unwrap())));
    (player, recorder)
}

/// Holds a sine; what it renders, once more of it than a callback takes is in its ring.
fn hold_sine(player: &Player) -> Arc<Mutex<Vec<f32>>> {
    let brush = Brush::from(VoicesBrush::Drawn(DrawnVoice::default()));
    let rendered = Arc::new(Mutex::new(Vec::new()));
    player.hold(Box::new(Kept { sound: brush.live().unwrap(), rendered: rendered.clone() }), key());
    let until = Instant::now() + TIMEOUT;
    while rendered.lock().unwrap().len() < 1_024 {
        assert!(Instant::now() < until, "nothing was rendered");
        std::thread::sleep(Duration::from_millis(1));
    }
    rendered
}

fn pull(recorder: &Recorder, n_frames: usize) {
    for _ in 0..n_frames / 256 {
        assert!(recorder.pull_ready(256, TIMEOUT), "nothing more came");
    }
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn a_key_is_added_to_what_plays_at_the_next_callback() {
    let clip = noise(N_SAMPLES, 0.1, 1);
    let (player, recorder) = player(&clip);
    player.play(0, 0..N_SAMPLES as u64, false);
    pull(&recorder, 5_120);
    // Over silence, too, a note is heard from the next callback on: what the ring holds of the clip does not delay it.
    let pressed_at = recorder.samples().len();
    let rendered = hold_sine(&player);
    pull(&recorder, 10_240);
    assert!(player.status().playing, "the clip goes on");
    player.let_go();
    pull(&recorder, 48_640);
    let heard = recorder.samples();
    let mut note = rendered.lock().unwrap().clone();
    let last = pressed_at + note.iter().rposition(|sample| *sample != 0.0).unwrap();
    assert!((15_360..heard.len() - 2_400).contains(&last), "the note ends at {last}");
    note.resize(heard.len() - pressed_at, 0.0);
    let sum: Vec<f32> = clip[pressed_at..].iter().zip(&note).map(|(clip, note)| clip + note).collect();
    assert!(heard[pressed_at..] == sum, "the ring holds the sum");
    assert!(heard[pressed_at..] != clip[pressed_at..heard.len()], "the control: the note is no silence");
    assert!(bits(&heard[..pressed_at]) == bits(&clip[..pressed_at]));
    assert!(bits(&heard[last + 1..]) == bits(&clip[last + 1..heard.len()]), "the clip has its own bits again");
    assert_eq!(player.status().underruns, 0);
}

#[test]
fn playing_and_stopping_leaves_a_held_key_alone() {
    let clip = noise(N_SAMPLES, 0.1, 2);
    let (player, recorder) = player(&clip);
    let rendered = hold_sine(&player);
    pull(&recorder, 5_120);
    player.play(1_000, 0..N_SAMPLES as u64, false);
    // The key's ring has frames all the time; the clip's come when they are read.
    std::thread::sleep(Duration::from_millis(100));
    pull(&recorder, 10_240);
    player.stop_playback();
    std::thread::sleep(Duration::from_millis(100));
    pull(&recorder, 5_120);
    let (heard, note) = (recorder.samples(), rendered.lock().unwrap().clone());
    assert!(heard[..5_120] == note[..5_120], "the note alone");
    let is_over = |at: usize| heard[at] != note[at];
    let began = (5_120..heard.len()).find(|&at| is_over(at)).unwrap();
    let sum = |at: usize| clip[1_000 + at - began] + note[at];
    assert!((began..15_360).all(|at| heard[at] == sum(at)), "then both, from {began}");
    assert!(heard[16_000..] == note[16_000..heard.len()], "and the note alone again");
    assert_eq!(player.status().underruns, 0);
    // The control: silence ends both.
    player.stop();
    std::thread::sleep(Duration::from_millis(100));
    recorder.pull(4_096);
    assert!(tail(&recorder.samples(), 2_048).iter().all(|sample| *sample == 0.0));
}

#[test]
fn the_sum_stays_below_full_scale_and_needs_no_heap() {
    let (player, recorder) = player(&vec![0.75; N_SAMPLES]);
    player.play(0, 0..N_SAMPLES as u64, true);
    pull(&recorder, 5_120);
    player.hold(Box::new(Steady { level: 0.75, is_held: false }), key());
    std::thread::sleep(Duration::from_millis(100));
    let mut n_calls = 0;
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(2));
        n_calls += recorder.pull_watched(256, |run| heap_calls(run)).unwrap();
    }
    assert_eq!(n_calls, 0);
    let heard = recorder.samples();
    let peak = tail(&heard, 5_120).iter().fold(0.0f32, |peak, sample| peak.max(*sample));
    assert!((0.99..=1.0).contains(&peak), "{peak}");
    player.let_go();
    pull(&recorder, 51_200);
    assert!(tail(&recorder.samples(), 4_096).iter().all(|sample| *sample == 0.75), "the limiter lets go again");
}

/// The typing keyboard on, a tone of 1 kHz playing.
fn playing_bench() -> Bench {
    let mut bench = bench_with(Drawing::Wgpu, &[tone(240_000, RATE, 1_000.0, 0.25)]);
    bench.act(WindowCommand::TypingKeyboard);
    bench.settle();
    play(&mut bench);
    listen(&mut bench, 9_600, true);
    bench
}

#[test]
fn letter_keys_are_heard_over_the_document() {
    if !has_gpu() {
        return;
    }
    let mut bench = playing_bench();
    let letter = |bench: &mut Bench, pressed| {
        let (key, modifiers) = (Key::A, NONE);
        bench.harness.event(egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
    };
    let [clip_hz, note_hz] = [1_000.0, 261.63];
    let levels = |bench: &Bench| [clip_hz, note_hz].map(|hz| amplitude(tail(&left(bench), 9_600), hz));
    assert!(levels(&bench)[1] < 0.01, "the control: no note yet");
    letter(&mut bench, true);
    listen(&mut bench, 24_000, true);
    let [clip, note] = levels(&bench);
    assert!((clip - 0.25).abs() < 0.01 && note > 0.02, "{clip} {note}");
    assert!(bench.studio().workbench().transport().status.playing);
    letter(&mut bench, false);
    listen(&mut bench, 48_000, true);
    let [clip, note] = levels(&bench);
    assert!((clip - 0.25).abs() < 0.01 && note < 0.005, "{clip} {note}");
    assert_eq!(bench.studio().workbench().transport().status.underruns, 0);
}
