//! Programs that tests start, each in a folder of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Says that a test is skipped, past the harness, which swallows what passing tests print.
pub fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").ok();
}

/// A folder with a home in it, gone at the end.
pub struct Place {
    pub folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Where the program keeps its sessions.
    pub fn state(&self) -> PathBuf {
        self.path(".local/state/sonobrush")
    }

    /// Any program with this folder as home and working folder, and ours on the CPU, knowing nothing of the user's.
    pub fn other(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let is_users = ["SONOBRUSH_", "XDG_"].iter().any(|start| name.to_string_lossy().starts_with(start));
            if is_users {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        // Logged information would be one more file that is written.
        command.env("SONOBRUSH_ENGINE", "cpu").env("SONOBRUSH_LOG", "error").stdin(Stdio::null());
        command
    }
}

/// Whether a program that tests need is on this machine. A notice reports its absence, which fails with
/// `REQUIRE_GPU=1`.
pub fn has_program(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    if !is_there {
        assert!(std::env::var("REQUIRE_GPU").as_deref() != Ok("1"), "{name} is missing");
        skipped(&format!("{name} is not there; scripts/test installs it"));
    }
    is_there
}

/// The most memory, in megabytes, that a process of this program of tests takes for one of them alone.
///
/// # Panics
/// If the test fails there, or is none.
#[cfg(target_os = "linux")]
pub fn max_megabytes_of(test: &str) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--test-threads=1"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let max = max_megabytes(&mut child);
    let reported = String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned();
    assert!(reported.contains("1 passed"), "{test}: {reported}");
    max
}

/// The most memory, in megabytes, that a process takes until it ends.
#[cfg(target_os = "linux")]
pub fn max_megabytes(child: &mut std::process::Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut max = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        max = max.max(line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    max >> 10
}
