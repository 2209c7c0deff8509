//! A display, a window manager and a sound server of the tests' own, and the program among them.

use super::server::Server;
use super::studio::{Studio, is_at_rest};
use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Software rendering of a debug build on two busy cores.
pub const TIMEOUT: Duration = Duration::from_secs(90);

const PROGRAMS: [&str; 10] =
    ["Xvfb", "openbox", "weston", "xdotool", "wmctrl", "import", "pulseaudio", "parec", "pacat", "pactl"];

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
pub const EVIDENCE: &str = "evidence.png";

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
    /// Folder of the last program started, for evidence.
    last: RefCell<Option<PathBuf>>,
    _processes: [Running; 2],
}

/// Waits until `look` finds something.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The interpreter that has the module for X.
pub fn python() -> &'static str {
    if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" }
}

pub fn output_of(command: &mut Command) -> Output {
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
        let (xvfb, display) = start_display(&[]);
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

    /// Restarts the sound server if it has ended, which is no fault of the program: a client cannot end one. Returns
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

    /// The name of the display.
    pub fn display(&self) -> &str {
        &self.display
    }

    /// The program's folder of files that it has given to others by dragging.
    pub fn given_files(&self) -> Vec<PathBuf> {
        let folder = self.path("home").join(".local/state/sonobrush/dragged-out");
        let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
        folders
            .flat_map(|folder| std::fs::read_dir(folder.path()))
            .flatten()
            .flatten()
            .map(|file| file.path())
            .collect()
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

    /// The program under test in these surroundings, as a command without a window.
    pub fn program_command(&self) -> Command {
        self.command(&self.program)
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

    /// The same with more modules.
    pub fn second_server_with(&self, name: &str, modules: &[&str]) -> Server {
        Server::start_with(&self.path(name), &self.display, modules)
    }

    /// Another display, which a test may end by dropping it.
    pub fn second_display(&self) -> Display {
        Self::display_with(&[])
    }

    /// A display of a server with more arguments, which ends when it is dropped.
    pub fn display_with(arguments: &[&str]) -> Display {
        let (xvfb, name) = start_display(arguments);
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
        // Each starts as new: what the one before remembers is not its own.
        std::fs::remove_dir_all(self.path("home").join(".config/sonobrush")).ok();
        // It ended by a kill, and would offer its session.
        let state = self.path("home").join(".local/state/sonobrush");
        ["sessions", "recordings", "library", "dragged-out"]
            .iter()
            .for_each(|name| drop(std::fs::remove_dir_all(state.join(name))));
        // The very first one opens on the demo; and who has painted before gets no notice of the first stroke, which
        // lies over a corner of the picture.
        std::fs::create_dir_all(self.path("home").join(".config/sonobrush")).unwrap();
        let settings = r#"{"studio": {"lessons": {"has_painted": true}}}"#;
        std::fs::write(self.path("home").join(".config/sonobrush/settings.json"), settings).unwrap();
        self.launch(files, change)
    }

    /// Starts the studio where it never was before.
    pub fn start_first(&self) -> Studio<'_> {
        for folder in [".config/sonobrush", ".local/state/sonobrush"] {
            std::fs::remove_dir_all(self.path("home").join(folder)).ok();
        }
        let mut studio = self.launch(&[], |_| ());
        studio.find_window();
        studio
    }

    /// Starts the studio with all that the one before left.
    pub fn start_again(&self) -> Studio<'_> {
        let mut studio = self.launch(&[], |_| ());
        studio.find_window();
        studio
    }

    fn launch(&self, files: &[&Path], change: impl FnOnce(&mut Command)) -> Studio<'_> {
        let folder = tempfile::tempdir_in(self.folder.path()).unwrap().keep();
        let log = std::fs::File::create(folder.join("stderr.log")).unwrap();
        let mut command = self.command(&self.program);
        command.args(files).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command.env("SONOBRUSH_STATE_FILE", folder.join("state.json"));
        command.env("SONOBRUSH_DIALOG_ANSWERS", folder.join("answers"));
        command.env("SONOBRUSH_FRAMES_FILE", folder.join("frames"));
        change(&mut command);
        let process = Running(command.spawn().unwrap());
        *self.last.borrow_mut() = Some(folder.clone());
        Studio::of(self, process, folder)
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

/// A display of its own, until it is dropped.
pub struct Display {
    pub name: String,
    _process: Running,
}

fn start_display(arguments: &[&str]) -> (Running, String) {
    let mut xvfb = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(xvfb.stdout.take().unwrap()).read_line(&mut number).unwrap();
    (Running(xvfb), format!(":{}", number.trim()))
}
