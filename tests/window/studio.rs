//! The program with its window, driven as a user drives it.

use super::rig::{EVIDENCE, Rig, Running, output_of, python, wait_for};
use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Nothing that was ordered is in progress, and all that will be seen is seen. True of the state from before, too: ask
/// only once what was sent is known to be handled, as the methods of [`Studio`] that send it do.
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

impl Drop for Studio<'_> {
    fn drop(&mut self) {
        // While the window is still there.
        if std::thread::panicking() {
            let picture = self.rig.path(EVIDENCE);
            self.rig.command("import").args(["-window", "root"]).arg(picture).status().ok();
        }
    }
}

impl<'a> Studio<'a> {
    /// A process of the program that was just started, and the folder that its state is in. Its window is not looked
    /// for yet.
    pub fn of(rig: &'a Rig, process: Running, folder: PathBuf) -> Studio<'a> {
        Studio { rig, child: RefCell::new(process), folder, window: String::new() }
    }
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
        self.send(Sent::Characters, text.chars().count() as u64, &["type", "--delay", "20", "--", text]);
    }

    /// The icon that the window states: width, height and pixels.
    pub fn icon(&self) -> Vec<u32> {
        let script = "import sys, Xlib.display\n\
            d = Xlib.display.Display()\n\
            w = d.create_resource_object('window', int(sys.argv[1]))\n\
            p = w.get_full_property(d.intern_atom('_NET_WM_ICON'), 0)\n\
            print(*[] if p is None else p.value)";
        let output = output_of(self.rig.command(python()).args(["-c", script, &self.window]));
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_whitespace().map(|number| number.parse().unwrap()).collect()
    }

    /// Gives the window this size, its corner at a place of the display.
    pub fn place(&self, at: [i64; 2], size: [i64; 2]) {
        let [x, y, width, height] = [at[0], at[1], size[0], size[1]].map(|pixels| pixels.to_string());
        self.xdotool(&["windowsize", "--sync", &self.window, &width, &height]);
        self.xdotool(&["windowmove", "--sync", &self.window, &x, &y]);
        self.wait("the size", |state| {
            let pixels = state["pixels_per_point"].as_f64()?;
            (two(&state["size"])? == size.map(|pixel| pixel as f64 / pixels) && is_at_rest(state)).then_some(())
        });
    }

    /// Moves the pointer to a place of the display.
    pub fn point_on_display(&self, at: [i64; 2]) {
        self.xdotool(&["mousemove", &at[0].to_string(), &at[1].to_string()]);
    }

    pub fn resize(&self, size: [u32; 2]) {
        self.xdotool(&["windowsize", &self.window, &size[0].to_string(), &size[1].to_string()]);
    }

    /// Lets the window fill the display, or no longer.
    pub fn maximise(&self, is_maximised: bool) {
        let change = if is_maximised { "add" } else { "remove" };
        let states = format!("{change},maximized_vert,maximized_horz");
        let output = output_of(self.rig.command("wmctrl").args(["-i", "-r", &self.window, "-b", &states]));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Away and back. A window manager that is still busy with earlier requests may put the window away after it was
    /// asked back: it is asked until the window is seen, as a user would click again.
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

    /// Sends input and waits until the window has handled it, has stopped or was reopened, so that later reads of its
    /// state see no earlier one.
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

    /// Sends input that may find no window any more, without waiting until it is handled.
    pub fn try_input(&self, arguments: &[&str]) {
        output_of(self.rig.command("xdotool").args(arguments));
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

    /// Keys as a quick hand types them: nothing is waited for in between.
    pub fn keys(&self, names: &[&str]) {
        let arguments = [&["key", "--delay", "10"], names].concat();
        self.send(Sent::Keys, names.len() as u64, &arguments);
    }

    /// The same as `key` while a button is down, which `--clearmodifiers` would let go.
    pub fn key_under_button(&self, name: &str) {
        self.send(Sent::Keys, 1, &["key", name]);
    }

    /// A key goes down, or up again.
    pub fn hold_key(&self, name: &str, is_down: bool) {
        if is_down {
            self.send(Sent::Keys, 1, &["keydown", name]);
        } else {
            self.xdotool(&["keyup", name]);
        }
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

    /// Clicks the right button, with or without Shift.
    pub fn right_click(&self, at: [i64; 2], shift: bool) {
        self.point(at);
        let held = ["keydown", "shift", "click", "3", "keyup", "shift"];
        self.send(Sent::Releases, 1, if shift { &held } else { &held[2..4] });
    }

    /// Presses, moves through every place, releases at the last.
    pub fn drag(&self, places: &[[i64; 2]]) {
        self.point(places[0]);
        self.press(true);
        places.iter().for_each(|&place| self.point(place));
        self.press(false);
    }

    /// The same, over some seconds, without waiting for the window in between.
    pub fn swift_drag(&self, places: &[[i64; 2]], secs: f64) {
        self.point(places[0]);
        let pause = (secs / places.len() as f64).to_string();
        let mut arguments = vec!["mousedown".to_owned(), "1".to_owned()];
        for [x, y] in places {
            let moved = ["sleep", &pause, "mousemove", "--window", &self.window, &x.to_string(), &y.to_string()];
            arguments.extend(moved.map(str::to_owned));
        }
        arguments.extend(["mouseup", "1"].map(str::to_owned));
        self.send(Sent::Releases, 1, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
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
        self.drop_files(&[file.to_owned()], at);
    }

    pub fn drop_files(&self, files: &[PathBuf], at: [i64; 2]) {
        let output = output_of(&mut self.dragging(&[], files, at));
        assert!(output.status.success(), "no drop: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Drags files over the window and leaves it with them once it has seen them.
    pub fn leave_with_files(&self, files: &[PathBuf], at: [i64; 2]) {
        let mut child = self.dragging(&["--leave"], files, at).stdin(Stdio::piped()).spawn().unwrap();
        self.wait("files over the window", |state| (state["input"]["is_file_over"] == true).then_some(()));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success(), "the files did not leave");
    }

    /// Drops a list of these lines as a program does: one with options of `drop.py`.
    pub fn drop_lines(&self, options: &[&str], lines: &[&str], at: [i64; 2]) {
        let lines: Vec<PathBuf> = lines.iter().map(PathBuf::from).collect();
        let output = output_of(&mut self.dragging(&[options, &["--list"]].concat(), &lines, at));
        assert!(output.status.success(), "no drop: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn dragging(&self, options: &[&str], files: &[PathBuf], at: [i64; 2]) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/drop.py");
        let mut command = self.rig.command(python());
        command.arg(script).args(options).arg(&self.window).args(at.map(|pixels| pixels.to_string())).args(files);
        command
    }

    /// Runs a command by its name, from the list of all.
    pub fn run_command(&self, name: &str) {
        self.key("ctrl+shift+p");
        self.wait("the list of commands", |state| (state["card"] == "palette").then_some(()));
        self.type_text(name);
        self.key("Return");
        self.wait("no card", |state| state["card"].is_null().then_some(()));
    }

    /// Types into the card for paths, and leaves it with Enter.
    pub fn type_path(&self, text: &str) {
        self.wait("no card", |state| state["card"].is_null().then_some(()));
        self.key("ctrl+shift+o");
        self.wait("the card", |state| (state["card"] == "path").then_some(()));
        self.type_text(text);
        self.key("Return");
    }

    /// Clicks a control that is named in the state.
    pub fn click_control(&self, label: &str) {
        self.click(self.middle_of(label));
    }

    /// The middle of a control that is named in the state, in pixels of the window.
    pub fn middle_of(&self, label: &str) -> [i64; 2] {
        let (rect, pixels) = self.wait(&format!("the control {label}"), |state| {
            Some((four(&state["controls"][label])?, state["pixels_per_point"].as_f64()?))
        });
        let middle = [rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0];
        middle.map(|points| (points * pixels) as i64)
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
            let is_reported = notices(state).any(|notice| notice.starts_with(&done));
            (is_reported && path.exists() && is_at_rest(state) && state["card"].is_null()).then_some(())
        });
        path
    }

    /// Ends the program at once, as nothing that it could answer would.
    pub fn kill(self) {
        let mut child = self.child.borrow_mut();
        child.0.kill().unwrap();
        child.0.wait().unwrap();
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
    /// Radius of the brush in pixels.
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
