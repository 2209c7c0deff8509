//! A Wayland compositor of the tests' own: Weston as a window of a display of its own, so that a pointer and a keyboard
//! are there; the program in it, and another whose window gives files.

use super::drag_source::{CHILD_MODE, COLOUR, SIZE};
use super::rig::{Display, Rig, Running, output_of, wait_for};
use super::studio::{Studio, is_at_rest};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

const SOCKET: &str = "wayland-of-tests";
/// Width and height of what Weston shows. Its display is larger.
const OUTPUT: [i64; 2] = [1300, 900];
const OUTSIDE: [i64; 2] = [1390, 990];
/// Width and height of a window beside which there is room; wherever it is put, it covers the middle.
const SMALL: [f64; 2] = [720.0, 500.0];
/// The frame that the window draws around itself is at most this wide.
const FRAME: f64 = 60.0;
const SETTINGS: &str = "[core]\nidle-time=0\n[shell]\npanel-position=none\nbackground-color=0xff00ff00\nanimation=none\n\
                        startup-animation=none\nclose-animation=none\n";

/// The compositor, and the display that it is a window of.
pub struct Weston<'a> {
    rig: &'a Rig,
    runtime: PathBuf,
    // Before its display.
    _process: Running,
    display: Display,
}

impl<'a> Weston<'a> {
    pub fn start(rig: &'a Rig) -> Weston<'a> {
        let display = rig.second_display();
        let runtime = rig.path(&format!("weston {}", display.name.trim_start_matches(':')));
        // Only its user may enter, or clients refuse it.
        assert!(Command::new("install").args(["-d", "-m", "700"]).arg(&runtime).status().unwrap().success());
        std::fs::write(runtime.join("weston.ini"), SETTINGS).unwrap();
        let mut command = rig.command("weston");
        command.env("DISPLAY", &display.name).env("XDG_RUNTIME_DIR", &runtime);
        command.args(["--backend=x11-backend.so", "--use-pixman"]);
        command.args([format!("--width={}", OUTPUT[0]), format!("--height={}", OUTPUT[1])]);
        let file = |name: &str| runtime.join(name).display().to_string();
        command.arg(format!("--socket={SOCKET}")).arg(format!("--config={}", file("weston.ini")));
        command.arg(format!("--log={}", file("weston.log")));
        let process = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let weston = Weston { rig, runtime, display, _process: process };
        // It takes the place of a pointer that has been in it from the start for another.
        weston.point(OUTSIDE);
        wait_for("Weston", || weston.runtime.join(SOCKET).exists().then_some(()));
        let window = wait_for("Weston's window", || {
            let mut search = weston.command("xdotool");
            let found = output_of(search.args(["search", "--onlyvisible", "--class", "weston"]));
            String::from_utf8_lossy(&found.stdout).lines().next().map(str::to_owned)
        });
        // Sets the keyboard focus, as there is no window manager to do it.
        weston.xdotool(&["windowfocus", "--sync", &window]);
        weston
    }

    /// A command on Weston's display and in Weston.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.rig.command(program);
        self.enter(&mut command);
        command.env("DISPLAY", &self.display.name);
        command
    }

    fn enter(&self, command: &mut Command) {
        command.env("WAYLAND_DISPLAY", SOCKET).env("XDG_RUNTIME_DIR", &self.runtime).env_remove("DISPLAY");
    }

    fn xdotool(&self, arguments: &[&str]) {
        let output = output_of(self.command("xdotool").args(arguments));
        assert!(output.status.success(), "xdotool {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Moves the pointer to a place in what Weston shows.
    pub fn point(&self, at: [i64; 2]) {
        self.xdotool(&["mousemove", &at[0].to_string(), &at[1].to_string()]);
    }

    pub fn press(&self, is_down: bool) {
        self.xdotool(&[if is_down { "mousedown" } else { "mouseup" }, "1"]);
    }

    /// The program with a window that fills Weston.
    pub fn open(&self, file: &Path) -> InWeston<'_> {
        let window = self.open_with(file, r#"{"is_maximized": true}"#, 0.9 * OUTPUT[0] as f64);
        let corner = window.corner;
        assert!((0.0..2.0).contains(&corner[0]) && (0.0..80.0).contains(&corner[1]), "the window lies at {corner:?}");
        window
    }

    /// The program with a window of [`SMALL`] over the middle of Weston, wherever it lies.
    pub fn open_small(&self, file: &Path) -> InWeston<'_> {
        self.open_with(file, &format!(r#"{{"size": {SMALL:?}}}"#), SMALL[0] - 1.0)
    }

    fn open_with(&self, file: &Path, window: &str, min_width: f64) -> InWeston<'_> {
        let settings = self.rig.path("home").join(".config/sonobrush/settings.json");
        let studio = self.rig.start_unseen(&[file], |command| {
            self.enter(command);
            std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
            std::fs::write(&settings, format!(r#"{{"studio": {{"window": {window}}}}}"#)).unwrap();
        });
        studio.wait("the file on the canvas", |state| {
            let is_wide = state["size"][0].as_f64()? > min_width;
            (is_wide && state["document"].is_object() && is_at_rest(state)).then_some(())
        });
        // Out and in, so that Weston knows where the pointer is; then the window says where it sees it.
        let at = [OUTPUT[0] / 2, OUTPUT[1] / 2];
        [at, OUTSIDE, at, [at[0] + 1, at[1]], at].into_iter().for_each(|at| self.point(at));
        let corner = studio.wait("the pointer in the window", |state| {
            let (pointer, pixels) = (pointer_of(state)?, state["pixels_per_point"].as_f64()?);
            (state["is_hovering"] == true).then(|| [0, 1].map(|axis| at[axis] as f64 - pixels * pointer[axis]))
        });
        InWeston { weston: self, studio, corner }
    }

    /// Another program, whose window gives files.
    pub fn giver(&self) -> Giver<'_> {
        let folder = tempfile::tempdir_in(&self.runtime).unwrap().keep();
        let mut command = self.command(std::env::current_exe().unwrap());
        let mut child =
            command.arg(CHILD_MODE).arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (notify, events) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).all(|line| notify.send(line).is_ok()));
        let mut giver = Giver { weston: self, folder, events, process: Running(child), at: [0; 2] };
        giver.wait_for("open");
        giver.at = wait_for("the giver's window", || giver.find());
        giver
    }
}

/// The pointer in a state, in points of the window.
pub fn pointer_of(state: &Value) -> Option<[f64; 2]> {
    let at = |axis: usize| state["input"]["pointer"][axis].as_f64();
    Some([at(0)?, at(1)?])
}

/// The program in Weston.
pub struct InWeston<'a> {
    pub weston: &'a Weston<'a>,
    pub studio: Studio<'a>,
    /// Of the window's content, without its frame, in what Weston shows.
    corner: [f64; 2],
}

impl InWeston<'_> {
    /// A place in what Weston shows, of one in pixels of the window.
    pub fn place(&self, at: [i64; 2]) -> [i64; 2] {
        [0, 1].map(|axis| (at[axis] as f64 + self.corner[axis]).round() as i64)
    }

    /// Where the window should see the pointer, in points, when it is at a place in what Weston shows.
    pub fn points_of(&self, place: [i64; 2], state: &Value) -> Option<[f64; 2]> {
        let pixels = state["pixels_per_point"].as_f64()?;
        Some([0, 1].map(|axis| (place[axis] as f64 - self.corner[axis]) / pixels))
    }

    /// Another program, whose window gives and takes files, beside a window that [`SMALL`] gave its size: a press on a
    /// window brings it before others.
    pub fn giver_beside(&self) -> Giver<'_> {
        let is_beside = |giver: &Giver<'_>| {
            (0..2).any(|axis| {
                let (at, reach) = (giver.at[axis] as f64 - self.corner[axis], f64::from(SIZE[axis]) / 2.0 + FRAME);
                at < -reach || at > SMALL[axis] + reach
            })
        };
        // Weston puts windows anywhere.
        wait_for("a window beside this one", || {
            let giver = self.weston.giver();
            if is_beside(&giver) {
                return Some(giver);
            }
            giver.kill();
            None
        })
    }

    /// A place in what Weston shows beside the window, with room around it.
    pub fn outside(&self) -> [i64; 2] {
        let left = self.corner[0];
        let right = OUTPUT[0] as f64 - left - SMALL[0];
        let x = if left > right { left / 2.0 } else { OUTPUT[0] as f64 - right / 2.0 };
        [x as i64, OUTPUT[1] / 2]
    }

    /// The left button goes down, or up, in the window.
    pub fn press(&self, is_down: bool) {
        let what = if is_down { "presses" } else { "releases" };
        self.send(what, 1, &[if is_down { "mousedown" } else { "mouseup" }, "1"]);
    }

    /// Presses a key and waits until the window has acted on it.
    pub fn key(&self, name: &str) {
        self.send("keys", 1, &["key", "--clearmodifiers", name]);
    }

    pub fn type_text(&self, text: &str) {
        self.studio.wait("a field for text", |state| (state["is_typing"] == true).then_some(()));
        self.send("characters", text.chars().count() as u64, &["type", "--delay", "20", "--", text]);
    }

    fn send(&self, what: &str, n: u64, arguments: &[&str]) {
        let count = |state: &Value| state["input"][what].as_u64().unwrap_or(0);
        let wanted = count(&self.studio.state().unwrap_or_default()) + n;
        self.weston.xdotool(arguments);
        self.studio.wait(&format!("{what} {wanted} of {arguments:?}"), |state| (count(state) >= wanted).then_some(()));
    }
}

/// A program whose window gives files.
pub struct Giver<'a> {
    weston: &'a Weston<'a>,
    folder: PathBuf,
    events: Receiver<String>,
    process: Running,
    /// The middle of its window.
    at: [i64; 2],
}

impl Giver<'_> {
    /// Waits for a line that it prints.
    pub fn wait_for(&self, wanted: &str) {
        wait_for(&format!("{wanted} of the giver"), || self.events.try_iter().any(|line| line == wanted).then_some(()));
    }

    fn find(&self) -> Option<[i64; 2]> {
        let path = self.folder.join("display.png");
        let output = output_of(self.weston.command("import").args(["-window", "root"]).arg(&path));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let seen = image::open(&path).unwrap().to_rgb8();
        let is_its = |(_, _, pixel): &(u32, u32, &image::Rgb<u8>)| pixel.0 == COLOUR;
        let (x, y, _) = seen.enumerate_pixels().find(is_its)?;
        let n_its = seen.enumerate_pixels().filter(is_its).count();
        let corner = [x, y].map(i64::from);
        (n_its as i32 >= SIZE[0] * SIZE[1]).then(|| [0, 1].map(|axis| corner[axis] + i64::from(SIZE[axis]) / 2))
    }

    /// Whether its window hides a place, or nearly.
    pub fn hides(&self, place: [i64; 2]) -> bool {
        (0..2).all(|axis| (place[axis] - self.at[axis]).abs() < i64::from(SIZE[axis]))
    }

    /// Gives from now on lists of a type; none: it is asked and never answers.
    pub fn give(&self, types: &[&str], list: Option<&[u8]>) {
        std::fs::write(self.folder.join("types"), types.join("\n")).unwrap();
        let file = self.folder.join("list");
        match list {
            Some(list) => std::fs::write(file, list).unwrap(),
            None => drop(std::fs::remove_file(file)),
        }
    }

    /// Takes hold of what it gives and moves it to a place, without letting it go.
    pub fn drag_to(&self, place: [i64; 2]) {
        assert!(!self.hides(place), "{place:?} is hidden by the giver's window");
        self.events.try_iter().for_each(drop);
        self.weston.point(self.at);
        self.weston.press(true);
        self.wait_for("began");
        // The first move of a drag only begins it.
        [[place[0] - 1, place[1]], place].into_iter().for_each(|place| self.weston.point(place));
    }

    /// Takes from now on what is offered of a type; none: nothing.
    pub fn take(&self, wanted: Option<&str>) {
        let file = self.folder.join("takes");
        match wanted {
            Some(wanted) => std::fs::write(file, wanted).unwrap(),
            None => drop(std::fs::remove_file(file)),
        }
    }

    /// What it has taken.
    pub fn taken(&self) -> Vec<u8> {
        std::fs::read(self.folder.join("taken")).unwrap()
    }

    /// The middle of its window in what Weston shows.
    pub fn place(&self) -> [i64; 2] {
        self.at
    }

    /// Ends the drag, as Escape does elsewhere.
    pub fn escape(&mut self) {
        self.process.0.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.wait_for("escaped");
    }

    /// Ends at once.
    pub fn kill(mut self) {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
    }
}
