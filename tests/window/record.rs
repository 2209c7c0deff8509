//! Recording: what is played into a null sink is found in the document, sample by sample.

use super::rig::{Rig, wait_for};
use super::studio::is_at_rest;
use std::path::Path;
use std::process::Stdio;

const RATE: u32 = 48_000;
/// The sink's samples are of 16 bits, as the noise is.
const FULL_SCALE: f32 = 32_768.0;
const NEAR: f32 = 1e-4;

/// Noise of 16 bits, interleaved stereo; no sample is 0, and no two stretches are alike.
fn noise(n_frames: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let value = (state >> 50) as i32 - 8_192;
        (if value == 0 { 1 } else { value }) as f32 / FULL_SCALE
    };
    (0..2 * n_frames).map(|_| next()).collect()
}

/// Plays interleaved floats into the sink, which takes as long as they last.
fn play(rig: &Rig, samples: &[f32]) {
    let path = rig.path("noise.raw");
    std::fs::write(&path, samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let mut command = rig.command("pacat");
    command.args(["--playback", "--device=nul", "--format=float32le", "--rate=48000", "--channels=2", "--raw"]);
    // Much in advance: a busy machine must not make a gap that is none of ours.
    let played = command.arg("--latency-msec=4000").arg(&path).stderr(Stdio::null()).status().unwrap();
    assert!(played.success());
}

fn frames(path: &Path) -> Vec<[f32; 2]> {
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!((reader.spec().channels, reader.spec().sample_rate), (2, RATE));
    let samples: Vec<f32> = reader.samples::<f32>().map(Result::unwrap).collect();
    samples.as_chunks().0.to_vec()
}

/// Where, after one shift, the recording first differs from what was played.
fn first_difference(recording: &[[f32; 2]], played: &[f32]) -> Option<usize> {
    let shift = recording.iter().position(|frame| *frame != [0.0; 2]).expect("nothing was recorded");
    let is_near = |recorded: &[f32; 2], played: &[f32]| (0..2).all(|i| (recorded[i] - played[i]).abs() <= NEAR);
    let (recorded, played) = (&recording[shift..], played.chunks_exact(2));
    let n_played = played.len();
    let found = recorded.iter().zip(played).position(|(recorded, played)| !is_near(recorded, played));
    let is_silent_after = recorded.iter().skip(n_played).all(|frame| *frame == [0.0; 2]);
    found.or((recorded.len() < n_played || !is_silent_after).then_some(n_played))
}

pub fn what_is_played_is_recorded(rig: &Rig) {
    let secs = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 60 } else { 20 };
    let played = noise(secs * RATE as usize);
    let studio = rig.start_studio(&[]);
    studio.wait("the window at rest", |state| is_at_rest(state).then_some(()));
    studio.take_focus();
    studio.key("ctrl+r");
    studio.wait("the card", |state| (state["card"] == "record").then_some(()));
    // The button does nothing before the input is open.
    wait_for("the recording", || {
        studio.click_control("Record");
        std::thread::sleep(std::time::Duration::from_millis(200));
        studio.state().filter(|state| state["controls"]["Stop"].is_array())
    });
    play(rig, &played);
    // What is on its way.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    studio.click_control("Stop");
    studio.wait("the document", |state| (state["document"].is_object() && is_at_rest(state)).then_some(()));
    let recording = frames(&studio.export("recorded.wav"));
    assert_eq!(first_difference(&recording, &played), None, "of {secs} s");

    // The controls: a sample that is lost, doubled, or off by more than is allowed.
    let shift = recording.iter().position(|frame| *frame != [0.0; 2]).unwrap();
    let mut lost = recording.clone();
    lost.remove(shift + 48_000);
    let mut doubled = recording.clone();
    doubled.insert(shift + 48_000, recording[shift + 48_000]);
    let mut off = recording.clone();
    off[shift + 48_000][1] += 2.0 * NEAR;
    for wrong in [lost, doubled, off] {
        assert!(first_difference(&wrong, &played).is_some_and(|at| (48_000..48_010).contains(&at)));
    }
}
