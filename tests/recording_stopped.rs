//! A recording whose process is stopped and continued, as by Ctrl+Z and `fg`, goes on: with a sound server, whose
//! client waits in a call that this interrupts.
#![cfg(target_os = "linux")]

use super::support::program::{Place, has_program};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SECS: f64 = 2.5;
const RATE_HZ: f64 = 44_100.0;

/// A sound server of its own, with an output that is heard nowhere and an input that records it.
struct Server(Child);

impl Server {
    fn start(place: &Place) -> Server {
        use std::os::unix::fs::PermissionsExt;
        let runtime = place.path("run");
        std::fs::create_dir(&runtime).unwrap();
        std::fs::set_permissions(&runtime, PermissionsExt::from_mode(0o700)).unwrap();
        let mut command = place.other("pulseaudio");
        command.env("XDG_RUNTIME_DIR", &runtime).stdout(Stdio::null()).stderr(Stdio::null());
        command.args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes"]);
        command.args(["-L", "module-native-protocol-unix auth-anonymous=1"]);
        command.args(["-L", &format!("module-null-sink sink_name=n rate={RATE_HZ}")]);
        let server = Server(command.spawn().unwrap());
        wait_for(&runtime.join("pulse/native"));
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_recording_that_was_stopped_and_continued_goes_on() {
    if !has_program("pulseaudio") {
        return;
    }
    let place = Place::new();
    let server = Server::start(&place);
    let mut command = place.command(&["record", "-o", "r.wav", "--secs", &SECS.to_string()]);
    command.env("XDG_RUNTIME_DIR", place.path("run")).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for(&place.path("r.wav"));
    // Once nothing is pending, and again at once.
    for pause_millis in [300, 50] {
        std::thread::sleep(Duration::from_millis(400));
        signal(&child, "-STOP");
        std::thread::sleep(Duration::from_millis(pause_millis));
        signal(&child, "-CONT");
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let info: serde_json::Value = serde_json::from_str(&place.done(&["info", "r.wav", "--json"])).unwrap();
    let secs = info["duration_secs"].as_f64().unwrap();
    assert!((secs - SECS).abs() < 1e-3, "{secs} s instead of {SECS}: {said}");
    // Control: a server that is gone is still reported.
    let mut command = place.command(&["record", "-o", "s.wav", "--secs", "60"]);
    command.env("XDG_RUNTIME_DIR", place.path("run")).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for(&place.path("s.wav"));
    std::thread::sleep(Duration::from_millis(300));
    drop(server);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("everything up to there was kept"), "{output:?}");
}
