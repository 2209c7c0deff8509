//! The command line as a user meets it: the real program, its exit code, its two outputs, its files.

use crate::support::program::program;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own with a home in it, gone at the end.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// The program, in this folder, on the CPU engine, knowing nothing of the user's settings.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SONOBRUSH_") || name.to_string_lossy().starts_with("XDG_") {
                command.env_remove(name);
            }
        }
        command.args(arguments).current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env("SONOBRUSH_ENGINE", "cpu").stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, with only notices on standard error; returns its standard output.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert!(stderr.lines().all(|line| line.starts_with("sonobrush: note: ")), "{arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs what must fail with one line behind its notices; that line.
    fn failed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.stdout, b"");
        crate::support::program::failure(&output)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(arguments)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.starts_with(".config") && !name.starts_with(".local"));
        names.sort();
        names
    }
}

/// A 16-bit WAV file of a few tones.
fn wav(rate_hz: u32, n_channels: usize, n_frames: usize) -> Vec<u8> {
    let mut data = Vec::new();
    for n in 0..n_frames {
        for channel in 0..n_channels {
            let turns = n as f64 / f64::from(rate_hz) * (440.0 + 330.0 * channel as f64);
            data.extend(((turns * std::f64::consts::TAU).sin() * 12_000.0).round().to_le_bytes_16());
        }
    }
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend(1u16.to_le_bytes());
    file.extend((n_channels as u16).to_le_bytes());
    file.extend(rate_hz.to_le_bytes());
    file.extend((rate_hz * n_channels as u32 * 2).to_le_bytes());
    file.extend((n_channels as u16 * 2).to_le_bytes());
    file.extend(16u16.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

trait ToBytes16 {
    fn to_le_bytes_16(self) -> [u8; 2];
}

impl ToBytes16 for f64 {
    fn to_le_bytes_16(self) -> [u8; 2] {
        (self as i16).to_le_bytes()
    }
}

/// The samples of a 16-bit WAV file of ours.
fn samples_of(path: &Path) -> Vec<i16> {
    let bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(4).position(|window| window == b"data").unwrap();
    let n = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
    bytes[at + 8..at + 8 + n].chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}

const ERASE: &str = r#"{"version": 1, "edits": [
    {"brush": {"kind": "erase"}, "channels": [0], "select": {"time": [0.2, 0.3]}}]}"#;

#[test]
fn paint_changes_what_the_script_says() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 2, 44_100));
    place.write("s.json", ERASE);
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--report", "r.json"]);
    let (before, after) = (samples_of(&place.path("in.wav")), samples_of(&place.path("out.wav")));
    assert_eq!(before.len(), after.len());
    let right = |samples: &[i16]| samples.iter().skip(1).step_by(2).copied().collect::<Vec<_>>();
    assert_eq!(right(&before), right(&after), "channel 1 was not named");
    let changed: Vec<usize> = (0..44_100).filter(|&n| before[2 * n] != after[2 * n]).collect();
    assert!(changed.len() > 3_000);
    // Frames that lie in the selection reach half a window to both sides.
    assert!(
        changed[0] as f64 > 0.2 * 44_100.0 - 1_024.0 && (changed[changed.len() - 1] as f64) < 0.3 * 44_100.0 + 1_024.0
    );

    let report: Value = serde_json::from_str(&std::fs::read_to_string(place.path("r.json")).unwrap()).unwrap();
    assert_eq!(report["engine"], "cpu");
    assert_eq!(report["adapter"], Value::Null);
    assert_eq!(report["clipped"], 0);
    assert_eq!(report["notices"], json!([]));
    let edit = &report["edits"][0];
    assert_eq!(edit["engine"], "cpu");
    let passes = edit["passes"].as_array().unwrap();
    let names: Vec<&str> = passes.iter().map(|pass| pass["pass"].as_str().unwrap()).collect();
    assert_eq!(names, ["stft_analysis", "erase", "stft_synthesis", "distance"]);
    for pass in passes {
        assert!(pass["engine"] == "cpu" && pass["ms"].as_f64() > Some(0.0) && pass.get("why").is_none(), "{pass}");
    }
    assert!(edit["touched_frames"].as_u64().unwrap() >= 8);
    assert!(edit["touched_samples"].as_u64().unwrap() >= changed.len() as u64);
    assert!((-100.0..0.0).contains(&edit["consistency_db"].as_f64().unwrap()), "{edit}");
}

#[test]
fn paint_without_edits_keeps_every_bit() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 2, 10_000));
    place.write("s.json", r#"{"version": 1, "edits": []}"#);
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
    assert_eq!(samples_of(&place.path("in.wav")), samples_of(&place.path("out.wav")));
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--format", "float32"]);
    assert_eq!(place.json(&["info", "out.wav", "--json"])["frames"], 10_000);
}

#[test]
fn paint_starts_from_silence() {
    let place = Place::new();
    place.write("s.json", r#"{"version": 1, "edits": []}"#);
    place.done(&["paint", "--new", "0.5,22050,2", "--script", "s.json", "-o", "out.wav"]);
    let info = place.json(&["info", "out.wav", "--json"]);
    assert_eq!(info["frames"], 11_025);
    assert_eq!(info["sample_rate"], 22_050);
    assert_eq!(info["channels"], 2);
    assert_eq!(info["duration_secs"], 0.5);
    assert_eq!(info["notices"], json!([]));
    place.failed(&["paint", "--new", "0.5,22050,0", "--script", "s.json", "-o", "none.wav"]);
    place.failed(&["paint", "--new", "0.5,1,1", "--script", "s.json", "-o", "none.wav"]);
    place.failed(&["paint", "--new", "1e30,48000,1", "--script", "s.json", "-o", "none.wav"]);
    assert_eq!(place.names(), ["out.wav", "s.json"]);
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    let place = Place::new();
    let sound = wav(44_100, 1, 5_000);
    place.write("in.wav", &sound);
    place.write("s.json", ERASE);
    std::os::unix::fs::symlink("in.wav", place.path("link.wav")).unwrap();
    std::fs::hard_link(place.path("in.wav"), place.path("hard.wav")).unwrap();
    for output in ["in.wav", "./in.wav", "link.wav", "hard.wav"] {
        let line = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", output]);
        assert!(line.contains("input"), "{line}");
        place.failed(&["image", "in.wav", "-o", output]);
        place.failed(&["stft", "in.wav", "-o", output]);
    }
    assert_eq!(std::fs::read(place.path("in.wav")).unwrap(), sound);
}

#[test]
fn a_bad_script_is_told_with_its_place() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 1, 20_000));
    for (script, part) in [
        (r#"{"version": 1, "edits": [{"brush": {"kind": "glitter"}}]}"#, "edits[0].brush.kind"),
        (r#"{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": 99}}]}"#, "edits[0].brush.gain_db"),
        (r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "channels": [3]}]}"#, "edits[0]"),
        (r#"{"version": 1, "edits""#, "s.json"),
        ("\u{0}\u{1}\n\n", "s.json"),
    ] {
        place.write("s.json", script);
        let line = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
        assert!(line.contains(part) && line.contains("s.json"), "{line}");
    }
    place.write("s.json", [0xff, 0xfe, 0x00]);
    place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
    place.failed(&["paint", "in.wav", "--script", "missing.json", "-o", "out.wav"]);
    assert_eq!(place.names(), ["in.wav", "s.json"], "nothing half-written is left");
}

#[test]
fn an_edit_that_reaches_no_cell_is_a_notice() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 1, 20_000));
    place.write("s.json", r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"time": [50, 60]}}]}"#);
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--report", "r.json"]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(place.path("r.json")).unwrap()).unwrap();
    let notices = report["notices"].as_array().unwrap();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].as_str().unwrap().contains("no cell"), "{notices:?}");
    assert_eq!(samples_of(&place.path("in.wav")), samples_of(&place.path("out.wav")));
}

#[test]
fn inputs_that_are_no_sound_fail_with_one_line() {
    let place = Place::new();
    place.write("text.wav", "this is no sound at all, whatever its name says");
    place.write("empty.wav", "");
    std::fs::create_dir(place.path("folder.wav")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("pipe.wav")).status().unwrap().success());
    for name in ["text.wav", "empty.wav", "folder.wav", "pipe.wav", "missing.wav"] {
        let line = place.failed(&["info", name, "--json"]);
        assert!(line.contains(name), "{line}");
    }
    let line = place.failed(&["info", "two\nlines.wav"]);
    assert!(line.contains("two\\nlines.wav"), "{line}");
}

#[test]
fn info_needs_no_adapter() {
    let place = Place::new();
    place.write("in.wav", wav(8_000, 1, 4_000));
    for arguments in [&["info", "in.wav"][..], &["info", "in.wav", "--json"], &["config", "--json"]] {
        let said = place.done(arguments);
        assert!(said.ends_with('\n') && !said.ends_with("\n\n"), "{arguments:?}: {said:?}");
    }
    let mut command = place.command(&["info", "in.wav"]);
    command.env("VK_DRIVER_FILES", "/nonexistent").env("SONOBRUSH_ENGINE", "gpu");
    let output = command.output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("4000") && text.contains("8000 Hz") && text.contains("0:00.500"), "{text}");
}

#[test]
fn stft_writes_what_numpy_reads() {
    let place = Place::new();
    place.write("in.wav", wav(48_000, 2, 20_000));
    place.done(&["stft", "in.wav", "-o", "c.npy", "--n-fft", "1024", "--hop", "256", "--window", "hamming"]);
    let used: Value = serde_json::from_str(&std::fs::read_to_string(place.path("c.json")).unwrap()).unwrap();
    let n_frames = 20_000usize.div_ceil(256) + 1;
    for (name, value) in [
        ("n_fft", json!(1024)),
        ("hop", json!(256)),
        ("window", json!("hamming")),
        ("phase", json!("centre")),
        ("sample_rate", json!(48_000)),
        ("channels", json!(2)),
        ("bins", json!(513)),
        ("frames", json!(n_frames)),
        ("engine", json!("cpu")),
    ] {
        assert_eq!(used[name], value, "{name}");
    }
    let read = |name: &str| {
        let bytes = std::fs::read(place.path(name)).unwrap();
        let n_header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8_lossy(&bytes[10..n_header]).into_owned();
        assert!(header.contains(&format!("'shape': (2, 513, {n_frames})")), "{header}");
        assert!(header.contains("'<c8'") && header.contains("'fortran_order': True"), "{header}");
        let values: Vec<f32> =
            bytes[n_header..].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(values.len(), 2 * 2 * 513 * n_frames);
        values
    };
    let centre = read("c.npy");
    // Fortran order: channel fastest, then bin, then frame. Channel 0 is 440 Hz, channel 1 is 770 Hz.
    let level = |values: &[f32], channel: usize, bin: usize, frame: usize| {
        let at = 2 * (channel + 2 * (bin + 513 * frame));
        values[at].hypot(values[at + 1])
    };
    let peak = |channel: usize| {
        (0..513).max_by(|&a, &b| level(&centre, channel, a, 40).total_cmp(&level(&centre, channel, b, 40)))
    };
    assert_eq!(peak(0), Some((440.0f64 * 1024.0 / 48_000.0).round() as usize));
    assert_eq!(peak(1), Some((770.0f64 * 1024.0 / 48_000.0).round() as usize));

    // The other phase turns every second bin by half a turn.
    place.done(&["stft", "in.wav", "-o", "s.npy", "--n-fft", "1024", "--window", "hamming", "--phase", "start"]);
    let start = read("s.npy");
    for (cell, (a, b)) in centre.chunks_exact(2).zip(start.chunks_exact(2)).enumerate() {
        let sign = if (cell / 2) % 513 % 2 == 1 { -1.0 } else { 1.0 };
        assert_eq!([a[0], a[1]], [sign * b[0], sign * b[1]]);
    }
    assert_ne!(centre, start);
    place.failed(&["stft", "in.wav", "-o", "x.npy", "--n-fft", "1000"]);
    place.failed(&["stft", "in.wav", "-o", "x.npy", "--hop", "100"]);
    place.failed(&["stft", "in.wav", "-o", "x.json"]);
    place.failed(&["stft", "in.wav", "-o", "x.txt"]);
    // What stands beside the output is replaced only if it is of the same kind.
    place.done(&["stft", "in.wav", "-o", "s.npy"]);
    place.write("x.json", r#"{"version": 1, "edits": []}"#);
    assert!(place.failed(&["stft", "in.wav", "-o", "x.npy"]).contains("is not the parameters"));
    assert_eq!(std::fs::read(place.path("x.json")).unwrap(), br#"{"version": 1, "edits": []}"#);
}

#[test]
fn image_writes_a_png_of_the_asked_size() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 2, 44_100));
    let size = |name: &str| {
        let bytes = std::fs::read(place.path(name)).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        [side(16), side(20)]
    };
    place.done(&["image", "in.wav", "-o", "a.png"]);
    assert_eq!(size("a.png"), [1280, 640]);
    place.done(&[
        "image",
        "in.wav",
        "-o",
        "b.png",
        "--size",
        "200x100",
        "--range",
        "-80,-10",
        "--time",
        "0.1,0.6",
        "--frequency",
        "100,8000",
        "--channel",
        "side",
        "--axis",
        "mel",
        "--colormap",
        "magma",
        "--plane",
        "phase",
    ]);
    assert_eq!(size("b.png"), [200, 100]);
    place.done(&["image", "in.wav", "-o", "c.png", "--raw", "--n-fft", "256", "--channel", "1"]);
    assert_eq!(size("c.png"), [44_100u32.div_ceil(64) + 1, 129]);
    // Near enough for cells of many pixels: bare by default, and only their magnitude.
    let near = |name: &str, more: &[&str]| {
        let view = ["image", "in.wav", "-o", name, "--size", "60x120", "--time", "0.1,0.15", "--frequency", "500,900"];
        place.done(&[&view, more].concat());
        std::fs::read(place.path(name)).unwrap()
    };
    assert_ne!(near("e.png", &[]), near("f.png", &["--smooth"]));
    let [bare, smooth] = [&["--plane", "phase"][..], &["--plane", "phase", "--smooth"]].map(|more| near("g.png", more));
    assert!(bare == smooth, "a phase is never blended");
    place.failed(&["image", "in.wav", "-o", "d.png", "--channel", "7"]);
    place.failed(&["image", "in.wav", "-o", "d.png", "--range", "0,-100"]);
    assert!(!place.path("d.png").exists());
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let place = Place::new();
    for arguments in [
        &["paint"] as &[&str],
        &["paint", "in.wav", "--new", "1,48000,1", "--script", "s", "-o", "o"],
        &["paint", "in.wav", "--script", "s", "-o", "o", "--format", "mp3"],
        &["image", "in.wav", "-o", "o.png", "--axis", "sideways"],
        &["image", "in.wav", "-o", "o.png", "--range", "-100"],
        &["image", "in.wav", "-o", "o.png", "--size", "big"],
        &["image", "in.wav", "-o", "o.png", "--smooth", "--raw"],
        &["info"],
        &["--engine", "tpu", "devices"],
        &["--no-such-option"],
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(output.stdout, b"");
        assert_ne!(output.stderr, b"");
    }
    assert!(place.done(&["--help"]).contains("paint"));
    assert!(place.done(&["--version"]).starts_with("sonobrush "));
}

#[test]
fn config_shows_where_each_value_comes_from() {
    let place = Place::new();
    let folder = place.path(".config/sonobrush");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), r#"{"version": 1, "history_mb": 77, "engine": "gpu"}"#).unwrap();
    let config = place.json(&["config", "--json", "--adapter", "llvm"]);
    let setting = |config: &Value, name: &str| {
        let settings = config["settings"].as_array().unwrap().clone();
        settings.into_iter().find(|setting| setting["name"] == name).unwrap()
    };
    for (name, value, origin) in [
        ("history_mb", json!(77), "file"),
        ("engine", json!("cpu"), "environment"),
        ("adapter", json!("llvm"), "command_line"),
        ("log_level", json!("info"), "default"),
    ] {
        let shown = setting(&config, name);
        assert_eq!((&shown["value"], shown["origin"].as_str()), (&value, Some(origin)), "{name}");
    }
    assert!(place.done(&["config"]).contains("history_mb"));
    assert!(config["file"].as_str().unwrap().ends_with("settings.json"));

    std::fs::write(folder.join("settings.json"), "{\"engine\": ").unwrap();
    let config = place.json(&["config", "--json"]);
    assert_eq!(config["notices"].as_array().unwrap().len(), 1);
    assert!(folder.join("settings.json.damaged").exists());
    assert_eq!(place.json(&["config", "--json"])["notices"], json!([]), "told once");

    let output = place.command(&["config"]).env("SONOBRUSH_LOG", "shouting").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    let mut child = place.command(&["config", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stderr, b"");
    // A full disk is one.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["config"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_log_says_what_failed() {
    let place = Place::new();
    place.failed(&["info", "missing.wav"]);
    let config = place.json(&["config", "--json"]);
    let log = PathBuf::from(config["log"].as_str().unwrap());
    assert!(std::fs::read_to_string(&log).unwrap().contains("missing.wav"));
    // A large log is set aside at the next start.
    std::fs::write(&log, vec![b'x'; (1 << 20) + 1]).unwrap();
    place.failed(&["info", "missing.wav"]);
    assert!(std::fs::metadata(&log).unwrap().len() < 10_000);
    assert!(log.with_extension("log.1").exists());
}

#[test]
fn devices_answer_without_a_sound_server() {
    let place = Place::new();
    let mut command = place.command(&["devices", "--json"]);
    // Without a runtime folder Mesa's Vulkan driver itself complains on standard error.
    command.env("PULSE_SERVER", "unix:/nonexistent").env("XDG_RUNTIME_DIR", place.folder.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let devices: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(devices["engine"], "cpu");
    assert!(
        devices["adapters"].is_array() && devices["audio_outputs"].is_array() && devices["audio_inputs"].is_array()
    );
    assert!(!devices["why"].as_str().unwrap().is_empty());
    for adapter in devices["adapters"].as_array().unwrap() {
        let bytes = &adapter["memory_bytes"];
        let is_vulkan = adapter["backend"] == "Vulkan";
        assert!(bytes.is_null() && !is_vulkan || bytes.as_u64().is_some_and(|n| n >= 64 << 20), "{adapter}");
        let is_software = adapter["device_type"] == "Cpu";
        assert!(!is_software || adapter["memory_kind"] == "shared", "{adapter}");
        assert!(adapter["threads"].as_u64().unwrap() >= 128 && adapter["timestamps"].is_boolean(), "{adapter}");
    }
}

#[test]
fn outputs_that_would_mislead_or_destroy_are_refused_before_any_work() {
    let place = Place::new();
    let clip = crate::support::wav::clip("crow_44k_mono.flac");
    let clip = clip.to_str().unwrap();
    place.write("s.json", r#"{"version": 1, "edits": []}"#);
    let said = place.failed(&["paint", clip, "--script", "s.json", "-o", "same.wav", "--report", "same.wav"]);
    assert!(said.contains("output file"), "{said}");
    place.failed(&["paint", clip, "--script", "s.json", "-o", "o.wav", "--report", "nowhere/r.json"]);
    let said = place.failed(&["paint", clip, "--script", "s.json", "-o", "o.m4a"]);
    assert!(said.contains(".wav"), "{said}");
    let said = place.failed(&["image", clip, "-o", "o.jpg"]);
    assert!(said.contains(".png"), "{said}");
    place.failed(&["image", clip, "-o", "o.png", "--size", "32768x32768"]);
    assert_eq!(place.names().iter().filter(|name| name.starts_with("o.") || name.starts_with("same")).count(), 0);
    place.write("l.csv", "start_s,end_s,label\n0.01,0.02,caw\n");
    let in_no_folder: &[&[&str]] = &[
        &["paint", clip, "--script", "s.json", "-o", "nowhere/o.wav"],
        &["export", clip, "-o", "nowhere/o.flac"],
        &["stft", clip, "-o", "nowhere/o.npy"],
        &["transform", clip, "-o", "nowhere/o.npy"],
        &["image", clip, "-o", "nowhere/o.png"],
        &["labels", "l.csv", "-o", "nowhere/o.srt"],
        &["measure", clip, "--labels", "l.csv", "-o", "nowhere/o.csv"],
        &["save", clip, "-o", "nowhere/o.sonobrush"],
        &["export", clip, "-o", "o.parts", "--by-label", "--labels", "l.csv", "--manifest", "nowhere/o.csv"],
    ];
    for command in in_no_folder {
        let said = place.failed(command);
        assert!(said.contains("its folder must exist") && said.contains("nowhere"), "{command:?}: {said}");
    }
    // Control: what is right is done.
    place.done(&["paint", clip, "--script", "s.json", "-o", "o.wav", "--report", "r.json"]);
    assert_eq!(place.names().iter().filter(|name| name.starts_with("o.")).count(), 1, "{:?}", place.names());
}

#[test]
fn scripts_are_regular_files_and_complaints_stay_short() {
    let place = Place::new();
    let clip = crate::support::wav::clip("crow_44k_mono.flac");
    let clip = clip.to_str().unwrap();
    place.failed(&["paint", clip, "--script", "/dev/zero", "-o", "o.wav"]);
    place.failed(&["paint", clip, "--script", place.folder.path().to_str().unwrap(), "-o", "o.wav"]);
    let huge = "x".repeat(1 << 20);
    place.write("s.json", format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "{huge}"}}}}]}}"#));
    let said = place.failed(&["paint", clip, "--script", "s.json", "-o", "o.wav"]);
    assert!(said.contains("edits[0].brush.kind") && said.len() < 1000, "{} bytes", said.len());
    // A byte order mark is no reason to refuse.
    place.write("bom.json", "\u{feff}{\"version\": 1, \"edits\": []}");
    place.done(&["paint", clip, "--script", "bom.json", "-o", "o.wav"]);
}

#[test]
fn a_reserve_that_leaves_no_room_is_told_with_the_setting() {
    let place = Place::new();
    place.write("in.flac", crate::support::flac::constant(2, 0, (0..100).map(|block| block + 1)));
    let command = |reserve: &str| {
        let mut command = place.command(&["info", "in.flac"]);
        command.env("SONOBRUSH_SOURCE_MB", "1").env("SONOBRUSH_SCRATCH_RESERVE_MB", reserve).output().unwrap()
    };
    let output = command("1048576");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // On a disk with more than a terabyte free there is nothing to say.
    if sonobrush::base::free_bytes(place.folder.path()).is_some_and(|free| free < 1 << 40) {
        assert_eq!((output.status.code(), said.matches('\n').count()), (Some(1), 1), "{said}");
        assert!(said.contains("in.flac") && said.contains("scratch_reserve_mb"), "{said}");
    }
    let output = command("0");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = command("much");
    assert!(String::from_utf8_lossy(&output.stderr).contains("SONOBRUSH_SCRATCH_RESERVE_MB"));
    let settings = place.json(&["config", "--json"])["settings"].clone();
    let named = |one: &Value| one["name"] == "scratch_reserve_mb" && one["value"].is_null();
    assert!(settings.as_array().unwrap().iter().any(named), "{settings}");
}

#[test]
fn an_endless_push_is_refused_at_once() {
    let place = Place::new();
    let clip = crate::support::wav::clip("guitar_chord_44k_stereo.flac");
    // To and fro across ten seconds, three thousand times, with a brush that covers all of it.
    let points: Vec<String> = (0..6000).map(|i| format!("[{}, 1000, 1]", if i % 2 == 0 { 0.0 } else { 9.9 })).collect();
    let stroke = format!(r#"{{"points": [{}], "radius": [5.0, 20000.0]}}"#, points.join(","));
    let brush = r#"{"kind": "warp", "mode": "push"}"#;
    place.write("s.json", format!(r#"{{"version": 1, "edits": [{{"brush": {brush}, "stroke": {stroke}}}]}}"#));
    let began = std::time::Instant::now();
    let said = place.failed(&["paint", clip.to_str().unwrap(), "--script", "s.json", "-o", "o.wav"]);
    assert!(said.contains("push"), "{said}");
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

/// Ctrl+C in the middle of writing: the old file stays, and nothing else is left.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let place = Place::new();
    place.write("s.json", r#"{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": -6}}]}"#);
    place.write("o.wav", b"old");
    let arguments = ["paint", "--new", "600,48000,2", "--script", "s.json", "-o", "o.wav"];
    let mut child = place.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    // Silence of that length takes seconds; the signal comes as soon as there is something to leave behind, or soon.
    let is_writing = || place.names().iter().any(|name| name.starts_with(".sonobrush"));
    for _ in 0..400 {
        if is_writing() || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signalled = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    if signalled.success() && !status.success() {
        assert_eq!(status.code(), Some(1));
        assert_eq!(std::fs::read(place.path("o.wav")).unwrap(), b"old");
    }
    assert!(!is_writing(), "{:?}", place.names());
}

#[test]
fn a_mistyped_command_is_told_with_those_that_are_close() {
    let place = Place::new();
    let output = place.run(&["piant", "in.wav", "--script", "s.json", "-o", "out.wav"]);
    assert_eq!(output.status.code(), Some(2));
    let output = place.run(&["piant"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("'piant'") && stderr.contains("'paint'"), "{stderr}");
    for (word, name) in [("pain", "paint"), ("INFO", "info"), ("devcies", "devices")] {
        let output = place.run(&[word]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{word}: {stderr}");
        assert!(stderr.contains(&format!("'{name}'")), "{word}: {stderr}");
    }
    // Too far from any command to be a typing error: starts the studio, which without a display fails once, in one
    // line.
    for words in [&["glitter"][..], &["glitter", "--verbose"], &["drums"], &["a"], &["inform.wav"]] {
        let mut command = place.command(words);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(stderr.matches("there is no display").count(), 1, "{stderr}");
        assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
        // The log keeps the reason.
        let log = std::fs::read_to_string(place.path(".local/state/sonobrush/sonobrush.log")).unwrap();
        assert!(log.contains("there is no display"), "{log}");
    }
    // A file of that name is a file: without a display the studio fails for another reason.
    place.write("piant", "only words");
    let mut command = place.command(&["piant"]);
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && !stderr.contains("paint'"), "{stderr}");
}

/// Stacks that do not fit into any address space: the system gives the program no thread at all.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn without_a_thread_every_command_works_or_says_why() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 2, 44_100));
    place.write("s.json", ERASE);
    let commands: [&[&str]; 5] = [
        &["paint", "in.wav", "--script", "s.json", "-o", "out.wav"],
        &["save", "in.wav", "--script", "s.json", "-o", "out.sonobrush"],
        &["image", "in.wav", "-o", "out.png"],
        &["stft", "in.wav", "-o", "out.npy"],
        &["export", "in.wav", "-o", "out2.wav"],
    ];
    let without = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("RUST_MIN_STACK", (1u64 << 47).to_string());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for arguments in commands {
        let out = place.path(arguments[arguments.len() - 1]);
        place.done(arguments);
        let wanted = std::fs::read(&out).unwrap();
        std::fs::remove_file(&out).unwrap();
        assert_eq!(without(arguments), (Some(0), String::new()), "{arguments:?}");
        // A project holds the time at which it was written.
        assert!(arguments[0] == "save" || std::fs::read(&out).unwrap() == wanted, "{arguments:?}");
    }
    for arguments in [&["info", "in.wav"][..], &["verify", "out.sonobrush"], &["config"]] {
        assert_eq!(without(arguments), (Some(0), String::new()), "{arguments:?}");
    }
    // A session asks for its thread with each edit, and says in the end that there was none.
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() {
        let (code, said) = without(&["run-session", "in.wav", "--script", "s.json"]);
        assert!(
            code == Some(1) && said.matches('\n').count() == 1 && said.contains("no thread could be started"),
            "{said}"
        );
    }
    let (code, said) = without(&[]);
    assert!(code == Some(1) && said.matches('\n').count() == 1 && said.contains("ulimit"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["--help"]).stdout(full).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert_eq!(place.run(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_trace_is_written_beside_what_a_command_does() {
    let place = Place::new();
    place.write("in.wav", wav(44_100, 1, 44_100));
    place.write(
        "s.json",
        json!({"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"time": [0.2, 0.4]}}]}).to_string(),
    );
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--trace", "trace.json"]);
    let trace: Value = serde_json::from_slice(&std::fs::read(place.path("trace.json")).unwrap()).unwrap();
    crate::support::traces::check_chrome(&trace);
    let table = std::fs::read_to_string(place.path("trace.txt")).unwrap();
    for span in ["command", "open a file", "apply", "erase", "difference", "cpu stft", "export"] {
        assert!(trace["traceEvents"].as_array().unwrap().iter().any(|event| event["name"] == span), "{span}");
        assert!(table.contains(span), "{span} in {table}");
    }
    // Nothing of the user's is replaced by a trace.
    let said = place.failed(&["info", "in.wav", "--trace", "in.wav"]);
    assert!(said.contains("in.wav") && said.contains(".json"), "{said}");
    assert_eq!(std::fs::read(place.path("in.wav")).unwrap(), wav(44_100, 1, 44_100));
}

/// Quick measurements: their names, their figures, and their comparison with a baseline.
#[test]
fn bench_compares_with_a_baseline() {
    let place = Place::new();
    let measured = place.done(&["bench", "--json", "--only", "gain_128x128"]);
    let report: Value = serde_json::from_str(&measured).unwrap();
    let line = &report["results"][0];
    assert_eq!(report["results"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!((line["name"].as_str(), line["engine"].as_str()), (Some("gain_128x128"), Some("cpu")));
    assert!(line["median_ms"].as_f64().unwrap() > 0.0 && line["gpu_ms"].is_null() && line["runs"].as_u64() >= Some(3));
    // Doctored: as if it had been a hundred times as fast, without any scatter; and as slow.
    let doctored = |factor: f64| {
        let mut baseline = report.clone();
        let median_ms = line["median_ms"].as_f64().unwrap() * factor;
        baseline["results"][0]["median_ms"] = json!(median_ms);
        baseline["results"][0]["mad_ms"] = json!(0.0);
        baseline.to_string()
    };
    place.write("fast.json", doctored(0.01));
    place.write("slow.json", doctored(100.0));
    let bench = ["bench", "--json", "--only", "gain_128x128", "--baseline"];
    place.done(&[&bench[..], &["slow.json"]].concat());
    // A run whose times scatter by as much as they differ says nothing.
    let mut runs = (0..4).map(|_| place.run(&[&bench[..], &["fast.json"]].concat()));
    let output = runs.find(|output| output.status.code() != Some(0)).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("slower than the baseline: gain_128x128 on the cpu"), "{said}");
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok(), "the results are printed all the same");
    place.write("no.json", "{}");
    let said = place.failed(&[&bench[..], &["no.json"]].concat());
    assert!(said.contains("no.json") && said.contains("sonobrush bench --json"), "{said}");
}

/// What a painter waits for can be measured on any machine.
#[test]
fn bench_measures_the_studio() {
    let place = Place::new();
    for name in ["release_to_ring", "undo", "stft_2048_512_2s_stereo"] {
        let report = place.json(&["bench", "--json", "--only", name]);
        assert_eq!(report["results"][0]["name"], name);
        assert!(report["results"][0]["median_ms"].as_f64().unwrap() > 0.0, "{report}");
    }
}
