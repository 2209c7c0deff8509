//! The real program in a folder of its own.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub use test_document::program::{has_program, max_megabytes, skipped};

/// A folder with a home in it, gone at the end, and our program in it.
pub struct Place(test_document::program::Place);

impl Deref for Place {
    type Target = test_document::program::Place;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Place {
    pub fn new() -> Place {
        Place(test_document::program::Place::new())
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.other(program());
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, with only notices on standard error; returns its standard output.
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

/// The program under test: of this build, or another that `SONOBRUSH_TEST_PROGRAM` names (`scripts/test --long` runs
/// the command line's tests with one that has no window).
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        std::env::var_os("SONOBRUSH_TEST_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_sonobrush").into()).into()
    })
}
