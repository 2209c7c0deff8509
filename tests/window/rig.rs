//! A display, a window manager and a sound server of the tests' own, and the program among them.

use super::server::Server;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Software rendering of a debug build on two busy cores.
pub const PATIENCE: Duration = Duration::from_secs(90);

const PROGRAMS: [&str; 9] = ["Xvfb", "openbox", "xdotool", "wmctrl", "import", "pulseaudio", "parec", "pacat", "pactl"];

/// Names the program to test instead of the one that was built with the tests.
const PROGRAM_VARIABLE: &str = "SONOBRUSH_TEST_PROGRAM";

/// The program under test.
///
/// # Panics
/// If it lacks what the tests see of it.
fn program() -> std::ffi::OsString {
    let program = std::env::var_os(PROGRAM_VARIABLE).unwrap_or_else(|| env!("CARGO_BIN_EXE_sonobrush").into());
    // A command that only they bring; without it the program's own help is shown.
    let help = output_of(Command::new(&program).args(["run-session", "--help"]));
    let has_hooks = String::from_utf8_lossy(&help.stdout).contains("--undo-every");
    assert!(has_hooks, "{program:?} was built without its hooks: cargo build --release --features hooks");
    program
}

/// Picture of the display when a case failed.
const EVIDENCE: &str = "evidence.png";

/// Ends its process with itself.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The machine around the program.
pub struct Rig {
    folder: tempfile::TempDir,
    program: std::ffi::OsString,
    display: String,
    sound: RefCell<Server>,
    /// Of the last program started, for evidence.
    last: RefCell<Option<PathBuf>>,
    _processes: [Running; 2],
}

/// Waits until `look` finds something.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn output_of(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

impl Rig {
    /// Programs that this machine lacks.
    pub fn missing_programs() -> Vec<&'static str> {
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
        let is_there = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
        PROGRAMS.into_iter().filter(|name| !is_there(name)).collect()
    }

    pub fn start() -> Rig {
        let program = program();
        let folder = tempfile::tempdir().unwrap();
        let (xvfb, display) = start_display();
        let openbox = Command::new("openbox")
            .env("DISPLAY", &display)
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path().join("openbox"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let openbox = Running(openbox);
        wait_for("the window manager", || {
            output_of(Command::new("wmctrl").arg("-m").env("DISPLAY", &display)).status.success().then_some(())
        });
        let sound = Server::start(&folder.path().join("pulse"), &display);
        let rig = Rig {
            program,
            sound: RefCell::new(sound),
            display,
            last: RefCell::default(),
            _processes: [openbox, xvfb],
            folder,
        };
        std::fs::create_dir_all(rig.path("home")).unwrap();
        rig.wait_for_sound();
        rig
    }

    fn wait_for_sound(&self) {
        // The first client makes the cookie that later ones need.
        wait_for("the sound server", || {
            self.command("pactl").arg("info").output().unwrap().status.success().then_some(())
        });
    }

    /// Starts the sound server again if it has ended, which is no fault of the program: a client cannot end one. Tells
    /// whether it had.
    pub fn revive_sound(&self) -> bool {
        if self.sound.borrow().is_running() {
            return false;
        }
        println!("  the sound server ended: {}", self.sound.borrow().last_words());
        let again = Server::start(&self.path("pulse"), &self.display);
        *self.sound.borrow_mut() = again;
        self.wait_for_sound();
        true
    }

    /// A file in the rig's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command on the rig's display and sound server, with nothing of the user's.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear();
        for name in ["PATH", "LD_LIBRARY_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "RUST_BACKTRACE", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.path("home")).env("XDG_RUNTIME_DIR", self.path("pulse"));
        command.env("DISPLAY", &self.display).env("PULSE_SERVER", &self.sound.borrow().address);
        command
    }

    /// Opens the studio on a file and waits until it is seen.
    pub fn open(&self, file: &Path) -> Studio<'_> {
        let studio = self.start_studio(&[file]);
        studio.wait("the file on the canvas", |state| {
            let is_open = state["document"].is_object() && is_at_rest(state);
            is_open.then_some(())
        });
        studio.take_focus();
        studio
    }

    /// Whether the program under test is an optimised build, which `SONOBRUSH_TEST_PROGRAM` names.
    pub fn is_optimised(&self) -> bool {
        std::env::var_os(PROGRAM_VARIABLE).is_some()
    }

    /// The same with something else about the command.
    pub fn open_with(&self, file: &Path, change: impl FnOnce(&mut Command)) -> Studio<'_> {
        let mut studio = self.start_unseen(&[file], change);
        studio.find_window();
        studio.wait("the file on the canvas", |state| {
            let is_open = state["document"].is_object() && is_at_rest(state);
            is_open.then_some(())
        });
        studio.take_focus();
        studio
    }

    /// Another server of sound, which a test may end.
    pub fn second_server(&self, name: &str) -> Server {
        Server::start(&self.path(name), &self.display)
    }

    /// Another display, which a test may end by dropping it.
    pub fn second_display(&self) -> Display {
        let (xvfb, name) = start_display();
        Display { name, _process: xvfb }
    }

    /// Starts the studio.
    pub fn start_studio(&self, files: &[&Path]) -> Studio<'_> {
        let mut studio = self.start_unseen(files, |_| ());
        studio.find_window();
        studio
    }

    /// The same without looking for its window.
    pub fn start_unseen(&self, files: &[&Path], change: impl FnOnce(&mut Command)) -> Studio<'_> {
        let folder = tempfile::tempdir_in(self.folder.path()).unwrap().keep();
        let log = std::fs::File::create(folder.join("stderr.log")).unwrap();
        // Each starts as new: what the one before remembers is not its own.
        std::fs::remove_dir_all(self.path("home").join(".config/sonobrush")).ok();
        // It ended by a kill, and would offer its session.
        let state = self.path("home").join(".local/state/sonobrush");
        ["sessions", "recordings"].iter().for_each(|name| drop(std::fs::remove_dir_all(state.join(name))));
        let mut command = self.command(&self.program);
        command.args(files).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command.env("SONOBRUSH_STATE_FILE", folder.join("state.json"));
        command.env("SONOBRUSH_DIALOG_ANSWERS", folder.join("answers"));
        command.env("SONOBRUSH_FRAMES_FILE", folder.join("frames"));
        change(&mut command);
        let child = RefCell::new(Running(command.spawn().unwrap()));
        *self.last.borrow_mut() = Some(folder.clone());
        Studio { rig: self, child, folder, window: String::new() }
    }

    /// Leaves a picture of the display and the program's log where the failure can be read.
    pub fn keep_evidence(&self, name: &str) {
        let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        if std::fs::copy(self.path(EVIDENCE), &picture).is_ok() {
            println!("  the display: {}", picture.display());
        }
        let Some(last) = self.last.borrow().clone() else { return };
        for file in ["state.json", "stderr.log"] {
            let text = std::fs::read_to_string(last.join(file)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            println!("  {file}: {}", lines[lines.len().saturating_sub(20)..].join("\n    "));
        }
    }
}

impl Drop for Studio<'_> {
    fn drop(&mut self) {
        // While the window is still there.
        if std::thread::panicking() {
            let picture = self.rig.path(EVIDENCE);
            self.rig.command("import").args(["-window", "root"]).arg(picture).status().ok();
        }
    }
}

/// A display of its own, until it is dropped.
pub struct Display {
    pub name: String,
    _process: Running,
}

fn start_display() -> (Running, String) {
    let mut xvfb = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(xvfb.stdout.take().unwrap()).read_line(&mut number).unwrap();
    (Running(xvfb), format!(":{}", number.trim()))
}

/// Nothing that was ordered is in progress, and all that will be seen is seen. True of the state from before, too: ask only
/// once what was sent is known to be handled, as the methods of [`Studio`] that send it do.
pub fn is_at_rest(state: &Value) -> bool {
    state["settled"] == true && state["busy"] == false && state["painting"] == false
}

/// Input that the window counts.
#[derive(Clone, Copy)]
enum Sent {
    Keys,
    Characters,
    Presses,
    Releases,
    Wheel,
}

impl Sent {
    /// As the state calls it.
    fn name(self) -> &'static str {
        match self {
            Sent::Keys => "keys",
            Sent::Characters => "characters",
            Sent::Presses => "presses",
            Sent::Releases => "releases",
            Sent::Wheel => "wheel",
        }
    }
}

/// The program with its window.
pub struct Studio<'a> {
    rig: &'a Rig,
    child: RefCell<Running>,
    folder: PathBuf,
    window: String,
}

impl Studio<'_> {
    /// # Panics
    /// If the program has ended, with what it left.
    fn assert_running(&self, before: &str) {
        if let Some(status) = self.child.borrow_mut().0.try_wait().unwrap() {
            let log = std::fs::read_to_string(self.folder.join("stderr.log")).unwrap_or_default();
            panic!("the studio ended ({status}) before: {before}; {log}");
        }
    }

    /// Finds the window, which another may have taken the place of.
    pub fn find_window(&mut self) {
        self.window = wait_for("the window", || self.visible_window());
    }

    fn visible_window(&self) -> Option<String> {
        let mut search = self.rig.command("xdotool");
        let found = output_of(search.args(["search", "--onlyvisible", "--name", "Sonobrush"]));
        let text = String::from_utf8(found.stdout).unwrap();
        self.assert_running("the window");
        text.lines().next().map(str::to_owned)
    }

    /// The process, which stays the same when the window is opened again.
    pub fn pid(&self) -> u32 {
        self.child.borrow().0.id()
    }

    /// How it ended, if it has; a signal gives no code.
    pub fn ended(&self) -> Option<Option<i32>> {
        self.child.borrow_mut().0.try_wait().unwrap().map(|status| status.code())
    }

    /// Types into the field that has the keyboard.
    pub fn type_text(&self, text: &str) {
        self.wait("a field for text", |state| (state["is_typing"] == true).then_some(()));
        self.send(Sent::Characters, text.chars().count() as u64, &["type", "--delay", "20", text]);
    }

    pub fn resize(&self, size: [u32; 2]) {
        self.xdotool(&["windowsize", &self.window, &size[0].to_string(), &size[1].to_string()]);
    }

    /// Away and back. A window manager that is still busy with earlier requests may put the window away after it was asked
    /// back: it is asked until the window is seen, as a user would click again.
    pub fn minimise_and_restore(&mut self) {
        self.xdotool(&["windowminimize", "--sync", &self.window]);
        std::thread::sleep(Duration::from_millis(300));
        self.window = wait_for("the window back", || {
            self.xdotool(&["windowmap", "--sync", &self.window]);
            std::thread::sleep(Duration::from_millis(300));
            self.visible_window()
        });
    }

    /// The state as last written.
    pub fn state(&self) -> Option<Value> {
        serde_json::from_str(&std::fs::read_to_string(self.folder.join("state.json")).ok()?).ok()
    }

    /// Waits for a state, and gives what was found in it.
    pub fn wait<T>(&self, what: &str, look: impl Fn(&Value) -> Option<T>) -> T {
        wait_for(what, || {
            self.assert_running(what);
            look(&self.state()?)
        })
    }

    /// Waits until the history stands at `position` and everything is seen.
    pub fn wait_position(&self, position: u64) {
        self.wait(&format!("position {position} in the history"), |state| {
            (state["document"]["position"] == position && is_at_rest(state)).then_some(())
        });
    }

    /// Sends input and waits until the window has acted on it, has stopped or was opened anew: what is asked of its state
    /// from then on is no state from before.
    fn send(&self, what: Sent, n: u64, arguments: &[&str]) {
        let count = |state: &Value| state["input"][what.name()].as_u64().unwrap_or(0);
        let before = self.state().unwrap_or_default();
        let wanted = count(&before) + n;
        self.xdotool(arguments);
        wait_for(&format!("{} {wanted} of {arguments:?}", what.name()), || {
            let state = self.state().unwrap_or_default();
            let is_new = state["restarts"] != before["restarts"] && !before.is_null();
            (count(&state) >= wanted || is_new || self.ended().is_some()).then_some(())
        });
    }

    fn xdotool(&self, arguments: &[&str]) {
        let output = output_of(self.rig.command("xdotool").args(arguments));
        assert!(output.status.success(), "xdotool {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Keys go to this window from now on.
    pub fn take_focus(&self) {
        self.xdotool(&["windowactivate", "--sync", &self.window]);
    }

    /// Presses a key by its X name: `ctrl+z`, `space`, `4`.
    pub fn key(&self, name: &str) {
        self.send(Sent::Keys, 1, &["key", "--clearmodifiers", name]);
    }

    /// The same while a button is down, which `--clearmodifiers` would let go.
    pub fn key_under_button(&self, name: &str) {
        self.send(Sent::Keys, 1, &["key", name]);
    }

    /// Moves the pointer to a place in the window, in whole pixels.
    pub fn point(&self, at: [i64; 2]) {
        self.xdotool(&["mousemove", "--window", &self.window, &at[0].to_string(), &at[1].to_string()]);
    }

    /// The left button goes down, or up, where the pointer is.
    pub fn press(&self, is_down: bool) {
        if is_down {
            self.send(Sent::Presses, 1, &["mousedown", "1"]);
        } else {
            self.send(Sent::Releases, 1, &["mouseup", "1"]);
        }
    }

    pub fn click(&self, at: [i64; 2]) {
        self.point(at);
        self.press(true);
        self.press(false);
    }

    pub fn ctrl_click(&self, at: [i64; 2]) {
        self.point(at);
        self.send(Sent::Releases, 1, &["keydown", "ctrl", "click", "1", "keyup", "ctrl"]);
    }

    /// Presses, moves through every place, releases at the last.
    pub fn drag(&self, places: &[[i64; 2]]) {
        self.point(places[0]);
        self.press(true);
        places.iter().for_each(|&place| self.point(place));
        self.press(false);
    }

    /// One notch of the wheel upwards where the pointer is, with or without Ctrl.
    pub fn wheel_up(&self, ctrl: bool) {
        if ctrl {
            self.send(Sent::Wheel, 1, &["keydown", "ctrl", "click", "4", "keyup", "ctrl"]);
        } else {
            self.send(Sent::Wheel, 1, &["click", "4"]);
        }
    }

    /// One notch of the wheel downwards where the pointer is.
    pub fn wheel_down(&self) {
        self.send(Sent::Wheel, 1, &["click", "5"]);
    }

    /// A file in the program's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Drops a file where a place in the window is, by the X drag-and-drop protocol.
    pub fn drop_file(&self, file: &Path, at: [i64; 2]) {
        let found = output_of(self.rig.command("xdotool").args(["getwindowgeometry", "--shell", &self.window]));
        let text = String::from_utf8(found.stdout).unwrap();
        let number = |name: &str| -> i64 {
            let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{name} is not in {text:?}"))
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/drop.py");
        let python = if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" };
        let place = [number("X") + at[0], number("Y") + at[1]].map(|number| number.to_string());
        let mut command = self.rig.command(python);
        let output = output_of(command.arg(script).arg(&self.window).args(place).arg(file));
        assert!(output.status.success(), "no drop: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Clicks a control that is named in the state.
    pub fn click_control(&self, label: &str) {
        let (rect, pixels) = self.wait(&format!("the control {label}"), |state| {
            Some((four(&state["controls"][label])?, state["pixels_per_point"].as_f64()?))
        });
        let middle = [rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0];
        self.click(middle.map(|points| (points * pixels) as i64));
    }

    /// The upper pane as it is seen now.
    pub fn pane(&self) -> Pane {
        self.wait("a pane", |state| {
            let pixels = state["pixels_per_point"].as_f64()?;
            let document = &state["document"];
            Some(Pane {
                rect: four(&state["panes"][0]["rect"])?.map(|points| points * pixels),
                secs: two(&document["secs"])?,
                hz: two(&document["hz"])?,
                radius: document["radius_points"].as_f64()? * pixels,
                is_log: document["axis"] == "log",
            })
        })
    }

    /// A picture of the window, saved as `name`.
    pub fn picture(&self, name: &str) -> image::RgbImage {
        let path = self.folder.join(name);
        let output = output_of(self.rig.command("import").args(["-window", &self.window]).arg(&path));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        image::open(path).unwrap().to_rgb8()
    }

    /// Moves the pointer off the canvas, so that nothing is drawn over the picture.
    pub fn leave_canvas(&self) {
        self.point([4, 4]);
        self.wait("the pointer off the canvas", |state| {
            let pixels = state["pixels_per_point"].as_f64()?;
            let is_there = two(&state["input"]["pointer"])? == [4.0 / pixels; 2];
            (is_there && state["is_hovering"] == false && is_at_rest(state)).then_some(())
        });
    }

    /// Exports through the window: key, path on the card, Enter.
    pub fn export(&self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        self.key("ctrl+e");
        self.wait("the card", |state| (state["card"] == "export" && state["is_typing"] == true).then_some(()));
        self.key("ctrl+a");
        self.type_text(&path.to_string_lossy());
        self.key("Return");
        let done = format!("Exported {name}");
        self.wait("the export", |state| {
            let is_told = notices(state).any(|notice| notice.starts_with(&done));
            (is_told && path.exists() && is_at_rest(state) && state["card"].is_null()).then_some(())
        });
        path
    }

    /// Waits for the program to end by itself; its exit code.
    pub fn exit_code(self) -> Option<i32> {
        wait_for("the end of the program", || self.child.borrow_mut().0.try_wait().unwrap()).code()
    }
}

/// The last notices of a state, the newest first.
pub fn notices(state: &Value) -> impl Iterator<Item = &str> {
    state["notices"].as_array().into_iter().flatten().filter_map(|notice| notice["what"].as_str())
}

fn four(value: &Value) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

fn two(value: &Value) -> Option<[f64; 2]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

/// A pane in pixels of the window, and the ranges that its rulers show.
#[derive(Debug, Clone, Copy)]
pub struct Pane {
    /// Left, top, width, height.
    pub rect: [f64; 4],
    pub secs: [f64; 2],
    pub hz: [f64; 2],
    /// Of the brush, in pixels.
    pub radius: f64,
    pub is_log: bool,
}

impl Pane {
    pub fn secs_at(&self, x: i64) -> f64 {
        self.secs[0] + (x as f64 - self.rect[0]) / self.rect[2] * (self.secs[1] - self.secs[0])
    }

    pub fn hz_at(&self, y: i64) -> f64 {
        assert!(self.is_log);
        let octaves = (self.hz[1] / self.hz[0]).log2();
        self.hz[1] * (-(y as f64 - self.rect[1]) / self.rect[3] * octaves).exp2()
    }

    pub fn x_at(&self, secs: f64) -> i64 {
        (self.rect[0] + (secs - self.secs[0]) / (self.secs[1] - self.secs[0]) * self.rect[2]).round() as i64
    }

    pub fn y_at(&self, hz: f64) -> i64 {
        assert!(self.is_log);
        (self.rect[1] + (self.hz[1] / hz).log2() / (self.hz[1] / self.hz[0]).log2() * self.rect[3]).round() as i64
    }

    pub fn radius_secs(&self) -> f64 {
        self.radius / self.rect[2] * (self.secs[1] - self.secs[0])
    }

    pub fn radius_octaves(&self) -> f64 {
        self.radius / self.rect[3] * (self.hz[1] / self.hz[0]).log2()
    }
}
