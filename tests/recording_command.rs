//! `sonobrush record`: a file that grows, and stays valid however the program ends.

use super::support::program::Place;
use super::support::studio::{bits, open, samples};
use sonobrush::recording::ClockInput;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const RATE: f64 = 48_000.0;

/// # Panics
/// If a channel is anything but the input's sound from some frame on, none lost and none doubled.
fn assert_whole(path: &Path, n_frames: u64) {
    let snapshot = open(path);
    assert_eq!(snapshot.n_samples(), n_frames);
    let first = (0..96_000).find(|&frame| ClockInput::sample(frame, 0) == samples(&snapshot, 0)[0]).unwrap();
    for channel in 0..snapshot.n_channels() {
        let wanted: Vec<f32> = (first..first + n_frames).map(|frame| ClockInput::sample(frame, channel)).collect();
        assert!(bits(&samples(&snapshot, channel)) == bits(&wanted), "channel {channel} of {n_frames} frames");
    }
}

/// A recording in a process of its own, once it has begun.
fn started(place: &Place, name: &str) -> (Child, Instant) {
    let arguments = ["record", "-o", name, "--device", ClockInput::NAME];
    let child = place.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !place.path(name).exists() {
        assert!(Instant::now() < deadline, "never began");
        std::thread::sleep(Duration::from_millis(2));
    }
    (child, Instant::now())
}

#[test]
fn a_recording_of_a_length_is_that_long() {
    let place = Place::new();
    place.done(&["record", "-o", "a.wav", "--device", ClockInput::NAME, "--secs", "0.5"]);
    assert_whole(&place.path("a.wav"), 24_000);
    place.done(&["record", "-o", "b.wav", "--device", ClockInput::NAME, "--secs", "0.2", "--channels", "1"]);
    assert_whole(&place.path("b.wav"), 9_600);
    assert_eq!(open(&place.path("b.wav")).n_channels(), 1);
    // Existing files are not replaced, and a name must not promise another format.
    let line = place.failed(&["record", "-o", "a.wav", "--device", ClockInput::NAME, "--secs", "0.2"]);
    assert!(line.contains("replaces no file"), "{line}");
    let line = place.failed(&["record", "-o", "a.flac", "--device", ClockInput::NAME, "--secs", "0.2"]);
    assert!(line.contains("WAV"), "{line}");
    assert_whole(&place.path("a.wav"), 24_000);
}

#[test]
fn a_kill_loses_less_than_a_second() {
    let place = Place::new();
    // At different moments of the writer's turn.
    for (round, millis) in [1_203, 1_337].into_iter().enumerate() {
        let name = format!("{round}.wav");
        let (mut child, began) = started(&place, &name);
        std::thread::sleep(Duration::from_millis(millis));
        let lasted = began.elapsed();
        child.kill().unwrap();
        child.wait().unwrap();
        let n_frames = open(&place.path(&name)).n_samples();
        let lost_secs = lasted.as_secs_f64() - n_frames as f64 / RATE;
        assert!(lost_secs < 1.0 && lost_secs > -0.5, "{lost_secs} s of {lasted:?}");
        assert_whole(&place.path(&name), n_frames);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_and_keeps_the_recording() {
    let place = Place::new();
    let (mut child, _) = started(&place, "a.wav");
    std::thread::sleep(Duration::from_millis(300));
    let signalled = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let n_frames = open(&place.path("a.wav")).n_samples();
    assert!(n_frames > 4_800);
    assert_whole(&place.path("a.wav"), n_frames);
    // Its header states its length, as other programs expect.
    let head = place.read("a.wav");
    assert_eq!(u32::from_le_bytes(head[4..8].try_into().unwrap()) as usize + 8, head.len());
}
