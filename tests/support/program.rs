//! The real program in a folder of its own.

use crate::common::gpu::skipped;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.other(program());
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs what must work, silently but for notices; its standard output.
    pub fn done(&self, arguments: &[&str]) -> String {
        self.done_with_notices(arguments).0
    }

    /// The same, with the notices.
    pub fn done_with_notices(&self, arguments: &[&str]) -> (String, Vec<String>) {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        let notices = notices_in(&stderr);
        assert_eq!(notices.len(), stderr.lines().count(), "{arguments:?}: {stderr}");
        (String::from_utf8(output.stdout).unwrap(), notices)
    }

    /// Runs what must fail with one line behind its notices; that line.
    pub fn failed(&self, arguments: &[&str]) -> String {
        failure(&self.run(arguments))
    }
}

/// The notices of a run by what it said on standard error.
pub fn notices_in(stderr: &str) -> Vec<String> {
    stderr.lines().filter_map(|line| line.strip_prefix("sonobrush: note: ")).map(str::to_owned).collect()
}

/// The one line of what failed, which is the last; before it stand only notices.
pub fn failure(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("sonobrush: ") && !last.starts_with("sonobrush: note: "), "{stderr:?}");
    assert!(stderr.ends_with('\n') && notices_in(&stderr).len() + 1 == stderr.lines().count(), "{stderr:?}");
    last.to_owned()
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_sonobrush"))
}

/// Whether a program that tests need is on this machine. That it is not is told, and fails where everything was installed.
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
pub fn most_megabytes_of(test: &str) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--test-threads=1"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let most = most_megabytes(&mut child);
    let told = String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned();
    assert!(told.contains("1 passed"), "{test}: {told}");
    most
}

/// The most memory, in megabytes, that a process takes until it ends.
#[cfg(target_os = "linux")]
pub fn most_megabytes(child: &mut std::process::Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = most.max(line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    most >> 10
}
