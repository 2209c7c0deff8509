//! Sound servers of the tests' own, with a silent sink.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A sound server that a test may end.
pub struct Server {
    pub address: String,
    pub pid: u32,
    folder: PathBuf,
}

impl Server {
    /// Starts the server of a folder; an address stays the same when the server of its folder is started again.
    pub fn start(folder: &Path, display: &str) -> Server {
        Server::start_with(folder, display, &[])
    }

    /// The same with more modules.
    pub fn start_with(folder: &Path, display: &str, modules: &[&str]) -> Server {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/pulse_null_sink.sh");
        let modules = modules.iter().flat_map(|module| ["-L", module]);
        let mut command = Command::new("bash");
        let output = command.arg(script).arg(folder).args(modules).env("DISPLAY", display).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "no sound server: {text}{}", String::from_utf8_lossy(&output.stderr));
        let variable = |name: &str| {
            let found = text.split_whitespace().find_map(|word| word.strip_prefix(&format!("{name}=")));
            found.unwrap_or_else(|| panic!("{name} is not in {text:?}")).to_owned()
        };
        let pid = variable("PULSE_PID").parse().unwrap();
        Server { address: variable("PULSE_SERVER"), pid, folder: folder.to_owned() }
    }

    pub fn is_running(&self) -> bool {
        Command::new("kill").args(["-0", &self.pid.to_string()]).output().unwrap().status.success()
    }

    /// The last that it wrote, and how it ended.
    pub fn last_words(&self) -> String {
        let text = std::fs::read_to_string(self.folder.join("pulse.log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n    ")
    }

    /// Ends it at once.
    pub fn kill(self) -> String {
        // Its socket stays behind, as after any crash.
        self.address.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        Command::new("kill").args(["-KILL", &self.pid.to_string()]).output().ok();
    }
}
