//! How soon stopping and seeking are heard, through the library alone: a tone for each half of a file, a recording of
//! the sink, and the times of the calls to the player.

use super::playhead::{TimedRecorder, now_secs};
use super::rig::Rig;
use super::signals::{tone, write_wav};
use super::sound::SINK_HZ;
use sonobrush::base::{Progress, Settings};
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::playback::{Player, system_output};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// As which this binary plays, seeks and stops.
pub const CHILD_MODE: &str = "--seek-and-stop";

const TONES_HZ: [f64; 2] = [1_000.0, 3_000.0];
const N_TIMES: usize = 6;
/// Without the device's buffer.
const ANSWER_SECS: f64 = 0.050;
const ATTEMPTS: usize = 3;

/// Amplitude of a tone in 6 ms from a place on: whole periods of both tones.
fn amplitude(samples: &[f64], at: usize, hz: f64) -> f64 {
    let window = &samples[at..(at + 288).min(samples.len())];
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in window.iter().enumerate() {
        let angle = std::f64::consts::TAU * hz * n as f64 / SINK_HZ;
        re += sample * angle.cos();
        im += sample * angle.sin();
    }
    2.0 * re.hypot(im) / window.len().max(1) as f64
}

pub fn stop_and_seek_are_heard_at_once(rig: &Rig) {
    let file = rig.path("two-tones.wav");
    let sound: Vec<f64> = TONES_HZ.iter().flat_map(|&hz| tone(5 * 48_000, SINK_HZ, hz, 0.5)).collect();
    write_wav(&file, SINK_HZ as u32, &sound);
    let max = ANSWER_SECS + f64::from(Settings::default().audio_buffer_frames) / SINK_HZ;
    let is_good = (0..ATTEMPTS).any(|_| {
        let recorder = TimedRecorder::start(rig);
        let mut command = rig.command(std::env::current_exe().unwrap());
        let output = command.arg(CHILD_MODE).arg(&file).env("ANSWERS_LOG", rig.path("answers.log")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let recording = recorder.stop();
        let text = std::fs::read_to_string(rig.path("answers.log")).unwrap();
        let mut late = [Vec::new(), Vec::new()];
        for line in text.lines() {
            let (word, secs) = line.split_once(' ').unwrap();
            let from = recording.sample_at(secs.parse().unwrap());
            let samples = &recording.samples;
            let is_audible = |at: usize| match word {
                // Both at the level that they end with: the other tone is gone, or all is.
                "seek" => amplitude(samples, at, TONES_HZ[1]) > 0.45 && amplitude(samples, at, TONES_HZ[0]) < 0.05,
                _ => samples[at..at + 288].iter().all(|sample| sample.abs() < 0.005),
            };
            assert!(!is_audible(from.saturating_sub(2_400)), "not before it was asked for");
            let heard = (from..from + 19_200).step_by(24).find(|&at| is_audible(at)).expect("it is heard");
            late[usize::from(word == "stop")].push((heard - from) as f64 / SINK_HZ);
        }
        late.iter_mut().for_each(|late| late.sort_by(f64::total_cmp));
        println!("  seek {:.3?} s, stop {:.3?} s, allowed {max:.3} s", late[0], late[1]);
        late.iter().all(|late| late.len() == N_TIMES && late[N_TIMES / 2] <= max)
    });
    assert!(is_good, "later than {max:.3} s");
}

/// The other side of [`stop_and_seek_are_heard_at_once`].
pub fn seek_and_stop_in_this_process(file: &str) -> ExitCode {
    let snapshot = Snapshot::new(Source::open(Path::new(file), &Progress::new()).unwrap().source);
    let player = Player::new(system_output(None, Settings::default().audio_buffer_frames));
    player.load(Some(&snapshot));
    let n = snapshot.n_samples();
    let mut log = String::new();
    for _ in 0..N_TIMES {
        player.play(0, 0..n, false);
        std::thread::sleep(Duration::from_millis(500));
        writeln!(log, "seek {:.6}", now_secs()).unwrap();
        player.play(n / 2 + 4_800, 0..n, false);
        std::thread::sleep(Duration::from_millis(500));
        writeln!(log, "stop {:.6}", now_secs()).unwrap();
        player.stop();
        std::thread::sleep(Duration::from_millis(500));
    }
    std::fs::write(std::env::var_os("ANSWERS_LOG").unwrap(), log).unwrap();
    ExitCode::SUCCESS
}
