//! The typing keyboard: letters are heard as notes until Esc, and are keys of tools again after it.

use super::playhead::{TimedRecorder, TimedRecording, now_secs};
use super::rig::Rig;
use super::signals::write_floats;
use super::sound::SINK_HZ;
use super::support::measure::strongest_tone;
use std::time::Duration;

/// A letter, its note, and another note that is not in it.
const NOTES: [(&str, f64, f64); 2] = [("h", 440.0, 261.626), ("a", 261.626, 440.0)];
/// How long a key is held, and a note may decay.
const HELD: Duration = Duration::from_millis(1_000);
const DYING: Duration = Duration::from_millis(1_200);
/// A note swells, and a busy machine may begin it late.
const SWELLS_SECS: f64 = 0.4;
/// Keys are text until 0.3 s after a card with a field.
const CARD_TO_KEY: Duration = Duration::from_millis(400);

/// What was heard between two times.
fn heard(recording: &TimedRecording, secs: [f64; 2]) -> Vec<f32> {
    let [from, to] = secs.map(|secs| recording.sample_at(secs));
    recording.samples[from..to].iter().map(|sample| *sample as f32).collect()
}

pub fn letters_play_notes_until_escape(rig: &Rig) {
    let file = rig.path("two seconds.wav");
    write_floats(&file, SINK_HZ, &[vec![0.0; 2 * SINK_HZ as usize]]);
    let studio = rig.open(&file);
    studio.run_command("typing keyboard");
    std::thread::sleep(CARD_TO_KEY);
    let recorder = TimedRecorder::start(rig);
    let tool = studio.state().unwrap()["tool"].clone();
    let mut held = Vec::new();
    for (key, ..) in NOTES {
        studio.hold_key(key, true);
        let from = now_secs() + SWELLS_SECS;
        std::thread::sleep(HELD);
        held.push([from, now_secs()]);
        studio.hold_key(key, false);
        std::thread::sleep(DYING);
    }
    assert_eq!(studio.state().unwrap()["tool"], tool, "letters take no tool");
    studio.key("Escape");
    let ended = now_secs();
    studio.key("e");
    studio.wait("the erase brush", |state| (state["tool"] == "tool_erase").then_some(()));
    std::thread::sleep(HELD / 2);
    let until = now_secs();
    let recording = recorder.stop();
    for ((key, hz, other_hz), secs) in NOTES.into_iter().zip(held) {
        let samples = heard(&recording, secs);
        let found = strongest_tone(&samples, SINK_HZ, 200.0, 500.0);
        let other = strongest_tone(&samples, SINK_HZ, 0.97 * other_hz, 1.03 * other_hz);
        let cents = 1200.0 * (found.hz / hz).log2();
        println!("  {key}: {:.1} Hz at {:.4}, {:.5} at {other_hz} Hz", found.hz, found.level, other.level);
        // Its voices stand a little apart, and vibrate.
        assert!(cents.abs() < 30.0 && found.level > 0.005, "{key}: {cents} cents off, level {}", found.level);
        assert!(other.level < found.level / 10.0, "{key}: {} at {other_hz} Hz", other.level);
    }
    let after = heard(&recording, [ended, until]);
    assert!(after.len() > SINK_HZ as usize / 4 && after.iter().all(|x| x.abs() < 1e-3), "nothing more is heard");
}
