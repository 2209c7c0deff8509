//! What is heard, recorded from a null sink.

use super::rig::{Rig, Running, TIMEOUT, output_of, wait_for};
use super::signals::{best_correlation, write_wav};
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::media::{Resampler, Source};
use sonobrush::playback::{Player, system_output};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

/// As which this binary plays a file through the library alone, in the rig's surroundings.
pub const CHILD_MODE: &str = "--play-in-this-process";
/// Plays a file, and expects no fault.
pub const PLAIN_CHILD_MODE: &str = "--play-to-the-end";
pub const SINK_HZ: f64 = 48_000.0;

/// The left channel of a clip, as 16-bit samples at the sink's rate, so that the server changes nothing.
fn clip(rig: &Rig) -> (PathBuf, Vec<f64>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips/drum_break_44k_stereo.flac");
    let source = Source::open(&file, &Progress::new()).unwrap().source;
    let info = source.info().clone();
    let mut samples = vec![0.0; info.n_samples as usize];
    source.read(0, 0, &mut samples).unwrap();
    let mut resampler = Resampler::new(f64::from(info.sample_rate_hz), SINK_HZ, 1).unwrap();
    let (mut resampled, mut at) = (Vec::new(), 0);
    while at < samples.len() {
        let n = resampler.frames_wanted();
        let mut input = samples[at..(at + n).min(samples.len())].to_vec();
        input.resize(n, 0.0);
        resampled.extend(resampler.process(&input).unwrap().iter().map(|&sample| 0.9 * f64::from(sample)));
        at += n;
    }
    let path = rig.path("clip.wav");
    write_wav(&path, SINK_HZ as u32, &resampled);
    (path, resampled)
}

/// Records the sink while `play` plays; the left channel.
pub fn recorded(rig: &Rig, name: &str, play: impl FnOnce()) -> Vec<f64> {
    let path = rig.path(name);
    let mut command = rig.command("parec");
    command.args(["-d", "nul.monitor", "--latency-msec=10", "--format=float32le", "--rate=48000", "--channels=2"]);
    command.stdout(std::fs::File::create(&path).unwrap()).stderr(Stdio::null());
    let recorder = Running(command.spawn().unwrap());
    let n_bytes = || std::fs::metadata(&path).unwrap().len();
    wait_for("the recorder", || (n_bytes() > 0).then_some(()));
    play();
    // What is on its way to the sink.
    let enough = n_bytes() + 8 * SINK_HZ as u64;
    wait_for("a second of silence", || (n_bytes() > enough).then_some(()));
    drop(recorder);
    let bytes = std::fs::read(&path).unwrap();
    bytes.chunks_exact(8).map(|frame| f64::from(f32::from_le_bytes(frame[..4].try_into().unwrap()))).collect()
}

/// Piece by piece, and in order: between pieces a busy machine may drop a moment, which is the server's doing.
fn assert_holds_the_clip(recording: &[f64], clip: &[f64]) {
    let energy = |samples: &[f64]| samples.iter().map(|sample| sample * sample).sum::<f64>();
    let pieces: Vec<&[f64]> = clip.chunks_exact(SINK_HZ as usize / 4).collect();
    let (mut n_found, mut last) = (0, 0);
    for (index, piece) in pieces.iter().enumerate() {
        let (likeness, start) = best_correlation(recording, piece);
        let change_db = 10.0 * (energy(&recording[start..start + piece.len()]) / energy(piece)).log10();
        if likeness > 0.999 && change_db.abs() < 0.2 && start >= last {
            n_found += 1;
            last = start;
        } else {
            println!("  piece {index}: likeness {likeness:.4} at {start} after {last}, {change_db:.2} dB louder");
        }
    }
    assert!(n_found * 4 >= pieces.len() * 3, "{n_found} of {} pieces were heard", pieces.len());
    let reversed: Vec<f64> = clip.iter().rev().copied().collect();
    assert!(best_correlation(recording, &reversed).0 < 0.5, "the comparison bites");
}

pub fn a_clip_is_heard_through_the_system(rig: &Rig) {
    let (file, clip) = clip(rig);
    let recording = recorded(rig, "library.raw", || {
        let mut command = rig.command(std::env::current_exe().unwrap());
        let output = command.arg(CHILD_MODE).arg(file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
    assert_holds_the_clip(&recording, &clip);
}

/// The other side of [`a_clip_is_heard_through_the_system`].
pub fn play_in_this_process(file: &str) -> ExitCode {
    let source = Source::open(Path::new(file), &Progress::new()).unwrap().source;
    let snapshot = Snapshot::new(source);
    let player = Player::new(system_output(None, 1024));
    player.load(Some(&snapshot));
    player.play(0, 0..snapshot.n_samples(), false);
    let began = Instant::now();
    let secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let mut last = 0.0;
    loop {
        let status = player.status();
        assert_eq!(status.fault, None);
        assert!(status.position_secs >= last - 0.02, "the playhead went back from {last} to {}", status.position_secs);
        last = status.position_secs;
        // The playhead is never ahead of the clock.
        assert!(last <= began.elapsed().as_secs_f64() + 0.02, "{last} s after {:?}", began.elapsed());
        if !status.playing {
            break;
        }
        assert!(began.elapsed() < TIMEOUT, "{status:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = player.status();
    // Other programs may keep both cores busy for a moment, not for long.
    assert!(status.underruns <= 5, "{status:?}");
    assert!(began.elapsed().as_secs_f64() > 0.95 * secs, "too fast: {:?}", began.elapsed());
    // The last buffers are still on their way through the server.
    std::thread::sleep(Duration::from_millis(300));
    ExitCode::SUCCESS
}

/// The other side of [`a_sink_that_is_slow_to_begin_is_waited_for`].
pub fn play_to_the_end(file: &str) -> ExitCode {
    let snapshot = Snapshot::new(Source::open(Path::new(file), &Progress::new()).unwrap().source);
    let player = Player::new(system_output(None, 1024));
    player.load(Some(&snapshot));
    player.play(0, 0..snapshot.n_samples(), false);
    wait_for("the end of the sound", || {
        let status = player.status();
        assert_eq!(status.fault, None);
        (!status.playing).then_some(())
    });
    ExitCode::SUCCESS
}

pub fn the_window_plays_the_clip(rig: &Rig) {
    let (file, clip) = clip(rig);
    let studio = rig.open(&file);
    let recording = recorded(rig, "window.raw", || {
        studio.key("space");
        studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
        studio.wait("the end of the sound", |state| (state["playing"] == false).then_some(()));
    });
    assert_holds_the_clip(&recording, &clip);
}

/// An idle sink of PulseAudio may hold 2 s of silence, which it plays first. ALSA's plug-in for it reports errors at
/// one beginning in five, and goes on. Neither is a failure, and the sound is played to its end.
pub fn a_sink_that_is_slow_to_begin_is_waited_for(rig: &Rig) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let by_network = format!("module-native-protocol-tcp auth-anonymous=1 listen=127.0.0.1 port={port}");
    let server = rig.second_server_with("slow", &["module-null-sink sink_name=slow", &by_network]);
    // Only ALSA's plug-in speaks to a server over a network.
    let by_alsa = format!("tcp:127.0.0.1:{port}");
    let file = rig.path("short.wav");
    write_wav(&file, SINK_HZ as u32, &(0..14_400).map(|n| 0.3 * (f64::from(n) * 0.05).sin()).collect::<Vec<f64>>());
    let plays_on = |sink: &str, address: &str| {
        let mut choose = rig.command("pactl");
        assert!(
            output_of(choose.env("PULSE_SERVER", &server.address).args(["set-default-sink", sink])).status.success()
        );
        let mut command = rig.command(std::env::current_exe().unwrap());
        command.arg(PLAIN_CHILD_MODE).arg(&file).env("PULSE_SERVER", address).env("XDG_RUNTIME_DIR", rig.path("home"));
        let output = output_of(&mut command);
        assert!(output.status.success(), "{sink} at {address}: {}", String::from_utf8_lossy(&output.stderr));
    };
    [server.address.as_str(), &by_alsa].iter().for_each(|address| plays_on("slow", address));
    (0..10).for_each(|_| plays_on("nul", &by_alsa));
}

/// The program's command line in a home where no client of a sound server has ever run.
fn in_a_new_home(rig: &Rig, arguments: &[&str]) -> std::process::Output {
    let home = tempfile::tempdir_in(rig.path("")).unwrap();
    let output = output_of(rig.program_command().args(arguments).env("HOME", home.path()));
    let is_there = |name: &str| home.path().join(name).exists();
    assert!(!is_there(".config/pulse/cookie") && !is_there(".pulse-cookie"), "another client left a cookie");
    output
}

/// The names of the outputs or inputs that the command line lists without a cookie.
fn listed(rig: &Rig, what: &str) -> Vec<String> {
    let output = in_a_new_home(rig, &["devices", "--json"]);
    let devices: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names = devices[what].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    names.collect()
}

/// A server takes 256 bytes of a cookie and no others, and libpulse's file of them is not there before its first
/// client.
pub fn without_a_cookie_sound_goes_in_and_out(rig: &Rig) {
    let outputs = listed(rig, "audio_outputs");
    assert!(outputs.iter().any(|name| name.contains("Null Output")), "{outputs:?}");
    let inputs = listed(rig, "audio_inputs");
    assert!(inputs.iter().any(|name| name.contains("Monitor of Null Output")), "{inputs:?}");
    let path = rig.path("no_cookie.wav");
    let path_text = path.to_str().unwrap();
    let output =
        in_a_new_home(rig, &["record", "-o", path_text, "--device", "Monitor of Null Output", "--secs", "0.3"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(hound::WavReader::open(&path).unwrap().duration(), 14_400);
}

/// Loads a sink of this name, which calls itself Twin; the number by which it is unloaded.
fn twin(rig: &Rig, name: &str) -> String {
    let mut command = rig.command("pactl");
    command.args(["load-module", "module-null-sink", &format!("sink_name={name}"), "norewinds=1"]);
    let output = output_of(command.arg("sink_properties=device.description=Twin"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub fn devices_of_equal_name_are_told_apart(rig: &Rig) {
    let modules = [twin(rig, "twin_left"), twin(rig, "twin_right")];
    let outputs = listed(rig, "audio_outputs");
    let twins = ["Twin [twin_left]", "Twin [twin_right]"];
    assert!(twins.iter().all(|twin| outputs.iter().any(|name| name == twin)), "{outputs:?}");
    // Each is the one that it says it is: a tone on the right one is recorded there and not on the left one.
    let tone: Vec<f64> = (0..96_000).map(|n| 0.5 * (f64::from(n) * 0.05).sin()).collect();
    let tone_path = rig.path("twin_tone.wav");
    write_wav(&tone_path, SINK_HZ as u32, &tone);
    let mut player = rig.command("paplay");
    player.args(["--device=twin_right"]).arg(&tone_path).stderr(Stdio::null());
    let player = Running(player.spawn().unwrap());
    let peaks = ["left", "right"].map(|side| {
        let path = rig.path(&format!("{side}.wav"));
        let device = format!("Monitor of Twin [twin_{side}.monitor]");
        let output =
            in_a_new_home(rig, &["record", "-o", path.to_str().unwrap(), "--device", &device, "--secs", "0.5"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut reader = hound::WavReader::open(&path).unwrap();
        reader.samples::<f32>().map(|sample| sample.unwrap().abs()).fold(0.0, f32::max)
    });
    drop(player);
    modules.iter().for_each(|module| drop(output_of(rig.command("pactl").args(["unload-module", module]))));
    assert!(peaks[0] == 0.0 && peaks[1] > 0.4, "peaks {peaks:?}");
}
