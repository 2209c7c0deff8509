//! What goes wrong around the real window: signals, panics, devices and servers that go away.

use super::rig::{Rig, python, wait_for};
use super::signals::{tone, write_wav};
use super::studio::{Studio, is_at_rest, notices};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Beside the 1 s that is promised, what two busy cores and a debug build take to notice.
const CLOSING: Duration = Duration::from_millis(2500);
/// Maximum load of one core while nothing can be played.
const MAX_LOAD: f64 = 0.05;

fn sound(rig: &Rig, secs: usize) -> PathBuf {
    let file = rig.path(&format!("faults-{secs}.wav"));
    if !file.exists() {
        write_wav(&file, 48_000, &tone(secs * 48_000, 48_000.0, 440.0, 0.3));
    }
    file
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

/// Seconds of processor time that a process has had.
fn cpu_secs(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // User and system time, in hundredths of a second.
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

/// Waits until a process takes next to nothing: meters fall and notices fade for some seconds. A device that calls for
/// its error again and again never lets it rest.
fn comes_to_rest(studio: &Studio<'_>) {
    let mut loads = Vec::new();
    for _ in 0..8 {
        let before = cpu_secs(studio.pid());
        std::thread::sleep(Duration::from_secs(2));
        loads.push((cpu_secs(studio.pid()) - before) / 2.0);
        if loads.last().is_some_and(|load| *load < MAX_LOAD) {
            return;
        }
    }
    panic!("parts of a core: {loads:?}");
}

fn paint(studio: &Studio<'_>) {
    studio.key("4");
    let pane = studio.pane();
    let [x, y] = [pane.x_at((pane.secs[0] + pane.secs[1]) / 2.0), pane.y_at(440.0)];
    studio.drag(&[[x, y], [x + 20, y], [x + 40, y]]);
    studio.wait_position(1);
}

fn test_command(studio: &Studio<'_>, name: &str) {
    studio.type_path(&format!("test:{name}"));
}

fn notice_with(studio: &Studio<'_>, words: &str) -> usize {
    studio.wait(words, |state| {
        let n = notices(state).filter(|notice| notice.contains(words)).count();
        (n > 0).then_some(n)
    })
}

/// Logout, Ctrl+C in a terminal and a polite kill close the window, with edits in it, and leave nothing half written.
pub fn signals_close_the_window(rig: &Rig) {
    for name in ["TERM", "INT", "HUP"] {
        let studio = rig.open(&sound(rig, 2));
        paint(&studio);
        let requested = Instant::now();
        signal(name, studio.pid());
        assert_eq!(studio.exit_code(), Some(0), "SIG{name}");
        assert!(requested.elapsed() < CLOSING, "SIG{name} took {:?}", requested.elapsed());
    }
    // While it plays.
    let studio = rig.open(&sound(rig, 30));
    studio.key("space");
    studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
    signal("TERM", studio.pid());
    assert_eq!(studio.exit_code(), Some(0));
}

/// The window comes back in the same process, on the same file with its edits, and says so; three times in a minute and
/// no more.
pub fn a_window_that_stops_is_opened_again(rig: &Rig) {
    let file = sound(rig, 2);
    let mut studio = rig.open_with(&file, |command| {
        command.env("SONOBRUSH_TEST_COMMANDS", "1").env("SONOBRUSH_ENGINE", "gpu");
    });
    let pid = studio.pid();
    paint(&studio);
    studio.wait("the edit to be kept", |state| (state["document"]["n_kept"] == 1).then_some(()));
    reports(rig).iter().for_each(|report| std::fs::remove_file(report).unwrap());
    for (round, name) in ["panic-ui", "destroy-device", "panic-ui"].into_iter().enumerate() {
        test_command(&studio, name);
        let path = studio.wait("the file, open again", |state| {
            (is_at_rest(state) && state["restarts"] == round + 1 && state["document"].is_object())
                .then(|| state["document"]["path"].clone())
        });
        assert_eq!((studio.pid(), path.as_str()), (pid, file.to_str()), "after {name}");
        studio.wait_position(1);
        notice_with(&studio, "stopped unexpectedly");
        assert_eq!(reports(rig).len(), [1, 1, 2][round], "a device that is lost is no crash");
        let engine = studio.state().unwrap()["engine"].as_str().unwrap_or_default().to_owned();
        assert_eq!(engine.starts_with("CPU engine"), round == 2, "restart {round}: {engine}");
        studio.find_window();
        studio.take_focus();
    }
    test_command(&studio, "panic-ui");
    assert_eq!(studio.exit_code(), Some(1));
}

/// The program that requested the edit learns the result, although the window was reopened in between.
pub fn an_edit_for_another_program_ends_with_its_code(rig: &Rig) {
    for saves in [true, false] {
        let file = rig.path(&format!("for-another-{saves}.wav"));
        write_wav(&file, 48_000, &tone(96_000, 48_000.0, 440.0, 0.3));
        let mut studio = rig.open_with(&file, |command| {
            command.arg("--edit").env("SONOBRUSH_TEST_COMMANDS", "1");
        });
        paint(&studio);
        if saves {
            studio.run_command("Save back");
            notice_with(&studio, "Saved back to");
        }
        test_command(&studio, "panic-ui");
        studio.wait("the file, open again", |state| {
            (is_at_rest(state) && state["restarts"] == 1 && state["document"].is_object()).then_some(())
        });
        studio.find_window();
        studio.take_focus();
        signal("TERM", studio.pid());
        assert_eq!(studio.exit_code(), Some(i32::from(!saves)), "saved: {saves}");
    }
}

/// Reports of crashes, the oldest first.
fn reports(rig: &Rig) -> Vec<PathBuf> {
    let found = std::fs::read_dir(rig.path("home").join(".local/state/sonobrush")).into_iter().flatten();
    let paths = found.map(|entry| entry.unwrap().path());
    let mut reports: Vec<PathBuf> =
        paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("crash-")).collect();
    reports.sort();
    reports
}

/// A panic that no thread survives ends the program; the next start has the report, which names nothing of the user's.
pub fn a_crash_leaves_a_report(rig: &Rig) {
    use std::os::unix::fs::PermissionsExt;
    reports(rig).iter().for_each(|report| std::fs::remove_file(report).unwrap());
    let file = rig.path("home").join("Board meeting.wav");
    write_wav(&file, 48_000, &tone(48_000, 48_000.0, 440.0, 0.3));
    let studio = rig.open_with(&file, |command| {
        command.env("SONOBRUSH_TEST_COMMANDS", "1");
    });
    test_command(&studio, "panic-job");
    notice_with(&studio, "stopped unexpectedly");
    assert_eq!(reports(rig), [""; 0].map(PathBuf::from), "the program goes on");
    test_command(&studio, "panic-for-good");
    assert_eq!(studio.exit_code(), None, "it is aborted");
    let found = reports(rig);
    assert_eq!(found.len(), 1, "{found:?}");
    let text = std::fs::read_to_string(&found[0]).unwrap();
    let has = |line: &str| assert!(text.contains(line), "{line:?} is not in\n{text}");
    has("stopped unexpectedly on 20");
    has("Adapter: llvmpipe");
    has("Engine: CPU\nPanic: panic in a destructor during cleanup\n");
    has(", thread fatal\n");
    has("FailsToDrop");
    has("a test asked for a panic of sound 1\n");
    let home = rig.path("home").display().to_string();
    assert!(!text.contains("Board") && !text.contains(&home), "{text}");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&found[0]), mode(found[0].parent().unwrap())), (0o600, 0o700));

    let studio = rig.start_again();
    notice_with(&studio, "a report is in ");
    studio.take_focus();
    studio.click_control("Copy");
    notice_with(&studio, "Copied the report.");
    studio.click_control("Show folder");
    let shown = wait_for("the folder", || std::fs::read_to_string(studio.path("answers.shown")).ok());
    assert_eq!(shown, found[0].parent().unwrap().display().to_string());
}

/// A worker that panics loses its work, with a notice.
pub fn workers_that_panic_are_told(rig: &Rig) {
    let studio = rig.open_with(&sound(rig, 30), |command| {
        command.env("SONOBRUSH_TEST_COMMANDS", "1");
    });
    test_command(&studio, "panic-job");
    notice_with(&studio, "stopped unexpectedly");
    test_command(&studio, "panic-worker");
    notice_with(&studio, "was restarted");
    // Keys stay text for 0.3 s after a card closes: until then Space is text.
    std::thread::sleep(Duration::from_millis(400));
    studio.key("space");
    studio.wait("the sound to begin again", |state| (state["playing"] == true).then_some(()));
    studio.key("space");
    paint(&studio);
    studio.key("ctrl+z");
    studio.wait_position(0);
}

/// A server that is killed: playing stops where it was, one notice, no load; when it is back, the next play is heard.
pub fn a_sound_server_that_dies_is_told_once(rig: &Rig) {
    let server = rig.second_server("dies");
    let studio = rig.open_with(&sound(rig, 30), |command| {
        command.env("PULSE_SERVER", &server.address);
    });
    studio.key("space");
    studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
    let address = server.kill();
    studio.wait("the end of playing", |state| (state["playing"] == false).then_some(()));
    assert_eq!(notice_with(&studio, "The sound device was disconnected"), 1);
    comes_to_rest(&studio);
    let server = rig.second_server("dies");
    assert_eq!(server.address, address);
    studio.key("space");
    studio.wait("the sound to begin again", |state| (state["playing"] == true).then_some(()));
    studio.key("space");
}

/// A server that stands still, as at a suspend: the watchdog ends playing; when the server goes on, so does the user.
pub fn a_sound_server_that_stands_still_is_told(rig: &Rig) {
    let server = rig.second_server("stalls");
    let studio = rig.open_with(&sound(rig, 30), |command| {
        command.env("PULSE_SERVER", &server.address);
    });
    studio.key("space");
    studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
    signal("STOP", server.pid);
    studio.wait("the watchdog", |state| (state["playing"] == false).then_some(()));
    assert_eq!(notice_with(&studio, "stopped responding"), 1);
    comes_to_rest(&studio);
    signal("CONT", server.pid);
    studio.key("space");
    studio.wait("the sound to begin again", |state| (state["playing"] == true).then_some(()));
    studio.key("space");
}

/// Without any sound system everything but playing works, and play says why.
pub fn without_sound_everything_else_works(rig: &Rig) {
    let studio = rig.open_with(&sound(rig, 2), |command| {
        command.env("PULSE_SERVER", "unix:/nonexistent");
    });
    studio.key("space");
    assert_eq!(notice_with(&studio, "No sound device found."), 1);
    paint(&studio);
    comes_to_rest(&studio);
    assert!(studio.export("silent.wav").exists());
}

/// A display that is killed takes the window with it, at once: nothing hangs and nothing spins.
pub fn a_display_that_dies_ends_the_window(rig: &Rig) {
    let display = rig.second_display();
    let studio = rig.start_unseen(&[&sound(rig, 2)], |command| {
        command.env("DISPLAY", &display.name);
    });
    studio.wait("the file on the canvas", |state| (state["document"].is_object() && is_at_rest(state)).then_some(()));
    drop(display);
    let began = Instant::now();
    let code = studio.exit_code();
    assert!(code != Some(0) && began.elapsed() < Duration::from_secs(10), "{code:?} after {:?}", began.elapsed());
}

/// Sets resources of a display's root window, as `xrdb` does.
fn set_resources(display: &str, text: &str) {
    let script = "import sys, Xlib.display, Xlib.Xatom as a\n\
        d = Xlib.display.Display(sys.argv[1])\n\
        d.screen().root.change_property(a.RESOURCE_MANAGER, a.STRING, 8, sys.argv[2].encode())\n\
        d.sync()";
    let status = Command::new(python()).args(["-c", script, display, text]).status().unwrap();
    assert!(status.success());
}

/// A scale that no desktop should state, but some do: the window opens.
pub fn a_display_with_a_broken_scale_has_a_window(rig: &Rig) {
    let display = rig.second_display();
    let cases = [("0", ""), ("-96", ""), ("nan", ""), ("1e9", ""), ("96", "large"), ("96", "-2")];
    for (dpi, scale) in cases {
        set_resources(&display.name, &format!("Xft.dpi:\t{dpi}\n"));
        let studio = rig.start_unseen(&[&sound(rig, 1)], |command| {
            command.env("DISPLAY", &display.name).env("WINIT_X11_SCALE_FACTOR", scale);
        });
        wait_for(&format!("a window at {dpi} dpi, scale {scale:?}"), || {
            assert_eq!(studio.ended(), None, "{dpi} dpi, scale {scale:?}: {}", stderr_of(&studio));
            studio.state().filter(|state| state["document"].is_object())
        });
    }
}

fn stderr_of(studio: &Studio<'_>) -> String {
    std::fs::read_to_string(studio.path("stderr.log")).unwrap()
}

/// Desktops keep the name of a Wayland compositor that is gone; an X server that answers has the window then. One that
/// lacks what the window needs is refused in a sentence.
pub fn a_display_that_does_not_answer_is_passed_over(rig: &Rig) {
    let studio = rig.open_with(&sound(rig, 1), |command| {
        command.env("WAYLAND_DISPLAY", "wayland-gone");
    });
    comes_to_rest(&studio);
    let refused = |change: &dyn Fn(&mut Command)| {
        let studio = rig.start_unseen(&[&sound(rig, 1)], |command| change(command));
        assert_eq!(wait_for("the refusal", || studio.ended()), Some(1));
        let text = stderr_of(&studio);
        assert!(text.lines().count() == 1 && !text.contains(".rs"), "{text}");
        text
    };
    let text = refused(&|command| {
        command.env("WAYLAND_DISPLAY", "wayland-gone").env_remove("DISPLAY");
    });
    assert!(text.contains("Wayland compositor does not answer"), "{text}");
    let text = refused(&|command| {
        command.env("DISPLAY", ":4711");
    });
    assert!(text.contains("X server :4711 does not answer"), "{text}");
    let bare = Rig::display_with(&["-extension", "RANDR"]);
    let text = refused(&|command| {
        command.env("DISPLAY", &bare.name);
    });
    assert!(text.contains("lacks the extension RANDR"), "{text}");
}

/// Without Vulkan the window opens on what else there is, or one sentence says what to install.
pub fn without_vulkan_it_opens_or_says_why(rig: &Rig) {
    let studio = rig.start_unseen(&[&sound(rig, 2)], |command| {
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    });
    let outcome = wait_for("a window, or its refusal", || match studio.ended() {
        Some(code) => Some(Some(code)),
        None => studio.state().filter(|state| state["document"].is_object() && is_at_rest(state)).map(|_| None),
    });
    if let Some(code) = outcome {
        let said = std::fs::read_to_string(studio.path("stderr.log")).unwrap();
        assert!(code == Some(1) && said.contains("mesa-vulkan-drivers"), "{code:?}: {said}");
    }
}

/// Sizes that no user chooses, and many of them.
pub fn a_storm_of_sizes_is_survived(rig: &Rig) {
    let mut studio = rig.open(&sound(rig, 2));
    for step in 0..40u32 {
        studio.resize([640 + (step * 97) % 700, 340 + (step * 61) % 600]);
    }
    studio.resize([1, 1]);
    studio.minimise_and_restore();
    studio.resize([1280, 800]);
    studio.take_focus();
    studio.wait("rest at the last size", |state| {
        let is_last = state["size"] == serde_json::json!([1280.0, 800.0]);
        (is_last && is_at_rest(state)).then_some(())
    });
    paint(&studio);
}

/// The size changes while jobs submit to the window's own device: no command is rejected, and the last size is drawn.
pub fn sizes_change_while_the_device_computes(rig: &Rig) {
    let mut studio = rig.start_unseen(&[&sound(rig, 20)], |command| _ = command.env("SONOBRUSH_ENGINE", "gpu"));
    studio.find_window();
    for step in 0..20u32 {
        studio.resize([640 + (step * 97) % 700, 340 + (step * 61) % 600]);
    }
    studio.resize([1280, 800]);
    studio.take_focus();
    studio.wait("rest at the last size", |state| {
        let is_last = state["size"] == serde_json::json!([1280.0, 800.0]);
        (is_last && state["document"].is_object() && is_at_rest(state)).then_some(())
    });
    let state = studio.state().unwrap();
    assert_eq!(notices(&state).collect::<Vec<_>>(), [""; 0]);
    let log = std::fs::read_to_string(studio.path("stderr.log")).unwrap();
    assert!(!log.contains("ERROR"), "{log}");
}
