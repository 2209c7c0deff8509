//! Recording: what is played into a null sink is found in the document, sample by sample, also after a kill.

use super::playhead::TimedRecorder;
use super::rig::{Rig, Running, wait_for};
use super::studio::{Studio, is_at_rest};
use std::path::Path;
use std::process::{Command, Stdio};

const RATE: u32 = 48_000;
/// The sink's samples are of 16 bits, as the noise is.
const FULL_SCALE: f32 = 32_768.0;
const NEAR: f32 = 1e-4;
/// Duration recorded when the program is killed, and of the whole sound.
const KILLED_SECS: usize = 3;
const PLAYED_SECS: usize = 12;

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

/// The process that plays interleaved floats into the sink.
fn player(rig: &Rig, samples: &[f32]) -> Command {
    let path = rig.path("noise.raw");
    std::fs::write(&path, samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let mut command = rig.command("pacat");
    command.args(["--playback", "--device=nul", "--format=float32le", "--rate=48000", "--channels=2", "--raw"]);
    // Much in advance: a busy machine must not make a gap that is none of ours.
    command.arg("--latency-msec=4000").arg(path).stderr(Stdio::null());
    command
}

/// Starts to record, by the card.
fn record(studio: &Studio<'_>) {
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
}

fn frames(path: &Path) -> Vec<[f32; 2]> {
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!((reader.spec().channels, reader.spec().sample_rate), (2, RATE));
    let samples: Vec<f32> = reader.samples::<f32>().map(Result::unwrap).collect();
    samples.as_chunks().0.to_vec()
}

/// Frames before the start of the played sound.
fn shift_of(recording: &[[f32; 2]]) -> usize {
    recording.iter().position(|frame| *frame != [0.0; 2]).expect("nothing was recorded")
}

/// Where, after one shift, the recording first differs from what was played.
fn first_difference(recording: &[[f32; 2]], played: &[f32]) -> Option<usize> {
    let shift = shift_of(recording);
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
    record(&studio);
    assert!(player(rig, &played).status().unwrap().success());
    // What is on its way.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    studio.click_control("Stop");
    studio.wait("the document", |state| (state["document"].is_object() && is_at_rest(state)).then_some(()));
    let recording = frames(&studio.export("recorded.wav"));
    assert_eq!(first_difference(&recording, &played), None, "of {secs} s");

    // The controls: a sample that is lost, doubled, or off by more than is allowed.
    let shift = shift_of(&recording);
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

pub fn a_killed_recording_loses_less_than_a_second(rig: &Rig) {
    let played = noise(PLAYED_SECS * RATE as usize);
    let recorder = TimedRecorder::start(rig);
    let studio = rig.start_studio(&[]);
    record(&studio);
    let player = Running(player(rig, &played).spawn().unwrap());
    // As another program hears it.
    let n_audible = wait_for("some seconds of it", || {
        let samples = recorder.so_far().samples;
        let n_audible = samples.len() - samples.iter().position(|sample| *sample != 0.0)?;
        (n_audible >= KILLED_SECS * RATE as usize).then_some(n_audible)
    });
    studio.kill();
    drop(player);

    let studio = rig.start_again();
    studio.wait("what was left", |state| (state["card"] == "left").then_some(()));
    studio.take_focus();
    studio.click_control("Recover");
    studio.wait("the recording", |state| {
        (state["document"].is_object() && state["card"].is_null() && is_at_rest(state)).then_some(())
    });
    let recording = frames(&studio.export("recovered.wav"));
    let n_kept = recording.len() - shift_of(&recording);
    let lost_secs = (n_audible as f64 - n_kept as f64) / f64::from(RATE);
    println!("  {lost_secs:.2} s of {:.2} are lost", n_audible as f64 / f64::from(RATE));
    // The other program may hear a little later.
    assert!(lost_secs < 1.0 && lost_secs > -0.5, "{lost_secs} s");
    assert_eq!(first_difference(&recording, &played[..2 * n_kept]), None, "what is kept is what was played");
}
